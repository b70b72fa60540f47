"""Cases G1 to G10 asked of a collection: what `rag` makes of two lists, on both backends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.collection import Collection
from trivium.testing.folders import filled
from trivium.types import Answer

Open = Callable[..., Collection]

WORD = "zebra"


def by_words(rank: int) -> str:
    """Return a text that stands at this rank among those made so: longer ones come later."""
    # Lengths of up to 40 words are kept exactly.
    return f"{WORD}{' word' * rank}"


def scores(answer: Answer) -> dict[str, float]:
    return {hit.source.file_path: hit.score for hit in answer.results}


@pytest.mark.usefixtures("cosines")
def test_g1_and_g7_one_list_alone_keeps_its_order(folder: Path, opened_on_each: Open) -> None:
    files = {f"{rank}.txt": by_words(rank) for rank in (1, 2, 3)}
    collection = filled(opened_on_each(folder), files)

    answer = collection.search(WORD, profile="rag", search_mode="keyword")

    assert list(scores(answer).items()) == [
        ("1.txt", 1 / 61),
        ("2.txt", 1 / 62),
        ("3.txt", 1 / 63),
    ]


def test_g2_and_g3_ranks_of_both_lists_add_up(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"first": 0.9, "second": 0.7}
    files = {"a.txt": f"first {by_words(1)}", "b.txt": f"second {by_words(2)}"}
    collection = filled(opened_on_each(folder), files)

    assert scores(collection.search(WORD, profile="rag")) == {
        "a.txt": pytest.approx(1 / 61 + 1 / 61, rel=1e-12),
        "b.txt": pytest.approx(1 / 62 + 1 / 62, rel=1e-12),
    }
    cosines |= {"first": 0.7, "second": 0.9}
    (folder / "c.txt").write_text("other", encoding="utf-8")
    (folder / "a.txt").write_text(f"first {by_words(1)} again", encoding="utf-8")
    (folder / "b.txt").write_text(f"second {by_words(2)} again", encoding="utf-8")
    collection.sync()
    collection.embed()
    assert scores(collection.search(WORD, profile="rag"))["a.txt"] == pytest.approx(
        1 / 61 + 1 / 62, rel=1e-12
    )


def test_g4_last_of_both_lists_stands_above_every_hit_of_one(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {f"near{number}": 0.99 - 0.01 * number for number in range(29)} | {"both": 0.3}
    files = {f"w{number:02}.txt": by_words(number + 1) for number in range(29)}
    files |= {f"v{number:02}.txt": f"near{number} text" for number in range(29)}
    files["both.txt"] = f"both {by_words(33)}"
    collection = filled(opened_on_each(folder), files)

    answer = collection.search(WORD, profile="rag", limit=60)

    first, second = list(scores(answer).items())[:2]
    assert first[0] == "both.txt"
    assert first[1] == pytest.approx(1 / 90 + 1 / 90, rel=1e-12)
    assert second[1] == 1 / 61


def test_g5_the_hundredth_of_a_list_scores_1_by_160(
    folder: Path, tmp_path: Path, opened_on_each: Open
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "rag"\nname = "mine"\n[retrieve]\ndepth = 100\n', encoding="utf-8")
    # Equal texts stand in the order of their names.
    files = {f"{number:03}.txt": WORD for number in range(100)}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search(WORD, profile=str(mine), limit=100)

    assert list(scores(answer)) == list(files)
    assert [hit.score for hit in answer.results] == [1 / (60 + at + 1) for at in range(100)]


def test_g6_two_empty_lists_give_nothing(folder: Path, opened_on_each: Open) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.txt": "text"})

    answer = collection.search(WORD, profile="rag")

    assert (answer.results, answer.total) == ((), 0)


@pytest.mark.parametrize("k", [1, 1000])
def test_g8_k_is_what_is_added_to_the_rank(
    folder: Path, tmp_path: Path, opened_on_each: Open, cosines: dict[str, float], k: int
) -> None:
    cosines["first"] = 0.9
    mine = tmp_path / "mine.toml"
    mine.write_text(f'extends = "rag"\nname = "mine"\n[fuse]\nk = {k}\n', encoding="utf-8")
    collection = filled(opened_on_each(folder), {"a.txt": f"first {WORD}"})

    answer = collection.search(WORD, profile=str(mine))

    assert scores(answer) == {"a.txt": pytest.approx(2 / (k + 1), rel=1e-12)}


def test_g9_a_worked_example_and_its_shares_of_the_best(
    folder: Path, tmp_path: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"a": 0.9, "b": 0.7, "c": 0.5}
    mine = tmp_path / "mine.toml"
    text = 'extends = "rag"\nname = "mine"\n[fuse]\nscale = "best"\n[retrieve]\nfloor = 0.4\n'
    mine.write_text(text, encoding="utf-8")
    files = {"b.txt": f"b {by_words(1)}", "a.txt": f"a {by_words(2)}", "d.txt": by_words(3)}
    collection = filled(opened_on_each(folder), {**files, "c.txt": "c text"})

    best = 1 / 61 + 1 / 62
    assert scores(collection.search(WORD, profile=str(mine))) == {
        "a.txt": pytest.approx(1.0, rel=1e-12),
        "b.txt": pytest.approx(1.0, rel=1e-12),
        "c.txt": pytest.approx((1 / 63) / best, rel=1e-12),
        "d.txt": pytest.approx((1 / 63) / best, rel=1e-12),
    }


def test_g10_equal_scores_come_in_the_order_of_their_ids_every_time(
    folder: Path, opened_on_each: Open
) -> None:
    files = {f"{name}.txt": WORD for name in "dacb"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    for _ in range(100):
        answer = collection.search(WORD, profile="contract")
        found = [(hit.score, hit.id) for hit in answer.results]
        assert [one for _, one in found] == [f"doc:{name}.txt" for name in "abcd"]
        assert len({score for score, _ in found}) == 1
