"""Notes and tasks among entries -> how old their files are, and the order that follows from it.

Of code and documents age says nothing: what is old may be what works. Called by the engine,
where a profile switches it on.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.backends.base import Snapshot
from trivium.ranking.cut import Group
from trivium.ranking.profile import Boosts
from trivium.ranking.recency import by_recency
from trivium.types import Kind

_AGEING = tuple(f"{kind}:" for kind in (Kind.NOTE, Kind.TASK))
_DAY_S = 86_400


def recent(
    snapshot: Snapshot, groups: Sequence[Group], *, now: float | None, boosts: Boosts
) -> list[Group]:
    """Add to notes and tasks by how lately their files were changed, `now` in seconds of 1970."""
    if not boosts.recency or now is None:
        return list(groups)
    ids = [one.best.chunk_id for one in groups if one.best.chunk_id.startswith(_AGEING)]
    places = {one: traits.path for one, traits in snapshot.traits(ids).items()} if ids else {}
    changed = snapshot.changed(sorted(set(places.values()))) if places else {}
    ages = {one: (now - changed[path]) / _DAY_S for one, path in places.items() if path in changed}
    return by_recency(groups, ages, gain=boosts.recency, half_life_days=boosts.recency_days)
