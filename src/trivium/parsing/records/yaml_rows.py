"""YAML -> Rows: the mappings of a list at the top, or of several documents in one file.

Read event by event: nothing is constructed, tags mean nothing, nesting has a limit, and an
alias costs what it stands for, up to a budget. Other YAML is not even read. Called by record.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trivium.parsing.records.row import MOST_ROWS, NOTHING, Row, Rows, with_comments_above
from trivium.types import Span

_DEEPEST = 60
# Without the library in C reading takes ten times as long.
_LONGEST_IN_PYTHON = 200_000
# How many more values than characters the aliases of a text may stand for.
_SPARE_VALUES = 100_000

_PREAMBLE = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?\n|%[^\n]*+\n|---[ \t]*+(?:#[^\n]*+)?\n)*+")
_LIST = re.compile(r"[ \t]*+(?:-\s|\[)")
_SEPARATOR = re.compile(r"^---(?=\s)", re.MULTILINE)
_COMMA = re.compile(r"\s*+,")
_COMMENT_LINE = re.compile(r"([ \t]*+)#")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})(\.[0-9]{0,17})?([eE][-+]?[0-9]{1,3})?")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


@dataclass(slots=True)
class _Open:
    """A list or mapping that is still being read, and how many values it stands for."""

    into: list[object] | dict[str, object]
    start: int
    anchor: str | None
    key: str | None = None
    size: int = 1

    def add(self, value: object, size: int) -> None:
        """Put a finished value where it belongs: an element, a key or the value of a key."""
        self.size += size
        if isinstance(self.into, list):
            self.into.append(value)
        elif self.key is None:
            self.key = value if isinstance(value, str) else "" if value is None else str(value)
        else:
            self.into[self.key] = value
            self.key = None


@dataclass(frozen=True, slots=True)
class _Part:
    """A mapping that may be a record, and where it starts and ends."""

    fields: Mapping[str, object]
    start: int
    end: int


@dataclass(slots=True)
class _Root:
    """One document of the stream: a list of parts, or a single part. `others` are no mappings."""

    start: int
    is_list: bool = False
    column: int = 0
    parts: list[_Part] = field(default_factory=list)
    others: int = 0


def yaml_rows(text: str) -> Rows:
    """Read the records; a text that is no YAML, or YAML of another shape, has none."""
    preamble = _PREAMBLE.match(text)
    body = 0 if preamble is None else preamble.end()
    if not _LIST.match(text, body) and not _SEPARATOR.search(text, body):
        return NOTHING
    import yaml

    if len(text) > _LONGEST_IN_PYTHON and not hasattr(yaml, "CSafeLoader"):
        return NOTHING
    try:
        roots = _Documents(spare=len(text) + _SPARE_VALUES).read(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return NOTHING
    has_several = sum(bool(root.parts) and not root.is_list for root in roots) > 1
    rows: list[Row] = []
    for root in roots:
        if not root.others and (root.is_list or has_several):
            rows.extend(_placed(text, root, floor=rows[-1].span.end if rows else 0))
    return Rows(tuple(rows[:MOST_ROWS]))


class _Documents:
    """The documents of a stream, put together from its events."""

    def __init__(self, *, spare: int) -> None:
        self._spare = spare
        self._named: dict[str, tuple[object, int]] = {}
        self._open: list[_Open] = []
        self._roots: list[_Root] = []

    def read(self, text: str) -> list[_Root]:
        """Read them all. Raises YAMLError, and ValueError where they are nested too deep."""
        import yaml

        takes = {
            yaml.DocumentStartEvent: self._document,
            yaml.MappingStartEvent: self._mapping,
            yaml.SequenceStartEvent: self._sequence,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
        }
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            take = takes.get(type(event))
            if take is not None:
                take(event)
        return self._roots

    @property
    def _is_top(self) -> bool:
        """Whether the next value is a document or, in a list at the top, an element."""
        return len(self._open) == self._roots[-1].is_list

    def _document(self, event: Any) -> None:  # noqa: ANN401 - the library has no types
        self._roots.append(_Root(event.start_mark.index))
        self._named.clear()

    def _mapping(self, event: Any) -> None:  # noqa: ANN401
        self._start({}, event)

    def _sequence(self, event: Any) -> None:  # noqa: ANN401
        if not self._open:
            self._roots[-1].is_list = True
            self._roots[-1].column = event.start_mark.column
        self._start([], event)

    def _start(self, into: list[object] | dict[str, object], event: Any) -> None:  # noqa: ANN401
        self._open.append(_Open(into, event.start_mark.index, event.anchor))
        if len(self._open) > _DEEPEST:
            raise ValueError("nested too deep")

    def _end(self, event: Any) -> None:  # noqa: ANN401
        done = self._open.pop()
        value = _merged(done.into) if isinstance(done.into, dict) else done.into
        root = self._roots[-1]
        if self._is_top:
            if isinstance(value, dict):
                root.parts.append(_Part(value, done.start, event.end_mark.index))
            else:
                root.others += 1
        self._put(value, done.size, anchor=done.anchor)

    def _scalar(self, event: Any) -> None:  # noqa: ANN401
        is_plain = not event.style and event.implicit[0]
        value = _typed(event.value) if is_plain else event.value
        if self._is_top and value is not None:
            self._roots[-1].others += 1
        self._put(value, 1, anchor=event.anchor)

    def _alias(self, event: Any) -> None:  # noqa: ANN401
        value, size = self._named.get(event.anchor, (None, 1))
        self._spare -= size
        if self._spare < 0:
            value, size = None, 1
        self._put(value, size, anchor=None)

    def _put(self, value: object, size: int, *, anchor: str | None) -> None:
        if anchor:
            self._named[anchor] = (value, size)
        if self._open:
            self._open[-1].add(value, size)


def _typed(plain: str) -> object:
    """Return what a plain scalar means: null, true, false, a number, else text."""
    if plain in _NULLS:
        return None
    if plain in _TRUTHS:
        return _TRUTHS[plain]
    number = _NUMBER.fullmatch(plain)
    if number is None:
        return plain
    return int(plain) if number[1] is None and number[2] is None else float(plain)


def _merged(fields: dict[str, object]) -> dict[str, object]:
    """Put what "<<" names below the mapping's own fields."""
    if "<<" not in fields:
        return fields
    bases = fields["<<"] if isinstance(fields["<<"], list) else [fields["<<"]]
    found = {key: value for key, value in fields.items() if key != "<<"}
    for base in bases:
        if isinstance(base, dict):
            found = {**base, **found}
    return found


def _placed(text: str, root: _Root, *, floor: int) -> Iterator[Row]:
    """Give each part its slice: from its dash, "---" or the comments above to its last line."""
    for part in root.parts:
        start = _dash(text, part.start, root.column, floor=floor) if root.is_list else root.start
        if part.start < floor or start < floor:
            continue
        end = _without_comments(text, Span(part.start, part.end), root.column)
        comma = _COMMA.match(text, end) if root.is_list else None
        span = Span(with_comments_above(text, start, floor=floor), comma.end() if comma else end)
        floor = span.end
        yield Row(part.fields, span)


def _dash(text: str, start: int, column: int, *, floor: int) -> int:
    """Return where the dash of an element stands; where it has none, its start."""
    line = start
    while line > floor:
        line = max(text.rfind("\n", floor, line) + 1, floor)
        dash = line + column
        if dash < start and text[dash] == "-" and not text[line:dash].strip():
            return dash
        line -= 1
    return start


def _without_comments(text: str, span: Span, column: int) -> int:
    """Return where a part ends without the comments that follow it: no deeper than its dash."""
    end = _tight_end(text, span.start, span.end)
    while True:
        line = text.rfind("\n", span.start, end) + 1
        comment = _COMMENT_LINE.match(text, line, end) if line else None
        if comment is None or len(comment[1]) > column:
            return end
        end = _tight_end(text, span.start, line)


def _tight_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
