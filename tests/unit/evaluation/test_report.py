from __future__ import annotations

import json
import math
from collections.abc import Sequence
from random import Random
from statistics import fmean, stdev

import pytest

from trivium.errors import UsageError
from trivium.evaluation.measure import Measure, Result, Score
from trivium.evaluation.report import as_data, compare, details, table


def score(number: int, value: float, *, fold: str = "") -> Score:
    values = {Measure.NDCG_10: value, Measure.MRR_10: value / 2, Measure.RECALL_10: 1.0}
    return Score(f"q{number}", f"query {number}", values, seconds=0.002, fold=fold)


def result(name: str, profile: str, values: Sequence[float], *, split: str = "test") -> Result:
    scores = tuple(score(number, value) for number, value in enumerate(values))
    return Result(name, profile, split, scores)


def test_the_table_has_sets_as_rows_profiles_as_columns_and_a_mean() -> None:
    results = [
        result("scifact", "bm25", [0.5, 0.7]),
        result("scifact", "best", [0.6, 1.0]),
        result("npl", "bm25", [0.2]),
        result("npl", "best", [0.4]),
    ]
    assert table(results).splitlines() == [
        "nDCG@10  split  queries    bm25    best",
        "scifact  test         2  0.6000  0.8000",
        "npl      test         1  0.2000  0.4000",
        "mean                     0.4000  0.6000",
    ]


def test_the_mean_counts_only_sets_that_every_profile_has() -> None:
    results = [
        result("one", "bm25", [0.5]),
        result("one", "best", [0.6]),
        result("two", "best", [1.0]),
    ]
    rows = [line.split() for line in table(results).splitlines()]
    assert rows[2] == ["two", "test", "1", "-", "1.0000"]
    assert rows[3] == ["mean", "of", "1", "0.5000", "0.6000"]


def test_two_splits_of_a_set_are_two_rows() -> None:
    results = [result("one", "best", [0.5]), result("one", "best", [0.7], split="dev")]
    assert [line.split()[:2] for line in table(results).splitlines()[1:3]] == [
        ["one", "test"],
        ["one", "dev"],
    ]


def test_the_table_shows_the_measure_asked_for_and_a_dash_where_it_was_not_taken() -> None:
    results = [result("one", "best", [0.5])]
    assert table(results, measure=Measure.MRR_10).splitlines()[1].split()[-1] == "0.2500"
    rows = [line.split() for line in table(results, measure=Measure.RECALL_100).splitlines()]
    assert rows[1:] == [["one", "test", "1", "-"], ["mean", "of", "0", "-"]]


def test_no_results_make_a_table_of_its_header() -> None:
    assert table([]).splitlines()[0].split() == ["nDCG@10", "split", "queries"]
    assert len(details([]).splitlines()) == 1


def test_the_details_show_every_measure_and_the_time_of_a_query() -> None:
    header, row = (line.split() for line in details([result("one", "best", [0.5])]).splitlines())
    assert header == ["set", "split", "profile", "queries", *map(str, Measure), "ms/query"]
    assert row == ["one", "test", "best", "1", "0.5000", "0.2500", "1.0000", "-", "2.0"]


def test_the_data_survive_being_written_as_json() -> None:
    data = json.loads(json.dumps(as_data([result("one", "best", [0.5, 0.7])])))
    (one,) = data["results"]
    assert (one["set"], one["profile"], one["split"], one["queries"]) == ("one", "best", "test", 2)
    assert one["means"]["nDCG@10"] == pytest.approx((0.5 + 0.7) / 2)
    assert one["seconds_per_query"] == pytest.approx(0.002)
    assert [score["nDCG@10"] for score in one["scores"]] == [0.5, 0.7]
    assert "folds" not in one


def test_the_data_give_the_mean_of_each_fold_where_there_are_folds() -> None:
    scores = (score(1, 0.2, fold="a"), score(2, 0.4, fold="a"), score(3, 0.9, fold="b"))
    data = json.loads(json.dumps(as_data([Result("bench", "best", "", scores)])))
    folds = data["results"][0]["folds"]
    assert {fold: means["nDCG@10"] for fold, means in folds.items()} == pytest.approx(
        {"a": (0.2 + 0.4) / 2, "b": 0.9}
    )


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
