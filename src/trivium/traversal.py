"""A node and a question -> the nodes around it that deserve attention, best first.

Seed 000's traverse: from the start on, whatever has been reached and scores highest is taken
next, until there are enough. Reads one snapshot. Called by the collection.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trivium.backends.base import Snapshot
from trivium.errors import UsageError
from trivium.graph.attention import attention
from trivium.lookups import find
from trivium.types import Edge, Node, NodeId

_DAY_S = 24 * 3600.0
_DEEPEST = 10
_MOST_NODES = 100
# A folder or a map may lead to thousands; so many of each are looked at.
_MOST_FROM_ONE = 200


@dataclass(frozen=True, slots=True)
class Question:
    """What a walk looks for: words, how near nodes are to them, 0 to 1, and the time now."""

    text: str
    similar: Mapping[NodeId, float]
    now: float


@dataclass(frozen=True, slots=True)
class Visit:
    """A node that was reached: its score, how far away, and over which edge; None at the start."""

    node: Node
    score: float
    depth: int
    edge: Edge | None = None

    @property
    def reason(self) -> str:
        """Why it is there, in words."""
        if self.edge is None:
            return "entry point"
        is_out = self.edge.target == self.node.id
        other = self.edge.source if is_out else self.edge.target
        return f"{self.edge.type.value} {'from' if is_out else 'to'} {other}"


@dataclass(frozen=True, slots=True)
class Path:
    """What was taken, in order, and what was reached but not taken, best first."""

    taken: tuple[Visit, ...]
    left: tuple[Visit, ...]


def traverse(
    snapshot: Snapshot, start: str, question: Question, *, max_depth: int, max_nodes: int
) -> Path:
    """Walk from a node, by its id, path or name. Raises NotFound, and UsageError for the bounds."""
    for name, given, most in (
        ("max_depth", max_depth, _DEEPEST),
        ("max_nodes", max_nodes, _MOST_NODES),
    ):
        if not 1 <= given <= most:
            raise UsageError(f"{name} is {given}; give 1 to {most}.")
    first = find(snapshot, start)
    (entry,) = _visits(snapshot, {first.id: None}, question, depth=0)
    waiting: list[tuple[float, str, Visit]] = [(-entry.score, entry.node.id, entry)]
    seen = {entry.node.id}
    taken: list[Visit] = []
    while waiting and len(taken) < max_nodes:
        visit = heapq.heappop(waiting)[2]
        taken.append(visit)
        if visit.depth < max_depth:
            around = _around(snapshot, visit.node.id, seen)
            seen.update(around)
            for one in _visits(snapshot, around, question, depth=visit.depth + 1):
                heapq.heappush(waiting, (-one.score, one.node.id, one))
    return Path(tuple(taken), tuple(one for _, _, one in sorted(waiting, key=_order)))


def _order(waiting: tuple[float, str, Visit]) -> tuple[float, str]:
    return waiting[:2]


def _around(snapshot: Snapshot, node_id: NodeId, seen: set[NodeId]) -> dict[NodeId, Edge | None]:
    """Return what a node is linked with and was not reached before, each by its surest edge."""
    edges = sorted(snapshot.edges([node_id]), key=lambda one: (-one.weight, one.source, one.target))
    found: dict[NodeId, Edge | None] = {}
    for edge in edges:
        other = edge.target if edge.source == node_id else edge.source
        if other not in seen and not other.startswith("@"):
            found.setdefault(other, edge)
    return dict(list(found.items())[:_MOST_FROM_ONE])


def _visits(
    snapshot: Snapshot,
    reached: Mapping[NodeId, Edge | None],
    question: Question,
    *,
    depth: int,
) -> Sequence[Visit]:
    nodes = snapshot.nodes(list(reached))
    degrees = snapshot.degrees(list(reached))
    changed = snapshot.changed(sorted({one.source.file_path for one in nodes.values()}))
    words = question.text.lower().split()
    return [
        Visit(
            node,
            attention(
                similarity=question.similar.get(node.id, 0.0),
                degree=degrees.get(node.id, 0),
                type_=node.type,
                days=(question.now - changed.get(node.source.file_path, 0.0)) / _DAY_S,
                is_domain_named=bool(node.domain) and node.domain.lower() in words,
            ),
            depth,
            reached[node.id],
        )
        for node in nodes.values()
    ]
