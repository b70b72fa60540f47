"""Laws of spreading scores: the best way there is, whatever the order of edges and seeds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.graph.spread import Decay, Reached, spread
from trivium.types import Edge, EdgeType, NodeId

NAMES = ["a", "b", "c", "d", "e", "@p"]
TYPES = [EdgeType.CONTAINS, EdgeType.IMPORTS, EdgeType.CALLS]
DECAY = Decay(
    {EdgeType.CONTAINS: 0.95, EdgeType.IMPORTS: 0.7}, skip_incoming=frozenset({EdgeType.IMPORTS})
)
EDGES = st.lists(
    st.builds(
        lambda source, target, type_: Edge(NodeId(source), NodeId(target), type_),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(TYPES),
    ),
    max_size=12,
)
SEEDS = st.dictionaries(
    st.sampled_from(NAMES).map(NodeId), st.sampled_from([1.0, 0.9, 0.75, 0.5, 0.3]), max_size=3
)
LAW = settings(deadline=None, max_examples=200)


def spread_over(
    edges: Sequence[Edge], seeds: dict[NodeId, float], *, depth: int, least: float
) -> dict[NodeId, Reached]:
    def adjacent(ids: Sequence[NodeId]) -> list[Edge]:
        return [one for one in edges if one.source in ids or one.target in ids]

    return spread(seeds, adjacent=adjacent, decay=DECAY, depth=depth, least=least)


def best_by_hand(
    edges: Sequence[Edge], seeds: dict[NodeId, float], *, depth: int
) -> dict[NodeId, float]:
    """Every way there is, one by one."""
    best: dict[NodeId, float] = {}

    def go(node: NodeId, score: float, left: int) -> None:
        if node.startswith("@"):
            return
        best[node] = max(best.get(node, 0.0), score)
        for edge in edges if left else ():
            share = DECAY.across(edge)
            if share is None:
                continue
            if edge.source == node:
                go(edge.target, score * share, left - 1)
            if edge.target == node and edge.type is not EdgeType.IMPORTS:
                go(edge.source, score * share, left - 1)

    for seed, score in seeds.items():
        go(seed, score, depth)
    return best


@LAW
@given(EDGES, SEEDS, st.integers(0, 3), st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_each_node_has_the_score_of_the_best_of_all_ways(
    edges: list[Edge], seeds: dict[NodeId, float], depth: int, least: float
) -> None:
    found = spread_over(edges[:8], seeds, depth=depth, least=least)

    meant = best_by_hand(edges[:8], seeds, depth=depth)
    assert {node: pytest.approx(one.score) for node, one in found.items()} == {
        node: score for node, score in meant.items() if score >= least
    }


@LAW
@given(EDGES, SEEDS)
def test_the_order_of_edges_and_seeds_does_not_matter(
    edges: list[Edge], seeds: dict[NodeId, float]
) -> None:
    shuffled = sorted(edges, key=repr, reverse=True)
    turned = dict(reversed(seeds.items()))
    one = spread_over(edges, seeds, depth=3, least=0.0)
    other = spread_over(shuffled, turned, depth=3, least=0.0)

    assert list(one.items()) == list(other.items())


@LAW
@given(EDGES, SEEDS)
def test_a_score_is_that_of_its_seed_times_the_decays_on_the_way(
    edges: list[Edge], seeds: dict[NodeId, float]
) -> None:
    for found in spread_over(edges, seeds, depth=3, least=0.0).values():
        score = seeds[found.seed]
        for type_ in found.via:
            score *= DECAY.by_type[type_]
        assert found.score == pytest.approx(score)


@LAW
@given(EDGES, SEEDS, st.integers(0, 3))
def test_a_seed_never_loses(edges: list[Edge], seeds: dict[NodeId, float], depth: int) -> None:
    found = spread_over(edges, seeds, depth=depth, least=0.0)

    for seed, score in seeds.items():
        assert seed.startswith("@") or found[seed].score >= score
