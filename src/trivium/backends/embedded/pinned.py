"""One state of the record, as readers of its parts have it. Base of the two that follow it."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from trivium.backends.embedded import database

if TYPE_CHECKING:
    from trivium.backends.embedded.life import Life

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
