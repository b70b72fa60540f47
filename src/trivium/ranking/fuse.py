"""Several rankings -> one list of scored chunks.

Each way is a small pure function; what it returns is a sum of named parts. Called by the
engine, after retrieval and before boosts. The order of the retrievers does not matter.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from trivium.types import ChunkId, Part, Ranking, Scored, Scores, best_first


def rrf(
    rankings: Sequence[Ranking], *, k: int = 60, weights: Mapping[str, float] | None = None
) -> list[Scored]:
    """Fuse rankings by reciprocal rank (Cormack, Clarke and Buettcher, 2009).

    A chunk gains weight / (k + rank) from each ranking that lists it, with ranks
    counted from 1, and nothing from one that does not.
    """
    parts: defaultdict[ChunkId, list[Part]] = defaultdict(list)
    for ranking in sorted(rankings, key=lambda one: one.name):
        weight = 1.0 if weights is None else weights.get(ranking.name, 1.0)
        for rank, chunk_id in enumerate(ranking.ids, start=1):
            parts[chunk_id].append(Part(f"{ranking.name} rank {rank}", weight / (k + rank)))
    return best_first(Scored(chunk_id, tuple(gained)) for chunk_id, gained in parts.items())


def zscore(
    ids: Sequence[ChunkId], signals: Mapping[str, Scores], *, weights: Mapping[str, float]
) -> list[Scored]:
    """Blend scores that share no scale: the order of the weighted sum of z-scores, as 0 to 1.

    A z-score counts how many standard deviations a score lies above the mean of the pool.
    The sum is then shifted and divided by constants of the pool, so that a chunk that
    is last in every signal has 0 and one that is first in all has 1: each signal's part is
    share x (score - lowest) / (highest - lowest), where share grows with weight x spread.
    A chunk without a score in a signal counts as its lowest.
    """
    shares = _shares(ids, signals, weights)
    ranges = {name: _range(ids, signals[name]) for name in shares}
    scored = []
    for chunk_id in ids:
        parts = []
        for name, share in shares.items():
            scores = signals[name]
            lowest, highest = ranges[name]
            value = scores.get(chunk_id, lowest)
            # All alike: the signal says no more than that something matched.
            place = (value - lowest) / (highest - lowest) if highest > lowest else float(value > 0)
            if place > 0:
                parts.append(Part(name, share * place))
        scored.append(Scored(chunk_id, tuple(parts)))
    return best_first(scored)


def _shares(
    ids: Sequence[ChunkId], signals: Mapping[str, Scores], weights: Mapping[str, float]
) -> dict[str, float]:
    """Return how much of the whole each signal can give; they add up to 1."""
    spreads: dict[str, float] = {}
    for name in sorted(signals):
        values = [signals[name][one] for one in ids if one in signals[name]]
        if not values or weights.get(name, 0.0) <= 0:
            continue
        lowest, highest = _range(ids, signals[name])
        deviation = _deviation(values)
        # Equal scores may have a mean that is not quite theirs, and so a deviation above 0.
        spread = (highest - lowest) / deviation if highest > lowest and deviation > 0 else 1.0
        spreads[name] = weights[name] * spread
    whole = math.fsum(spreads.values())
    return {name: spread / whole for name, spread in spreads.items()}


def _range(ids: Sequence[ChunkId], scores: Scores) -> tuple[float, float]:
    values = [scores[one] for one in ids if one in scores]
    return (min(values), max(values)) if values else (0.0, 0.0)


def _deviation(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
