"""The pool of an answer -> how many of its entries have each kind, type, language, folder and tag.

What is selected of a facet does not shrink that facet: its values are counted as if nothing of
it were selected, all others under the whole selection. Called by the engine.

Each selected facet costs a ranking of its own. Neither pool can be taken from the other: each
holds the best so many under its own filter, so the wider one may hold little of what is selected,
and the narrower one nothing else; and which chunk stands for a file, whose type is counted, is
known only once all are fused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from trivium.backends.base import Snapshot, Traits
from trivium.filtering.conditions import Condition, Filter, Test, without
from trivium.ranking.cut import Group

FACETS = ("kind", "type", "language", "folder", "tag")
MOST_VALUES = 20
# In the place of a value: how many more values there are than are listed.
MORE = "…"

Counts = Mapping[str, int]
GroupsOf = Callable[[Filter], Sequence[Group]]

_FIELDS: Mapping[str, frozenset[str]] = {
    "kind": frozenset({"kind", "sort"}),
    "type": frozenset({"type", "sort"}),
    "language": frozenset({"lang"}),
    "tag": frozenset({"tag"}),
}


def facets(
    snapshot: Snapshot,
    groups: Sequence[Group],
    *,
    where: Filter,
    within: Filter,
    groups_of: GroupsOf,
) -> Mapping[str, Counts]:
    """Count the entries of a pool; most frequent values first, equal ones by name.

    `where` are all conditions, `within` those of them that no facet is without. `groups_of`
    gives the pool of another filter, and is asked only for facets of which something is
    selected.
    """
    found = _traits(snapshot, groups)
    depth = _depth(within)
    counts: dict[str, Counts] = {}
    for name in FACETS:
        counted = _count(name, found, depth=depth)
        wider = without(where, partial(is_of, facet=name)) & within
        if wider != where:
            # Each pool ends at the profile's depth, so the greater number is nearer the truth.
            counted |= _count(name, _traits(snapshot, groups_of(wider)), depth=depth)
        counts[name] = listed(counted)
    return counts


def is_of(condition: Condition, *, facet: str) -> bool:
    """Say whether a condition selects values of a facet; of folders, by how a path begins."""
    if facet == "folder":
        return condition.field == "path" and condition.test is Test.STARTS
    return condition.field in _FIELDS[facet]


def listed(counted: Mapping[str, int]) -> Counts:
    """Return the most frequent values in order; under MORE, how many others there are."""
    order = sorted((one for one in counted if one != MORE), key=lambda one: (-counted[one], one))
    others = max(0, len(order) - MOST_VALUES) + counted.get(MORE, 0)
    kept = {one: counted[one] for one in order[:MOST_VALUES]}
    return {**kept, MORE: others} if others else kept


def joined(of_each: Iterable[Mapping[str, Counts]]) -> dict[str, Counts]:
    """Add up the facets of several answers; values that one of them does not list are missing."""
    added: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    for one in of_each:
        for name, counts in one.items():
            added.setdefault(name, Counter()).update(counts)
    return {name: listed(counts) for name, counts in added.items()}


def _traits(snapshot: Snapshot, groups: Sequence[Group]) -> list[Traits]:
    ids = [group.best.chunk_id for group in groups]
    known = snapshot.traits(list(dict.fromkeys(ids))) if ids else {}
    return [known[one] for one in ids if one in known]


def _depth(within: Filter) -> int:
    """Return how many folders all that is searched lies in: what is below them tells it apart."""
    places = (one for one in within.conditions if is_of(one, facet="folder"))
    return max((value.count("/") for one in places for value in one.values), default=0)


def _folder(path: str, depth: int) -> str:
    parts = path.split("/", depth + 1)
    return "/".join(parts[:-1]) + "/" if len(parts) == depth + 2 else ""


def _count(facet: str, found: Sequence[Traits], *, depth: int) -> Counter[str]:
    """Count the values of one facet; an entry without a value is not counted."""
    if facet == "tag":
        # A tag that is written twice is one tag.
        return Counter(tag for one in found if one.tags for tag in set(one.tags))
    if facet == "folder":
        counted = Counter(_folder(one.path, depth) for one in found)
    else:
        counted = Counter(getattr(one, facet) for one in found)
    counted.pop("", None)
    return counted
