"""The record -> text and vector indexes that hold its last batch.

Both are fed along the way and published together, and say which batch they contain; what
they miss after a crash is replayed from SQLite. Used by the writer alone.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trivium.backends.embedded import database, kept
from trivium.backends.embedded.kept import Kept
from trivium.backends.embedded.read import stream
from trivium.backends.embedded.scan import Rows, empty_rows, joined
from trivium.backends.embedded.text import TextFolder, TextWriter, needs_rebuild
from trivium.backends.embedded.vectors import Loaded, SpaceFolder, SpaceState, is_heavy
from trivium.errors import BackendError
from trivium.types import Chunk, Node

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trivium.backends.embedded.life import Life

_MODELS = "SELECT model FROM store.models"
# Rows of the store that are nobody's here, and rows of its file that several chunks have, up to
# which its file is scanned; beyond it, a copy of what this collection has takes less time.
_ASIDE_SHARE = 0.05
_ASIDE_LEAST = 200

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
        rows = kept.find(self._sql, model_id)
        if rows is None or not rows.has_vectors(self._sql):
            # Another collection of the store has forgotten them just now.
            return
        state = folder.state() if folder.is_whole() else None
        if state is not None and not (
            self._pruned <= state.seq <= seq and state.dimension == rows.dimension
        ):
            state = None
        if state is not None and state.seq == seq and not self._has_newer(rows, state, newest):
            if state.last_vector != newest:
                # What others have added since need not be looked through again.
                folder.note(replace(state, last_vector=newest))
            return
        self._write_space(rows, folder, seq, last=newest, is_usable=state is not None)

    def _has_newer(self, rows: Kept, state: SpaceState, newest: int) -> bool:
        """Say whether a model has vectors that its space lacks; looks at no older ones."""
        if state.last_vector == newest:
            return False
        row = self._sql.execute(
            # The plus keeps SQLite from going through all vectors of the model instead.
            "SELECT 1 FROM store.vectors WHERE id > ? AND +model = ? LIMIT 1",
            (state.last_vector, rows.number),
        ).fetchone()
        return row is not None

    def _write_space(
        self, rows: Kept, folder: SpaceFolder, seq: int, *, last: int, is_usable: bool
    ) -> None:
        loaded = folder.load() if is_usable else None
        if loaded is None or not self._add_newer(rows, folder, seq, last=last, loaded=loaded):
            self._write_whole(rows, folder, seq, last=last)

    def _write_whole(self, rows: Kept, folder: SpaceFolder, seq: int, *, last: int) -> None:
        """Write a space anew, in the file of the store if little of that is not of it."""
        import numpy as np

        found = self._placed(
            "SELECT c.id, v.scale, v.place FROM store.vectors v "
            "JOIN chunks c ON c.key = v.key WHERE v.model = ? ORDER BY c.id",
            (rows.number,),
        )
        places, first = np.unique(found.places, return_index=True)
        taken = int(places[-1]) + 1 if len(places) else 0
        aside = (taken - len(places)) + (len(found.places) - len(places))
        is_kept = aside <= max(_ASIDE_LEAST, _ASIDE_SHARE * taken) and 0 < taken <= rows.there
        if is_kept:
            base, delta = found.in_place(rows, first, taken=taken)
        else:
            base, delta = found.copied(rows), empty_rows(rows.dimension)
        folder.save(
            seq=seq,
            last_vector=last,
            base=base,
            delta=delta,
            dead=np.empty(0, np.int64),
            kept=rows.file.name if is_kept else "",
        )

    def _add_newer(
        self, rows: Kept, folder: SpaceFolder, seq: int, *, last: int, loaded: Loaded
    ) -> bool:
        """Add to a space what it lacks; say whether it need not be written anew for that."""
        import numpy as np

        state, base, delta, dead, _ = loaded
        removed = self._sql.execute("SELECT chunk FROM removed WHERE seq > ?", (state.seq,))
        gone = np.fromiter((number for (number,) in removed), np.int64)
        newer = self._newer_vectors(rows, state)
        # A vector that was put anew takes the place of the one before it.
        delta = joined([newer, delta.keep(~np.isin(delta.numbers, gone))])
        replaced = np.union1d(gone, newer.numbers)
        dead = np.union1d(dead, base.numbers[np.isin(base.numbers, replaced)])
        if is_heavy(base, delta, dead, is_in_lists=bool(state.list_count)):
            return False
        folder.save(seq=seq, last_vector=last, base=None, delta=delta, dead=dead)
        return True

    def _newer_vectors(self, rows: Kept, state: SpaceState) -> Rows:
        """Return the rows of chunks and of vectors that a space lacks; looks at no others.

        The crossed joins hold SQLite to the side that is new, which is few; one question for
        both would go through all vectors of the model.
        """
        return self._placed(
            "SELECT c.id, v.scale, v.place FROM chunks c "
            "CROSS JOIN store.vectors v ON v.model = ? AND v.key = c.key WHERE c.seq > ? "
            "UNION SELECT c.id, v.scale, v.place FROM store.vectors v "
            "CROSS JOIN chunks c ON c.key = v.key WHERE v.id > ? AND +v.model = ? ORDER BY 1",
            (rows.number, state.seq, state.last_vector, rows.number),
        ).copied(rows)

    def _placed(self, asked: str, values: tuple[int, ...]) -> _Placed:
        import numpy as np

        found = self._sql.execute(asked, values).fetchall()
        return _Placed(
            np.array([number for number, _, _ in found], np.int64),
            np.array([scale for _, scale, _ in found], np.float32),
            np.array([place for _, _, place in found], np.int64),
        )

    def _prune(self, seq: int) -> None:
        """Forget removals that every index has taken in; others will be made anew."""
        with database.transaction(self._sql):
            self._sql.execute("DELETE FROM removed WHERE seq <= ?", (seq,))
            database.write_meta(self._sql, {"pruned": str(seq)})
        self._pruned = seq


class _Placed(NamedTuple):
    """Numbers of chunks, which ascend, with the scales of their vectors and the places of rows."""

    numbers: NDArray[np.int64]
    scales: NDArray[np.float32]
    places: NDArray[np.int64]

    def copied(self, rows: Kept) -> Rows:
        """Return the rows themselves, those left out that the disk has lost."""
        matrix = rows.rows()
        there = self.places < len(matrix)
        return Rows(self.numbers[there], self.scales[there], matrix[self.places[there]])

    def in_place(self, rows: Kept, first: NDArray[np.int64], *, taken: int) -> tuple[Rows, Rows]:
        """Return the rows as they lie in the store, and copies for others that have the same.

        `first` says which of these stand for their places. A row that is nobody's here is as one
        of zeros, which is never near.
        """
        import numpy as np

        numbers = -1 - np.arange(taken, dtype=np.int64)
        scales = np.zeros(taken, np.float32)
        places = self.places[first]
        numbers[places], scales[places] = self.numbers[first], self.scales[first]
        others = np.ones(len(self.numbers), np.bool_)
        others[first] = False
        again = _Placed(self.numbers[others], self.scales[others], self.places[others])
        return Rows(numbers, scales, rows.rows()[:taken]), again.copied(rows)
