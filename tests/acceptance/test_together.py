"""Cases G30 and G72: several collections as one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trivium
from trivium.collection import Collection, open_collection
from trivium.errors import UsageError
from trivium.types import EdgeType

Open = Callable[..., Collection]


def made(opened: Open, folder: Path, files: dict[str, str]) -> Collection:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    collection = opened(folder, embedding__model="none")
    collection.sync()
    return collection


@pytest.fixture
def two(tmp_path: Path, opened_on_each: Open) -> tuple[Collection, Collection]:
    """Two collections in which the same words have the same ranks."""
    texts = {"a.md": "# First\n\nzebra zebra zebra\n", "b.md": f"# Second\n\nzebra{' word' * 20}\n"}
    return made(opened_on_each, tmp_path / "one", texts), made(
        opened_on_each, tmp_path / "two", texts
    )


def test_g72_equal_ranks_come_by_the_name_of_the_collection(
    two: tuple[Collection, Collection],
) -> None:
    answer = trivium.together(*reversed(two)).search("zebra")

    assert [(hit.collection, hit.score) for hit in answer.results] == [
        ("one", 1 / 61),
        ("two", 1 / 61),
        ("one", 1 / 62),
        ("two", 1 / 62),
    ]
    assert [hit.score for hit in answer.results][::2] == pytest.approx(
        [0.016393442623, 0.016129032258], abs=1e-12
    )


def test_g72_a_priority_comes_before_the_name(two: tuple[Collection, Collection]) -> None:
    answer = trivium.together(*two, priorities={"two": 1}).search("zebra", limit=3)

    assert [hit.collection for hit in answer.results] == ["two", "one", "two"]


def test_the_answer_says_what_all_of_them_searched(two: tuple[Collection, Collection]) -> None:
    answer = trivium.together(*two).search("zebra", limit=1, explain=True)

    assert (answer.collection, answer.total, answer.coverage.files) == ("one, two", 4, 4)
    assert [one.reason for one in answer.degraded] == ["no embedding model is set"]
    assert [part.value for part in answer.results[0].parts] == [answer.results[0].score]
    assert answer.results[0].breakdown is not None
    assert answer.results[0].breakdown["selected"] == {"type": "rrf", "score": 1 / 61}


def test_collections_of_one_name_are_told_apart(tmp_path: Path, opened_on_each: Open) -> None:
    texts = {"a.md": "# First\n\nzebra\n"}
    first = made(opened_on_each, tmp_path / "x" / "shop", texts)
    second = made(opened_on_each, tmp_path / "y" / "shop", texts)

    answer = trivium.together(first, second).search("zebra")

    assert [hit.collection for hit in answer.results] == ["shop", "shop~2"]


def test_a_priority_for_a_collection_that_is_not_there_is_an_error(
    two: tuple[Collection, Collection],
) -> None:
    with pytest.raises(UsageError, match=r"'three'.*one, two"):
        trivium.together(*two, priorities={"three": 1})
    with pytest.raises(UsageError, match="at least one"):
        trivium.together()


def test_g30_nodes_of_one_name_are_kept_apart_and_linked(
    tmp_path: Path, opened_on_each: Open
) -> None:
    first = made(opened_on_each, tmp_path / "code", {"a.py": "def Validator():\n    pass\n"})
    second = made(opened_on_each, tmp_path / "notes", {"a.md": "# Validator\n\ntext\n"})

    edges = trivium.together(first, second).crossing()

    assert {edge.type for edge in edges} == {EdgeType.CROSS_DOMAIN}
    assert {(edge.source, edge.target) for edge in edges} == {
        ("code/code:a.py#Validator", "notes/doc:a.md"),
        ("code/code:a.py#Validator", "notes/doc:a.md#Validator"),
    }


def test_what_repeats_a_hit_of_another_collection_counts_in_the_total_and_is_said(
    two: tuple[Collection, Collection],
) -> None:
    together = trivium.together(*two)

    every, once = together.search("zebra"), together.search("zebra", dedupe=True)

    assert (len(every.results), every.notes) == (4, ())
    assert [hit.collection for hit in once.results] == ["one", "one"]
    assert once.total == every.total == 4
    assert once.notes == ("left out 2 hits that repeat a better one of another collection",)
    assert together.search("zebra", limit=1, dedupe=True).notes == ()


def test_what_is_said_of_one_collection_comes_with_its_name(
    tmp_path: Path, opened: Open, two: tuple[Collection, Collection]
) -> None:
    third = made(opened, tmp_path / "three", {"a.py": "zebra = 1\n"})
    said = "lang 'python' is not in this collection, which has markdown"

    answer = trivium.together(*two, third).search("zebra", filters={"lang": "python"})
    assert answer.notes == (f"one: {said}", f"two: {said}")
    answer = trivium.together(*two).search("zebra", filters={"lang": "python"})
    assert answer.notes == (
        said,
        "searched 2 files for doc, file",
        "without lang=python: 2 hits",
    )


def test_one_file_narrows_only_the_collection_it_is_of(tmp_path: Path, opened: Open) -> None:
    folder, other = tmp_path / "one", tmp_path / "two"
    names = ("a.md", "a.md.orig", "b.md", "below/a.md")
    for place in (folder, other):
        made(opened, place, {name: f"zebra in {name}" for name in names}).close()
    second = opened(other, embedding__model="none")
    with open_collection(folder / "below", settings=second.settings, file="a.md") as first:
        answer = trivium.together(first, second).search("zebra", limit=10)
        alone = first.search("zebra")

    found = {(hit.collection, hit.source.file_path) for hit in answer.results}
    assert found == {("one", "below/a.md"), *(("two", name) for name in names)}
    assert {hit.source.file_path for hit in alone.results} == {"below/a.md"}
