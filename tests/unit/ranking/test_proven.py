from __future__ import annotations

import pytest

from trivium.ranking.boost import proven
from trivium.ranking.profile import Boosts, profile
from trivium.types import Kind, Location, MetaValue, Node, NodeId, Span

BOOSTS = Boosts(usage=0.05, confidence=0.1)


def skill(**facts: MetaValue) -> Node:
    source = Location("a.md", 1, 1)
    return Node(NodeId("skill:a"), Kind.SKILL, "skill", "a", source, Span(0, 0), (), metadata=facts)


@pytest.mark.parametrize(
    ("facts", "gain"),
    [
        ({}, 0.0),
        ({"usageCount": 0, "confidence": 1.0}, 0.0),
        ({"usageCount": 7}, 0.05 * 3 / 6),
        ({"usageCount": 63}, 0.05),
        ({"usageCount": 10**9}, 0.05),
        ({"confidence": 0.25}, -0.1 * 0.75),
        ({"confidence": -3}, -0.1),
        ({"usageCount": 7, "confidence": 0.0}, 0.05 * 3 / 6 - 0.1),
        ({"usageCount": "often", "confidence": "high"}, 0.0),
    ],
)
def test_a_skill_gains_by_use_and_loses_by_doubt(facts: dict[str, MetaValue], gain: float) -> None:
    assert proven(skill(**facts), BOOSTS) == pytest.approx(gain)


def test_best_gives_little_for_it_and_other_profiles_nothing() -> None:
    best = profile("best").boosts
    assert 0 < best.usage <= 0.1
    assert 0 < best.confidence <= 0.1
    assert profile("graph-recall").boosts == Boosts()
