"""Cases G23 to G26: wikilinks between skills, and the quality of a graph of them."""

from __future__ import annotations

import pytest

from trivium.analysis.slugs import slugify
from trivium.graph.quality import (
    Bonuses,
    BrokenLink,
    Flaw,
    Skill,
    average_degree,
    coverage,
    density,
    link_bonus,
    report,
    score,
)
from trivium.parsing.detect import FileType
from trivium.parsing.skills import skill
from trivium.types import Document, Edge, EdgeType, Kind, NodeId

MARKDOWN = FileType(Kind.DOC, "markdown", "markdown")


def test_g23_a_wikilink_has_a_target_an_anchor_an_alias_and_its_sentence() -> None:
    text = "# Reframing\n\nFirst one. Begin with [[Thought Records#use|TR]] every day. Last one.\n"
    parsed = skill(Document("skills/reframing/SKILL.md", text), MARKDOWN)
    (link,) = (one for one in parsed.references if one.type is EdgeType.REFERENCES)

    assert slugify(link.name) == "thought-records"
    assert link.path == "#use"
    assert link.alias == "TR"
    assert link.context == "Begin with [[Thought Records#use|TR]] every day."


def test_g24_a_broken_link_and_a_missing_description_leave_85_without_bonuses() -> None:
    flaws = [Flaw.BROKEN_LINK, Flaw.NO_DESCRIPTION]

    assert score(flaws, Bonuses(maps=0, links=0)) == 100 - 10 - 5 == 85


@pytest.mark.parametrize(("broken", "expected"), [(10, 100 - 10 * 10), (11, 0), (50, 0)])
def test_g24_eleven_broken_links_stop_at_zero(broken: int, expected: int) -> None:
    # Two skills of one link are both dead ends, and no cluster has a map: no bonuses.
    ids = (NodeId("skill:a"), NodeId("skill:b"))
    skills = [Skill(one, "claim", "what it is", "here") for one in ids]
    links = [BrokenLink(ids[0], f"missing {n}") for n in range(broken)]
    found = report(skills, [Edge(*ids, EdgeType.REFERENCES)], links)

    assert found.bonuses == Bonuses(maps=0, links=0)
    assert found.score == expected


@pytest.mark.parametrize(
    ("skills", "dead_ends", "expected"), [(24, 1, 9), (10, 5, 0), (10, 0, 10), (10, 2, 6)]
)
def test_g25_dead_ends_cost_the_bonus_for_links(skills: int, dead_ends: int, expected: int) -> None:
    assert link_bonus(dead_ends, skills=skills) == expected
    assert expected == round(max(0, 10 * (1 - 2 * dead_ends / skills)))


def test_g26_density_average_degree_and_coverage() -> None:
    assert density(67, skills=24) == 67 / (24 * 23)
    assert round(density(67, skills=24), 4) == 0.1214
    assert average_degree(67, skills=24) == 2 * 67 / 24
    assert round(average_degree(67, skills=24), 2) == 5.58
    assert coverage(5, skills=24) == round(100 * 5 / 24, 1) == 20.8
