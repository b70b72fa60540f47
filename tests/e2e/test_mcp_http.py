"""The same tools at /mcp of a server, by the SDK's own client and by hand."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from tests.e2e.server import serving, soon

import trivium

Result = TypeVar("Result")

SERVE = "from trivium.doors.cli.main import main; main()"
OLD = "2025-06-18"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    top = tmp_path_factory.mktemp("mcp")
    made = []
    for name, text in (("shop", "Reset a password.\n"), ("farm", "Feed a zebra.\n")):
        folder = top / name
        folder.mkdir()
        (folder / "guide.md").write_text(f"# Guide\n\n{text}", encoding="utf-8")
        made.append(folder)
    return made


def environ(folders: list[Path]) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(folders[0].parent / "home"),
        "TRIVIUM_CONFIG": str(folders[0].parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
        "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
    }


@pytest.fixture(scope="module")
def address(folders: list[Path]) -> Iterator[str]:
    yield from served(folders)


def served(folders: list[Path], *options: str) -> Iterator[str]:
    with serving(folders, folders[0].parent / "home", *options) as server:
        assert soon(server.is_ready)
        yield str(server.client.base_url).rstrip("/")


def talk(
    url: str, conversation: Callable[[Client], Awaitable[Result]], *, is_old: bool = False
) -> Result:
    async def held() -> Result:
        async with Client(url, mode="legacy" if is_old else "auto") as client:
            return await conversation(client)

    return asyncio.run(held())


def ids(result: CallToolResult) -> list[str]:
    assert isinstance(result.structured_content, dict)
    return [hit["id"] for hit in result.structured_content["results"]]


@pytest.mark.parametrize("is_old", [False, True])
def test_a_client_of_either_protocol_searches_over_http(address: str, is_old: bool) -> None:
    async def conversation(client: Client) -> tuple[list[str], CallToolResult]:
        tools = await client.list_tools()
        found = await client.call_tool("search", {"query": "password"})
        return [tool.name for tool in tools.tools], found

    names, found = talk(f"{address}/mcp", conversation, is_old=is_old)

    assert names == ["search", "fetch", "related", "context", "status"]
    assert ids(found) == ["doc:guide.md#Guide"]


@pytest.mark.parametrize("is_old", [False, True])
def test_the_address_chooses_the_tools_and_the_collection(address: str, is_old: bool) -> None:
    async def conversation(client: Client) -> tuple[list[str], CallToolResult]:
        tools = await client.list_tools()
        found = await client.call_tool("search", {"query": "zebra"})
        return [tool.name for tool in tools.tools], found

    url = f"{address}/mcp?tools=rag,graph&collection=farm"
    names, found = talk(url, conversation, is_old=is_old)

    assert names[:4] == ["search", "get", "get_project_info", "docs_search"]
    assert isinstance(found.structured_content, dict)
    (only,) = found.structured_content["results"]
    assert only["source_path"] == "guide.md"


def test_a_call_may_name_a_collection_unless_the_address_does(address: str) -> None:
    async def conversation(client: Client) -> CallToolResult:
        return await client.call_tool("search", {"query": "zebra", "collection": "farm"})

    assert ids(talk(f"{address}/mcp", conversation)) == ["doc:guide.md#Guide"]
    refused = talk(f"{address}/mcp?collection=shop", conversation)
    assert refused.is_error
    assert "This connection is for 'shop'" in str(refused.content)


def test_status_names_the_collections_that_a_connection_may_ask(address: str) -> None:
    async def conversation(client: Client) -> tuple[list[str], list[str]]:
        now = await client.call_tool("status", {"collection": "farm"})
        listed = await client.list_resources()
        more = await client.list_resources(cursor=listed.next_cursor)
        assert isinstance(now.structured_content, dict)
        assert now.structured_content["name"] == "farm"
        files = [*listed.resources, *more.resources]
        return now.structured_content["collections"], [str(one.uri) for one in files]

    names, addresses = talk(f"{address}/mcp", conversation)

    assert names == ["shop", "farm"]
    assert addresses == ["trivium://shop/guide.md", "trivium://farm/guide.md"]


@pytest.mark.parametrize(
    ("query", "said"),
    [("tools=memry", "memory"), ("colection=shop", "collection")],
)
def test_an_address_that_asks_for_what_is_not_there_is_refused(
    address: str, query: str, said: str
) -> None:
    answer = httpx.post(
        f"{address}/mcp?{query}",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={"Accept": "application/json, text/event-stream"},
    )

    assert said in answer.text


def raw(address: str, **headers: str) -> httpx.Response:
    message: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": OLD,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    accepts = {"Accept": "application/json, text/event-stream", **headers}
    return httpx.post(f"{address}/mcp", json=message, headers=accepts)


def test_an_older_protocol_is_spoken_to_who_asks_for_it(address: str) -> None:
    answer = raw(address)

    assert answer.status_code == 200
    assert f'"protocolVersion":"{OLD}"' in answer.text
    assert '"name":"trivium"' in answer.text


def test_a_page_from_elsewhere_may_not_use_it(address: str) -> None:
    assert raw(address, Origin="http://evil.example").status_code == 403
    assert raw(address, Host="evil.example").status_code == 403


def test_there_is_no_stream_to_listen_to(address: str) -> None:
    assert httpx.get(f"{address}/mcp").status_code == 405


def test_a_server_that_needs_a_token_needs_it_here_too(folders: list[Path]) -> None:
    made = subprocess.run(
        [sys.executable, "-c", SERVE, "token", "add", "agent"],
        env=environ(folders),
        capture_output=True,
        text=True,
        check=True,
    )
    token = made.stdout.strip()
    for address in served(folders, "--require-token"):
        assert raw(address).status_code == 401
        assert raw(address, Authorization=f"Bearer {token}").status_code == 200


def test_a_token_that_may_read_writes_nothing_and_one_that_may_write_does(
    folders: list[Path],
) -> None:
    tokens = {}
    for scope in ("read", "write"):
        made = subprocess.run(
            [sys.executable, "-c", SERVE, "token", "add", f"memory {scope}", "--scope", scope],
            env=environ(folders),
            capture_output=True,
            text=True,
            check=True,
        )
        tokens[scope] = made.stdout.strip()

    def sent(address: str, scope: str, method: str, **params: object) -> dict[str, Any]:
        answer = httpx.post(
            f"{address}/mcp?tools=memory",
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            headers={
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": OLD,
                "Authorization": f"Bearer {tokens[scope]}",
            },
        )
        line = next(one for one in answer.text.splitlines() if one.startswith(("data: {", "{")))
        return dict(json.loads(line.removeprefix("data: "))["result"])

    note = {"title": "Why", "content": "Because."}
    for address in served(folders, "--require-token"):
        seen = {
            scope: {one["name"] for one in sent(address, scope, "tools/list")["tools"]}
            for scope in tokens
        }
        refused = sent(address, "read", "tools/call", name="notes_create", arguments=note)
        assert not list(folders[0].glob(".trivium/notes/*"))
        written = sent(address, "write", "tools/call", name="notes_create", arguments=note)
        read = sent(address, "read", "tools/call", name="notes_get", arguments={"noteId": "why"})

    assert seen["write"] - seen["read"] >= {"notes_create", "tasks_bulk_delete", "skills_update"}
    assert "notes_get" in seen["read"]
    assert refused["isError"] is True
    assert written["structuredContent"]["noteId"] == "note:why"
    assert read["structuredContent"]["content"] == "Because."


def test_an_unknown_tool_is_an_error_of_the_protocol(address: str) -> None:
    async def conversation(client: Client) -> int:
        try:
            await client.call_tool("delete_everything", {})
        except MCPError as error:
            return error.code
        return 0

    assert talk(f"{address}/mcp", conversation) == -32601


def test_an_address_of_a_collection_that_is_not_there_is_404(address: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    refused = httpx.post(f"{address}/mcp?collection=zzz", json=message)

    assert refused.status_code == 404
    assert "'zzz'" in refused.json()["error"]["message"]
    assert "'shop', 'farm'" in refused.json()["error"]["message"]
