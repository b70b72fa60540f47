"""The query language of the product -> what is asked.

Words side by side are alternatives, phrases and what AND joins are needed; operators are
upper case, brackets and quotes count only where a word could start. Called by parse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trivium.query.grammar import NOTHING, AllOf, AnyOf, Expression
from trivium.query.reading import (
    DEEPEST,
    FIELD_NAMES,
    HAS_WORD,
    Asked,
    Unreadable,
    closings,
    excluded_from_nothing,
    phrase,
    without,
    word,
)

_LONGEST_COMMAND = 12
_OPERATORS = ("AND", "OR", "NOT")
_FIELD = re.compile(rf"({FIELD_NAMES}):(.+)", re.DOTALL)
_QUOTED = re.compile(rf'-?(?:(?:{FIELD_NAMES}):)?"[^"]*"')
_EXCLUDES = re.compile(r'-[\w"]')


@dataclass(slots=True)
class _Reader:
    """One pass over the items of a query."""

    items: list[str]
    is_prose: bool = False
    position: int = 0
    asked: Asked = field(default_factory=Asked)

    def peek(self) -> str | None:
        return self.items[self.position] if self.position < len(self.items) else None

    def take(self) -> str:
        self.position += 1
        return self.items[self.position - 1]


def read(text: str) -> Asked:
    """Read `text`. Raises Unreadable if quotes, brackets or NOT do not add up."""
    items = _items(text)
    reader = _Reader(items, is_prose=_is_prose(items))
    reader.asked.root = _any_of(reader, depth=0, negated=False)
    if reader.peek() is not None:
        raise Unreadable("a bracket is closed that was never opened")
    return reader.asked


def _is_prose(items: list[str]) -> bool:
    """Say whether so many words were typed that they are a text rather than a command."""
    words = (one for one in items if HAS_WORD.search(one) and one not in _OPERATORS)
    return sum(not _FIELD.fullmatch(one) for one in words) > _LONGEST_COMMAND


def _items(text: str) -> list[str]:
    closed = closings(text)
    items: list[str] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
        elif text.startswith("-(", position):
            items.append("NOT")
            position += 1
        else:
            end = _end_of_item(text, position, closed)
            items.append(text[position:end])
            position = end
    return items


def _end_of_item(text: str, start: int, closed: dict[int, int]) -> int:
    """Return where the item that starts at `start` ends.

    A bracket belongs to the grammar only where a word could start: foo(, f(x) and
    print("a b") are text as a whole.
    """
    if text[start] in "()":
        return start + 1
    if quoted := _QUOTED.match(text, start):
        return quoted.end()
    end = start
    while end < len(text) and not text[end].isspace() and text[end] not in ')"':
        if text[end] == "(" and text[start:end] in _OPERATORS:
            break
        end = closed.get(end, end) + 1
    if end == start or (text[start:end] == "-" and text.startswith('"', end)):
        raise Unreadable("a quotation mark is missing")
    return end


def _any_of(reader: _Reader, *, depth: int, negated: bool) -> Expression:
    if depth > DEEPEST:
        raise Unreadable("too many brackets")
    branches = [_all_of(reader, depth=depth, negated=negated)]
    while reader.peek() == "OR":
        reader.take()
        branches.append(_all_of(reader, depth=depth, negated=negated))
    return reader.asked.any_of(branches)


def _all_of(reader: _Reader, *, depth: int, negated: bool) -> Expression:
    """Words side by side are alternatives; phrases and what AND joins are needed."""
    loose: list[Expression] = []
    needed: list[Expression] = []
    dropped: list[Expression] = []
    joins = is_loose = False
    while (item := reader.peek()) not in (None, "OR", ")"):
        if item == "AND":
            reader.take()
            if is_loose:
                needed.append(loose.pop())
            joins, is_loose = True, False
            continue
        excluded = _excluded(reader)
        # Quotes are a promise: a phrase must be there, plain words beside it only help. In a
        # long text they are punctuation (cisi: .462 so, .439 otherwise).
        is_phrase = (reader.peek() or "").startswith('"')
        is_needed = joins or (is_phrase and not reader.is_prose)
        made = _one(reader, depth=depth, negated=negated or excluded)
        joins = is_loose = False
        if made is None:
            continue
        inner = excluded_from_nothing(made)
        if excluded and inner is not None:
            raise Unreadable("NOT stands before NOT")
        if excluded or inner is not None:
            dropped.append(made if inner is None else inner)
        elif is_needed:
            needed.append(made)
        else:
            loose.append(made)
            is_loose = True
    return without(_combine(loose, needed), dropped)


def _combine(loose: list[Expression], needed: list[Expression]) -> Expression:
    if needed:
        return AllOf(tuple(needed), also=tuple(loose)) if loose or len(needed) > 1 else needed[0]
    return loose[0] if len(loose) == 1 else AnyOf(tuple(loose))


def _excluded(reader: _Reader) -> bool:
    """Take NOT, or the minus off the next item, if it is there."""
    item = reader.peek() or ""
    if item == "NOT":
        reader.take()
        following = reader.peek()
        if following in (None, ")", "AND", "OR"):
            raise Unreadable("NOT stands before nothing")
        if following == "NOT" or _EXCLUDES.match(following or ""):
            raise Unreadable("NOT stands before NOT")
        return True
    if _EXCLUDES.match(item):
        reader.items[reader.position] = item[1:]
        return True
    return False


def _one(reader: _Reader, *, depth: int, negated: bool) -> Expression | None:
    """Read a word, a phrase, a field or a bracket; None if it asks for nothing."""
    item = reader.take()
    if item == "(":
        inside = _any_of(reader, depth=depth + 1, negated=negated)
        if reader.peek() != ")":
            raise Unreadable("a bracket is missing")
        reader.take()
        return None if inside == NOTHING else inside
    if found := _FIELD.fullmatch(item):
        name, value = found.group(1), found.group(2).strip('"')
        reader.asked.add_field(name, value, typed=item, negated=negated)
        return None
    quoted = item.startswith('"')
    made = phrase(item.strip('"')) if quoted else word(item, negated=negated)
    if made is not None and not negated:
        reader.asked.meaning.append(made.text)
    return made
