"""One search of an agent over several collections, and what it then reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent

from trivium import config
from trivium.doors.hosting import Hosting
from trivium.doors.mcp.desk import Desk
from trivium.doors.mcp.server import Scope, Service

Call = Callable[..., CallToolResult]


@pytest.fixture
def hosting(tmp_path: Path) -> Iterator[Hosting]:
    for name, word in (("shop", "till"), ("farm", "plough")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(
            f'def {word}() -> None:\n    """Open the gate of the {word}."""\n', encoding="utf-8"
        )
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    folders = [tmp_path / "shop", tmp_path / "farm"]
    made = Hosting(folders, settings=config.load(environ=environ))
    yield made
    made.close()


@pytest.fixture
def call(hosting: Hosting) -> Iterator[Call]:
    only: list[str | None] = [None]
    service = Service(
        Desk(hosting, patience_s=60), scope_of=lambda _: Scope(("core",), collection=only[0])
    )

    def called(tool: str, *, scope: str | None = None, **arguments: object) -> CallToolResult:
        only[0] = scope

        async def sent() -> CallToolResult:
            async with Client(service.server()) as client:
                return await client.call_tool(tool, arguments)

        return asyncio.run(sent())

    yield called
    service.close()


def data_of(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def text_of(result: CallToolResult) -> str:
    (text,) = result.content
    assert isinstance(text, TextContent)
    return text.text


@pytest.mark.parametrize("named", ["shop,farm", "*"])
def test_an_agent_searches_several_and_reads_a_hit_by_its_url(call: Call, named: str) -> None:
    data = data_of(call("search", query="gate", collection=named))

    hits = {hit["collection"]: hit for hit in data["results"]}
    assert set(hits) == {"shop", "farm"}
    assert data["facets"]["collection"] == {"farm": 1, "shop": 1}
    # The ids may be the same in both; the url says which is meant.
    read = data_of(call("fetch", id=hits["farm"]["url"]))
    assert (read["name"], read["url"]) == ("plough", hits["farm"]["url"])


def test_a_connection_for_one_collection_searches_that_alone(call: Call) -> None:
    data = data_of(call("search", scope="farm", query="gate", collection="*"))
    assert [hit["name"] for hit in data["results"]] == ["plough"]

    refused = call("search", scope="farm", query="gate", collection="shop,farm")
    assert refused.is_error
    other = call("fetch", scope="farm", id="trivium://shop/a.py#L1-L2")
    assert other.is_error
    assert "This connection is for 'farm'" in text_of(other)


@pytest.mark.parametrize("called", ["a.py", "till", "trivium://shop/a.py#L1-L2"])
def test_an_agent_fetches_by_path_name_and_url(call: Call, called: str) -> None:
    assert "def till" in data_of(call("fetch", id=called))["text"]


def test_what_is_not_there_is_an_error_of_the_tool_without_commands(call: Call) -> None:
    for tool in ("fetch", "related"):
        refused = call(tool, id="nowhere")
        assert refused.is_error
        assert "nowhere" in text_of(refused)
        assert "trivium " not in text_of(refused)


def test_the_text_for_the_model_has_the_url_of_each_hit_of_several(call: Call) -> None:
    many = text_of(call("search", query="gate", collection="*"))
    one = text_of(call("search", query="gate", collection="shop"))

    assert "code:a.py#till  trivium://shop/a.py#L1-L2" in many
    assert "code:a.py#plough  trivium://farm/a.py#L1-L2" in many
    assert "trivium://" not in one


def test_an_id_of_another_collection_is_found_there(call: Call, hosting: Hosting) -> None:
    hosting.upkeep("farm").sync_now()

    read = data_of(call("fetch", id="code:a.py#plough"))
    assert read["url"] == "trivium://farm/a.py#L1-L2"
    assert not call("related", id="plough").is_error
    assert call("fetch", id="code:a.py#plough", collection="shop").is_error
    assert call("fetch", scope="shop", id="code:a.py#plough").is_error


def test_an_id_of_several_other_collections_is_said_to_be_there(
    call: Call, hosting: Hosting, tmp_path: Path
) -> None:
    (tmp_path / "barn").mkdir()
    for name in ("farm", "barn"):
        (tmp_path / name / "hay.md").write_text("# Hay\n", encoding="utf-8")
    hosting.add(tmp_path / "barn")
    for name in ("farm", "barn"):
        hosting.upkeep(name).sync_now()

    refused = call("fetch", id="doc:hay.md")

    assert refused.is_error
    assert "is in 'farm', 'barn'" in text_of(refused)
    assert data_of(call("fetch", id="doc:hay.md", collection="barn"))["title"]


def test_a_folder_is_read_as_a_list_and_by_its_own_url(call: Call, tmp_path: Path) -> None:
    (tmp_path / "shop" / "docs").mkdir()
    (tmp_path / "shop" / "docs" / "b.md").write_text("# B\n", encoding="utf-8")

    for called, wanted in (("docs", "docs/b.md"), (".", "docs/")):
        read = data_of(call("fetch", id=called))
        assert wanted in read["text"].splitlines()
        assert data_of(call("fetch", id=read["url"]))["text"] == read["text"]


@pytest.mark.parametrize("called", ["trivium://farm/a.py#L1-L2", "a.py:2", "./a.py", "till"])
def test_related_takes_what_fetch_takes(call: Call, called: str, hosting: Hosting) -> None:
    hosting.upkeep("farm").sync_now()

    assert not call("related", id=called).is_error


@pytest.mark.parametrize("named", ["shop", "*"])
def test_a_query_of_filters_alone_is_told_that_it_has_no_words(call: Call, named: str) -> None:
    found = call("search", query="lang:python", collection=named)

    assert data_of(found)["results"] == []
    assert text_of(found).count("the query has no words") == 1
