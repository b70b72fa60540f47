"""CSV, TSV and their kin -> Rows, one per line or, where quotes hold newlines, per few lines.

Any text can be cut, so nothing fails: a quote that never closes is an ordinary character, and
short or long rows are kept as they are. Called by record.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from trivium.parsing.plain import Names
from trivium.parsing.records.row import MOST_ROWS, NOTHING, Row, Rows
from trivium.types import Span

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 65_536
_SAMPLE_ROWS = 50
_LONGEST_FIELD_NAME = 100
# Of the sample, the share of rows that must have one and the same width.
_LEAST_REGULAR = 0.5
_MOST_DIGITS = 15

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?[.,]?\d+(?:[eE][-+]?\d+)?\s*%?")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.\w+|\w+://\S+")
_DIGITS = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of one row and where it stands, without its newline."""

    cells: tuple[str, ...]
    span: Span


def delimited_rows(text: str, *, prefer_tabs: bool = False) -> Rows:
    """Read the rows below the header; text in one column is no table."""
    delimiter = _sniffed(text, prefer_tabs=prefer_tabs)
    if delimiter is None:
        return NOTHING
    lines = list(islice(_cut(text, delimiter), MOST_ROWS + _SAMPLE_ROWS))
    width = _width(lines[:_SAMPLE_ROWS])
    # What stands above a table, such as its title, has fewer columns.
    top = next((at for at, one in enumerate(lines) if len(one.cells) >= min(width, 2)), 0)
    table = lines[top:]
    has_header = _is_header(table, width)
    names = _field_names(table[0].cells if has_header else (), width)
    rows = [_row(one, names) for one in table[has_header : MOST_ROWS + has_header]]
    return Rows(tuple(one for one in rows if one.fields), names_in_text=False)


def _sniffed(text: str, *, prefer_tabs: bool) -> str | None:
    """Choose the delimiter that cuts most rows into the same number of cells, two or more."""
    sample = text[:_SAMPLE_CHARACTERS]
    best, most = None, (_LEAST_REGULAR, False, 0)
    for delimiter in ("\t", *_DELIMITERS) if prefer_tabs else _DELIMITERS:
        if prefer_tabs and best == "\t":
            break
        lines = list(islice(_cut(sample, delimiter), _SAMPLE_ROWS))
        if len(lines) < 2:  # noqa: PLR2004 - a header and a row
            continue
        width = _width(lines)
        regular = sum(len(one.cells) == width for one in lines) / len(lines)
        rank = (regular, len(lines[0].cells) == width, width)
        if width > 1 and rank > most:
            best, most = delimiter, rank
    return best


def _width(lines: Sequence[_Line]) -> int:
    """Return the most common number of cells; of equally common ones the greatest."""
    counts = Counter(len(one.cells) for one in lines)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _cut(text: str, delimiter: str) -> Iterator[_Line]:
    """Cut text into rows; blank lines are none."""
    cell = _cell(delimiter)
    at = start = 0
    cells: list[str] = []
    while at <= len(text):
        found = cell.match(text, at)
        if found is None:
            return
        quoted, bare = found["quoted"], found["bare"]
        cells.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        at = found.end()
        if text.startswith(delimiter, at):
            at += 1
            continue
        # A line that is one comment is no row, wherever it stands.
        if len(cells) > 1 or (cells[0] and not cells[0].startswith("#")):
            yield _Line(tuple(cells), Span(start, at))
        cells = []
        at += 1
        start = at


@cache
def _cell(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a cell. It never goes back, so it takes one look at each character.

    A quote counts only where the cell ends with its partner.
    """
    mark = re.escape(delimiter)
    return re.compile(
        rf'[ ]*+"(?P<quoted>(?:[^"]++|"")*+)"[ ]*+(?={mark}|\n|\Z)|(?P<bare>[^{mark}\n]*+)'
    )


def _is_header(table: Sequence[_Line], width: int) -> bool:
    """Whether the first row names the columns rather than being one of them."""
    if len(table) < 2:  # noqa: PLR2004 - a header without rows names nothing
        return False
    names = [one for one in table[0].cells if one]
    words = [one for one in names if not _YEAR.fullmatch(one)]
    if not words or any(_is_value(one) for one in words) or 2 * len(names) < width:
        return False
    if len(set(names)) == len(names) == len(words):
        return True
    # Years and repeats may be data as well: what stands below them decides.
    body = table[1:_SAMPLE_ROWS]
    return any(_names(name, _column(body, at)) for at, name in enumerate(table[0].cells) if name)


def _column(body: Sequence[_Line], at: int) -> list[str]:
    return [one.cells[at] for one in body if at < len(one.cells) and one.cells[at]]


def _names(name: str, cells: Sequence[str]) -> bool:
    """Whether a name is of another sort than most cells below it, which are values."""
    is_year = _YEAR.fullmatch(name) is not None
    others = [one for one in cells if _is_value(one) and not (is_year and _YEAR.fullmatch(one))]
    return 2 * len(others) > len(cells)


def _is_value(cell: str) -> bool:
    """Whether a cell holds what no column is called: a number, a date, an address, long text."""
    return (
        len(cell) > _LONGEST_FIELD_NAME
        or "\n" in cell
        or any(one.fullmatch(cell) for one in (_NUMBER, _DATE, _ADDRESS))
    )


def _field_names(header: Sequence[str], width: int) -> tuple[str, ...]:
    names = Names()
    count = max(len(header), width)
    cells = [*header, *[""] * (count - len(header))]
    return tuple(
        names.unique(" ".join(cell.split()) or f"column_{number}")
        for number, cell in enumerate(cells, 1)
    )


def _row(line: _Line, names: Sequence[str]) -> Row:
    """Name the cells of a row; an empty cell is a field that is not there."""
    fields: dict[str, object] = {}
    for number, cell in enumerate(line.cells):
        if cell:
            name = names[number] if number < len(names) else f"column_{number + 1}"
            fields.setdefault(name, _typed(cell))
    return Row(fields, line.span)


def _typed(cell: str) -> object:
    """Return a number where it would be written in the same way; 007 and 1.50 stay text."""
    digits = _DIGITS.fullmatch(cell) if len(cell) <= _MOST_DIGITS else None
    if digits is None:
        return cell
    number = int(cell) if digits[1] is None else float(cell)
    return number if str(number) == cell else cell
