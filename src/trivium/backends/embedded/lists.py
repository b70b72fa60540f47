"""Very many rows -> lists of rows that point the same way, of which a query looks at the nearest.

Centres are found by k-means on a sample, in whole numbers and from a fixed seed, so that the
same rows give the same lists on every machine. A query goes on from list to list, the nearest
first, until a share of all rows has brought nothing new among its best. Used by the space.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.backends.embedded.scan import Asked, Rows, positions, within_error
from trivium.backends.quantise import to_int8

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEED = 1
# Of 512, 1,024 and 2,048 lists of 250,000 rows, the last needed the fewest rows for the same
# recall, and as many calls as it saved rows: four times the root.
_LISTS_PER_ROOT = 4
_SAMPLED_PER_LIST = 32
_ROUNDS = 6
# Five milliseconds: a search in another thread waits no longer for the interpreter.
_AT_ONCE = 512
# So many rows, or so many lists of them, bring nothing new before a query stops. Static vectors and
# queries of a few words, the hardest measured (benchmarks.vast --texts), need the share at 800,000
# rows to find .96 of the 30 nearest, and the lists at 250,000 to find .95.
_STEP_SHARE = 0.02
_STEP_LISTS = 64
# The best that must not change are so many even if fewer are asked for: the same lists are
# then looked at whatever the depth, so that a short ranking is the start of a longer one.
_STEADY = 128

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Lists:
    """How the rows of a base lie in lists.

    List i holds the rows from starts[i] up to starts[i + 1]; `centres` are unit vectors, and
    their `numbers` those of the lists. `order` are the places of the rows by their chunk
    numbers, which are `ascending`. `trained` is how many rows there were when centres were found.
    """

    centres: Rows
    starts: NDArray[np.int64]
    order: NDArray[np.int64]
    ascending: NDArray[np.int64]
    trained: int

    @property
    def count(self) -> int:
        """How many lists there are; none where only the order is known."""
        return len(self.centres.numbers)

    def positions(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of these chunk numbers, which ascend; the places ascend, too."""
        import numpy as np

        return np.sort(self.order[positions(self.ascending, wanted)])


def unlisted(numbers: NDArray[np.int64], dimension: int) -> Lists:
    """Return no lists of rows that lie in any order: they can be found by number, not skipped.

    Numbers below 0 are of rows that are nobody's.
    """
    import numpy as np

    from trivium.backends.embedded.scan import empty_rows

    order = np.argsort(numbers, kind="stable")
    order = order[np.searchsorted(numbers[order], 0) :]
    starts = np.zeros(1, np.int64)
    return Lists(empty_rows(dimension), starts, order, numbers[order], 0)


def how_many(rows: int) -> int:
    """Return into how many lists so many rows are put."""
    return max(1, round(_LISTS_PER_ROOT * math.sqrt(rows)))


def train(rows: Rows, *, progress: Progress) -> Rows:
    """Return the centres of lists for these rows: unit vectors, as rows numbered from 0."""
    import numpy as np

    count = how_many(len(rows.numbers))
    chance = np.random.default_rng(_SEED)
    places = np.flatnonzero(rows.scales > 0)
    if len(places) > count * _SAMPLED_PER_LIST:
        places = np.sort(chance.choice(places, count * _SAMPLED_PER_LIST, replace=False))
    count = min(count, len(places))
    sample = rows.at(places)
    first = np.sort(chance.choice(len(places), count, replace=False))
    centres = _as_centres(_directions(sample, first))
    for round_ in range(_ROUNDS):
        progress(round_, _ROUNDS)
        centres = _as_centres(_means(sample, assign(sample.matrix, centres), count))
    return centres


def _as_centres(vectors: NDArray[np.float64]) -> Rows:
    import numpy as np

    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors = vectors / np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]
    matrix, scales = to_int8(vectors.astype(np.float32))
    return Rows(np.arange(len(matrix), dtype=np.int64), scales, matrix)


def _directions(rows: Rows, at: NDArray[np.int64]) -> NDArray[np.float64]:
    import numpy as np

    directions: NDArray[np.float64] = rows.matrix[at].astype(np.float64)
    directions *= rows.scales[at].astype(np.float64)[:, np.newaxis]
    return directions


def _means(sample: Rows, lists: NDArray[np.int32], count: int) -> NDArray[np.float64]:
    """Return the sums of the rows of each list; one that is empty takes a row of a large one."""
    import numpy as np

    sizes = np.bincount(lists, minlength=count)
    by_list = np.argsort(lists, kind="stable")
    ends = np.cumsum(sizes)
    sums = np.zeros((count, sample.matrix.shape[1]), np.float64)
    for at in range(count):
        # One list after the other: all rows as doubles would take eight times their memory.
        sums[at] = _directions(sample, by_list[ends[at] - sizes[at] : ends[at]]).sum(axis=0)
    empty = np.flatnonzero(sizes == 0)
    largest = np.argsort(-sizes, kind="stable")[: len(empty)]
    sums[empty] = _directions(sample, by_list[ends[largest] - 1])
    return sums


def assign(
    matrix: NDArray[np.int8], centres: Rows, *, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Return the list of each row: that of the nearest centre, of equal ones the first."""
    import numkong
    import numpy as np

    packed = numkong.dots_pack(centres.matrix)
    lists = np.empty(len(matrix), np.int32)
    for start in range(0, len(matrix), _AT_ONCE):
        if progress is not None:
            progress(start, len(matrix))
        some = matrix[start : start + _AT_ONCE]
        near = np.asarray(numkong.dots_packed(some, packed)).astype(np.float32)
        near *= centres.scales
        lists[start : start + _AT_ONCE] = near.argmax(axis=1)
    return lists


def arranged(
    numbers: NDArray[np.int64], lists: NDArray[np.int32], centres: Rows, *, trained: int
) -> tuple[NDArray[np.int64], Lists]:
    """Return in which order rows are to be written, and the lists they lie in then."""
    import numpy as np

    places = np.lexsort((numbers, lists))
    sizes = np.bincount(lists, minlength=len(centres.numbers))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    order = np.argsort(numbers[places], kind="stable")
    return places, Lists(centres, starts, order, numbers[places][order], trained)


@dataclass(frozen=True, slots=True)
class Gate:
    """Which chunk numbers may be found: a mark for each up to the highest, and how many."""

    marks: NDArray[np.bool_]
    count: int

    @classmethod
    def of(
        cls,
        ascending: NDArray[np.int64],
        allowed: NDArray[np.int64] | None,
        dead: NDArray[np.int64],
    ) -> Gate | None:
        """Return the gate that lets through what is `allowed` and not dead; None for all rows."""
        import numpy as np

        if allowed is None and not len(dead):
            return None
        size = int(ascending[-1]) + 1
        if allowed is None:
            marks, count = np.ones(size, np.bool_), len(ascending)
        else:
            marks, count = np.zeros(size, np.bool_), min(len(allowed), len(ascending))
            marks[allowed[: np.searchsorted(allowed, size)]] = True
        marks[dead] = False
        return cls(marks, count)


def probe(
    rows: Rows, lists: Lists, vector: NDArray[np.float32], *, limit: int, gate: Gate | None
) -> NDArray[np.int64]:
    """Return positions that include most of the `limit` nearest rows that `gate` lets through.

    What a filter allows may lie far from the query: a step is counted in rows that are let
    through, so the lists looked at are as many as it takes.
    """
    import numpy as np

    asked = Asked.of(vector)
    steady = max(limit, _STEADY)
    every = len(rows.numbers)
    # So many rows of all, and as large a share of those that are let through.
    step = math.ceil(every * max(_STEP_SHARE, _STEP_LISTS / lists.count))
    enough = step if gate is None else math.ceil(step * gate.count / every)
    best = _Best(steady, asked.off)
    seen, has_new = 0, False
    for places, estimate in _by_nearness(rows, lists, asked, step=step):
        if gate is not None:
            estimate[~gate.marks[rows.numbers[places]]] = -np.inf
        let_through, is_new = best.take(places, estimate)
        seen, has_new = seen + let_through, has_new or is_new
        if seen >= enough:
            if not has_new:
                break
            seen, has_new = 0, False
    return best.places[within_error(best.estimates, limit, asked.off)]


class _Best:
    """The best rows so far, and those within the error of the last of them."""

    def __init__(self, count: int, off: float) -> None:
        import numpy as np

        self.places = np.empty(0, np.int64)
        self.estimates = np.empty(0, np.float32)
        self._count = count
        self._off = off
        self._last = -np.inf

    def take(self, places: NDArray[np.int64], estimates: NDArray[np.float32]) -> tuple[int, bool]:
        """Take in rows; return how many could count at all, and whether one is among the best."""
        import numpy as np

        seen = int(np.count_nonzero(estimates > -np.inf))
        is_new = bool((estimates > self._last).any())
        near = (estimates >= self._last - 2 * self._off) & (estimates > -np.inf)
        self.places = np.concatenate([self.places, places[near]])
        self.estimates = np.concatenate([self.estimates, estimates[near]])
        if len(self.estimates) >= self._count:
            self._last = float(np.partition(self.estimates, -self._count)[-self._count])
            near = self.estimates >= self._last - 2 * self._off
            self.places, self.estimates = self.places[near], self.estimates[near]
        return seen, is_new


def _by_nearness(
    rows: Rows, lists: Lists, asked: Asked, *, step: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Yield places and estimates of the rows of some lists after the other, the nearest first."""
    import numpy as np

    near = asked.estimate(asked.dots(lists.centres.matrix), lists.centres.scales)
    nearest = np.argsort(-near, kind="stable")
    reached = np.cumsum(np.diff(lists.starts)[nearest])
    at = 0
    while at < lists.count:
        before = int(reached[at - 1]) if at else 0
        upto = min(lists.count, int(np.searchsorted(reached, before + step)) + 1)
        # In the order of the file.
        some = np.sort(nearest[at:upto])
        first, after = lists.starts[some], lists.starts[some + 1]
        at = upto
        lengths = after - first
        ends = np.cumsum(lengths)
        if ends[-1]:
            dots = asked.dots_of_spans(rows.matrix, first.tolist(), after.tolist())
            places = np.arange(ends[-1]) + np.repeat(after - ends, lengths)
            yield places, asked.estimate(dots, rows.scales[places])
