"""One state of an embedded collection, for reading.

Made by EmbeddedBackend.snapshot. Text and vector indexes speak in chunk numbers; this
turns them into chunk ids and drops the ones its state of the record does not have. What it
says of files and of nodes stands in modules of their own.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from filelock import FileLock

from trivium.analysis.fields import check
from trivium.backends.base import (
    Contents,
    Found,
    Space,
    Traits,
)
from trivium.backends.embedded import database, kept
from trivium.backends.embedded.files import FilesRead
from trivium.backends.embedded.filters import where_sql
from trivium.backends.embedded.nodes import NodesRead
from trivium.backends.embedded.pinned import FEW, GIVEN
from trivium.backends.embedded.rows import (
    CHUNK_COLUMNS,
    NODE_COLUMNS,
    NODES,
    TRAIT_COLUMNS,
    chunk_of,
    node_and_place,
    node_of,
    traits_of,
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
    Node,
    NodeId,
    Ranking,
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

_LINKED_AT_ONCE = 500
# Some 300 bytes each, and 200.
_MOST_TRAITS = 30_000
_MOST_IDS = 40_000
_MOST_PLAIN = 20_000
# Some 2 kB each, with their texts.
_MOST_CHUNKS = 500
_OF_UNIT = {"": "", "chunk": " AND end > start", "node": " AND place = 0"}


class EmbeddedSnapshot(FilesRead, NodesRead):
    """See trivium.backends.base.Snapshot."""

    def __init__(
        self,
        life: Life,
        connection: sqlite3.Connection,
        pinned: dict[str, tuple[State, tantivy.Searcher]],
        spaces: Mapping[str, Loaded],
    ) -> None:
        super().__init__(life, connection)
        self._pinned_spaces = spaces
        self._pinned = pinned
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
        totals = "SELECT files, nodes, edges, chunks, masked FROM totals"
        files, nodes, edges, chunks, masked = self._sql.execute(totals).fetchone()
        skipped = self._sql.execute("SELECT reason, count(*) FROM skipped GROUP BY reason")
        return Contents(
            seq=self.seq,
            files=files,
            nodes=nodes,
            edges=edges,
            chunks=chunks,
            masked=masked,
            skipped=dict(skipped),
            indexed_at=self._indexed_at,
            origin=self._origin,
        )

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
        chunks = self._embeddable()
        found = []
        for model_id in self._life.spaces_there():
            pinned = self._pinned_spaces.get(model_id)
            folder = self._life.space(model_id)
            state = pinned.state if pinned is not None else folder.state()
            if state is not None and state.rows and chunks and (pinned or folder.is_whole()):
                share = min(1.0, state.rows / chunks)
                found.append(Space(model_id, state.dimension, share, state.listed))
        return found

    def _embeddable(self) -> int:
        return int(self._sql.execute("SELECT embeddable FROM totals").fetchone()[0])

    def unembedded(self, model_id: str) -> int:
        """Return how many texts have no vector in this space yet, published or not."""
        return database.count_unembedded(self._sql, model_id)

    def embedded(self, model_id: str) -> float:
        """Return the share of chunks that have a vector in this space, published or not."""
        chunks = self._embeddable()
        return database.count_embedded(self._sql, model_id) / chunks if chunks else 0.0

    def blank(self, model_id: str) -> dict[str, int]:
        """Return how many chunks of which files have a vector of zeros in this space."""
        rows = self._sql.execute(
            "SELECT f.path, count(*) FROM store.vectors v JOIN chunks c ON c.key = v.key "  # noqa: S608
            f"JOIN files f ON f.id = c.file WHERE v.model = {kept.MODEL} AND v.scale = 0 "
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
        found = self._known("chunks", ids, self._fetch, most=_MOST_CHUNKS)
        return [found[one] for one in ids if one in found]

    def _fetch(self, ids: Sequence[ChunkId]) -> dict[ChunkId, Found]:
        of_number = self._by_number(ids)
        rows = self._sql.execute(
            # Of bytes: to count the letters before it takes three times as long as all the rest.
            f"SELECT c.id, {CHUNK_COLUMNS}, f.text_key, "  # noqa: S608
            "substr(CAST(t.text AS BLOB), c.start + 1, c.end - c.start) FROM chunks c "
            "JOIN files f ON f.id = c.file "
            f"JOIN store.texts t ON t.key = f.text_key WHERE c.id IN {GIVEN}",
            (json.dumps(list(of_number)),),
        ).fetchall()
        wholes = self._with_longer_letters({row[6] for row in rows})
        of_chunk = {row[0]: NodeId(of_number[row[0]].rpartition("@")[0]) for row in rows}
        nodes = self.nodes(list(dict.fromkeys(of_chunk.values())))
        found: dict[ChunkId, Found] = {}
        for row in rows:
            node = nodes.get(of_chunk[row[0]])
            if node is not None:
                whole = wholes.get(row[6])
                # Of no bytes SQLite cuts NULL.
                text = (row[7] or b"").decode() if whole is None else whole[row[2] : row[3]]
                chunk = chunk_of(row[1:6], node.id, text)
                found[chunk.id] = Found(chunk, node)
        return found

    def _by_number(self, ids: Sequence[ChunkId]) -> dict[int, ChunkId]:
        """Return these chunk ids by their numbers; ones that are gone are left out."""
        return {number: one for one, number in self.numbers_of(ids).items()}

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
        of_number = self._by_number(ids)
        rows = self._sql.execute(
            f"SELECT id, start_line, end_line FROM chunks WHERE id IN {GIVEN}",  # noqa: S608
            (json.dumps(list(of_number)),),
        )
        return {of_number[number]: (first, last) for number, first, last in rows}

    def traits(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, Traits]:
        """Return what these chunks are and where they stand; ones that are gone are left out."""
        return self._known("traits", ids, self._read_traits, most=_MOST_TRAITS)

    def _read_traits(self, ids: Sequence[ChunkId]) -> dict[ChunkId, Traits]:
        of_number = self._by_number(ids)
        rows = self._sql.execute(
            f"SELECT c.id, {TRAIT_COLUMNS} FROM chunks c JOIN nodes n ON n.id = c.node "  # noqa: S608
            f"JOIN files f ON f.id = c.file WHERE c.id IN {GIVEN}",
            (json.dumps(list(of_number)),),
        )
        return {of_number[row[0]]: traits_of(row[1:]) for row in rows}

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
            "SELECT i.node_id || '@0', coalesce(d.degree, 0) FROM nodes n "
            "JOIN ids i ON i.id = n.id JOIN chunks c ON c.node = n.id AND c.place = 0 "
            "LEFT JOIN (SELECT id, sum(found) AS degree FROM ("
            "SELECT source AS id, count(*) AS found FROM edges GROUP BY source UNION ALL "
            "SELECT target, count(*) FROM edges GROUP BY target) GROUP BY id"
            ") d ON d.id = n.id WHERE n.a_type IS NOT 'directory' ORDER BY 2 DESC, i.node_id"
        )
        return [(float(degree), ChunkId(one)) for one, degree in rows]

    def allowed(self, ids: Sequence[ChunkId], *, where: Filter) -> set[ChunkId]:
        """Return those of these chunks that are there and that `where` allows."""
        numbers = self.numbers_of(ids)
        gate = self.numbers_allowed(where)
        if gate is None:
            return set(numbers)
        every = set(gate.tolist()) if len(gate) < FEW else None
        if every is None:
            import numpy as np

            asked = np.array(list(numbers.values()), np.int64)
            every = set(asked[np.isin(asked, gate)].tolist())
        return {one for one, number in numbers.items() if number in every}

    def has_any(self, where: Filter) -> bool:
        """Say whether `where` allows anything at all."""
        gate = self.numbers_allowed(where)
        return self.contents().chunks > 0 if gate is None else len(gate) > 0

    def stored_vectors(self, model_id: str) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
        """Yield the vectors of this index's chunks with their keys, each key once."""
        yield from kept.stored(self._sql, model_id)

    def stream(
        self, condition: str, values: Sequence[str | int]
    ) -> Iterator[tuple[int, Node, Chunk, str]]:
        """Yield chunks with their numbers, nodes and documents' texts, for derived indexes."""
        yield from stream(self._sql, condition, values)

    def ids_of(self, numbers: Sequence[int], *, unit: str = "") -> dict[int, ChunkId]:
        """Return the chunk ids of these numbers; ones that are gone are left out.

        Of `unit` "chunk" only those with text, of "node" only the first of each node.
        """

        def read(unseen: Sequence[int]) -> dict[int, ChunkId]:
            # A join, for which no list of what is asked is sorted first: a quarter less time.
            asked = (
                "SELECT c.id, i.node_id || '@' || c.place FROM json_each(?) asked "  # noqa: S608
                f"CROSS JOIN chunks c ON c.id = asked.value{_OF_UNIT[unit]} "
                "CROSS JOIN ids i ON i.id = c.node"
            )
            return dict(self._sql.execute(asked, (json.dumps(unseen),)))

        found = self._known(f"ids {unit}", numbers, read, most=_MOST_IDS)
        self._numbers.update(zip(found.values(), found, strict=True))
        return found

    def numbers_of(self, ids: Sequence[ChunkId]) -> dict[ChunkId, int]:
        """Return the numbers of these chunk ids; most have been seen in this snapshot."""
        unseen = [one for one in ids if one not in self._numbers]
        if unseen:
            places = {part: one for one in unseen if (part := node_and_place(one)) is not None}
            rows = self._sql.execute(
                "SELECT i.node_id, c.place, c.id FROM json_each(?) asked "
                "CROSS JOIN ids i ON i.node_id = json_extract(asked.value, '$[0]') "
                "CROSS JOIN chunks c ON c.node = i.id "
                "AND c.place = json_extract(asked.value, '$[1]')",
                (json.dumps(list(places)),),
            )
            self._numbers.update({places[row[:2]]: row[2] for row in rows})
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
        f"CROSS JOIN {NODES} WHERE n.id = c.node AND {condition} ORDER BY c.id",
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
