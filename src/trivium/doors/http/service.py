"""What every endpoint of the server shares, and how an endpoint becomes a route.

Errors of ours become their statuses here, and others 500 without their words.
"""

from __future__ import annotations

import logging
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.doors.hosting import Hosting
from trivium.doors.http import reply
from trivium.doors.http.access import require
from trivium.doors.http.metrics import Metrics
from trivium.doors.http.work import ClientGone, Workers
from trivium.doors.tokens import Right
from trivium.errors import TriviumError

log = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]

# Nobody reads it: the connection is closed.
_CLIENT_GONE = 499
_MOST_SLOW = 20


@dataclass(frozen=True, slots=True)
class Slow:
    """A search that took long."""

    took_ms: float
    query: str
    at: str


@dataclass(frozen=True, slots=True)
class Service:
    """The collections, who works for them, what is measured, and where folders may be added."""

    hosting: Hosting
    workers: Workers
    metrics: Metrics
    roots: Sequence[Path] = ()
    slow: dict[str, deque[Slow]] = field(default_factory=dict)

    def note_slow(self, name: str, one: Slow) -> None:
        """Remember a search that took long, of each collection the last ones."""
        self.slow.setdefault(name, deque(maxlen=_MOST_SLOW)).append(one)


def route(path: str, methods: Mapping[str, tuple[Endpoint, Right | None]]) -> Route:
    """Return a route whose methods each need a right; None needs none."""

    async def answered(request: Request) -> Response:
        # A HEAD is a GET whose body nobody sends.
        endpoint, right = methods["GET" if request.method == "HEAD" else request.method]
        try:
            if right is not None:
                require(request, right)
            return await endpoint(request)
        except TriviumError as error:
            return reply.refused(error)
        except HTTPException:
            raise
        except (ClientGone, ClientDisconnect):
            return Response(status_code=_CLIENT_GONE)
        except Exception as error:  # noqa: BLE001 - a door: whatever it was, the client gets JSON
            # The message of an unknown error may hold a query; where it arose does not.
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s in %s\n%s", type(error).__name__, path, where)  # noqa: TRY400
            log.debug("its message: %s", error)
            message = f"Unexpected {type(error).__name__}. The server's log says where."
            return reply.failed("InternalError", message, status=500)

    return Route(path, answered, methods=list(methods))
