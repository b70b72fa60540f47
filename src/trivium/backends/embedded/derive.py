"""The record -> text and vector indexes that hold its last batch.

Both are fed along the way and published together, and say which batch they contain; what
they miss after a crash is replayed from SQLite. Used by the writer alone.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trivium.backends.embedded import database
from trivium.backends.embedded.read import stream
from trivium.backends.embedded.scan import Rows, empty_rows, joined, rows_of
from trivium.backends.embedded.text import TextFolder, TextWriter, needs_rebuild
from trivium.backends.embedded.vectors import SpaceFolder, SpaceState, is_heavy
from trivium.errors import BackendError
from trivium.types import Chunk, Node

if TYPE_CHECKING:
    from trivium.backends.embedded.life import Life

# Each model once, by the index alone: as many look-ups as there are models.
_MODELS = (
    "WITH RECURSIVE found(model) AS (SELECT min(model) FROM store.vectors UNION ALL "
    "SELECT (SELECT min(model) FROM store.vectors WHERE model > found.model) FROM found "
    "WHERE found.model IS NOT NULL) SELECT model FROM found WHERE model IS NOT NULL"
)

# The number of a chunk, its node, itself, and the text of its document.
Added = tuple[int, Node, Chunk, str]


class Derived:
    """The text and vector indexes of one life, open for writing."""

    def __init__(self, life: Life, connection: sqlite3.Connection, *, pruned: int) -> None:
        self._life = life
        self._sql = connection
        self._pruned = pruned
        self._text: dict[str, TextWriter] = {}

    def open(self, seq: int) -> None:
        """Open every text index that is kept, caught up with batch `seq`."""
        for folder in self._life.views_kept():
            self._text_writer(folder, seq)

    def feed(self, added: Sequence[Added], dropped: Sequence[int]) -> None:
        """Hand a batch that is safe to the text indexes that are open."""
        for writer in self._text.values():
            writer.drop(dropped)
            for one in added:
                writer.add(*one)

    def publish(self, seq: int) -> None:
        """Bring all indexes up to batch `seq`, for all readers."""
        folders = self._life.views_kept()
        for folder in folders:
            self._publish_text(folder, seq, views=len(folders))
        newest = self._sql.execute("SELECT max(id) FROM store.vectors").fetchone()[0]
        for (model_id,) in self._sql.execute(_MODELS).fetchall():
            self._publish_space(model_id, self._life.space(model_id), seq, newest=newest)
        self._prune(seq)

    def forget_space(self, model_id: str) -> None:
        """Remove what was published of a space."""
        shutil.rmtree(self._life.space(model_id).folder, ignore_errors=True)

    def compact(self, seq: int) -> None:
        """Publish, and write every text index anew without what was deleted."""
        self.publish(seq)
        for folder in self._life.views_kept():
            self._rebuild_text(folder, seq)

    def close(self) -> None:
        """Let go of the text indexes; what was not published is replayed next time."""
        for writer in self._text.values():
            writer.close()
        self._text.clear()

    def _publish_text(self, folder: TextFolder, seq: int, *, views: int) -> None:
        state = folder.state()
        is_current = state is not None and state.seq == seq
        if is_current and folder.folder.name not in self._text and folder.is_whole():
            return
        writer = self._text_writer(folder, seq)
        chunks = int(self._sql.execute("SELECT count(*) FROM chunks").fetchone()[0])
        is_committed = self._committed(writer, seq)
        if not is_committed or needs_rebuild(writer.state, chunks=chunks, views=views):
            self._rebuild_text(folder, seq)
        elif writer.is_fresh:
            folder.sweep()
        self._close_text(folder)

    def _committed(self, writer: TextWriter, seq: int) -> bool:
        """Say whether a commit went well; a fresh index that fails has no second chance."""
        try:
            writer.commit(seq)
        except BackendError:
            if writer.is_fresh:
                raise
            return False
        return True

    def _text_writer(self, folder: TextFolder, seq: int) -> TextWriter:
        """Return the open writer of a view, caught up with SQLite."""
        key = folder.folder.name
        if key not in self._text:
            fresh = not folder.is_whole()
            state = folder.state()
            if state is not None and (state.seq < self._pruned or state.seq > seq):
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
        # By their numbers: asked by the batch itself, SQLite would go through all for their order.
        newer_ones = "c.id IN (SELECT id FROM chunks WHERE seq > ?)"
        for one in stream(self._sql, newer_ones if since else "1", (since,) if since else ()):
            writer.add(*one)

    def _rebuild_text(self, folder: TextFolder, seq: int) -> None:
        self._close_text(folder)
        writer = TextWriter(folder, fresh=True)
        try:
            for one in stream(self._sql, "1", ()):
                writer.add(*one)
            writer.commit(seq)
        finally:
            writer.close()
        folder.sweep()

    def _close_text(self, folder: TextFolder) -> None:
        writer = self._text.pop(folder.folder.name, None)
        if writer is not None:
            writer.close()

    def _publish_space(self, model_id: str, folder: SpaceFolder, seq: int, *, newest: int) -> None:
        """Bring a space up to batch `seq` and to `newest`, the last vector of any model."""
        row = self._sql.execute(
            "SELECT length(int8) FROM store.vectors WHERE model = ? LIMIT 1", (model_id,)
        ).fetchone()
        if row is None:
            # Another collection of the store has forgotten them just now.
            return
        dimension = int(row[0])
        state = folder.state() if folder.is_whole() else None
        if state is not None and not (
            self._pruned <= state.seq <= seq and state.dimension == dimension
        ):
            state = None
        if state is not None and state.seq == seq and not self._has_newer(model_id, state, newest):
            if state.last_vector != newest:
                # What others have added since need not be looked through again.
                folder.note(replace(state, last_vector=newest))
            return
        self._write_space(
            model_id, folder, seq, last=newest, dimension=dimension, is_usable=state is not None
        )

    def _has_newer(self, model_id: str, state: SpaceState, newest: int) -> bool:
        """Say whether a model has vectors that its space lacks; looks at no older ones."""
        if state.last_vector == newest:
            return False
        row = self._sql.execute(
            # The plus keeps SQLite from going through all vectors of the model instead.
            "SELECT 1 FROM store.vectors WHERE id > ? AND +model = ? LIMIT 1",
            (state.last_vector, model_id),
        ).fetchone()
        return row is not None

    def _write_space(
        self,
        model_id: str,
        folder: SpaceFolder,
        seq: int,
        *,
        last: int,
        dimension: int,
        is_usable: bool,
    ) -> None:
        import numpy as np

        loaded = folder.load() if is_usable else None
        if loaded is None:
            rows = self._all_vectors(model_id, dimension)
            folder.save(
                seq=seq,
                last_vector=last,
                base=rows,
                delta=empty_rows(dimension),
                dead=np.empty(0, np.int64),
            )
            return
        state, base, delta, dead, lists = loaded
        gone = np.array(
            [
                n
                for (n,) in self._sql.execute(
                    "SELECT chunk FROM removed WHERE seq > ?", (state.seq,)
                )
            ],
            np.int64,
        )
        newer = self._newer_vectors(model_id, dimension, state)
        # A vector that was put anew takes the place of the one before it.
        delta = joined([newer, delta.keep(~np.isin(delta.numbers, gone))])
        replaced = np.union1d(gone, newer.numbers)
        dead = np.union1d(dead, base.numbers[np.isin(base.numbers, replaced)])
        merged = None
        if is_heavy(base, delta, dead, is_in_lists=lists is not None):
            merged = joined([base.keep(~np.isin(base.numbers, dead)), delta])
            delta, dead = empty_rows(dimension), np.empty(0, np.int64)
        folder.save(seq=seq, last_vector=last, base=merged, delta=delta, dead=dead)

    def _all_vectors(self, model_id: str, dimension: int) -> Rows:
        rows = self._sql.execute(
            "SELECT c.id, v.scale, v.int8 FROM store.vectors v "
            "JOIN chunks c ON c.key = v.key WHERE v.model = ? ORDER BY c.id",
            (model_id,),
        ).fetchall()
        return rows_of(rows, dimension)

    def _newer_vectors(self, model_id: str, dimension: int, state: SpaceState) -> Rows:
        """Return the rows of chunks and of vectors that a space lacks; looks at no others.

        The crossed joins hold SQLite to the side that is new, which is few; one question for
        both would go through all vectors of the model.
        """
        rows = self._sql.execute(
            "SELECT c.id, v.scale, v.int8 FROM chunks c "
            "CROSS JOIN store.vectors v ON v.model = ? AND v.key = c.key WHERE c.seq > ? "
            "UNION SELECT c.id, v.scale, v.int8 FROM store.vectors v "
            "CROSS JOIN chunks c ON c.key = v.key WHERE v.id > ? AND +v.model = ? ORDER BY 1",
            (model_id, state.seq, state.last_vector, model_id),
        ).fetchall()
        return rows_of(rows, dimension)

    def _prune(self, seq: int) -> None:
        """Forget removals that every index has taken in; others will be made anew."""
        with database.transaction(self._sql):
            self._sql.execute("DELETE FROM removed WHERE seq <= ?", (seq,))
            database.write_meta(self._sql, {"pruned": str(seq)})
        self._pruned = seq
