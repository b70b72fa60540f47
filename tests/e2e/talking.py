"""One MCP server for many calls, in a process of its own, as `trivium mcp` starts it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client, StdioServerParameters


@dataclass(frozen=True, slots=True)
class Talk:
    """A client that lives in the loop of another thread."""

    client: Client
    loop: asyncio.AbstractEventLoop

    def call(self, tool: str, given: Mapping[str, object]) -> dict[str, Any]:
        """Return what a tool answers; an error fails the test."""
        asked = self.client.call_tool(tool, dict(given))
        result = asyncio.run_coroutine_threadsafe(asked, self.loop).result(timeout=120)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content


@contextmanager
def talking(server: StdioServerParameters) -> Iterator[Talk]:
    """Start a server, to be called from a test that is no coroutine; it ends with the block."""
    begun: Future[Talk] = Future()
    end = threading.Event()

    async def hold() -> None:
        try:
            async with Client(server) as client:
                begun.set_result(Talk(client, asyncio.get_running_loop()))
                await asyncio.to_thread(end.wait)
        except BaseException as error:
            if not begun.done():
                begun.set_exception(error)
            raise

    thread = threading.Thread(target=asyncio.run, args=(hold(),))
    thread.start()
    try:
        yield begun.result(timeout=120)
    finally:
        end.set()
        thread.join()
