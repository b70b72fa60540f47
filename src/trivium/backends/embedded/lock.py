"""One writer at a time, across processes.

The operating system drops the lock when its holder dies, so a crash never leaves a
collection locked. A note beside it says who holds it, for people.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from trivium.errors import IndexLocked


@contextmanager
def writer_lock(folder: Path, *, wait_s: float) -> Iterator[None]:
    """Hold the writer lock of `folder`. Raises IndexLocked, naming the holder."""
    lock = FileLock(folder / "writer.lock", thread_local=False)
    note = folder / "writer.txt"
    try:
        lock.acquire(timeout=wait_s, poll_interval=0.02)
    except Timeout as error:
        raise IndexLocked(str(folder), holder=_holder(note)) from error
    try:
        command = Path(sys.argv[0]).name or "python"
        # The note is for people: a full disk must not keep anyone from the lock.
        with suppress(OSError):
            note.write_text(f"process {os.getpid()} ({command})", encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)
        lock.release()


def _holder(note: Path) -> str:
    try:
        return note.read_text(encoding="utf-8") or "another process"
    except OSError:
        return "another process"
