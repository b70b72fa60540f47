from __future__ import annotations

from collections.abc import Sequence

import pytest

from trivium.graph.walk import Direction, Walk, walk
from trivium.types import Edge, EdgeType, NodeId

CALLS, IMPORTS = EdgeType.CALLS, EdgeType.IMPORTS


def edge(source: str, target: str, *, type_: EdgeType = CALLS, weight: float = 1.0) -> Edge:
    return Edge(NodeId(source), NodeId(target), type_, weight)


def walked(
    edges: Sequence[Edge],
    start: str = "a",
    *,
    types: frozenset[EdgeType] | None = None,
    direction: Direction = Direction.OUT,
    depth: int = 3,
    most: int = 200,
) -> Walk:
    def adjacent(ids: Sequence[NodeId]) -> list[Edge]:
        return [one for one in edges if one.source in ids or one.target in ids]

    return walk(
        NodeId(start), adjacent=adjacent, types=types, direction=direction, depth=depth, most=most
    )


def reached(found: Walk) -> list[tuple[str, int]]:
    return [(step.id, step.depth) for step in found.steps]


def test_it_goes_as_far_as_it_may() -> None:
    chain = [edge("a", "b"), edge("b", "c"), edge("c", "d")]

    assert reached(walked(chain, depth=2)) == [("b", 1), ("c", 2)]
    assert reached(walked(chain, depth=9)) == [("b", 1), ("c", 2), ("d", 3)]
    assert reached(walked(chain, depth=0)) == []


@pytest.mark.parametrize(
    ("direction", "found"),
    [(Direction.OUT, ["b"]), (Direction.IN, ["z"]), (Direction.BOTH, ["b", "z"])],
)
def test_it_follows_edges_the_way_it_is_told(direction: Direction, found: list[str]) -> None:
    steps = walked([edge("a", "b"), edge("z", "a")], direction=direction).steps

    assert [step.id for step in steps] == found


def test_other_types_are_not_followed() -> None:
    edges = [edge("a", "b"), edge("a", "c", type_=IMPORTS)]

    assert reached(walked(edges, types=frozenset({IMPORTS}))) == [("c", 1)]


def test_circles_end() -> None:
    edges = [edge("a", "b"), edge("b", "a"), edge("b", "b")]

    assert reached(walked(edges, depth=9)) == [("b", 1)]


def test_the_certainty_of_a_way_is_the_product_of_its_weights_and_the_surest_way_counts() -> None:
    edges = [
        edge("a", "b", weight=0.5),
        edge("a", "c", weight=0.9),
        edge("b", "d", weight=0.9),
        edge("c", "d", weight=0.6),
    ]

    found = {step.id: step for step in walked(edges).steps}

    assert found[NodeId("d")].certainty == pytest.approx(max(0.5 * 0.9, 0.9 * 0.6))
    assert found[NodeId("d")].edge.source == "c"


def test_more_than_may_be_shown_is_cut_and_said_so() -> None:
    edges = [edge("a", f"n{number}") for number in range(5)]

    found = walked(edges, most=3)
    assert (len(found.steps), found.is_cut) == (3, True)
    assert not walked(edges, most=5).is_cut


def test_proxies_of_other_graphs_are_never_reached() -> None:
    assert reached(walked([edge("a", "@code::x"), edge("@code::x", "b")])) == []


def test_the_order_of_the_edges_does_not_matter() -> None:
    edges = [edge("a", "c"), edge("a", "b"), edge("b", "d"), edge("c", "d")]

    assert walked(edges) == walked(list(reversed(edges)))
