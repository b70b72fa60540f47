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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from trivium.backends.base import Snapshot, Traits
from trivium.filtering.conditions import Condition, Filter, Test, fold, without
from trivium.ranking.cut import Group, node_of
from trivium.types import ChunkId

FACETS = ("kind", "type", "language", "folder", "tag")
MOST_VALUES = 20
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
    counts: dict[str, Counts] = {}
    for name in FACETS:
        count = partial(_count, snapshot, facet=name, depth=depth, asked=asked)
        counted = count(groups)
        wider = without(asked.where, partial(is_of, facet=name)) & asked.within
        if wider != asked.where:
            # Each pool ends at the profile's depth, so the greater number is nearer the truth.
            counted |= count(asked.groups_of(wider))
        counts[name] = _as_compared(counted) if name == "folder" else counted
    return counts


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


def _count(
    snapshot: Snapshot, groups: Sequence[Group], *, facet: str, depth: int, asked: Asked
) -> Counter[str]:
    """Count the values of one facet; an entry without a value is not counted."""
    if facet in _OF_NODES:
        entries = [ids for group in groups for ids in _entries(group, asked)]
    else:
        entries = [[group.best.chunk_id] for group in groups]
    every = list(dict.fromkeys(one for ids in entries for one in ids))
    known = snapshot.traits(every) if every else {}
    values = {one: _values(traits, facet, depth) for one, traits in known.items()}
    # A tag that is written twice is one tag.
    counted = Counter(
        value for ids in entries for value in {each for one in ids for each in values.get(one, ())}
    )
    counted.pop("", None)
    return counted


def _values(traits: Traits, facet: str, depth: int) -> tuple[str, ...]:
    if facet == "tag":
        return traits.tags
    return (_folder(traits.path, depth) if facet == "folder" else getattr(traits, facet),)


def _entries(group: Group, asked: Asked) -> Iterable[list[ChunkId]]:
    """Return the chunks of each entry that a group becomes once nodes are told apart."""
    nodes: dict[str, list[ChunkId]] = {}
    for one in (group.best, *group.others):
        if one is group.best or one.score >= asked.least:
            nodes.setdefault(node_of(one.chunk_id) if asked.splits else "", []).append(one.chunk_id)
    return nodes.values()
