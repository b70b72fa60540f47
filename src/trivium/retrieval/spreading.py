"""The best of a scope -> the same and what the graph leads to from them, each with a score.

A score decays with every edge it crosses; no way leads through nodes of other kinds. Called for
scopes of profiles that spread, after their cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from trivium.backends.base import Snapshot
from trivium.graph.spread import Decay, Reached, spread
from trivium.ranking import cut
from trivium.ranking.profile import Expansion
from trivium.retrieval.boosts import Details
from trivium.retrieval.gather import Asking
from trivium.types import ChunkId, Edge, NodeId, Part, Scored


@dataclass(frozen=True, slots=True)
class Seeding:
    """How a scope spreads over the graph; `decay`, if given, is that of every edge."""

    expansion: Expansion
    seeds: int
    depth: int
    decay: float | None


def spread_from(
    snapshot: Snapshot,
    groups: Sequence[cut.Group],
    asking: Asking,
    seeding: Seeding,
    details: Details,
    *,
    least: float,
) -> list[cut.Group]:
    """Return the seeds and what the graph leads to from them; other hits are left behind.

    The kinds of a scope are a graph of their own: no way leads through nodes of others.
    """
    seeds = list(groups[: seeding.seeds])
    by_node = {NodeId(cut.node_of(group.best.chunk_id)): group for group in seeds}
    expansion = seeding.expansion
    reached = spread(
        {node: group.best.score for node, group in by_node.items()},
        adjacent=partial(_edges, snapshot, expansion=expansion, kinds=asking.view.kinds),
        decay=Decay(
            by_type=expansion.decay,
            other=expansion.other or None,
            skip_incoming=expansion.skip_incoming,
            uniform=seeding.decay,
        ),
        depth=seeding.depth,
        least=least,
    )
    asked = [ChunkId(f"{node}@0") for node in reached if node not in by_node]
    allowed = snapshot.allowed(asked, where=asking.where)
    made = [
        _reached(by_node.get(node), node, how)
        for node, how in reached.items()
        if node in by_node or f"{node}@0" in allowed
    ]
    for group in made:
        how = reached[NodeId(cut.node_of(group.best.chunk_id))]
        if how.via:
            details.setdefault(group.best.chunk_id, {})["graph"] = _facts(how)
    return cut.in_order(made)


def _edges(
    snapshot: Snapshot,
    ids: Sequence[NodeId],
    *,
    expansion: Expansion,
    kinds: tuple[str, ...] | None,
) -> list[Edge]:
    """Return the edges that are followed: of types that have a decay, between nodes of `kinds`."""
    followed = None if expansion.other else frozenset(expansion.decay)
    return [
        one
        for one in snapshot.edges(ids)
        if (followed is None or one.type in followed)
        and (kinds is None or (_kind(one.source) in kinds and _kind(one.target) in kinds))
    ]


def _kind(node: NodeId) -> str:
    return node.partition(":")[0]


def _facts(how: Reached) -> dict[str, object]:
    return {
        "score": how.score,
        "seed": how.seed,
        "via": [one.value for one in how.via],
        "seedDistance": len(how.via),
    }


def _reached(own: cut.Group | None, node: NodeId, how: Reached) -> cut.Group:
    """Return the entry of a node: its own if it scores by itself, else by the way that led here."""
    if own is not None and not how.via:
        return own
    via = " and ".join(one.value for one in how.via)
    part = Part(f"by {via} of {how.seed}", how.score)
    if own is not None:
        return replace(own, best=Scored(own.best.chunk_id, (part,)))
    return cut.Group(Scored(ChunkId(f"{node}@0"), (part,)))
