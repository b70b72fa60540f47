"""int8 rows and a query -> the rows nearest to it, each of them looked at.

The scan is exact: its int8 estimate has a known error, and all rows within that error
of the cut are scored again with whole-number arithmetic, so every machine agrees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trivium.backends.quantise import to_int8, to_int16

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 64


class Rows(NamedTuple):
    """Chunk numbers (n), scales (n) and int8 rows (n, dimension)."""

    numbers: NDArray[np.int64]
    scales: NDArray[np.float32]
    matrix: NDArray[np.int8]

    def keep(self, mask: NDArray[np.bool_]) -> Rows:
        """Return the rows where `mask` holds."""
        return Rows(self.numbers[mask], self.scales[mask], self.matrix[mask])

    def at(self, places: NDArray[np.int64]) -> Rows:
        """Return the rows at these places, in their order."""
        return Rows(self.numbers[places], self.scales[places], self.matrix[places])


def empty_rows(dimension: int) -> Rows:
    """Return no rows."""
    import numpy as np

    return Rows(np.empty(0, np.int64), np.empty(0, np.float32), np.empty((0, dimension), np.int8))


def joined(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts in the order of their numbers, each from the first part."""
    import numpy as np

    numbers, first = np.unique(np.concatenate([part.numbers for part in parts]), return_index=True)
    scales = np.concatenate([part.scales for part in parts])
    matrix = np.concatenate([part.matrix for part in parts])
    return Rows(numbers, scales[first], matrix[first])


def positions(numbers: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where in `numbers` the wanted ones stand; both ascend, without repeats."""
    import numpy as np

    at = np.searchsorted(numbers, wanted)
    inside = at < len(numbers)
    at = at[inside]
    found: NDArray[np.int64] = at[numbers[at] == wanted[inside]]
    return found


class Asked(NamedTuple):
    """A query as it is scanned with: int8 of shape (1, dimension), and its scale.

    A stored row is at most a unit vector, so an estimate is `off` by no more than the length
    of what rounding took from the query; float32 adds a hair.
    """

    coarse: NDArray[np.int8]
    scale: np.float32
    off: float

    @classmethod
    def of(cls, vector: NDArray[np.float32]) -> Asked:
        """Return the query `vector` of shape (dimension,)."""
        import numpy as np

        coarse, (scale,) = to_int8(vector[np.newaxis])
        off = float(np.linalg.norm(vector - coarse[0] * scale)) * 1.01 + 1e-5
        return cls(coarse, scale, off)

    def dots(self, matrix: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the products with rows, whole numbers."""
        import numkong
        import numpy as np

        dots: NDArray[np.float64] = np.asarray(numkong.cdist(self.coarse, matrix, metric="dot"))[0]
        return dots

    def dots_of_spans(
        self, matrix: NDArray[np.int8], first: Sequence[int], after: Sequence[int]
    ) -> NDArray[np.float64]:
        """Return the products with the rows of some spans, one after the other."""
        import numpy as np
        from numkong import cdist

        dots = np.empty((1, sum(after) - sum(first)), np.float64)
        done = 0
        for start, end in zip(first, after, strict=True):
            upto = done + end - start
            if upto > done:
                # Straight to its place: two thirds of the time of putting results together.
                cdist(self.coarse, matrix[start:end], metric="dot", out=dots[:, done:upto])
            done = upto
        products: NDArray[np.float64] = dots[0]
        return products

    def estimate(
        self, dots: NDArray[np.float64], scales: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return about what the cosines are; minus infinity for rows of zeros."""
        import numpy as np

        estimate = dots.astype(np.float32)
        estimate *= scales
        estimate *= self.scale
        # A vector of zeros, as a text of unknown words alone has, is near to nothing.
        estimate[scales == 0] = -np.inf
        return estimate


class Scan(NamedTuple):
    """An estimate of every row's cosine, and how far it may be off."""

    estimate: NDArray[np.float32]
    off: float


def scan(rows: Rows, vector: NDArray[np.float32]) -> Scan:
    """Pass over all rows once."""
    asked = Asked.of(vector)
    return Scan(asked.estimate(asked.dots(rows.matrix), rows.scales), asked.off)


def nearest(made: Scan, *, limit: int, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return positions that are certain to include the `limit` nearest rows that `mask` allows."""
    import numpy as np

    if limit < 1:
        return np.empty(0, np.int64)
    estimate = made.estimate
    if mask is not None:
        estimate = np.where(mask, estimate, np.float32(-np.inf))
    return within_error(estimate, limit, made.off)


def within_error(estimate: NDArray[np.float32], limit: int, off: float) -> NDArray[np.int64]:
    """Return where the `limit` highest are, and what may be as high, if each is `off` at most."""
    import numpy as np

    if limit >= len(estimate):
        found = np.arange(len(estimate))
    else:
        found = np.flatnonzero(estimate >= _below_cut(estimate, limit) - 2 * off)
        likely = estimate[found]
        found = found[likely >= float(np.partition(likely, -limit)[-limit]) - 2 * off]
    kept: NDArray[np.int64] = found[estimate[found] > -np.inf]
    return kept


def _below_cut(estimate: NDArray[np.float32], limit: int) -> float:
    """Return no more than the `limit`-th highest estimate, and little less.

    So many blocks have a best that is at least this: what lies below need not be sorted.
    """
    import numpy as np

    blocks = len(estimate) // _BLOCK
    if blocks < limit:
        return float(np.partition(estimate, -limit)[-limit])
    best = estimate[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(best, -limit)[-limit])


def exact_cosines(
    rows: Rows, at: NDArray[np.int64], vector: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Score rows against the query in whole numbers: the same on every machine."""
    import numpy as np

    fine, scale = to_int16(vector)
    # Doubles hold these whole numbers and all their sums exactly, and are added side by side.
    dots = np.einsum("ij,j->i", rows.matrix[at].astype(np.float64), fine.astype(np.float64))
    cosines: NDArray[np.float64] = dots * rows.scales[at].astype(np.float64) * np.float64(scale)
    return cosines
