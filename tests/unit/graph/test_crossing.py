"""Nodes of equal names in several collections (case G30)."""

from __future__ import annotations

import pytest

from trivium.graph.crossing import cross_domain
from trivium.types import Edge, EdgeType, Kind, Location, Node, NodeId, Span


def node(node_id: str, name: str) -> Node:
    return Node(
        id=NodeId(node_id),
        kind=Kind.CODE,
        type="function",
        name=name,
        source=Location("a.py", 1, 1),
        span=Span(0, 1),
        own=(),
    )


def crossed(*named: tuple[str, str], most: int = 20) -> list[tuple[str, str]]:
    """Pairs that are linked; the collection of an id is its first letter."""
    nodes = [node(node_id, name) for node_id, name in named]
    collections = {one.id: one.id[0] for one in nodes}
    edges = cross_domain(nodes, collection_of=collections, most=most)
    return [(edge.source, edge.target) for edge in edges]


def test_g30_nodes_of_equal_name_in_two_collections_are_linked() -> None:
    nodes = [node("code:shop#Login", "Login"), node("code:docs#login", "login")]
    collections = {nodes[0].id: "shop", nodes[1].id: "docs"}

    assert cross_domain(nodes, collection_of=collections) == [
        Edge(nodes[1].id, nodes[0].id, EdgeType.CROSS_DOMAIN, context="both named login")
    ]


def test_g30_each_pair_of_collections_is_linked_once() -> None:
    assert crossed(("a1", "x"), ("b1", "X"), ("c1", "x"), ("a1", "x")) == [
        ("a1", "b1"),
        ("a1", "c1"),
        ("b1", "c1"),
    ]


def test_equal_names_in_one_collection_are_not_linked() -> None:
    assert crossed(("a1", "x"), ("a2", "x")) == []
    assert crossed(("a1", "x"), ("a2", "x"), ("b1", "x")) == [("a1", "b1"), ("a2", "b1")]


def test_different_names_are_not_linked() -> None:
    assert crossed(("a1", "x"), ("b1", "y")) == []


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_nodes_without_a_name_are_not_linked(name: str) -> None:
    assert crossed(("a1", name), ("b1", name)) == []


def test_an_accent_may_be_written_in_two_ways() -> None:
    assert crossed(("a1", "caf\u00e9"), ("b1", "CAFE\u0301")) == [("a1", "b1")]


def test_proxies_are_not_linked() -> None:
    assert crossed(("a1", "x"), ("@1", "x")) == []


def test_the_order_of_the_nodes_does_not_matter() -> None:
    named = [("a1", "x"), ("b1", "x"), ("b2", "y"), ("c1", "y"), ("a2", "x")]

    assert crossed(*named) == crossed(*reversed(named))


def test_a_name_has_no_more_edges_than_allowed_and_others_have_theirs() -> None:
    many = [(f"{collection}{number:04}", "main") for collection in "ab" for number in range(2_000)]
    found = crossed(*many, ("a9999", "z"), ("b9999", "z"), most=20)

    assert found == [*(("a0000", f"b{number:04}") for number in range(20)), ("a9999", "b9999")]
