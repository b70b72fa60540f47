"""An application -> one that ends its server when nobody has asked for a while.

For servers that were started on demand: whoever needs one again starts another. Used by serve.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Server

_LOOK_S = 0.5


class Life:
    """Passes requests on, and knows since when there was none."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        idle_s: float | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._idle_s = idle_s
        self._clock = clock
        self._under_way = 0
        self._last = clock()

    @property
    def is_over(self) -> bool:
        """Whether nobody has asked for as long as is allowed."""
        if self._idle_s is None or self._under_way:
            return False
        return self._clock() - self._last >= self._idle_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; requests are counted, what else a server sends is not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way -= 1
            self._last = self._clock()

    @contextmanager
    def ending(self, server: Server) -> Iterator[None]:
        """End a server once this is over, as long as it runs inside."""
        has_ended = threading.Event()

        def watch() -> None:
            while not has_ended.wait(_LOOK_S):
                if self.is_over:
                    server.should_exit = True

        if self._idle_s is not None:
            threading.Thread(target=watch, name="trivium idle", daemon=True).start()
        try:
            yield
        finally:
            has_ended.set()
