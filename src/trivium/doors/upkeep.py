"""A Collection -> one that stays fresh while a server runs.

Takes in what changed before a search: only the folders where something did, or, where the system
does not tell, everything, at most once every two seconds. Links, reads the history and embeds in
a thread of its own, so that words answer at once and the rest fills in behind. Stops between two
files, commits or batches. Used by the HTTP and the MCP door.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from trivium.doors import answers, finding
from trivium.doors.failures import said, without_commands
from trivium.doors.following import (
    NOWHERE,
    REMEMBER_EVERY_S,
    Folders,
    look_due_s,
    no_progress,
    watch_of,
)
from trivium.doors.owed import Owed
from trivium.errors import (
    BackendRefused,
    BackendUnavailable,
    IndexLocked,
    IndexRemoved,
    IndexUnusable,
    TriviumError,
)
from trivium.sources.watch import POLL_S, Watch
from trivium.types import Answer, Degraded

if TYPE_CHECKING:
    from trivium.collection import Collection, Item
    from trivium.doors.answers import Asked
    from trivium.indexer import Report
    from trivium.results.context import Context

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
Result = TypeVar("Result")

SYNC_EVERY_S = POLL_S
# Long enough for our own embedding thread to store a batch and let go of the writer lock.
_LOCK_WAIT_S = 0.2
_FIRST_LOCK_WAIT_S = 5.0
# As long does a search wait for the sync of another, so that it finds what was just written.
_PATIENCE_S = 1.0
# More files than one edit makes wait; those beyond are linked in the background.
_LINKS_BEFORE_ANSWER = 100
_TICK_S = 0.2
# More than one batch of texts takes to embed.
_LEAVE_S = 10.0
# The system's notes are taken in as often, so that they do not pile up while nobody searches.
_DRAIN_S = 30.0


class _Stopped(Exception):
    """The server is going down."""


@dataclass(frozen=True, slots=True)
class Going:
    """What is being done, and how far it is."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class _Missed:
    """Why the last sync took nothing in, and how many files wait for the next."""

    reason: str
    dirty_files: int = 0


class Upkeep:
    """One collection, kept fresh. Safe to use from many threads."""

    def __init__(
        self,
        collection: Collection,
        *,
        clock: Callable[[], float] = time.monotonic,
        watch: Watch | None = None,
    ) -> None:
        self._collection = collection
        self._clock = clock
        self._watch = watch_of(collection) if watch is None else watch
        self._owed = Owed()
        self._stopping = threading.Event()
        self._has_work = threading.Event()
        self._has_new_text = False
        self._seen_seq = ""
        self._should_look = False
        self._should_remember = False
        self._syncing = threading.Lock()
        self._synced_at: float | None = None
        self._looked_at = 0.0
        self._look_took_s = 0.0
        self._remembered_at = -math.inf
        self._missed: _Missed | None = None
        self._going: Going | None = None
        self._has_ended_once = threading.Event()
        self._has_failed_to_embed = False
        # A daemon, so that a server that fails to start is not kept alive by it.
        self._thread = threading.Thread(target=self._work, name="trivium upkeep", daemon=True)
        self._starting = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the collection."""
        return self._collection.name

    @property
    def is_ready(self) -> bool:
        """Whether the folder has been gone through once."""
        return self._synced_at is not None

    @property
    def collection(self) -> Collection:
        """What is kept fresh, to look something up in."""
        return self._collection

    @property
    def going(self) -> Going | None:
        """What is being taken in, linked or embedded now; None if nothing is."""
        return self._going

    @property
    def state(self) -> str:
        """What changes whenever an answer may; takes in what changed in the folder first."""
        if self.is_ready:
            self._take_in()
        missed = self._missed.reason if self._missed is not None else ""
        return f"{self._collection.state} {self.is_ready} {missed}"

    def wait(self, timeout_s: float) -> bool:
        """Wait until the folder has been gone through once; return whether it has."""
        return self._has_ended_once.wait(timeout_s)

    def start(self) -> None:
        """Go through the folder and embed what is new, in the background; once."""
        with self._starting:
            if self._thread.ident is None:
                self._thread.start()

    def stop(self) -> None:
        """Ask the background, and any sync under way, to end; return at once."""
        self._stopping.set()
        self._has_work.set()

    def close(self) -> None:
        """Stop, wait for the background and let go of the collection."""
        self.stop()
        self._watch.stop()
        if self._thread.ident is not None:
            self._thread.join(timeout=_LEAVE_S)
        if not self._thread.is_alive():
            self._collection.close()

    def sync_first(self, progress: Progress = no_progress) -> None:
        """Go through the folder unless that was done or is being done."""
        if not self.is_ready:
            self._sync(progress, wait_s=_FIRST_LOCK_WAIT_S)

    def sync_now(self, progress: Progress = no_progress) -> Report:
        """Go through the whole folder; where that is being done, wait for it and do it again.

        Raises what a sync may raise, BackendUnavailable if the server is going down.
        """
        while not self._syncing.acquire(timeout=_TICK_S):
            going = self._going
            if self._stopping.is_set():
                raise BackendUnavailable("The server is going down.")
            if going is not None:
                progress(going.stage, going.done, going.total)
        try:
            self._begin()
            self._owed.take()
            report = self._sync_folders(None, progress, wait_s=_FIRST_LOCK_WAIT_S)
        finally:
            self._syncing.release()
        if report is None:
            missed = self._missed
            raise IndexUnusable(missed.reason if missed is not None else "The sync was stopped.")
        return report

    def search(self, asked: Asked) -> Answer:
        """Answer from the state of the folder now, at most two seconds ago, or say why not."""
        if self.is_ready:
            self._take_in()
        return self._with_what_was_missed(answers.ask(self._collection, asked))

    def context(self, asked: Asked, *, max_tokens: int) -> Context:
        """Pack what answers a question, from the same state of the folder as a search."""
        if self.is_ready:
            self._take_in()
        packed = answers.pack(self._collection, asked, max_tokens=max_tokens)
        return replace(packed, answer=self._with_what_was_missed(packed.answer))

    def related(self, wanted: str, *, limit: int) -> Answer:
        """Return what is like a node, from the same state of the folder as a search."""
        if self.is_ready:
            self._take_in()
        found = finding.node_id(self._collection, wanted)
        return self._with_what_was_missed(self._collection.related(found, limit=limit))

    def look(self, ask: Callable[[Collection], Result]) -> Result:
        """Put a question that changes nothing to the same state of the folder as a search."""
        if self.is_ready:
            self._take_in()
        return ask(self._collection)

    @property
    def behind(self) -> str:
        """Why answers are not from the state of the folder now; empty if they are."""
        missed = self._missed_now()
        return "" if missed is None else missed.reason

    def _with_what_was_missed(self, answer: Answer) -> Answer:
        missed = self._missed_now()
        answer = replace(
            answer,
            degraded=tuple(replace(one, reason=self.told(one.reason)) for one in answer.degraded),
            notes=tuple(map(self.told, answer.notes)),
        )
        return answer if missed is None else _with(answer, missed)

    def told(self, reason: str) -> str:
        """Return why something was left out, to who can run nothing: what is done about it."""
        plain = without_commands(reason)
        if plain == reason:
            return reason
        if self._has_failed_to_embed:
            return f"{plain}; the next change in the folder tries again"
        return f"{plain}; that goes on in the background"

    def _missed_now(self) -> _Missed | None:
        return self._missed if self.is_ready else _Missed(self._first_sync_words())

    def get(self, wanted: str) -> Item:
        """Return a node or chunk by what a client calls it. Raises NotFound, UsageError."""
        return self.look(lambda collection: finding.item(collection, wanted))

    def _first_sync_words(self) -> str:
        going = self._going
        so_far = "" if going is None else f" ({going.stage}: {going.done:,} of {going.total:,})"
        return f"The folder is being indexed{so_far}; more may be found when that is done."

    def _take_in(self) -> None:
        """Sync the folders that changed; now and then have the background look at everything."""
        # By another process, which no watch on the folder tells of.
        is_removed = self._missed is None and not self._collection.is_indexed
        self._owed.note(None if is_removed else self._watch.changed(0))
        if is_removed or self._is_due():
            self._sync(no_progress, wait_s=_LOCK_WAIT_S)
        if self._clock() - self._looked_at >= look_due_s(self._look_took_s):
            self._should_look = True
            self._has_work.set()
        if self._is_to_remember():
            self._should_remember = True
            self._has_work.set()

    def _is_to_remember(self) -> bool:
        return self._clock() - self._remembered_at >= REMEMBER_EVERY_S

    def _is_due(self) -> bool:
        folders, synced_at = self._owed.folders, self._synced_at
        if folders is not None or synced_at is None:
            return folders != NOWHERE
        return self._clock() - synced_at >= SYNC_EVERY_S

    def _sync(self, progress: Progress, *, wait_s: float) -> None:
        """Take in what is owed; if another thread is at it, leave it to that one."""
        if not self._syncing.acquire(timeout=_PATIENCE_S if self.is_ready else 0):
            return
        try:
            self._begin()
            folders = self._owed.take()
            if folders != NOWHERE:
                self._sync_folders(folders, progress, wait_s=wait_s)
        finally:
            self._syncing.release()

    def _begin(self) -> None:
        """Before the first sync, so that no change falls between the two."""
        if not self.is_ready:
            self._watch.start()
            self._watch.changed(0)

    def _sync_folders(
        self, folders: Folders, progress: Progress, *, wait_s: float
    ) -> Report | None:
        """Take in what changed; return what that did, None where `_missed` says why nothing."""
        began, is_first, has_failed = self._clock(), not self.is_ready, True
        report: Report | None = None
        try:
            report = self._collection.sync(
                progress=self._watched(progress),
                wait_s=wait_s,
                keeps_if_empty=True,
                folders=folders,
                links=_LINKS_BEFORE_ANSWER,
            )
            has_failed = False
            self._missed = None
            # What was written past us, as a note is, has been taken in by who wrote it.
            is_new = report.wrote or bool(report.seq and report.since != self._seen_seq)
            self._seen_seq = report.seq
            if is_new or is_first or self._has_failed_to_embed:
                self._has_new_text = True
                self._has_work.set()
        except _Stopped:
            return None
        except IndexLocked as error:
            dirty = 0
            with suppress(IndexRemoved):
                dirty = self._collection.status().dirty_files
            self._missed = _Missed(f"{error} This is the last state.", dirty)
        except TriviumError as error:
            log.warning("sync: %s", error)
            self._missed = _Missed(said(error))
        finally:
            self._synced_at = self._clock()
            self._going = None
            self._has_ended_once.set()
            if has_failed:
                self._owed.note(None)
            if folders is None:
                self._looked_at, self._look_took_s = self._synced_at, self._synced_at - began
        return report

    def _watched(self, progress: Progress) -> Progress:
        def report(stage: str, done: int, total: int) -> None:
            if self._stopping.is_set():
                raise _Stopped
            self._going = Going(stage, done, total)
            progress(stage, done, total)

        return report

    def _work(self) -> None:
        """Run in the background until stopped."""
        try:
            self.sync_first()
        except Exception:
            log.exception("the first sync failed; the next search tries again")
        while not self._stopping.is_set():
            self._has_work.wait(_DRAIN_S)
            self._has_work.clear()
            if not self._stopping.is_set():
                self._go_round()

    def _go_round(self) -> None:
        """Do in the background what no search should wait for."""
        if self.is_ready:
            self._owed.note(self._watch.changed(0))
        if self._should_look:
            self._should_look = False
            self._look()
        if self._has_new_text:
            self._has_new_text = False
            self._has_failed_to_embed = not self._finish()
        if self._should_remember:
            self._should_remember = False
            self._remember()

    def _look(self) -> None:
        """Look at everything, in case the system lost a change."""
        try:
            self._watch.mend()
            self._owed.note(None)
            self._sync(no_progress, wait_s=_LOCK_WAIT_S)
        except Exception:
            log.exception("looking at everything failed; the next search tries again")

    def _finish(self) -> bool:
        """Link, read the history and embed what is new; return whether that worked."""
        try:
            self._collection.link(progress=self._watched(no_progress))
            self._remember()
            self._collection.embed(progress=self._watched(no_progress))
        except _Stopped:
            log.info("stopped; the next start goes on from here")
        except BackendRefused as error:
            # As for vectors of another length: a service would be paid in vain for every try.
            log.warning("after the sync: %s", error)
        except TriviumError as error:
            log.warning("after the sync: %s", error)
            return False
        except Exception:
            log.exception("linking or embedding failed; the next change tries again")
            return False
        finally:
            self._going = None
        return True

    def _remember(self) -> None:
        """Read what the repository knows of the files, unless that was done just now.

        Nothing waits for it, and without it all else goes on.
        """
        if self._stopping.is_set() or not self._is_to_remember():
            return
        try:
            self._collection.remember(should_stop=self._stopping.is_set)
        except TriviumError as error:
            log.warning("history: %s", error)
        except Exception:
            log.exception("reading the history failed; it is tried again in a minute")
        finally:
            self._remembered_at = self._clock()


def _with(answer: Answer, missed: _Missed) -> Answer:
    """Return the answer with what the sync before it did not take in."""
    dirty = max(answer.freshness.dirty_files, missed.dirty_files)
    return replace(
        answer,
        freshness=replace(answer.freshness, dirty_files=dirty),
        degraded=(Degraded("sync", missed.reason), *answer.degraded),
    )
