"""`trivium mcp --connect`: agents that share one server, which is started for the first of them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

import trivium

Result = TypeVar("Result")

RUN = "from trivium.doors.cli.main import main; main()"
GREETING: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\n\nA tabby sleeps.\n", encoding="utf-8")
    yield folder
    for pid in servers(folder):
        os.kill(pid, signal.SIGTERM)


def servers(folder: Path) -> list[int]:
    return [int(file.stem) for file in (folder.parent / "home" / "servers").glob("*.json")]


def environ(folder: Path) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
        "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
    }


def words(folder: Path, *options: str) -> list[str]:
    return [sys.executable, "-c", RUN, "mcp", "--connect", str(folder), *options]


async def with_client(
    folder: Path,
    conversation: Callable[[Client], Awaitable[Result]],
    *options: str,
    is_old: bool = False,
) -> Result:
    command, *arguments = words(folder, *options)
    server = StdioServerParameters(command=command, args=arguments, env=environ(folder))
    async with Client(server, mode="legacy" if is_old else "auto") as client:
        return await conversation(client)


async def search(client: Client) -> CallToolResult:
    return await client.call_tool("search", {"query": "tabby"})


def ids(result: CallToolResult) -> list[str]:
    assert isinstance(result.structured_content, dict), result
    return [hit["id"] for hit in result.structured_content["results"]]


def test_agents_of_both_protocols_share_the_server_that_the_first_has_started(shop: Path) -> None:
    async def at_once() -> list[CallToolResult]:
        asked = [with_client(shop, search, is_old=number % 2 == 1) for number in range(3)]
        return list(await asyncio.gather(*asked))

    found = asyncio.run(at_once())

    assert [ids(one) for one in found] == [["doc:guide.md#Guide"]] * 3
    assert len(servers(shop)) == 1


def test_a_server_that_has_gone_is_started_again_in_the_middle_of_a_conversation(
    shop: Path,
) -> None:
    async def conversation(client: Client) -> tuple[CallToolResult, int, CallToolResult]:
        before = await search(client)
        (first,) = servers(shop)
        os.kill(first, signal.SIGKILL)
        return before, first, await search(client)

    before, first, after = asyncio.run(with_client(shop, conversation))

    assert ids(before) == ids(after) == ["doc:guide.md#Guide"]
    assert servers(shop) != [first]


def test_tool_sets_errors_and_names_that_are_no_plain_text_go_through(shop: Path) -> None:
    (shop / "猫.md").write_text("# 猫\n\nねこ\n", encoding="utf-8")

    async def conversation(client: Client) -> tuple[list[str], int, str]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        try:
            await client.call_tool("削除", {})
        except MCPError as error:
            code = error.code
        read = await client.read_resource("trivium://shop/%E7%8C%AB.md")
        return names, code, str(read.contents[0])

    names, code, read = asyncio.run(with_client(shop, conversation, "--tools", "rag"))

    assert names == ["search", "get", "get_project_info"]
    assert code == -32601
    assert "ねこ" in read


def test_the_wire_carries_answers_alone_and_its_end_ends_the_process(shop: Path) -> None:
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    lines = ["no json", json.dumps(GREETING), json.dumps(ready), json.dumps(listing)]
    with subprocess.Popen(
        words(shop),
        env=environ(shop),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        replies = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.stdin.close()
        rest = process.stdout.read()
        ended = process.wait(timeout=60)
        said = process.stderr.read()

    assert [reply["id"] for reply in replies] == [None, 1, 2]
    assert replies[0]["error"]["code"] == -32700
    assert replies[1]["result"]["protocolVersion"] == "2025-06-18"
    assert replies[2]["result"]["tools"][0]["name"] == "search"
    assert (ended, rest, said) == (0, "", "")


def test_what_is_no_folder_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    done = subprocess.run(
        words(tmp_path / "nowhere"),
        env=environ(tmp_path / "nowhere"),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )

    assert done.returncode == 2
    assert "is not a folder" in done.stderr


def test_it_needs_neither_the_sdk_nor_the_engine(shop: Path) -> None:
    program = (
        "import sys; from trivium.doors.mcp.connect import run; "
        f"run([{str(shop)!r}], tools=[]); "
        "print([name for name in ('mcp', 'pydantic', 'asyncio', 'numpy', 'trivium.collection') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environ(shop),
        capture_output=True,
        text=True,
        input="",
        check=True,
    )

    assert done.stdout.strip() == "[]"
