"""A query and a model -> the vector that query had before, in this process or an earlier one.

Kept by hash, never in the clear: in memory, and in one small file of the collection, so that a
query asked again loads no model. Held by the collection.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from trivium.models.base import Embedder
from trivium.models.beside import Damaged, FileBeside

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_IN_MEMORY = 256
_TABLE = """
CREATE TABLE IF NOT EXISTS queries (
  id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL, digest BLOB NOT NULL
)
"""


class QueryVectors:
    """The vectors of the last queries, at most `most` of them in the file at `path`.

    The folder of the file is not made here: where it is not there, memory has to do. Safe to
    use from many threads and processes.
    """

    def __init__(self, path: Path, *, most: int) -> None:
        self._file = FileBeside(path, table=_TABLE)
        self._most = most
        self._guard = Lock()
        self._memory: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    def get(self, key: bytes) -> NDArray[np.float32] | None:
        """Return the vector kept under `key`, or None."""
        with self._guard:
            found = self._memory.get(key)
            if found is not None:
                self._memory.move_to_end(key)
                return found
        found = self._read(key) if self._most else None
        if found is not None:
            self._remember(key, found)
        return found

    def put(self, key: bytes, vector: NDArray[np.float32]) -> None:
        """Keep a vector; the oldest beyond the bounds are forgotten."""
        import numpy as np

        kept = np.array(vector, "<f4")
        kept.setflags(write=False)
        self._remember(key, kept)
        if self._most:
            self._write(key, kept.tobytes())
        else:
            # What was kept before the setting said none.
            self._file.remove()

    def count(self) -> int:
        """Return how many are kept in the file."""
        return self._file.read(_counted) or 0

    def forget(self) -> None:
        """Forget all of them, in memory and in the file."""
        with self._guard:
            self._memory.clear()
        self._file.remove()

    def _remember(self, key: bytes, vector: NDArray[np.float32]) -> None:
        with self._guard:
            self._memory[key] = vector
            self._memory.move_to_end(key)
            while len(self._memory) > _IN_MEMORY:
                self._memory.popitem(last=False)

    def _read(self, key: bytes) -> NDArray[np.float32] | None:
        import numpy as np

        row = self._file.read(partial(_found, key=key))
        if row is None or row.digest != _digest(key, row.vector):
            return None
        if row.newer > self._most // 2:
            # Not at every use: what is asked often need only be newer than the older half.
            self._write(key, row.vector)
        return np.frombuffer(row.vector, "<f4")

    def _write(self, key: bytes, vector: bytes) -> None:
        self._file.write(partial(_kept, key=key, vector=vector, most=self._most))


@dataclass(frozen=True, slots=True)
class _Row:
    """A vector as it is kept, and how many ids were given since."""

    vector: bytes
    digest: bytes
    newer: int


def _counted(file: sqlite3.Connection) -> int:
    return int(file.execute("SELECT count(*) FROM queries").fetchone()[0])


def _found(file: sqlite3.Connection, *, key: bytes) -> _Row | None:
    asked = "SELECT vector, digest, (SELECT max(id) FROM queries) - id FROM queries WHERE key = ?"
    row = file.execute(asked, (key,)).fetchone()
    if row is None:
        return None
    found = _Row(*row)
    kept_as = (bytes, bytes, int)
    if (type(found.vector), type(found.digest), type(found.newer)) != kept_as:
        raise Damaged("a vector that is no vector")
    return found


def _kept(file: sqlite3.Connection, *, key: bytes, vector: bytes, most: int) -> None:
    file.execute(
        "INSERT OR REPLACE INTO queries (key, vector, digest) VALUES (?, ?, ?)",
        (key, vector, _digest(key, vector)),
    )
    # Ids only grow, and one that is replaced leaves a gap: no more than `most` stay.
    file.execute("DELETE FROM queries WHERE id <= (SELECT max(id) FROM queries) - ?", (most,))


class RememberingEmbedder:
    """An embedder that embeds no query twice."""

    def __init__(self, embedder: Embedder, queries: QueryVectors) -> None:
        self._embedder = embedder
        self._queries = queries

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self._embedder.name

    @property
    def model_id(self) -> str:
        """The name of the space its vectors live in."""
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        return self._embedder.dimension

    @property
    def is_instant(self) -> bool:
        """Whether it may run before an answer is given."""
        return self._embedder.is_instant

    @property
    def strength(self) -> int:
        """How good its vectors are, beside other models."""
        return self._embedder.strength

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text; an index keeps those itself."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query, shape (dimension,); not to be written to."""
        key = query_key(self.model_id, text)
        found = self._queries.get(key)
        if found is None:
            found = self._embedder.embed_query(text)
            self._queries.put(key, found)
        return found


def query_key(model_id: str, text: str) -> bytes:
    """Return the hash that stands for a query to a model; another model has another."""
    return hashlib.blake2b(json.dumps([model_id, text]).encode(), digest_size=32).digest()


def _digest(key: bytes, vector: bytes) -> bytes:
    """Return what tells a row that was kept whole from one that a crash left."""
    return hashlib.blake2b(key + vector, digest_size=8).digest()
