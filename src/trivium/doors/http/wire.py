"""Bytes on a connection -> requests, by uvicorn; one that dawdles, or is one too many, is cut.

A client has so many seconds from its connection, or from the answer before, until the head of a
request is there, and as long to take each part of an answer. The body has its own time, where it
is read.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_WITHIN_S = 10.0
TAKEN_WITHIN_S = 30.0
_MOST_CONNECTIONS = 4096
_FILES_BESIDE = 256


@cache
def most_connections() -> int:
    """Return how many there may be: each is an open file, and an index needs some as well.

    Asks the system for as many as it lets this process have.
    """
    try:
        import resource
    except ModuleNotFoundError:
        # Windows counts otherwise.
        return _MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_CONNECTIONS + _FILES_BESIDE
    is_bounded = soft != resource.RLIM_INFINITY
    if is_bounded and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    is_short = is_bounded and soft < wanted
    return max(soft // 2, soft - _FILES_BESIDE) if is_short else _MOST_CONNECTIONS


class Wire(H11Protocol):
    """uvicorn's protocol, with a time for each side of a conversation."""

    now_open: ClassVar[int] = 0
    _head_due: asyncio.TimerHandle | None = None
    _taken_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many."""
        super().connection_made(transport)
        Wire.now_open += 1
        if len(self.connections) > most_connections():
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

    def pause_writing(self) -> None:
        """Wait for a client that has not taken what was sent, but not for ever."""
        super().pause_writing()
        self._taken_due = self.loop.call_later(TAKEN_WITHIN_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: it has taken some."""
        self._stop_writing_clock()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        Wire.now_open -= 1
        self._stop_waiting()
        self._stop_writing_clock()
        super().connection_lost(exc)

    def _is_between(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._head_due = self.loop.call_later(HEAD_WITHIN_S, self._cut)

    def _stop_waiting(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def _stop_writing_clock(self) -> None:
        if self._taken_due is not None:
            self._taken_due.cancel()
            self._taken_due = None

    def _cut(self) -> None:
        self._head_due = None
        if self._is_between() and not self.transport.is_closing():
            self.transport.abort()
