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
            replace(group, best=_by_rank(group.best, one, rank, profile.fusion.k))
            for one in found
            for rank, group in enumerate(one.groups, 1)
        )
    return cut.in_order(group for one in found for group in one.groups)


def is_merged_by_rank(ranked: Sequence[Ranked], profile: Profile) -> bool:
    """Whether there is more than one list, and ranks are what they are merged by."""
    return profile.merge == "rrf" and sum(bool(one.groups) for one in ranked) > 1


def _by_rank(best: Scored, one: Ranked, rank: int, k: int) -> Scored:
    name = one.scope.name.rpartition("-")[2]
    return Scored(best.chunk_id, (Part(f"{name} rank {rank}", one.scope.weight / (k + rank)),))
