"""Text a person typed -> a Query.

Never fails on what a person may type by mistake: an unbalanced quote or bracket makes
the whole text plain words, and the Query's notes say so. Only a text that is too long
is an error. Called first on the read spine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trivium.errors import QuerySyntaxError
from trivium.filtering.conditions import EVERYTHING, build
from trivium.query.grammar import (
    NOTHING,
    AllOf,
    AnyOf,
    Expression,
    Phrase,
    Prefix,
    Query,
    Without,
    Words,
)

LONGEST_QUERY = 10_000
_DEEPEST = 50
_LONGEST_COMMAND = 12
_OPERATORS = ("AND", "OR", "NOT")
_NAMES = "name|path|lang|kind|type|tag"
_FIELD = re.compile(rf"({_NAMES}):(.+)", re.DOTALL)
_QUOTED = re.compile(rf'-?(?:(?:{_NAMES}):)?"[^"]*"')
_BRACKETS = re.compile(r'[()"]')
_HAS_WORD = re.compile(r"\w")
_EXCLUDES = re.compile(r'-[\w"]')
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class _Unreadable(Exception):
    """The text does not follow the grammar."""


@dataclass(slots=True)
class _Reader:
    """One pass over the items of a query, and what it found beside the expression."""

    items: list[str]
    is_prose: bool = False
    position: int = 0
    fields: dict[str, list[str]] = field(default_factory=dict)
    meaning: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def peek(self) -> str | None:
        return self.items[self.position] if self.position < len(self.items) else None

    def take(self) -> str:
        self.position += 1
        return self.items[self.position - 1]


def parse(text: str) -> Query:
    """Read `text`. Raises QuerySyntaxError only if it is longer than 10,000 characters."""
    if len(text) > LONGEST_QUERY:
        raise QuerySyntaxError(
            f"The query has {len(text):,} characters; the most is {LONGEST_QUERY:,}.",
            position=LONGEST_QUERY,
        )
    # Half of a surrogate pair, as arguments and JSON may hold, can be neither printed nor embedded.
    text = _HALF_PAIR.sub("\ufffd", text)
    try:
        items = _items(text)
        reader = _Reader(items, is_prose=_is_prose(items))
        root = _whole(reader)
    except _Unreadable as problem:
        return Query(text, _plain(text), text, notes=(f"read as plain words: {problem}",))
    if _excluded_from_nothing(root):
        reader.notes.append("only exclusions: nothing to look for")
    where = build(reader.fields) if reader.fields else EVERYTHING
    return Query(text, root, " ".join(reader.meaning), where, tuple(reader.notes))


def _is_prose(items: list[str]) -> bool:
    """Say whether so many words were typed that they are a text rather than a command."""
    words = (one for one in items if _HAS_WORD.search(one) and one not in _OPERATORS)
    return sum(not _FIELD.fullmatch(one) for one in words) > _LONGEST_COMMAND


def _items(text: str) -> list[str]:
    closings = _closings(text)
    items: list[str] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
        elif text.startswith("-(", position):
            items.append("NOT")
            position += 1
        else:
            end = _end_of_item(text, position, closings)
            items.append(text[position:end])
            position = end
    return items


def _closings(text: str) -> dict[int, int]:
    """Return where each bracket that is closed is closed; those in quotes do not count."""
    opened: list[int] = []
    closings: dict[int, int] = {}
    is_quoted = False
    for found in _BRACKETS.finditer(text):
        if found.group() == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif found.group() == "(":
            opened.append(found.start())
        elif opened:
            closings[opened.pop()] = found.start()
    return closings


def _end_of_item(text: str, start: int, closings: dict[int, int]) -> int:
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
        end = closings.get(end, end) + 1
    if end == start or (text[start:end] == "-" and text.startswith('"', end)):
        raise _Unreadable("a quotation mark is missing")
    return end


def _whole(reader: _Reader) -> Expression:
    root = _any_of(reader, depth=0, negated=False)
    if reader.peek() is not None:
        raise _Unreadable("a bracket is closed that was never opened")
    return root


def _any_of(reader: _Reader, *, depth: int, negated: bool) -> Expression:
    if depth > _DEEPEST:
        raise _Unreadable("too many brackets")
    branches = [_all_of(reader, depth=depth, negated=negated)]
    while reader.peek() == "OR":
        reader.take()
        branches.append(_all_of(reader, depth=depth, negated=negated))
    if len(branches) == 1:
        return branches[0]
    asked = [branch for branch in branches if branch != NOTHING]
    kept = [branch for branch in asked if _excluded_from_nothing(branch) is None]
    if len(kept) < len(asked):
        reader.notes.append("left out: an exclusion needs something beside it to exclude from")
    return kept[0] if len(kept) == 1 else AnyOf(tuple(kept))


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
        inner = _excluded_from_nothing(made)
        if excluded and inner is not None:
            raise _Unreadable("NOT stands before NOT")
        if excluded or inner is not None:
            dropped.append(made if inner is None else inner)
        elif is_needed:
            needed.append(made)
        else:
            loose.append(made)
            is_loose = True
    return _combine(loose, needed, dropped)


def _combine(
    loose: list[Expression], needed: list[Expression], dropped: list[Expression]
) -> Expression:
    if needed:
        root: Expression = AllOf(tuple(needed), also=tuple(loose))
        if not loose and len(needed) == 1:
            root = needed[0]
    elif len(loose) == 1:
        root = loose[0]
    else:
        root = AnyOf(tuple(loose))
    if not dropped:
        return root
    # One Without for all: a thousand exclusions must not nest a thousand deep.
    return Without(root, dropped[0] if len(dropped) == 1 else AnyOf(tuple(dropped)))


def _excluded(reader: _Reader) -> bool:
    """Take NOT, or the minus off the next item, if it is there."""
    item = reader.peek() or ""
    if item == "NOT":
        reader.take()
        following = reader.peek()
        if following in (None, ")", "AND", "OR"):
            raise _Unreadable("NOT stands before nothing")
        if following == "NOT" or _EXCLUDES.match(following or ""):
            raise _Unreadable("NOT stands before NOT")
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
            raise _Unreadable("a bracket is missing")
        reader.take()
        return None if inside == NOTHING else inside
    if found := _FIELD.fullmatch(item):
        _add_field(reader, found, negated=negated)
        return None
    made = _leaf(item, negated=negated)
    if made is not None and not negated:
        reader.meaning.append(made.text)
    return made


def _add_field(reader: _Reader, found: re.Match[str], *, negated: bool) -> None:
    name, value = found.group(1), found.group(2).strip('"')
    if negated:
        reader.notes.append(f"left out {found.group()}: a field cannot be excluded")
    elif not value.strip():
        reader.notes.append(f"left out {found.group()}: it has no value")
    else:
        reader.fields.setdefault(name, []).append(value)


def _leaf(item: str, *, negated: bool) -> Words | Phrase | Prefix | None:
    if not _HAS_WORD.search(item):
        return None
    if item.startswith('"'):
        return Phrase(item.strip('"'))
    if item.endswith("*"):
        return Prefix(item.rstrip("*"))
    # -getUserById means that name, not everything that gets.
    return Phrase(item) if negated else Words(item)


def _excluded_from_nothing(root: Expression) -> Expression | None:
    """Return what is excluded if there is nothing to exclude it from."""
    return root.drop if isinstance(root, Without) and root.keep == NOTHING else None


def _plain(text: str) -> Expression:
    words = tuple(Words(word) for word in text.replace('"', " ").split() if _HAS_WORD.search(word))
    return words[0] if len(words) == 1 else AnyOf(words)
