"""Offsets in UTF-8 bytes -> offsets in code points, and back.

Syntax trees count bytes, everything else here counts code points. Used by the reader.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

_BLOCK = 256
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


class Offsets:
    """Turns the byte offsets of one text into code point offsets, each in constant time."""

    def __init__(self, text: str, data: bytes) -> None:
        is_ascii = len(text) == len(data)
        self._text = text
        self._data = data
        self._is_ascii = is_ascii
        self._before: list[int] = []
        if not is_ascii:
            blocks = (data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK))
            self._before = list(accumulate(map(_count, blocks), initial=0))

    def at(self, byte: int) -> int:
        """Return how many code points lie before this byte."""
        if self._is_ascii:
            return byte
        block = byte // _BLOCK
        return self._before[block] + _count(self._data[block * _BLOCK : byte])

    def bytes_before(self, points: Iterable[int]) -> list[int]:
        """Return how many bytes lie before each of these code points, which come in order."""
        if self._is_ascii:
            return list(points)
        found: list[int] = []
        seen = byte = 0
        for point in points:
            byte += len(self._text[seen:point].encode("utf-8", "surrogatepass"))
            seen = point
            found.append(byte)
        return found


def _count(data: bytes) -> int:
    return len(data.translate(None, _CONTINUATION_BYTES))
