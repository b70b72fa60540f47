"""The writer of an embedded collection.

A batch goes to SQLite first, texts before the rows that name them; from then on it is
safe. Text and vector indexes are fed along the way and published together; whatever
they miss after a crash is replayed from SQLite when the next writer opens them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.analysis.fields import embedding_text, text_key
from trivium.backends.base import Batch, FileContent, FileState, Pending
from trivium.backends.embedded import database
from trivium.backends.embedded.read import stream
from trivium.backends.embedded.rows import node_values
from trivium.backends.embedded.text import TextFolder, TextWriter, needs_rebuild
from trivium.backends.embedded.vectors import (
    Rows,
    SpaceFolder,
    empty_rows,
    is_heavy,
    joined,
    rows_of,
)
from trivium.errors import BackendError, BackendRefused
from trivium.types import Chunk, Node

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trivium.backends.embedded.store import EmbeddedBackend

Added = tuple[int, Node, Chunk]


class EmbeddedWriter:
    """See trivium.backends.base.Writer."""

    def __init__(self, backend: EmbeddedBackend, connection: sqlite3.Connection) -> None:
        self._backend = backend
        self._sql = connection
        self._text: dict[str, TextWriter] = {}
        meta = database.read_meta(connection)
        self._seq = int(meta["seq"])
        self._pruned = int(meta.get("pruned", "0"))
        self._revision = int(meta.get("revision", "0"))
        self._forget_textless()

    def _forget_textless(self) -> None:
        """Drop files whose text the store has lost, so that the next sync reads them again."""
        rows = self._sql.execute(
            "SELECT path FROM files f "
            "WHERE NOT EXISTS (SELECT 1 FROM store.texts t WHERE t.key = f.text_key)"
        ).fetchall()
        if rows:
            self.write(Batch(removed=tuple(path for (path,) in rows)))

    def write(self, batch: Batch) -> int:
        """Store a batch, all of it or none; return its sequence number."""
        if batch.replaced or batch.removed:
            # Opened before there is anything to catch up with, so that nothing is read twice.
            for folder in self._backend.views_kept():
                self._text_writer(folder)
        self._keep_texts(batch.replaced)
        seq = self._seq + 1
        added: list[Added] = []
        try:
            with database.transaction(self._sql):
                dropped = self._drop_files(
                    [*batch.removed, *(one.state.path for one in batch.replaced)], seq
                )
                for content in batch.replaced:
                    added += self._add_file(content, seq)
                for state in batch.touched:
                    self._touch(state)
                database.write_meta(self._sql, {"seq": str(seq)})
                self._revise()
        except sqlite3.IntegrityError as error:
            raise BackendRefused(
                f"A batch holds an id twice and was not stored: {error}"
            ) from error
        self._seq = seq
        self._feed_text(added, dropped)
        return seq

    def _feed_text(self, added: Sequence[Added], dropped: Sequence[int]) -> None:
        """Hand a batch that is safe to the text writers."""
        for writer in self._text.values():
            writer.drop(dropped)
            for number, node, chunk in added:
                writer.add(number, node, chunk)

    def _revise(self) -> None:
        """Mark the state as another one, so that readers count anew."""
        self._revision += 1
        database.write_meta(self._sql, {"revision": str(self._revision)})

    def _keep_texts(self, contents: Sequence[FileContent]) -> None:
        """Put texts into the store, in a transaction of their own that comes first."""
        if not contents:
            return
        with database.transaction(self._sql):
            self._sql.execute(
                "INSERT OR IGNORE INTO store.users VALUES (?)", (str(self._backend.folder),)
            )
            self._sql.executemany(
                "INSERT OR IGNORE INTO store.texts VALUES (?, ?)",
                [(text_key(one.document.text), one.document.text) for one in contents],
            )

    def _drop_files(self, paths: Sequence[str], seq: int) -> list[int]:
        dropped: list[int] = []
        for path in paths:
            row = self._sql.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
            if row is None:
                continue
            chunks = self._sql.execute("SELECT id FROM chunks WHERE file = ?", row).fetchall()
            dropped += [number for (number,) in chunks]
            self._sql.executemany(
                "INSERT INTO removed VALUES (?, ?)", [(number, seq) for (number,) in chunks]
            )
            for table in ("chunks", "nodes", "edges"):
                self._sql.execute(f"DELETE FROM {table} WHERE file = ?", row)  # noqa: S608
            self._sql.execute("DELETE FROM files WHERE id = ?", row)
        return dropped

    def _add_file(self, content: FileContent, seq: int) -> list[Added]:
        state = content.state
        file = self._sql.execute(
            "INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                state.path,
                state.size_bytes,
                state.mtime_ns,
                state.sha256,
                text_key(content.document.text),
                state.masked,
                state.failure,
                seq,
            ),
        ).lastrowid
        assert file is not None  # noqa: S101 - an insert always has one
        numbers = self._add_nodes(content.nodes, file)
        self._sql.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?)",
            [
                (file, edge.source, edge.target, edge.type.value, edge.weight, edge.context)
                for edge in content.edges
            ],
        )
        return self._add_chunks(content, file, numbers, seq)

    def _add_nodes(self, nodes: Sequence[Node], file: int) -> dict[str, int]:
        """Insert nodes and return their numbers; numbered here, since one call is faster."""
        first = int(self._sql.execute("SELECT coalesce(max(id), 0) FROM nodes").fetchone()[0]) + 1
        places = ", ".join("?" * 16)
        self._sql.executemany(
            f"INSERT INTO nodes VALUES ({places})",  # noqa: S608
            [(first + place, *node_values(node, file)) for place, node in enumerate(nodes)],
        )
        return {node.id: first + place for place, node in enumerate(nodes)}

    def _add_chunks(
        self, content: FileContent, file: int, numbers: Mapping[str, int], seq: int
    ) -> list[Added]:
        row = self._sql.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
        first = int(row[0]) + 1 if row else 1
        nodes = {node.id: node for node in content.nodes}
        added: list[Added] = []
        rows = []
        for number, chunk in enumerate(content.chunks, start=first):
            if chunk.node_id not in nodes:
                raise BackendRefused(
                    f"{content.state.path}: chunk {chunk.id} belongs to no node of its file. "
                    "The batch was not stored."
                )
            node = nodes[chunk.node_id]
            added.append((number, node, chunk))
            rows.append(
                (
                    number,
                    chunk.id,
                    numbers[chunk.node_id],
                    file,
                    chunk.span.start,
                    chunk.span.end,
                    chunk.start_line,
                    chunk.end_line,
                    text_key(embedding_text(node, chunk)),
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

    def record(self, *, skipped: Mapping[str, str]) -> None:
        """Remember which files were passed over, and that a sync ended now."""
        with database.transaction(self._sql):
            self._sql.execute("DELETE FROM skipped")
            self._sql.executemany("INSERT INTO skipped VALUES (?, ?)", skipped.items())
            database.write_meta(self._sql, {"indexed_at": self._backend.now()})
            self._revise()

    def pending(self, model_id: str, *, limit: int) -> Sequence[Pending]:
        """Return texts without a vector in this space, newest files first."""
        rows = self._sql.execute(
            "SELECT c.id, c.key FROM chunks c JOIN files f ON f.id = c.file "
            "WHERE NOT EXISTS (SELECT 1 FROM store.vectors v WHERE v.model = ? AND v.key = c.key) "
            "ORDER BY f.mtime_ns DESC, c.id LIMIT ?",
            (model_id, limit),
        ).fetchall()
        keys: dict[int, bytes] = dict(rows)
        texts: dict[bytes, str] = {}
        for number, node, chunk in stream(self._sql, _within(keys), tuple(keys)):
            texts.setdefault(keys[number], embedding_text(node, chunk))
        return [Pending(key, texts[key]) for key in dict.fromkeys(keys.values()) if key in texts]

    def count_pending(self, model_id: str) -> int:
        """Return how many texts have no vector in this space yet."""
        row = self._sql.execute(
            "SELECT count(DISTINCT key) FROM chunks c "
            "WHERE NOT EXISTS (SELECT 1 FROM store.vectors v WHERE v.model = ? AND v.key = c.key)",
            (model_id,),
        ).fetchone()
        return int(row[0])

    def put_vectors(
        self, model_id: str, keys: Sequence[bytes], vectors: NDArray[np.float32]
    ) -> None:
        """Keep unit vectors under their keys."""
        from trivium.backends.quantise import to_int8

        rows, scales = to_int8(vectors)
        values = [
            (model_id, key, float(scale), row.tobytes())
            for key, row, scale in zip(keys, rows, scales, strict=True)
        ]
        with database.transaction(self._sql):
            self._sql.executemany(
                "INSERT OR REPLACE INTO store.vectors (model, key, scale, int8) "
                "VALUES (?, ?, ?, ?)",
                values,
            )

    def publish(self) -> None:
        """Bring the text and vector indexes up to the last batch."""
        for folder in self._backend.views_kept():
            self._publish_text(folder)
        for (model_id,) in self._sql.execute("SELECT DISTINCT model FROM store.vectors").fetchall():
            self._publish_space(model_id, self._backend.space(model_id))
        self._prune()

    def _publish_text(self, folder: TextFolder) -> None:
        state = folder.state()
        is_current = state is not None and state.seq == self._seq
        if is_current and folder.folder.name not in self._text and folder.is_whole():
            return
        writer = self._text_writer(folder)
        chunks = int(self._sql.execute("SELECT count(*) FROM chunks").fetchone()[0])
        if not self._committed(writer) or needs_rebuild(writer.state, chunks):
            self._rebuild_text(folder)
        elif writer.is_fresh:
            folder.sweep()
        self._close_text(folder)

    def _committed(self, writer: TextWriter) -> bool:
        """Say whether a commit went well; a fresh index that fails has no second chance."""
        try:
            writer.commit(self._seq)
        except BackendError:
            if writer.is_fresh:
                raise
            return False
        return True

    def _text_writer(self, folder: TextFolder) -> TextWriter:
        """Return the open writer of a view, caught up with SQLite."""
        key = folder.folder.name
        if key not in self._text:
            fresh = not folder.is_whole()
            state = folder.state()
            if state is not None and (state.seq < self._pruned or state.seq > self._seq):
                fresh = True
            writer = self._text[key] = TextWriter(folder, fresh=fresh)
            self._replay(writer)
        return self._text[key]

    def _replay(self, writer: TextWriter) -> None:
        since = writer.state.seq
        dead = self._sql.execute("SELECT chunk FROM removed WHERE seq > ?", (since,))
        writer.drop(number for (number,) in dead.fetchall())
        if since:
            # A crash after Tantivy's commit and before ours: these may be in already.
            newer = self._sql.execute("SELECT id FROM chunks WHERE seq > ?", (since,))
            for (number,) in newer.fetchall():
                writer.forget(number)
        for number, node, chunk in stream(self._sql, "c.seq > ?", (since,)):
            writer.add(number, node, chunk)

    def _rebuild_text(self, folder: TextFolder) -> None:
        self._close_text(folder)
        writer = TextWriter(folder, fresh=True)
        try:
            for number, node, chunk in stream(self._sql, "1", ()):
                writer.add(number, node, chunk)
            writer.commit(self._seq)
        finally:
            writer.close()
        folder.sweep()

    def _close_text(self, folder: TextFolder) -> None:
        writer = self._text.pop(folder.folder.name, None)
        if writer is not None:
            writer.close()

    def _publish_space(self, model_id: str, folder: SpaceFolder) -> None:
        import numpy as np

        row = self._sql.execute(
            "SELECT max(id), length(int8) FROM store.vectors WHERE model = ?", (model_id,)
        ).fetchone()
        last, dimension = int(row[0]), int(row[1])
        loaded = folder.load() if folder.is_whole() else None
        stale = loaded is not None and (loaded[0].seq < self._pruned or loaded[0].seq > self._seq)
        if loaded is None or stale or loaded[0].dimension != dimension:
            rows = self._vector_rows(model_id, dimension, "1", ())
            folder.save(
                seq=self._seq,
                last_vector=last,
                base=rows,
                delta=empty_rows(dimension),
                dead=np.empty(0, np.int64),
            )
            return
        state, base, delta, dead = loaded
        if state.seq == self._seq and state.last_vector == last:
            return
        gone = np.array(
            [
                n
                for (n,) in self._sql.execute(
                    "SELECT chunk FROM removed WHERE seq > ?", (state.seq,)
                )
            ],
            np.int64,
        )
        newer = self._vector_rows(
            model_id, dimension, "c.seq > ? OR v.id > ?", (state.seq, state.last_vector)
        )
        newer = newer.keep(~np.isin(newer.numbers, base.numbers))
        delta = joined([delta.keep(~np.isin(delta.numbers, gone)), newer])
        dead = np.union1d(dead, base.numbers[np.isin(base.numbers, gone)])
        merged = None
        if is_heavy(base, delta, dead):
            merged = joined([base.keep(~np.isin(base.numbers, dead)), delta])
            delta, dead = empty_rows(dimension), np.empty(0, np.int64)
        folder.save(seq=self._seq, last_vector=last, base=merged, delta=delta, dead=dead)

    def _vector_rows(
        self, model_id: str, dimension: int, condition: str, values: tuple[int, ...]
    ) -> Rows:
        rows = self._sql.execute(
            "SELECT c.id, v.scale, v.int8 FROM store.vectors v "  # noqa: S608
            f"JOIN chunks c ON c.key = v.key WHERE v.model = ? AND ({condition}) ORDER BY c.id",
            (model_id, *values),
        ).fetchall()
        return rows_of(rows, dimension)

    def _prune(self) -> None:
        """Forget removals that every index has taken in; others will be made anew."""
        with database.transaction(self._sql):
            self._sql.execute("DELETE FROM removed WHERE seq <= ?", (self._seq,))
            database.write_meta(self._sql, {"pruned": str(self._seq)})
        self._pruned = self._seq

    def compact(self) -> None:
        """Write every index anew without what was deleted, and drop texts nobody needs."""
        self.publish()
        for folder in self._backend.views_kept():
            self._rebuild_text(folder)
        drop_unused(self._sql, str(self._backend.folder))

    def forget_all(self) -> None:
        """Empty the record and give up what only this collection kept in the store."""
        own = str(self._backend.folder)
        with database.transaction(self._sql):
            for table in ("chunks", "nodes", "edges", "files", "skipped", "removed"):
                self._sql.execute(f"DELETE FROM {table}")  # noqa: S608
            self._revise()
        drop_unused(self._sql, own)
        self._sql.execute("DELETE FROM store.users WHERE folder = ?", (own,))

    def close(self) -> None:
        """Let go of the text indexes; what was not published is replayed next time."""
        for writer in self._text.values():
            writer.close()
        self._text.clear()


def drop_unused(connection: sqlite3.Connection, own: str) -> None:
    """Remove texts and vectors no collection of this store uses any more."""
    users = connection.execute("SELECT folder FROM store.users").fetchall()
    others = [folder for (folder,) in users if folder != own and Path(folder).is_dir()]
    if others:
        # Another collection shares this store: what it needs cannot be seen from here.
        return
    with database.transaction(connection):
        connection.execute("DELETE FROM store.texts WHERE key NOT IN (SELECT text_key FROM files)")
        connection.execute("DELETE FROM store.vectors WHERE key NOT IN (SELECT key FROM chunks)")


def _within(keys: Mapping[int, bytes]) -> str:
    return f"c.id IN ({', '.join('?' * len(keys))})"
