"""/metrics and /openapi.json: what the server says of itself to other programs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from trivium.doors.http import reply
from trivium.doors.http.metrics import Gauge, Labels
from trivium.doors.http.openapi import document
from trivium.doors.http.service import Service, route
from trivium.doors.http.wire import Wire
from trivium.doors.tokens import Right

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Telling:
    """What other programs read."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            route("/metrics", {"GET": (self.get_metrics, Right.READ)}),
            route("/openapi.json", {"GET": (self.get_openapi, Right.READ)}),
        ]

    async def get_openapi(self, _: Request) -> Response:
        """Describe every endpoint."""
        return reply.found(document())

    async def get_metrics(self, request: Request) -> Response:
        """Tell what was counted, and what is so now."""

        def work() -> Response:
            text = self._service.metrics.text(self._gauges())
            return PlainTextResponse(text, media_type=_PROMETHEUS)

        return await self._service.workers.run(request, work)

    def _gauges(self) -> list[Gauge]:
        """Return how much is indexed and how much waits; opens no collection."""
        opened = self._service.hosting.opened()
        contents = {_of(one.name): one.collection.stats() for one in opened}
        inside = self._service.workers.inside
        return [
            Gauge(
                "trivium_index_files",
                "Files in an index.",
                {key: one.files for key, one in contents.items()},
            ),
            Gauge(
                "trivium_index_chunks",
                "Chunks in an index.",
                {key: one.chunks for key, one in contents.items()},
            ),
            Gauge(
                "trivium_index_ready",
                "1 if the folder has been gone through once.",
                {_of(one.name): float(one.is_ready) for one in opened},
            ),
            Gauge(
                "trivium_queue",
                "Requests that are worked on, and that wait.",
                {(("state", name),): float(count) for name, count in inside.items()},
            ),
            Gauge("trivium_connections", "Connections that are open.", {(): float(Wire.now_open)}),
        ]


def _of(name: str) -> Labels:
    return (("collection", name),)
