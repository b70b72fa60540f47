"""The bytes of a document -> whose they are, and what of them is code.

Finds the symbol a syntax node belongs to, the code that is a symbol's own with strings and
comments blanked out, and the line of a byte. Used by the reader's parts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from trivium.parsing.code.layout import SCOPE
from trivium.parsing.code.symbol import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_BLOCK = 512


class Ground:
    """One document's bytes, shared out among its symbols; -1 is the module."""

    def __init__(
        self,
        data: bytes,
        starts: Sequence[int],
        places: Sequence[int],
        symbols: Sequence[Symbol],
    ) -> None:
        self.data = data
        self.code = data
        self._starts = starts
        self._places = places
        self._owners = [_owner(place, symbols) for place in places]
        blocks = (data.count(b"\n", at, at + _BLOCK) for at in range(0, len(data), _BLOCK))
        self._lines = list(accumulate(blocks, initial=1))

    def blank(self, nodes: Iterable[SyntaxNode]) -> None:
        """Take the text of these nodes for white space from now on, in `code`."""
        parts: list[bytes] = []
        at = 0
        for start, end in sorted((one.start_byte, one.end_byte) for one in nodes):
            if start >= at:
                parts.append(self.data[at:start])
                parts.append(b" " * (end - start))
                at = end
            elif end > at:
                parts.append(b" " * (end - at))
                at = end
        parts.append(self.data[at:])
        self.code = b"".join(parts)

    def owner(self, byte: int) -> int:
        """Return the innermost symbol at a byte, scopes passed over."""
        return self._owners[bisect_right(self._starts, byte) - 1]

    def place(self, byte: int) -> int:
        """Return the innermost symbol or scope at a byte."""
        return self._places[bisect_right(self._starts, byte) - 1]

    def line(self, byte: int) -> int:
        """Return the line of a byte, from 1."""
        block = byte // _BLOCK
        return self._lines[block] + self.data.count(b"\n", block * _BLOCK, byte)

    def text(self, node: SyntaxNode, *, until: SyntaxNode | None = None, longest: int = 200) -> str:
        """Return the text of a node, or of all from it to a later one, on one line."""
        start = node.start_byte
        end = node.end_byte if until is None else until.end_byte
        raw = self.data[start : min(end, start + longest)]
        return " ".join(raw.decode("utf-8", "replace").split())

    def lines(self, node: SyntaxNode, *, longest: int) -> str:
        """Return a node's text as it stands."""
        start = node.start_byte
        return self.data[start : min(node.end_byte, start + longest)].decode("utf-8", "replace")

    def expression(self, node: SyntaxNode, *, longest: int) -> str:
        """Return a node's code, its end if it is longer, strings blanked."""
        end = node.end_byte
        return self.code[max(node.start_byte, end - longest) : end].decode("utf-8", "replace")

    def beginning(self, node: SyntaxNode, *, longest: int) -> str:
        """Return a node's code, its start if it is longer, strings blanked."""
        start = node.start_byte
        return self.code[start : min(node.end_byte, start + longest)].decode("utf-8", "replace")

    def parts(self) -> Iterable[tuple[int, int, int]]:
        """Return (owner, start, end) of each stretch of bytes, in order."""
        ends = (*self._starts[1:], len(self.data))
        return zip(self._owners, self._starts, ends, strict=True)


def _owner(place: int, symbols: Sequence[Symbol]) -> int:
    while place >= 0 and symbols[place].type == SCOPE:
        place = symbols[place].parent
    return place
