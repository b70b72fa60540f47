from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent

from trivium import config
from trivium.collection import Collection, open_collection
from trivium.doors.answers import Asked
from trivium.doors.hosting import Hosting
from trivium.doors.mcp.desk import Desk, percent
from trivium.doors.mcp.server import DEGRADED, Scope, Service
from trivium.doors.upkeep import Going, Upkeep
from trivium.errors import NotFound
from trivium.indexer import Report

Notices = list[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Only:
    kept: Upkeep

    def upkeep(self, _: str | None = None) -> Upkeep:
        return self.kept


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Collection]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "cats.md").write_text("# Cats\n\nA tabby sleeps.\n", encoding="utf-8")
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    with open_collection(folder, settings=config.load(environ=environ)) as made:
        yield made


def desk_of(upkeep: Upkeep, *, patience_s: float) -> Desk:
    return Desk(cast("Hosting", Only(upkeep)), patience_s=patience_s)


def test_a_first_call_waits_for_the_index_and_tells_how_far_it_is(shop: Collection) -> None:
    told: Notices = []
    upkeep = Upkeep(shop)
    try:
        ready = desk_of(upkeep, patience_s=60).ready(
            None, notice=lambda done, what: told.append((done, what))
        )
        answer = ready.search(Asked("tabby"))
    finally:
        upkeep.close()

    assert [hit.id for hit in answer.results] == ["doc:cats.md#Cats"]
    assert (told[0][0], told[-1][0]) == (0, 100)
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_a_first_call_that_has_waited_enough_answers_with_what_is_there(
    shop: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    whole = shop.sync

    def slow(**options: object) -> Report:
        assert may_go_on.wait(60)
        return whole(**options)  # type: ignore[arg-type]

    monkeypatch.setattr(shop, "sync", slow)
    told: Notices = []
    upkeep = Upkeep(shop)
    try:
        desk = desk_of(upkeep, patience_s=0)
        partial = desk.ready(None, notice=lambda done, what: told.append((done, what))).search(
            Asked("tabby")
        )
        may_go_on.set()
        assert upkeep.wait(60)
        later = desk.ready(None, notice=lambda *_: None).search(Asked("tabby"))
    finally:
        may_go_on.set()
        upkeep.close()

    assert partial.results == ()
    assert partial.degraded[0].stage == "sync"
    assert "is being indexed" in partial.degraded[0].reason
    assert told == [(0, "looking for files")]
    assert [hit.id for hit in later.results] == ["doc:cats.md#Cats"]
    assert all(one.stage != "sync" for one in later.degraded)


def test_a_connection_for_one_collection_has_no_other(shop: Collection) -> None:
    upkeep = Upkeep(shop)

    with pytest.raises(NotFound, match="This connection is for 'shop'"):
        desk_of(upkeep, patience_s=0).ready("farm", only="shop", notice=lambda *_: None)


def test_what_is_done_never_goes_back_from_stage_to_stage() -> None:
    stages = [
        Going("listing", 0, 0),
        Going("reading", 0, 10),
        Going("reading", 10, 10),
        Going("meaning", 1, 100),
        Going("meaning", 100, 100),
    ]

    done = [percent(one) for one in stages]

    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 100)


@pytest.mark.parametrize(
    ("tools", "tool"), [("core", "search"), ("xplor", "search"), ("rag", "search")]
)
def test_a_result_that_is_behind_its_folder_says_so_whatever_the_tool(
    shop: Collection, monkeypatch: pytest.MonkeyPatch, tools: str, tool: str
) -> None:
    may_go_on = threading.Event()
    whole = shop.sync

    def slow(**options: object) -> Report:
        assert may_go_on.wait(60)
        return whole(**options)  # type: ignore[arg-type]

    monkeypatch.setattr(shop, "sync", slow)
    upkeep = Upkeep(shop)
    service = Service(desk_of(upkeep, patience_s=0), scope_of=lambda _: Scope((tools,)))

    async def asked() -> list[CallToolResult]:
        async with Client(service.server()) as client:
            early = await client.call_tool(tool, {"query": "tabby"})
            may_go_on.set()
            assert await asyncio.to_thread(upkeep.wait, 60)
            return [early, await client.call_tool(tool, {"query": "tabby"})]

    try:
        early, later = asyncio.run(asked())
    finally:
        may_go_on.set()
        service.close()
        upkeep.close()

    assert not early.is_error
    assert early.meta is not None
    (degraded,) = early.meta[DEGRADED]
    assert "is being indexed" in degraded["reason"]
    assert "more may be found when that is done" in degraded["reason"]
    assert DEGRADED not in (later.meta or {})
    (text,) = early.content
    assert isinstance(text, TextContent)
    if tools != "rag":
        # What is no JSON tells the model itself that this is not all.
        assert "is being indexed" in text.text
        assert "No results found." not in text.text.splitlines()
