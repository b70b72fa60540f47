"""A folder -> the folders in it where something changed since the last question.

Asks the system to be told, about folders that the ignore rules leave in and no others. Where
that cannot be had, or something may have been missed, the answer is None: look at everything.
Never raises and has no thread of its own. Called by the doors that keep an index fresh.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Protocol

from trivium.parsing.shelves import kind_in_memory
from trivium.sources.mounts import REMOTE, file_system, mounts
from trivium.sources.walk import IGNORE_FILES, Walk, is_real_folder

log = logging.getLogger(__name__)

POLL_S = 2.0
_STEP_S = 0.2
# For our own event to come back: far longer than it takes.
_PATIENCE_S = 1.0
_BREATH_S = 0.0001
_PULL_MOST_MS = 50
# The system drops events beyond some number (16,384 on Linux) and the library does not say so:
# far fewer than that are taken as a sign. A look at everything then costs less, too.
_MOST_EVENTS = 4000
_MOST_NOTIFIERS = 6
_TRIES = 5
# How long to go without, once the system has refused, or folders came too fast to be watched.
_REFUSED_S = 600.0
_OVERRUN_S = 60.0
_FOR_GOOD_S = float("inf")
_ADDED, _MODIFIED = 1, 2

_ROOM = "trivium-watch-"
_FORGOTTEN_S = 86_400.0


class Notifier(Protocol):
    """Collects what the system tells of some folders: (1 added, 2 modified, 3 deleted; path)."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: _Patience, /
    ) -> set[tuple[int, str]] | str:
        """Return the events since the last call, or a word where there are none.

        Drops what comes in just when it gives up waiting.
        """
        ...

    def close(self) -> None:
        """Stop collecting."""
        ...


class _Patience:
    """Is over after a while; each question takes a breath, in which events can come in."""

    def __init__(self) -> None:
        self._until = time.monotonic() + _PATIENCE_S

    def is_set(self) -> bool:
        time.sleep(_BREATH_S)
        return time.monotonic() > self._until


Notify = Callable[[Sequence[str], bool], Notifier]


class Watch:
    """What changes below a root, from `start` to `stop`. Safe to use from many threads."""

    def __init__(
        self,
        root: Path,
        *,
        extra_ignores: tuple[str, ...] = (),
        notify: Notify | None = None,
        one_by_one: bool = sys.platform == "linux",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._below_root = str(root).rstrip(os.sep) + os.sep
        self._extra_ignores = extra_ignores
        self._notify = _notify if notify is None else notify
        # Where the system watches whole trees, the ignored ones come with them; Linux watches
        # single folders, of which a person may only have so many.
        self._one_by_one = one_by_one
        self._clock = clock
        self._guard = threading.Lock()
        self._stopping = threading.Event()
        self._notifiers: list[Notifier] = []
        self._watched: set[str] = set()
        self._mark = ""
        self._governing: frozenset[str] = frozenset()
        self._blind_until = _FOR_GOOD_S
        self._has_said = False
        self._is_unsure = True
        self._is_stale = False

    @property
    def is_blind(self) -> bool:
        """Whether the system does not tell, so that the only way is to look."""
        return self._clock() < self._blind_until

    def start(self) -> None:
        """Begin to collect changes; the first question is answered with None."""
        with self._guard:
            if not self._stopping.is_set():
                self._renew()

    def stop(self) -> None:
        """Let go; whoever waits in `changed` comes back at once."""
        self._stopping.set()
        with self._guard:
            _close(self._notifiers)
            self._notifiers = []
            _remove(self._mark)

    def mend(self) -> None:
        """Watch folders that came unnoticed: for whoever looks at everything now and then."""
        missed = self._walk().folders() - self._watched if self._one_by_one else set()
        with self._guard:
            if missed and self._notifiers and not self._stopping.is_set():
                self._watch_below(missed)

    def changed(self, timeout_s: float) -> frozenset[str] | None:
        """Return the folders with a change since the last call, the root being "".

        A file of memory that changed is named itself: very many may lie in its folder. What was
        written before the call is among it. Waits for the first change, at most `timeout_s`.
        None means anything may have changed; where the system does not tell, that is the answer
        after two seconds at most.
        """
        deadline = self._clock() + timeout_s
        while not self._stopping.is_set():
            if self.is_blind:
                is_stopped = self._stopping.wait(min(timeout_s, POLL_S))
                return frozenset() if is_stopped else None
            with self._guard:
                found = self._look()
            if found is None or found:
                return found
            left = deadline - self._clock()
            if left <= 0:
                break
            self._stopping.wait(min(left, _STEP_S))
        return frozenset()

    def _look(self) -> frozenset[str] | None:
        if self._stopping.is_set():
            return frozenset()
        # One that was blind has no notifiers and may try again.
        events = self._pull() if self._notifiers else None
        folders = None if events is None else self._folders(events)
        if folders is None or self._is_stale or len(self._notifiers) > _MOST_NOTIFIERS:
            self._renew()
        if self._is_unsure:
            self._is_unsure = False
            return None
        return folders

    def _pull(self) -> set[tuple[int, str]] | None:
        """Return all that happened up to now; None where some of it may be lost."""
        events: set[tuple[int, str]] = set()
        try:
            # Its event follows those of all earlier changes. There is also always one to wait
            # for, so that the library never gives up waiting and drops what comes meanwhile.
            os.utime(self._mark)
            for notifier in self._notifiers:
                found = self._pulled(notifier)
                if found is None:
                    return None
                events |= found
        except (OSError, RuntimeError) as error:
            # A name that is no text, or a limit met on the way.
            log.info("watching %s: %s", self._root, error)
            return None
        return events if len(events) <= _MOST_EVENTS else None

    def _pulled(self, notifier: Notifier) -> set[tuple[int, str]] | None:
        """Return the events of one notifier up to the mark, without it."""
        events: set[tuple[int, str]] = set()
        patience = _Patience()
        while True:
            found = notifier.watch(_PULL_MOST_MS, 0, 0, patience)
            if found == "signal":
                # The library has swallowed what the handler raised, and dropped its events.
                self._is_unsure = self._is_stale = True
                raise KeyboardInterrupt
            if isinstance(found, str):
                return None
            others = {event for event in found if event[1] != self._mark}
            events |= others
            if len(others) < len(found):
                return events

    def _folders(self, events: set[tuple[int, str]]) -> frozenset[str] | None:
        """Return where the events happened; None where they may concern everything."""
        if not events:
            return frozenset()
        walk = self._walk()
        found: set[str] = set()
        new: set[str] = set()
        for kind, place in events:
            path = self._relative(place)
            is_gone = kind != _MODIFIED and path in ("", ".git")
            if is_gone or place in self._governing:
                return None
            if path is None or (path and walk.is_hidden(path)):
                continue
            folder, _, name = path.rpartition("/")
            if name in IGNORE_FILES:
                return None
            found.add(folder if kind_in_memory(path) is None else path)
            if self._is_new(kind, place):
                new.add(path)
        return frozenset(found | self._watch_below(new))

    def _is_new(self, kind: int, place: str) -> bool:
        """Whether a folder came, with all that is in it, or may now be listed."""
        # Where trees are watched, a folder is modified whenever something in it is.
        kinds = (_ADDED, _MODIFIED) if self._one_by_one else (_ADDED,)
        return kind in kinds and is_real_folder(place)

    def _relative(self, place: str) -> str | None:
        if place + os.sep == self._below_root:
            return ""
        if not place.startswith(self._below_root):
            return None
        return place[len(self._below_root) :].replace(os.sep, "/")

    def _walk(self) -> Walk:
        return Walk(self._root, extra_ignores=self._extra_ignores)

    def _watch_below(self, folders: Iterable[str], *, beside: Iterable[str] = ()) -> set[str]:
        """Watch folders and all below them, until none is left unwatched; return them.

        `beside` are other places to be told about.
        """
        below, waiting = tuple(folders), [*beside]
        seen: set[str] = set()
        for _ in range(_TRIES):
            new = self._walk().folders(below) - seen
            if not new and not waiting:
                return seen
            places = [self._place(folder) for folder in new] if self._one_by_one else []
            # Where one was removed since the walk, the next round does without it.
            if self._add([*waiting, *places]):
                waiting = []
                seen |= new
                self._watched |= new
        self._is_stale = not self.is_blind
        return seen

    def _place(self, folder: str) -> str:
        return self._below_root + folder if folder else str(self._root)

    def _add(self, places: Sequence[str], *, is_tree: bool = False) -> bool:
        """Be told about more places; return False where one of them is not there."""
        if not places or self.is_blind:
            return True
        try:
            self._notifiers.append(self._notify([*places, str(Path(self._mark).parent)], is_tree))
        except FileNotFoundError:
            return False
        except ImportError as error:
            self._go_blind(str(error), for_s=_FOR_GOOD_S)
        except (OSError, RuntimeError, ValueError) as error:
            self._go_blind(str(error), for_s=_REFUSED_S)
        return True

    def _renew(self) -> None:
        """Watch everything afresh. What was collected before is lost, hence the doubt."""
        before, self._notifiers, self._watched = self._notifiers, [], set()
        self._is_unsure, self._is_stale, self._blind_until = True, False, 0.0
        self._watch_all()
        if self._is_stale:
            self._go_blind("its folders come and go too fast", for_s=_OVERRUN_S)
        elif not self._notifiers and not self.is_blind:
            self._go_blind("it is not there", for_s=_OVERRUN_S)
        _close(before)

    def _watch_all(self) -> None:
        if not Path(self._mark).is_file():
            # The first time, or after somebody has cleared old files away.
            self._mark = _mark(self)
        if not self._mark:
            self._go_blind("there is no room for a temporary file", for_s=_FOR_GOOD_S)
            return
        kind = file_system(self._root, mounts())
        if kind in REMOTE:
            self._go_blind(f"others may write to it unseen ({kind})", for_s=_FOR_GOOD_S)
            return
        governing = self._walk().governing()
        self._governing = frozenset(map(str, governing))
        places = sorted({str(path.parent) for path in governing} - {str(self._root)})
        if not self._one_by_one:
            places = [place for place in places if not place.startswith(self._below_root)]
            self._add([str(self._root)], is_tree=True)
        self._watch_below(("",), beside=filter(is_real_folder, places))

    def _go_blind(self, reason: str, *, for_s: float) -> None:
        self._blind_until = self._clock() + for_s
        self._is_unsure = True
        _close(self._notifiers)
        self._notifiers = []
        if not self._has_said:
            self._has_said = True
            log.warning("%s is looked through every %g s: %s", self._root, POLL_S, reason)


def _close(notifiers: Iterable[Notifier]) -> None:
    for notifier in notifiers:
        notifier.close()


def _mark(watch: Watch) -> str:
    """Make a file to touch, in a folder of its own; "" where that cannot be."""
    _clear_away(Path(gettempdir()))
    try:
        # Where the folder is reached through a link, events name the other way.
        made = Path(mkdtemp(prefix=_ROOM)).resolve() / "mark"
        made.touch()
    except OSError:
        return ""
    # For a watch that nobody stops.
    weakref.finalize(watch, _remove, str(made))
    return str(made)


def _clear_away(place: Path) -> None:
    """Remove the marks of processes that were killed; one still in use would be made anew."""
    me = os.getuid() if sys.platform != "win32" else 0
    for room in place.glob(f"{_ROOM}*"):
        with suppress(OSError):
            status = room.lstat()
            # Others may put a link here, to a folder of ours.
            if stat.S_ISDIR(status.st_mode) and status.st_uid == me:
                mark = room / "mark"
                if time.time() - mark.lstat().st_mtime > _FORGOTTEN_S:
                    _remove(str(mark))


def _remove(mark: str) -> None:
    with suppress(OSError):
        if mark:
            Path(mark).unlink()
            Path(mark).parent.rmdir()


def _notify(places: Sequence[str], is_tree: bool, /) -> Notifier:  # noqa: FBT001 - a callback
    # The module is private, but its class is what the documentation calls the interface below
    # watch(), which cannot be asked without waiting.
    from watchfiles._rust_notify import RustNotify

    return RustNotify([*places], False, False, 0, is_tree, False)  # noqa: FBT003 - not ours
