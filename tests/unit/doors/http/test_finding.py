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
