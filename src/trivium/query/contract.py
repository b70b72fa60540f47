"""The query language of seed 001 -> what is asked.

Items side by side are all needed; AND, OR and NOT in any case, - and ! before a word, "..."
and '...'. NOT binds before AND, AND before OR. A bracket cannot be excluded, and a mark
that excludes nothing is an error. Operators of programs (&&, ->, the brackets of f(x)) raise what
holds them and are never needed. Called by parse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from trivium.errors import QuerySyntaxError
from trivium.query.grammar import NOTHING, AllOf, Expression, Phrase, Prefix, Without, Words
from trivium.query.reading import (
    DEEPEST,
    FIELD_NAMES,
    HAS_WORD,
    Asked,
    Unreadable,
    beside,
    closings,
    operators_alone,
    phrase,
    without,
    word,
)

_FIELD = re.compile(rf"({FIELD_NAMES}):(?=[^\s)])")
# An apostrophe that a letter follows stands inside a word: 'don't panic'.
_ENDS_QUOTE = {'"': re.compile('"'), "'": re.compile(r"'(?!\w)")}
# What stands behind - or ! where they are no exclusion: --flag, ->, !=, !!.
_NO_EXCLUSION = "-!=>"


class _Kind(StrEnum):
    OPEN = "("
    CLOSE = ")"
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    MARK = "- or !"
    LONE = "a lone - or !"
    PHRASE = "phrase"
    WORD = "word"


_OPERATORS = {"and": _Kind.AND, "or": _Kind.OR, "not": _Kind.NOT}
_BEFORE_NOTHING = (None, _Kind.CLOSE, _Kind.AND, _Kind.OR)


@dataclass(frozen=True, slots=True)
class _Item:
    """One item, where it stands, and the field it is the value of."""

    kind: _Kind
    text: str
    position: int
    field: str = ""


@dataclass(slots=True)
class _Reader:
    """One pass over the items of a query."""

    items: list[_Item]
    position: int = 0
    asked: Asked = field(default_factory=Asked)

    @property
    def next_kind(self) -> _Kind | None:
        return self.items[self.position].kind if self.position < len(self.items) else None

    def take(self) -> _Item:
        self.position += 1
        return self.items[self.position - 1]


def read(text: str) -> Asked:
    """Read `text`. Raises Unreadable if quotes or brackets do not add up.

    Raises QuerySyntaxError if - or ! stands alone or a bracket is excluded.
    """
    items = _items(text)
    _check_brackets(items)
    reader = _Reader(items)
    reader.asked.root = _any_of(reader)
    return reader.asked


def _check_brackets(items: list[_Item]) -> None:
    """Look at brackets first, so that a text with a typing mistake is never an error."""
    depth = 0
    for item in items:
        depth += (item.kind is _Kind.OPEN) - (item.kind is _Kind.CLOSE)
        if depth < 0:
            raise Unreadable("a bracket is closed that was never opened")
        if depth > DEEPEST:
            raise Unreadable("too many brackets")
    if depth:
        raise Unreadable("a bracket is missing")


def _items(text: str) -> list[_Item]:
    closed = closings(text)
    items: list[_Item] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        item, position = _item(text, position, closed, is_marked=_is_marked(items, position))
        items.append(item)
    return items


def _is_marked(items: list[_Item], position: int) -> bool:
    return bool(items) and items[-1].kind is _Kind.MARK and items[-1].position == position - 1


def _item(text: str, start: int, closed: dict[int, int], *, is_marked: bool) -> tuple[_Item, int]:
    """Return the item that starts at `start`, and where it ends."""
    char = text[start]
    if char in "()":
        return _Item(_Kind(char), char, start), start + 1
    if char in "-!" and not is_marked:
        following = text[start + 1 : start + 2]
        if not following or following.isspace() or following == ")":
            return _Item(_Kind.LONE, char, start), start + 1
        if following not in _NO_EXCLUSION:
            return _Item(_Kind.MARK, char, start), start + 1
    found = _FIELD.match(text, start)
    name = found.group(1) if found else ""
    begin = found.end() if found else start
    if text[begin] in _ENDS_QUOTE:
        end = _end_of_quote(text, begin)
        return _Item(_Kind.PHRASE, text[begin + 1 : end], start, name), end + 1
    end = _end_of_word(text, begin, closed)
    # What - or ! stands before is a word, whatever it is: -not excludes "not".
    kind = _Kind.WORD if name or is_marked else _operator(text[begin:end])
    return _Item(kind, text[begin:end], start, name), end


def _end_of_quote(text: str, start: int) -> int:
    found = _ENDS_QUOTE[text[start]].search(text, start + 1)
    if found is None:
        raise Unreadable("a quotation mark is missing")
    return found.start()


def _end_of_word(text: str, start: int, closed: dict[int, int]) -> int:
    """Return where a word ends. A bracket inside it, as in f(x), is part of it."""
    end = start
    while end < len(text) and not text[end].isspace() and text[end] not in ')"':
        if text[end] == "(" and _operator(text[start:end]) is not _Kind.WORD:
            break
        end = closed.get(end, end) + 1
    return end


def _operator(text: str) -> _Kind:
    return _OPERATORS.get(text.lower(), _Kind.WORD) if len(text) <= len("and") else _Kind.WORD


def _any_of(reader: _Reader) -> Expression:
    branches: list[Expression] = []
    typed: list[str] = []
    while True:
        branch = _all_of(reader)
        alone = operators_alone(branch)
        branches.append(branch if alone is None else NOTHING)
        typed.append(alone or "")
        if reader.next_kind is not _Kind.OR:
            return beside(reader.asked.any_of(branches), " ".join(typed))
        reader.take()


def _all_of(reader: _Reader) -> Expression:
    """Read what must all be there; only a written AND holds vectors to it."""
    needed: list[Expression] = []
    dropped: list[Expression] = []
    typed: list[str] = []
    binds = joins = False
    while reader.next_kind not in (None, _Kind.OR, _Kind.CLOSE):
        if reader.next_kind is _Kind.AND:
            reader.take()
            joins = bool(needed)
            continue
        if _excluded(reader):
            unwanted = _one(reader, negated=True)
            dropped += () if unwanted is None else (unwanted,)
            joins = False
            continue
        typed.append(_typed(reader))
        made = _one(reader, negated=False)
        if isinstance(made, Without) and _asks_for_no_word(made.keep):
            dropped.append(made.drop)
            made = made.keep
        if made is not None and _asks_for_no_word(made):
            typed.append(operators_alone(made) or "")
        elif made is not None:
            needed.append(made)
            binds = binds or joins
        joins = False
    root = needed[0] if len(needed) == 1 else AllOf(tuple(needed), binds=binds)
    return without(beside(root if needed else NOTHING, " ".join(typed)), dropped)


def _asks_for_no_word(root: Expression) -> bool:
    return root == NOTHING or operators_alone(root) is not None


def _typed(reader: _Reader) -> str:
    """Return the text of the next item, if it is no part of the grammar and no field."""
    item = reader.items[reader.position]
    if item.kind not in (_Kind.WORD, _Kind.PHRASE) or item.field:
        return ""
    # The star of a prefix is no operator.
    is_prefix = item.kind is _Kind.WORD and HAS_WORD.search(item.text)
    return item.text.rstrip("*") if is_prefix else item.text


def _excluded(reader: _Reader) -> bool:
    """Take NOT, - or ! if it is there."""
    kind = reader.next_kind
    if kind is _Kind.LONE:
        raise _lone(reader.take())
    if kind not in (_Kind.NOT, _Kind.MARK):
        return False
    position = reader.take().position
    if reader.next_kind in _BEFORE_NOTHING:
        raise Unreadable("NOT stands before nothing")
    if reader.next_kind in (_Kind.NOT, _Kind.MARK, _Kind.LONE):
        raise Unreadable("NOT stands before NOT")
    if reader.next_kind is _Kind.OPEN:
        raise QuerySyntaxError(
            "Compound negation is not supported. Exclude each word by itself, such as: -a -b",
            position=position,
        )
    return True


def _lone(item: _Item) -> QuerySyntaxError:
    return QuerySyntaxError(
        f"{item.text} at position {item.position + 1} excludes nothing. "
        f"Write it directly before what to exclude, such as: {item.text}word",
        position=item.position,
    )


def _one(reader: _Reader, *, negated: bool) -> Expression | None:
    """Read a word, a phrase, a field or a bracket; None if it asks for nothing."""
    item = reader.take()
    if item.kind is _Kind.OPEN:
        inside = _any_of(reader)
        reader.take()
        return None if inside == NOTHING else inside
    if item.field:
        typed = f"{item.field}:{item.text}"
        reader.asked.add_field(item.field, item.text, typed=typed, negated=negated)
        return None
    made: Words | Phrase | Prefix | None
    made = phrase(item.text) if item.kind is _Kind.PHRASE else word(item.text, negated=negated)
    if made is not None and not negated:
        reader.asked.meaning.append(made.text)
    return made
