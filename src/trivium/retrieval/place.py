"""The entries of a page -> the same entries in an order in which the graph has a say.

What is well linked and what lies near the best hit gains (seed 001's graph ranking). No entry
comes or goes by it, so a shorter page need not be the start of a longer one. Called by the
engine, last before the page is fetched, where a profile switches it on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trivium.backends.base import Snapshot
from trivium.graph.walk import Direction, walk
from trivium.ranking import cut
from trivium.ranking.profile import Boosts
from trivium.ranking.signals import linked
from trivium.retrieval.boosts import Details
from trivium.types import NodeId, Part, Scored

# How far from the best hit, and among how many nodes, the others are looked for.
_DEEPEST = 2
_MOST_NODES = 192


@dataclass(frozen=True, slots=True)
class Placed:
    """The entries in their new order, and what the graph said of those of the page."""

    groups: list[cut.Group]
    seen: Details = field(default_factory=dict)


def by_place(
    snapshot: Snapshot, groups: Sequence[cut.Group], *, limit: int, boosts: Boosts
) -> Placed:
    """Order the first `limit` entries anew; the others stay behind them as they are.

    Each gains `degree` x min(1, edges / 20) and `proximity` x 1 / (distance + 1), where the
    distance is counted in edges from the best entry; one that is not reached gains nothing.
    """
    page, rest = groups[:limit], groups[limit:]
    if not page or not (boosts.degree or boosts.proximity):
        return Placed(list(groups))
    of_node = [NodeId(cut.node_of(group.best.chunk_id)) for group in page]
    degrees = snapshot.degrees(list(dict.fromkeys(of_node)))
    distances = _distances(snapshot, of_node[0]) if boosts.proximity else {}
    made: list[cut.Group] = []
    seen: Details = {}
    for group, node in zip(page, of_node, strict=True):
        distance = distances.get(node)
        degree = linked(degrees.get(node, 0))
        proximity = 0.0 if distance is None else 1 / (distance + 1)
        parts = (
            Part("well linked", boosts.degree * degree),
            Part("near the best hit", boosts.proximity * proximity),
        )
        gained = tuple(part for part in parts if part.value)
        best = Scored(group.best.chunk_id, (*group.best.parts, *gained))
        made.append(replace(group, best=best))
        seen[best.chunk_id] = {
            "score": sum(part.value for part in parts),
            "degree": degree,
            "proximity": proximity,
            "seedDistance": distance,
            "weights": {"degree": boosts.degree, "proximity": boosts.proximity},
        }
    return Placed([*cut.in_order(made), *rest], seen)


def with_places(details: Details, placed: Details) -> Details:
    """Add to what boosts saw what the graph said of the page; how a hit was reached comes first."""
    joined = dict(details)
    for one, said in placed.items():
        known = details.get(one, {})
        reached = known.get("graph")
        graph = {**said, **reached} if isinstance(reached, dict) else said
        joined[one] = {**known, "graph": graph}
    return joined


def _distances(snapshot: Snapshot, start: NodeId) -> dict[NodeId, int]:
    reached = walk(
        start,
        adjacent=snapshot.edges,
        types=None,
        direction=Direction.BOTH,
        depth=_DEEPEST,
        most=_MOST_NODES - 1,
    )
    return {start: 0, **{step.id: step.depth for step in reached.steps}}
