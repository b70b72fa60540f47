"""Several rankings -> one list of scored chunks.

Each way is a small pure function; what it returns is a sum of named parts. Called by the
engine, after retrieval and before boosts. The order of the retrievers does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress, repeat

from trivium.types import ChunkId, Part, Ranking, Scored, Scores, best_first

# Neither side is ever silenced by it.
_MOST_BY_MATCH = 4.0
_RANKS_KEPT = 1024


def rrf(
    rankings: Sequence[Ranking], *, k: int = 60, weights: Mapping[str, float] | None = None
) -> list[Scored]:
    """Fuse rankings by reciprocal rank (Cormack, Clarke and Buettcher, 2009).

    A chunk gains weight / (k + rank) from each ranking that lists it, with ranks
    counted from 1, and nothing from one that does not.
    """
    names: dict[ChunkId, tuple[str, ...]] = {}
    values: dict[ChunkId, tuple[float, ...]] = {}
    for ranking in sorted(rankings, key=lambda one: one.name):
        weight = 1.0 if weights is None else weights.get(ranking.name, 1.0)
        for rank, chunk_id in enumerate(ranking.ids, start=1):
            names[chunk_id] = (*names.get(chunk_id, ()), _said(ranking.name, rank))
            values[chunk_id] = (*values.get(chunk_id, ()), weight / (k + rank))
    return best_first([Scored.summed(one, names[one], values[one]) for one in names])


@lru_cache(_RANKS_KEPT)
def _said(name: str, rank: int) -> str:
    return f"{name} rank {rank}"


def weighted(
    ids: Sequence[ChunkId], signals: Mapping[str, Scores], *, weights: Mapping[str, float]
) -> list[Scored]:
    """Add scores that share a scale: the sum of weight x score, a missing score being 0."""
    return best_first(
        Scored(
            one,
            tuple(
                Part(name, weights[name] * signals[name][one])
                for name in sorted(signals)
                if weights.get(name) and signals[name].get(one)
            ),
        )
        for one in ids
    )


def blend(
    ids: Sequence[ChunkId],
    signals: Mapping[str, Scores],
    *,
    weights: Mapping[str, float],
    renormalises: bool = False,
) -> list[Scored]:
    """Return the weighted mean of scores that share a scale.

    A missing score is 0, or, if it `renormalises`, no part of the mean: a chunk then has the
    mean of the scores it has.
    """
    counted = [name for name in sorted(signals) if weights.get(name, 0.0) > 0]
    scored = []
    for one in ids:
        present = [name for name in counted if one in signals[name]]
        whole = math.fsum(weights[name] for name in (present if renormalises else counted))
        parts = [Part(name, weights[name] * signals[name][one] / whole) for name in present]
        scored.append(Scored(one, tuple(parts)))
    return best_first(scored)


def shared_out(scored: Sequence[Scored]) -> list[Scored]:
    """Divide all scores by the highest, part by part, so that the best has 1."""
    best = max((one.score for one in scored), default=0.0)
    if best <= 0:
        return list(scored)
    return [
        Scored(one.chunk_id, tuple(Part(part.name, part.value / best) for part in one.parts))
        for one in scored
    ]


def as_score(ranking: Ranking) -> list[Scored]:
    """Take the scores of a single ranking as they are."""
    pairs = zip(ranking.ids, ranking.scores, strict=True)
    return best_first(Scored(one, (Part(ranking.name, score),)) for one, score in pairs)


def by_best(scores: Scores) -> dict[ChunkId, float]:
    """Divide scores by the highest of them: BM25 as 0 to 1."""
    best = max(scores.values(), default=0.0)
    return {one: score / best for one, score in scores.items()} if best > 0 else dict(scores)


def by_range(scores: Scores) -> dict[ChunkId, float]:
    """Move scores to 0 to 1 by their range; all alike are 1."""
    lowest, highest = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    span = highest - lowest
    return {one: (score - lowest) / span if span > 0 else 1.0 for one, score in scores.items()}


def by_deviation(scores: Scores) -> dict[ChunkId, float]:
    """Count how many standard deviations each score lies above the mean; 0 if all are alike."""
    values = list(scores.values())
    deviation = _deviation(values) if values else 0.0
    mean = math.fsum(values) / len(values) if values else 0.0
    return {one: (score - mean) / deviation if deviation else 0.0 for one, score in scores.items()}


def by_match(
    weights: Mapping[str, float], *, best: float, terms: int, usual: float, power: float
) -> dict[str, float]:
    """Weigh words by how much of the query they found: their best score for each of its terms.

    As given where that is `usual`; else words weigh (best / terms / usual) ** power times as
    much, at least a quarter and at most four times. All is then divided by the sum.
    """
    found = (best / max(1, terms) / usual) ** power
    factor = min(_MOST_BY_MATCH, max(1 / _MOST_BY_MATCH, found))
    made = {name: weight * (factor if name == "text" else 1) for name, weight in weights.items()}
    whole = math.fsum(made.values())
    return {name: weight / whole for name, weight in made.items()} if whole > 0 else made


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
    found = {name: list(map(signals[name].get, ids)) for name in sorted(signals)}
    known = {name: [one for one in column if one is not None] for name, column in found.items()}
    shares = _shares(known, weights)
    columns = [
        _placed(found[name], min(known[name]), max(known[name]), share=share)
        for name, share in shares.items()
    ]
    names = tuple(shares)
    rows: Iterable[tuple[float, ...]] = zip(*columns, strict=True) if columns else repeat(())
    return best_first(
        Scored.summed(one, names, values)
        if all(values)
        # A part of nothing is none.
        else Scored.summed(one, tuple(compress(names, values)), tuple(filter(None, values)))
        for one, values in zip(ids, rows, strict=False)
    )


def _placed(
    scores: Sequence[float | None], lowest: float, highest: float, *, share: float
) -> list[float]:
    """Return what a signal gives each chunk: its share times the place between both ends."""
    every = [lowest if score is None else score for score in scores]
    if highest > lowest:
        span = highest - lowest
        return [share * ((score - lowest) / span) for score in every]
    # All alike: the signal says no more than that something matched.
    return [share * (score > 0) for score in every]


def _shares(
    scores: Mapping[str, Sequence[float]], weights: Mapping[str, float]
) -> dict[str, float]:
    """Return how much of the whole each signal can give; they add up to 1."""
    spreads: dict[str, float] = {}
    for name, values in scores.items():
        if not values or weights.get(name, 0.0) <= 0:
            continue
        deviation, span = _deviation(values), max(values) - min(values)
        # Equal scores may have a mean that is not quite theirs, and so a deviation above 0.
        spread = span / deviation if span > 0 and deviation > 0 else 1.0
        spreads[name] = weights[name] * spread
    whole = math.fsum(spreads.values())
    return {name: spread / whole for name, spread in spreads.items()}


def _deviation(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum([(value - mean) ** 2 for value in values]) / len(values))
