"""Scored chunks -> a Ranking, and numbers to the precision in which they are compared.

Keeps the one order of this package: score down, then id up. Called by text and vectors.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from trivium.filtering.conditions import Filter
from trivium.types import ChunkId, Node, Ranking

Allows = Callable[[Filter, Node], bool]


def rounded(score: float) -> float:
    """Return the 32-bit float nearest to `score`."""
    (nearest,) = struct.unpack("<f", struct.pack("<f", score))
    return float(nearest)


def rank(
    scores: Mapping[ChunkId, float], *, name: str, depth: int, allowed: Callable[[ChunkId], bool]
) -> Ranking:
    """Return the best `depth` of the chunks that are allowed."""
    compared = {one: rounded(score) for one, score in scores.items() if allowed(one)}
    ids = sorted(compared, key=lambda one: (-compared[one], one))[: max(depth, 0)]
    return Ranking(name, tuple(ids), tuple(compared[one] for one in ids))
