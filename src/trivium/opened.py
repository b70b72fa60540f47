"""The files that people open -> those opened most, of late.

Opened is what someone asked for by itself, to read it: a node or a chunk by its id. What a
search lists is not. Kept in one small file of the collection, for all processes; where that
cannot be written, in memory. Held by the collection.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from trivium.models.beside import Damaged, FileBeside

_MOST = 1000
# What was opened a month ago counts half of what was opened now.
_HALF_LIFE_S = 30 * 24 * 3600.0
_TABLE = "CREATE TABLE IF NOT EXISTS opened (path TEXT PRIMARY KEY, weight REAL NOT NULL)"


class OpenedFiles:
    """The weights of at most `most` files, in the file at `path`. Safe from many threads.

    A weight is the logarithm, to base 2, of a sum in which every opening counts twice as much
    as one a half-life earlier: it needs no change as time goes by.
    """

    def __init__(
        self, path: Path, *, most: int = _MOST, clock: Callable[[], float] = time.time
    ) -> None:
        self._file = FileBeside(path, table=_TABLE)
        self._most = most
        self._clock = clock
        self._guard = Lock()
        self._unwritten: dict[str, float] = {}

    def note(self, path: str) -> None:
        """Count that a file was opened now; never raises."""
        weight = self._clock() / _HALF_LIFE_S

        def write(file: sqlite3.Connection) -> bool:
            row = file.execute("SELECT weight FROM opened WHERE path = ?", (path,)).fetchone()
            added = weight if row is None else _sum(_weight(row[0]), weight)
            file.execute("INSERT OR REPLACE INTO opened VALUES (?, ?)", (path, added))
            if row is None:
                file.execute(
                    "DELETE FROM opened WHERE path IN "
                    "(SELECT path FROM opened ORDER BY weight DESC, path LIMIT -1 OFFSET ?)",
                    (self._most,),
                )
            return True

        if self._file.write(write) is None:
            with self._guard:
                if path in self._unwritten or len(self._unwritten) < self._most:
                    known = self._unwritten.get(path)
                    self._unwritten[path] = weight if known is None else _sum(known, weight)

    def most(self, limit: int) -> list[str]:
        """Return the paths that were opened most, at most `limit` of them."""
        found: dict[str, float] = self._file.read(_weights) or {}
        with self._guard:
            for path, weight in self._unwritten.items():
                found[path] = _sum(found[path], weight) if path in found else weight
        return sorted(found, key=lambda path: (-found[path], path))[:limit]

    def forget(self) -> None:
        """Forget all of them."""
        with self._guard:
            self._unwritten.clear()
        self._file.remove()


def _weights(file: sqlite3.Connection) -> dict[str, float]:
    rows = file.execute("SELECT path, weight FROM opened WHERE typeof(path) = 'text'")
    return {path: _weight(weight) for path, weight in rows}


def _weight(kept: object) -> float:
    if not isinstance(kept, float):
        raise Damaged("a weight that is no number")
    return kept


def _sum(one: float, other: float) -> float:
    """Return log2(2^one + 2^other), which neither overflows nor loses the smaller."""
    return max(one, other) + math.log2(1 + 2 ** -abs(one - other))
