from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND, CallToolResult, TextContent

import trivium

Result = TypeVar("Result")

LAUNCH = (
    "import sys; from trivium.doors.mcp.serve import run; "
    "run(folders=sys.argv[1:2], tools=sys.argv[2:])"
)
TRIES = 1200
GREETING: list[dict[str, object]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "auth.py").write_text(
        'def hash_password(text: str) -> str:\n    """Hash a password with salt."""\n'
        "    return text[::-1]\n",
        encoding="utf-8",
    )
    (folder / "guide.md").write_text(
        "# Guide\n\nHow to reset a password.\n\n## Cats\n\nA tabby sleeps on the warm roof.\n",
        encoding="utf-8",
    )
    return folder


def environ(folder: Path, *, model: str = "none") -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": model,
        # The tree under test: a client gives its server nothing of its own environment.
        "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
    }


def talk(
    folder: Path,
    conversation: Callable[[Client], Awaitable[Result]],
    *,
    model: str = "none",
    is_old: bool = False,
) -> Result:
    """Hold a conversation with a server of its own process."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", LAUNCH, str(folder)],
        env=environ(folder, model=model),
    )

    async def held() -> Result:
        async with Client(server, mode="legacy" if is_old else "auto") as client:
            return await conversation(client)

    return asyncio.run(held())


def call(folder: Path, tool: str, **arguments: object) -> CallToolResult:
    return talk(folder, lambda client: client.call_tool(tool, arguments))


def text_of(result: CallToolResult) -> str:
    (only,) = result.content
    assert isinstance(only, TextContent)
    return only.text


def data_of(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@pytest.mark.parametrize("is_old", [False, True])
def test_a_client_of_either_protocol_lists_searches_and_fetches(shop: Path, is_old: bool) -> None:
    async def conversation(client: Client) -> tuple[list[str], CallToolResult, CallToolResult]:
        tools = await client.list_tools()
        found = await client.call_tool("search", {"query": "hash password", "limit": 1})
        read = await client.call_tool("fetch", {"id": data_of(found)["results"][0]["id"]})
        return [tool.name for tool in tools.tools], found, read

    names, found, read = talk(shop, conversation, is_old=is_old)

    assert names == ["search", "fetch", "related", "context", "status"]
    assert [hit["id"] for hit in data_of(found)["results"]] == ["code:auth.py#hash_password"]
    assert "auth.py:1  code:auth.py#hash_password" in text_of(found)
    assert data_of(read)["text"].startswith("def hash_password")
    assert "return text[::-1]" in text_of(read)


def test_a_chunk_can_be_fetched_too(shop: Path) -> None:
    read = call(shop, "fetch", id="code:auth.py#hash_password@0")

    assert data_of(read)["id"] == "code:auth.py#hash_password"


def test_nothing_found_is_not_an_error(shop: Path) -> None:
    result = call(shop, "search", query="xyzzyplugh")

    assert data_of(result)["results"] == []
    assert text_of(result).startswith('No results found for "xyzzyplugh".')


def test_an_unknown_id_is_an_error_of_the_tool(shop: Path) -> None:
    result = call(shop, "fetch", id="x")

    assert (result.is_error, text_of(result)) == (True, "Chunk not found: x")


def test_wrong_arguments_are_an_error_of_the_tool_that_names_them(shop: Path) -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"query": "cat", "limitt": 3}, "'limitt'. Did you mean 'limit'"),
        ({"query": "cat", "limit": 0}, "limit"),
        ({"query": "cat", "limit": 3, "top_k": 4}, "limit and top_k"),
        ({"query": "cat", "profile": "bset"}, "'best'"),
        ({"query": "cat", "filters": {"lnag": "go"}}, "'lang'"),
        ({"query": "cat", "maxTokens": 5}, "maxTokens is 5"),
        ({}, "query"),
    ]

    async def conversation(client: Client) -> list[CallToolResult]:
        return [await client.call_tool("search", arguments) for arguments, _ in wrong]

    for result, (arguments, named) in zip(talk(shop, conversation), wrong, strict=True):
        assert result.is_error, arguments
        assert named in text_of(result)


def test_an_unknown_tool_is_an_error_of_the_protocol(shop: Path) -> None:
    async def conversation(client: Client) -> int:
        with pytest.raises(MCPError, match="Unknown tool: delete_everything") as caught:
            await client.call_tool("delete_everything", {})
        return caught.value.code

    assert talk(shop, conversation) == METHOD_NOT_FOUND


def test_a_budget_is_kept_and_the_text_says_what_is_missing(shop: Path) -> None:
    async def conversation(client: Client) -> tuple[CallToolResult, CallToolResult]:
        whole = await client.call_tool("search", {"query": "password"})
        return whole, await client.call_tool("search", {"query": "password", "maxTokens": 300})

    whole, small = talk(shop, conversation)

    written = json.dumps(data_of(small), ensure_ascii=False, separators=(",", ":"))
    assert math.ceil((len(written) + len(text_of(small))) / 4) <= 300
    assert len(data_of(small)["results"]) < len(data_of(whole)["results"])
    assert "Truncated to maxTokens" in text_of(small)


@pytest.mark.parametrize("most", [300, 1000, 4000])
def test_a_context_is_packed_into_the_budget_with_its_places(shop: Path, most: int) -> None:
    packed = call(shop, "context", query="hash password", maxTokens=most)

    data, text = data_of(packed), text_of(packed)
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert math.ceil((len(written) + len(text)) / 4) <= most == data["maxTokens"]
    first = data["pieces"][0]
    assert (first["path"], first["id"]) == ("auth.py", "code:auth.py#hash_password")
    assert "def hash_password" in text


def test_a_budget_that_holds_no_context_is_an_error_that_says_what_it_takes(shop: Path) -> None:
    packed = call(shop, "context", query="hash password", maxTokens=20)

    assert packed.is_error
    assert "maxTokens is 20; this answer takes" in text_of(packed)


def test_an_agent_may_ask_for_every_node_of_a_file(shop: Path) -> None:
    result = call(shop, "search", query="hash password", group="nodes")

    assert result.is_error
    assert "file, node, none" in text_of(result)


def test_the_first_call_reports_its_progress(shop: Path) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert message is not None
        seen.append((progress, total))

    talk(
        shop,
        lambda client: client.call_tool("search", {"query": "tabby"}, progress_callback=note),
    )

    done = [progress for progress, _ in seen]
    assert (done[0], done[-1]) == (0, 100)
    assert done == sorted(set(done))
    assert {total for _, total in seen} == {100}


def test_calls_made_at_once_are_all_answered(shop: Path) -> None:
    async def conversation(client: Client) -> list[CallToolResult]:
        asked = [client.call_tool("search", {"query": "tabby"}) for _ in range(12)]
        await asyncio.gather(*asked)
        return [await client.call_tool("search", {"query": "tabby"})]

    (after,) = talk(shop, conversation)

    assert [hit["id"] for hit in data_of(after)["results"]] == ["doc:guide.md#Cats"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_transcript_of_an_older_protocol_is_answered_in_it(shop: Path, version: str) -> None:
    greeting = json.loads(json.dumps(GREETING[0]))
    greeting["params"]["protocolVersion"] = version
    asked: dict[str, object] = {"name": "search", "arguments": {"query": "tabby"}}
    said = [
        greeting,
        GREETING[1],
        {"id": 2, "method": "tools/call", "params": asked},
        {"id": 3, "method": "ping"},
    ]
    replies = transcript(shop, said)

    assert replies[1]["result"]["protocolVersion"] == version
    found = replies[2]["result"]
    assert found["structuredContent"]["results"][0]["id"] == "doc:guide.md#Cats"
    assert found["content"][0]["type"] == "text"
    assert replies[3]["result"] == {}


def transcript(folder: Path, said: list[dict[str, object]]) -> dict[int, dict[str, Any]]:
    """Write messages, all at once, and return the answers by their ids."""
    wanted = {message["id"] for message in said if "id" in message}
    replies: dict[int, dict[str, Any]] = {}
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(folder)],
        env=environ(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in said:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        while wanted - set(replies):
            reply = json.loads(process.stdout.readline())
            if "id" in reply:
                replies[reply["id"]] = reply
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    return replies


@pytest.mark.parametrize(
    ("sets", "first"),
    [("xplor", "search"), ("rag", "search"), ("core,graph", "search"), ("rag,graph", "search")],
)
def test_a_server_offers_the_sets_it_was_started_with(shop: Path, sets: str, first: str) -> None:
    listed: list[dict[str, object]] = [*GREETING[:2], {"id": 2, "method": "tools/list"}]
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(shop), sets],
        env=environ(shop),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        wire = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in listed)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(wire)
        process.stdin.flush()
        replies = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        process.wait(timeout=60)

    names = [tool["name"] for tool in replies[1]["result"]["tools"]]
    assert names[0] == first
    assert ("files_search" in names) == ("graph" in sets)


def test_the_wire_carries_json_alone_and_its_end_ends_the_process(
    shop: Path, tmp_path: Path
) -> None:
    asked: dict[str, object] = {"name": "search", "arguments": {"query": "a"}}
    conversation = [*GREETING, {"id": 3, "method": "tools/call", "params": asked}]
    log = tmp_path / "log"
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(shop)],
            env=environ(shop),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        replies = []
        for message in conversation:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
            if "id" in message:
                replies.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
        ended = process.wait(timeout=60)

    assert [reply["id"] for reply in replies] == [1, 2, 3]
    assert [tool["name"] for tool in replies[1]["result"]["tools"]] == [
        "search",
        "fetch",
        "related",
        "context",
        "status",
    ]
    assert (ended, rest, log.read_text(encoding="utf-8")) == (0, "", "")


def test_tools_are_listed_before_anything_heavy_is_imported(shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "imports"
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            [sys.executable, "-X", "importtime", "-c", LAUNCH, str(shop)],
            env=environ(shop),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        for message in GREETING:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
        while json.loads(process.stdout.readline()).get("id") != 2:
            pass
        process.stdin.close()
        process.wait(timeout=60)

    imported = {line.rpartition("|")[2].strip() for line in log.read_text("utf-8").splitlines()}
    assert "trivium.doors.mcp.server" in imported
    assert not imported & {"numpy", "tantivy", "onnxruntime", "tree_sitter", "trivium.collection"}


@pytest.mark.skipif(
    importlib.util.find_spec("trivium_minilm") is None, reason="the model is not installed"
)
def test_meaning_fills_in_behind_the_first_answer(shop: Path) -> None:
    pause = threading.Event()

    async def conversation(client: Client) -> tuple[CallToolResult, CallToolResult]:
        first = await client.call_tool("search", {"query": "where does the kitten nap"})
        for _ in range(TRIES):
            later = await client.call_tool("search", {"query": "where does the kitten nap"})
            if data_of(later)["method"] == "hybrid":
                break
            await asyncio.to_thread(pause.wait, 0.05)
        return first, later

    first, later = talk(shop, conversation, model="minilm")

    assert not first.is_error
    assert data_of(later)["method"] == "hybrid"
    assert data_of(later)["results"][0]["id"] == "doc:guide.md#Cats"
