"""The bytes of a static model's file <-> its vocabulary, weights, scales and rows.

One file: eight bytes of magic, the length of a JSON header, the header, then four parts: words
(UTF-8, one a line), weights and scales (little-endian float32, one a word) and rows (int8).
The header gives each part's length and sha256. Nothing in a file is ever run.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"TRIVSTA1"
_LENGTH = struct.Struct("<I")
_PARTS = ("words", "weights", "scales", "rows")
_LONGEST_HEADER = 1 << 20
_LARGEST_ROW = 127


@dataclass(frozen=True, slots=True)
class Table:
    """The row of word i is `rows[i] * scales[i]`, and counts by `weights[i]`.

    The first n numbers of a vector are a vector of their own for each n in `sizes`.
    """

    name: str
    version: int
    sizes: tuple[int, ...]
    words: tuple[str, ...]
    weights: NDArray[np.float32]
    scales: NDArray[np.float32]
    rows: NDArray[np.int8]

    @property
    def dimension(self) -> int:
        """How long a row is."""
        return int(self.rows.shape[1])


def quantise(matrix: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return the scale of each row, and the rows as whole numbers from -127 to 127."""
    import numpy as np

    largest = np.abs(matrix).max(axis=1)
    scales = (np.where(largest > 0, largest, 1.0) / _LARGEST_ROW).astype(np.float32)
    return scales, np.rint(matrix / scales[:, None]).astype(np.int8)


def write_table(table: Table) -> bytes:
    """Return the bytes of a file that read_table reads."""
    parts = {
        "words": "\n".join(table.words).encode(),
        "weights": table.weights.astype("<f4").tobytes(),
        "scales": table.scales.astype("<f4").tobytes(),
        "rows": table.rows.astype("i1").tobytes(),
    }
    header = {
        "name": table.name,
        "version": table.version,
        "dimension": table.dimension,
        "count": len(table.words),
        "sizes": list(table.sizes),
        "parts": [
            {"name": name, "bytes": len(parts[name]), "sha256": _sha256(parts[name])}
            for name in _PARTS
        ],
    }
    start = json.dumps(header, sort_keys=True).encode()
    return b"".join([MAGIC, _LENGTH.pack(len(start)), start, *(parts[name] for name in _PARTS)])


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    version: int
    count: int
    dimension: int
    sizes: tuple[int, ...]
    parts: Mapping[str, tuple[int, str]]
    end: int


class _Damaged(Exception):
    """What is wrong with a file, before anyone says which file it is."""


def read_table(data: bytes, *, place: str, remedy: str, is_checked: bool = False) -> Table:
    """Return what a file holds; `place` and `remedy` go into the ModelError for a bad one.

    `is_checked` says that the hash of the whole file is known to be right.
    """
    try:
        header = _header(data)
        return _table(header, _parts(data, header, is_checked=is_checked))
    except _Damaged as error:
        raise ModelError(f"{place} {error}. {remedy}") from error


def _header(data: bytes) -> _Header:
    if data[: len(MAGIC)] != MAGIC:
        raise _Damaged("is not a static model (its first bytes are others)")
    first = len(MAGIC) + _LENGTH.size
    if len(data) < first:
        raise _Damaged("is truncated")
    (length,) = _LENGTH.unpack_from(data, len(MAGIC))
    if length > _LONGEST_HEADER or len(data) < first + length:
        raise _Damaged("is truncated")
    try:
        found = json.loads(data[first : first + length])
        header = _Header(
            name=str(found["name"]),
            version=int(found["version"]),
            count=int(found["count"]),
            dimension=int(found["dimension"]),
            sizes=tuple(int(size) for size in found["sizes"]),
            parts={
                str(one["name"]): (int(one["bytes"]), str(one["sha256"])) for one in found["parts"]
            },
            end=first + length,
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise _Damaged(f"has a damaged header ({error})") from error
    if header.count < 1 or header.dimension < 1 or sorted(header.parts) != sorted(_PARTS):
        raise _Damaged("has a damaged header (counts or parts)")
    return header


def _parts(data: bytes, header: _Header, *, is_checked: bool) -> dict[str, bytes]:
    floats = 4 * header.count
    expected = {"weights": floats, "scales": floats, "rows": header.count * header.dimension}
    parts: dict[str, bytes] = {}
    start = header.end
    for part in _PARTS:
        size, digest = header.parts[part]
        parts[part] = data[start : start + size]
        start += size
        if size < 0 or len(parts[part]) != size:
            raise _Damaged(f"is truncated ({part})")
        if expected.get(part, size) != size:
            raise _Damaged(f"has a damaged header ({part} of {size} bytes)")
        if not is_checked and _sha256(parts[part]) != digest:
            raise _Damaged(f"is damaged ({part})")
    if start != len(data):
        raise _Damaged("has bytes after its end")
    return parts


def _table(header: _Header, parts: Mapping[str, bytes]) -> Table:
    import numpy as np

    try:
        words = tuple(parts["words"].decode().split("\n"))
    except UnicodeDecodeError as error:
        raise _Damaged("has words that are no text") from error
    if len(words) != header.count or len(set(words)) != header.count:
        raise _Damaged("has missing or repeated words")
    weights = np.frombuffer(parts["weights"], dtype="<f4").astype(np.float32)
    scales = np.frombuffer(parts["scales"], dtype="<f4").astype(np.float32)
    if not (np.isfinite(weights).all() and np.isfinite(scales).all()):
        raise _Damaged("has weights that are no numbers")
    rows = np.frombuffer(parts["rows"], dtype=np.int8).reshape(header.count, header.dimension)
    return Table(header.name, header.version, header.sizes, words, weights, scales, rows)


def plain_table(
    words: Sequence[str],
    weights: NDArray[np.float32],
    matrix: NDArray[np.float32],
    *,
    sizes: Sequence[int],
    version: int = 1,
) -> Table:
    """Return the table of a trained matrix, its rows made 8-bit."""
    scales, rows = quantise(matrix)
    return Table("static", version, tuple(sizes), tuple(words), weights, scales, rows)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
