from __future__ import annotations

import math

import pytest

from trivium.errors import UsageError
from trivium.parsing.skills import SectionPreview
from trivium.results.pack import Disclosed, Level, Material, Pack, disclosed, pack, tokens
from trivium.types import Edge, EdgeType, Kind, Location, Node, NodeId, Span


def material(name: str, *, text: str = "one two three four") -> Material:
    node = Node(
        id=NodeId(f"skill:{name}"),
        kind=Kind.SKILL,
        type="claim",
        name=name,
        source=Location(f"{name}.md", 1, 1),
        span=Span(0, 1),
        own=(),
        description="what it says",
        tags=("red", "blue"),
        domain="calm",
    )
    return Material(
        node,
        links=(Edge(node.id, NodeId("skill:other"), EdgeType.REFERENCES, context="see other"),),
        sections=(SectionPreview("Use", "how it begins", 1),),
        text=text,
    )


def packed(*names: str, max_tokens: int | None, text: str = "one two three four") -> Pack:
    found = [material(name, text=text) for name in names]
    return pack(found, total=24, max_tokens=max_tokens)


@pytest.mark.parametrize("words", [0, 1, 3, 10, 70, 110])
def test_a_word_is_one_token_and_three_tenths(words: int) -> None:
    assert tokens("word " * words) == math.ceil(words * 13 / 10)


def test_a_text_without_spaces_is_not_one_word() -> None:
    assert tokens("全文検索") == math.ceil(4 * 1.3)
    assert tokens("x" * 2000) == 100 * 13 // 10
    assert tokens("検索 engine") == math.ceil(3 * 1.3)


@pytest.mark.parametrize("level", list(Level))
def test_a_level_shows_nothing_that_belongs_to_a_higher_one(level: Level) -> None:
    made = disclosed(material("a"), level)

    assert made.level is level
    assert (made.id, made.name, made.type, made.domain) == ("skill:a", "a", "claim", "calm")
    assert bool(made.description) is bool(made.tags) is (level >= Level.SCAN)
    assert bool(made.links) is (level >= Level.LINKS)
    assert bool(made.sections) is (level >= Level.SECTIONS)
    assert bool(made.text) is (level >= Level.FULL)


def test_a_higher_level_takes_more_tokens() -> None:
    taken = [disclosed(material("a"), level).tokens for level in Level]

    assert taken == sorted(set(taken))


def cost(level: Level) -> int:
    return disclosed(material("a"), level).tokens


def levels(found: Pack) -> list[Level]:
    return [one.level for one in found.nodes]


def test_more_nodes_come_before_more_of_one() -> None:
    three = 3 * cost(Level.SCAN)

    assert levels(packed("a", "b", "c", max_tokens=three)) == [Level.SCAN] * 3
    assert levels(packed("a", "b", "c", max_tokens=three - 1))[-1:] == [Level.SCAN]
    assert len(packed("a", "b", "c", max_tokens=three - 1).nodes) == 2


def test_what_is_left_raises_the_best_first() -> None:
    room = 2 * cost(Level.SCAN) + cost(Level.FULL)

    found = packed("a", "b", "c", max_tokens=room)

    assert levels(found) == [Level.FULL, Level.SCAN, Level.SCAN]
    assert found.tokens == room


def test_a_node_that_cannot_be_whole_is_raised_as_far_as_it_goes() -> None:
    found = packed("a", max_tokens=cost(Level.SECTIONS), text="word " * 1000)

    assert levels(found) == [Level.SECTIONS]


def test_the_first_that_does_not_fit_ends_the_list() -> None:
    long = material("long " * 50)

    found = pack([long, material("a")], total=24, max_tokens=40)

    assert found.nodes == ()
    assert (found.visited, found.left_out) == (2, 2)


def test_without_a_budget_everything_is_shown() -> None:
    found = packed("a", "b", max_tokens=None)

    assert levels(found) == [Level.FULL] * 2
    assert found.max_tokens is None


def test_what_was_shown_is_counted() -> None:
    found = packed("a", "b", "c", "d", "e", max_tokens=10_000)

    assert found.at_level == {0: 0, 1: 0, 2: 0, 3: 0, 4: 5}
    assert found.coverage == round(100 * 5 / 24, 1) == 20.8
    assert found.tokens == sum(one.tokens for one in found.nodes)


def test_the_highest_level_can_be_bounded() -> None:
    found = pack([material("a")], total=1, most=Level.SCAN)

    assert levels(found) == [Level.SCAN]


@pytest.mark.parametrize("given", [0, -1])
def test_a_budget_of_nothing_is_refused(given: int) -> None:
    with pytest.raises(UsageError, match=f"max_tokens is {given}; give 1 or more"):
        packed("a", max_tokens=given)


def test_nothing_found_is_an_empty_pack() -> None:
    assert pack([], total=0, max_tokens=10) == Pack((), 0, 10, 0, 0.0)


def test_a_node_without_anything_to_say_is_shown_by_its_name() -> None:
    node = Node(
        id=NodeId("file:a"),
        kind=Kind.FILE,
        type="file",
        name="a",
        source=Location("a", 1, 1),
        span=Span(0, 0),
        own=(),
    )

    made = disclosed(Material(node), Level.FULL)

    assert made == Disclosed(node.id, Level.FULL, "a", "file", "", tokens=math.ceil(3 * 1.3))
