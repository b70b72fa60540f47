"""Ids of nodes <-> the numbers that rows of the record go by.

A number stays with its id as long as a node or an edge has it, so that edges of other files lead
to a node again when its file is written anew. Each function is part of its caller's transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from trivium.backends.embedded.pinned import GIVEN


def numbered(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, int]:
    """Return the numbers of these ids; those that are new get the next ones, in this order."""
    found: dict[str, int] = {}
    new: list[tuple[int, str]] = []
    last = int(connection.execute("SELECT coalesce(max(id), 0) FROM ids").fetchone()[0])
    for one in dict.fromkeys(ids):
        row = connection.execute("SELECT id FROM ids WHERE node_id = ?", (one,)).fetchone()
        if row is None:
            last += 1
            new.append((last, one))
        found[one] = last if row is None else row[0]
    connection.executemany("INSERT INTO ids VALUES (?, ?)", new)
    return found


def of_file(connection: sqlite3.Connection, file: int) -> set[int]:
    """Return the numbers that the nodes and edges of a file have."""
    rows = connection.execute(
        "SELECT id FROM nodes WHERE file = ?1 UNION SELECT source FROM edges WHERE file = ?1 "
        "UNION SELECT target FROM edges WHERE file = ?1",
        (file,),
    )
    return {number for (number,) in rows}


def drop_unused(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Forget those of these ids that no node and no edge has any more."""
    connection.execute(
        f"DELETE FROM ids WHERE id IN {GIVEN} "  # noqa: S608
        "AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = ids.id) "
        "AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.source = ids.id) "
        "AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.target = ids.id)",
        (json.dumps(list(numbers)),),
    )
