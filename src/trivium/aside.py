"""Bytes -> a file that is replaced all at once: written aside, synced, renamed.

Used for every file that has no transaction of its own, but for those of the memory, which must
not take the place of another's (memory.files). `Replaced` reads such a file again only once
another has taken its place.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Generic, TypeVar

T = TypeVar("T")
# File systems tell times in steps of up to ten milliseconds, FAT of two seconds: of two files
# that young, one may have the number and the time of the other.
_SETTLED_NS = 3_000_000_000


def write_aside(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Make `data` the content of `path`; a reader sees the old content or the new."""
    with writing_aside(path, mode=mode) as file:
        file.write(data)


@contextmanager
def writing_aside(path: Path, *, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Give a file to write that becomes `path` at the end, unless that is not reached.

    `mode` says who may read and write it, from its first byte on.
    """
    temporary = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


class Replaced(Generic[T]):
    """What `make` reads out of a file that is only ever replaced; None where it is not there."""

    def __init__(self, path: Path, make: Callable[[bytes], T | None]) -> None:
        self._path = path
        self._make = make
        self._known: tuple[tuple[int, ...], T | None] | None = None

    def now(self) -> T | None:
        """Return what the file says now. Raises OSError if it cannot be read."""
        try:
            found = self._path.stat()
            identity = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
            known = self._known
            if known is not None and known[0] == identity:
                return known[1]
            made = self._make(self._path.read_bytes())
        except FileNotFoundError:
            return None
        is_settled = time.time_ns() - found.st_mtime_ns > _SETTLED_NS
        self._known = (identity, made) if is_settled else None
        return made
