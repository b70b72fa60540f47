"""Files, neighbours, profiles, status and collections, in process."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from tests.unit.doors.http.conftest import PORT, Send

from trivium.doors.hosting import Hosting
from trivium.doors.http.app import Rules
from trivium.doors.http.guard import Names


def error_of(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["type"]


def test_lines_of_a_file_come_as_they_were_taken_in(get: Send) -> None:
    data = get("/api/file", path="auth.py", start=4, end=5).json()

    assert data == {
        "path": "auth.py",
        "language": "python",
        "startLine": 4,
        "endLine": 5,
        "totalLines": 10,
        "text": 'def hashed(text: str) -> str:\n    """Hash a password."""',
        "masked": 0,
    }


def test_a_file_is_whole_without_lines(get: Send) -> None:
    whole = get("/api/file", path="guide.md").json()

    assert (whole["startLine"], whole["endLine"], whole["totalLines"]) == (1, 7, 7)
    assert whole["text"].startswith("# Guide\n")


def test_lines_beyond_the_end_of_a_file_are_404_with_how_many_there_are(
    get: Send, folders: list[Path], shops: Hosting
) -> None:
    (folders[0] / "blank.txt").write_text("", encoding="utf-8")
    shops.upkeep().sync_now()

    assert get("/api/file", path="guide.md", start=7, end=50).json()["endLine"] == 7
    beyond = get("/api/file", path="guide.md", start=8)
    assert error_of(beyond) == (404, "NotFound")
    assert "no line 8: it has 7 lines" in beyond.json()["error"]["message"]
    assert get("/api/file", path="blank.txt").json()["totalLines"] == 0


def test_a_secret_stays_masked_in_a_file(get: Send) -> None:
    data = get("/api/file", path="key.txt").json()

    assert data["masked"] == 1
    assert "ghp_" not in data["text"]
    assert data["text"].splitlines()[2] == "last"


@pytest.mark.parametrize("path", ["no.py", "../secret", "/etc/passwd", "auth.py/", "a\0b", "."])
def test_a_file_that_is_not_in_the_index_is_404(get: Send, path: str) -> None:
    assert error_of(get("/api/file", path=path)) == (404, "NotFound")


def test_lines_the_wrong_way_round_are_refused(get: Send) -> None:
    assert error_of(get("/api/file", path="auth.py", start=3, end=2)) == (400, "UsageError")
    assert error_of(get("/api/file", path="auth.py", start=0)) == (422, "RequestInvalid")


def test_a_file_has_two_thousand_lines_unless_more_are_asked_for(
    get: Send, folders: list[Path], shops: Hosting
) -> None:
    (folders[0] / "long.txt").write_text("".join(f"{n}\n" for n in range(1, 3001)))
    shops.upkeep().sync_now()

    assert get("/api/file", path="long.txt").json()["endLine"] == 2000
    more = get("/api/file", path="long.txt", start=1500, end=2999).json()
    assert more["text"].splitlines() == [str(n) for n in range(1500, 3000)]


def test_neighbours_come_as_a_graph_around_the_node_itself(get: Send) -> None:
    data = get("/api/neighbors", id="hashed", types="calls").json()

    assert [(one["id"], one["depth"]) for one in data["nodes"]] == [
        ("code:auth.py#hashed", 0),
        ("code:auth.py#check", 1),
    ]
    assert [(one["source"], one["target"], one["type"]) for one in data["edges"]] == [
        ("code:auth.py#check", "code:auth.py#hashed", "calls")
    ]
    assert (data["total"], data["truncated"]) == (2, False)
    assert data["nodes"][1]["source"] == {"filePath": "auth.py", "startLine": 9, "endLine": 10}


def test_edges_lead_only_between_nodes_that_are_there(get: Send) -> None:
    data = get("/api/neighbors", id="hashed", depth=2).json()

    ids = {one["id"] for one in data["nodes"]}
    assert len(ids) == len(data["nodes"]) == data["total"]
    assert all({one["source"], one["target"]} <= ids for one in data["edges"])


def test_a_graph_that_was_cut_says_so(get: Send) -> None:
    data = get("/api/neighbors", id="hashed", depth=2, limit=2).json()

    assert len(data["nodes"]) == 2
    assert data["truncated"]
    assert data["total"] > 2


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"id": "nothing_of_the_kind"}, 404),
        ({"id": "hashed", "types": "clls"}, 400),
        ({"id": "hashed", "depth": 3}, 422),
        ({"id": "hashed", "limit": 501}, 422),
        ({"id": "hashed", "most": 1}, 422),
        ({}, 422),
    ],
)
def test_neighbours_that_cannot_be_given_are_refused(
    get: Send, asked: dict[str, str], status: int
) -> None:
    assert get("/api/neighbors", **asked).status_code == status


def test_the_profiles_are_named_with_the_one_that_is_set(get: Send) -> None:
    data = get("/api/profiles").json()

    assert data["default"] == "best"
    assert {"best", "rag", "xplor"} <= {one["name"] for one in data["profiles"]}
    assert all(one["description"] for one in data["profiles"])


def test_the_status_says_what_is_there_what_was_passed_over_and_what_goes_on(
    get: Send, folders: list[Path], shops: Hosting
) -> None:
    (folders[0] / "picture.png").write_bytes(b"\x89PNG\0\0")
    shops.upkeep().sync_now()

    data = get("/api/status").json()

    assert (data["name"], data["files"], data["maskedSecrets"]) == ("shop", 3, 1)
    assert data["progress"] is None
    assert data["slowQueries"] == []
    assert [one["path"] for one in data["skippedFiles"]] == ["picture.png"]


def test_every_endpoint_takes_the_collection_under_both_names(get: Send) -> None:
    for name in ("collection", "graphId"):
        assert get("/api/status", **{name: "farm"}).json()["name"] == "farm"
        assert get("/api/file", path="plough.md", **{name: "farm"}).status_code == 200
        assert get("/api/nodes/doc:plough.md", **{name: "farm"}).status_code == 200
        assert get("/api/search", q="plough", **{name: "farm"}).json()["total"] == 1
        assert error_of(get("/api/search", q="x", **{name: "barn"})) == (404, "NotFound")


def test_the_collections_are_listed_with_their_folders(get: Send, folders: list[Path]) -> None:
    listed = get("/api/collections").json()["collections"]

    assert [(one["name"], one["folder"], one["isDefault"]) for one in listed] == [
        ("shop", str(folders[0]), True),
        ("farm", str(folders[1]), False),
    ]
    assert [one["files"] for one in listed] == [3, 1]
    assert all(one["indexedAt"] for one in listed)


class TestWithARoot:
    @pytest.fixture
    def rules(self, tmp_path: Path) -> Rules:
        (tmp_path / "barn").mkdir()
        return Rules(Names(PORT), roots=[tmp_path])

    def test_a_folder_below_it_is_added_and_taken_away(
        self, send: Send, get: Send, tmp_path: Path
    ) -> None:
        added = send("POST", "/api/collections", json={"folder": str(tmp_path / "barn")})

        assert (added.status_code, added.json()["name"]) == (201, "barn")
        assert [one["name"] for one in get("/api/collections").json()["collections"]] == [
            "shop",
            "farm",
            "barn",
        ]
        gone = send("DELETE", "/api/collections", params={"name": "barn"})
        assert gone.json() == {"removed": "barn"}
        assert error_of(get("/api/status", collection="barn")) == (404, "NotFound")

    @pytest.mark.parametrize(
        ("folder", "status"),
        [("/", 403), ("barn/../..", 403), ("\0", 400), ("~nobody-here", 400), ("", 422)],
    )
    def test_a_folder_elsewhere_is_refused(self, send: Send, folder: str, status: int) -> None:
        assert send("POST", "/api/collections", json={"folder": folder}).status_code == status

    def test_a_folder_that_is_not_there_is_refused(self, send: Send, tmp_path: Path) -> None:
        refused = send("POST", "/api/collections", json={"folder": str(tmp_path / "no")})

        assert error_of(refused) == (400, "UsageError")


def test_no_folder_is_added_without_a_root(send: Send, tmp_path: Path) -> None:
    refused = send("POST", "/api/collections", json={"folder": str(tmp_path)})

    assert error_of(refused) == (403, "Forbidden")
    assert "--root" in refused.json()["error"]["message"]
