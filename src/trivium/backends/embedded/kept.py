"""Vectors of a model <-> rows of a file in the store, one after the other, as they are scanned.

`store.db` says whose row stands at which place, and how many places are taken: what a death has
left behind these is written over. Rows are synced before the transaction ends that names them,
so one that is named is there. A collection that has most of the rows scans this file itself.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The number of a model, where its id is given.
MODEL = "(SELECT id FROM store.models WHERE model = ?)"
_MOVED_AT_ONCE = 4096


def folder_of(store: Path) -> Path:
    """Return where the rows of all models lie."""
    return store / "vectors"


class Kept(NamedTuple):
    """The rows of one model: its number, their file, how long and how many they are.

    A model that is begun anew has another number, and another file: whoever still scans the rows
    before finds those or none, never rows of other texts.
    """

    number: int
    file: Path
    dimension: int
    taken: int

    @property
    def there(self) -> int:
        """How many rows can be read: fewer than are taken where the file was lost or cut."""
        try:
            return min(self.taken, self.file.stat().st_size // self.dimension)
        except FileNotFoundError:
            return 0

    def has_vectors(self, connection: sqlite3.Connection) -> bool:
        """Say whether any row is of a vector."""
        asked = "SELECT 1 FROM store.vectors WHERE model = ? LIMIT 1"
        return connection.execute(asked, (self.number,)).fetchone() is not None

    def rows(self) -> NDArray[np.int8]:
        """Return the rows that can be read, mapped."""
        import numpy as np

        shape = (self.there, self.dimension)
        if not shape[0]:
            return np.empty(shape, np.int8)
        # A plain array: a memmap runs Python code whenever a part of it is taken.
        return np.asarray(np.memmap(self.file, np.int8, mode="r", shape=shape))

    def write(self, places: Sequence[int], rows: NDArray[np.int8]) -> None:
        """Write rows at their places, which ascend, and wait until the disk has them."""
        import numpy as np

        self.file.parent.mkdir(exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        breaks = np.flatnonzero(np.diff(places) != 1) + 1
        with os.fdopen(os.open(self.file, flags, 0o666), "r+b") as file:
            for run, part in zip(np.split(places, breaks), np.split(rows, breaks), strict=True):
                file.seek(int(run[0]) * self.dimension)
                file.write(np.ascontiguousarray(part).data)
            file.flush()
            os.fsync(file.fileno())


def find(connection: sqlite3.Connection, model_id: str) -> Kept | None:
    """Return the rows of a model; None where there are none."""
    return next((one for name, one in _every(connection) if name == model_id), None)


def _every(connection: sqlite3.Connection) -> list[tuple[str, Kept]]:
    files = {name: file for _, name, file in connection.execute("PRAGMA database_list")}
    folder = folder_of(Path(files["store"]).parent)
    rows = connection.execute("SELECT id, model, dimension, taken FROM store.models ORDER BY model")
    return [
        (name, Kept(number, folder / f"{name}-{number}.rows", *more))
        for number, name, *more in rows
    ]


def put(
    connection: sqlite3.Connection,
    model_id: str,
    keys: Sequence[bytes],
    rows: NDArray[np.int8],
    scales: Sequence[float],
) -> None:
    """Keep rows under their keys; part of the caller's transaction, which holds the store."""
    if is_lost(connection):
        # Else rows that come after them would make holes, which look like rows.
        forget_lost(connection)
    kept = find(connection, model_id)
    if kept is None or kept.dimension != rows.shape[1]:
        kept = _begun(connection, model_id, rows.shape[1])
    free = connection.execute(
        "SELECT place FROM store.free WHERE model = ? ORDER BY place LIMIT ?",
        (kept.number, len(keys)),
    ).fetchall()
    taken = kept.taken + len(keys) - len(free)
    places = [*(place for (place,) in free), *range(kept.taken, taken)]
    if not places:
        return
    kept.write(places, rows)
    connection.executemany(
        "DELETE FROM store.free WHERE model = ? AND place = ?",
        [(kept.number, place) for (place,) in free],
    )
    connection.execute("UPDATE store.models SET taken = ? WHERE id = ?", (taken, kept.number))
    connection.executemany(
        "INSERT OR REPLACE INTO store.vectors (model, key, scale, place) VALUES (?, ?, ?, ?)",
        [(kept.number, *one) for one in zip(keys, scales, places, strict=True)],
    )


def _begun(connection: sqlite3.Connection, model_id: str, dimension: int) -> Kept:
    """Begin the rows of a model that has no vectors, or none any more."""
    before = find(connection, model_id)
    if before is not None:
        _forget(connection, before)
    connection.execute("INSERT INTO store.models VALUES (NULL, ?, ?, 0)", (model_id, dimension))
    made = find(connection, model_id)
    assert made is not None  # noqa: S101 - inserted just above
    return made


def _forget(connection: sqlite3.Connection, kept: Kept) -> None:
    """Drop all that is kept of a model, and its file."""
    for table in ("vectors", "free"):
        connection.execute(f"DELETE FROM store.{table} WHERE model = ?", (kept.number,))  # noqa: S608
    connection.execute("DELETE FROM store.models WHERE id = ?", (kept.number,))
    kept.file.unlink(missing_ok=True)


def is_lost(connection: sqlite3.Connection) -> bool:
    """Say whether a file is gone or shorter than it must be."""
    return any(kept.there < kept.taken for _, kept in _every(connection))


def forget_lost(connection: sqlite3.Connection) -> None:
    """Drop the vectors of models whose rows the disk has lost, so that they are made again.

    All of a model: who scans its file would take rows that come for those that were there.
    """
    for _, kept in _every(connection):
        if kept.there < kept.taken:
            _forget(connection, kept)


def clear(connection: sqlite3.Connection, *, only: str | None = None) -> None:
    """Write over rows that no vector has any more, of one model or of all, and free their places.

    In a transaction after the one that dropped them: until that has ended, they may come back.
    """
    import numpy as np

    for name, kept in _every(connection):
        if only not in (None, name):
            continue
        rows = connection.execute(
            "SELECT place FROM store.vectors WHERE model = ?1 "
            "UNION ALL SELECT place FROM store.free WHERE model = ?1",
            (kept.number,),
        )
        known = np.fromiter((place for (place,) in rows), np.int64)
        gaps = np.setdiff1d(np.arange(kept.there), known).tolist()
        if gaps:
            kept.write(gaps, np.zeros((len(gaps), kept.dimension), np.int8))
        connection.executemany(
            "INSERT INTO store.free VALUES (?, ?)", [(kept.number, place) for place in gaps]
        )
        if not kept.has_vectors(connection):
            _forget(connection, kept)


def stored(
    connection: sqlite3.Connection, model_id: str
) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
    """Yield the vectors of the chunks of a record with their keys, each key once."""
    import numpy as np

    kept = find(connection, model_id)
    if kept is None:
        return
    matrix = kept.rows()
    rows = connection.execute(
        "SELECT key, scale, place FROM store.vectors WHERE model = ? "
        "AND key IN (SELECT key FROM chunks) ORDER BY key",
        (kept.number,),
    )
    for key, scale, place in rows:
        if place < len(matrix):
            yield key, matrix[place].astype(np.float32) * np.float32(scale)


def take_over(connection: sqlite3.Connection) -> None:
    """Move vectors out of the table `older`, where they stand among its rows, and drop it."""
    import numpy as np

    # No number is used twice: collections know by it which vectors are new.
    connection.execute(
        "INSERT INTO store.sqlite_sequence "
        "SELECT 'vectors', seq FROM store.sqlite_sequence WHERE name = 'older'"
    )
    models = connection.execute("SELECT DISTINCT model, length(int8) FROM store.older").fetchall()
    for model_id, dimension in models:
        rows = connection.execute(
            "SELECT key, scale, int8 FROM store.older WHERE model = ? AND length(int8) = ? "
            "ORDER BY id",
            (model_id, dimension),
        )
        while some := rows.fetchmany(_MOVED_AT_ONCE):
            matrix = np.frombuffer(b"".join(row[2] for row in some), np.int8)
            keys, scales = [row[0] for row in some], [row[1] for row in some]
            put(connection, model_id, keys, matrix.reshape(-1, dimension), scales)
    connection.execute("DROP TABLE store.older")
