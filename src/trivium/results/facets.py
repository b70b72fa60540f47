"""The pool of an answer -> how many of its entries have each kind, type, language, folder and tag.

What is selected of a facet does not shrink that facet: its values are counted as if nothing of
it were selected, all others under the whole selection. What is typed in the query holds for all:
a value is found as often as it is counted, whether chosen instead or as well. Called by the engine.

Each selected facet costs a ranking of its own. Neither pool can be taken from the other: each
holds the best so many under its own filter, so the wider one may hold little of what is selected,
and the narrower one nothing else; and which chunk stands for a file, whose type is counted, is
known only once all are fused.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import attrgetter

from trivium.backends.base import Snapshot, Traits
from trivium.filtering.conditions import Condition, Filter, Test, fold, without
from trivium.ranking.cut import Group, node_of
from trivium.types import ChunkId

FACETS = ("kind", "type", "language", "folder", "tag")
MOST_VALUES = 20
_REMEMBERED = 4096
# In the place of a value: how many more values there are than are listed.
MORE = "…"

Counts = Mapping[str, int]
_FIELDS: Mapping[str, frozenset[str]] = {
    "kind": frozenset({"kind", "sort"}),
    "type": frozenset({"type", "sort"}),
    "language": frozenset({"lang"}),
    "tag": frozenset({"tag"}),
}
# What nodes of one file differ in.
_OF_NODES = frozenset({"type", "tag"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a pool was asked for: `where` are all conditions.

    `within` are those of them that no facet is without: what is searched at all, and what is typed
    in the query. `groups_of` gives the pool of another filter, and is asked only for facets of
    which something is selected. `least` is the least score of an entry. `splits`: to choose what
    tells the nodes of a file apart makes entries of these.
    """

    where: Filter
    within: Filter
    groups_of: Callable[[Filter], Sequence[Group]]
    least: float = -math.inf
    splits: bool = False


def facets(snapshot: Snapshot, groups: Sequence[Group], *, asked: Asked) -> dict[str, Counts]:
    """Count the entries of a pool that have each value; `shortened` makes what is shown of it."""
    depth = _depth(asked.within)
    counted = _counted(snapshot, groups, FACETS, depth=depth, asked=asked)
    for name in FACETS:
        wider = without(asked.where, partial(is_of, facet=name)) & asked.within
        if wider != asked.where:
            # Each pool ends at the profile's depth, so the greater number is nearer the truth.
            others = asked.groups_of(wider)
            counted[name] |= _counted(snapshot, others, (name,), depth=depth, asked=asked)[name]
    return {
        name: _as_compared(counts) if name == "folder" else counts
        for name, counts in counted.items()
    }


def is_of(condition: Condition, *, facet: str) -> bool:
    """Say whether a condition selects values of a facet; of folders, by how a path begins."""
    if facet == "folder":
        return condition.field == "path" and condition.test is Test.STARTS
    return condition.field in _FIELDS[facet]


def shortened(counts: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return facets as they are shown."""
    return {name: listed(counted) for name, counted in counts.items()}


def listed(counted: Mapping[str, int]) -> Counts:
    """Return the most frequent values in order; under MORE, how many others there are."""
    order = sorted(counted, key=lambda one: (-counted[one], one))
    others = max(0, len(order) - MOST_VALUES)
    kept = {one: counted[one] for one in order[:MOST_VALUES]}
    return {**kept, MORE: others} if others else kept


def joined(of_each: Iterable[Mapping[str, Counts]]) -> dict[str, Counts]:
    """Add up the facets of several answers, before any is cut to what is listed."""
    added: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    for one in of_each:
        for name, counts in one.items():
            added.setdefault(name, Counter()).update(counts)
    added["folder"] = _as_compared(added["folder"])
    return dict(added)


def _depth(within: Filter) -> int:
    """Return how many folders all that is searched lies in: what is below them tells it apart."""
    places = (one for one in within.conditions if is_of(one, facet="folder"))
    return max((value.count("/") for one in places for value in one.values), default=0)


@lru_cache(_REMEMBERED)
def _folder(path: str, depth: int) -> str:
    parts = path.split("/", depth + 1)
    return "/".join(parts[:-1]) + "/" if len(parts) == depth + 2 else ""


def _as_compared(counted: Mapping[str, int]) -> Counter[str]:
    """Add up folders that filters do not tell apart, under the more frequent of their names."""
    names: dict[str, str] = {}
    added: Counter[str] = Counter()
    for one in sorted(counted, key=lambda one: (-counted[one], one)):
        added[names.setdefault(fold(one), one)] += counted[one]
    return added


def _counted(
    snapshot: Snapshot, groups: Sequence[Group], names: Sequence[str], *, depth: int, asked: Asked
) -> dict[str, Counter[str]]:
    """Count the values of facets in a pool; an entry without a value is not counted."""
    ids = [group.best.chunk_id for group in groups]
    is_split = not _OF_NODES.isdisjoint(names)
    others = [one.chunk_id for group in groups for one in group.others] if is_split else []
    known = snapshot.traits([*ids, *others]) if ids else {}
    best = [traits for one in ids if (traits := known.get(one)) is not None]
    entries = [one for group in groups for one in _entries(group, known, asked)] if is_split else []
    made: dict[str, Counter[str]] = {}
    for name in names:
        if name == "folder":
            made[name] = Counter([_folder(traits.path, depth) for traits in best])
        elif name == "tag":
            # A tag that is written twice is one tag.
            made[name] = Counter([tag for one in entries for tag in _tags(one)])
        elif name == "type":
            made[name] = Counter([value for one in entries for value in _types(one)])
        else:
            made[name] = Counter(map(attrgetter(name), best))
        made[name].pop("", None)
    return made


def _types(entry: Sequence[Traits]) -> Collection[str]:
    return (entry[0].type,) if len(entry) == 1 else {one.type for one in entry}


def _tags(entry: Sequence[Traits]) -> Collection[str]:
    return {tag for one in entry for tag in one.tags} if any(one.tags for one in entry) else ()


def _entries(
    group: Group, known: Mapping[ChunkId, Traits], asked: Asked
) -> Iterable[Sequence[Traits]]:
    """Return what is known of each entry that a group becomes once nodes are told apart."""
    best = group.best
    if not group.others:
        traits = known.get(best.chunk_id)
        return () if traits is None else ((traits,),)
    nodes: dict[str, list[Traits]] = {}
    for one in (best, *group.others):
        traits = known.get(one.chunk_id)
        if traits is not None and (one is best or one.score >= asked.least):
            nodes.setdefault(node_of(one.chunk_id) if asked.splits else "", []).append(traits)
    return nodes.values()
