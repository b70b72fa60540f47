"""Float vectors -> small whole numbers and a scale each, as the index stores and scans them.

Documents become 8-bit rows, a query 16-bit: a score is the dot product of whole numbers times
both scales. Symmetric and rounded half to even, so the same vector gives the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INT8_LIMIT = 127
INT16_LIMIT = 32767


def to_int8(
    vectors: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows of whole numbers in -127..127, shape (n, d), and their scales, shape (n,).

    row * scale is within half a scale of the vector in every place. A zero vector has scale 0.
    Raises ValueError for numbers that are not finite.
    """
    import numpy as np

    steps, scales = _to_steps(vectors, INT8_LIMIT)
    return steps.astype(np.int8), scales


def to_int16(vector: NDArray[np.float32]) -> tuple[NDArray[np.int16], float]:
    """Return one vector as whole numbers in -32767..32767, shape (d,), and its scale."""
    import numpy as np

    steps, scales = _to_steps(vector[np.newaxis, :], INT16_LIMIT)
    return steps[0].astype(np.int16), float(scales[0])


def _to_steps(
    vectors: NDArray[np.float32], limit: int
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    import numpy as np

    if not np.isfinite(vectors).all():
        raise ValueError("A vector holds a number that is not finite.")
    # Doubles, so that the rounding below is that of the exact quotient by the stored scale.
    exact = vectors.astype(np.float64)
    largest = np.abs(exact).max(axis=1, initial=0.0)
    scales = (largest / limit).astype(np.float32)
    divisor = np.where(scales > 0, scales, np.float32(1)).astype(np.float64)
    steps = np.rint(exact / divisor[:, np.newaxis])
    return np.clip(steps, -limit, limit), scales
