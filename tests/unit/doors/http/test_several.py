"""One search over several collections of a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.doors.http.conftest import Send

from trivium.doors.hosting import Hosting

BOTH = {"shop", "farm"}


@pytest.fixture(autouse=True)
def _password_on_the_farm(folders: list[Path], shops: Hosting) -> None:
    (folders[1] / "gate.md").write_text("# Gate\n\nThe password of the gate.\n", encoding="utf-8")
    shops.upkeep("farm").sync_now()


@pytest.mark.parametrize(
    "address",
    [
        "/api/search?q=password&collection=shop,farm",
        "/api/search?q=password&collection=shop&collection=farm",
        "/api/search?q=password&collections=shop&collections=farm",
        "/api/search?q=password&graphId=shop,farm",
        "/api/search?q=password&collection=*",
        "/api/search?q=password&collection=all",
    ],
)
def test_a_search_over_several_says_of_each_hit_where_it_is(send: Send, address: str) -> None:
    data = send("GET", address).json()

    assert {hit["collection"] for hit in data["results"]} == BOTH
    assert data["collection"] == "shop, farm"
    counts = data["facets"]["collection"]
    assert set(counts) == BOTH
    assert sum(counts.values()) == data["total"]
    # Each collection's best has 1 / (60 + 1).
    assert [hit["score"] for hit in data["results"][:2]] == [pytest.approx(1 / 61)] * 2


@pytest.mark.parametrize(
    "body",
    [
        {"collections": ["shop", "farm"]},
        {"collection": ["shop", "farm"]},
        {"collection": "shop,farm"},
        {"collections": "*"},
    ],
)
def test_a_body_may_name_several(send: Send, body: dict[str, object]) -> None:
    data = send("POST", "/api/search", json={"query": "password", **body}).json()

    assert {hit["collection"] for hit in data["results"]} == BOTH


def test_pages_of_several_have_every_hit_once(send: Send) -> None:
    whole = send("GET", "/api/search?q=password&collection=*").json()["results"]
    paged: list[tuple[str, str]] = []
    cursor = ""
    for _ in range(20):
        more = f"&cursor={cursor}" if cursor else ""
        page = send("GET", f"/api/search?q=password&collection=*&limit=1{more}").json()
        paged += [(hit["collection"], hit["id"]) for hit in page["results"]]
        cursor = page["next"]
        if cursor is None:
            break

    assert paged == [(hit["collection"], hit["id"]) for hit in whole]


def test_one_that_is_not_there_is_404_and_named(send: Send) -> None:
    refused = send("GET", "/api/search?q=password&collection=shop,barn")

    assert refused.status_code == 404
    assert "'barn'" in refused.json()["error"]["message"]


def test_a_change_in_any_of_them_changes_the_tag(
    send: Send, folders: list[Path], shops: Hosting
) -> None:
    address = "/api/search?q=password&collection=*"
    tag = send("GET", address).headers["etag"]
    known = {"If-None-Match": tag}
    assert send("GET", address, headers=known).status_code == 304

    (folders[1] / "new.md").write_text("# New\n\nAnother password.\n", encoding="utf-8")
    shops.upkeep("farm").sync_now()

    assert send("GET", address, headers=known).status_code == 200


def test_what_one_of_them_lacks_is_said_with_its_name(
    send: Send, shops: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shops.upkeep("farm"), "_synced_at", None)

    degraded = send("GET", "/api/search?q=password&collection=*").json()["degraded"]

    said = [one["reason"] for one in degraded if one["stage"] == "sync"]
    assert len(said) == 1
    assert said[0].startswith("farm: The folder is being indexed")


def test_a_file_is_no_profile_of_several_either(send: Send) -> None:
    refused = send("GET", "/api/search?q=a&collection=*&profile=/etc/a.toml")

    assert refused.status_code == 400
