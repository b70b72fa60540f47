"""One writer at a time, and one that embeds with a model, across processes.

The operating system drops a lock when its holder dies, so a crash never leaves a
collection locked. A note beside it says who holds it, for people.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from trivium.errors import IndexLocked

_POLL_S = 0.02
_MOST_TRIES = 20
Wanted = Callable[[Path], bool]


def always(_: Path) -> bool:
    """Any folder is wanted."""
    return True


@contextmanager
def writer_lock(folder: Path, *, wait_s: float, wanted: Wanted = always) -> Iterator[None]:
    """Hold the writer lock of `folder`. Raises IndexLocked, naming the holder.

    A folder that is no longer `wanted` at the end, since it was removed while this one waited
    and brought it back with its lock, is removed again.
    """
    lock = FileLock(folder / "writer.lock", thread_local=False)
    with _swept(folder, wanted), _held(lock, folder / "writer.txt", wait_s=wait_s):
        try:
            yield
        finally:
            _drop_unwanted(folder, wanted, "writer.lock")


@contextmanager
def turn_lock(folder: Path, name: str, *, wait_s: float, wanted: Wanted = always) -> Iterator[None]:
    """Have the turn called `name` in `folder`. Raises IndexLocked, naming the holder.

    Whoever waits stands at a gate that the holder has to pass again, too: turns go round.
    A folder that is no longer `wanted` is left as by the writer lock.
    """
    until = time.monotonic() + wait_s
    gate = FileLock(folder / f"{name}.next.lock", thread_local=False)
    note = folder / f"{name}.turn.txt"
    lock = FileLock(folder / f"{name}.turn.lock", thread_local=False)
    with _swept(folder, wanted), ExitStack() as waiting, ExitStack() as turn:
        waiting.enter_context(_acquired(gate, note, wait_s=wait_s))
        waiting.callback(_drop_unwanted, folder, wanted, f"{name}.next.lock")
        left_s = max(0.0, until - time.monotonic())
        turn.enter_context(_held(lock, note, wait_s=left_s))
        turn.callback(_drop_unwanted, folder, wanted, f"{name}.turn.lock")
        waiting.close()
        yield


def _drop_unwanted(folder: Path, wanted: Wanted, lock: str) -> None:
    """Remove the file of a lock that is still held: whoever waits for it notices."""
    if not wanted(folder):
        with suppress(OSError):
            (folder / lock).unlink(missing_ok=True)


@contextmanager
def _swept(folder: Path, wanted: Wanted) -> Iterator[None]:
    """Remove a folder that is not wanted and holds nothing, once no lock in it is held."""
    try:
        yield
    finally:
        if not wanted(folder):
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def _held(lock: FileLock, note: Path, *, wait_s: float) -> Iterator[None]:
    with _acquired(lock, note, wait_s=wait_s):
        command = Path(sys.argv[0]).name or "python"
        # The note is for people: a full disk must not keep anyone from the lock.
        with suppress(OSError):
            note.write_text(f"process {os.getpid()} ({command})", encoding="utf-8")
        try:
            yield
        finally:
            with suppress(OSError):
                note.unlink(missing_ok=True)


@contextmanager
def _acquired(lock: FileLock, note: Path, *, wait_s: float) -> Iterator[None]:
    until = time.monotonic() + wait_s
    for _ in range(_MOST_TRIES):
        try:
            left_s = max(0.0, until - time.monotonic())
            lock.acquire(timeout=left_s, poll_interval=_POLL_S)
            break
        except Timeout as error:
            raise IndexLocked(str(note.parent), holder=_holder(note)) from error
        except FileNotFoundError:
            # The index was removed while this one waited.
            note.parent.mkdir(parents=True, exist_ok=True)
    else:
        raise IndexLocked(str(note.parent), holder="a process that removes it")
    try:
        yield
    finally:
        lock.release()


def _holder(note: Path) -> str:
    try:
        return note.read_text(encoding="utf-8") or "another process"
    except OSError:
        return "another process"
