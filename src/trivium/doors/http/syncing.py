"""A wish that a folder be gone through -> how far that is, as server-sent events.

progress {"stage", "done", "total"}, then done with what changed, or error. The work goes on if
the one who asked goes away: others wait for it too.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from trivium.doors import failures
from trivium.doors.answers import Data
from trivium.doors.failures import ServerBusy
from trivium.doors.http import reply
from trivium.doors.http.body import no_query
from trivium.doors.http.service import Service
from trivium.doors.upkeep import Upkeep
from trivium.errors import TriviumError

# Beside those that answer searches, which a long sync must not hold up.
_MOST_SYNCS = 4
_BETWEEN_S = 0.1
_SIGN_OF_LIFE_S = 15.0
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Event = tuple[str, Data]


class Syncing:
    """Goes through folders when asked, and tells how far it is."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._threads = ThreadPoolExecutor(_MOST_SYNCS, thread_name_prefix="trivium sync")
        self._inside = 0

    async def post(self, request: Request) -> Response:
        """Go through the folder of a collection."""
        no_query(request)
        name: str = request.path_params["name"]
        hosting = self._service.hosting
        upkeep = await self._service.workers.run(request, lambda: hosting.upkeep(name))
        if self._inside >= _MOST_SYNCS:
            raise ServerBusy(f"{_MOST_SYNCS} syncs are under way.", retry_after_s=5)
        self._inside += 1
        events = _Events(asyncio.get_running_loop())
        work = asyncio.wrap_future(self._threads.submit(_sync, upkeep, events))
        work.add_done_callback(self._left)
        return StreamingResponse(_written(events), media_type="text/event-stream", headers=_HEADERS)

    def _left(self, _: object) -> None:
        self._inside -= 1


class _Events:
    """The newest progress, and the end, from a thread to whoever reads. Keeps no more than that."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._told_at = 0.0
        self._guard = threading.Lock()
        self._news = asyncio.Event()
        self._progress: Data | None = None
        self._end: Event | None = None

    def progress(self, stage: str, done: int, total: int) -> None:
        """Tell how far it is; what comes too soon after is left out."""
        now = time.monotonic()
        if now - self._told_at < _BETWEEN_S and done != total:
            return
        self._told_at = now
        with self._guard:
            self._progress = {"stage": stage, "done": done, "total": total}
        self._wake()

    def end(self, kind: str, data: Data) -> None:
        """Tell how it ended."""
        with self._guard:
            self._end = (kind, data)
        self._wake()

    async def next(self) -> Event | None:
        """Return what is new, or None if nothing is for a while."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), _SIGN_OF_LIFE_S)
        self._news.clear()
        with self._guard:
            progress, self._progress = self._progress, None
            if progress is not None:
                if self._end is not None:
                    self._news.set()
                return "progress", progress
            return self._end

    def _wake(self) -> None:
        # The loop is closed where the server went down meanwhile.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._news.set)


def _sync(upkeep: Upkeep, events: _Events) -> None:
    try:
        report = upkeep.sync_now(events.progress)
    except TriviumError as error:
        events.end("error", failures.as_data(type(error).__name__, failures.said(error)))
    except Exception as error:
        words = f"Unexpected {type(error).__name__}. The server's log says where."
        events.end("error", failures.as_data("InternalError", words))
        raise
    else:
        events.end(
            "done",
            {
                "added": report.added,
                "changed": report.changed,
                "removed": report.removed,
                "unchanged": report.unchanged,
                "skipped": len(report.skipped),
            },
        )


async def _written(events: _Events) -> AsyncIterator[bytes]:
    kind = ""
    while kind not in ("done", "error"):
        event = await events.next()
        if event is None:
            yield b": still at it\n\n"
            continue
        kind, data = event
        yield b"event: %b\ndata: %b\n\n" % (kind.encode(), reply.as_json(data))
