"""Numbers that Tantivy and the vector scan found -> rankings of chunk ids.

Drops what the snapshot's state of the record does not have, and settles ties by id. Made by
EmbeddedSnapshot for one view or one space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from trivium.backends.embedded.filters import needs_rows
from trivium.backends.embedded.spaces import SpaceReader
from trivium.backends.embedded.text import TextReader
from trivium.filtering.conditions import Filter
from trivium.query.grammar import Query
from trivium.types import Background, ChunkId, Ranking, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trivium.backends.embedded.read import EmbeddedSnapshot

_SLACK = 8
# So many chunks are scored one by one; of more, the best are looked through.
_FEW = 1000


def _ranking(name: str, found: list[tuple[float, ChunkId]], *, depth: int) -> Ranking:
    # Twice, by what C can look up: a third of the time of once by a pair made in Python.
    by_id = sorted(found, key=itemgetter(1))
    best = sorted(by_id, key=itemgetter(0), reverse=True)[:depth]
    return Ranking(name, tuple(one for _, one in best), tuple(score for score, _ in best))


def _kept(numbers: list[int], allowed: NDArray[np.int64] | None) -> list[int]:
    """Return the numbers that are among the sorted `allowed`; None allows all."""
    if allowed is None or not numbers:
        return numbers
    import numpy as np

    asked = np.array(numbers, np.int64)
    places = np.minimum(np.searchsorted(allowed, asked), len(allowed) - 1)
    kept: list[int] = asked[allowed[places] == asked].tolist()
    return kept


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
        allowed = self._snapshot.numbers_allowed(where) if needs_rows(where) else None
        if allowed is not None and len(allowed) <= _FEW:
            return self._among(query, allowed.tolist(), depth=depth)
        limit = depth + _SLACK
        if allowed is not None:
            # As many as are to be expected to hold enough that are allowed.
            chunks = self._snapshot.contents().chunks
            limit = min(chunks, limit * (2 + chunks // len(allowed)))
        while True:
            hits = self._reader.best(query, where=where, limit=limit)
            numbers = [number for _, number in hits]
            ids = self._snapshot.ids_of(_kept(numbers, allowed))
            alive = [(score, ids[number]) for score, number in hits if number in ids]
            # Stop once everything that ties with the last place has been seen: ties are
            # settled by id, which Tantivy does not know.
            if len(hits) < limit or (len(alive) > depth and alive[depth - 1][0] > alive[-1][0]):
                break
            limit *= 4
        return _ranking("text", alive, depth=depth)

    def _among(self, query: Query, numbers: Sequence[int], *, depth: int) -> Ranking:
        """Rank exactly these chunks."""
        scores = self._reader.of(query, numbers)
        ids = self._snapshot.ids_of(list(scores))
        alive = [(score, ids[number]) for number, score in scores.items() if number in ids]
        return _ranking("text", alive, depth=depth)

    def score(self, query: Query, ids: Sequence[ChunkId]) -> Scores:
        """Score exactly `ids`."""
        numbers = self._snapshot.numbers_of(ids)
        scores = self._reader.of(query, list(numbers.values()))
        return {one: scores.get(numbers.get(one, 0), 0.0) for one in ids}

    @property
    def documents(self) -> int:
        """How many chunks or nodes the view holds."""
        return self._reader.documents

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many of them each term stands, in the field where it does so most."""
        return self._reader.frequencies(terms)

    def starting(self, text: str, *, most: int) -> list[tuple[str, int]]:
        """Return terms that start with `text`, the most frequent first."""
        return self._reader.starting(text, most=most)


class EmbeddedVectors:
    """See trivium.backends.base.VectorIndex."""

    def __init__(
        self, snapshot: EmbeddedSnapshot, reader: SpaceReader, *, space: tuple[object, ...]
    ) -> None:
        self._snapshot = snapshot
        self._space = space
        self._reader = reader

    def search(
        self, vector: NDArray[np.float32], *, where: Filter, depth: int, unit: str = "chunk"
    ) -> Ranking:
        """Rank the chunks nearest to `vector`."""
        if depth < 1 or not vector.any():
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
        return _ranking("vectors", alive, depth=depth)

    def score(self, vector: NDArray[np.float32], ids: Sequence[ChunkId]) -> Scores:
        """Return the cosine of exactly `ids`, of those that have a direction."""
        import numpy as np

        if not vector.any():
            return {}
        numbers = self._snapshot.numbers_of(ids)
        wanted = np.array(sorted(numbers.values()), np.int64)
        scores = self._reader.of(vector, wanted)
        return {one: scores[number] for one, number in numbers.items() if number in scores}

    def kept(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, NDArray[np.float32]]:
        """Return the vectors of `ids`, of those that have a direction."""
        import numpy as np

        numbers = self._snapshot.numbers_of(ids)
        vectors = self._reader.kept(np.array(sorted(numbers.values()), np.int64))
        return {one: vectors[number] for one, number in numbers.items() if number in vectors}

    def background(self, vector: NDArray[np.float32]) -> Background | None:
        """Return the mean and the deviation of the cosines, over a sample where there are many."""
        if not vector.any():
            return None
        cosines = self._snapshot.sampled(self._space, self._reader) @ vector
        if not len(cosines):
            return None
        return Background(float(cosines.mean()), float(cosines.std()), len(cosines))
