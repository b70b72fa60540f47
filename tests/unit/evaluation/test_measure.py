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
    BY_RANK,
    BY_TOKENS,
    Measure,
    Question,
    Result,
    Shown,
    measure,
    questions_of,
    questions_to,
    targets_at,
    values_of,
)
from trivium.types import Location


def ticking(step: float) -> Callable[[], float]:
    ticks = count()
    return lambda: next(ticks) * step


def listed(*names: str) -> list[Shown]:
    return [Shown((name,)) for name in names]


def test_the_result_holds_every_query_and_the_mean_of_each_measure() -> None:
    questions = [
        Question("q1", "one", {"a": 1.0}),
        Question("q2", "two", {"b": 1.0, "c": 1.0}, group="short"),
    ]
    answers = {"q1": listed("x", "a"), "q2": listed("b")}
    result = measure(
        questions,
        lambda question: answers[question.id],
        name="tiny",
        split="test",
        profile="best",
        clock=ticking(0.5),
    )
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
    everything = (1 + 1 / 2) / 2
    assert result.means == pytest.approx(
        {
            Measure.NDCG_10: (first + second) / 2,
            Measure.MRR_10: (1 / 2 + 1) / 2,
            Measure.RECALL_10: everything,
            Measure.RECALL_100: everything,
            Measure.SUCCESS_1: (0 + 1) / 2,
            Measure.SUCCESS_5: 1.0,
            Measure.SUCCESS_10: 1.0,
            **dict.fromkeys(BY_TOKENS, everything),
        }
    )
    assert {*BY_RANK, *BY_TOKENS} == set(Measure)


def test_recall_at_100_looks_further_than_the_page() -> None:
    values = values_of(listed(*(f"x{number}" for number in range(99)), "a"), {"a": 1.0})
    assert (values[Measure.RECALL_10], values[Measure.RECALL_100]) == (0, 1)


def test_recall_in_tokens_counts_the_text_that_is_shown_and_stops_where_it_no_longer_fits() -> None:
    # 400, 100 and 501 tokens: a quarter of the characters, rounded up.
    shown = [Shown(("a",), "x" * 1600), Shown(("b",), "y" * 400), Shown(("c",), "z" * 2001)]
    values = values_of(shown, {"a": 1.0, "b": 1.0, "c": 1.0, "d": 2.0})
    assert values[Measure.RECALL_500_TOKENS] == 2 / 4
    assert values[Measure.RECALL_1000_TOKENS] == 2 / 4
    assert values[Measure.RECALL_2000_TOKENS] == 3 / 4
    one_more = [Shown(("x",), "w"), *shown]
    assert values_of(one_more, {"b": 1.0})[Measure.RECALL_500_TOKENS] == 0


def test_a_document_shown_again_takes_up_no_rank_but_its_tokens() -> None:
    again = Shown(("a",), "x" * 2000, is_repeat=True)
    shown = [Shown(("a",), "x"), again, Shown(("b",), "y")]
    values = values_of(shown, {"b": 1.0})
    assert values[Measure.MRR_10] == 1 / 2
    assert values[Measure.RECALL_500_TOKENS] == 0
    assert values[Measure.RECALL_1000_TOKENS] == 1


def test_a_result_without_queries_has_no_means() -> None:
    def ask(question: Question) -> Sequence[Shown]:
        raise AssertionError(question)

    result = measure([], ask, name="tiny", profile="best")
    assert (result.queries, result.seconds_per_query, dict(result.means)) == (0, 0.0, {})


def test_the_questions_of_a_corpus_keep_scope_grades_and_sort() -> None:
    judged = (Judged("q1", "sort", {"a": 2.0}, "short", "go"), Judged("q2", "sort", {"a": 1.0}))
    first, second = questions_of(Dataset("tiny", "test", (), judged))
    assert (first.within, first.group, first.gains) == ("go", "short", {"a": 2.0})
    assert (second.within, second.fold) == (None, "")


def test_own_judgements_are_found_by_id_or_by_path_at_the_first_hit_that_bears_them() -> None:
    hits = [("n1", "a.md"), ("n2", "b.md"), ("n3", "b.md"), ("n4", "c.md")]
    values = values_of([Shown(names) for names in hits], {"b.md": 1.0, "n4": 2.0})
    earned = 1 / math.log2(3) + 2 / math.log2(5)
    ideal = 2 / math.log2(2) + 1 / math.log2(3)
    assert values[Measure.NDCG_10] == pytest.approx(earned / ideal)


def task(name: str, **targets: Sequence[Target]) -> RepositoryTask:
    queries = tuple(
        RepositoryQuery(f"{name}-{text}", text, tuple(wanted)) for text, wanted in targets.items()
    )
    return RepositoryTask(name, "python", "abc", Path(name), queries)


def asked_of(tasks: Sequence[RepositoryTask], places: Mapping[str, Sequence[Location]]) -> Result:
    def ask(question: Question) -> list[Shown]:
        return [Shown(targets_at(place, question.targets)) for place in places[question.text]]

    questions = questions_to(Repositories("bench", tuple(tasks)))
    return measure(questions, ask, name="bench", profile="best", clock=ticking(1))


def ndcg_of(wanted: Sequence[Target], places: Sequence[Location]) -> float:
    return asked_of([task("r", q=wanted)], {"q": places}).means[Measure.NDCG_10]


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
    result = asked_of([small, large], answers)
    assert [score.fold for score in result.scores] == ["small", "large", "large", "large"]
    assert result.by_fold(Measure.MRR_10) == {"small": 1, "large": pytest.approx((1 / 2) / 3)}
    assert result.means[Measure.MRR_10] == pytest.approx((1 + (1 / 2) / 3) / 2)
    assert result.seconds_per_query == 1
