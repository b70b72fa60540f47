"""Where symbols start and end in the text, which lies in which, and what text is their own.

Widens a syntax node to the comments and decorators above it and to whole lines, then makes the
widened spans nest: no two overlap unless one lies in the other. Used by the reader.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trivium.types import Span

# Deeper symbols stay in the text of the one around them: the names of 10,000 functions nested
# in one another would be longer than the file by its square.
_DEEPEST = 32
_WIDEST_INDENT = 200
_MOST_ABOVE = 200

SCOPE = "scope"


@dataclass(frozen=True, slots=True)
class Above:
    """Something that belongs to the symbol after it: a comment, a decorator, an attribute."""

    start: int
    end: int
    is_comment: bool


@dataclass(frozen=True, slots=True)
class Widened:
    """A span with the comments that were found above it, first to last."""

    span: Span
    comments: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """One symbol's place: which input it was, its span, and the place it lies in (-1: none)."""

    index: int
    span: Span
    parent: int


class Margins:
    """Widens the spans of one text to what belongs to them."""

    def __init__(self, text: str, above: Iterable[Above], *, line_comment: str) -> None:
        self._text = text
        self._above: list[Above] = []
        for one in sorted(above, key=lambda one: (one.start, -one.end)):
            if not self._above or one.start >= self._above[-1].end:
                self._above.append(one)
        self._ends = [one.end for one in self._above]
        self._end_at = {one.start: one.end for one in self._above}
        self._tail = re.compile(
            rf"[ \t]{{0,200}}[;,]?[ \t]{{0,200}}(?:{re.escape(line_comment)}[^\n]*)?(?=\n|\Z)"
        )

    def widen(self, span: Span) -> Widened:
        """Include what stands directly above, the indentation, and a comment at the end."""
        start = span.start
        comments: list[Span] = []
        last = bisect_right(self._ends, start)
        for one in reversed(self._above[max(0, last - _MOST_ABOVE) : last]):
            if not self._touches(one, start):
                break
            if one.is_comment:
                comments.append(Span(one.start, one.end))
            start = one.start
        tail = self._tail.match(self._text, span.end)
        end = span.end if tail is None else tail.end()
        return Widened(Span(self._line_start(start), end), tuple(reversed(comments)))

    def after_decorators(self, start: int) -> int:
        """Return where the declaration proper starts, past decorators inside the syntax node."""
        while (end := self._end_at.get(start)) is not None:
            start = end
            while start < len(self._text) and self._text[start].isspace():
                start += 1
        return start

    def leading_comments(self) -> tuple[Span, ...]:
        """Return the comments that open the text, up to the first blank line or code."""
        found: list[Span] = []
        for one in self._above:
            before = found[-1].end if found else 0
            gap = self._text[before : one.start]
            if not one.is_comment or gap.strip() or (found and gap.count("\n") > 1):
                break
            found.append(Span(one.start, one.end))
        return tuple(found)

    def _touches(self, one: Above, start: int) -> bool:
        gap = self._text[one.end : start] if start - one.end <= _WIDEST_INDENT else "far"
        # Some grammars count the line end as part of a comment.
        lines = gap.count("\n") + (self._text[one.end - 1] == "\n")
        if gap.strip() or lines > 1:
            return False
        return not one.is_comment or self._is_first_on_line(one.start)

    def _is_first_on_line(self, start: int) -> bool:
        at = self._line_start(start)
        return at < start or at == 0 or self._text[at - 1] == "\n"

    def _line_start(self, start: int) -> int:
        """Return the start of the line if only white space precedes, else `start`."""
        floor = max(0, start - _WIDEST_INDENT)
        line_start = self._text.rfind("\n", floor, start) + 1
        if line_start == 0 and floor > 0:
            return start
        return start if self._text[line_start:start].strip() else line_start


@dataclass(slots=True)
class _Open:
    """A span that later ones may lie in; `floor` is where its next child may start."""

    number: int
    end: int
    floor: int


def nest(cores: Sequence[Span], spans: Sequence[Span], *, types: Sequence[str]) -> list[Placed]:
    """Order the symbols and find what each lies in, by their cores: the spans not widened.

    A widened span gives way where it would overlap a neighbour or leave its parent. Symbols
    nested too deep are left out.
    """
    order = sorted(range(len(cores)), key=lambda i: (cores[i].start, -cores[i].end))
    placed: list[Placed] = []
    outermost = _Open(number=-1, end=max((s.end for s in spans), default=0), floor=0)
    stack = [outermost]
    for index in order:
        core, span = cores[index], spans[index]
        while len(stack) > 1 and stack[-1].end <= core.start:
            stack.pop()
        around = stack[-1]
        if len(stack) > _DEEPEST or core.start < around.floor:
            continue
        wanted = core if types[index] == SCOPE else span
        found = Span(max(wanted.start, around.floor), min(wanted.end, around.end))
        around.floor = found.end
        stack.append(_Open(number=len(placed), end=found.end, floor=found.start))
        placed.append(Placed(index, found, around.number))
    return placed


@dataclass(slots=True)
class _Gaps:
    """The text of a span that its children leave over, as they come in order."""

    at: int
    found: list[Span] = field(default_factory=list)


def own_spans(text: str, spans: Sequence[Span], parents: Sequence[int]) -> list[tuple[Span, ...]]:
    """Return what each span does not share with its children; children come in order.

    White space alone is nobody's.
    """
    gaps = [_Gaps(at=span.start) for span in spans]
    for span, parent in zip(spans, parents, strict=True):
        if parent >= 0:
            gaps[parent].found.append(Span(gaps[parent].at, span.start))
            gaps[parent].at = span.end
    for span, gap in zip(spans, gaps, strict=True):
        gap.found.append(Span(gap.at, span.end))
    return [tuple(one for one in gap.found if text[one.start : one.end].strip()) for gap in gaps]
