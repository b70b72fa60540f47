from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from statistics import fmean, stdev

import pytest

from trivium.errors import UsageError
from trivium.evaluation.measure import Measure, Result, Score
from trivium.evaluation.significance import compare, compare_means, interval


def score(number: int, value: float, *, fold: str = "") -> Score:
    values = {Measure.NDCG_10: value}
    return Score(f"q{number}", f"query {number}", values, seconds=0.002, fold=fold)


def result(name: str, profile: str, values: Sequence[float], *, split: str = "test") -> Result:
    scores = tuple(score(number, value) for number, value in enumerate(values))
    return Result(name, profile, split, scores)


def test_the_difference_is_what_the_second_result_gains() -> None:
    before = result("one", "bm25", [0.5, 0.5, 0.5, 0.5])
    after = result("one", "best", [0.9, 0.7, 0.5, 0.4])
    found = compare(before, after)
    assert (found.name, found.measure) == ("one", Measure.NDCG_10)
    assert found.difference == pytest.approx((0.4 + 0.2 + 0.0 - 0.1) / 4)
    assert (found.wins, found.losses, found.ties) == (2, 1, 1)
    assert found.low < found.difference < found.high


def test_queries_are_paired_by_id_not_by_place() -> None:
    before = result("one", "bm25", [0.1, 0.9])
    after = Result("one", "best", "test", tuple(reversed(before.scores)))
    found = compare(before, after)
    assert (found.difference, found.low, found.high, found.ties) == (0, 0, 0, 2)


def test_the_interval_is_close_to_the_normal_one_on_many_queries() -> None:
    chance = Random(7)  # noqa: S311 (test data, not a secret)
    differences = [chance.gauss(0.02, 0.1) for _ in range(2000)]
    found = compare(result("one", "a", [0.0] * 2000), result("one", "b", differences))
    half = 1.96 * stdev(differences) / math.sqrt(2000)
    assert found.low == pytest.approx(fmean(differences) - half, abs=half / 10)
    assert found.high == pytest.approx(fmean(differences) + half, abs=half / 10)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    before, after = result("one", "a", [0.1, 0.5, 0.3]), result("one", "b", [0.2, 0.4, 0.9])
    assert compare(before, after, rounds=99) == compare(before, after, rounds=99)
    many = [number % 7 / 7 for number in range(50)]
    first = compare(result("one", "a", [0.0] * 50), result("one", "b", many), rounds=99)
    other = compare(result("one", "a", [0.0] * 50), result("one", "b", many), rounds=99, seed=1)
    assert first.low != other.low


def test_repositories_are_drawn_whole_so_that_equal_gains_leave_no_doubt() -> None:
    folds = [(1, 0.0, "a"), (2, 0.4, "a"), (3, 0.2, "b")]
    before = tuple(score(number, 0.0, fold=fold) for number, _, fold in folds)
    after = tuple(score(number, value, fold=fold) for number, value, fold in folds)
    found = compare(Result("bench", "a", "", before), Result("bench", "b", "", after))
    assert (found.difference, found.low, found.high) == pytest.approx((0.2, 0.2, 0.2))


@pytest.mark.parametrize(
    "other",
    [
        result("two", "b", [0.1, 0.2]),
        result("one", "b", [0.1, 0.2], split="dev"),
        result("one", "b", [0.1, 0.2, 0.3]),
        result("one", "b", [0.1]),
    ],
)
def test_results_of_other_queries_are_not_compared(other: Result) -> None:
    with pytest.raises(UsageError, match="do not answer the same queries"):
        compare(result("one", "a", [0.1, 0.2]), other)


def test_a_measure_that_was_not_taken_is_not_compared() -> None:
    one = result("one", "a", [0.1])
    with pytest.raises(UsageError, match="recall@100 was not measured"):
        compare(one, one, measure=Measure.RECALL_100)
    with pytest.raises(UsageError, match="was not measured"):
        compare(result("one", "a", []), result("one", "b", []))


def test_the_mean_of_sets_weighs_each_set_alike_and_draws_each_on_its_own() -> None:
    many = (result("many", "a", [0.0] * 400), result("many", "b", [0.0, 0.2] * 200))
    few = (result("few", "a", [0.0] * 4), result("few", "b", [0.5, 0.5, 0.5, 0.5]))
    found = compare_means([many, few])
    assert (found.name, found.before, found.after) == ("mean", "a", "b")
    assert found.difference == pytest.approx((0.1 + 0.5) / 2)
    assert (found.wins, found.ties, found.losses) == (204, 200, 0)
    # The few all gain alike, so half of what the many may be off is all the doubt there is.
    half = 1.96 * stdev([0.0, 0.2] * 200) / math.sqrt(400) / 2
    assert found.high - found.low == pytest.approx(2 * half, rel=0.1)


def test_a_mean_of_one_set_is_that_set() -> None:
    pair = (result("one", "a", [0.1, 0.5, 0.3]), result("one", "b", [0.2, 0.4, 0.9]))
    one, mean = compare(*pair), compare_means([pair])
    assert (mean.difference, mean.low, mean.high) == (one.difference, one.low, one.high)


def test_a_mean_of_no_sets_is_refused() -> None:
    with pytest.raises(UsageError, match="no set"):
        compare_means([])


def test_the_interval_of_differences_is_that_of_the_results_they_come_from() -> None:
    changes = [0.1, -0.2, 0.4, 0.3, 0.0]
    found = compare(result("one", "a", [0.0] * 5), result("one", "b", changes))
    assert interval(changes, [""] * 5) == (found.low, found.high)
    by_fold = interval([0.0, 0.4, 0.2], ["a", "a", "b"])
    assert by_fold == pytest.approx((0.2, 0.2))
