"""Where symbols start and end in the text, which lies in which, and what text is their own.

Widens a syntax node to the comments and decorators above it and to whole lines, then makes the
widened spans nest: no two overlap unless one lies in the other. Used by the reader.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from trivium.types import Span

# Deeper symbols stay in the text of the one around them: the names of 10,000 functions nested
# in one another would be longer than the file by its square.
_DEEPEST = 32
_WIDEST_INDENT = 200
_MOST_ABOVE = 200

SCOPE = "scope"


class Above(NamedTuple):
    """Something that belongs to the symbol after it: a comment, a decorator, an attribute."""

    start: int
    end: int
    is_comment: bool


class Widened(NamedTuple):
    """A span with the comments that were found above it, first to last."""

    span: Span
    comments: tuple[Span, ...]


class Placed(NamedTuple):
    """One symbol's place: which input it was, its span, and the place it lies in (-1: none)."""

    number: int
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
        self._tail = _tail(line_comment)

    def widen(self, span: Span) -> Widened:
        """Include what stands directly above, the indentation, and a comment at the end."""
        text, start, end = self._text, span.start, span.end
        comments: list[Span] = []
        last = bisect_right(self._ends, start)
        for number in range(last - 1, max(-1, last - _MOST_ABOVE), -1):
            one = self._above[number]
            if not self._touches(one, start):
                break
            if one.is_comment and self._is_first_on_line(one.start):
                comments.append(Span(one.start, one.end))
            start = one.start
        if end < len(text) and text[end] != "\n":
            tail = self._tail.match(text, end)
            end = end if tail is None else tail.end()
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
        before = 0
        for one in self._above:
            gap = self._text[before : one.start]
            if gap.strip() or (found and gap.count("\n") > 1):
                break
            before = one.end
            # Neither pragmas nor the line that names an interpreter say what the module is.
            if one.is_comment and not self._text.startswith("#!/", one.start):
                found.append(Span(one.start, one.end))
        return tuple(found)

    def _touches(self, one: Above, start: int) -> bool:
        if start - one.end > _WIDEST_INDENT:
            return False
        gap = self._text[one.end : start]
        # Some grammars count the line end as part of a comment.
        lines = gap.count("\n") + (self._text[one.end - 1] == "\n")
        if gap.strip() or lines > 1:
            return False
        return not one.is_comment or self._is_first_on_line(one.start) or self._is_behind(one)

    def _is_behind(self, comment: Above) -> bool:
        """Tell whether a comment stands on the line of a decorator, after it."""
        before = bisect_right(self._ends, comment.start) - 1
        if before < 0 or self._above[before].is_comment:
            return False
        gap = self._text[self._above[before].end : comment.start]
        return len(gap) <= _WIDEST_INDENT and not gap.strip(" \t")

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


@cache
def _tail(line_comment: str) -> re.Pattern[str]:
    """Return what may follow a symbol on its last line and still be its own."""
    comment = rf"(?:{re.escape(line_comment)}[^\n]*)?"
    return re.compile(rf"[ \t]{{0,200}}[;,]?[ \t]{{0,200}}{comment}(?=\n|\Z)")


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
        found = wanted
        if wanted.start < around.floor or wanted.end > around.end:
            found = Span(max(wanted.start, around.floor), min(wanted.end, around.end))
        around.floor = found.end
        stack.append(_Open(number=len(placed), end=found.end, floor=found.start))
        placed.append(Placed(index, found, around.number))
    return placed


class Territory(NamedTuple):
    """Who owns the text from here to where the next one starts: a place, or -1 for nobody."""

    start: int
    owner: int


def territories(places: Sequence[Placed]) -> list[Territory]:
    """Return the text cut by which place is the innermost one there, first to last."""
    found = [Territory(0, -1)]
    stack: list[int] = []
    for number, place in enumerate(places):
        while stack and places[stack[-1]].span.end <= place.span.start:
            end = places[stack.pop()].span.end
            found.append(Territory(end, stack[-1] if stack else -1))
        found.append(Territory(place.span.start, number))
        stack.append(number)
    while stack:
        end = places[stack.pop()].span.end
        found.append(Territory(end, stack[-1] if stack else -1))
    return found


def own_spans(
    text: str, spans: Sequence[Span], parents: Sequence[int], *, is_held: Sequence[bool]
) -> list[tuple[Span, ...]]:
    """Return what each span does not share with its children; children come in order.

    White space alone is nobody's; the text of a span that is held stays with what is around it.
    """
    at = [span.start for span in spans]
    gaps: list[list[Span]] = [[] for _ in spans]
    for span, parent, held in zip(spans, parents, is_held, strict=True):
        while parent >= 0 and is_held[parent]:
            parent = parents[parent]  # noqa: PLW2901 - on its way up
        if parent >= 0 and not held:
            start = at[parent]
            at[parent] = span.end
            if start < span.start and not text[start : span.start].isspace():
                gaps[parent].append(Span(start, span.start))
    for number, span in enumerate(spans):
        start = at[number]
        if not is_held[number] and start < span.end and not text[start : span.end].isspace():
            gaps[number].append(Span(start, span.end))
    return [tuple(found) for found in gaps]
