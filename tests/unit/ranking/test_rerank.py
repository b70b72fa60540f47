from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from trivium.ranking.cut import Group, in_order
from trivium.ranking.rerank import PART, chances, reordered
from trivium.types import ChunkId, Part, Scored


def entry(name: str, *values: float) -> Group:
    parts = tuple(Part(f"text {at}", value) for at, value in enumerate(values))
    return Group(Scored(ChunkId(f"doc:{name}@0"), parts))


def names(groups: list[Group]) -> str:
    return "".join(group.best.chunk_id[4] for group in groups)


FOUR = [entry("a", 0.5, 0.3), entry("b", 0.6), entry("c", 0.4), entry("d", 0.1)]


def test_the_new_score_alone_decides_the_order_of_those_read_again() -> None:
    moved = reordered(FOUR, [0.2, 0.9, 0.5], weight=1.0)

    assert names(moved) == "bcad"
    assert [group.best.score for group in moved] == pytest.approx(
        [0.4 + 0.9 * (0.8 - 0.4), 0.4 + 0.5 * (0.8 - 0.4), 0.4 + 0.2 * (0.8 - 0.4), 0.1]
    )


def test_the_difference_is_one_more_part() -> None:
    moved = reordered(FOUR, [0.2, 0.9, 0.5], weight=1.0)
    last = moved[2].best

    assert last.parts[:2] == FOUR[0].best.parts
    assert last.parts[2].name == PART
    assert last.parts[2].value == pytest.approx(0.4 + 0.2 * 0.4 - 0.8)
    assert moved[3] is FOUR[3]


def test_a_share_of_the_old_order_is_its_place_between_lowest_and_highest() -> None:
    weight, new, old = 0.25, [0.2, 0.9, 0.5], [1.0, 0.5, 0.0]
    moved = reordered(FOUR, new, weight=weight)

    places = [
        weight * chance + (1 - weight) * place for chance, place in zip(new, old, strict=True)
    ]
    assert {group.best.chunk_id: group.best.score for group in moved[:3]} == {
        FOUR[at].best.chunk_id: pytest.approx(0.4 + place * 0.4) for at, place in enumerate(places)
    }
    assert names(moved) == "abcd"


def test_what_reached_a_threshold_still_does_and_nothing_passes_the_best() -> None:
    moved = reordered(FOUR, [-30.0, 30.0, 0.0], weight=1.0)

    assert all(0.4 <= group.best.score <= 0.8 for group in moved[:3])


def test_scores_from_0_to_1_are_chances_and_others_are_logits() -> None:
    assert chances([0.0, 0.25, 1.0]) == [0.0, 0.25, 1.0]
    assert chances([-2.0, 0.5, 3.0]) == pytest.approx(
        [1 / (1 + math.exp(2.0)), 1 / (1 + math.exp(-0.5)), 1 / (1 + math.exp(-3.0))]
    )
    assert chances([]) == []


@pytest.mark.parametrize("scale", [1e-3, 1.0, 10.0, 1e3, 1e300])
def test_no_scale_is_so_large_that_scores_become_equal(scale: float) -> None:
    found = chances([scale * score for score in (-1.0, -0.9, 0.0, 0.3, 0.9, 1.0)])

    assert all(first < second for first, second in itertools.pairwise(found))
    assert found[0] >= 0
    assert found[-1] <= 1


def test_a_model_that_finds_all_alike_leaves_the_old_order() -> None:
    moved = reordered(FOUR, [0.5, 0.5, 0.5, 0.5], weight=1.0)

    assert names(moved) == "abcd"
    assert len({group.best.score for group in moved}) == 4


def test_entries_that_were_equal_are_told_apart_by_a_hair() -> None:
    equal = [entry(name, 1.0) for name in "abc"]
    moved = reordered(equal, [0.1, 0.2, 0.9], weight=1.0)

    assert names(moved) == "cba"
    assert 1.0 < moved[2].best.score < moved[1].best.score < moved[0].best.score
    assert moved[0].best.score == pytest.approx(1.0, rel=1e-5)


def test_entries_that_had_nothing_are_told_apart_too() -> None:
    moved = reordered([entry("a", 0.0), entry("b", 0.0), entry("c", 0.0)], [0.1, 0.9], weight=1.0)

    assert names(moved) == "bac"


def test_the_other_passages_of_an_entry_stay_with_it() -> None:
    other = Scored(ChunkId("doc:a@1"), (Part("text", 0.2),))
    moved = reordered([Group(FOUR[0].best, (other,)), FOUR[1]], [0.1, 0.9], weight=1.0)

    assert names(moved) == "ba"
    assert moved[1].others == (other,)


def test_one_entry_has_nothing_to_change_places_with() -> None:
    assert reordered(FOUR, [0.9], weight=1.0) == FOUR


def test_more_scores_than_entries_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="longer"):
        reordered(FOUR, [0.1] * 5, weight=1.0)


numbers = st.floats(min_value=-1e6, max_value=1e6)
weights = st.floats(min_value=0.0, max_value=1.0)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Group], list[float]]:
    """Draw entries in order, and new scores of the first of them."""
    sums = draw(st.lists(st.lists(numbers, min_size=1, max_size=4), max_size=12))
    groups = in_order(entry(f"{at:02}", *values) for at, values in enumerate(sums))
    depth = draw(st.integers(min_value=0, max_value=len(groups)))
    scores = draw(st.lists(numbers | weights, min_size=depth, max_size=depth))
    return groups, scores


@given(cases(), weights)
@example(([entry("a", 1.0, -0.3), entry("b", 1e-5), entry("c", 1e-5)], [0.0, 0.0]), 1.0)
@example(([entry("a", 1e6, 0.1), entry("b", 1e-5), entry("c", 1e-5)], [-1.0, 0.0]), 1.0)
def test_laws_of_a_new_order(case: tuple[list[Group], list[float]], weight: float) -> None:
    groups, scores = case
    before = list(groups)
    moved = reordered(groups, scores, weight=weight)
    values = [group.best.score for group in moved]

    assert groups == before
    assert sorted(group.best.chunk_id for group in moved) == sorted(
        group.best.chunk_id for group in groups
    )
    assert moved[len(scores) :] == groups[len(scores) :]
    assert all(first >= second for first, second in itertools.pairwise(values))
    for group in moved:
        assert group.best.score == math.fsum(part.value for part in group.best.parts)
    assert reordered(groups, scores, weight=weight) == moved


@given(cases())
def test_no_weight_or_no_depth_changes_nothing(case: tuple[list[Group], list[float]]) -> None:
    groups, scores = case

    assert reordered(groups, scores, weight=0.0) == groups
    assert reordered(groups, [], weight=1.0) == groups


@given(cases())
def test_with_all_the_weight_a_better_score_is_never_behind(
    case: tuple[list[Group], list[float]],
) -> None:
    groups, scores = case
    assume(len(scores) > 1)
    spread = max(group.best.score for group in groups) - min(one.best.score for one in groups)
    assume(spread > 1e-3)
    found = dict(zip((one.best.chunk_id for one in groups), chances(scores), strict=False))
    moved = reordered(groups, scores, weight=1.0)[: len(scores)]

    for first, second in itertools.pairwise(moved):
        assert found[first.best.chunk_id] >= found[second.best.chunk_id] - 1e-6


@given(cases(), weights, st.integers(min_value=0, max_value=6))
def test_a_threshold_on_the_old_score_still_holds_for_the_new(
    case: tuple[list[Group], list[float]], weight: float, at: int
) -> None:
    groups, scores = case
    assume(at < len(groups))
    least = groups[at].best.score
    enough = [group for group in groups if group.best.score >= least]
    moved = reordered(enough, scores[: len(enough)], weight=weight)

    assert all(group.best.score >= least for group in moved)
