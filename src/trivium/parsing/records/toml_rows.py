"""TOML -> Rows: the tables of its arrays of tables, `[[name]]`.

Only a file that is nothing else: one with other tables is configuration. Sub-tables belong to
the table they stand below. Called by record.py.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trivium.parsing.records.row import MOST_ROWS, NOTHING, Row, Rows, with_comments_above
from trivium.types import Span

_ARRAY = re.compile(r"^[ \t]*\[\[", re.MULTILINE)
# The decoder takes the square of a key's parts; nobody writes so many.
_ENDLESS_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}"""
)
# Strings and comments first, so that a bracket in them is none.
_TOKEN = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}|\'\'\'(?:[^']|'(?!''))*+'{3,5}'''
    r"""|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|\#[^\n]*+"""
    r"""|^[ \t]*+(?P<open>\[\[?)[ \t]*+(?P<key>[^\]\n]*+)\]""",
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r"""([\w-]+|"[^"\\\n]*"|'[^'\n]*')[ \t]*(\.)?""")


@dataclass(frozen=True, slots=True)
class _Header:
    """A line that opens a table of an array: the array's name and where the line starts."""

    name: str
    start: int


def toml_rows(text: str) -> Rows:
    """Read the tables; a text that is no TOML, or TOML of another shape, has none."""
    if _ARRAY.search(text) is None or _ENDLESS_KEY.search(text) is not None:
        return NOTHING
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError):
        return NOTHING
    arrays = {name: value for name, value in data.items() if _is_array(value)}
    headers = list(_headers(text))
    if Counter(one.name for one in headers) != Counter(
        {name: len(tables) for name, tables in arrays.items()}
    ) or any(isinstance(value, dict) for value in data.values()):
        return NOTHING
    return Rows(tuple(_rows(text, headers, arrays))[:MOST_ROWS])


def _is_array(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _headers(text: str) -> Iterator[_Header]:
    """Find the `[[name]]` lines of names with one part: those with more are sub-tables."""
    for token in _TOKEN.finditer(text):
        if token["open"] == "[[" and (name := _NAME.match(token["key"])) and not name[2]:
            yield _Header(name[1].strip("\"'"), token.start())


def _rows(
    text: str, headers: Sequence[_Header], arrays: Mapping[str, Sequence[Mapping[str, object]]]
) -> Iterator[Row]:
    seen: Counter[str] = Counter()
    starts: list[int] = []
    floor = 0
    for header in headers:
        starts.append(with_comments_above(text, header.start, floor=floor))
        floor = header.start
    for header, start, end in zip(headers, starts, [*starts[1:], len(text)], strict=True):
        fields = arrays[header.name][seen[header.name]]
        seen[header.name] += 1
        yield Row(fields, Span(start, start + len(text[start:end].rstrip())))
