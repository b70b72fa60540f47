"""A request -> one line in the log and its share in the metrics, without what was asked.

Query strings, bodies and ids of nodes are for DEBUG; of a path that is no address of ours the log
shows the path and the metrics only that it is another.
"""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime

from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trivium.doors.http.metrics import Metrics

log = logging.getLogger("trivium.doors.http.access")

_UNSENT = 499
_ID = "{id"
_LONGEST = 200


class Noting:
    """Writes down each request when it is over."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and note how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = _UNSENT

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            seconds = time.perf_counter() - started
            method = scope["method"] if scope["method"] in _METHODS else "OTHER"
            self._metrics.request(
                method=method, route=_route(scope), status=status, seconds=seconds
            )
            self._write(scope, status, seconds)

    def _write(self, scope: Scope, status: int, seconds: float) -> None:
        whole, place = _escaped(scope["path"]), _shown(scope)
        client = scope.get("client")
        noted = {
            "client": client[0] if client else "",
            "method": scope["method"],
            "path": place,
            "status": status,
            "ms": round(1000 * seconds, 1),
        }
        log.info(
            "%s %s %s %s %.1f ms",
            *(noted[key] for key in ("client", "method", "path", "status", "ms")),
            extra={"noted": noted},
        )
        if whole != place:
            log.debug("path: %s", whole)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _route(scope: Scope) -> str:
    """Return which of our addresses was asked for; a client can make up no more of them."""
    found = scope.get("route")
    return found.path if isinstance(found, Route) else "other"


def _shown(scope: Scope) -> str:
    """Return a path as logs show it: where it holds what was asked for, its route alone."""
    route = _route(scope)
    if _ID in route:
        return route.replace(":any", "")
    # Before it is escaped, and after: whoever asks says how long a path is.
    shown = _escaped(scope["path"][: _LONGEST + 1])
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def _escaped(path: str) -> str:
    return path.encode("unicode_escape").decode()


class Lines(logging.Formatter):
    """A line of the log for people: when, how bad, what."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S%z")


class JsonLines(logging.Formatter):
    """A line of the log as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        data: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        noted = getattr(record, "noted", None)
        data |= noted if isinstance(noted, dict) else {"message": record.getMessage()}
        if record.exc_info:
            data["trace"] = self.formatException(record.exc_info)
        return json.dumps(data, ensure_ascii=False, default=str)
