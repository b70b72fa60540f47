from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

import pytest

from trivium.evaluation.datasets import (
    Dataset,
    Judged,
    Repositories,
    RepositoryQuery,
    RepositoryTask,
    Target,
)
from trivium.evaluation.measure import (
    Measure,
    PlaceSearch,
    measure,
    measure_names,
    measure_repositories,
    score_repository,
)
from trivium.types import Location


def ticking(step: float) -> Callable[[], float]:
    ticks = count()
    return lambda: next(ticks) * step


def dataset(*queries: Judged) -> Dataset:
    return Dataset("tiny", "test", (), queries)


def test_the_result_holds_every_query_and_the_mean_of_each_measure() -> None:
    data = dataset(
        Judged("q1", "one", {"a": 1.0}),
        Judged("q2", "two", {"b": 1.0, "c": 1.0}, group="short"),
    )
    answers = {"one": ["x", "a"], "two": ["b"]}

    def search(query: str, *, limit: int, within: str | None) -> Sequence[str]:
        assert (limit, within) == (100, None)
        return answers[query]

    result = measure(data, search, profile="best", clock=ticking(0.5))
    assert (result.name, result.profile, result.split) == ("tiny", "best", "test")
    assert result.queries == 2
    assert result.seconds_per_query == 0.5
    assert [(score.query_id, score.text, score.group) for score in result.scores] == [
        ("q1", "one", ""),
        ("q2", "two", "short"),
    ]
    first = 1 / math.log2(3)
    second = 1 / (1 + 1 / math.log2(3))
    assert result.scores[0].values[Measure.NDCG_10] == pytest.approx(first)
    assert result.means == pytest.approx(
        {
            Measure.NDCG_10: (first + second) / 2,
            Measure.MRR_10: (1 / 2 + 1) / 2,
            Measure.RECALL_10: (1 + 1 / 2) / 2,
            Measure.RECALL_100: (1 + 1 / 2) / 2,
        }
    )


def test_each_query_is_asked_inside_its_scope() -> None:
    asked: list[tuple[str, str | None]] = []

    def search(query: str, *, limit: int, within: str | None) -> Sequence[str]:
        asked.append((query, within))
        return ["a"][:limit]

    data = dataset(
        Judged("q1", "sort", {"a": 1.0}, within="go"),
        Judged("q2", "sort", {"a": 1.0}, within="php"),
        Judged("q3", "sort", {"a": 1.0}),
    )
    measure(data, search, profile="best")
    assert asked == [("sort", "go"), ("sort", "php"), ("sort", None)]


def test_recall_at_100_looks_further_than_the_page() -> None:
    def search(query: str, *, limit: int, within: str | None) -> Sequence[str]:  # noqa: ARG001
        return [f"x{number}" for number in range(limit - 1)] + ["a"]

    means = measure(dataset(Judged("q", "q", {"a": 1.0})), search, profile="best").means
    assert (means[Measure.RECALL_10], means[Measure.RECALL_100]) == (0, 1)


def test_a_result_without_queries_has_no_means() -> None:
    def search(query: str, *, limit: int, within: str | None) -> Sequence[str]:
        raise AssertionError((query, limit, within))

    result = measure(dataset(), search, profile="best")
    assert (result.queries, result.seconds_per_query, dict(result.means)) == (0, 0.0, {})


def test_own_judgements_are_found_by_id_or_by_path_at_the_first_hit_that_bears_them() -> None:
    hits = [("n1", "a.md"), ("n2", "b.md"), ("n3", "b.md"), ("n4", "c.md")]

    def search(query: str, *, limit: int) -> Sequence[Sequence[str]]:
        assert query == "q"
        return hits[:limit]

    data = dataset(Judged("1", "q", {"b.md": 1.0, "n4": 2.0}))
    result = measure_names(data, search, profile="best", clock=ticking(2))
    earned = 1 / math.log2(3) + 2 / math.log2(5)
    ideal = 2 / math.log2(2) + 1 / math.log2(3)
    assert result.means[Measure.NDCG_10] == pytest.approx(earned / ideal)
    assert result.seconds_per_query == 2


def task(name: str, **targets: Sequence[Target]) -> RepositoryTask:
    queries = tuple(
        RepositoryQuery(f"{name}-{text}", text, tuple(wanted)) for text, wanted in targets.items()
    )
    return RepositoryTask(name, "python", "abc", Path(name), queries)


def answering(answers: Mapping[str, Sequence[Location]]) -> PlaceSearch:
    def search(query: str, *, limit: int) -> Sequence[Location]:
        assert limit == 10
        return answers[query]

    return search


def ndcg_of(wanted: Sequence[Target], places: Sequence[Location]) -> float:
    (score,) = score_repository(task("r", q=wanted), answering({"q": places}))
    return score.values[Measure.NDCG_10]


def test_a_file_is_found_at_its_first_place_and_later_ones_take_up_ranks() -> None:
    places = [Location("a", 1, 5), Location("a", 6, 9), Location("x", 1, 2), Location("b", 1, 2)]
    expected = (1 / math.log2(2) + 1 / math.log2(5)) / (1 / math.log2(2) + 1 / math.log2(3))
    assert ndcg_of([Target("a"), Target("b")], places) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("start", "end", "is_found"),
    [(1, 9, False), (1, 10, True), (12, 14, True), (20, 30, True), (21, 30, False)],
)
def test_a_target_with_lines_is_found_only_by_a_place_that_overlaps_them(
    start: int, end: int, is_found: bool
) -> None:
    found = ndcg_of([Target("a", lines=(10, 20))], [Location("a", start, end)])
    assert found == (1 if is_found else 0)


def test_a_file_of_the_same_name_in_another_folder_is_not_the_target() -> None:
    assert ndcg_of([Target("core/util.py")], [Location("util.py", 1, 9)]) == 0


def test_what_comes_after_the_tenth_place_does_not_count() -> None:
    others = [Location(f"x{number}", 1, 2) for number in range(10)]
    assert ndcg_of([Target("a")], [*others, Location("a", 1, 2)]) == 0
    assert ndcg_of([Target("a")], [*others[:9], Location("a", 1, 2)]) == 1 / math.log2(11)


def test_one_place_finds_one_target_so_that_no_list_beats_the_ideal() -> None:
    wanted = [Target("a", lines=(1, 5)), Target("a", lines=(6, 9))]
    alone = 1 / (1 + 1 / math.log2(3))
    assert ndcg_of(wanted, [Location("a", 1, 9)]) == pytest.approx(alone)
    assert ndcg_of(wanted, [Location("a", 1, 9), Location("a", 2, 9)]) == pytest.approx(1)


def test_the_mean_is_taken_over_queries_then_over_repositories() -> None:
    small = task("small", one=[Target("a")])
    large = task("large", two=[Target("b")], three=[Target("c")], four=[Target("d")])
    hit = [Location("a", 1, 2), Location("b", 1, 2)]
    answers = {"one": hit, "two": hit, "three": hit, "four": hit}
    result = measure_repositories(
        Repositories("bench", (small, large)),
        lambda asked: answering(answers if asked.root else {}),
        profile="best",
        clock=ticking(1),
    )
    assert [score.fold for score in result.scores] == ["small", "large", "large", "large"]
    assert result.by_fold(Measure.MRR_10) == {"small": 1, "large": pytest.approx((1 / 2) / 3)}
    assert result.means[Measure.MRR_10] == pytest.approx((1 + (1 / 2) / 3) / 2)
    assert Measure.RECALL_100 not in result.means
    assert result.seconds_per_query == 1
