"""Collections -> an ASGI application: what may be asked, by whom, and how it is refused.

A request passes, from the outside in: the log, the guard against pages from elsewhere, the other
origins that were allowed, the tokens, the rate, gzip, and one endpoint.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response

from trivium.doors.hosting import Hosting
from trivium.doors.http import page, reply
from trivium.doors.http.access import Door
from trivium.doors.http.asking import Asking
from trivium.doors.http.body import TOO_LARGE, TOO_SLOW
from trivium.doors.http.guard import Guard, Names
from trivium.doors.http.keeping import Keeping
from trivium.doors.http.memory import Remembering
from trivium.doors.http.metrics import Metrics
from trivium.doors.http.noting import Noting
from trivium.doors.http.rate import Rate
from trivium.doors.http.service import Service
from trivium.doors.http.telling import Telling
from trivium.doors.http.work import Workers
from trivium.doors.mcp.mount import Mounted
from trivium.doors.tokens import Tokens

_KINDS = {
    401: "TokenNeeded",
    404: "NotFound",
    405: "MethodNotAllowed",
    TOO_SLOW: "RequestTooSlow",
    TOO_LARGE: "BodyTooLarge",
}
_NOT_FOUND = 404
_WRONG_METHOD = 405
_LEAST_ZIPPED = 1000
# Half the work of the highest level for nearly the same size.
_ZIP_LEVEL = 5
_NOTHING_HERE = "Nothing here. /openapi.json lists what there is; the questions are under /api/."


@dataclass(frozen=True, slots=True)
class Rules:
    """Who may ask what, how often and for how long.

    Without `tokens` everyone may do all; `rate` is requests a second for each client, 0 any.
    """

    names: Names
    tokens: Tokens | None = None
    rate: float = 0.0
    timeout_s: float = 30.0
    roots: Sequence[Path] = ()


def build(hosting: Hosting, *, rules: Rules) -> Starlette:
    """Return the application; it starts and stops the collections with itself."""
    metrics = Metrics()
    workers = Workers(timeout_s=rules.timeout_s, measured=metrics.stage)
    agents = Mounted(hosting)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        hosting.start()
        try:
            yield
        finally:
            hosting.stop()
            await agents.close()
            workers.close()
            hosting.close()

    service = Service(hosting, workers, metrics, rules.roots)
    return Starlette(
        routes=[
            *Asking(service).routes(),
            *Keeping(service).routes(),
            *Remembering(service).routes(),
            *Telling(service).routes(),
            *agents.routes(),
            *page.routes(),
        ],
        middleware=_middleware(metrics, rules),
        exception_handlers={HTTPException: _http_failure},
        lifespan=lifespan,
    )


def _middleware(metrics: Metrics, rules: Rules) -> list[Middleware]:
    origins = rules.names.origins
    return [
        Middleware(Noting, metrics=metrics),
        Middleware(Guard, names=rules.names),
        *(
            [
                Middleware(
                    CORSMiddleware,
                    allow_origins=list(origins),
                    allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
                    allow_headers=["Authorization", "Content-Type", "If-Match", "If-None-Match"],
                    expose_headers=["ETag", "Location", "Retry-After"],
                )
            ]
            if origins
            else []
        ),
        Middleware(Door, tokens=rules.tokens),
        *([Middleware(Rate, per_second=rules.rate)] if rules.rate > 0 else []),
        Middleware(GZipMiddleware, minimum_size=_LEAST_ZIPPED, compresslevel=_ZIP_LEVEL),
    ]


async def _http_failure(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    headers = error.headers or {}
    kind, message = _KINDS.get(error.status_code, "RequestRefused"), error.detail
    if error.status_code == _NOT_FOUND:
        message = _NOTHING_HERE
    elif error.status_code == _WRONG_METHOD:
        message = f"{request.method} is not for this. Use {headers['Allow']}."
    return reply.failed(kind, message, status=error.status_code, headers=headers)
