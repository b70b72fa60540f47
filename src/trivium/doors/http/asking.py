"""search, context, related, nodes, file and neighbors: questions about what is indexed.

Each reads a request, puts one call to the collection in a worker thread and writes the answer.
Nothing of a query is logged above DEBUG.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.doors import answers, finding, together
from trivium.doors.answers import Data, HttpCollection, HttpContext, HttpRelated, HttpSearch
from trivium.doors.failures import RequestInvalid
from trivium.doors.http import reply
from trivium.doors.http.body import json_body, no_query, query_data, wants_xplor
from trivium.doors.http.fresh import etag, is_known
from trivium.doors.http.requests import HttpFile, HttpNeighbors
from trivium.doors.http.service import Service, Slow, route
from trivium.doors.http.shapes import file_data, surroundings_data, types_of
from trivium.doors.tokens import Right
from trivium.doors.upkeep import Upkeep
from trivium.results import present
from trivium.results.present_context import context_data

log = logging.getLogger(__name__)

_SLOW_MS = 100.0


class _AnyText(Convertor[str]):
    """An id in a path: any characters, also slashes and line breaks."""

    regex = r"[\s\S]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("any", _AnyText())


class Asking:
    """What can be asked."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        """Return the addresses."""
        read = Right.READ
        return [
            route(
                "/api/search", {"GET": (self.get_search, read), "POST": (self.post_search, read)}
            ),
            route("/api/context", {"POST": (self.post_context, read)}),
            route("/api/related", {"GET": (self.get_related, read)}),
            route("/api/nodes/{id:any}", {"GET": (self.get_node, read)}),
            route("/api/file", {"GET": (self.get_file, read)}),
            route("/api/neighbors", {"GET": (self.get_neighbors, read)}),
        ]

    async def post_search(self, request: Request) -> Response:
        """Search; the request is a JSON object."""
        beside = query_data(request.query_params)
        is_xplor = wants_xplor(beside)
        if beside:
            raise RequestInvalid(f"{next(iter(beside))!r} belongs in the body, not in the address.")
        wanted = answers.read(HttpSearch, await json_body(request))
        return await self._search(request, wanted, is_xplor=is_xplor)

    async def get_search(self, request: Request) -> Response:
        """Search; the request is the query string."""
        data = query_data(request.query_params)
        is_xplor = wants_xplor(data)
        wanted = answers.read(HttpSearch, data, is_text=True)
        return await self._search(request, wanted, is_xplor=is_xplor)

    async def post_context(self, request: Request) -> Response:
        """Pack what answers a question into a number of tokens; the request is a JSON object."""
        no_query(request)
        wanted = answers.read(HttpContext, await json_body(request))
        asked = wanted.asked()
        log.debug("context: %r", asked)

        def packed(upkeep: Upkeep) -> Data:
            return context_data(upkeep.context(asked, max_tokens=wanted.max_tokens))

        return await self._of(request, wanted, packed)

    async def get_related(self, request: Request) -> Response:
        """Return what is like one node."""
        wanted = answers.read(HttpRelated, query_data(request.query_params), is_text=True)

        def found(upkeep: Upkeep) -> Data:
            return present.as_data(upkeep.related(wanted.id, limit=wanted.limit))

        return await self._of(request, wanted, found, about=wanted.id)

    async def get_node(self, request: Request) -> Response:
        """Return one node or chunk with its text, by its id, path, only name or address."""
        node: str = request.path_params["id"]
        wanted = answers.read(HttpCollection, query_data(request.query_params), is_text=True)

        def found(upkeep: Upkeep) -> Data:
            return answers.item_data(upkeep.get(node))

        return await self._of(request, wanted, found, about=node)

    async def get_file(self, request: Request) -> Response:
        """Return lines of a file, as they were taken in."""
        wanted = answers.read(HttpFile, query_data(request.query_params), is_text=True)

        def lines(upkeep: Upkeep) -> Data:
            content = upkeep.collection.file(wanted.path)
            return file_data(content, start=wanted.start, end=wanted.end)

        return await self._of(request, wanted, lines)

    async def get_neighbors(self, request: Request) -> Response:
        """Return a node and what is linked with it, as a graph."""
        wanted = answers.read(HttpNeighbors, query_data(request.query_params), is_text=True)
        types = types_of(wanted.types)

        def around(upkeep: Upkeep) -> Data:
            collection = upkeep.collection
            found = finding.node_id(collection, wanted.id)
            return surroundings_data(
                collection.surroundings(found, depth=wanted.depth, types=types, limit=wanted.limit)
            )

        return await self._of(request, wanted, around, about=wanted.id)

    async def _search(self, request: Request, wanted: HttpSearch, *, is_xplor: bool) -> Response:
        asked = wanted.asked()
        log.debug("search: %r", asked)

        def found(kept: Sequence[Upkeep]) -> Data:
            answer = together.search(kept, asked)
            if answer.took_ms > _SLOW_MS:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                for one in kept:
                    self._service.note_slow(one.name, Slow(answer.took_ms, asked.query, now))
            data = present.as_data(answer)
            return answers.as_xplor(data) if is_xplor else data

        return await self._from(request, wanted.named, found)

    async def _of(
        self,
        request: Request,
        wanted: HttpCollection | HttpContext | HttpRelated,
        make: Callable[[Upkeep], Data],
        *,
        about: str = "",
    ) -> Response:
        """Answer from one collection: that which is named, or which has what it is `about`."""
        hosting = self._service.hosting
        named = finding.collection_of(about, wanted.collection)

        def work() -> Response:
            upkeep = hosting.upkeep(named)
            if about and named is None:
                others = [name for name in hosting.names if name != upkeep.name]
                upkeep = finding.holder(upkeep, lambda: map(hosting.upkeep, others), about)
            return _answered(request, [upkeep], one)

        def one(kept: Sequence[Upkeep]) -> Data:
            return make(kept[0])

        return await self._service.workers.run(request, work)

    async def _from(
        self,
        request: Request,
        named: Sequence[str],
        make: Callable[[Sequence[Upkeep]], Data],
    ) -> Response:
        """Answer from the collections that are named."""
        hosting = self._service.hosting

        def work() -> Response:
            return _answered(request, [hosting.upkeep(one) for one in hosting.chosen(named)], make)

        return await self._service.workers.run(request, work)


def _answered(
    request: Request, kept: Sequence[Upkeep], make: Callable[[Sequence[Upkeep]], Data]
) -> Response:
    """Make an answer; what a client has already is not made again."""
    if request.method == "POST":
        return reply.found(make(kept))
    # Before the answer, so that it is never older than its tag says.
    tag = etag(request, kept)
    return reply.unchanged(tag) if is_known(request, tag) else reply.found(make(kept), tag=tag)
