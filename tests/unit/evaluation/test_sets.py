"""Which sets are measured, by which split, and which few of their queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.errors import UsageError
from trivium.evaluation.measure import Question
from trivium.evaluation.sets import Place, Sort, places, sampled


def corpus(folder: Path, *splits: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("", encoding="utf-8")
    for split in splits:
        (folder / "qrels" / f"{split}.tsv").write_text("", encoding="utf-8")
    return folder


def repositories(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "repos.json").write_text("[]", encoding="utf-8")
    return folder


def found(*data: Path, split: str | None = None, has_repositories: bool = False) -> list[Place]:
    return places(data, split=split, has_repositories=has_repositories, say=lambda _: None)


def test_a_folder_of_sets_stands_for_each_set_with_its_right_split(tmp_path: Path) -> None:
    both = corpus(tmp_path / "both", "dev", "test", "train")
    only = corpus(tmp_path / "only", "dev")
    (tmp_path / "notes").mkdir()
    assert found(tmp_path) == [
        Place(both, Sort.RECORDS, "test"),
        Place(only, Sort.RECORDS, "dev"),
    ]


def test_a_split_that_is_asked_for_is_taken_as_it_is(tmp_path: Path) -> None:
    both = corpus(tmp_path / "both", "test", "train")
    assert found(both, split="train") == [Place(both, Sort.RECORDS, "train")]


def test_a_set_to_fit_on_is_never_taken_unasked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there are: train\. Say which with: --split NAME"):
        found(corpus(tmp_path / "one", "train"))


def test_repositories_in_a_folder_of_sets_are_passed_over_and_said_unless_they_are_laid_out(
    tmp_path: Path,
) -> None:
    records = corpus(tmp_path / "a", "test")
    code = repositories(tmp_path / "b")
    said: list[str] = []
    left = places([tmp_path], split=None, has_repositories=False, say=said.append)
    assert [one.path for one in left] == [records]
    assert said == ["b: left out; say where its repositories are with: --repos FOLDER"]
    assert [one.path for one in found(tmp_path, has_repositories=True)] == [records, code]
    # Named itself, it is not passed over: preparing it says what is missing.
    assert found(code) == [Place(code, Sort.REPOSITORIES)]


def test_a_file_is_ones_own_judged_queries(tmp_path: Path) -> None:
    file = tmp_path / "judged.csv"
    file.write_text("query,relevant\n", encoding="utf-8")
    assert found(file, split="train") == [Place(file, Sort.OWN)]


def test_a_folder_that_is_no_set_and_holds_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    with pytest.raises(UsageError, match="is no set and holds none"):
        found(tmp_path)


def test_a_set_named_twice_is_measured_once(tmp_path: Path) -> None:
    one = corpus(tmp_path / "one", "test")
    assert len(found(one, tmp_path, one)) == 1


def test_two_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    first, second = corpus(tmp_path / "a" / "one", "test"), corpus(tmp_path / "b" / "one", "test")
    with pytest.raises(UsageError, match="both called 'one'"):
        found(first, second)


QUESTIONS = [Question(f"q{number}", "", {}) for number in range(100)]


def test_a_sample_is_the_same_every_time_in_the_order_of_the_set_and_grows() -> None:
    few, more = sampled(QUESTIONS, 10), sampled(QUESTIONS, 30)
    assert few == sampled(QUESTIONS, 10)
    assert len(few) == 10
    numbers = [int(one.id[1:]) for one in few]
    assert numbers == sorted(numbers)
    assert set(numbers) != set(range(10))
    assert {one.id for one in few} < {one.id for one in more}
    # Drawn by id: what comes before in the file does not matter.
    assert {one.id for one in sampled(QUESTIONS[::-1], 10)} == {one.id for one in few}


@pytest.mark.parametrize("limit", [None, 100, 1000])
def test_without_a_limit_that_bites_every_question_is_asked(limit: int | None) -> None:
    assert sampled(QUESTIONS, limit) == tuple(QUESTIONS)


def test_a_query_that_is_half_a_pair_can_be_drawn() -> None:
    assert len(sampled([Question("\ud800", "", {}), Question("b", "", {})], 1)) == 1
