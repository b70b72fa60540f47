"""One state of the record, as readers of its parts have it. Base of the two that follow it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from trivium.backends.embedded import database

if TYPE_CHECKING:
    from trivium.backends.embedded.life import Life

K = TypeVar("K")
T = TypeVar("T")

# Values given as one array of JSON.
GIVEN = "(SELECT value FROM json_each(?))"
# So many are looked at one by one.
FEW = 1000


class Pinned:
    """A connection that stays at one state of the record, and what is known of that state."""

    def __init__(self, life: Life, connection: sqlite3.Connection) -> None:
        self._life = life
        self._sql = connection
        # Reading anything here is what pins SQLite to this state.
        meta = database.read_meta(connection)
        self.seq = int(meta["seq"])
        self._revision = meta.get("revision", "0")
        self._indexed_at = meta.get("indexed_at", "")
        self._origin = meta.get("origin", "folder")
        self._history_head = meta.get("history_head", "")

    def _known(
        self, what: str, keys: Sequence[K], read: Callable[[list[K]], Mapping[K, T]], *, most: int
    ) -> dict[K, T]:
        """Return what there is of these keys; only what was not read from this state is read.

        Reading takes longer than all that is done with it, and much is asked for again.
        """
        known: dict[K, T] = self._life.read_before(what, self._revision, most=most)
        found = {key: one for key in keys if (one := known.get(key)) is not None}
        unseen = [key for key in keys if key not in found]
        if unseen:
            there = read(unseen)
            known.update(there)
            found.update(there)
        return found
