"""Calls that block -> answers, a few at once, each within its time.

More than a number wait their turn, and beyond that they are told to come again: nothing piles
up. Who has gone, or whose time is over, has its work ended at the next stage.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from starlette.requests import Request

from trivium import stages
from trivium.doors.failures import ServerBusy, TimeIsUp

Result = TypeVar("Result")
Measured = Callable[[str, float], None]

# The threads stay: each holds its own open connection to the index. Python runs one at a time, so
# that many only take turns and memory; fewer would all wait for a model that is served elsewhere.
WORKERS = 4
MOST_WAITING = 256


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


class Workers:
    """Threads that answer requests."""

    def __init__(
        self,
        *,
        timeout_s: float,
        measured: Measured = lambda _stage, _seconds: None,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._timeout_s = timeout_s
        self._measured = measured
        self._most = WORKERS + most_waiting
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="trivium search")
        self._guard = threading.Lock()
        self._inside = 0

    @property
    def inside(self) -> Mapping[str, int]:
        """How many calls run, and how many wait."""
        return {
            "running": min(self._inside, WORKERS),
            "waiting": max(0, self._inside - WORKERS),
        }

    async def run(self, request: Request, call: Callable[[], Result]) -> Result:
        """Return what `call` returns.

        Raises what it raises, ServerBusy, TimeIsUp, and ClientGone if the connection was closed.
        """
        with self._guard:
            if self._inside >= self._most:
                raise ServerBusy("Too many requests wait already.", retry_after_s=1)
            self._inside += 1
        is_over = threading.Event()
        done = self._threads.submit(self._watched, call, is_over)
        # Of the thread's own, since it may go on for a while after nobody waits for it.
        done.add_done_callback(self._left)
        work = asyncio.wrap_future(done)
        gone = asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait(
                (work, gone), timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED
            )
            if work.done():
                return work.result()
            if gone.done():
                raise ClientGone
            raise TimeIsUp(f"This took longer than {self._timeout_s:g} seconds, and was ended.")
        finally:
            is_over.set()
            gone.cancel()
            work.cancel()

    def close(self) -> None:
        """Wait for what runs; what waits is not begun."""
        self._threads.shutdown(cancel_futures=True)

    def _watched(self, call: Callable[[], Result], is_over: threading.Event) -> Result:
        if is_over.is_set():
            raise ClientGone
        with _measuring(self._measured, is_over):
            return call()

    def _left(self, _: object) -> None:
        with self._guard:
            self._inside -= 1


@contextmanager
def _measuring(measured: Measured, is_over: threading.Event) -> Iterator[None]:
    """Measure the stages of what runs inside, and end it where one begins too late."""
    stage, since = "", 0.0

    def entered(name: str) -> None:
        nonlocal stage, since
        now = time.perf_counter()
        if stage:
            measured(stage, now - since)
        stage, since = name, now
        if is_over.is_set():
            raise ClientGone

    with stages.listening(entered):
        yield
    if stage:
        measured(stage, time.perf_counter() - since)


async def _gone(request: Request) -> None:
    """Return once the client has closed its connection; the body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
