"""Terms -> a signature that tells how alike two texts are without keeping them.

128 independent hash functions; the share of those whose least value agrees estimates the
Jaccard likeness J of two sets of terms, with a standard error of sqrt(J (1 - J) / 128), at
most .044. Equal terms give equal signatures on every machine. Used to find near duplicates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HASHES = 128
_PRIME = (1 << 61) - 1
_LOW = (1 << 32) - 1
# One table of terms by hashes is this many rows high: 4 MB.
_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Signature:
    """The least value of each hash function, as bytes; empty for a text without terms."""

    values: bytes

    @property
    def is_empty(self) -> bool:
        """Whether there were no terms."""
        return not self.values


EMPTY = Signature(b"")


def signature(terms: Iterable[str]) -> Signature:
    """Return the signature of a set of terms; repeats and order do not matter."""
    import numpy as np

    different = sorted(set(terms))
    if not different:
        return EMPTY
    least = np.full(HASHES, _PRIME, dtype=np.uint64)
    for start in range(0, len(different), _ROWS):
        hashed = [_hash(term) for term in different[start : start + _ROWS]]
        values = _functions(np.array(hashed, dtype=np.uint64))
        np.minimum(least, values.min(axis=0), out=least)
    return Signature(least.astype("<u8").tobytes())


def likeness(one: Signature, other: Signature) -> float:
    """Estimate the Jaccard likeness of two sets of terms, 0 to 1; 0 if either is empty."""
    import numpy as np

    if one.is_empty or other.is_empty:
        return 0.0
    return float(np.mean(_array(one) == _array(other)))


def repeats(signatures: Sequence[Signature], *, at: float) -> list[int | None]:
    """Say for each signature which earlier one it repeats, if any: the first with `at` or more.

    Only those that repeat nothing are compared with, so that a chain of small changes does
    not make its two ends alike.
    """
    import numpy as np

    found: list[int | None] = []
    firsts: list[int] = []
    table = np.empty((len(signatures), HASHES), dtype=np.uint64)
    for number, one in enumerate(signatures):
        repeated = None
        if not one.is_empty:
            values = _array(one)
            alike = (table[: len(firsts)] == values).mean(axis=1)
            enough = np.flatnonzero(alike >= at)
            repeated = firsts[int(enough[0])] if enough.size else None
            if repeated is None:
                table[len(firsts)] = values
                firsts.append(number)
        found.append(repeated)
    return found


def _hash(term: str) -> int:
    """Return 61 bits of a term that are the same in every process, unlike hash()."""
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % _PRIME


@cache
def _constants() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the factor and the addend of each function, drawn from a fixed stream."""
    import numpy as np

    stream = hashlib.shake_256(b"trivium minhash 1").digest(HASHES * 2 * 8)
    drawn = np.frombuffer(stream, dtype="<u8").astype(np.uint64) % np.uint64(_PRIME - 1)
    factors, addends = drawn.reshape(2, HASHES)
    return factors + np.uint64(1), addends


def _functions(hashed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return (factor x term + addend) mod 2^61 - 1, one row for each term."""
    factors, addends = _constants()
    return _mod(_product(hashed[:, None], factors[None, :]) + addends)


def _product(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return left x right mod 2^61 - 1 from 32-bit halves: 64 bits cannot hold 122.

    With left = a 2^32 + b and right = c 2^32 + d, the product is ac 2^64 + (ad + bc) 2^32 + bd,
    and 2^61 is 1, so 2^64 is 8, and m 2^32 is the upper bits of m (above 29) plus the
    lower 29 moved up by 32.
    """
    import numpy as np

    half, low = np.uint64(32), np.uint64(_LOW)
    a, b, c, d = left >> half, left & low, right >> half, right & low
    middle = a * d + b * c
    folded = (middle >> np.uint64(29)) + ((middle & np.uint64((1 << 29) - 1)) << half)
    return _mod(_mod(a * c * np.uint64(8)) + _mod(folded) + _mod(b * d))


def _mod(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    import numpy as np

    prime = np.uint64(_PRIME)
    folded = (values & prime) + (values >> np.uint64(61))
    return np.where(folded >= prime, folded - prime, folded)


def _array(one: Signature) -> NDArray[np.uint64]:
    import numpy as np

    return np.frombuffer(one.values, dtype="<u8").astype(np.uint64)
