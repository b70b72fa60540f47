"""What every reader of records gives back: the record as data, and the slice of text it stands in.

A reader that finds no records gives NOTHING, and the document stays one file. Used by record.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trivium.types import Span

# What lies beyond stays text of the file.
MOST_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class Row:
    """One record: fields by name, values as JSON has them, and its place in the text."""

    fields: Mapping[str, object]
    span: Span


@dataclass(frozen=True, slots=True)
class Rows:
    """The records of a document in order. `names_in_text` is False where a header names fields.

    `failure` says why a text that should be records holds none.
    """

    rows: tuple[Row, ...]
    names_in_text: bool = True
    failure: str = ""


NOTHING = Rows(())


def with_comments_above(text: str, start: int, *, floor: int) -> int:
    """Return where the `#` comment lines directly above `start` begin; not before `floor`."""
    first = text.rfind("\n", floor, start) + 1
    if first <= floor or text[first:start].strip():
        return start
    while first > floor:
        above = max(text.rfind("\n", floor, first - 1) + 1, floor)
        if not text[above:first].lstrip(" \t").startswith("#") or _is_inside(text, above, floor):
            break
        start = first = above
    return start


def _is_inside(text: str, at: int, floor: int) -> bool:
    """Whether `at` is the floor in the middle of a line, which belongs to what stands there."""
    return at == floor and at > 0 and text[at - 1] != "\n"
