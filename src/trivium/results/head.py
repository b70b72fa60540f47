"""A node and its file -> the lines that say what it is: its signature and a line on what it does.

Of a section that is its heading, of a module how its documentation begins. Pure. Used by
results.steps.
"""

from __future__ import annotations

from trivium.results.sheet import Lines, Sheet
from trivium.types import Kind, Node

# A signature may go over several lines; what is longer is shown by its first.
_LONGEST_SIGNATURE = 12
# Documentation may stand above the signature, and be long.
_DEEPEST = 60
_NEAR = 2
_START_OF_FILE = 4
_ENOUGH_TO_KNOW = 12


def head(node: Node, sheet: Sheet) -> Lines | None:
    """Return the lines that head a node; None where it has none."""
    first = min(node.source.start_line, len(sheet.lines))
    last = min(node.source.end_line, len(sheet.lines))
    if node.kind is Kind.FILE:
        return sheet.trimmed(1, min(_START_OF_FILE, last))
    if node.kind is not Kind.CODE:
        return sheet.trimmed(first, first)
    if "#" not in node.id:
        said = _said_at(node, sheet, Lines(first, last))
        return None if said is None else Lines(said, said)
    signed = _signature(node, sheet, Lines(first, last))
    after = Lines(min(signed.last + 1, last), min(signed.last + _NEAR, last))
    said = _said_at(node, sheet, after)
    if said is not None:
        return sheet.trimmed(signed.first, said)
    # Where documentation stands above, all of it is, if it is short.
    return sheet.trimmed(first if signed.first - first <= _NEAR else signed.first, signed.last)


def _signature(node: Node, sheet: Sheet, lines: Lines) -> Lines:
    """Return the lines of the signature; the first line of all where it is not found."""
    signature = "".join(str(node.metadata.get("signature", "")).split())
    for first in range(lines.first, min(lines.last, lines.first + _DEEPEST) + 1):
        squeezed = _squeezed(sheet, first)
        if not signature or not squeezed or not _begin_alike(signature, squeezed):
            continue
        for last in range(first, min(lines.last, first + _LONGEST_SIGNATURE) + 1):
            squeezed += _squeezed(sheet, last) if last > first else ""
            if signature in squeezed:
                return Lines(first, last)
    return Lines(lines.first, lines.first)


def _begin_alike(signature: str, line: str) -> bool:
    return signature.startswith(line) or line.startswith(signature[:_ENOUGH_TO_KNOW])


def _said_at(node: Node, sheet: Sheet, lines: Lines) -> int | None:
    """Return the line on which the node's description begins, if it is one of these."""
    wanted = "".join(node.description.split())[:_ENOUGH_TO_KNOW]
    if not wanted:
        return None
    deepest = min(lines.last, lines.first + _DEEPEST)
    for number in range(lines.first, deepest + 1):
        if wanted in _squeezed(sheet, number):
            return number
    return None


def _squeezed(sheet: Sheet, number: int) -> str:
    return "".join(sheet.lines[number - 1].split())
