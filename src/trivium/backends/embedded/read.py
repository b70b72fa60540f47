"""One state of an embedded collection, for reading.

Made by EmbeddedBackend.snapshot. Text and vector indexes speak in chunk numbers; this
turns them into chunk ids and drops the ones its state of the record does not have.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from filelock import FileLock

from trivium.analysis.fields import check, own_text
from trivium.backends.base import (
    Census,
    Contents,
    FileContent,
    FileHistory,
    FileState,
    Found,
    Named,
    Seen,
    Space,
    Traits,
    changed_at,
)
from trivium.backends.embedded import database, links
from trivium.backends.embedded.filters import values, where_sql
from trivium.backends.embedded.rows import (
    CHUNK_COLUMNS,
    EDGE_COLUMNS,
    NODE_COLUMNS,
    TRAIT_COLUMNS,
    chunk_of,
    edge_of,
    named,
    node_of,
    traits_of,
    unpacked,
)
from trivium.backends.embedded.search import EmbeddedText, EmbeddedVectors
from trivium.backends.embedded.spaces import SpaceReader
from trivium.backends.embedded.text import TextFolder, TextReader, TextWriter, view_key
from trivium.errors import BackendError
from trivium.filtering.conditions import Filter
from trivium.types import (
    SAMPLED,
    Chunk,
    ChunkId,
    Document,
    Edge,
    Node,
    NodeId,
    Ranking,
    Reference,
    Symbol,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import tantivy
    from numpy.typing import NDArray

    from trivium.backends.embedded.life import Life
    from trivium.backends.embedded.text import State
    from trivium.backends.embedded.vectors import Loaded

_IDS = "(SELECT value FROM json_each(?))"
_LINKED_AT_ONCE = 500
_FEW = 1000
# Some 300 bytes each; names of code with long lists of what it calls up to 3 kB; ids some 200.
_MOST_TRAITS = 30_000
_MOST_NAMES = 6_000
_MOST_IDS = 40_000
_MOST_PLAIN = 20_000
# Some 2 kB each, with their texts.
_MOST_CHUNKS = 500
_OF_UNIT = {"": "", "chunk": " AND end > start", "node": " AND chunk_id LIKE '%@0'"}


class EmbeddedSnapshot:
    """See trivium.backends.base.Snapshot."""

    def __init__(
        self,
        life: Life,
        connection: sqlite3.Connection,
        pinned: dict[str, tuple[State, tantivy.Searcher]],
        spaces: Mapping[str, Loaded],
    ) -> None:
        self._life = life
        self._pinned_spaces = spaces
        self._sql = connection
        self._pinned = pinned
        # Reading anything here is what pins SQLite to this state.
        meta = database.read_meta(connection)
        self.seq = int(meta["seq"])
        self._revision = meta.get("revision", "0")
        self._indexed_at = meta.get("indexed_at", "")
        self._origin = meta.get("origin", "folder")
        self._history_head = meta.get("history_head", "")
        self._numbers: dict[ChunkId, int] = {}
        self._texts_of: dict[View, EmbeddedText] = {}
        self._vectors_of: dict[str, EmbeddedVectors] = {}
        self._spaces: list[Space] | None = None

    def let_go(self) -> None:
        """Part from its indexes, which hold it: what they have scanned is then freed at once."""
        self._texts_of.clear()
        self._vectors_of.clear()

    def contents(self) -> Contents:
        """Count what is there; once for each state."""
        key = ("contents", self._revision, self._indexed_at)
        return self._life.remembered(key, self._count)

    def _count(self) -> Contents:
        def count(table: str) -> int:
            # The table names are those below, never a user's.
            return int(self._sql.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608

        skipped = self._sql.execute("SELECT reason, count(*) FROM skipped GROUP BY reason")
        masked = self._sql.execute("SELECT coalesce(sum(masked), 0) FROM files").fetchone()[0]
        return Contents(
            seq=self.seq,
            # Folders stand beside the files, and end with a slash.
            files=count("files WHERE path NOT LIKE '%/'"),
            nodes=count("nodes"),
            edges=count("edges"),
            chunks=count("chunks WHERE end > start"),
            masked=int(masked),
            skipped=dict(skipped),
            indexed_at=self._indexed_at,
            origin=self._origin,
        )

    def files(self, paths: Collection[str] | None = None) -> Mapping[str, FileState]:
        """Return the manifest, or what it has of these paths."""
        asked = "SELECT path, size_bytes, mtime_ns, sha256, masked, failure FROM files"
        if paths is None:
            rows = self._sql.execute(f"{asked} ORDER BY path")
        else:
            given = (json.dumps(list(paths)),)
            rows = self._sql.execute(f"{asked} WHERE path IN {_IDS} ORDER BY path", given)
        return {row[0]: FileState(*row) for row in rows}

    def has_files(self, folder: str) -> bool:
        """Say whether any file lies in a folder or below it; by the index on paths."""
        # The sign after the slash ends the paths that begin with the folder's.
        first, end = (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
        row = self._sql.execute(
            "SELECT 1 FROM files WHERE path > ? AND path < ? AND path NOT LIKE '%/' LIMIT 1",
            (first, end),
        ).fetchone()
        return row is not None

    def paths(self) -> Sequence[str]:
        """Return the paths of the manifest in order."""
        return [path for (path,) in self._sql.execute("SELECT path FROM files ORDER BY path")]

    def skipped(self) -> Mapping[str, str]:
        """Return the files that were passed over, path -> reason."""
        return dict(self._sql.execute("SELECT path, reason FROM skipped ORDER BY path"))

    def in_vain(self) -> Mapping[str, Seen]:
        """Return what those of them were like that had to be read to know."""
        rows = self._sql.execute(
            "SELECT path, size_bytes, mtime_ns FROM skipped WHERE size_bytes IS NOT NULL"
        )
        return {path: Seen(size_bytes, mtime_ns) for path, size_bytes, mtime_ns in rows}

    def text(self, view: View) -> EmbeddedText:
        """Return the text index of `view`, made now if it does not exist yet."""
        known = self._texts_of.get(view)
        if known is None:
            known = self._texts_of[view] = self._text(view)
        return known

    def _text(self, view: View) -> EmbeddedText:
        check(view)
        folder = self._life.view(view)
        key = view_key(view)
        if key not in self._pinned:
            found = folder.searcher()
            if found is None:
                self._build(folder)
                found = folder.searcher()
            assert found is not None  # noqa: S101 - made just above
            self._pinned[key] = found
        folder.note_use()
        state, searcher = self._pinned[key]
        reader = TextReader(folder, searcher, view, state=state)
        return EmbeddedText(self, reader, is_current=state.seq >= self.seq)

    def _build(self, folder: TextFolder) -> None:
        folder.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.folder / "build.lock"):
            if folder.searcher() is not None:
                return
            writer: TextWriter | None = None
            try:
                writer = TextWriter(folder, fresh=True)
                for one in self.stream("1", ()):
                    writer.add(*one)
                self._check_life()
                writer.commit(self.seq, unless_made=True)
            except BackendError:
                # A writer made this view meanwhile and swept ours away.
                if folder.state() is None:
                    raise
            finally:
                if writer is not None:
                    writer.close()

    def _check_life(self) -> None:
        if self._life.is_over():
            raise BackendError("The index was made anew while it was read. Ask again.")

    def spaces(self) -> Sequence[Space]:
        """Return the vector spaces that hold anything; reads no vectors."""
        if self._spaces is None:
            self._spaces = self._find_spaces()
        return self._spaces

    def _find_spaces(self) -> list[Space]:
        chunks = self._life.remembered(("embeddable", self._revision), self._count_embeddable)
        found = []
        for model_id in self._life.spaces_there():
            pinned = self._pinned_spaces.get(model_id)
            folder = self._life.space(model_id)
            state = pinned.state if pinned is not None else folder.state()
            if state is not None and state.rows and chunks and (pinned or folder.is_whole()):
                share = min(1.0, state.rows / chunks)
                found.append(Space(model_id, state.dimension, share, state.listed))
        return found

    def _count_embeddable(self) -> int:
        row = self._sql.execute("SELECT count(*) FROM chunks WHERE key <> x''").fetchone()
        return int(row[0])

    def unembedded(self, model_id: str) -> int:
        """Return how many texts have no vector in this space yet, published or not."""
        return database.count_unembedded(self._sql, model_id)

    def embedded(self, model_id: str) -> float:
        """Return the share of chunks that have a vector in this space, published or not."""
        chunks = self._life.remembered(("embeddable", self._revision), self._count_embeddable)
        return database.count_embedded(self._sql, model_id) / chunks if chunks else 0.0

    def blank(self, model_id: str) -> dict[str, int]:
        """Return how many chunks of which files have a vector of zeros in this space."""
        rows = self._sql.execute(
            "SELECT f.path, count(*) FROM store.vectors v JOIN chunks c ON c.key = v.key "
            "JOIN files f ON f.id = c.file WHERE v.model = ? AND v.scale = 0 "
            "GROUP BY f.path ORDER BY f.path",
            (model_id,),
        )
        return dict(rows.fetchall())

    def vectors(self, model_id: str) -> EmbeddedVectors | None:
        """Return the vector index of a space, or None."""
        known = self._vectors_of.get(model_id)
        if known is None:
            known = self._vectors(model_id)
            if known is not None:
                self._vectors_of[model_id] = known
        return known

    def _vectors(self, model_id: str) -> EmbeddedVectors | None:
        if not (self._life.folder / "vectors" / model_id).is_dir():
            return None
        loaded = self._pinned_spaces.get(model_id) or self._life.space(model_id).load()
        if loaded is None or not loaded.state.rows:
            return None
        return EmbeddedVectors(self, SpaceReader(*loaded[1:]), space=(model_id, loaded.state))

    def sampled(self, space: tuple[object, ...], reader: SpaceReader) -> NDArray[np.float32]:
        """Return vectors of chunks with text as rows: what is usual in a state of a space."""
        key = ("sampled", self._revision, *space)
        return self._life.remembered(key, lambda: self._sample(reader))

    def _sample(self, reader: SpaceReader) -> NDArray[np.float32]:
        import numpy as np

        rows = reader.sample(SAMPLED)
        there = self.ids_of(rows.numbers.tolist(), unit="chunk")
        kept = rows.keep(np.isin(rows.numbers, list(there)))
        made: NDArray[np.float32] = kept.matrix.astype(np.float32) * kept.scales[:, np.newaxis]
        return made

    def fetch(self, ids: Sequence[ChunkId]) -> list[Found]:
        """Return these chunks in the order asked for; ones that are gone are left out."""
        # With every key that is pressed, most are those of the key before.
        known: dict[ChunkId, Found]
        known = self._life.read_before("chunks", self._revision, most=_MOST_CHUNKS)
        found = {one: chunk for one in ids if (chunk := known.get(one)) is not None}
        unseen = [one for one in ids if one not in found]
        if unseen:
            read = self._fetch(unseen)
            known.update(read)
            found.update(read)
        return [found[one] for one in ids if one in found]

    def _fetch(self, ids: Sequence[ChunkId]) -> dict[ChunkId, Found]:
        rows = self._sql.execute(
            # Of bytes: to count the letters before it takes three times as long as all the rest.
            f"SELECT {CHUNK_COLUMNS}, f.text_key, "  # noqa: S608
            "substr(CAST(t.text AS BLOB), c.start + 1, c.end - c.start) FROM chunks c "
            "JOIN files f ON f.id = c.file "
            f"JOIN store.texts t ON t.key = f.text_key WHERE c.id IN {_IDS}",
            (json.dumps(list(self.numbers_of(ids).values())),),
        ).fetchall()
        wholes = self._with_longer_letters({row[5] for row in rows})
        of_chunk = {row[0]: NodeId(row[0].rpartition("@")[0]) for row in rows}
        nodes = self.nodes(list(dict.fromkeys(of_chunk.values())))
        found: dict[ChunkId, Found] = {}
        for row in rows:
            node = nodes.get(of_chunk[row[0]])
            if node is not None:
                whole = wholes.get(row[5])
                text = row[6].decode() if whole is None else whole[row[1] : row[2]]
                found[ChunkId(row[0])] = Found(chunk_of(row[:5], node.id, text), node)
        return found

    def _with_longer_letters(self, keys: set[bytes]) -> dict[bytes, str]:
        """Return those of these texts in which a letter may take more than one byte."""
        is_plain: dict[bytes, bool]
        is_plain = self._life.read_before("plain", self._revision, most=_MOST_PLAIN)
        asked = {key for key in keys if not is_plain.get(key)}
        texts = self._texts(asked) if asked else {}
        is_plain.update({key: text.isascii() for key, text in texts.items()})
        return texts

    def lines(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, tuple[int, int]]:
        """Return the first and last line of these chunks; ones that are gone are left out."""
        rows = self._sql.execute(
            f"SELECT chunk_id, start_line, end_line FROM chunks WHERE id IN {_IDS}",  # noqa: S608
            (json.dumps(list(self.numbers_of(ids).values())),),
        )
        return {ChunkId(one): (first, last) for one, first, last in rows}

    def _texts(self, keys: set[bytes]) -> dict[bytes, str]:
        places = ", ".join("?" * len(keys))
        rows = self._sql.execute(
            f"SELECT key, text FROM store.texts WHERE key IN ({places})",  # noqa: S608
            tuple(keys),
        )
        return dict(rows)

    def node(self, node_id: NodeId) -> Node | None:
        """Return a node, or None."""
        row = self._sql.execute(
            f"SELECT {NODE_COLUMNS} FROM nodes n JOIN files f ON f.id = n.file "  # noqa: S608
            "WHERE n.node_id = ?",
            (node_id,),
        ).fetchone()
        return node_of(row) if row else None

    def text_of(self, node_id: NodeId) -> str:
        """Return the whole text of a node."""
        row = self._sql.execute(
            "SELECT n.start, n.end, t.text FROM nodes n JOIN files f ON f.id = n.file "
            "JOIN store.texts t ON t.key = f.text_key WHERE n.node_id = ?",
            (node_id,),
        ).fetchone()
        return row[2][row[0] : row[1]] if row else ""

    def chunks_of(self, node_id: NodeId) -> Sequence[Chunk]:
        """Return a node's chunks in order; none for one without text of its own."""
        rows = self._sql.execute(
            f"SELECT {CHUNK_COLUMNS}, f.text_key FROM chunks c "  # noqa: S608
            "JOIN nodes n ON n.id = c.node JOIN files f ON f.id = c.file "
            "WHERE n.node_id = ? AND c.end > c.start ORDER BY c.id",
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
        rows = self._sql.execute(
            f"SELECT {EDGE_COLUMNS} FROM edges WHERE rowid IN ("  # noqa: S608
            f"SELECT rowid FROM edges WHERE source IN {_IDS} "
            f"UNION SELECT rowid FROM edges WHERE target IN {_IDS}) "
            "ORDER BY source, target, type",
            (json.dumps(ids), json.dumps(ids)),
        )
        return list(map(edge_of, rows))

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        """Return these nodes by their ids; ones that are not there are left out."""
        known = self._life.nodes_of(self._revision)
        found = {one: known[one] for one in ids if one in known}
        unseen = [one for one in ids if one not in found]
        if unseen:
            rows = self._sql.execute(
                f"SELECT {NODE_COLUMNS} FROM nodes n JOIN files f ON f.id = n.file "  # noqa: S608
                f"WHERE n.node_id IN {_IDS}",
                (json.dumps(unseen),),
            )
            read = {node.id: node for node in map(node_of, rows)}
            self._life.keep_nodes(self._revision, read)
            found.update(read)
        return found

    def names(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Named]:
        """Return what these nodes are called; ones that are not there are left out."""
        known: dict[NodeId, Named]
        known = self._life.read_before("names", self._revision, most=_MOST_NAMES)
        found = {one: name for one in ids if (name := known.get(one)) is not None}
        unseen = [one for one in ids if one not in found]
        if unseen:
            rows = self._sql.execute(
                f"SELECT node_id, body FROM nodes WHERE node_id IN {_IDS}",  # noqa: S608
                (json.dumps(unseen),),
            )
            read = {one.id: one for one in map(named, rows)}
            known.update(read)
            found.update(read)
        return found

    def traits(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, Traits]:
        """Return what these chunks are and where they stand; ones that are gone are left out."""
        # Reading them takes longer than all that is done with them, and many are asked for again.
        known: dict[ChunkId, Traits]
        known = self._life.read_before("traits", self._revision, most=_MOST_TRAITS)
        found = {one: traits for one in ids if (traits := known.get(one)) is not None}
        unseen = [one for one in ids if one not in found]
        if unseen:
            rows = self._sql.execute(
                f"SELECT c.chunk_id, {TRAIT_COLUMNS} FROM chunks c JOIN nodes n ON n.id = c.node "  # noqa: S608
                f"JOIN files f ON f.id = c.file WHERE c.id IN {_IDS}",
                (json.dumps(list(self.numbers_of(unseen).values())),),
            )
            read = {ChunkId(row[0]): traits_of(row[1:]) for row in rows}
            known.update(read)
            found.update(read)
        return found

    def changed(self, paths: Sequence[str]) -> Mapping[str, float]:
        """Return when these files were changed, in seconds since 1970."""
        rows = self._sql.execute(
            "SELECT f.path, h.modified, f.mtime_ns FROM files f "  # noqa: S608
            f"LEFT JOIN history h ON h.path = f.path WHERE f.path IN {_IDS}",
            (json.dumps(paths),),
        )
        return {path: changed_at(modified, mtime_ns) for path, modified, mtime_ns in rows}

    def called(self, names: Sequence[str], *, most: int) -> Sequence[Node]:
        """Return nodes whose folded names are these, at most `most` of all, by id."""
        numbers = [number for name in set(names) for number in self._by_name().get(name, ())]
        # Of names that many nodes have, the first are found soon in the order of their ids.
        column, asked = ("n.id", numbers) if len(numbers) < _FEW else ("n.a_name", list(names))
        rows = self._sql.execute(
            f"SELECT {NODE_COLUMNS} FROM nodes n JOIN files f ON f.id = n.file "  # noqa: S608
            f"WHERE {column} IN {_IDS} ORDER BY n.node_id LIMIT ?",
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
                f"SELECT {end}, count(*) FROM edges WHERE {end} IN {_IDS} GROUP BY {end}",  # noqa: S608
                (json.dumps(ids),),
            )
            for node_id, count in rows:
                found[node_id] += count
        return found

    def most_linked(self, *, where: Filter, depth: int) -> Ranking:
        """Rank nodes by how many edges they have, under their first chunks."""
        every = self._life.remembered(("linked", self._revision), self._degrees_of_all)
        found: list[tuple[float, ChunkId]] = []
        at, size = 0, max(depth, _LINKED_AT_ONCE)
        while at < len(every) and len(found) < depth:
            some = every[at : at + size]
            kept = self.allowed([one for _, one in some], where=where)
            found += [(degree, one) for degree, one in some if one in kept]
            at += size
        found = found[: max(0, depth)]
        return Ranking("degree", tuple(one for _, one in found), tuple(score for score, _ in found))

    def _degrees_of_all(self) -> list[tuple[float, ChunkId]]:
        rows = self._sql.execute(
            "SELECT c.chunk_id, coalesce(d.degree, 0) FROM chunks c JOIN nodes n ON n.id = c.node "
            "LEFT JOIN (SELECT id, sum(found) AS degree FROM ("
            "SELECT source AS id, count(*) AS found FROM edges GROUP BY source UNION ALL "
            "SELECT target, count(*) FROM edges GROUP BY target) GROUP BY id"
            ") d ON d.id = n.node_id "
            "WHERE c.chunk_id LIKE '%@0' AND n.a_type IS NOT 'directory' ORDER BY 2 DESC, n.node_id"
        )
        return [(float(degree), ChunkId(one)) for one, degree in rows]

    def texts(self, ids: Sequence[NodeId]) -> Mapping[NodeId, str]:
        """Return the own text of these nodes: what lies in no other node."""
        rows = self._sql.execute(
            f"SELECT {NODE_COLUMNS}, f.text_key FROM nodes n JOIN files f ON f.id = n.file "  # noqa: S608
            f"WHERE n.node_id IN {_IDS}",
            (json.dumps(ids),),
        ).fetchall()
        texts = self._texts({row[7] for row in rows})
        nodes = ((node_of(row[:7]), row[7]) for row in rows)
        return {node.id: own_text(node, texts[key]) for node, key in nodes if key in texts}

    def allowed(self, ids: Sequence[ChunkId], *, where: Filter) -> set[ChunkId]:
        """Return those of these chunks that are there and that `where` allows."""
        numbers = self.numbers_of(ids)
        gate = self.numbers_allowed(where)
        if gate is None:
            return set(numbers)
        every = set(gate.tolist()) if len(gate) < _FEW else None
        if every is None:
            import numpy as np

            asked = np.array(list(numbers.values()), np.int64)
            every = set(asked[np.isin(asked, gate)].tolist())
        return {one for one, number in numbers.items() if number in every}

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        """Return the code of these exact names, at most `most` of each, by id."""
        return links.symbols(self._sql, names, most=most)

    def outline(self, path: str) -> Sequence[Symbol]:
        """Return the code nodes of one file in order."""
        return links.outline(self._sql, path)

    def headings(self, path: str) -> Sequence[NodeId]:
        """Return the nodes of a file, the one of the file itself left out, in order."""
        rows = self._sql.execute(
            "SELECT n.node_id FROM nodes n JOIN files f ON f.id = n.file "
            "WHERE f.path = ? AND n.a_kind <> 'file' ORDER BY n.id",
            (path,),
        )
        return [NodeId(node_id) for (node_id,) in rows]

    def references(self, path: str) -> tuple[Reference, ...]:
        """Return what a file names, as it was written."""
        row = self._sql.execute("SELECT refs FROM files WHERE path = ?", (path,)).fetchone()
        return unpacked(row[0]) if row else ()

    def history(self, path: str) -> FileHistory | None:
        """Return what the repository knows of a file, or None."""
        row = self._sql.execute(
            "SELECT path, author, modified, churn FROM history WHERE path = ?", (path,)
        ).fetchone()
        return FileHistory(*row) if row else None

    def history_head(self) -> str:
        """Return the commit up to which history is known."""
        return self._history_head

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        row = self._sql.execute("SELECT count(*) FROM files WHERE linked = 0").fetchone()
        return int(row[0])

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

    def has_any(self, where: Filter) -> bool:
        """Say whether `where` allows anything at all."""
        gate = self.numbers_allowed(where)
        return self.contents().chunks > 0 if gate is None else len(gate) > 0

    def content(self, path: str) -> FileContent | None:
        """Return all the index holds of one file, as it was written, or None."""
        row = self._sql.execute(
            "SELECT f.id, f.path, size_bytes, mtime_ns, sha256, masked, failure, t.text, f.refs "
            "FROM files f JOIN store.texts t ON t.key = f.text_key WHERE f.path = ?",
            (path,),
        ).fetchone()
        if row is None:
            return None
        file, state, text, refs = row[0], FileState(*row[1:7]), row[7], row[8]
        node_rows = self._sql.execute(
            f"SELECT n.id, {NODE_COLUMNS} FROM nodes n JOIN files f ON f.id = n.file "  # noqa: S608
            "WHERE n.file = ? ORDER BY n.id",
            (file,),
        ).fetchall()
        nodes = {one[0]: node_of(one[1:]) for one in node_rows}
        chunk_rows = self._sql.execute(
            f"SELECT c.node, {CHUNK_COLUMNS} FROM chunks c WHERE c.file = ? ORDER BY c.id",  # noqa: S608
            (file,),
        )
        chunks = tuple(
            chunk_of(one[1:], nodes[one[0]].id, text[one[2] : one[3]]) for one in chunk_rows
        )
        edges = self._sql.execute(
            f"SELECT {EDGE_COLUMNS} FROM edges WHERE file = ? AND own ORDER BY rowid",  # noqa: S608
            (file,),
        )
        return FileContent(
            state,
            Document(path, text),
            tuple(nodes.values()),
            tuple(map(edge_of, edges)),
            chunks,
            unpacked(refs),
        )

    def stored_vectors(self, model_id: str) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
        """Yield the vectors of this index's chunks with their keys, each key once."""
        import numpy as np

        rows = self._sql.execute(
            "SELECT key, scale, int8 FROM store.vectors WHERE model = ? "
            "AND key IN (SELECT key FROM chunks) ORDER BY key",
            (model_id,),
        )
        for key, scale, row in rows:
            yield key, np.frombuffer(row, np.int8).astype(np.float32) * np.float32(scale)

    def stream(
        self, condition: str, values: Sequence[str | int]
    ) -> Iterator[tuple[int, Node, Chunk, str]]:
        """Yield chunks with their numbers, nodes and documents' texts, for derived indexes."""
        yield from stream(self._sql, condition, values)

    def ids_of(self, numbers: Sequence[int], *, unit: str = "") -> dict[int, ChunkId]:
        """Return the chunk ids of these numbers; ones that are gone are left out.

        Of `unit` "chunk" only those with text, of "node" only the first of each node.
        """
        known: dict[int, ChunkId]
        known = self._life.read_before(f"ids {unit}", self._revision, most=_MOST_IDS)
        found = {one: chunk_id for one in numbers if (chunk_id := known.get(one)) is not None}
        if len(found) < len(numbers):
            rows = self._sql.execute(
                # A join, for which no list of what is asked is sorted first: a quarter less time.
                "SELECT c.id, c.chunk_id FROM json_each(?) asked "  # noqa: S608
                f"CROSS JOIN chunks c ON c.id = asked.value{_OF_UNIT[unit]}",
                (json.dumps([one for one in numbers if one not in found]),),
            )
            read: dict[int, ChunkId] = dict(rows)
            known.update(read)
            found.update(read)
        self._numbers.update(zip(found.values(), found, strict=True))
        return found

    def numbers_of(self, ids: Sequence[ChunkId]) -> dict[ChunkId, int]:
        """Return the numbers of these chunk ids; most have been seen in this snapshot."""
        unseen = [one for one in ids if one not in self._numbers]
        if unseen:
            rows = self._sql.execute(
                f"SELECT chunk_id, id FROM chunks WHERE chunk_id IN {_IDS}",  # noqa: S608
                (json.dumps(unseen),),
            )
            self._numbers.update(rows)
        return {one: self._numbers[one] for one in ids if one in self._numbers}

    def numbers_allowed(self, where: Filter) -> NDArray[np.int64] | None:
        """Return the sorted numbers of the chunks `where` allows; None for all of them."""
        if not where.conditions:
            return None
        return self._life.remembered(
            ("allowed", self._revision, where), lambda: self._allowed(where)
        )

    def _allowed(self, where: Filter) -> NDArray[np.int64]:
        import numpy as np

        condition, values = where_sql(where)
        rows = self._sql.execute(
            # A cross join tests each node once, however many chunks it has.
            "SELECT c.id FROM nodes n CROSS JOIN chunks c ON c.node = n.id "  # noqa: S608
            f"WHERE {condition} ORDER BY c.id",
            values,
        )
        return np.fromiter((row[0] for row in rows), np.int64)


def stream(
    connection: sqlite3.Connection, condition: str, values: Sequence[str | int]
) -> Iterator[tuple[int, Node, Chunk, str]]:
    """Yield chunks with their numbers, nodes and documents' texts, file by file.

    `condition` is SQL of our own on chunks `c`.
    """
    rows = connection.execute(
        f"SELECT c.id, {CHUNK_COLUMNS}, {NODE_COLUMNS}, f.text_key FROM chunks c "  # noqa: S608
        f"JOIN nodes n ON n.id = c.node JOIN files f ON f.id = c.file WHERE {condition} "
        "ORDER BY c.id",
        values,
    )
    texts = connection.cursor()
    for key, of_file in groupby(rows, key=lambda row: row[13]):
        found = texts.execute("SELECT text FROM store.texts WHERE key = ?", (key,)).fetchone()
        if found is None:
            continue
        node: Node | None = None
        for row in of_file:
            if node is None or node.id != row[6]:
                node = node_of(row[6:13])
            text: str = found[0]
            yield row[0], node, chunk_of(row[1:6], node.id, text[row[2] : row[3]]), text
