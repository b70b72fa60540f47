"""Scored nodes and edges -> their surroundings, each node with the best score that reaches it.

A score shrinks by the decay of every edge it crosses; over all seeds and ways of at most
`depth` edges the highest wins, not the first. Asks for the edges of a whole hop at once.
Bounded in depth and number. Pure. Used by ranking profiles that expand over the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from trivium.types import Edge, EdgeType, NodeId

Adjacent = Callable[[Sequence[NodeId]], Sequence[Edge]]


@dataclass(frozen=True, slots=True)
class Decay:
    """What is left of a score behind an edge: a share from 0 to 1 for each type.

    A type that is not listed has `other`; None: it is not followed. `uniform`, if given, is
    the share of every type, listed or not. Edges of `skip_incoming` are followed from
    source to target only. With `weighted`, an edge's weight, at most 1, counts as well.
    """

    by_type: Mapping[EdgeType, float]
    other: float | None = None
    skip_incoming: frozenset[EdgeType] = frozenset()
    uniform: float | None = None
    weighted: bool = False

    def across(self, edge: Edge) -> float | None:
        """Return what is left behind `edge`, or None if it is not followed."""
        share = self.by_type.get(edge.type, self.other) if self.uniform is None else self.uniform
        return share if share is None or not self.weighted else share * min(1.0, edge.weight)

    @property
    def most(self) -> float:
        """The largest share any edge can leave."""
        if self.uniform is not None:
            return self.uniform
        others = () if self.other is None else (self.other,)
        return max((*self.by_type.values(), *others), default=0.0)


@dataclass(frozen=True, slots=True)
class Reached:
    """A node's best score, the seed it came from, and the edges crossed on the way."""

    score: float
    seed: NodeId
    via: tuple[EdgeType, ...] = ()


def spread(
    seeds: Mapping[NodeId, float],
    *,
    adjacent: Adjacent,
    decay: Decay,
    depth: int,
    least: float,
    most: int = 2000,
) -> dict[NodeId, Reached]:
    """Return the seeds and what can be reached from them with a score of at least `least`.

    Best first, equal scores by id. A seed keeps its own score unless another seed gives it a
    higher one. At most `most` nodes are looked at, the best of each hop first. Ids that
    start with @ are neither returned nor passed through.
    """
    reached = {
        node: Reached(score, node) for node, score in seeds.items() if not node.startswith("@")
    }
    level = dict(reached)
    for _ in range(depth):
        level = {one: how for one, how in level.items() if how.score * decay.most >= least}
        if not level:
            break
        found = _one_hop(level, adjacent(sorted(level)), decay)
        level = {}
        for node, how in sorted(found.items(), key=lambda pair: (-pair[1].score, pair[0])):
            before = reached.get(node)
            # What lies below `least` is known all the same: a better way may lead there yet.
            if before is None and len(reached) >= most:
                continue
            if before is None or how.score > before.score:
                reached[node] = level[node] = how
    kept = [(node, how) for node, how in reached.items() if how.score >= least]
    return dict(sorted(kept, key=lambda pair: (-pair[1].score, pair[0])))


def _one_hop(
    level: Mapping[NodeId, Reached], edges: Iterable[Edge], decay: Decay
) -> dict[NodeId, Reached]:
    """Return the best way to each neighbour of `level`.

    Scores are those of the hop before: one that is improved meanwhile counts from the next.
    """
    found: dict[NodeId, Reached] = {}
    for edge in edges:
        share = decay.across(edge)
        if share is None:
            continue
        ends = [(edge.source, edge.target)]
        if edge.type not in decay.skip_incoming:
            ends.append((edge.target, edge.source))
        for here, there in ends:
            start = level.get(here)
            if start is None or there.startswith("@"):
                continue
            how = Reached(start.score * share, start.seed, (*start.via, edge.type))
            before = found.get(there)
            if before is None or _order(how) < _order(before):
                found[there] = how
    return found


def _order(how: Reached) -> tuple[float, NodeId, tuple[EdgeType, ...]]:
    return -how.score, how.seed, how.via
