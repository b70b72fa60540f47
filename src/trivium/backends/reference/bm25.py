"""Counts -> a BM25 score, by the formula of Robertson and Zaragoza (2009) as Tantivy has it.

k1 and b are fixed. Lengths are rounded down to one byte's worth, as Lucene stores them,
so that scores agree with engines that do. Called by score.
"""

from __future__ import annotations

import math

K1 = 1.2
B = 0.75
# Below this a length fits its byte exactly; above, four significant bits are kept.
_EXACT_LENGTHS = 24
_KEPT_BITS = 4


def idf(*, documents: int, frequency: int) -> float:
    """Return how much a term found in `frequency` of `documents` tells; always above 0."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def stored_length(length: int) -> int:
    """Return `length` rounded down to what one byte can hold (Lucene's SmallFloat.intToByte4).

    0 to 40 are exact, then come 42, 44 ... 56, 60 and so on in steps that double.
    """
    above = length - _EXACT_LENGTHS
    lost_bits = above.bit_length() - _KEPT_BITS
    if above <= 0 or lost_bits <= 0:
        return length
    return _EXACT_LENGTHS + (above >> lost_bits << lost_bits)


def saturation(frequency: float, *, length: int, average_length: float) -> float:
    """Return the share of a term's idf that `frequency` occurrences earn: 0 up to k1 + 1."""
    norm = K1 * (1 - B + B * stored_length(length) / average_length)
    return frequency * (K1 + 1) / (frequency + norm)
