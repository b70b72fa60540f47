"""The bytes of a program -> its syntax tree, in bounded time.

Refuses what a grammar would take too long over: by its looks before it is parsed, by the clock
while it is, and by its depth before it is searched. Used by the reader.
"""

from __future__ import annotations

import re
import threading
import warnings
import zlib
from typing import TYPE_CHECKING

from trivium.parsing.code.table import Table

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode
    from tree_sitter import Parser, Tree

# The slowest file of the standard library takes 0.1 s.
_LONGEST_MICROS = 5_000_000

# Recovery from errors can take the square of a text's length: 25 kB of "a<" keep the Java grammar
# busy for 4 s, 300 kB of JavaScript on one line the Python grammar for 13 s. Both are told from
# programs beforehand: by how far 8 kB of them shrink (such a pattern to a 100th; the standard
# library's most regular test to a 19th, a generated lexer to a 41st), and by a line no person
# would write in a file this large. Shorter texts cannot shrink as far: a part of what is packed
# is the same for all lengths.
_WINDOW = 8192
_SHORTEST_WINDOW = 1024
_MOST_REPETITION = 60
_PACKED_ALWAYS = 24
_SAMPLE = 8
_LARGE = 65_536
_LONGEST_LINE = 20_000

# A query counts how deep it is in 16 bits and takes the square of what lies beyond: 60,000 calls
# chained to one another keep it busy for two minutes.
_DEEPEST = 30_000
# No grammar has this many nodes in one another that all start and end together.
_MOST_LEVELS_PER_BYTE = 8


class Unreadable(ValueError):
    """The text is not worth the time a grammar would take over it."""


class _Parsers(threading.local):
    """One parser for each language and thread: a parser keeps the state of what it parses."""

    def __init__(self) -> None:
        self._found: dict[Table, Parser] = {}

    def of(self, table: Table) -> Parser:
        """Return the language's parser, which gives up after a while."""
        from tree_sitter import Parser

        parser = self._found.get(table)
        if parser is None:
            with warnings.catch_warnings():
                # What is to replace it crashes the interpreter in tree-sitter 0.25.2.
                warnings.filterwarnings("ignore", "Use the progress_callback", DeprecationWarning)
                parser = Parser(table.language, timeout_micros=_LONGEST_MICROS)
            self._found[table] = parser
        return parser


_parsers = _Parsers()


def tree_of(data: bytes, table: Table) -> Tree:
    """Return the syntax tree of a program.

    Its offsets are those of `data`, whatever the table repairs. Raises Unreadable.
    """
    _refuse_repetition(data)
    is_large = len(data) > _LARGE
    if is_large and max(map(len, data.split(b"\n"))) > _LONGEST_LINE:
        raise Unreadable(f"a line is longer than {_LONGEST_LINE} bytes")
    parser = _parsers.of(table)
    try:
        tree = parser.parse(_repaired(data, table))
    except ValueError as error:
        parser.reset()
        raise Unreadable("took too long") from error
    if is_large:
        _refuse_too_deep(tree.root_node)
    return tree


def _refuse_repetition(data: bytes) -> None:
    for start in range(0, len(data) - _SHORTEST_WINDOW + 1, _WINDOW):
        size = min(_WINDOW, len(data) - start)
        # Packing takes long; what repeats itself so much repeats any part of itself.
        middle = start + size // 2
        times = data.count(data[middle : middle + _SAMPLE], start, start + size)
        if times * _WINDOW < _MOST_REPETITION * size:
            continue
        packed = len(zlib.compress(data[start : start + size], level=1))
        allowed = _WINDOW // _MOST_REPETITION - _PACKED_ALWAYS
        if packed < _PACKED_ALWAYS + allowed * size / _WINDOW:
            raise Unreadable(f"the text repeats itself too much near byte {start}")


def _refuse_too_deep(root: SyntaxNode) -> None:
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            raise Unreadable(f"the text is nested more than {_DEEPEST} deep")
        # What is too short to reach so far down is not looked into.
        least = (_DEEPEST - depth) // _MOST_LEVELS_PER_BYTE
        if node.end_byte - node.start_byte >= least:
            waiting += [
                (one, depth + 1) for one in node.children if one.end_byte - one.start_byte >= least
            ]


def _repaired(data: bytes, table: Table) -> bytes:
    """Overwrite what the grammar cannot read, byte for byte."""
    for repair in table.repairs:

        def overwritten(found: re.Match[bytes], by: bytes = repair.by) -> bytes:
            return _overwritten(found, by)

        data = repair.pattern.sub(overwritten, data)
    return data


def _overwritten(found: re.Match[bytes], by: bytes) -> bytes:
    """Return what was found with the first group, if there is one, replaced at its length.

    One character is repeated, line ends left alone; more are padded, or too long and not put in.
    """
    whole, origin = found[0], found.start()
    start, end = (at - origin for at in found.span(1 if found.re.groups else 0))
    middle = whole[start:end]
    if len(by) == 1:
        middle = b"\n".join(by * len(line) for line in middle.split(b"\n"))
    elif len(by) <= len(middle):
        middle = by.ljust(len(middle))
    return whole[:start] + middle + whole[end:]
