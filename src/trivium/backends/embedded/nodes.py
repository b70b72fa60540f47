"""What one state of the record says of nodes and edges: by id, by name, and what they lead to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from trivium.analysis.fields import own_text
from trivium.backends.base import Census, Named
from trivium.backends.embedded import links
from trivium.backends.embedded.filters import values
from trivium.backends.embedded.pinned import FEW, GIVEN, Pinned
from trivium.backends.embedded.rows import (
    CHUNK_COLUMNS,
    EDGE_COLUMNS,
    EDGES,
    NODE_COLUMNS,
    NODES,
    chunk_of,
    edge_of,
    named,
    node_of,
)
from trivium.types import Chunk, Edge, Node, NodeId, Symbol

# Names of code with long lists of what it calls take up to 3 kB.
_MOST_NAMES = 6_000


class NodesRead(Pinned):
    """The part of a snapshot that is asked about nodes and edges."""

    def node(self, node_id: NodeId) -> Node | None:
        """Return a node, or None."""
        row = self._sql.execute(
            f"SELECT {NODE_COLUMNS} FROM {NODES} WHERE i.node_id = ?",  # noqa: S608
            (node_id,),
        ).fetchone()
        return node_of(row) if row else None

    def text_of(self, node_id: NodeId) -> str:
        """Return the whole text of a node."""
        row = self._sql.execute(
            f"SELECT n.start, n.end, t.text FROM {NODES} "  # noqa: S608
            "JOIN store.texts t ON t.key = f.text_key WHERE i.node_id = ?",
            (node_id,),
        ).fetchone()
        return row[2][row[0] : row[1]] if row else ""

    def chunks_of(self, node_id: NodeId) -> Sequence[Chunk]:
        """Return a node's chunks in order; none for one without text of its own."""
        rows = self._sql.execute(
            f"SELECT {CHUNK_COLUMNS}, f.text_key FROM chunks c "  # noqa: S608
            "JOIN ids i ON i.id = c.node JOIN files f ON f.id = c.file "
            "WHERE i.node_id = ? AND c.end > c.start ORDER BY c.id",
            (node_id,),
        ).fetchall()
        texts = self._texts({row[5] for row in rows})
        return [
            chunk_of(row[:5], node_id, texts[row[5]][row[1] : row[2]])
            for row in rows
            if row[5] in texts
        ]

    def edges_of(self, node_id: NodeId) -> Sequence[Edge]:
        """Return the edges from and to a node."""
        return self.edges([node_id])

    def edges(self, ids: Sequence[NodeId]) -> Sequence[Edge]:
        """Return the edges from and to any of these nodes, each once, in a fixed order."""
        known = f"SELECT id FROM ids WHERE node_id IN {GIVEN}"  # noqa: S608
        rows = self._sql.execute(
            f"SELECT {EDGE_COLUMNS} FROM {EDGES} WHERE e.rowid IN ("  # noqa: S608
            f"SELECT rowid FROM edges WHERE source IN ({known}) "
            f"UNION SELECT rowid FROM edges WHERE target IN ({known}))",
            (json.dumps(ids), json.dumps(ids)),
        )
        return sorted(map(edge_of, rows), key=lambda one: (one.source, one.target, one.type))

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        """Return these nodes by their ids; ones that are not there are left out."""
        known = self._life.nodes_of(self._revision)
        found = {one: known[one] for one in ids if one in known}
        unseen = [one for one in ids if one not in found]
        if unseen:
            rows = self._sql.execute(
                f"SELECT {NODE_COLUMNS} FROM {NODES} WHERE i.node_id IN {GIVEN}",  # noqa: S608
                (json.dumps(unseen),),
            )
            read = {node.id: node for node in map(node_of, rows)}
            self._life.keep_nodes(self._revision, read)
            found.update(read)
        return found

    def names(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Named]:
        """Return what these nodes are called; ones that are not there are left out."""
        return self._known("names", ids, self._read_names, most=_MOST_NAMES)

    def _read_names(self, ids: Sequence[NodeId]) -> dict[NodeId, Named]:
        rows = self._sql.execute(
            "SELECT i.node_id, n.body FROM ids i JOIN nodes n ON n.id = i.id "  # noqa: S608
            f"WHERE i.node_id IN {GIVEN}",
            (json.dumps(ids),),
        )
        return {one.id: one for one in map(named, rows)}

    def called(self, names: Sequence[str], *, most: int) -> Sequence[Node]:
        """Return nodes whose folded names are these, at most `most` of all, by id."""
        numbers = [number for name in set(names) for number in self._by_name().get(name, ())]
        # Of names that many nodes have, the first are found soon in the order of their ids.
        column, asked = ("n.id", numbers) if len(numbers) < FEW else ("n.a_name", list(names))
        rows = self._sql.execute(
            f"SELECT {NODE_COLUMNS} FROM {NODES} "  # noqa: S608
            f"WHERE {column} IN {GIVEN} ORDER BY i.node_id LIMIT ?",
            (json.dumps(asked), max(0, most)),
        )
        return list(map(node_of, rows))

    def _by_name(self) -> dict[str, list[int]]:
        """Return the numbers of nodes by their folded names; no index of the record has them."""

        def made() -> dict[str, list[int]]:
            found: dict[str, list[int]] = {}
            for name, number in self._sql.execute("SELECT a_name, id FROM nodes"):
                found.setdefault(name, []).append(number)
            return found

        return self._life.remembered(("by name", self._revision), made)

    def degrees(self, ids: Sequence[NodeId]) -> Mapping[NodeId, int]:
        """Return how many edges come from and lead to each of these nodes; 0 for none."""
        found = dict.fromkeys(ids, 0)
        for end in ("source", "target"):
            rows = self._sql.execute(
                f"SELECT i.node_id, count(*) FROM ids i JOIN edges e ON e.{end} = i.id "  # noqa: S608
                f"WHERE i.node_id IN {GIVEN} GROUP BY i.id",
                (json.dumps(ids),),
            )
            for node_id, count in rows:
                found[node_id] += count
        return found

    def texts(self, ids: Sequence[NodeId]) -> Mapping[NodeId, str]:
        """Return the own text of these nodes: what lies in no other node."""
        rows = self._sql.execute(
            f"SELECT {NODE_COLUMNS}, f.text_key FROM {NODES} WHERE i.node_id IN {GIVEN}",  # noqa: S608
            (json.dumps(ids),),
        ).fetchall()
        texts = self._texts({row[7] for row in rows})
        nodes = ((node_of(row[:7]), row[7]) for row in rows)
        return {node.id: own_text(node, texts[key]) for node, key in nodes if key in texts}

    def _texts(self, keys: set[bytes]) -> dict[bytes, str]:
        places = ", ".join("?" * len(keys))
        rows = self._sql.execute(
            f"SELECT key, text FROM store.texts WHERE key IN ({places})",  # noqa: S608
            tuple(keys),
        )
        return dict(rows)

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        """Return the code of these exact names, at most `most` of each, by id."""
        return links.symbols(self._sql, names, most=most)

    def outline(self, path: str) -> Sequence[Symbol]:
        """Return the code nodes of one file in order."""
        return links.outline(self._sql, path)

    def headings(self, path: str) -> Sequence[NodeId]:
        """Return the nodes of a file, the one of the file itself left out, in order."""
        rows = self._sql.execute(
            f"SELECT i.node_id FROM {NODES} "  # noqa: S608
            "WHERE f.path = ? AND n.a_kind <> 'file' ORDER BY n.place",
            (path,),
        )
        return [NodeId(node_id) for (node_id,) in rows]

    def census(self) -> Census:
        """Count nodes and edges by sort; once for each state."""
        return self._life.remembered(("census", self._revision), lambda: links.census(self._sql))

    def values(self, attribute: str) -> Sequence[str]:
        """Return what the nodes have of a stored attribute, folded, each once and in order."""

        def made() -> Sequence[str]:
            if attribute == "name":
                return sorted(name for name in self._by_name() if name)
            return values(self._sql, attribute)

        return self._life.remembered(("values", self._revision, attribute), made)
