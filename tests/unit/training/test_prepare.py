"""From pairs to numbers: samples, windows, phrases, vocabulary and the first table."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from training import corpus, prepare
from training.prepare import GROUPS, group_of

from trivium.models.static_words import COUNT_POWER

OTHERS = (
    ("doc", "python"),
    ("doc", "rust"),
    ("heading", ""),
    ("summary", ""),
    ("wordnet", ""),
)


def pairs(each: int = 120) -> list[list[str]]:
    """Return as many pairs of each group, of twelve packages, ordered by package."""
    made = []
    for package in range(12):
        for number in range(each // 12):
            for kind, language in OTHERS:
                name = f"{language or kind} {package} {number}"
                made.append(
                    [
                        f"asks {name}",
                        f"first of {name}. Second\nline",
                        kind,
                        language,
                        f"p{package:02}",
                    ]
                )
    return made


def test_a_pair_belongs_to_one_group_by_its_language_and_kind() -> None:
    assert [group_of(["q", "d", *other, "p"]) for other in OTHERS] == list(GROUPS)


def test_no_package_is_both_trained_on_and_held_out() -> None:
    rows = [[f"q{n}", "d", "doc", "python", f"p{n:03}"] for n in range(120)]
    taught, held = prepare.divided(rows)
    assert [row[4] for row in held["python"]] == ["p007", "p057", "p107"]
    assert len(taught) == 117
    assert not {row[4] for row in taught} & {row[4] for row in held["python"]}


def test_a_group_gives_no_more_held_pairs_than_asked() -> None:
    rows = [[f"q{n}", "d", "doc", "python", f"p{n // 10:03}"] for n in range(100)]
    _, held = prepare.divided(rows, most=4)
    assert len(held["python"]) == 4


def test_a_smaller_sample_is_the_start_of_a_larger_one() -> None:
    rows = pairs()
    assert prepare.sampled(rows, 50) == prepare.sampled(rows, 200)[:50]
    assert sorted(prepare.sampled(rows, len(rows))) == sorted(rows)


def test_a_sample_has_each_group_by_its_share() -> None:
    counts = Counter(group_of(row) for row in prepare.sampled(pairs(600), 500))
    assert counts == {name: round(500 * share) for name, share in prepare._SAMPLED.items()}


def test_a_group_that_is_used_up_leaves_its_share_to_the_rest() -> None:
    rows = [row for row in pairs() if row[3] != "python"] + pairs()[:50:5]
    counts = Counter(group_of(row) for row in prepare.sampled(rows, 300))
    assert counts["python"] == 10
    assert sum(counts.values()) == 300


def test_fewer_windows_are_the_start_of_more() -> None:
    rows = [
        [f"q{n}", "A first sentence. " * 4 + f"Number {n}.", "heading", "", "p"] for n in range(9)
    ]
    few = prepare.windows(rows, 20, seed=1)
    assert few == prepare.windows(rows, 60, seed=1)[:20]
    assert all(any(window in row[1] for row in rows) for window in few)


def test_a_window_of_chunk_length_joins_neighbours_of_one_package_only() -> None:
    rows = [
        ["q", f"text {package} {n} that is long enough to count", "doc", "python", package]
        for package in ("a", "b")
        for n in range(5)
    ]
    found = prepare.windows(rows, 30, seed=1, long_share=1.0)
    assert found
    for window in found:
        first, second = window.split("\n")
        assert first.split()[1] == second.split()[1]
        assert int(first.split()[2]) + 1 == int(second.split()[2])


def test_phrases_have_one_to_eight_words_of_the_vocabulary_that_are_plain_letters() -> None:
    words = ["open", "file", "x1", "日", "close"]
    made = prepare.phrases(words, np.array([5.0, 1.0, 9.0, 9.0, 0.0]), 400, seed=2)
    assert {len(one.split()) for one in made} == set(range(1, 9))
    assert {word for one in made for word in one.split()} == {"open", "file", "close"}


def test_fewer_phrases_are_the_start_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "_PHRASES", 10)
    words, counts = ["open", "file", "close"], np.ones(3)
    more = prepare.phrases(words, counts, 35, seed=2)
    assert prepare.phrases(words, counts, 12, seed=2) == more[:12]
    assert more[:10] != more[10:20]


def test_the_vocabulary_does_not_depend_on_the_number_of_processes() -> None:
    rows = [
        [f"open file{n % 7}", f"reads block{n % 5} twice", "doc", "python", f"p{n // 3:02}"]
        for n in range(200)
    ]
    made = [
        prepare.vocabulary(rows, teacher_words=["the"], extra=[], size=9, processes=count)
        for count in (1, 2)
    ]
    assert made[0][0] == made[1][0]
    assert np.array_equal(made[0][1], made[1][1])


def test_the_vocabulary_has_the_teachers_words_then_extra_ones_then_those_of_most_packages() -> (
    None
):
    rows = [
        ["often rare", "12345678 often", "doc", "python", "a"],
        ["often seldom", "12345678 often", "doc", "python", "b"],
        ["often seldom", "12345678 seldom", "doc", "python", "c"],
    ]
    words, counts = prepare.vocabulary(
        rows,
        teacher_words=["[PAD]", "the", "##ing", "##s"],
        extra=["日"],
        size=20,
        processes=1,
    )
    # Not: marks, pieces of two letters or fewer, long numbers, words that one package alone uses.
    assert words == ["the", "ing", "日", "often", "seldom"]
    assert counts.tolist() == [0, 0, 0, 5, 3]


def test_a_text_is_the_distinct_words_it_has_each_with_what_its_count_counts() -> None:
    texts = prepare.numbered(["open open file", "", "file"], ["file", "open"], 1)
    assert texts.starts.tolist() == [0, 2, 2, 3]
    assert texts.numbers.tolist() == [1, 0, 0]
    assert texts.factors == pytest.approx([2**COUNT_POWER, 1.0, 1.0])


def test_the_first_table_keeps_the_directions_in_which_texts_differ_most() -> None:
    drawn = np.random.default_rng(4)
    spread = np.linspace(3.0, 0.1, 300)
    texts = (drawn.standard_normal((2_000, 300)) * spread).astype(np.float32)
    vectors = drawn.standard_normal((50, 300)).astype(np.float32)
    words = [*(f"word{n}" for n in range(48)), "日", "本"]
    counts = np.arange(50, dtype=np.float64)
    rows, weights, mean, projection = prepare.initial(words, counts, vectors, texts)
    kept = (texts - mean) @ projection
    assert rows.shape == (50, 256)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(50), abs=1e-5)
    assert projection.T @ projection == pytest.approx(np.eye(256), abs=1e-4)
    assert np.all(np.diff(kept.var(axis=0)) <= 1e-3)
    share = (counts + 1) / (counts.sum() + 50)
    assert weights == pytest.approx(np.log(1e-3 / (1e-3 + share)), abs=1e-5)
    turned = (vectors - vectors[:48].mean(axis=0)) @ projection
    cosines = (turned / np.linalg.norm(turned, axis=1, keepdims=True) * rows).sum(axis=1)
    assert cosines[:48] == pytest.approx(np.ones(48), abs=1e-4)
    # What the teacher does not know starts anywhere.
    assert np.all(np.abs(cosines[48:]) < 0.5)


def asked(tmp_path: Path, *more: str) -> argparse.Namespace:
    (tmp_path / "tokenizer.json").write_text('{"model": {"vocab": {"asks": 0}}}', encoding="utf-8")
    lines = [json.dumps(row) for row in pairs()]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    parser = argparse.ArgumentParser()
    corpus.add_arguments(parser)
    places = ["--pairs", str(tmp_path / "pairs.jsonl"), "--words-of", str(tmp_path)]
    sizes = ["--windows", "30", "--phrases", "40", "--processes", "1"]
    return parser.parse_args([*places, *sizes, *more])


def test_the_texts_of_a_training_are_those_that_the_arguments_mean(tmp_path: Path) -> None:
    made = corpus.read(asked(tmp_path, "--sample", "100"))
    assert len(made.pairs) == len(made.asks) == len(made.answers) == 100
    assert (len(made.windows), len(made.phrases)) == (30, 40)
    assert {row[4] for rows in made.held.values() for row in rows} == {"p07"}
    assert "p07" not in {row[4] for row in made.pairs}
    for row, named in zip(made.pairs, made.named, strict=True):
        assert named == (f"{row[3]} {row[0]}" if row[3] else row[0])


def test_counted_words_are_kept_in_a_file_and_read_from_there(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    first = corpus.read(asked(tmp_path, "--words", str(words)))
    again = corpus.read(asked(tmp_path, "--words", str(words)))
    assert again.words == first.words
    assert np.array_equal(again.counts, first.counts)
    words.write_text("only\t3\n", encoding="utf-8")
    assert corpus.read(asked(tmp_path, "--words", str(words))).words == ["only"]
