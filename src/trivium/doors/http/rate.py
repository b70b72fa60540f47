"""A request -> the same request, or 429 where its client asks too often.

Each client has a bucket that fills by so many a second and holds twice as many; a client is a
token, or an address where there is none. Remembers a bounded number of them.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.doors.http.access import access_of
from trivium.doors.http.reply import failed

_TOO_MANY = 429
_MOST_CLIENTS = 10_000
_BURST = 2.0


class Rate:
    """Lets each client ask so many times a second."""

    def __init__(
        self, app: ASGIApp, *, per_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._per_second = per_second
        self._most = max(1.0, per_second * _BURST)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        wait_s = self._wait_s(_client(scope)) if scope["type"] == "http" else 0.0
        if wait_s <= 0:
            await self._app(scope, receive, send)
            return
        refusal = failed(
            "TooManyRequests",
            f"This server takes {self._per_second:g} requests a second from one client.",
            status=_TOO_MANY,
            headers={"Retry-After": str(math.ceil(wait_s))},
        )
        await refusal(scope, receive, send)

    def _wait_s(self, client: str) -> float:
        """Take one from a client's bucket; return how long until there is one if it is empty."""
        now = self._clock()
        left, since = self._buckets.pop(client, (self._most, now))
        left = min(self._most, left + (now - since) * self._per_second)
        is_empty = left < 1
        self._buckets[client] = (left if is_empty else left - 1, now)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return (1 - left) / self._per_second if is_empty else 0.0


def _client(scope: Scope) -> str:
    access = access_of(Request(scope))
    if access.name:
        return f"token {access.name}"
    client = scope.get("client")
    return str(client[0]) if client else ""
