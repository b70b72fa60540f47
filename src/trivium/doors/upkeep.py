"""A Collection -> one that stays fresh while a server runs.

Takes in what changed before a search, at most once every two seconds; embeds in a thread
of its own, so that words answer at once and meaning fills in behind. Stops between two
files or two batches. Used by the HTTP and the MCP door.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivium.doors import answers
from trivium.errors import IndexLocked, TriviumError
from trivium.types import Answer, Degraded

if TYPE_CHECKING:
    from trivium.collection import Collection, Item
    from trivium.doors.answers import Asked

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]

SYNC_EVERY_S = 2.0
# Long enough for our own embedding thread to store a batch and let go of the writer lock.
_LOCK_WAIT_S = 0.2
_FIRST_LOCK_WAIT_S = 5.0
# More than one batch of texts takes to embed.
_LEAVE_S = 10.0


class _Stopped(Exception):
    """The server is going down."""


@dataclass(frozen=True, slots=True)
class _Missed:
    """Why the last sync took nothing in, and how many files wait for the next."""

    reason: str
    dirty_files: int = 0


def _no_progress(stage: str, done: int, total: int) -> None:
    """Say nothing."""


class Upkeep:
    """One collection, kept fresh. Safe to use from many threads."""

    def __init__(
        self, collection: Collection, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._collection = collection
        self._clock = clock
        self._stopping = threading.Event()
        self._has_new_text = threading.Event()
        self._syncing = threading.Lock()
        self._synced_at: float | None = None
        self._missed: _Missed | None = None
        self._read_so_far = ""
        self._has_failed_to_embed = False
        # A daemon, so that a server that fails to start is not kept alive by it.
        self._thread = threading.Thread(target=self._work, name="trivium upkeep", daemon=True)

    @property
    def name(self) -> str:
        """The name of the collection."""
        return self._collection.name

    @property
    def is_ready(self) -> bool:
        """Whether the folder has been gone through once."""
        return self._synced_at is not None

    def start(self) -> None:
        """Go through the folder and embed what is new, in the background."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the background, and any sync under way, to end; return at once."""
        self._stopping.set()
        self._has_new_text.set()

    def close(self) -> None:
        """Stop, wait for the background and let go of the collection."""
        self.stop()
        if self._thread.ident is not None:
            self._thread.join(timeout=_LEAVE_S)
        if not self._thread.is_alive():
            self._collection.close()

    def sync_first(self, progress: Progress = _no_progress) -> None:
        """Go through the folder unless that was done or is being done."""
        if not self.is_ready:
            self._sync(progress, wait_s=_FIRST_LOCK_WAIT_S)

    def search(self, asked: Asked) -> Answer:
        """Answer from the state of the folder at most two seconds ago, or say why not."""
        synced_at = self._synced_at
        if synced_at is not None and self._clock() - synced_at >= SYNC_EVERY_S:
            self._sync(_no_progress, wait_s=_LOCK_WAIT_S)
        answer = answers.ask(self._collection, asked)
        missed = self._missed if self.is_ready else _Missed(self._first_sync_words())
        return answer if missed is None else _with(answer, missed)

    def get(self, wanted: str) -> Item:
        """Return a node or chunk by its id. Raises ChunkNotFound."""
        return self._collection.get(wanted)

    def _first_sync_words(self) -> str:
        return f"The folder is being indexed{self._read_so_far}; this is what is there so far."

    def _sync(self, progress: Progress, *, wait_s: float) -> None:
        """Take in what changed; if another thread is at it, leave it to that one."""
        if not self._syncing.acquire(blocking=False):
            return
        try:
            report = self._collection.sync(
                progress=self._watched(progress), wait_s=wait_s, keeps_if_empty=True
            )
            is_first = self._synced_at is None
            self._missed = None
            if report.wrote or is_first or self._has_failed_to_embed:
                self._has_new_text.set()
        except _Stopped:
            return
        except IndexLocked as error:
            dirty = self._collection.status().dirty_files
            self._missed = _Missed(f"{error} This is the last state.", dirty)
        except TriviumError as error:
            log.warning("sync: %s", error)
            self._missed = _Missed(str(error))
        finally:
            self._synced_at = self._clock()
            self._syncing.release()

    def _watched(self, progress: Progress) -> Progress:
        def report(stage: str, done: int, total: int) -> None:
            if self._stopping.is_set():
                raise _Stopped
            self._read_so_far = f" ({done:,} of {total:,} files)"
            progress(stage, done, total)

        return report

    def _work(self) -> None:
        """Run in the background until stopped."""
        try:
            self.sync_first()
        except Exception:
            log.exception("the first sync failed; the next search tries again")
        while not self._stopping.is_set():
            self._has_new_text.wait()
            self._has_new_text.clear()
            if not self._stopping.is_set():
                self._has_failed_to_embed = not self._embed()

    def _embed(self) -> bool:
        """Embed what has no vector yet; return whether that worked."""
        try:
            self._collection.embed(progress=self._watched(_no_progress))
        except _Stopped:
            log.info("embedding stopped; the next start goes on from here")
        except TriviumError as error:
            log.warning("embedding: %s", error)
            return False
        except Exception:
            log.exception("embedding failed; the next change in the folder tries again")
            return False
        return True


def _with(answer: Answer, missed: _Missed) -> Answer:
    """Return the answer with what the sync before it did not take in."""
    dirty = max(answer.freshness.dirty_files, missed.dirty_files)
    return replace(
        answer,
        freshness=replace(answer.freshness, dirty_files=dirty),
        degraded=(Degraded("sync", missed.reason), *answer.degraded),
    )
