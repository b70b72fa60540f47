"""Averaging tables and packing arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from training import pack, soup

from trivium.models.static_table import Table, plain_table

WORDS = tuple(f"word{number}" for number in range(40))


def table(rows: NDArray[np.float64], words: tuple[str, ...] = WORDS) -> Table:
    weights = np.ones(len(words), dtype=np.float32)
    return plain_table(words, weights, rows.astype(np.float32), sizes=(4, 8))


def rows_of(seed: int) -> NDArray[np.float64]:
    rows = np.random.default_rng(seed).standard_normal((len(WORDS), 8))
    made: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def test_a_table_averaged_with_itself_turned_round_is_the_same_table() -> None:
    rows = rows_of(1)
    turn, _ = np.linalg.qr(np.random.default_rng(2).standard_normal((8, 8)))
    made = soup.whole(soup.average([table(rows), table(rows @ turn)], [1.0, 1.0]))
    assert np.abs(made - soup.whole(table(rows))).max() < 0.02


def test_shares_decide_how_much_a_table_counts() -> None:
    one, other = rows_of(1), rows_of(3)
    close = soup.whole(soup.average([table(one), table(other)], [1.0, 0.01]))
    assert np.abs(close - soup.whole(table(one))).max() < 0.05


def test_tables_of_different_words_are_refused() -> None:
    with pytest.raises(SystemExit, match="different words"):
        soup.average([table(rows_of(1)), table(rows_of(1), ("other", *WORDS[1:]))], [1.0, 1.0])


def test_a_packed_matrix_comes_back_within_half_a_step(tmp_path: Path) -> None:
    matrix = np.random.default_rng(4).standard_normal((20, 64)).astype(np.float32)
    matrix[3] *= 100.0
    row = np.arange(5, dtype=np.float32)
    pack.write(tmp_path / "a.xz", {"matrix": matrix, "row": row}, steps={"matrix": 0.2})
    found = pack.read(tmp_path / "a.xz")
    assert np.array_equal(found["row"], row)
    off = np.abs(found["matrix"] - matrix) / matrix.std(axis=1, keepdims=True)
    assert 0.01 < off.max() <= 0.1 + 1e-4


def test_a_number_far_out_is_not_cut_off(tmp_path: Path) -> None:
    matrix = np.zeros((1, 1000), dtype=np.float32)
    matrix[0, 7] = 50.0
    pack.write(tmp_path / "a.xz", {"matrix": matrix})
    assert pack.read(tmp_path / "a.xz")["matrix"][0, 7] == pytest.approx(50.0, rel=0.01)
