"""Numbers that Tantivy and the vector scan found -> rankings of chunk ids.

Drops what the snapshot's state of the record does not have, and settles ties by id. Made by
EmbeddedSnapshot for one view or one space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trivium.backends.embedded.text import TextReader
from trivium.backends.embedded.vectors import SpaceReader
from trivium.filtering.conditions import Filter
from trivium.query.grammar import Query
from trivium.types import ChunkId, Ranking, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trivium.backends.embedded.read import EmbeddedSnapshot

_SLACK = 8


class EmbeddedText:
    """See trivium.backends.base.TextIndex."""

    def __init__(self, snapshot: EmbeddedSnapshot, reader: TextReader, *, is_current: bool) -> None:
        self._snapshot = snapshot
        self._reader = reader
        self._is_current = is_current

    @property
    def is_current(self) -> bool:
        """Whether it holds the last batch of this snapshot's record."""
        return self._is_current

    def search(self, query: Query, *, where: Filter, depth: int) -> Ranking:
        """Rank the chunks that match `query`."""
        if depth < 1:
            return Ranking("text", (), ())
        limit = depth + _SLACK
        while True:
            hits = self._reader.best(query, where=where, limit=limit)
            ids = self._snapshot.ids_of([number for _, number in hits])
            alive = [(score, ids[number]) for score, number in hits if number in ids]
            # Stop once everything that ties with the last place has been seen: ties are
            # settled by id, which Tantivy does not know.
            if len(hits) < limit or (len(alive) > depth and alive[depth - 1][0] > alive[-1][0]):
                break
            limit *= 4
        alive.sort(key=lambda hit: (-hit[0], hit[1]))
        kept = alive[:depth]
        return Ranking("text", tuple(one for _, one in kept), tuple(score for score, _ in kept))

    def score(self, query: Query, ids: Sequence[ChunkId]) -> Scores:
        """Score exactly `ids`."""
        numbers = self._snapshot.numbers_of(ids)
        scores = self._reader.of(query, list(numbers.values()))
        return {one: scores.get(numbers.get(one, 0), 0.0) for one in ids}


class EmbeddedVectors:
    """See trivium.backends.base.VectorIndex."""

    def __init__(self, snapshot: EmbeddedSnapshot, reader: SpaceReader) -> None:
        self._snapshot = snapshot
        self._reader = reader

    def search(
        self, vector: NDArray[np.float32], *, where: Filter, depth: int, unit: str = "chunk"
    ) -> Ranking:
        """Rank the chunks nearest to `vector`."""
        if depth < 1:
            return Ranking("vectors", (), ())
        allowed = self._snapshot.numbers_allowed(where)
        # Files are found by vectors of their own; a search for chunks passes over them.
        limit = depth + _SLACK
        while True:
            numbers, cosines = self._reader.best(vector, limit=limit, allowed=allowed)
            ids = self._snapshot.ids_of(numbers.tolist(), unit=unit)
            pairs = zip(numbers.tolist(), cosines.tolist(), strict=True)
            alive = [(score, ids[number]) for number, score in pairs if number in ids]
            if len(alive) >= depth or len(numbers) < limit:
                break
            limit *= 4
        alive.sort(key=lambda hit: (-hit[0], hit[1]))
        kept = alive[:depth]
        return Ranking("vectors", tuple(one for _, one in kept), tuple(score for score, _ in kept))

    def score(self, vector: NDArray[np.float32], ids: Sequence[ChunkId]) -> Scores:
        """Return the cosine of exactly `ids`."""
        import numpy as np

        numbers = self._snapshot.numbers_of(ids)
        wanted = np.array(sorted(numbers.values()), np.int64)
        scores = self._reader.of(vector, wanted)
        return {one: scores[number] for one, number in numbers.items() if number in scores}
