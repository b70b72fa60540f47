"""Cosines of the stored rows are those of the shared quantising."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.backends.embedded import spaces
from trivium.backends.embedded.scan import Rows, empty_rows, exact_cosines, scan
from trivium.backends.embedded.spaces import SpaceReader
from trivium.backends.quantise import to_int8, to_int16
from trivium.testing.filling import vector_of, vectors_of


def test_a_cosine_is_the_product_of_the_whole_numbers_and_both_scales() -> None:
    matrix, scales = to_int8(vectors_of(["one", "two", "three words here"]))
    rows = Rows(np.arange(3, dtype=np.int64), scales, matrix)
    query = vector_of("two words")
    fine, scale = to_int16(query)

    found = exact_cosines(rows, np.array([2, 0]), query)

    expected = [
        int(matrix[at].astype(np.int64) @ fine.astype(np.int64)) * float(scales[at]) * scale
        for at in (2, 0)
    ]
    assert found.tolist() == expected


def test_a_query_of_zeros_is_as_near_to_everything() -> None:
    matrix, scales = to_int8(vectors_of(["one", "two"]))
    rows = Rows(np.arange(2, dtype=np.int64), scales, matrix)
    zeros = np.zeros(matrix.shape[1], np.float32)
    assert exact_cosines(rows, np.arange(2), zeros).tolist() == pytest.approx([0.0, 0.0])


def rows_of(first: int, count: int) -> Rows:
    """Return rows of two hundred words or so, one of zeros among them."""
    made = vectors_of([f"word{at % 190} and word{at % 7}" for at in range(first, first + count)])
    made[count // 2] = 0
    matrix, scales = to_int8(made)
    return Rows(np.arange(first, first + count, dtype=np.int64), scales, matrix)


def test_the_nearest_are_those_of_sorting_all_whatever_was_asked_before() -> None:
    base, delta = rows_of(0, 1000), rows_of(1000, 50)
    dead = np.arange(3, 1000, 9, dtype=np.int64)
    asked = [None, np.arange(0, 1050, 2), np.arange(0, 1050, 40), np.arange(1, 1050, 3), None]
    reader = SpaceReader(base, delta, dead)
    for word in ("word5 and word6", "word77"):
        query = vector_of(word)
        every = {
            number: cosine
            for rows in (base, delta)
            for number, cosine in reader.of(query, rows.numbers).items()
        }
        for allowed in asked:
            passed = set(every if allowed is None else allowed.tolist())
            expected = sorted((every[one] for one in every if one in passed), reverse=True)
            for limit in (5, 12, 2000):
                numbers, cosines = reader.best(query, limit=limit, allowed=allowed)
                found = sorted(cosines.tolist(), reverse=True)
                assert found[:limit] == expected[:limit]
                assert set(numbers.tolist()) <= passed - set(dead.tolist())


def test_a_query_that_asks_again_under_a_filter_passes_over_the_rows_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes: list[int] = []
    honest = scan

    def counted(rows: Rows, vector: np.ndarray) -> object:
        passes.append(len(rows.numbers))
        return honest(rows, vector)

    monkeypatch.setattr(spaces, "scan", counted)
    reader = SpaceReader(rows_of(0, 400), empty_rows(16), np.empty(0, np.int64))

    for query in (vector_of("word1"), vector_of("word1"), vector_of("word2")):
        reader.best(query, limit=5, allowed=None)
        reader.best(query, limit=9, allowed=np.arange(100, 300))

    assert passes == [400, 400]
