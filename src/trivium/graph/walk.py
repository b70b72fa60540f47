"""A node and edges -> what can be reached from it, breadth first, with the way there.

Asks for the edges of a whole level at once, so that any store can answer. Bounded in depth
and number; what was left out is said. Pure. Used by the collection's callers, callees,
impact and neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from trivium.types import Edge, EdgeType, NodeId

Adjacent = Callable[[Sequence[NodeId]], Sequence[Edge]]


class Direction(StrEnum):
    """Which way edges are followed: from source to target, back, or both."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Step:
    """A node that was reached: how far away, over which edge, and how sure the whole way is."""

    id: NodeId
    depth: int
    edge: Edge
    certainty: float


@dataclass(frozen=True, slots=True)
class Walk:
    """What was reached, nearest first; `is_cut` says that there is more."""

    steps: tuple[Step, ...]
    is_cut: bool


def walk(
    start: NodeId | Sequence[NodeId],
    *,
    adjacent: Adjacent,
    types: frozenset[EdgeType] | None,
    direction: Direction,
    depth: int,
    most: int = 200,
    least_weight: float = 0.0,
) -> Walk:
    """Walk from `start`. Each node is reached once, by the shortest and then the surest way."""
    starts = [NodeId(start)] if isinstance(start, str) else list(start)
    seen = dict.fromkeys(starts, 1.0)
    level = list(seen)
    steps: list[Step] = []
    is_cut = False
    for distance in range(1, depth + 1):
        reached: dict[NodeId, Step] = {}
        for edge in adjacent(level) if level else ():
            if (types is not None and edge.type not in types) or edge.weight < least_weight:
                continue
            for here, there in _ends(edge, direction):
                if here not in seen or there in seen or there.startswith("@"):
                    continue
                step = Step(there, distance, edge, seen[here] * edge.weight)
                before = reached.get(there)
                if before is None or _order(step) < _order(before):
                    reached[there] = step
        found = sorted(reached.values(), key=_order)
        room = most - len(steps)
        is_cut = is_cut or len(found) > room
        steps += found[:room]
        seen.update((step.id, step.certainty) for step in found[:room])
        level = [step.id for step in found[:room]]
    return Walk(tuple(steps), is_cut)


def _order(step: Step) -> tuple[float, str, str, str]:
    return -step.certainty, step.id, step.edge.source, step.edge.type.value


def _ends(edge: Edge, direction: Direction) -> list[tuple[NodeId, NodeId]]:
    ends = []
    if direction is not Direction.IN:
        ends.append((edge.source, edge.target))
    if direction is not Direction.OUT:
        ends.append((edge.target, edge.source))
    return ends
