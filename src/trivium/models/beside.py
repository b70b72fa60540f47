"""A small SQLite file beside an index -> what can be read from it, or nothing.

For what is good to have and can be done without: a file that cannot be used now is done
without, a damaged one is removed, and the next to write makes it anew. Takes no lock of the
index and raises nothing. Used for the vectors of queries and for the files that were opened.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

T = TypeVar("T")
Use = Callable[[sqlite3.Connection], T]

# Others hold the file for less than a millisecond; going without is better than waiting.
_BUSY_S = 0.1


class Damaged(sqlite3.DatabaseError):
    """A file can be read, but what it says is not what was put there."""


class FileBeside:
    """The file at `path` with one `table`. Safe to use from many threads and processes.

    Its folder is not made here. Opened anew each time: a file that stays open could not be
    removed by others.
    """

    def __init__(self, path: Path, *, table: str) -> None:
        self._path = path
        self._table = table

    def read(self, use: Use[T]) -> T | None:
        """Return what `use` finds; None if the file is not there or cannot be read."""
        return self._used(use, mode="ro")

    def write(self, use: Use[T]) -> T | None:
        """Return what `use` gives, which is kept whole or not at all; None if it is not."""

        def change(file: sqlite3.Connection) -> T:
            # A crash may damage the file, which costs little; but no journal is left behind
            # that could be played back into a file made anew.
            file.execute("PRAGMA journal_mode = MEMORY")
            file.execute("PRAGMA synchronous = OFF")
            file.execute("PRAGMA secure_delete = ON")
            file.execute("BEGIN IMMEDIATE")
            file.execute(self._table)
            made = use(file)
            file.execute("COMMIT")
            return made

        with suppress(OSError):
            # Made here, since SQLite would let others read it.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        return self._used(change, mode="rw")

    def remove(self) -> None:
        """Remove the file, if that can be done."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _used(self, use: Use[T], *, mode: str) -> T | None:
        address = f"file:{quote(str(self._path))}?mode={mode}"
        try:
            file = sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
            try:
                return use(file)
            finally:
                file.close()
        except (sqlite3.OperationalError, UnicodeError):
            # Not there, not allowed, in use, the disk is full, or a name that is no text.
            return None
        except sqlite3.DatabaseError:
            self.remove()
            return None
