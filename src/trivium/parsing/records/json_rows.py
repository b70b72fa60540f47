"""JSON and JSON lines -> Rows.

A list of objects, or an object that only wraps one, is records; other JSON is not. Lines are
read one by one, so that a broken one costs only itself. Called by record.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from trivium.parsing.records.row import MOST_ROWS, NOTHING, Row, Rows
from trivium.types import Span

# An object with a list of objects under one of these keys wraps it, whatever else it says.
_ENVELOPES = frozenset(
    {"data", "docs", "documents", "entries", "features", "hits", "items", "objects", "records",
     "results", "rows", "values"}
)  # fmt: skip
_SPACE = re.compile(r"[ \t\n\r]*")
_LINE = re.compile(r"[^\n]+")
_DECODER = json.JSONDecoder()
# What a decoder raises: not JSON, a number too long to be read, nested too deep.
_BROKEN = (ValueError, RecursionError)


@dataclass(frozen=True, slots=True)
class _List:
    """A list: its objects with their places, and whether it holds nothing else."""

    rows: tuple[Row, ...]
    is_records: bool
    end: int


def json_rows(text: str) -> Rows:
    """Read the objects of a list or of an envelope; else, line by line, what is all objects."""
    try:
        start = _skip(text, 0)
        if text.startswith("[", start):
            return _from_list(text, start)
        if text.startswith("{", start):
            return _from_envelope(text, start)
    except _BROKEN:
        return _lines_only(text)
    return NOTHING


def json_lines(text: str) -> Rows:
    """Read each line that is an object; a text without one has failed."""
    rows: list[Row] = []
    lines = 0
    for line in _LINE.finditer(text):
        if line[0].isspace():
            continue
        lines += 1
        fields = _object(line[0]) if len(rows) < MOST_ROWS else None
        if fields is not None:
            rows.append(Row(fields, _tight(line)))
    if rows or not lines:
        return Rows(tuple(rows))
    return Rows((), failure=f"none of {lines} lines is a JSON object")


def _lines_only(text: str) -> Rows:
    """Read JSON lines under the wrong name: two or more, and nothing but objects."""
    rows: list[Row] = []
    for line in _LINE.finditer(text):
        if line[0].isspace():
            continue
        fields = _object(line[0])
        if fields is None:
            return NOTHING
        rows.append(Row(fields, _tight(line)))
    return Rows(tuple(rows[:MOST_ROWS])) if len(rows) > 1 else NOTHING


def _object(line: str) -> Mapping[str, object] | None:
    try:
        value = _DECODER.decode(line)
    except _BROKEN:
        return None
    return value if isinstance(value, dict) else None


def _tight(line: re.Match[str]) -> Span:
    start = line.start() + len(line[0]) - len(line[0].lstrip())
    return Span(start, start + len(line[0].strip()))


def _from_list(text: str, start: int) -> Rows:
    found = _list(text, start)
    _must_end(text, found.end)
    return Rows(found.rows[:MOST_ROWS]) if found.is_records else NOTHING


def _from_envelope(text: str, start: int) -> Rows:
    """Read an object's one list of objects, if all else is scalar or the key is known for it."""
    found: dict[str, _List] = {}
    has_more = False
    at = _skip(text, start + 1)
    while not text.startswith("}", at):
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _past(text, at, ":"))
        if text.startswith("[", at):
            one = _list(text, at)
            at = one.end
            if one.is_records:
                found[str(key)] = one
        else:
            value, at = _DECODER.raw_decode(text, at)
            has_more = has_more or isinstance(value, dict)
        at = _next(text, at, closing="}")
    _must_end(text, at + 1)
    known = [one for key, one in found.items() if key.lower() in _ENVELOPES]
    chosen = known if len(known) == 1 else [] if has_more else list(found.values())
    return Rows(chosen[0].rows[:MOST_ROWS]) if len(chosen) == 1 else NOTHING


def _list(text: str, start: int) -> _List:
    """Read a list element by element. A row takes the comma after it along.

    Else every comma would be a piece of the file's own text.
    """
    rows: list[Row] = []
    others = 0
    at = _skip(text, start + 1)
    while not text.startswith("]", at):
        value, end = _DECODER.raw_decode(text, at)
        after = _next(text, end, closing="]")
        comma = text.find(",", end, after) + 1
        if isinstance(value, dict):
            rows.append(Row(value, Span(at, comma if comma else end)))
        else:
            others += 1
        at = after
    return _List(tuple(rows), is_records=bool(rows) and not others, end=at + 1)


def _next(text: str, at: int, *, closing: str) -> int:
    """Return where the next element starts, or where the closing bracket stands."""
    at = _skip(text, at)
    if text.startswith(closing, at):
        return at
    at = _skip(text, _past(text, at, ","))
    if text.startswith(closing, at):
        raise ValueError("a comma before the end")
    return at


def _past(text: str, at: int, mark: str) -> int:
    at = _skip(text, at)
    if not text.startswith(mark, at):
        raise ValueError(f"no {mark} at {at}")
    return at + 1


def _must_end(text: str, at: int) -> None:
    if _skip(text, at) != len(text):
        raise ValueError(f"more text at {at}")


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()
