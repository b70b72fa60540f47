"""Laws of filters: joining narrows, order does not matter, nothing stays nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.filtering.conditions import EVERYTHING, FIELDS, NOTHING, Filter, Given, build, fold
from trivium.filtering.facts import FACTS
from trivium.filtering.fields import Takes
from trivium.filtering.match import allows
from trivium.testing.described import wanted
from trivium.types import Kind, Location, Node, NodeId, Span

VALUES = st.one_of(
    st.sampled_from(["", "a", "A", "b", "ab", "py", ".py", "*.md", "code", "doc", "a/b", "É", "İ"]),
    st.text(max_size=4),
)
# A closed set refuses all other values.
TEXTS = sorted(
    name for name, field in FIELDS.items() if field.takes is Takes.TEXT and not field.choices
)
# A value that says no, or all, is left out.
LISTS = sorted(set(TEXTS) - {"category"})
FILTERS = st.one_of(wanted().map(build), st.just(EVERYTHING), st.just(NOTHING))
LAW = settings(deadline=None, max_examples=200)


KEYS = sorted({key for fact in FACTS.values() for key in fact.keys})
METADATA = st.dictionaries(
    st.sampled_from(KEYS),
    st.one_of(VALUES, st.booleans(), st.integers(0, 5), st.lists(VALUES, max_size=2).map(tuple)),
    max_size=4,
)


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    """A node whose attributes come from the same few values."""
    return Node(
        id=NodeId("file:x"),
        kind=draw(st.sampled_from(Kind)),
        type=draw(VALUES),
        name=draw(VALUES),
        source=Location(draw(VALUES), 1, 1),
        span=Span(0, 0),
        own=(),
        tags=tuple(draw(st.lists(VALUES, max_size=2))),
        domain=draw(VALUES),
        language=draw(VALUES),
        metadata=draw(METADATA),
    )


def passes(where: Filter, node: Node) -> bool:
    return allows(where, node)


@LAW
@given(wanted(), st.data())
def test_the_order_in_which_conditions_are_given_does_not_matter(
    asked: dict[str, Given], data: st.DataObject
) -> None:
    shuffled: dict[str, Given] = {}
    for name in data.draw(st.permutations(list(asked))):
        values = asked[name]
        shuffled[name] = values[::-1] if isinstance(values, list) else values
    assert build(shuffled) == build(asked)


@LAW
@given(FILTERS, FILTERS, FILTERS)
def test_joining_filters_is_commutative_associative_and_idempotent(
    one: Filter, other: Filter, third: Filter
) -> None:
    assert one & other == other & one
    assert (one & other) & third == one & (other & third)
    assert one & one == one
    assert one & EVERYTHING == one


@LAW
@given(FILTERS, FILTERS, nodes())
def test_a_joined_filter_lets_through_what_both_let_through(
    one: Filter, other: Filter, node: Node
) -> None:
    assert passes(one & other, node) == (passes(one, node) and passes(other, node))


@LAW
@given(FILTERS, nodes())
def test_nothing_matches_nothing_whatever_it_is_joined_to(where: Filter, node: Node) -> None:
    assert not passes(NOTHING, node)
    assert not passes(where & NOTHING, node)


@LAW
@given(st.sampled_from(LISTS), st.lists(VALUES), VALUES, nodes())
def test_one_more_value_never_takes_a_node_away(
    name: str, values: list[str], value: str, node: Node
) -> None:
    if passes(build({name: values}), node):
        assert passes(build({name: [*values, value]}), node)


@LAW
@given(nodes())
def test_a_node_passes_a_filter_on_what_it_is(node: Node) -> None:
    assert passes(build({"kind": node.kind.value}), node)
    for tag in node.tags:
        assert passes(build({"tag": tag}), node) == bool(tag.strip())


@LAW
@given(st.text(st.one_of(st.characters(), st.sampled_from("İıßΣς\u0301É\ud800"))))
def test_a_folded_value_can_be_stored(value: str) -> None:
    assert fold(value).encode() is not None
