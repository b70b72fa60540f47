"""Cosines of the stored rows are those of the shared quantising."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.backends.embedded.scan import Rows, exact_cosines
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
