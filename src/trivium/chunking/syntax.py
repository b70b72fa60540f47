"""Code -> pieces that end where lines end, at the shallowest indentation in reach.

Pieces never overlap and every line lies in exactly one, so a symbol's pieces put together are
the symbol. Called by chunk() for everything that is code, parsed or not.
"""

from __future__ import annotations

import re
from itertools import accumulate

from trivium.chunking.characters import cut, trimmed
from trivium.types import Span

# A symbol up to the first is not cut at all; a longer one is cut into pieces up to the second.
WHOLE = 1500
LONGEST = 1200
# A piece shorter than this is not worth a better place to cut.
_SHORTEST = LONGEST // 3

_TAB = 4
_BLANK_BONUS = 3
_CLOSER_PENALTY = 2 * _TAB
_CLOSER = re.compile(r"\s*(?:[)\]}]|end\b|else\b|elif\b|except\b|finally\b|catch\b)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ONLY_CLOSERS = re.compile(r"[\s)\]};,]*")


def pieces(text: str, span: Span) -> list[Span]:
    """Cut text[span] at line ends; pieces of nothing but closing brackets are dropped."""
    if span.end - span.start <= WHOLE:
        cuts = [span]
    else:
        cuts = _cut_lines(text[span.start : span.end], offset=span.start)
    return [
        _tight(text, piece)
        for piece in cuts
        if not _ONLY_CLOSERS.fullmatch(text, piece.start, piece.end)
    ]


def _cut_lines(text: str, *, offset: int) -> list[Span]:
    lines = _LINE.findall(text)
    ends = list(accumulate(len(line) for line in lines))
    costs = _costs(lines)
    spans: list[Span] = []
    first = start = 0
    while first < len(lines):
        if len(lines[first]) > LONGEST:
            after = first + 1
            found = cut(lines[first], size=LONGEST, overlap=0)
        else:
            after = _best_end(ends, costs, first=first, start=start)
            found = [Span(0, ends[after - 1] - start)]
        spans.extend(Span(offset + start + s.start, offset + start + s.end) for s in found)
        first, start = after, ends[after - 1]
    return spans


def _best_end(ends: list[int], costs: list[int], *, first: int, start: int) -> int:
    """Return the line to end before: the cheapest one in reach, of equals the furthest."""
    last = first + 1
    while last < len(ends) and ends[last] - start <= LONGEST:
        last += 1
    if last == len(ends):
        return last
    reach = [line for line in range(first + 1, last + 1) if ends[line - 1] - start >= _SHORTEST]
    return min(reversed(reach), key=costs.__getitem__, default=last)


def _costs(lines: list[str]) -> list[int]:
    """Return what it costs to end before each line: its indentation, less after a blank line."""
    costs = []
    after_blank = False
    for line in lines:
        code = line.lstrip(" \t")
        indent = len(line[: len(line) - len(code)].expandtabs(_TAB))
        is_blank = not code.strip()
        cost = indent - _BLANK_BONUS * after_blank + _CLOSER_PENALTY * bool(_CLOSER.match(line))
        # A blank line belongs to what it ends, so a piece never starts with one by choice.
        costs.append(LONGEST if is_blank else cost)
        after_blank = is_blank
    return costs


def _tight(text: str, span: Span) -> Span:
    """Drop blank lines at both ends but keep the first line's indentation."""
    inner = trimmed(text, span)
    line_start = text.rfind("\n", span.start, inner.start) + 1
    return Span(max(line_start, span.start), inner.end)
