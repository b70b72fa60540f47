"""Bytes on a connection -> requests, by uvicorn; one that dawdles, or is one too many, is cut.

A client has so many seconds from its connection, or from the answer before, until the head of a
request is there. The body has its own time, where it is read.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_WITHIN_S = 10.0
MOST_CONNECTIONS = 4096


class Wire(H11Protocol):
    """uvicorn's protocol, with a time for the head of a request."""

    _head_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Read on; the time is over once a request has begun."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()
        elif self._is_between() and self._head_due is None:
            # uvicorn stops its own clock at the first byte.
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_between(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._head_due = self.loop.call_later(HEAD_WITHIN_S, self._cut)

    def _stop_waiting(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def _cut(self) -> None:
        self._head_due = None
        if self._is_between() and not self.transport.is_closing():
            self.transport.abort()
