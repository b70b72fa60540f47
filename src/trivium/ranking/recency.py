"""Entries and how old they are -> the same entries, with what is new a little higher.

Pure: whoever calls says how old each is. Called by retrieval.recent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trivium.ranking.cut import Group, in_order
from trivium.types import ChunkId, Part, Scored


def recency(age_days: float, *, half_life_days: float) -> float:
    """Return 1 for what was changed now, half as much after every half-life; the future is now."""
    if half_life_days <= 0:
        return 0.0
    return float(0.5 ** (max(0.0, age_days) / half_life_days))


def by_recency(
    groups: Sequence[Group],
    ages_days: Mapping[ChunkId, float],
    *,
    gain: float,
    half_life_days: float,
) -> list[Group]:
    """Add `gain` x recency to the entries of known age, and order all by score again."""
    if not gain or not ages_days:
        return list(groups)
    made: list[Group] = []
    for group in groups:
        age = ages_days.get(group.best.chunk_id)
        if age is None:
            made.append(group)
            continue
        added = gain * recency(age, half_life_days=half_life_days)
        part = Part(f"changed {max(0, int(age)):,} days ago", added)
        best = Scored(group.best.chunk_id, (*group.best.parts, part))
        made.append(replace(group, best=best))
    return in_order(made)
