"""Files of JSON, JSONL and CSV -> rows that know where they stand.

Read a line at a time. A bad file is a UsageError that names file, line and key. Called by
datasets.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trivium.errors import UsageError


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a file and where it stands, so that a complaint can say so."""

    place: str
    values: Mapping[str, object]

    def wrong(self, key: str, what: str) -> UsageError:
        """Return the complaint about a key, to be raised."""
        return UsageError(f'{self.place}: "{key}" {what}')

    def text(self, key: str, default: str | None = None) -> str:
        """Give a text; `default` if there is none."""
        value = self.values.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.wrong(key, "is missing" if value is None else "must be text")
        return value

    def id(self, key: str) -> str:
        """Give a text that may be written as a whole number."""
        value = self.values.get(key)
        # Some BEIR sets write ids as numbers; the qrels beside them are text either way.
        return str(value) if type(value) is int else self.text(key)

    def lines(self) -> tuple[int, int] | None:
        """Give the first and last line, None if there are none."""
        start, end = (self.values.get(key) for key in ("start_line", "end_line"))
        if start is None and end is None:
            return None
        if type(start) is not int or type(end) is not int:
            raise self.wrong("start_line", 'and "end_line" must be whole numbers')
        return start, end

    def list(self, key: str) -> tuple[object, ...]:
        """Give what a list holds: none if it is absent, one if it is a single value.

        In a text, a list is written as JSON or with `;` between.
        """
        value = self.values.get(key)
        if isinstance(value, str) and value.startswith("["):
            value = _json(value, place=f'{self.place}: "{key}"')
        elif isinstance(value, str):
            value = [text for one in value.split(";") if (text := one.strip())]
        if value is None:
            return ()
        return tuple(value) if isinstance(value, list) else (value,)

    def texts(self, key: str) -> tuple[str, ...]:
        """Give one or more texts."""
        texts = tuple(one for one in self.list(key) if isinstance(one, str) and one)
        if not texts or len(texts) < len(self.list(key)):
            raise self.wrong(key, "must be text or a list of texts" if texts else "is missing")
        return texts

    def grades(self, key: str, count: int) -> tuple[float, ...]:
        """Give `count` numbers, 1 each if there is no grade."""
        grades = tuple(self.grade(key, one) for one in self.list(key)) or (1.0,)
        if len(grades) not in {1, count}:
            raise self.wrong(key, f"must be one number or {count}, as many as are relevant")
        return grades * count if len(grades) == 1 else grades

    def grade(self, key: str, value: object) -> float:
        """Turn `value` into a number that can be added up."""
        try:
            number = float(value) if isinstance(value, str | int | float) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number) or isinstance(value, bool):
            raise self.wrong(key, f"must be a number, not {value!r}")
        return number


def rows(file: Path) -> Iterator[Row]:
    """Yield the objects of a file that has one in each line; blank lines do no harm."""
    for number, line in lines(file):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        value = _json(line, place=place)
        if not isinstance(value, dict):
            raise UsageError(f"{place}: must be a JSON object")
        yield Row(place, value)


def objects(file: Path) -> Iterator[Row]:
    """Yield the objects of a file that is one JSON list."""
    value = _json("\n".join(line for _, line in lines(file)), place=str(file))
    if not isinstance(value, list):
        raise UsageError(f"{file}: must be a JSON list of objects")
    for number, one in enumerate(value, start=1):
        if not isinstance(one, dict):
            raise UsageError(f"{file}, entry {number}: must be a JSON object")
        yield Row(f"{file}, entry {number}", one)


def _json(text: str, *, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is not JSON ({error})") from error


def csv_rows(file: Path) -> Iterator[Row]:
    """Yield the rows of a CSV file that has columns `query` and `relevant`."""
    reader = csv.DictReader((f"{line}\n" for _, line in lines(file)), strict=True)
    try:
        for key in ("query", "relevant"):
            if key not in (reader.fieldnames or ()):
                raise UsageError(f'{file}, line 1: no column "{key}"')
        for row in reader:
            # DictReader files the cells past the header under None.
            if None in row:
                raise UsageError(f"{file}, line {reader.line_num}: more cells than columns")
            yield Row(f"{file}, line {reader.line_num}", row)
    except csv.Error as error:
        # The inner reader has counted the line that failed; the outer one has not.
        line = reader.reader.line_num
        raise UsageError(f"{file}, line {line}: is not CSV ({error})") from error


def lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line, read as they are asked for."""
    number = 0
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened:
            # Bytes, decoded a line at a time: a text file would fail a block too early.
            for number, line in enumerate(opened, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                yield number, text.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}, line {number}: is not UTF-8 ({error.reason})") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f"{file}, after line {number}: is not whole gzip ({error})") from error
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
