"""Collections -> an ASGI application: search, context, nodes, health.

Each endpoint reads a request, puts one call to the collection in a worker thread and
writes the answer. Nothing of a query is logged above DEBUG.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trivium import __version__
from trivium.doors import answers
from trivium.doors.answers import Data, HttpCollection, HttpContext, HttpRelated, HttpSearch
from trivium.doors.failures import RequestInvalid
from trivium.doors.hosting import Hosting
from trivium.doors.http import reply
from trivium.doors.http.body import TOO_LARGE, json_body, query_data, wants_xplor
from trivium.doors.http.guard import Guard
from trivium.errors import TriviumError
from trivium.results import present
from trivium.results.present_context import context_data

log = logging.getLogger(__name__)

Result = TypeVar("Result")
Endpoint = Callable[[Request], Awaitable[Response]]

# Searches that run at once; more wait their turn. The threads stay: each holds its own
# open connection to the index.
_WORKERS = 8
_NOT_FOUND = 404
_WRONG_METHOD = 405


class _AnyText(Convertor[str]):
    """An id in a path: any characters, also slashes and line breaks."""

    regex = r"[\s\S]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("any", _AnyText())


def build(hosting: Hosting, *, port: int) -> Starlette:
    """Return the application; it starts and stops the collections with itself."""
    workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="trivium search")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        hosting.start()
        try:
            yield
        finally:
            hosting.stop()
            workers.shutdown(cancel_futures=True)
            hosting.close()

    doors = _Endpoints(hosting, workers)
    return Starlette(
        routes=[
            Route("/api/search", _guarded(doors.search), methods=["GET", "POST"]),
            Route("/api/context", _guarded(doors.post_context), methods=["POST"]),
            Route("/api/related", _guarded(doors.get_related), methods=["GET"]),
            Route("/api/nodes/{id:any}", _guarded(doors.get_node), methods=["GET"]),
            Route("/health", _guarded(doors.get_health), methods=["GET"]),
        ],
        middleware=[Middleware(_AccessLog), Middleware(Guard, port=port)],
        exception_handlers={HTTPException: _http_failure},
        lifespan=lifespan,
    )


class _Endpoints:
    """What can be asked for."""

    def __init__(self, hosting: Hosting, workers: ThreadPoolExecutor) -> None:
        self._hosting = hosting
        self._workers = workers

    async def search(self, request: Request) -> Response:
        """Search; one route, so that a wrong method is told both right ones."""
        is_post = request.method == "POST"
        return await (self.post_search(request) if is_post else self.get_search(request))

    async def post_search(self, request: Request) -> Response:
        """Search; the request is a JSON object."""
        beside = query_data(request.query_params)
        is_xplor = wants_xplor(beside)
        if beside:
            raise RequestInvalid(f"{next(iter(beside))!r} belongs in the body, not in the address.")
        asked = answers.read(HttpSearch, await json_body(request))
        return await self._search(asked, is_xplor=is_xplor)

    async def get_search(self, request: Request) -> Response:
        """Search; the request is the query string."""
        data = query_data(request.query_params)
        is_xplor = wants_xplor(data)
        asked = answers.read(HttpSearch, data, is_text=True)
        return await self._search(asked, is_xplor=is_xplor)

    async def post_context(self, request: Request) -> Response:
        """Pack what answers a question into a number of tokens; the request is a JSON object."""
        beside = query_data(request.query_params)
        if beside:
            raise RequestInvalid(f"{next(iter(beside))!r} belongs in the body, not in the address.")
        wanted = answers.read(HttpContext, await json_body(request))
        asked = wanted.asked()
        log.debug("context: %r", asked)
        packed = await self._in_worker(
            lambda: self._hosting.upkeep(wanted.collection).context(
                asked, max_tokens=wanted.max_tokens
            )
        )
        return reply.found(context_data(packed))

    async def get_related(self, request: Request) -> Response:
        """Return what is like one node; the request is the query string."""
        data = query_data(request.query_params)
        wanted = answers.read(HttpRelated, data, is_text=True)
        answer = await self._in_worker(
            lambda: self._hosting.upkeep(wanted.collection).related(wanted.id, limit=wanted.limit)
        )
        return reply.found(present.as_data(answer))

    async def get_node(self, request: Request) -> Response:
        """Return one node or chunk with its text."""
        wanted: str = request.path_params["id"]
        data = query_data(request.query_params)
        where = answers.read(HttpCollection, data, is_text=True).collection
        item = await self._in_worker(lambda: self._hosting.upkeep(where).get(wanted))
        return reply.found(answers.item_data(item))

    async def get_health(self, _: Request) -> Response:
        """Say that the server is up, and whether it has been through its folder."""
        default = self._hosting.upkeep()
        data: Data = {
            "status": "ok" if default.is_ready else "indexing",
            "version": __version__,
            "collection": default.name,
        }
        return reply.found(data)

    async def _search(self, request: HttpSearch, *, is_xplor: bool) -> Response:
        asked = request.asked()
        log.debug("search: %r", asked)
        answer = await self._in_worker(
            lambda: self._hosting.upkeep(request.collection).search(asked)
        )
        data = present.as_data(answer)
        return reply.found(answers.as_xplor(data) if is_xplor else data)

    async def _in_worker(self, call: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._workers, call)


def _guarded(endpoint: Endpoint) -> Endpoint:
    """Turn errors of ours into their statuses, and others into 500 without their words."""

    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except TriviumError as error:
            return reply.refused(error)
        except HTTPException:
            raise
        except Exception as error:  # noqa: BLE001 - a door: whatever it was, the client gets JSON
            # The message of an unknown error may hold a query; where it arose does not.
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s in %s\n%s", type(error).__name__, request.scope["path"], where)  # noqa: TRY400
            log.debug("its message: %s", error)
            message = f"Unexpected {type(error).__name__}. The server's log says where."
            return reply.failed("InternalError", message, status=500)

    return answered


async def _http_failure(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    headers = error.headers or {}
    kind, message = "RequestRefused", error.detail
    if error.status_code == _NOT_FOUND:
        kind, message = (
            "NotFound",
            "Nothing here. There are /api/search, /api/context, /api/related, /api/nodes/ID "
            "and /health.",
        )
    elif error.status_code == _WRONG_METHOD:
        kind, message = (
            "MethodNotAllowed",
            f"{request.method} is not for this. Use {headers['Allow']}.",
        )
    elif error.status_code == TOO_LARGE:
        kind = "BodyTooLarge"
    return reply.failed(kind, message, status=error.status_code, headers=headers)


class _AccessLog:
    """One line per request, without the query string."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                took_ms = 1000 * (time.perf_counter() - started)
                place = scope["path"].encode("unicode_escape").decode()
                log.info("%s %s %s %.1f ms", scope["method"], place, message["status"], took_ms)
            await send(message)

        await self._app(scope, receive, noting)
