"""The entries of several scopes -> one list.

By score, or by rank where scores of different scopes share no scale; a single scope stays as
it is. Called by the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trivium.ranking import cut
from trivium.ranking.profile import Profile
from trivium.retrieval.scope import Ranked
from trivium.types import Part, Scored


def merged(ranked: Sequence[Ranked], profile: Profile) -> list[cut.Group]:
    """Return one list of entries, best first."""
    found = [one for one in ranked if one.groups]
    if len(found) == 1:
        return list(found[0].groups)
    if is_merged_by_rank(ranked, profile):
        return cut.in_order(
            replace(group, best=_by_rank(group.best, one, rank, found, profile.fusion.k))
            for one in found
            for rank, group in enumerate(one.groups, 1)
        )
    return cut.in_order(group for one in found for group in one.groups)


def is_merged_by_rank(ranked: Sequence[Ranked], profile: Profile) -> bool:
    """Whether there is more than one list, and ranks are what they are merged by."""
    return profile.merge == "rrf" and sum(bool(one.groups) for one in ranked) > 1


def mode_of(one: Ranked) -> str:
    """Return what people call the mode a scope is: code, prose or records."""
    return one.scope.name.rpartition("-")[2]


def _by_rank(best: Scored, own: Ranked, rank: int, found: Sequence[Ranked], k: int) -> Scored:
    """Give a share for the rank in its own mode, and none for the others, which cannot hold it."""
    parts = tuple(
        Part(
            f"{mode_of(one)} rank {rank}, weight {one.scope.weight:g}",
            one.scope.weight / (k + rank),
        )
        if one is own
        else Part(f"{mode_of(one)} has no rank for it, weight {one.scope.weight:g}", 0.0)
        for one in found
    )
    return Scored(best.chunk_id, parts)
