"""Quantised vectors keep the bound that the exact scan relies on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from trivium.backends.quantise import INT8_LIMIT, INT16_LIMIT, to_int8, to_int16

numbers = st.floats(min_value=-1e6, max_value=1e6, width=32, allow_subnormal=False).filter(
    lambda number: number == 0 or abs(number) > 1e-20
)
matrices = arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=numbers)
rows = arrays(np.float32, st.integers(1, 24), elements=numbers)

# The scale is rounded to float32, so the largest number may lie half a unit of it further off.
ROUNDED = float(np.finfo(np.float32).eps)


@given(matrices)
def test_every_number_is_within_half_a_step_of_itself(vectors: NDArray[np.float32]) -> None:
    steps, scales = to_int8(vectors)
    back = steps.astype(np.float64) * scales.astype(np.float64)[:, np.newaxis]
    largest = np.abs(vectors.astype(np.float64)).max(axis=1, keepdims=True)
    bound = scales.astype(np.float64)[:, np.newaxis] / 2 + largest * ROUNDED
    assert (np.abs(back - vectors) <= bound).all()


@given(matrices)
def test_the_largest_number_of_a_row_takes_the_whole_range(vectors: NDArray[np.float32]) -> None:
    steps, scales = to_int8(vectors)
    used = np.abs(steps.astype(np.int32)).max(axis=1)
    assert (used == np.where(scales > 0, INT8_LIMIT, 0)).all()


@given(matrices)
def test_the_opposite_vector_has_the_opposite_steps(vectors: NDArray[np.float32]) -> None:
    steps, scales = to_int8(vectors)
    opposite, same_scales = to_int8(-vectors)
    assert (opposite == -steps).all()
    assert (same_scales == scales).all()


@given(matrices)
def test_a_row_does_not_depend_on_the_rows_beside_it(vectors: NDArray[np.float32]) -> None:
    steps, scales = to_int8(vectors)
    alone, scale = to_int8(vectors[-1:])
    assert alone.tobytes() == steps[-1:].tobytes()
    assert scale.tobytes() == scales[-1:].tobytes()


@given(rows)
def test_a_query_is_within_half_a_step_of_itself(vector: NDArray[np.float32]) -> None:
    steps, scale = to_int16(vector)
    largest = float(np.abs(vector).max())
    error = np.abs(steps.astype(np.float64) * scale - vector.astype(np.float64))
    assert (error <= scale / 2 + largest * ROUNDED).all()
    assert int(np.abs(steps.astype(np.int32)).max()) == (INT16_LIMIT if largest > 0 else 0)


@given(st.integers(0, 2**32 - 1))
def test_the_cosine_of_unit_vectors_moves_less_than_the_steps_allow(seed: int) -> None:
    size = 384
    pair = np.random.default_rng(seed).normal(size=(2, size)).astype(np.float32)
    pair /= np.linalg.norm(pair, axis=1, keepdims=True)
    steps, scales = to_int8(pair[:1])
    query, query_scale = to_int16(pair[1])
    product = int(steps[0].astype(np.int64) @ query.astype(np.int64))
    score = product * float(scales[0]) * query_scale
    # |x.y - x'.y'| <= |x - x'| |y| + |x'| |y - y'|, each error at most half a step per number.
    row_error = float(scales[0]) / 2 * size**0.5
    query_error = query_scale / 2 * size**0.5
    bound = row_error + (1 + row_error) * query_error
    assert abs(score - float(pair[0] @ pair[1])) <= bound + 1e-5


def test_a_zero_vector_has_scale_zero() -> None:
    steps, scales = to_int8(np.zeros((2, 3), dtype=np.float32))
    assert scales.tolist() == [0.0, 0.0]
    assert not steps.any()
    query, scale = to_int16(np.zeros(3, dtype=np.float32))
    assert scale == 0.0
    assert not query.any()


def test_a_number_half_way_between_two_steps_goes_to_the_even_one() -> None:
    steps, scales = to_int8(np.array([[127.0, 0.5, 1.5, 2.5, -0.5]], dtype=np.float32))
    assert scales.tolist() == [1.0]
    assert steps.tolist() == [[127, 0, 2, 2, 0]]


def test_no_vectors_give_no_rows() -> None:
    steps, scales = to_int8(np.zeros((0, 384), dtype=np.float32))
    assert steps.shape == (0, 384)
    assert scales.shape == (0,)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused(odd: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        to_int8(np.array([[1.0, odd]], dtype=np.float32))


def test_the_types_are_those_the_index_stores() -> None:
    steps, scales = to_int8(np.ones((1, 2), dtype=np.float32))
    query, scale = to_int16(np.ones(2, dtype=np.float32))
    assert (steps.dtype, scales.dtype) == (np.dtype(np.int8), np.dtype(np.float32))
    assert query.dtype == np.dtype(np.int16)
    assert isinstance(scale, float)
