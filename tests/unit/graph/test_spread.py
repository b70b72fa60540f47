"""How scores spread over the graph (cases G100 to G105 and G107)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from trivium.graph.spread import Decay, Reached, spread
from trivium.types import Edge, EdgeType, NodeId

CONTAINS, IMPORTS, EXTENDS = EdgeType.CONTAINS, EdgeType.IMPORTS, EdgeType.EXTENDS
CALLS = EdgeType.CALLS
CODE = Decay(
    {CONTAINS: 0.95, EXTENDS: 0.85, EdgeType.IMPLEMENTS: 0.85, IMPORTS: 0.70},
    skip_incoming=frozenset({IMPORTS}),
)


def edge(source: str, target: str, type_: EdgeType = CONTAINS, weight: float = 1.0) -> Edge:
    return Edge(NodeId(source), NodeId(target), type_, weight)


def uniform(share: float) -> Decay:
    return Decay(CODE.by_type, skip_incoming=CODE.skip_incoming, uniform=share)


class Graph:
    """Edges that remember what they were asked for."""

    def __init__(self, *edges: Edge) -> None:
        self.edges = edges
        self.asked: list[Sequence[NodeId]] = []

    def __call__(self, ids: Sequence[NodeId]) -> list[Edge]:
        self.asked.append(ids)
        return [one for one in self.edges if one.source in ids or one.target in ids]

    def spread(
        self,
        seeds: Mapping[str, float],
        *,
        decay: Decay = CODE,
        depth: int = 1,
        least: float = 0.0,
        most: int = 2000,
    ) -> dict[NodeId, Reached]:
        given = {NodeId(one): score for one, score in seeds.items()}
        return spread(given, adjacent=self, decay=decay, depth=depth, least=least, most=most)

    def scores(self, seeds: Mapping[str, float], **how: object) -> dict[str, float]:
        found = self.spread(seeds, **how)  # type: ignore[arg-type]
        return {node: round(one.score, 12) for node, one in found.items()}


SHOP = Graph(
    edge("file", "class"),
    edge("class", "method"),
    edge("class", "base", EXTENDS),
    edge("file", "util", IMPORTS),
)


def test_g100_each_type_of_edge_has_its_decay_in_both_directions() -> None:
    around = SHOP.scores({"class": 1.0})
    assert around == {"class": 1.0, "file": 0.95, "method": 0.95, "base": 0.85}
    assert SHOP.scores({"file": 1.0}) == {"file": 1.0, "class": 0.95, "util": 0.70}


def test_g100_decays_multiply_over_hops() -> None:
    assert SHOP.scores({"class": 1.0}, depth=2)["util"] == pytest.approx(0.95 * 0.70)
    assert SHOP.scores({"file": 1.0}, depth=2)["method"] == pytest.approx(0.95 * 0.95)


def test_g101_incoming_imports_are_not_followed() -> None:
    assert set(SHOP.scores({"util": 1.0}, depth=3)) == {"util"}


@pytest.mark.parametrize("share", [0.8, 0.5])
def test_g102_an_explicit_decay_holds_for_every_type(share: float) -> None:
    around = SHOP.scores({"class": 1.0}, decay=uniform(share), depth=2)

    assert around["method"] == around["file"] == around["base"] == share
    assert around["util"] == pytest.approx(share * share)
    assert set(SHOP.scores({"util": 1.0}, decay=uniform(share))) == {"util"}


@pytest.mark.parametrize(("score", "found"), [(0.6, {"a"}), (0.625, {"a", "b"})])
def test_g103_nothing_is_expanded_that_cannot_pass(score: float, found: set[str]) -> None:
    graph = Graph(edge("a", "b"))

    assert set(graph.scores({"a": score}, decay=uniform(0.8), least=0.5)) == found
    assert len(graph.asked) == len(found) - 1


def test_g104_a_direct_score_is_kept_over_a_lower_one_and_raised_by_a_higher() -> None:
    graph = Graph(edge("a", "b"))

    assert graph.scores({"a": 1.0, "b": 0.97}) == {"a": 1.0, "b": 0.97}
    assert graph.spread({"a": 1.0, "b": 0.5})[NodeId("b")] == Reached(
        0.95, NodeId("a"), (CONTAINS,)
    )


def test_g105_without_depth_there_are_only_the_seeds() -> None:
    assert SHOP.scores({"class": 1.0}, depth=0) == {"class": 1.0}


def test_g107_proxies_are_neither_returned_nor_passed_through() -> None:
    graph = Graph(edge("a", "@docs::b"), edge("@docs::b", "c"), edge("@code::x", "d"))

    assert set(graph.scores({"a": 1.0, "@code::x": 1.0}, depth=3)) == {"a"}
    assert all(not one.startswith("@") for asked in graph.asked for one in asked)


def test_the_best_way_wins_even_if_it_is_longer_or_found_later() -> None:
    graph = Graph(edge("a", "c", IMPORTS), edge("a", "b"), edge("b", "c"), edge("c", "d"))
    found = graph.spread({"a": 1.0}, depth=3)

    assert found[NodeId("c")] == Reached(0.95 * 0.95, NodeId("a"), (CONTAINS, CONTAINS))
    assert found[NodeId("d")].score == pytest.approx(0.95**3)


def test_a_better_but_longer_way_does_not_go_further_than_the_depth() -> None:
    graph = Graph(edge("a", "c", IMPORTS), edge("a", "b"), edge("b", "c"), edge("c", "d"))

    assert graph.scores({"a": 1.0}, depth=2)["d"] == pytest.approx(0.70 * 0.95)


def test_a_node_between_two_seeds_belongs_to_the_one_that_gives_more() -> None:
    graph = Graph(edge("low", "x"), edge("high", "x"))

    assert graph.spread({"low": 0.8, "high": 0.9})[NodeId("x")].seed == "high"
    assert graph.spread({"b": 0.8, "a": 0.8, "low": 0.8, "high": 0.8})[NodeId("x")].seed == "high"


def test_a_type_without_a_decay_is_not_followed_unless_others_have_one() -> None:
    graph = Graph(edge("a", "b", CALLS))

    assert set(graph.scores({"a": 1.0})) == {"a"}
    assert graph.scores({"a": 1.0}, decay=Decay({}, other=0.8)) == {"a": 1.0, "b": 0.8}


def test_a_weight_counts_only_if_it_is_asked_for() -> None:
    graph = Graph(edge("a", "b", weight=0.5), edge("a", "c", weight=3.0))

    assert graph.scores({"a": 1.0}) == {"a": 1.0, "b": 0.95, "c": 0.95}
    weighted = Decay(CODE.by_type, weighted=True)
    assert graph.scores({"a": 1.0}, decay=weighted) == {"a": 1.0, "b": 0.95 * 0.5, "c": 0.95}


def test_what_lies_below_the_least_score_is_not_returned() -> None:
    assert SHOP.scores({"class": 1.0, "other": 0.2}, least=0.9) == {
        "class": 1.0,
        "file": 0.95,
        "method": 0.95,
    }


def test_edges_are_asked_for_once_a_hop() -> None:
    graph = Graph(edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "e"))
    graph.spread({"a": 1.0, "z": 1.0}, depth=2)

    assert graph.asked == [["a", "z"], ["b", "c"]]


def test_the_best_come_first_and_equal_scores_by_id() -> None:
    assert list(SHOP.spread({"class": 1.0})) == ["class", "file", "method", "base"]


def test_no_more_nodes_are_looked_at_than_allowed_and_the_best_are_kept() -> None:
    graph = Graph(edge("a", "weak", IMPORTS), *(edge("a", f"n{number}") for number in range(9)))

    assert list(graph.spread({"a": 1.0}, most=4)) == ["a", "n0", "n1", "n2"]
    assert list(graph.spread({"a": 1.0}, most=0)) == ["a"]


def test_nothing_spreads_from_nothing() -> None:
    assert SHOP.spread({}, depth=3) == {}
