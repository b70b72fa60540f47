"""Whatever an agent sends, a tool answers or says in words what is wrong: nothing unexpected."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from typing import cast

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, TextContent
from tests.acceptance.tools import Only

from trivium import config
from trivium.collection import open_collection
from trivium.doors.hosting import Hosting
from trivium.doors.mcp.desk import Desk
from trivium.doors.mcp.server import Scope, Service, tools_of
from trivium.doors.upkeep import Upkeep

CALLS = 25
USUAL = ("zebra", "f", "code:a.py#f", "doc:b.md", "a.py", "doc:b.md#B@0")
VALUES: tuple[object, ...] = (
    *USUAL,
    *(None, True, 0, 1, -1, 3, 500, 10**30, 0.5, -0.1, 1e308),
    *("", "file:.", "@x", "x" * 10_001, "\x00", "日本 \u202e", "(", '"open', "lang:python"),
    *("best", "rag", "graph", "xplor", "ember", "contract", "code", "vector", "1", "99999999"),
    *([], {}, ["doc"], {"lang": "python"}, {"source_type": "md"}, {"path_prefix": "b"}),
)


@pytest.fixture(scope="module")
def upkeep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upkeep]:
    folder = tmp_path_factory.mktemp("tools") / "shop"
    folder.mkdir()
    (folder / "a.py").write_text("def f(x):\n    return g(x)\n\n\ndef g(x):\n    return f(x)\n")
    (folder / "b.md").write_text("# B\n\nA zebra, see [[a]].\n", encoding="utf-8")
    (folder / "c.json").write_text('[{"a": 1}, {"a": 2}]', encoding="utf-8")
    (folder / "empty.txt").write_text("", encoding="utf-8")
    environ = {
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    made = Upkeep(open_collection(folder, settings=config.load(environ=environ)))
    yield made
    made.close()


@pytest.mark.parametrize("tools", ["core", "xplor", "rag", "graph", "memory"])
def test_a_tool_answers_or_says_what_is_wrong(upkeep: Upkeep, tools: str) -> None:
    chance = random.Random(tools)  # noqa: S311 - the same calls every time
    desk = Desk(cast("Hosting", Only(upkeep)), patience_s=60)
    service = Service(desk, scope_of=lambda _: Scope((tools,)))

    async def unexpected() -> list[object]:
        found: list[object] = []
        async with Client(service.server()) as client:
            for tool in tools_of((tools,)):
                for _ in range(CALLS):
                    asked = arguments(tool.input_schema, chance)
                    try:
                        result = await client.call_tool(tool.name, asked)
                    except MCPError as error:
                        if error.code != INVALID_PARAMS:
                            found.append((tool.name, asked, str(error)))
                        continue
                    (only,) = result.content
                    assert isinstance(only, TextContent)
                    if "Unexpected" in only.text:
                        found.append((tool.name, asked, only.text))
        return found

    try:
        assert asyncio.run(unexpected()) == []
    finally:
        service.close()


def arguments(schema: dict[str, object], chance: random.Random) -> dict[str, object]:
    properties, required = schema["properties"], schema.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    made = {
        name: chance.choice(VALUES)
        for name in properties
        if name in required or chance.random() < 0.35
    }
    if chance.random() < 0.6:
        made |= {name: chance.choice(USUAL) for name in required}
    return made
