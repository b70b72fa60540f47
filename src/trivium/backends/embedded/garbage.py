"""Texts and vectors that no chunk uses any more -> gone from the store.

Only where no other collection shares the store: what that one needs cannot be seen from here.
What goes is overwritten (see database.connect), so that it cannot be read from the files.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from trivium.backends.embedded import database, kept

# Some are kept, since a branch that comes back brings its texts back.
_UNUSED_SHARE = 0.5
_UNUSED_LEAST = 200


def drop_if_much(connection: sqlite3.Connection, own: str) -> None:
    """Drop what is unused once it is more than a share of the texts, and not just a few."""
    texts = _count(connection, "store.texts")
    # Files may share a text, so this is the least that is unused; counting it is cheap.
    unused = texts - _count(connection, "files")
    if unused > max(_UNUSED_LEAST, _UNUSED_SHARE * texts):
        drop_unused(connection, own)


def drop_unused(connection: sqlite3.Connection, own: str) -> None:
    """Remove texts and vectors no collection of this store uses any more."""
    with database.transaction(connection):
        # Asked inside: another collection enters itself together with its first texts.
        if has_other_users(connection, own):
            return
        connection.execute("DELETE FROM store.texts WHERE key NOT IN (SELECT text_key FROM files)")
        connection.execute("DELETE FROM store.vectors WHERE key NOT IN (SELECT key FROM chunks)")
    with database.transaction(connection):
        kept.clear(connection)


def has_other_users(connection: sqlite3.Connection, own: str) -> bool:
    """Say whether another collection that still exists keeps its texts in this store."""
    users = connection.execute("SELECT folder FROM store.users").fetchall()
    return any(folder != own and Path(folder).is_dir() for (folder,) in users)


def forget_all(connection: sqlite3.Connection, own: str) -> None:
    """Empty the record and give up what only this collection kept in the store."""
    with database.transaction(connection):
        for table in (
            "chunks", "nodes", "edges", "ids", "files", "skipped", "removed", "mentions", "history",
        ):  # fmt: skip
            connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names above
        revision = int(database.read_meta(connection).get("revision", "0")) + 1
        database.write_meta(connection, {"revision": str(revision)})
    drop_unused(connection, own)
    connection.execute("DELETE FROM store.users WHERE folder = ?", (own,))
    database.truncate_logs(connection)


def _count(connection: sqlite3.Connection, table: str) -> int:
    # The table names are those above, never a user's.
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
