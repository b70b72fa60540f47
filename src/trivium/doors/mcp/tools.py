"""A folder -> an MCP server with the tools `search`, `fetch`, `related` and `context`.

Nothing of the engine is imported before the first call, so that a host that starts many
servers gets its list of tools at once. The first call goes through the folder and reports
progress; embedding then goes on in the background.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    METHOD_NOT_FOUND,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from trivium import __version__
from trivium.doors import answers
from trivium.doors.answers import ContextRequest, McpFetch, McpRelated, McpSearch
from trivium.doors.mcp import schema
from trivium.doors.mcp.budget import Reply, fit, fit_context
from trivium.errors import TriviumError

if TYPE_CHECKING:
    from trivium.doors.upkeep import Progress, Upkeep

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]
Call = Callable[[Mapping[str, object], "Progress"], Reply]

_INSTRUCTIONS = (
    "Searches one folder of code and documents by words and meaning. Use search to find "
    "functions, classes, sections and files; use fetch with a hit's id to read its whole text; "
    "use related with a hit's id to see what is like it or belongs to it; "
    "use context to read the most useful lines about a question at once, within maxTokens."
)
# An agent asks one thing at a time; a few threads serve one that asks in parallel.
_WORKERS = 4
_NOTICE_WAIT_S = 1.0


class Tools:
    """The tools over one folder; opens its collection at the first call."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="trivium tool")
        self._opening = threading.Lock()
        self._upkeep: Upkeep | None = None
        self._calls: Mapping[str, Call] = {
            "search": self._search,
            "fetch": self._fetch,
            "related": self._related,
            "context": self._context,
        }

    def server(self) -> Server[Any]:
        """Return the server that offers these tools."""
        return Server(
            "trivium",
            version=__version__,
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    def stop(self) -> None:
        """Ask what is running to end; return at once."""
        if self._upkeep is not None:
            self._upkeep.stop()

    def close(self) -> None:
        """Stop, wait for what is running and let go of the collection."""
        self.stop()
        self._workers.shutdown(cancel_futures=True)
        if self._upkeep is not None:
            self._upkeep.close()

    async def _list(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=offered())

    async def _call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        call = self._calls.get(params.name)
        if call is None:
            raise MCPError(METHOD_NOT_FOUND, f"Unknown tool: {params.name}")
        loop = asyncio.get_running_loop()
        progress = _reporting(context, loop)
        arguments = params.arguments if params.arguments is not None else {}
        try:
            reply = await loop.run_in_executor(self._workers, call, arguments, progress)
        except TriviumError as error:
            return _failed(str(error))
        except Exception as error:  # noqa: BLE001 - a door: whatever it was, the agent is told
            # The message of an unknown error may hold a query; where it arose does not.
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s in %s\n%s", type(error).__name__, params.name, where)  # noqa: TRY400
            return _failed(f"Unexpected {type(error).__name__}. The server's log says where.")
        return CallToolResult(
            content=[TextContent(type="text", text=reply.text)], structured_content=reply.data
        )

    def _search(self, arguments: Mapping[str, object], progress: Progress) -> Reply:
        request = answers.read(McpSearch, arguments)
        upkeep = self._opened(progress)
        from trivium.results import present

        answer = upkeep.search(request.asked())
        return fit(present.as_data(answer), max_tokens=request.max_tokens)

    def _fetch(self, arguments: Mapping[str, object], progress: Progress) -> Reply:
        request = answers.read(McpFetch, arguments)
        item = self._opened(progress).get(request.id)
        source = item.node.source
        head = f"{source.file_path}:{source.start_line}-{source.end_line}  {item.node.id}"
        return Reply(answers.item_data(item), f"{head}\n\n{item.text}")

    def _related(self, arguments: Mapping[str, object], progress: Progress) -> Reply:
        request = answers.read(McpRelated, arguments)
        upkeep = self._opened(progress)
        from trivium.results import present

        answer = upkeep.related(request.id, limit=request.limit)
        return fit(present.as_data(answer), max_tokens=request.max_tokens)

    def _context(self, arguments: Mapping[str, object], progress: Progress) -> Reply:
        request = answers.read(ContextRequest, arguments)
        upkeep = self._opened(progress)
        asked = request.asked()
        return fit_context(
            lambda most: upkeep.context(asked, max_tokens=most), max_tokens=request.max_tokens
        )

    def _opened(self, progress: Progress) -> Upkeep:
        """Return the collection, having been through the folder once."""
        with self._opening:
            upkeep = self._upkeep
            is_first = upkeep is None
            if upkeep is None:
                from trivium.collection import open_collection
                from trivium.doors.upkeep import Upkeep

                upkeep = Upkeep(open_collection(self._folder))
                self._upkeep = upkeep
        if is_first:
            upkeep.sync_first(progress)
            upkeep.start()
        return upkeep


def offered() -> list[Tool]:
    """Return the tools, always in this order."""
    return [
        Tool(
            name="search",
            title="Search the folder",
            description=(
                "Find code, documents and files by words and meaning, best first. Each hit has "
                "an id for fetch, its place and the lines that matched."
            ),
            input_schema=schema.search_input(),
            output_schema=schema.ANSWER,
            annotations=_reads_only("Search the folder"),
        ),
        Tool(
            name="fetch",
            title="Read one result",
            description="Return the whole text of a hit, by its id.",
            input_schema=schema.fetch_input(),
            output_schema=schema.ITEM,
            annotations=_reads_only("Read one result"),
        ),
        Tool(
            name="related",
            title="Find what is like a result",
            description=(
                "Return what is like a hit, by its id: near in meaning, linked with it (calls, "
                "imports, mentions) or with the same. Nearly the same text is marked duplicate."
            ),
            input_schema=schema.related_input(),
            output_schema=schema.ANSWER,
            annotations=_reads_only("Find what is like a result"),
        ),
        Tool(
            name="context",
            title="Read about a question",
            description=(
                "Return the most useful lines about a question that fit into maxTokens, from "
                "several files at once: whole functions and sections where they fit, and the "
                "heads of what they call. Each piece says its path and lines."
            ),
            input_schema=schema.context_input(),
            output_schema=schema.CONTEXT,
            annotations=_reads_only("Read about a question"),
        ),
    ]


def _reads_only(title: str) -> ToolAnnotations:
    return ToolAnnotations(
        title=title,
        read_only_hint=True,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    )


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


def _reporting(context: Context, loop: asyncio.AbstractEventLoop) -> Progress:
    """Return a progress function for a worker thread: one notice per whole percent."""
    last = -1

    def report(stage: str, done: int, total: int) -> None:
        nonlocal last
        percent = 100 * done // total if total else last
        if percent == last or loop.is_closed():
            return
        last = percent
        notice = context.session.report_progress(done, total, f"{stage}: {done:,} of {total:,}")
        sent = asyncio.run_coroutine_threadsafe(notice, loop)
        try:
            # Waited for, so that none comes after the result it announces.
            sent.result(timeout=_NOTICE_WAIT_S)
        except Exception as error:  # noqa: BLE001 - a notice is a courtesy; the work goes on
            sent.cancel()
            log.debug("progress not sent: %s", type(error).__name__)

    return report
