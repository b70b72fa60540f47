"""POST /api/context, in process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from trivium import config
from trivium.doors import answers
from trivium.doors.answers import Asked, ContextRequest
from trivium.doors.failures import RequestInvalid
from trivium.doors.following import no_progress
from trivium.doors.hosting import Hosting
from trivium.doors.http.app import Rules, build
from trivium.doors.http.guard import Names
from trivium.doors.upkeep import Upkeep

PORT = 7700
Post = Callable[..., httpx.Response]


@pytest.fixture
def hosting(tmp_path: Path) -> Iterator[Hosting]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "cats.md").write_text("# Cats\n\nA tabby sleeps.\n", encoding="utf-8")
    (folder / "a.py").write_text("def tabby():\n    return 1\n", encoding="utf-8")
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    made = Hosting([folder], settings=config.load(environ=environ))
    yield made
    made.close()


@pytest.fixture
def upkeep(hosting: Hosting) -> Upkeep:
    return hosting.upkeep()


@pytest.fixture
def post(hosting: Hosting) -> Post:
    def send(address: str = "/api/context", **body: Any) -> httpx.Response:
        async def sent() -> httpx.Response:
            transport = httpx.ASGITransport(app=build(hosting, rules=Rules(Names(PORT))))
            base = f"http://127.0.0.1:{PORT}"
            async with httpx.AsyncClient(transport=transport, base_url=base) as client:
                return await client.post(address, json=body)

        return asyncio.run(sent())

    return send


def test_a_context_comes_with_its_pieces_and_its_tokens(upkeep: Upkeep, post: Post) -> None:
    upkeep.sync_first(no_progress)

    data = post(query="tabby", maxTokens=100, kind="code").json()

    (piece,) = data["pieces"]
    assert piece["heading"] == "a.py:1-2  tabby"
    assert piece["text"] == "def tabby():\n    return 1"
    assert data["tokens"] == piece["tokens"] <= data["maxTokens"] == 100
    assert data["leftOut"] == {"hits": 0, "next": []}


def test_nothing_found_is_an_answer(upkeep: Upkeep, post: Post) -> None:
    upkeep.sync_first(no_progress)

    found = post(query="quokka")

    assert found.status_code == 200
    assert found.json()["pieces"] == []


def test_before_the_folder_is_indexed_a_context_says_so(post: Post) -> None:
    degraded = post(query="tabby").json()["degraded"]

    assert any("being indexed" in one["reason"] for one in degraded)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"query": "x", "maxTokens": 0}, 422, "maxTokens"),
        ({"query": "x", "maxTokens": "9"}, 422, "maxTokens"),
        ({"query": "x", "maxTokenz": 9}, 422, "Did you mean 'maxTokens'?"),
        ({"maxTokens": 9}, 422, "query"),
        ({"query": "x", "graphId": "other"}, 404, "No collection 'other'"),
        ({"query": "x", "profile": "mine.toml"}, 400, "Give a profile by its name"),
    ],
)
def test_a_request_that_is_wrong_is_told_what_is_wrong(
    post: Post, body: dict[str, Any], status: int, said: str
) -> None:
    refused = post(**body)

    assert refused.status_code == status
    assert said in refused.json()["error"]["message"]


def test_keys_belong_in_the_body(post: Post) -> None:
    refused = post("/api/context?query=x", query="x")

    assert refused.status_code == 422
    assert "'query' belongs in the body" in refused.json()["error"]["message"]


def test_a_request_becomes_a_plain_question() -> None:
    request = answers.read(ContextRequest, {"query": "cat", "top": 7, "maxTokens": 50})

    assert (request.asked(), request.max_tokens) == (Asked("cat", limit=7), 50)
    assert answers.read(ContextRequest, {"query": "cat"}).max_tokens == 4000
    with pytest.raises(RequestInvalid, match="maxTokens"):
        answers.read(ContextRequest, {"query": "cat", "maxTokens": True})
