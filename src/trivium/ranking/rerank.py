"""Entries in order and the new scores of the first of them -> a new order.

The new order keeps the scale of the old: those read again share out the scores they had, so
they stay before the rest, and whatever reached a threshold still does. Pure; the spine calls
it through retrieval.rerank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from trivium.ranking.cut import Group
from trivium.types import Part, Scored

PART = "reranked"

# Even where the new score alone counts, this share of the old order settles its ties. It is
# more than the last digits of a sum, so no rounding puts one read again behind the rest.
_OLD_SHARE = 1e-9

# Entries that had the same score, or nearly, must get different ones: this much of it apart.
_LEAST_SPAN = 1e-6

# The logistic of twice as much is 1 to the last digit, whatever the score.
_STEEPEST = 16.0


def reordered(groups: Sequence[Group], scores: Sequence[float], *, weight: float) -> list[Group]:
    """Order the first len(scores) of `groups` anew; the others stay behind them as they are.

    A place from 0 to 1 is `weight` x the chance that the text answers the query plus the rest
    x its place between the lowest and the highest old score. The new score lies at that place
    between the same two; the difference is one more part. Scores are finite, on any scale.
    """
    first, rest = groups[: len(scores)], groups[len(scores) :]
    if weight <= 0 or len(first) <= 1:
        return list(groups)
    old = [group.best.score for group in first]
    lowest, highest = min(old), max(old)
    span = max(highest - lowest, _LEAST_SPAN * (abs(highest) or 1.0))
    kept = max(1 - weight, _OLD_SHARE)
    made = []
    for group, chance in zip(first, chances(scores), strict=True):
        old_place = (group.best.score - lowest) / (highest - lowest) if highest > lowest else 0.0
        place = (1 - kept) * chance + kept * old_place
        made.append(replace(group, best=_moved(group.best, lowest + place * span)))
    # Equal scores stay in the old order, which is that of ids where the old were equal too.
    return [*sorted(made, key=lambda group: -group.best.score), *rest]


def chances(scores: Sequence[float]) -> list[float]:
    """Return scores as numbers from 0 to 1, in the same order.

    Those that lie there already are taken as chances; others as logits, drawn together
    where they reach so far that the logistic would make them all the same.
    """
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    furthest = max(abs(score) for score in scores)
    scale = max(1.0, furthest / _STEEPEST)
    return [0.5 * (1 + math.tanh(score / scale / 2)) for score in scores]


def _moved(scored: Scored, target: float) -> Scored:
    """Add the part that brings a score to `target`, but for a last digit."""
    gain = math.fsum((target, *(-part.value for part in scored.parts)))
    return Scored(scored.chunk_id, (*scored.parts, Part(PART, gain)))
