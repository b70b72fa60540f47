"""What is added after the hits, and why (cases G60 and G61)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trivium.graph.around import Context, Limits, around
from trivium.types import Edge, EdgeType, NodeId

CALLS, USES, IMPORTS, EXPORTS = EdgeType.CALLS, EdgeType.USES, EdgeType.IMPORTS, EdgeType.EXPORTS
CONTAINS = EdgeType.CONTAINS
EVERYTHING_ON = Limits(exports=True, uses=True)


def edge(source: str, target: str, type_: EdgeType = CALLS, weight: float = 1.0) -> Edge:
    return Edge(NodeId(source), NodeId(target), type_, weight)


def added(
    hits: Sequence[str],
    edges: Sequence[Edge],
    *,
    limits: Limits | None = None,
    forbidden: Sequence[str] = (),
) -> list[Context]:
    def adjacent(ids: Sequence[NodeId]) -> list[Edge]:
        return [one for one in edges if one.source in ids or one.target in ids]

    def allowed(ids: Sequence[NodeId]) -> set[NodeId]:
        return {one for one in ids if one not in forbidden}

    return around([NodeId(one) for one in hits], adjacent=adjacent, allowed=allowed, limits=limits)


def ids(found: Sequence[Context]) -> list[str]:
    return [one.id for one in found]


def callees(source: str, count: int) -> list[Edge]:
    return [edge(source, f"code:b.py#{source[-1]}{number:02}") for number in range(count)]


def test_g60_ten_callees_of_a_hit_add_four_with_the_call_as_reason() -> None:
    found = added(["code:a.py#f"], callees("code:a.py#f", 10))

    assert ids(found) == [f"code:b.py#f{number:02}" for number in range(4)]
    assert found[0] == Context(
        NodeId("code:b.py#f00"), NodeId("code:a.py#f"), "call:f00", ("call:f00",)
    )


def test_g60_no_more_than_forty_are_added_in_all() -> None:
    hits = [f"code:a.py#{letter}" for letter in "abcdefghijklmnop"]
    found = added(hits, [one for hit in hits for one in callees(hit, 10)])

    assert len(found) == 40
    assert [one.source for one in found] == [hit for hit in hits[:10] for _ in range(4)]


def test_g60_a_hit_is_never_added_and_nothing_is_added_twice() -> None:
    edges = [edge("a", "b"), edge("a", "c"), edge("b", "c"), edge("b", "a"), edge("a", "a")]

    assert ids(added(["a", "b"], edges)) == ["c"]


def test_g61_a_call_is_the_reason_before_a_usage_of_the_same_target() -> None:
    edges = [edge("a", "code:b.py#parse", USES), edge("a", "code:b.py#parse", CALLS)]
    (found,) = added(["a"], edges, limits=EVERYTHING_ON)

    assert found.reason == "call:parse"
    assert found.reasons == ("call:parse", "usage:parse")


def test_reasons_come_in_their_order_and_then_by_id() -> None:
    edges = [
        edge("a", "guess", CALLS, 0.6),
        edge("a", "imported", IMPORTS),
        edge("a", "exported", EXPORTS),
        edge("a", "used", USES),
        edge("a", "called~2", CALLS),
        edge("a", "built", CALLS, 0.9),
    ]
    found = added(["a"], edges, limits=Limits(per_hit=9, exports=True, uses=True))

    assert [one.reason for one in found] == [
        "call:called",
        "call:built",
        "usage:used",
        "export:exported",
        "import:imported",
        "name:guess",
    ]


def test_usages_and_exports_are_off_unless_asked_for() -> None:
    edges = [edge("a", f"to {type_}", type_) for type_ in (CALLS, USES, IMPORTS, EXPORTS)]
    edges += [edge("a", "to other", EdgeType.EXTENDS), edge("a", "to part", CONTAINS)]

    assert ids(added(["a"], edges)) == ["to calls", "to imports"]
    assert ids(added(["a"], edges, limits=Limits(calls=False))) == ["to imports"]
    assert len(added(["a"], edges, limits=EVERYTHING_ON)) == 4


def test_no_more_than_three_reasons_are_given() -> None:
    edges = [edge("a", "b", type_) for type_ in (CALLS, USES, IMPORTS, EXPORTS)]

    assert added(["a"], edges, limits=EVERYTHING_ON)[0].reasons == ("call:b", "usage:b", "export:b")


def test_callers_are_no_context() -> None:
    assert added(["a"], [edge("b", "a")]) == []


def test_what_the_filters_forbid_takes_no_place() -> None:
    found = added(
        ["code:a.py#f"], callees("code:a.py#f", 6), forbidden=["code:b.py#f00", "code:b.py#f02"]
    )

    assert [one.id[-2:] for one in found] == ["01", "03", "04", "05"]


def test_proxies_are_never_added() -> None:
    assert added(["a"], [edge("a", "@docs::b")]) == []


def test_what_its_module_imports_belongs_to_a_method() -> None:
    edges = [
        edge("file:a.py", "code:a.py", CONTAINS),
        edge("file:a.py", "file:x.py", IMPORTS),
        edge("code:a.py", "code:a.py#K", CONTAINS),
        edge("code:a.py#K", "code:a.py#K.m", CONTAINS),
        edge("code:a.py", "code:lib/b.py", IMPORTS),
        edge("code:a.py", "code:a.py#g", CALLS),
        edge("code:a.py#K.m", "code:c.py#h", CALLS),
    ]

    assert [(one.id, one.reason) for one in added(["code:a.py#K.m"], edges)] == [
        ("code:c.py#h", "call:h"),
        ("code:lib/b.py", "import:b.py"),
    ]


def test_only_so_many_edges_are_looked_at_and_a_popular_hit_leaves_room_for_others() -> None:
    limits = Limits(per_hit=4, total=10)
    asked: list[int] = []
    edges = [one for hit in "abcdefg" for one in callees(hit, 300)]

    def allowed(some: Sequence[NodeId]) -> set[NodeId]:
        asked.append(len(some))
        return set()

    def adjacent(some: Sequence[NodeId]) -> list[Edge]:
        return [one for one in edges if one.source in some]

    assert (limits.edges_per_hit, limits.work) == (max(25 * 4, 100), max(50 * 10, 500))
    found = around(
        [NodeId(hit) for hit in "abcdefg"], adjacent=adjacent, allowed=allowed, limits=limits
    )
    assert found == []
    assert asked == [5 * limits.edges_per_hit]


def test_the_order_of_the_edges_does_not_matter() -> None:
    edges = [*callees("code:a.py#f", 8), edge("code:a.py#f", "z", IMPORTS), edge("q", "z")]

    assert added(["code:a.py#f", "q"], edges) == added(["code:a.py#f", "q"], edges[::-1])


@pytest.mark.parametrize("limits", [Limits(per_hit=0), Limits(total=0)])
def test_a_limit_of_nothing_adds_nothing(limits: Limits) -> None:
    assert added(["a"], [edge("a", "b")], limits=limits) == []


def test_nothing_is_around_no_hits() -> None:
    assert added([], [edge("a", "b")]) == []


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("code:a.py#K.parse~2", "parse"),
        ("code:lib/b.py", "b.py"),
        ("code:top.py", "top.py"),
        ("code:C#/b.py", "b.py"),
        ("code:C#/b.py#K.m", "m"),
    ],
)
def test_a_reason_names_what_was_reached(target: str, name: str) -> None:
    assert added(["a"], [edge("a", target)])[0].reason == f"call:{name}"


def test_a_note_about_a_hit_comes_first_whichever_way_its_link_leads() -> None:
    edges = [
        Edge(NodeId("code:a.py#f"), NodeId("code:a.py#g"), EdgeType.CALLS),
        Edge(NodeId("note:why"), NodeId("code:a.py#f"), EdgeType.REFERENCES),
        Edge(NodeId("task:maybe"), NodeId("code:a.py#f"), EdgeType.MENTIONS, weight=0.5),
        Edge(NodeId("doc:guide.md"), NodeId("code:a.py#f"), EdgeType.REFERENCES),
    ]

    found = around([NodeId("code:a.py#f")], adjacent=lambda _: edges, allowed=set)

    assert [(one.id, one.reason) for one in found] == [
        ("note:why", "note:why"),
        ("code:a.py#g", "call:g"),
    ]
