"""What is new stands a little higher: by a formula, and only where a profile says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ranking.cut import Group
from trivium.ranking.recency import by_recency, recency
from trivium.types import ChunkId, Part, Scored

AGES = st.floats(0, 1e6)
HALF_LIVES = st.floats(0.1, 1e4)


def group(name: str, score: float) -> Group:
    return Group(Scored(ChunkId(f"note:{name}@0"), (Part("text", score),)))


def test_half_is_left_after_every_half_life() -> None:
    assert [recency(age, half_life_days=30) for age in (0, 30, 60, 45)] == pytest.approx(
        [1, 1 / 2, 1 / 4, 0.5**1.5]
    )


@given(AGES, AGES, HALF_LIVES)
def test_what_is_older_never_counts_for_more(one: float, other: float, half: float) -> None:
    newer, older = sorted((one, other))

    assert 0 <= recency(older, half_life_days=half) <= recency(newer, half_life_days=half) <= 1


def test_the_future_is_now_and_no_half_life_is_nothing() -> None:
    assert recency(-5, half_life_days=30) == 1
    assert recency(5, half_life_days=0) == 0


def test_the_gain_is_a_part_of_its_own_and_moves_the_newer_one_up() -> None:
    old, new, unknown = group("old", 0.50), group("new", 0.48), group("unknown", 0.49)
    ages = {old.best.chunk_id: 90.0, new.best.chunk_id: 3.5}
    made = by_recency([old, unknown, new], ages, gain=0.1, half_life_days=90)

    assert [one.best.chunk_id for one in made] == [one.best.chunk_id for one in (new, old, unknown)]
    assert made[0].best.parts[-1] == Part("changed 3 days ago", 0.1 * 0.5 ** (3.5 / 90))
    assert made[0].best.score == pytest.approx(0.48 + 0.1 * 0.5 ** (3.5 / 90))
    assert made[1].best.parts[-1] == Part("changed 90 days ago", 0.1 / 2)
    assert made[2] == unknown


def test_without_a_gain_nothing_changes() -> None:
    groups = [group("one", 0.1), group("two", 0.9)]

    assert by_recency(groups, {groups[0].best.chunk_id: 0.0}, gain=0, half_life_days=9) == groups
