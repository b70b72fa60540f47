"""Hits and edges -> what they call, use, export and import, to be shown after them.

Follows edges from source to target only, save from notes, tasks and skills, which link to what
they are about; what a symbol's module imports and exports counts as its own. Never an id that
is a hit; the order is that of the hits, then the nearest reason. Bounded. Pure. Used by the
engine when context is asked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from trivium.types import Edge, EdgeType, Kind, NodeId

Adjacent = Callable[[Sequence[NodeId]], Sequence[Edge]]
Allowed = Callable[[Sequence[NodeId]], set[NodeId]]

# Someone has written these down for whoever comes here.
_WRITTEN = (Kind.NOTE, Kind.TASK, Kind.SKILL)
_OF_MEMORY = tuple(f"{kind}:" for kind in _WRITTEN)
_ABOUT = frozenset({EdgeType.REFERENCES, EdgeType.RELATED_TO, EdgeType.MENTIONS})
# In order: an earlier reason is given before a later one.
_REASONS = (*_WRITTEN, "call", "usage", "export", "import", "name")
_BY_TYPE = {
    EdgeType.CALLS: "call",
    EdgeType.USES: "usage",
    EdgeType.EXPORTS: "export",
    EdgeType.IMPORTS: "import",
}
_OF_MODULES = frozenset({EdgeType.IMPORTS, EdgeType.EXPORTS})
# A link that weighs less was found by its name alone, or is one of several of that name.
_SURE = 0.9
# From a function inside a method up to its module.
_HIGHEST_CLIMB = 3
_NUMBERED = re.compile(r"~\d+$")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is added, and for which reasons."""

    per_hit: int = 4
    total: int = 40
    calls: bool = True
    imports: bool = True
    exports: bool = False
    uses: bool = False
    reasons: int = 3

    @property
    def types(self) -> frozenset[EdgeType]:
        """The types of edges that are followed."""
        switches = {
            EdgeType.CALLS: self.calls,
            EdgeType.USES: self.uses,
            EdgeType.EXPORTS: self.exports,
            EdgeType.IMPORTS: self.imports,
        }
        return frozenset(one for one, is_on in switches.items() if is_on)

    @property
    def edges_per_hit(self) -> int:
        """How many edges of one hit are looked at."""
        return max(25 * self.per_hit, 100)

    @property
    def work(self) -> int:
        """How many edges are looked at in all."""
        return max(50 * self.total, 500)


@dataclass(frozen=True, slots=True)
class Context:
    """A node that belongs to a hit, and why: the nearest reason, such as call:parse, first."""

    id: NodeId
    source: NodeId
    reason: str
    reasons: tuple[str, ...]


def around(
    hits: Sequence[NodeId],
    *,
    adjacent: Adjacent,
    allowed: Allowed,
    limits: Limits | None = None,
) -> list[Context]:
    """Return what belongs to `hits`; `allowed` says which of some ids pass the filters."""
    limits = Limits() if limits is None else limits
    if not hits or limits.total <= 0 or limits.per_hit <= 0:
        return []
    known = set(hits)
    looked_at = _looked_at(hits, _edges(hits, adjacent, limits), limits)
    targets = {edge.target for edges in looked_at.values() for edge in edges} - known
    passed = allowed(sorted(targets)) if targets else set()
    made: list[Context] = []
    for hit, edges in looked_at.items():
        room = min(limits.per_hit, limits.total - len(made))
        free = passed - known
        reasons = _reasons(edge for edge in edges if edge.target in free)
        for target in list(reasons)[:room]:
            given = tuple(dict.fromkeys(reasons[target]))[: limits.reasons]
            made.append(Context(target, hit, given[0], given))
            known.add(target)
    return made


def _edges(
    hits: Sequence[NodeId], adjacent: Adjacent, limits: Limits
) -> Mapping[NodeId, list[Edge]]:
    """Return the edges of each hit that are followed, and those of the module it lies in."""
    followed: defaultdict[NodeId, list[Edge]] = defaultdict(list)
    of: dict[NodeId, set[NodeId]] = {hit: {hit} for hit in hits}
    types = limits.types
    for _ in range(1 + _HIGHEST_CLIMB):
        above: defaultdict[NodeId, set[NodeId]] = defaultdict(set)
        for edge in adjacent(sorted(of)):
            if edge.type in types:
                for hit in of.get(edge.source, ()):
                    followed[hit].append(edge)
            elif edge.type in _ABOUT and edge.source.startswith(_OF_MEMORY):
                for hit in of.get(edge.target, ()) if edge.weight >= _SURE else ():
                    followed[hit].append(replace(edge, source=edge.target, target=edge.source))
            # Not above code: a folder contains too much, and imports nothing.
            elif edge.type is EdgeType.CONTAINS and edge.source.startswith("code:"):
                above[edge.source] |= of.get(edge.target, set())
        types = types & _OF_MODULES
        of = {one: found for one, found in above.items() if found}
        if not of or not types:
            break
    return followed


def _looked_at(
    hits: Sequence[NodeId], followed: Mapping[NodeId, list[Edge]], limits: Limits
) -> dict[NodeId, list[Edge]]:
    """Return as many of the edges as may be looked at, nearest reasons first."""
    left = limits.work
    kept: dict[NodeId, list[Edge]] = {}
    for hit in dict.fromkeys(hits):
        edges = [edge for edge in followed.get(hit, ()) if not edge.target.startswith("@")]
        kept[hit] = sorted(edges, key=_order)[: min(limits.edges_per_hit, left)]
        left -= len(kept[hit])
    return kept


def _reasons(edges: Iterable[Edge]) -> dict[NodeId, list[str]]:
    found: defaultdict[NodeId, list[str]] = defaultdict(list)
    for edge in edges:
        found[edge.target].append(f"{_reason(edge)}:{_name(edge.target)}")
    return found


def _reason(edge: Edge) -> str:
    if edge.type in _ABOUT:
        return edge.target.partition(":")[0]
    return _BY_TYPE[edge.type] if edge.weight >= _SURE else "name"


def _order(edge: Edge) -> tuple[int, float, str, str]:
    return _REASONS.index(_reason(edge)), -edge.weight, edge.target, edge.type.value


def _name(node: NodeId) -> str:
    """Return the last part of an id: parse of code:a.py#K.parse~2, b.py of code:a/b.py."""
    last = node.rpartition("/")[2]
    symbol = last.rpartition("#")[2].rpartition(".")[2] if "#" in last else last.rpartition(":")[2]
    return _NUMBERED.sub("", symbol)
