"""A teacher's vectors are read by blocks, kept, and never read twice."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.unit.training.teachers import unit_rows, write_teacher
from training import read, vectors

WORDS = ["open", "close", "file", "door", "window"]
TEXTS = [f"{WORDS[n % 5]} {WORDS[n // 5 % 5]} {'file ' * (n % 4)}" for n in range(23)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "BLOCK", 5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_teacher(tmp_path / "teacher", unit_rows(WORDS, 1))


def kept(folder: Path, texts: list[str], *, max_length: int = 16) -> vectors.Kept:
    return vectors.encode(
        texts, folder=folder, keep=folder.parent / "keep", max_length=max_length, processes=2
    )


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder.parent / "keep").glob("[!.]*")}


def test_each_text_gets_the_vector_of_the_teacher_in_order(folder: Path) -> None:
    alone = vectors.open_teacher(folder, max_length=16).embed_documents(TEXTS)
    found = kept(folder, TEXTS)
    assert found.vectors.shape == alone.shape
    assert np.abs(found.vectors - alone).max() < 1e-3
    assert (found.read, found.blocks) == (5, 5)
    assert found.seconds > 0


def test_a_second_pass_reads_nothing_and_knows_what_the_first_one_cost(folder: Path) -> None:
    first = kept(folder, TEXTS)
    written = files(folder)
    again = kept(folder, TEXTS)
    assert (again.read, again.blocks) == (0, 5)
    assert np.array_equal(again.vectors, first.vectors)
    assert again.seconds == first.seconds
    assert files(folder) == written


def test_a_pass_that_was_stopped_reads_only_what_is_missing(folder: Path) -> None:
    whole = kept(folder, TEXTS)
    written = files(folder)
    lost = sorted(written)[2]
    (folder.parent / "keep" / lost).unlink()
    # What a killed process leaves is not taken for a block.
    (folder.parent / "keep" / f".{lost}.77.npz").write_bytes(b"half of it")
    again = kept(folder, TEXTS)
    assert again.read == 1
    assert np.array_equal(again.vectors, whole.vectors)
    assert {name: blob for name, blob in files(folder).items() if name != lost} == {
        name: blob for name, blob in written.items() if name != lost
    }


def test_more_texts_find_the_blocks_that_fewer_had(folder: Path) -> None:
    kept(folder, TEXTS[:10])
    assert kept(folder, TEXTS).read == 3


def test_another_teacher_and_another_length_have_blocks_of_their_own(
    folder: Path, tmp_path: Path
) -> None:
    short = kept(folder, TEXTS, max_length=2)
    assert kept(folder, TEXTS).read == 5
    cut = [" ".join(text.split()[:2]) for text in TEXTS]
    alone = vectors.open_teacher(folder, max_length=16).embed_documents(cut)
    assert np.abs(short.vectors - alone).max() < 1e-3
    other = write_teacher(tmp_path / "other", unit_rows(WORDS, 2))
    assert kept(other, TEXTS).read == 5


def test_texts_that_join_to_the_same_text_have_different_blocks() -> None:
    assert vectors.block_name("t", ["ab", "c"]) != vectors.block_name("t", ["a", "bc"])


def test_no_texts_give_no_vectors(folder: Path) -> None:
    found = kept(folder, [])
    assert found.vectors.shape == (0, 384)
    assert found.read == 0


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"nowhere is no teacher"):
        kept(tmp_path / "nowhere", TEXTS)


def test_the_command_reads_every_kind_of_text_and_tells_what_each_took(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [
        f'["open {n}", "file {n}\\nclose the door of it and the window", "doc", "python", "p{n}"]'
        for n in range(12)
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    places = ["--pairs", tmp_path / "pairs.jsonl", "--words-of", folder, "--teacher", folder]
    sizes = ["--keep", tmp_path / "keep", "--windows", "7", "--phrases", "6", "--processes", "1"]
    monkeypatch.setattr(sys, "argv", ["read", *map(str, places), *map(str, sizes)])
    read.main()
    said = capsys.readouterr().out
    for name, count in (("asks", 11), ("answers", 11), ("windows", 7), ("phrases", 6)):
        assert f"teacher {name}: {count} texts" in said
    assert "s of one core" in said
    read.main()
    assert "0 of 3 blocks read now" in capsys.readouterr().out
