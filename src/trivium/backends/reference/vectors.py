"""Float vectors -> int8 vectors, and exact search among them.

A vector is kept as whole numbers from -127 to 127 and one scale, as every backend keeps
it; the query stays as precise as it came. Called by store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from trivium.analysis.fields import FIRST
from trivium.backends.base import Found
from trivium.backends.reference.order import Allows, rank, rounded
from trivium.errors import BackendRefused
from trivium.filtering.conditions import Filter
from trivium.types import SAMPLED, Background, ChunkId, Ranking, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LARGEST = 127


@dataclass(frozen=True, slots=True)
class Int8Vector:
    """A vector as whole numbers; component i is steps[i] x scale."""

    steps: tuple[int, ...]
    scale: float


def quantise(vector: Sequence[float]) -> Int8Vector:
    """Keep the largest component exactly; the others to the nearest step, half to even."""
    largest = max((abs(component) for component in vector), default=0.0)
    if largest == 0.0:
        return Int8Vector((0,) * len(vector), 0.0)
    scale = largest / _LARGEST
    return Int8Vector(tuple(round(component / scale) for component in vector), scale)


def dot(query: Sequence[float], kept: Int8Vector) -> float:
    """Return the product of a query with a kept vector: the cosine if both are unit length."""
    total: float = sum(map(mul, query, kept.steps))
    return kept.scale * total


class ReferenceVectors:
    """One vector space: the chunks that have a vector in it."""

    def __init__(
        self,
        found: Mapping[ChunkId, Found],
        kept: Mapping[ChunkId, Int8Vector],
        *,
        allows: Allows,
    ) -> None:
        self._found = found
        self._kept = kept
        self._allows = allows

    def search(
        self, vector: NDArray[np.float32], *, where: Filter, depth: int, unit: str = "chunk"
    ) -> Ranking:
        """Rank the chunks nearest to `vector` that satisfy `where`."""
        units = [
            one
            for one in self._kept
            if (one.endswith(FIRST) if unit == "node" else self._found[one].chunk.text)
        ]
        return rank(
            self.score(vector, units),
            name="vectors",
            depth=depth,
            allowed=lambda one: self._allows(where, self._found[one].node),
        )

    def score(self, vector: NDArray[np.float32], ids: Sequence[ChunkId]) -> Scores:
        """Return the cosine of exactly `ids`; one without a vector, or of zeros, is left out."""
        query: list[float] = vector.tolist()
        for kept in self._kept.values():
            if len(kept.steps) != len(query):
                raise BackendRefused(
                    f"The query vector has {len(query)} dimensions, the space {len(kept.steps)}. "
                    "Embed the query with the model of the space."
                )
        if not any(query):
            return {}
        return {
            one: rounded(dot(query, self._kept[one]))
            for one in ids
            if one in self._kept and self._kept[one].scale
        }

    def kept(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, NDArray[np.float32]]:
        """Return the vectors of `ids` as they are kept; one without, or of zeros, is left out."""
        import numpy as np

        found = {one: self._kept[one] for one in ids if one in self._kept}
        return {
            one: np.array([kept.scale * step for step in kept.steps], np.float32)
            for one, kept in found.items()
            if kept.scale
        }

    def background(self, vector: NDArray[np.float32]) -> Background | None:
        """Return the mean and the deviation of the cosines, over a sample where there are many."""
        kept = sorted(
            one for one, each in self._kept.items() if each.scale and self._found[one].chunk.text
        )
        step = max(1, len(kept) / SAMPLED)
        some = [kept[int(at * step)] for at in range(min(len(kept), SAMPLED))]
        cosines = list(self.score(vector, some).values())
        return Background(fmean(cosines), pstdev(cosines), len(cosines)) if cosines else None
