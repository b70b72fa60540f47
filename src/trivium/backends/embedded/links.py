"""What the record holds for linking: who names what, what is named so, and what waits.

Each function is part of its caller's transaction. Called by the writer and the snapshot.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from trivium.backends.base import Batch, Census, Linked, Unlinked
from trivium.backends.embedded import ids
from trivium.backends.embedded.rows import (
    NODE_COLUMNS,
    NODES,
    edge_type,
    edge_values,
    key_number,
    node_of,
    unpacked,
)
from trivium.linking.keys import Offer, offers, wanted
from trivium.types import Edge, NodeId, Reference, Symbol

# A file waits to be linked, is linked, or names nothing that could be.
WAITING, LINKED, NOTHING_TO_LINK = 0, 1, 2
_REACH = (
    " AND (id IN (SELECT file FROM mentions WHERE key IN (SELECT value FROM json_each(?)))"
    " OR substr(path, 1, ?) = ? AND instr(substr(path, ?), '/') = 0)"
)
# A name with more definitions leads only where an import or a folder says so.
_MANY = 64


def remember(connection: sqlite3.Connection, file: int, references: Iterable[Reference]) -> None:
    """Note what a file names."""
    keys = {key for one in references for key in wanted(one)}
    _note(connection, file, keys)


def _note(connection: sqlite3.Connection, file: int, keys: Iterable[str]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO mentions VALUES (?, ?)", [(key_number(key), file) for key in keys]
    )


def forget(connection: sqlite3.Connection, file: int) -> None:
    """Drop the notes of a file that goes; ones that linking added may stay behind, harmless."""
    row = connection.execute("SELECT refs FROM files WHERE id = ?", (file,)).fetchone()
    keys = {key for one in unpacked(row[0]) for key in wanted(one)}
    connection.executemany(
        "DELETE FROM mentions WHERE key = ? AND file = ?", [(key_number(key), file) for key in keys]
    )


def unlink_affected(connection: sqlite3.Connection, batch: Batch) -> None:
    """Make the files wait that name what this batch brings or takes away."""
    if not connection.execute(f"SELECT 1 FROM files WHERE linked = {LINKED}").fetchone():  # noqa: S608
        return
    # A name that few have after this batch has no more than so many before it.
    many = _MANY + len(batch.removed) + len(batch.replaced)
    for path in batch.removed:
        _unlink(connection, path, _known_offers(connection, path), many=many)
    for content in batch.replaced:
        path = content.state.path
        now = offers(path, content.nodes, content.references)
        _unlink(connection, path, _known_offers(connection, path) ^ now, many=many)


def _known_offers(connection: sqlite3.Connection, path: str) -> set[Offer]:
    row = connection.execute("SELECT id, refs FROM files WHERE path = ?", (path,)).fetchone()
    if row is None:
        return set()
    rows = connection.execute(
        f"SELECT {NODE_COLUMNS} FROM {NODES} WHERE n.file = ?",  # noqa: S608
        (row[0],),
    )
    return offers(path, map(node_of, rows), unpacked(row[1]))


def _unlink(
    connection: sqlite3.Connection, path: str, changed: Iterable[Offer], *, many: int
) -> None:
    names = {key for key, _ in changed}
    if not names:
        return
    own = {key for key, _ in offers(path, (), ())}
    near = json.dumps([key_number(key) for key in own])
    folder = path.rpartition("/")[0]
    for name in names:
        number = key_number(name)
        count = connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM nodes WHERE symbol = ? LIMIT ?)",
            (name, many + 1),
        ).fetchone()[0]
        reach = ""
        values: tuple[object, ...] = (number,)
        if count > many:
            # So common a name is found only by those that import this file or lie beside it.
            reach = _REACH
            prefix = folder + "/" if folder else ""
            values = (number, near, len(prefix), prefix, len(prefix) + 1)
        connection.execute(
            f"UPDATE files SET linked = {WAITING} WHERE linked = {LINKED} AND id IN "  # noqa: S608
            f"(SELECT file FROM mentions WHERE key = ?){reach}",
            values,
        )


def unlinked(connection: sqlite3.Connection, *, limit: int) -> list[Unlinked]:
    """Return files that wait."""
    rows = connection.execute(
        "SELECT path, refs FROM files WHERE linked = 0 ORDER BY id LIMIT ?", (limit,)
    )
    return [Unlinked(path, unpacked(refs)) for path, refs in rows]


def link(connection: sqlite3.Connection, linked: Sequence[Linked]) -> None:
    """Replace the edges that came from the references of these files."""
    for one in linked:
        row = connection.execute("SELECT id FROM files WHERE path = ?", (one.path,)).fetchone()
        if row is None:
            continue
        file = row[0]
        before = ids.of_file(connection, file)
        connection.execute("DELETE FROM edges WHERE file = ? AND NOT own", (file,))
        add_edges(connection, file, one.edges, own=False)
        ids.drop_unused(connection, before)
        _note(connection, file, one.keys)
        connection.execute("UPDATE files SET linked = 1 WHERE id = ?", (file,))


def add_edges(
    connection: sqlite3.Connection, file: int, edges: Sequence[Edge], *, own: bool
) -> None:
    """Add edges of a file: its own, or those that came from its references."""
    numbers = ids.numbered(connection, (end for one in edges for end in (one.source, one.target)))
    connection.executemany(
        "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(file, own, *edge_values(one, numbers)) for one in edges],
    )


def symbols(
    connection: sqlite3.Connection, names: Sequence[str], *, most: int
) -> Mapping[str, list[Symbol]]:
    """Return the code of these exact names, at most `most` of each."""
    rows = connection.execute(
        "SELECT n.symbol, i.node_id, n.a_type, n.a_lang, f.path "  # noqa: S608
        f"FROM json_each(?) j, {NODES} "
        "WHERE n.id IN (SELECT id FROM nodes WHERE symbol = j.value ORDER BY id LIMIT ?)",
        (json.dumps(names), most),
    )
    found: dict[str, list[Symbol]] = {}
    for name, node_id, type_, language, path in rows:
        one = Symbol(NodeId(node_id), type_ or "", language or "", path)
        found.setdefault(name, []).append(one)
    for several in found.values():
        several.sort(key=lambda one: one.id)
    return found


def outline(connection: sqlite3.Connection, path: str) -> list[Symbol]:
    """Return the code nodes of one file in order."""
    rows = connection.execute(
        f"SELECT i.node_id, n.a_type, n.a_lang FROM {NODES} "  # noqa: S608
        "WHERE f.path = ? AND n.symbol IS NOT NULL ORDER BY n.place",
        (path,),
    )
    return [Symbol(NodeId(node_id), type_ or "", lang or "", path) for node_id, type_, lang in rows]


def census(connection: sqlite3.Connection) -> Census:
    """Count nodes and edges by sort."""

    def count(column: str, source: str) -> dict[str, int]:
        # Columns and tables are those below, never a user's.
        rows = connection.execute(
            f"SELECT {column}, count(*) FROM {source} GROUP BY 1 ORDER BY 2 DESC, 1"  # noqa: S608
        )
        return {str(name): int(number) for name, number in rows if name}

    marks: Counter[str] = Counter()
    for (raw,) in connection.execute(
        "SELECT json_extract(body, '$[8].marks') FROM nodes "
        "WHERE a_kind = 'file' AND instr(body, '\"marks\"') > 0"
    ):
        marks.update(json.loads(raw) if raw else ())
    failures = connection.execute("SELECT path, failure FROM files WHERE failure <> ''")
    named = 0
    for (refs,) in connection.execute("SELECT refs FROM files WHERE length(refs) > 0"):
        named += len(unpacked(refs))
    resolved = connection.execute("SELECT count(*) FROM edges WHERE NOT own").fetchone()[0]
    waiting = connection.execute("SELECT count(*) FROM files WHERE linked = 0").fetchone()[0]
    return Census(
        kinds=count("a_kind", "nodes"),
        types=count("a_type", "nodes"),
        languages=count("a_lang", "nodes WHERE a_kind = 'file'"),
        edges=_by_type(connection),
        marks=dict(sorted(marks.items())),
        failures=dict(failures),
        references=named,
        resolved=int(resolved),
        unlinked=int(waiting),
    )


def _by_type(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many edges there are of each type, most first."""
    rows = connection.execute("SELECT type, count(*) FROM edges GROUP BY type")
    found = [(edge_type(number).value, int(count)) for number, count in rows]
    return dict(sorted(found, key=lambda pair: (-pair[1], pair[0])))
