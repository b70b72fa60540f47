"""Collections -> `/mcp` of an HTTP server: the same tools, over streamable HTTP.

Nothing is kept between requests, so that any server may answer any of them. The guard, tokens
and rate of the server come before it. The SDK is imported with the first request.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from trivium.doors.http import reply
from trivium.doors.http.access import access_of, require
from trivium.doors.tokens import Right
from trivium.errors import MissingExtra, TriviumError, UsageError, unknown

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from trivium.doors.hosting import Hosting
    from trivium.doors.mcp import server

PATH = "/mcp"
# What an address may say: /mcp?tools=core,graph&collection=shop
_TOOLS, _COLLECTION = "tools", "collection"
# As much as a note may be over HTTP.
_MOST_BYTES = 5_000_000
_WORKERS = 4


class Mounted:
    """`/mcp` over the collections of a server."""

    def __init__(self, hosting: Hosting) -> None:
        self._hosting = hosting
        self._running: asyncio.Task[None] | None = None
        self._begun: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._is_over = asyncio.Event()

    def routes(self) -> list[Route]:
        """Return the route; there is no stream to listen to and no session to end."""
        return [Route(PATH, self, methods=["POST"])]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one message."""
        request = Request(scope, receive)
        try:
            require(request, Right.READ)
            self._check_asked(request)
            manager = await self._started()
        except TriviumError as error:
            await reply.refused(error)(scope, receive, send)
            return
        await manager.handle_request(scope, receive, send)

    def _check_asked(self, request: Request) -> None:
        """Refuse what an address cannot say. Raises UsageError, NotFound."""
        known = (_TOOLS, _COLLECTION)
        for name in request.query_params:
            if name not in known:
                raise UsageError(unknown("key", name, known))
        collection = request.query_params.get(_COLLECTION)
        if collection is not None:
            self._hosting.folder(collection)

    async def close(self) -> None:
        """Let go of what was begun."""
        self._is_over.set()
        if self._running is not None:
            await self._running

    async def _started(self) -> StreamableHTTPSessionManager:
        """Return what takes messages, begun at the first of them. Raises MissingExtra."""
        if self._begun is None:
            self._begun = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._begun))
        return await asyncio.shield(self._begun)

    async def _run(self, begun: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        """Hold open what must be opened and closed by one task."""
        try:
            # Half a second of imports, which other requests need not wait for.
            await asyncio.to_thread(importlib.import_module, "trivium.doors.mcp.server")
        except ModuleNotFoundError as error:
            missing = MissingExtra(PATH, extra="mcp")
            missing.__cause__ = error
            begun.set_exception(missing)
            return
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from trivium.doors.mcp.desk import Desk
        from trivium.doors.mcp.server import Service

        service = Service(Desk(self._hosting), scope_of=scope_of, workers=_WORKERS)
        manager = StreamableHTTPSessionManager(
            service.server(), stateless=True, max_request_body_size=_MOST_BYTES
        )
        try:
            async with manager.run():
                begun.set_result(manager)
                await self._is_over.wait()
        finally:
            service.close()


def scope_of(context: server.Context) -> server.Scope:
    """Return what the address of a request and its token allow. Raises UsageError."""
    from trivium.doors.mcp import sets
    from trivium.doors.mcp.server import Scope

    request: Any = context.request
    asked = {} if request is None else request.query_params
    may_write = request is None or access_of(request).may(Right.WRITE)
    return Scope(sets.named([asked.get(_TOOLS, "")]), asked.get(_COLLECTION), may_write)
