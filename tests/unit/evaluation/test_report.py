from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from trivium.evaluation.measure import Measure, Result, Score
from trivium.evaluation.moves import Listed, Move, Moves, Side
from trivium.evaluation.report import as_data, details, differences, table
from trivium.evaluation.run import Outcome, comparisons
from trivium.types import Part


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
    untaken = ["-"] * (len(Measure) - 3)
    assert row == ["one", "test", "best", "1", "0.5000", "0.2500", "1.0000", *untaken, "2.0"]
    some = details([result("one", "best", [0.5])], measures=[Measure.MRR_10]).splitlines()
    assert some[1].split() == ["one", "test", "best", "1", "0.2500", "2.0"]


def test_the_data_survive_being_written_as_json() -> None:
    data = json.loads(json.dumps(as_data(Outcome((result("one", "best", [0.5, 0.7]),)))))
    (one,) = data["results"]
    assert (one["set"], one["profile"], one["split"], one["queries"]) == ("one", "best", "test", 2)
    assert one["means"]["nDCG@10"] == pytest.approx((0.5 + 0.7) / 2)
    assert one["seconds_per_query"] == pytest.approx(0.002)
    assert [score["nDCG@10"] for score in one["scores"]] == [0.5, 0.7]
    assert "folds" not in one


def test_the_data_give_the_mean_of_each_fold_where_there_are_folds() -> None:
    scores = (score(1, 0.2, fold="a"), score(2, 0.4, fold="a"), score(3, 0.9, fold="b"))
    data = json.loads(json.dumps(as_data(Outcome((Result("bench", "best", "", scores),)))))
    folds = data["results"][0]["folds"]
    assert {fold: means["nDCG@10"] for fold, means in folds.items()} == pytest.approx(
        {"a": (0.2 + 0.4) / 2, "b": 0.9}
    )


def full(number: int, value: float) -> Score:
    return Score(f"q{number}", f"query {number}", dict.fromkeys(Measure, value), seconds=0.0)


def test_each_profile_is_compared_with_the_first_on_every_set_and_in_the_mean() -> None:
    values = {"a": (0.5, 0.1), "b": (0.7, 0.1), "c": (0.5, 0.0)}
    results = [
        Result(name, profile, "test", (full(1, value),))
        for profile, (first, second) in values.items()
        for name, value in (("one", first), ("two", second))
    ]
    found = [one for one in comparisons(results) if one.measure is Measure.NDCG_10]
    assert [(one.name, one.before, one.after) for one in found] == [
        ("one", "a", "b"),
        ("two", "a", "b"),
        ("mean", "a", "b"),
        ("one", "a", "c"),
        ("two", "a", "c"),
        ("mean", "a", "c"),
    ]
    assert found[2].difference == pytest.approx((0.2 + 0.0) / 2)
    assert (found[5].wins, found[5].ties, found[5].losses) == (0, 1, 1)
    rows = [line.split() for line in differences(found).splitlines()]
    assert rows[1] == ["one", "test", "b", "-", "a", "+0.2000", "+0.2000", "to", "+0.2000", "1/0/0"]
    assert rows[3][0] == "mean"
    assert {one.measure for one in comparisons(results)} == set(Measure)


def test_one_profile_alone_is_compared_with_nothing() -> None:
    assert comparisons([result("one", "a", [0.5]), result("two", "a", [0.5])]) == []


def test_the_data_hold_the_comparisons_and_the_queries_that_moved_with_their_parts() -> None:
    results = tuple(Result("one", profile, "test", (full(1, 0.5),)) for profile in ("a", "b"))
    part = Part("text", 0.25)
    hit = Listed(1, "n1", "label", "a.py:1-2", 0.25, (part,), "words", "snippet", 1.0, "a.py")
    sides = (Side("a", 1.0, (hit,), (hit,)), Side("b", 0.0, (), (None,)))
    move = Move("q1", "query 1", "", (("a.py", 1.0),), *sides)
    outcome = Outcome(
        results,
        tuple(comparisons(results)),
        (Moves("one", "test", "a", "b", (move,), ()),),
    )
    data = json.loads(json.dumps(as_data(outcome)))
    first = data["comparisons"][0]
    assert (first["set"], first["before"], first["after"]) == ("one", "a", "b")
    assert (first["measure"], first["ties"]) == ("nDCG@10", 1)
    (moved,) = data["moves"]
    assert (moved["set"], moved["before"], moved["after"], moved["better"]) == ("one", "a", "b", [])
    (worse,) = moved["worse"]
    assert worse["difference"] == -1
    assert worse["before"]["relevant"][0]["parts"] == [{"name": "text", "value": 0.25}]
    assert worse["after"]["relevant"] == [None]
