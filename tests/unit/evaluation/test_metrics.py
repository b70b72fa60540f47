from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.evaluation.metrics import (
    ndcg,
    recall,
    recall_in_tokens,
    reciprocal_rank,
    success,
    tokens_of,
)

Case = tuple[list[str], dict[str, float]]
Ours = Callable[..., float]


def random_case(chance: Random) -> Case:
    pool = [f"d{number}" for number in range(chance.randint(1, 200))]
    ranked = chance.sample(pool, chance.randint(1, len(pool)))
    judged = chance.sample(pool, chance.randint(1, min(30, len(pool))))
    return ranked, {one: float(chance.choice([0, 0, 1, 1, 2, 3])) for one in judged}


@pytest.mark.parametrize("k", [1, 3, 10, 100])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (ndcg, ir_measures.nDCG),
        (reciprocal_rank, ir_measures.RR),
        (recall, ir_measures.R),
        (success, ir_measures.Success),
    ],
)
def test_it_equals_ir_measures_on_random_rankings(ours: Ours, theirs: object, k: int) -> None:
    chance = Random(k)  # noqa: S311 (test data, not a secret)
    cases = {f"q{number}": random_case(chance) for number in range(60)}
    cases = {q: case for q, case in cases.items() if any(gain > 0 for gain in case[1].values())}
    qrels = {q: {d: int(gain) for d, gain in gains.items()} for q, (_, gains) in cases.items()}
    run = {
        q: {d: float(len(ranked) - place) for place, d in enumerate(ranked)}
        for q, (ranked, _) in cases.items()
    }
    measure = theirs @ k  # type: ignore[operator]
    expected = {one.query_id: one.value for one in ir_measures.iter_calc([measure], qrels, run)}
    assert expected.keys() == cases.keys()
    for q, (ranked, gains) in cases.items():
        assert ours(ranked, gains=gains, k=k) == pytest.approx(expected[q], abs=1e-9)


def test_ndcg_divides_the_discounted_gain_by_that_of_the_best_order() -> None:
    gains = {"a": 3.0, "b": 1.0, "missed": 2.0}
    earned = 1 / math.log2(2) + 3 / math.log2(4)
    ideal = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert ndcg(["b", "x", "a"], gains=gains, k=10) == pytest.approx(earned / ideal)


def test_the_ideal_of_ndcg_has_no_more_than_k_places() -> None:
    gains = {f"d{number}": 1.0 for number in range(20)}
    assert ndcg([f"d{number}" for number in range(5)], gains=gains, k=5) == pytest.approx(1)


def test_a_repeated_id_takes_up_its_rank_and_earns_nothing() -> None:
    gains = {"a": 1.0, "b": 1.0}
    ideal = 1 / math.log2(2) + 1 / math.log2(3)
    earned = 1 / math.log2(2) + 1 / math.log2(4)
    assert ndcg(["a", "a", "b"], gains=gains, k=10) == pytest.approx(earned / ideal)
    assert recall(["a", "a"], gains=gains, k=10) == 1 / 2


def test_a_grade_of_zero_or_less_is_not_relevant() -> None:
    gains = {"a": 0.0, "b": -1.0, "c": 2.0}
    ranked = ["a", "b", "c"]
    assert ndcg(ranked, gains=gains, k=10) == pytest.approx(1 / math.log2(4))
    assert reciprocal_rank(ranked, gains=gains, k=10) == 1 / 3
    assert recall(ranked, gains=gains, k=2) == 0
    assert success(ranked, gains=gains, k=2) == 0


@pytest.mark.parametrize("ours", [ndcg, reciprocal_rank, recall, success])
@pytest.mark.parametrize("gains", [{}, {"a": 0.0}])
def test_without_anything_relevant_every_measure_is_zero(
    ours: Ours, gains: dict[str, float]
) -> None:
    assert ours(["a", "b"], gains=gains, k=10) == 0


@pytest.mark.parametrize("ours", [ndcg, reciprocal_rank, recall, success])
@given(
    ranked=st.lists(st.sampled_from("abcdefgh")),
    gains=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 4)),
    k=st.integers(1, 12),
)
def test_every_measure_lies_between_zero_and_one(
    ours: Ours, ranked: list[str], gains: dict[str, float], k: int
) -> None:
    assert 0 <= ours(ranked, gains=gains, k=k) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 1), ("a", 1), ("abcd", 1), ("abcde", 2), ("語" * 9, 3)]
)
def test_tokens_are_a_quarter_of_the_code_points_rounded_up(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


def test_a_result_that_just_fits_is_read_and_one_token_less_is_too_few() -> None:
    shown = [(["a"], 300), (["b"], 200)]
    gains = {"a": 1.0, "b": 1.0}
    assert recall_in_tokens(shown, gains=gains, tokens=500) == 1
    assert recall_in_tokens(shown, gains=gains, tokens=499) == 1 / 2
    assert recall_in_tokens(shown, gains=gains, tokens=299) == 0


def test_what_comes_after_a_result_that_does_not_fit_is_not_read() -> None:
    assert recall_in_tokens([(["x"], 600), (["a"], 1)], gains={"a": 1.0}, tokens=500) == 0


def test_without_anything_relevant_there_is_nothing_to_recall() -> None:
    assert recall_in_tokens([(["a"], 1)], gains={"a": 0.0}, tokens=500) == 0


@given(
    shown=st.lists(st.tuples(st.lists(st.sampled_from("abcdef")), st.integers(1, 900))),
    few=st.integers(0, 2000),
    more=st.integers(0, 2000),
)
def test_more_tokens_never_show_less_and_never_more_than_there_is(
    shown: list[tuple[list[str], int]], few: int, more: int
) -> None:
    gains = {"a": 1.0, "b": 2.0, "z": 1.0}
    values = [recall_in_tokens(shown, gains=gains, tokens=t) for t in (few, few + more, 10**9)]
    assert values == sorted(values)
    assert values[2] == len({"a", "b"} & {name for names, _ in shown for name in names}) / 3
