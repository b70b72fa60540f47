"""What a node may be called at /api/nodes: its id, path, only name, or the address of a hit."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from tests.unit.doors.http.conftest import Send

from trivium.doors.hosting import Hosting


def node(send: Send, called: str, **params: str) -> dict[str, object]:
    response = send("GET", f"/api/nodes/{quote(called, safe='')}", params=params)
    assert response.status_code == 200, response.text
    found: dict[str, object] = response.json()
    return found


@pytest.mark.parametrize(
    ("called", "wanted"),
    [
        ("code:auth.py#hashed", "code:auth.py#hashed"),
        ("hashed", "code:auth.py#hashed"),
        ("guide.md", "doc:guide.md"),
        ("./guide.md", "doc:guide.md"),
        ("trivium://shop/auth.py#L4-L6", "code:auth.py#hashed"),
        ("trivium://shop/guide.md", "doc:guide.md"),
        ("auth.py:5", "code:auth.py#hashed"),
        ("auth.py:5:12", "code:auth.py#hashed"),
        ("./auth.py#L10", "code:auth.py#check"),
        ("auth.py:4-6", "code:auth.py#hashed"),
        ("auth.py:2", "code:auth.py"),
        ("guide.md:7", "doc:guide.md#Cats"),
        ("trivium://shop/auth.py#L5", "code:auth.py#hashed"),
    ],
)
def test_a_node_is_found_by_all_it_is_called(send: Send, called: str, wanted: str) -> None:
    assert node(send, called)["id"] == wanted


def test_an_address_gives_the_lines_it_names_also_where_they_are_no_node(send: Send) -> None:
    found = node(send, "trivium://shop/auth.py#L5-L6")

    assert str(found["text"]).splitlines()[0].strip() == '"""Hash a password."""'
    assert len(str(found["text"]).splitlines()) == 2


def test_an_address_names_its_collection_itself(send: Send) -> None:
    assert node(send, "trivium://farm/plough.md")["id"] == "doc:plough.md"
    assert node(send, "trivium://farm/plough.md", collection="farm")["id"] == "doc:plough.md"
    address = quote("trivium://farm/plough.md", safe="")
    refused = send("GET", f"/api/nodes/{address}", params={"collection": "shop"})
    assert refused.status_code == 422
    assert "'farm'" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    "called",
    [
        "nothing",
        "trivium://shop/no.py",
        "trivium://barn/a.py",
        "trivium://shop/auth.py#L99-L100",
        "trivium://shop/../farm/plough.md#L1-L1",
        "trivium://",
    ],
)
def test_what_is_called_nothing_is_404(send: Send, called: str) -> None:
    response = send("GET", f"/api/nodes/{quote(called, safe='')}")

    assert response.status_code == 404
    assert "trivium search" not in response.text


def test_a_name_that_several_have_is_answered_with_their_ids(
    send: Send, folders: list[Path], shops: Hosting
) -> None:
    (folders[0] / "other.py").write_text("def hashed() -> None:\n    pass\n", encoding="utf-8")
    shops.upkeep("shop").sync_now()

    response = send("GET", "/api/nodes/hashed")

    assert response.status_code == 400
    assert "code:auth.py#hashed, code:other.py#hashed" in response.json()["error"]["message"]


def test_a_file_is_found_by_the_end_of_its_path_if_only_one_has_it(
    send: Send, folders: list[Path], shops: Hosting
) -> None:
    for folder in ("one", "two"):
        (folders[0] / "src" / folder).mkdir(parents=True)
        (folders[0] / "src" / folder / "twin.md").write_text("# Twin\n", encoding="utf-8")
    (folders[0] / "src" / "one" / "only.py").write_text("def f():\n    pass\n", encoding="utf-8")
    shops.upkeep("shop").sync_now()

    assert node(send, "only.py")["id"] == "code:src/one/only.py"
    assert node(send, "one/only.py:2")["id"] == "code:src/one/only.py#f"
    assert node(send, "two/twin.md")["id"] == "doc:src/two/twin.md"
    several = send("GET", "/api/nodes/twin.md")
    assert several.status_code == 400
    assert "src/one/twin.md, src/two/twin.md" in several.json()["error"]["message"]


def test_a_path_of_the_disk_is_one_of_the_collection_if_it_lies_in_it(
    send: Send, folders: list[Path]
) -> None:
    root = folders[0].resolve().as_posix()

    assert node(send, f"{root}/guide.md")["id"] == "doc:guide.md"
    assert node(send, f"{root}/auth.py:10")["id"] == "code:auth.py#check"
    outside = send("GET", f"/api/nodes/{quote(f'{root}x/guide.md', safe='')}")
    assert outside.status_code == 404


def test_lines_that_are_no_node_come_as_they_are(send: Send) -> None:
    assert node(send, "auth.py:5-6") == node(send, "trivium://shop/auth.py#L5-L6")


@pytest.mark.parametrize("called", ["auth.py:99", "auth.py#L99", "trivium://shop/auth.py#L99-L100"])
def test_of_a_line_beyond_the_end_it_is_said_how_many_there_are(send: Send, called: str) -> None:
    response = send("GET", f"/api/nodes/{quote(called, safe='')}")

    assert response.status_code == 404
    assert "no line 99: it has 10 lines" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("called", "near"),
    [
        ("hashd", "code:auth.py#hashed"),
        ("code:auth.py#hashd", "code:auth.py#hashed"),
        ("src/giude.md", "guide.md"),
        ("giude.md:3", "guide.md"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is_near(
    send: Send, called: str, near: str
) -> None:
    response = send("GET", f"/api/nodes/{quote(called, safe='')}")

    assert response.status_code == 404
    message = response.json()["error"]["message"]
    assert message.startswith(f"Chunk not found: {called}. Names near it: ")
    assert near in message


def test_a_folder_is_a_list_of_what_lies_in_it(
    send: Send, folders: list[Path], shops: Hosting
) -> None:
    (folders[0] / "docs" / "deep").mkdir(parents=True)
    (folders[0] / "docs" / "a.md").write_text("# A\n", encoding="utf-8")
    (folders[0] / "docs" / "deep" / "b.md").write_text("# B\n", encoding="utf-8")
    shops.upkeep("shop").sync_now()

    assert str(node(send, "docs")["text"]).splitlines() == ["docs/a.md", "docs/deep/"]


@pytest.mark.parametrize("called", ["doc:plough.md#Plough", "plough.md", "plough.md:1"])
def test_what_only_another_collection_has_is_found_there(send: Send, called: str) -> None:
    assert "plough.md" in str(node(send, called)["id"])
    refused = send("GET", f"/api/nodes/{quote(called, safe='')}", params={"collection": "shop"})
    assert refused.status_code == 404


@pytest.mark.parametrize("path", ["/api/related", "/api/neighbors"])
@pytest.mark.parametrize(
    "called", ["hashed", "auth.py:5", "trivium://shop/auth.py#L4-L6", "code:auth.py#hashed"]
)
def test_related_and_neighbors_take_what_nodes_take(send: Send, path: str, called: str) -> None:
    by_id = send("GET", path, params={"id": "code:auth.py#hashed"}).json()
    found = send("GET", path, params={"id": called}).json()

    key = "results" if path == "/api/related" else "nodes"
    assert by_id[key]
    assert found[key] == by_id[key]
