"""Tuning a table to a folder, on tiny tables and folders made here."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from training import soup, tune
from training.mine import Pair

from trivium.models.static import StaticEmbedder
from trivium.models.static_table import plain_table, write_table
from trivium.models.static_words import Numbering

# What a sentence calls a thing, and what code calls it: a new table does not know they are one.
SAID = ("remove", "fetch", "store", "count", "merge", "split", "order", "check")
CODED = ("purge", "pull", "persist", "tally", "union", "divide", "rank", "verify")
THINGS = ("user", "file", "page", "queue", "token", "record", "image", "route", "event", "chunk")
WORDS = (*SAID, *CODED, *THINGS, "the", "of", "a", "def", "return", "data", "self", "result")
SIZES = (16, 32)


def table_file(path: Path) -> Path:
    rows = np.random.default_rng(3).standard_normal((len(WORDS), 32)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = np.ones(len(WORDS), dtype=np.float32)
    path.write_bytes(write_table(plain_table(WORDS, weights, rows, sizes=SIZES)))
    return path


def code_folder(folder: Path, *, files: int) -> Path:
    drawn = np.random.default_rng(5)
    folder.mkdir()
    for number in range(files):
        functions = []
        for _ in range(10):
            does = int(drawn.integers(len(SAID)))
            thing, other = drawn.choice(THINGS, 2, replace=False)
            functions.append(
                f"def {CODED[does]}_{thing}(self, data):\n"
                f'    """{SAID[does].title()} the {thing} of a {other}."""\n'
                f"    result = self.{other}.{CODED[does]}(data.{thing})\n"
                f"    return result\n\n"
            )
        (folder / f"module{number}.py").write_text("\n".join(functions), encoding="utf-8")
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["tune", *map(str, arguments)])
    tune.main()


def test_a_folder_teaches_which_words_belong_together_and_the_gain_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = table_file(tmp_path / "start.bin")
    out = tmp_path / "tuned.bin"
    folder = code_folder(tmp_path / "mine", files=40)
    run(monkeypatch, folder, "--out", out, "--start", start, "--steps", "60")

    def nearness(path: Path) -> float:
        embedder = StaticEmbedder(path)
        pairs = zip(SAID, CODED, strict=True)
        return sum(float(embedder.embed_query(a) @ embedder.embed_query(b)) for a, b in pairs)

    assert nearness(out) > nearness(start) + 0.2 * len(SAID)
    said = capsys.readouterr().out
    assert "held-out files, reciprocal rank" in said
    assert "95 %: +" in said


def test_a_table_that_is_no_better_is_written_only_when_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = table_file(tmp_path / "start.bin")
    folder = code_folder(tmp_path / "mine", files=40)
    out = tmp_path / "tuned.bin"
    asked = (folder, "--out", out, "--start", start, "--steps", "0")
    with pytest.raises(SystemExit, match="no better"):
        run(monkeypatch, *asked)
    assert not out.exists()
    run(monkeypatch, *asked, "--force")
    assert out.exists()


def test_a_folder_with_too_little_in_it_says_how_much_it_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = code_folder(tmp_path / "mine", files=3)
    start = table_file(tmp_path / "start.bin")
    with pytest.raises(SystemExit, match=r"\d+ pairs of 3 files: at least 200 pairs of 10 files"):
        run(monkeypatch, folder, "--out", tmp_path / "tuned.bin", "--start", start)


def test_a_folder_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match="nowhere"):
        run(monkeypatch, tmp_path / "nowhere", "--out", tmp_path / "tuned.bin")


def test_ignored_files_give_no_pairs(tmp_path: Path) -> None:
    folder = code_folder(tmp_path / "mine", files=12)
    (folder / ".gitignore").write_text("module7.py\n", encoding="utf-8")
    (folder / ".git").mkdir()
    files = {pair.package for pair in tune.mined(folder)}
    assert "module7.py" not in files
    assert len(files) == 11


def test_no_file_is_both_trained_on_and_reported() -> None:
    pairs = [Pair(f"q {n}", f"d {n}", "doc", "", f"file{n // 5}") for n in range(2000)]
    parts = tune.split(pairs)
    files = [{pair.package for pair in part} for part in (parts.train, parts.choose, parts.report)]
    assert not files[0] & files[1]
    assert not files[0] & files[2]
    assert not files[1] & files[2]
    assert sum(map(len, (parts.train, parts.choose, parts.report))) == len(pairs)
    assert len(parts.report) == pytest.approx(len(pairs) / 5, rel=0.3)


def test_the_slope_is_that_of_the_loss() -> None:
    drawn = np.random.default_rng(11)
    asks = drawn.standard_normal((6, 8))
    answers = drawn.standard_normal((6, 8))
    barred = np.zeros((6, 6), dtype=bool)
    barred[0, 3] = True

    def loss(questions: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
        one = questions / np.linalg.norm(questions, axis=1, keepdims=True)
        other = answers / np.linalg.norm(answers, axis=1, keepdims=True)
        scores = one @ other.T / 0.05
        scores[barred] = -1e4
        rows = np.log(np.exp(scores - scores.max(1, keepdims=True)).sum(1)) + scores.max(1)
        columns = np.log(np.exp(scores - scores.max(0)).sum(0)) + scores.max(0)
        return float(((rows + columns) / 2 - scores.diagonal()).mean())

    found, _ = tune.slopes(asks.astype(np.float32), answers.astype(np.float32), barred)
    for place in ((0, 0), (2, 5), (5, 7)):
        step = np.zeros_like(asks)
        step[place] = 1e-5
        expected = (loss(asks + step) - loss(asks - step)) / 2e-5
        assert found[place] == pytest.approx(expected, rel=1e-2, abs=1e-4)


def test_a_new_word_starts_as_the_sum_of_its_pieces(tmp_path: Path) -> None:
    table = soup.read(table_file(tmp_path / "start.bin"))
    pairs = [Pair("purge queue", "def purgequeue", "doc", "", "a.py")] * 5
    listed, rows = tune.with_new_words(table, pairs)
    assert listed[len(WORDS) :] == ["purgequeue"]
    pieces = Numbering({word: number for number, word in enumerate(WORDS)}).numbers("purge queue")
    assert np.allclose(rows[-1], rows[pieces].sum(axis=0), atol=1e-6)


def test_an_interval_holds_the_mean_and_says_when_nothing_is_certain() -> None:
    before = np.array([0.0, 1.0] * 50)
    found = tune.gain(before, 1.0 - before)
    assert found.low < 0.0 < found.high
    assert (found.before, found.after) == (0.5, 0.5)
