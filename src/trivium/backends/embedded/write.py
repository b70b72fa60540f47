"""Batches and vectors -> rows of the record: the writer of an embedded collection.

Texts go into the store before the rows that name them; once both are in, a batch is safe.
The text and vector indexes follow from the record: see derive.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trivium.analysis.fields import embedding_key, embedding_text, text_key
from trivium.backends.base import (
    Batch,
    FileContent,
    FileHistory,
    FileState,
    Linked,
    Pending,
    Seen,
    Unlinked,
)
from trivium.backends.embedded import database, garbage, ids, kept, links
from trivium.backends.embedded.derive import Added, Derived
from trivium.backends.embedded.read import stream
from trivium.backends.embedded.rows import node_and_place, node_values, packed
from trivium.errors import BackendRefused
from trivium.types import Node

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trivium.backends.embedded.life import Life


class EmbeddedWriter:
    """See trivium.backends.base.Writer."""

    def __init__(self, life: Life, connection: sqlite3.Connection) -> None:
        self._own = str(life.folder)
        self._sql = connection
        meta = database.read_meta(connection)
        self._seq = int(meta["seq"])
        self._derived = Derived(life, connection, pruned=int(meta.get("pruned", "0")))
        self._revision = int(meta.get("revision", "0"))
        life.once("texts", self._forget_textless)
        life.once("vectors", self._forget_lost_vectors)

    def _forget_textless(self) -> None:
        """Drop files whose text the store has lost, so that the next sync reads them again.

        Looks at every file: once for the two files of an index, which others take the place of
        if they are lost.
        """
        rows = self._sql.execute(
            "SELECT path FROM files f "
            "WHERE NOT EXISTS (SELECT 1 FROM store.texts t WHERE t.key = f.text_key)"
        ).fetchall()
        if rows:
            self.write(Batch(removed=tuple(path for (path,) in rows)))

    def _forget_lost_vectors(self) -> None:
        """Drop vectors whose rows the store has lost, so that they are made again."""
        if kept.is_lost(self._sql):
            with database.transaction(self._sql):
                kept.forget_lost(self._sql)

    def write(self, batch: Batch) -> int:
        """Store a batch, all of it or none; return its sequence number."""
        if batch.replaced or batch.removed:
            # Opened before there is anything to catch up with, so that nothing is read twice.
            self._derived.open(self._seq)
        self._keep_texts(batch.replaced)
        # A new time of a file leaves what is found as it is, and the pages of an answer with it.
        seq = self._seq + (not batch.only_touches)
        added: list[Added] = []
        try:
            with database.transaction(self._sql):
                links.unlink_affected(self._sql, batch)
                dropped, named = self._drop_files(
                    [*batch.removed, *(one.state.path for one in batch.replaced)], seq
                )
                for content in batch.replaced:
                    added += self._add_file(content, seq)
                ids.drop_unused(self._sql, named)
                for state in batch.touched:
                    self._touch(state)
                database.write_meta(self._sql, {"seq": str(seq)})
                self._revise()
        except sqlite3.IntegrityError as error:
            raise BackendRefused(
                f"A batch holds an id twice and was not stored: {error}"
            ) from error
        self._seq = seq
        self._derived.feed(added, dropped)
        return seq

    def _revise(self) -> None:
        """Mark the state as another one, so that readers count anew."""
        self._revision += 1
        database.write_meta(self._sql, {"revision": str(self._revision)})

    def _keep_texts(self, contents: Sequence[FileContent]) -> None:
        """Put texts into the store, in a transaction of their own that comes first."""
        if not contents:
            return
        with database.transaction(self._sql):
            self._sql.execute("INSERT OR IGNORE INTO store.users VALUES (?)", (self._own,))
            self._sql.executemany(
                "INSERT OR IGNORE INTO store.texts VALUES (?, ?)",
                [(text_key(one.document.text), one.document.text) for one in contents],
            )

    def _drop_files(self, paths: Sequence[str], seq: int) -> tuple[list[int], set[int]]:
        """Remove files; return the numbers of their chunks, and of the ids they had."""
        dropped: list[int] = []
        named: set[int] = set()
        for path in paths:
            row = self._sql.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
            if row is None:
                continue
            of_file = "node IN (SELECT id FROM nodes WHERE file = ?)"
            chunks = self._sql.execute(f"SELECT id FROM chunks WHERE {of_file}", row).fetchall()  # noqa: S608
            dropped += [number for (number,) in chunks]
            self._sql.executemany(
                "INSERT INTO removed VALUES (?, ?)", [(number, seq) for (number,) in chunks]
            )
            named |= ids.of_file(self._sql, row[0])
            links.forget(self._sql, row[0])
            self._sql.execute(f"DELETE FROM chunks WHERE {of_file}", row)  # noqa: S608
            for table in ("nodes", "edges"):
                self._sql.execute(f"DELETE FROM {table} WHERE file = ?", row)  # noqa: S608
            self._sql.execute("DELETE FROM files WHERE id = ?", row)
        return dropped, named

    def _add_file(self, content: FileContent, seq: int) -> list[Added]:
        state = content.state
        file = self._sql.execute(
            "INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                state.path,
                state.size_bytes,
                state.mtime_ns,
                state.sha256,
                text_key(content.document.text),
                state.masked,
                state.failure,
                seq,
                packed(content.references),
                links.WAITING if content.references else links.NOTHING_TO_LINK,
            ),
        ).lastrowid
        assert file is not None  # noqa: S101 - an insert always has one
        numbers = self._add_nodes(content.nodes, file)
        links.add_edges(self._sql, file, content.edges, own=True)
        links.remember(self._sql, file, content.references)
        return self._add_chunks(content, file, numbers, seq)

    def _add_nodes(self, nodes: Sequence[Node], file: int) -> dict[str, int]:
        """Insert nodes and return their numbers."""
        numbers = ids.numbered(self._sql, (node.id for node in nodes))
        places = ", ".join("?" * 17)
        self._sql.executemany(
            f"INSERT INTO nodes VALUES ({places})",  # noqa: S608
            [
                (numbers[node.id], *node_values(node, file, place))
                for place, node in enumerate(nodes)
            ],
        )
        return numbers

    def _add_chunks(
        self, content: FileContent, file: int, numbers: Mapping[str, int], seq: int
    ) -> list[Added]:
        row = self._sql.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
        first = int(row[0]) + 1 if row else 1
        nodes = {node.id: node for node in content.nodes}
        added: list[Added] = []
        rows = []
        for number, chunk in enumerate(content.chunks, start=first):
            node_id, place = node_and_place(chunk.id) or ("", 0)
            if chunk.node_id not in nodes or chunk.node_id != node_id:
                raise BackendRefused(
                    f"{content.state.path}: chunk {chunk.id} belongs to no node of its file. "
                    "The batch was not stored."
                )
            node = nodes[chunk.node_id]
            added.append((number, node, chunk, content.document.text))
            rows.append(
                (
                    number,
                    numbers[chunk.node_id],
                    place,
                    file,
                    chunk.span.start,
                    chunk.span.end,
                    chunk.start_line,
                    chunk.end_line,
                    embedding_key(node, chunk),
                    seq,
                )
            )
        self._sql.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return added

    def _touch(self, state: FileState) -> None:
        """Remember a new time for a file whose content is the same."""
        self._sql.execute(
            "UPDATE files SET size_bytes = ?, mtime_ns = ? WHERE path = ?",
            (state.size_bytes, state.mtime_ns, state.path),
        )

    def record(
        self,
        *,
        skipped: Mapping[str, str],
        in_vain: Mapping[str, Seen] | None = None,
        origin: str = "folder",
    ) -> None:
        """Remember which files were passed over, and that a sync ended now."""
        seen = in_vain or {}
        rows = [
            (path, reason, one.size_bytes, one.mtime_ns)
            if (one := seen.get(path)) is not None
            else (path, reason, None, None)
            for path, reason in skipped.items()
        ]
        with database.transaction(self._sql):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            before = database.read_meta(self._sql).get("origin")
            database.write_meta(self._sql, {"indexed_at": now, "origin": origin})
            kept = self._sql.execute(
                "SELECT path, reason, size_bytes, mtime_ns FROM skipped"
            ).fetchall()
            if before == origin and {*kept} == {*rows}:
                return
            self._sql.execute("DELETE FROM skipped")
            self._sql.executemany("INSERT INTO skipped VALUES (?, ?, ?, ?)", rows)
            self._revise()

    def pending(
        self, model_id: str, *, limit: int, first: Sequence[str] = (), since: int = 0
    ) -> Sequence[Pending]:
        """Return texts without a vector in this space, file names last.

        Those of the files `first` come before the others, then those of the newest.
        """
        rows = self._sql.execute(
            "SELECT c.id, c.key FROM chunks c JOIN files f ON f.id = c.file "  # noqa: S608
            "LEFT JOIN (SELECT value, min(key) AS place FROM json_each(?) GROUP BY value) p "
            "ON p.value = f.path WHERE c.seq > ? AND c.key <> x'' "
            f"AND NOT EXISTS (SELECT 1 FROM store.vectors v WHERE v.model = {kept.MODEL} "
            "AND v.key = c.key) "
            "ORDER BY c.start = c.end, ifnull(p.place, ?), f.mtime_ns DESC, c.id LIMIT ?",
            (json.dumps(list(first)), since, model_id, len(first), limit),
        ).fetchall()
        return self._texts_of(dict(rows))

    def blank(self, model_id: str, *, limit: int, after: bytes = b"") -> Sequence[Pending]:
        """Return texts with a vector of zeros in this space, by their keys, those after one."""
        rows = self._sql.execute(
            "SELECT min(c.id), c.key FROM store.vectors v JOIN chunks c ON c.key = v.key "  # noqa: S608
            f"WHERE v.model = {kept.MODEL} AND v.key > ? AND v.scale = 0 "
            "GROUP BY c.key ORDER BY c.key LIMIT ?",
            (model_id, after, limit),
        ).fetchall()
        return self._texts_of(dict(rows))

    def _texts_of(self, keys: dict[int, bytes]) -> list[Pending]:
        """Return the texts of chunks by their numbers, each key once and in this order."""
        texts: dict[bytes, str] = {}
        for number, node, chunk, _ in stream(self._sql, _within(keys), tuple(keys)):
            texts.setdefault(keys[number], embedding_text(node, chunk))
        return [Pending(key, texts[key]) for key in dict.fromkeys(keys.values()) if key in texts]

    def count_pending(self, model_id: str, *, since: int = 0) -> int:
        """Return how many texts have no vector in this space yet."""
        return database.count_unembedded(self._sql, model_id, since=since)

    def count_blank(self, model_id: str) -> int:
        """Return how many texts have a vector of zeros in this space."""
        return database.count_blank(self._sql, model_id)

    def put_vectors(
        self, model_id: str, keys: Sequence[bytes], vectors: NDArray[np.float32]
    ) -> None:
        """Keep unit vectors under their keys. Raises BackendRefused for another dimension."""
        from trivium.backends.quantise import to_int8

        known = self.vector_length(model_id)
        if known is not None and len(keys) and known != vectors.shape[1]:
            raise BackendRefused(
                f"The model gives vectors of {vectors.shape[1]} numbers now; those of {model_id} "
                f"in this index have {known}. Make them anew with: trivium index --rebuild"
            )
        rows, scales = to_int8(vectors)
        with database.transaction(self._sql):
            kept.put(self._sql, model_id, keys, rows, scales.tolist())

    def vector_length(self, model_id: str) -> int | None:
        """Return how long the vectors kept of a space are; None if there are none."""
        row = self._sql.execute(
            "SELECT m.dimension FROM store.models m JOIN store.vectors v ON v.model = m.id "
            "WHERE m.model = ? LIMIT 1",
            (model_id,),
        ).fetchone()
        return None if row is None else int(row[0])

    def forget_vectors(self, model_id: str) -> None:
        """Drop all vectors of a space, in all collections of the store."""
        with database.transaction(self._sql):
            self._sql.execute(
                f"DELETE FROM store.vectors WHERE model = {kept.MODEL}",  # noqa: S608
                (model_id,),
            )
        with database.transaction(self._sql):
            kept.clear(self._sql, only=model_id)
        self._derived.forget_space(model_id)

    def note(self, meta: Mapping[str, str]) -> None:
        """Make the index remember facts about itself."""
        with database.transaction(self._sql):
            database.write_meta(self._sql, dict(meta))

    def unlinked(self, *, limit: int) -> Sequence[Unlinked]:
        """Return files whose references are to be linked, oldest first."""
        return links.unlinked(self._sql, limit=limit)

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        row = self._sql.execute("SELECT count(*) FROM files WHERE linked = 0").fetchone()
        return int(row[0])

    def link(self, linked: Sequence[Linked]) -> None:
        """Replace the edges that came from the references of these files."""
        with database.transaction(self._sql):
            links.link(self._sql, linked)
            self._revise()

    def unlink(self) -> None:
        """Make every file wait to be linked again."""
        with database.transaction(self._sql):
            self._sql.execute(
                "UPDATE files SET linked = ? WHERE linked = ?", (links.WAITING, links.LINKED)
            )

    def put_history(self, rows: Sequence[FileHistory], *, head: str, forget: bool = False) -> None:
        """Keep what the repository knows of files up to the commit `head`."""
        with database.transaction(self._sql):
            if forget:
                self._sql.execute("DELETE FROM history")
            self._sql.executemany(
                "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)",
                [(one.path, one.author, one.modified, one.churn) for one in rows],
            )
            database.write_meta(self._sql, {"history_head": head})
            self._revise()

    def publish(self) -> None:
        """Bring the text and vector indexes up to the last batch, and clear out the store."""
        self._derived.publish(self._seq)
        garbage.drop_if_much(self._sql, self._own)

    def compact(self) -> None:
        """Write every index anew without what was deleted, and drop texts nobody needs."""
        self._derived.compact(self._seq)
        garbage.drop_unused(self._sql, self._own)

    def forget_all(self) -> None:
        """Empty the record and give up what only this collection kept in the store."""
        garbage.forget_all(self._sql, self._own)

    def close(self) -> None:
        """Let go of the text indexes; what was not published is replayed next time."""
        self._derived.close()


def _within(keys: Mapping[int, bytes]) -> str:
    return f"c.id IN ({', '.join('?' * len(keys))})"
