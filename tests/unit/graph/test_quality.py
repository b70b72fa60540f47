from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.graph.quality import (
    COSTS,
    Bonuses,
    BrokenLink,
    Flaw,
    Report,
    Skill,
    map_bonus,
    report,
    score,
    skill_of,
)
from trivium.types import Edge, EdgeType, Kind, Location, MetaValue, Node, NodeId, Span


def known(name: str, *, type_: str = "skill") -> Skill:
    return Skill(NodeId(f"skill:{name}"), type_, "what it is", "here")


def link(names: str, *, type_: EdgeType = EdgeType.REFERENCES) -> Edge:
    source, target = names.split()
    return Edge(NodeId(f"skill:{source}"), NodeId(f"skill:{target}"), type_)


def judged(names: str, *links: str, maps: str = "") -> Report:
    skills = [known(one, type_="moc" if one in maps else "skill") for one in names]
    return report(skills, [link(one) for one in links])


def flaws(found: Report) -> list[tuple[Flaw, tuple[str, ...]]]:
    return [
        (one.flaw, tuple(node.removeprefix("skill:") for node in one.nodes)) for one in found.issues
    ]


def test_a_ring_with_a_map_has_the_full_score() -> None:
    found = judged("abc", "a b", "b c", "c a", maps="a")

    assert found.score == 100
    assert found.issues == ()
    assert found.bonuses == Bonuses(maps=10, links=10)
    assert found.coverage == 100.0
    assert (found.skills, found.links, found.density, found.average_degree) == (3, 3, 3 / 6, 6 / 3)


def test_an_empty_graph_has_nothing_wrong() -> None:
    found = report([], [])

    assert (found.score, found.density, found.average_degree, found.coverage) == (100, 0, 0, 0)


def test_a_skill_without_any_link_is_an_orphan_and_a_dead_end() -> None:
    found = judged("abc", "a b", "b a")

    assert found.orphans == ("skill:c",)
    assert found.dead_ends == ("skill:c",)


def test_a_skill_with_one_link_in_or_out_is_a_dead_end() -> None:
    found = judged("abcd", "a b", "b c", "c b", "d b")

    assert found.dead_ends == ("skill:a", "skill:d")
    assert found.orphans == ()


def test_a_circular_pair_links_to_nothing_else() -> None:
    alone = judged("abcd", "a b", "b a", "c d")
    joined = judged("abc", "a b", "b a", "b c")

    assert alone.circular_pairs == (("skill:a", "skill:b"),)
    assert flaws(alone) == [(Flaw.CIRCULAR_PAIR, ("a", "b"))]
    assert joined.circular_pairs == ()


def test_clusters_are_connected_parts_of_two_or_more_largest_first() -> None:
    found = judged("abcdefg", "b a", "d c", "d e", maps="c")

    assert found.clusters == (("skill:c", "skill:d", "skill:e"), ("skill:a", "skill:b"))
    assert found.clusters_with_map == 1
    assert found.bonuses.maps == round(10 * 1 / 2)
    assert found.coverage == round(100 * 3 / 7, 1)


def test_half_a_point_is_rounded_up() -> None:
    assert map_bonus(1, clusters=4) == 3
    assert map_bonus(3, clusters=4) == 8


def test_each_flaw_is_listed_with_what_it_costs_the_costliest_first() -> None:
    skills = [Skill(NodeId("skill:a")), known("b"), known("c")]
    broken = [BrokenLink(NodeId("skill:b"), "nowhere")]
    found = report(skills, [link("b c"), link("c b")], broken)

    assert flaws(found) == [
        (Flaw.BROKEN_LINK, ("b",)),
        (Flaw.NO_DESCRIPTION, ("a",)),
        (Flaw.ORPHAN, ("a",)),
        (Flaw.NO_TYPE, ("a",)),
        (Flaw.CIRCULAR_PAIR, ("b", "c")),
        (Flaw.NO_DOMAIN, ("a",)),
    ]
    assert [one.cost for one in found.issues] == [10, 5, 3, 2, 2, 1]
    assert found.issues[0].link == "nowhere"
    # One of three skills is a dead end.
    assert found.score == 100 - (10 + 5 + 3 + 2 + 2 + 1) + round(10 * (1 - 2 / 3))


def test_sections_count_as_their_skill_and_each_pair_once() -> None:
    edges = [
        link("a#x b"),
        link("a b#y"),
        link("a#x a#y"),
        link("a a#x", type_=EdgeType.CONTAINS),
        link("b c", type_=EdgeType.CONTAINS),
        Edge(NodeId("skill:a"), NodeId("code:x.py"), EdgeType.MENTIONS),
    ]
    found = report([known(one) for one in "abc"], edges)

    assert found.links == 1
    assert found.clusters == (("skill:a", "skill:b"),)


def test_what_front_matter_says_counts_and_not_what_was_made_of_it() -> None:
    def node(type_: str, **metadata: MetaValue) -> Node:
        return Node(
            id=NodeId("skill:a"),
            kind=Kind.SKILL,
            type=type_,
            name="a",
            source=Location("a.md", 1, 1),
            span=Span(0, 0),
            own=(),
            description="made",
            domain="made",
            metadata=metadata,
        )

    assert skill_of(node("skill")) == Skill(NodeId("skill:a"))
    assert skill_of(node("moc")) == Skill(NodeId("skill:a"), is_map=True)
    assert skill_of(node("claim", type=("claim", "x"), description="d", category="c")) == Skill(
        NodeId("skill:a"), "claim x", "d", "c"
    )


NAMES = st.sampled_from("abcdefgh")


@given(
    names=st.sets(NAMES),
    links=st.lists(st.tuples(NAMES, NAMES)),
    broken=st.integers(0, 15),
    maps=st.sets(NAMES),
)
def test_the_score_is_the_formula_whatever_the_graph(
    names: set[str], links: list[tuple[str, str]], broken: int, maps: set[str]
) -> None:
    skills = [known(one, type_="moc" if one in maps else "") for one in sorted(names)]
    edges = [link(f"{source} {target}") for source, target in links]
    missing = [BrokenLink(NodeId("skill:a"), f"x{n}") for n in range(broken)]
    found = report(skills, edges, missing)

    assert found == report(reversed(skills), edges[::-1] + edges, missing[::-1])
    assert 0 <= found.score <= 100
    assert found.score == score([one.flaw for one in found.issues], found.bonuses)
    assert found.score == min(
        100, max(0, 100 - sum(COSTS[one.flaw] for one in found.issues)) + sum_of(found.bonuses)
    )
    assert set(found.orphans) <= set(found.dead_ends)
    assert 0 <= found.density <= 1
    clustered = [one for cluster in found.clusters for one in cluster]
    assert len(clustered) == len(set(clustered))
    assert {*clustered, *found.orphans} == {skill.id for skill in skills}


def sum_of(bonuses: Bonuses) -> int:
    return bonuses.maps + bonuses.links
