"""A Collection -> one that follows its folder until it is told to stop.

watch -> sync of the folders that changed -> history, now and then -> embed, newest first; a
change that comes while texts are embedded goes before the rest of them. Called by
`trivium index --watch`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.errors import (
    BackendRefused,
    IndexRemoved,
    MissingExtra,
    ModelError,
    TriviumError,
    UsageError,
)
from trivium.results.present import counted
from trivium.sources.files import own_ignores
from trivium.sources.watch import POLL_S, Watch

if TYPE_CHECKING:
    from trivium.collection import Collection
    from trivium.indexer import Report

Folders = frozenset[str] | None
Progress = Callable[[str, int, int], None]

NOWHERE: frozenset[str] = frozenset()
# The system may lose a change without a word, so everything is looked at now and then: every
# minute, or so seldom that it takes a hundredth of the time.
LOOK_EVERY_S = 60.0
LOOK_SHARE = 100
# Commits are seldom: where something goes on, the history is looked at as often as this.
REMEMBER_EVERY_S = 60.0
_WAIT_S = 1.0


class _Interrupted(Exception):
    """Something changed, or the following is to end."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What whoever started the following wants."""

    say: Callable[[str], None]
    progress: Progress
    should_stop: Callable[[], bool]
    yes: bool
    embeds: bool
    renews: bool


def no_progress(stage: str, done: int, total: int) -> None:
    """Say nothing."""


def watch_of(collection: Collection) -> Watch:
    """Return a watch on a collection's folder, by the rules that its syncs go by."""
    settings = collection.settings
    ignored = own_ignores(collection.root, settings.home, settings.texts("files.ignore"))
    return Watch(collection.root, extra_ignores=ignored)


def both(first: Folders, second: Folders) -> Folders:
    """Return the folders of two answers of a watch together."""
    return None if first is None or second is None else first | second


def look_due_s(took_s: float) -> float:
    """Return how long after a look at everything the next one is due."""
    return max(LOOK_EVERY_S, took_s * LOOK_SHARE)


def follow(
    collection: Collection,
    *,
    say: Callable[[str], None],
    progress: Progress = no_progress,
    should_stop: Callable[[], bool] = lambda: False,
    yes: bool = False,
    embeds: bool = True,
    renews: bool = False,
    watch: Watch | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Keep an index up to date until `should_stop` or Ctrl-C; `say` gets a line per round.

    Begins with the whole folder, and raises what that raises; later troubles are said, and
    tried again. With `renews`, vectors that are of another length now are made anew before the
    first text is embedded. Raises IndexRemoved if another process removes the index under it.
    """
    watch = watch_of(collection) if watch is None else watch
    order = _Order(say, progress, should_stop, yes, embeds, renews)
    following = _Following(collection, watch, order, clock)
    try:
        # Before the first sync, so that no change falls between the two.
        watch.start()
        watch.changed(0)
        following.begin()
        while not should_stop():
            following.go_on()
    except _Interrupted:
        return
    except KeyboardInterrupt:
        say("Stopped.")
    finally:
        watch.stop()


class _Following:
    """What is still to be looked at and to be embedded, and when it is time to."""

    def __init__(
        self,
        collection: Collection,
        watch: Watch,
        order: _Order,
        clock: Callable[[], float],
    ) -> None:
        self._collection = collection
        self._watch = watch
        self._order = order
        self._clock = clock
        self._owed: Folders = None
        self._looked_at = clock()
        self._look_took_s = 0.0
        self._remembered_at = -math.inf
        self._has_texts = order.embeds
        self._renews = order.renews
        self._embedded = 0
        self._trouble = self._no_model = self._no_history = self._told = ""

    def begin(self) -> None:
        """Take everything in."""
        self._say_round(self._sync(), is_first=True)
        self._remember()

    def go_on(self) -> None:
        """Wait for a change, or for the time to look at everything, and take it in."""
        is_idle = not self._is_due() and not self._has_texts
        self._note(self._watch.changed(_WAIT_S if is_idle else 0))
        if self._clock() - self._looked_at >= look_due_s(self._look_took_s):
            self._watch.mend()
            self._owed = None
        try:
            report = self._sync() if self._is_due() else None
            if report is not None:
                self._remember()
            self._embed()
            self._say_round(report)
            self._trouble = ""
        except IndexRemoved:
            raise
        except TriviumError as error:
            # Another process writes, or the folder is gone for a while.
            self._trouble = self._said_once(str(error), before=self._trouble)
            self._owed, self._looked_at = None, self._clock()
            self._watch.changed(POLL_S)

    def _note(self, folders: Folders) -> None:
        self._owed = both(self._owed, folders)

    def _is_due(self) -> bool:
        if self._owed is not None:
            return self._owed != NOWHERE
        return self._clock() - self._looked_at >= POLL_S

    def _sync(self) -> Report:
        began, folders, self._owed = self._clock(), self._owed, NOWHERE
        report = self._collection.sync(
            progress=self._stoppable(self._order.progress),
            yes=self._order.yes,
            keeps_if_empty=True,
            folders=folders,
        )
        if folders is None:
            self._looked_at = self._clock()
            self._look_took_s = self._looked_at - began
        self._has_texts = self._order.embeds and (self._has_texts or report.wrote)
        return report

    def _remember(self) -> None:
        """Read what the repository knows of the files, unless that was done just now."""
        if self._clock() - self._remembered_at < REMEMBER_EVERY_S:
            return
        try:
            self._collection.remember(should_stop=self._order.should_stop)
            self._no_history = ""
        except IndexRemoved:
            raise
        except TriviumError as error:
            self._no_history = self._said_once(f"No history: {error}", before=self._no_history)
        finally:
            self._remembered_at = self._clock()

    def _embed(self) -> None:
        """Embed what has no vector, until that is done or something changes."""
        if not self._has_texts:
            return
        try:
            if self._renews:
                self._collection.renew(yes=self._order.yes)
                self._renews = False
            self._collection.embed(progress=self._embedding, say=self._tell, yes=self._order.yes)
            self._has_texts = False
        except (ModelError, MissingExtra, UsageError, BackendRefused) as error:
            # Asked again with the next change: a service may take money for every try.
            self._has_texts = False
            self._no_model = self._said_once(f"Not embedded: {error}", before=self._no_model)
        except _Interrupted:
            if self._order.should_stop():
                raise

    def _embedding(self, stage: str, done: int, total: int) -> None:
        if stage == "embedding":
            self._embedded = done
        self._stoppable(self._order.progress)(stage, done, total)
        self._note(self._watch.changed(0))
        if self._is_due():
            raise _Interrupted

    def _stoppable(self, progress: Progress) -> Progress:
        def report(stage: str, done: int, total: int) -> None:
            if self._order.should_stop():
                raise _Interrupted
            progress(stage, done, total)

        return report

    def _say_round(self, report: Report | None, *, is_first: bool = False) -> None:
        parts: list[str] = []
        if report is not None and (report.wrote or is_first):
            parts.append(report.said)
        if self._embedded:
            parts.append(f"{counted(self._embedded, 'text')} embedded")
            self._embedded = 0
        if parts:
            self._order.say("; ".join(parts))

    def _tell(self, what: str) -> None:
        self._told = self._said_once(what, before=self._told)

    def _said_once(self, what: str, *, before: str) -> str:
        if what != before:
            self._order.say(what)
        return what
