"""Rows to be stored -> the lines a cluster takes, in pieces, and which of them to send again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trivium.backends.opensearch.said import BUSY, Json, failure

# One request of this size is stored in well under a second, and a node takes many at once.
_MOST_BYTES = 4_000_000
_MOST_ROWS = 2000


@dataclass(frozen=True, slots=True)
class Row:
    """A document to be stored, or, without a source, to be removed.

    `version` orders what is sent: a row never takes the place of one with a higher version.
    """

    index: str
    id: str
    version: int
    source: Json | None = None


def packed(value: Json) -> bytes:
    """Return a value as JSON on one line."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8, but JSON has an escape for it.
        return json.dumps(value, separators=(",", ":")).encode()


def _line(row: Row) -> bytes:
    what = {
        "_index": row.index,
        "_id": row.id,
        "version": row.version,
        "version_type": "external_gte",
    }
    if row.source is None:
        return packed({"delete": what}) + b"\n"
    return packed({"index": what}) + b"\n" + packed(row.source) + b"\n"


def pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield lines in pieces that a cluster takes at once; a row is never cut."""
    return _grouped(map(_line, rows))


def _grouped(rows: Iterable[bytes]) -> Iterator[bytes]:
    some: list[bytes] = []
    size = 0
    for one in rows:
        if some and (size + len(one) > _MOST_BYTES or len(some) >= _MOST_ROWS):
            yield b"".join(some)
            some, size = [], 0
        some.append(one)
        size += len(one)
    if some:
        yield b"".join(some)


def _rows_in(lines: bytes) -> Iterator[bytes]:
    """Yield the rows of lines: an action, with the line after it unless it removes."""
    action = b""
    for line in lines.splitlines(keepends=True):
        if action:
            yield action + line
            action = b""
        elif line.startswith(b'{"delete"'):
            yield line
        else:
            action = line


def again(lines: bytes, items: Sequence[Json]) -> Iterator[bytes]:
    """Yield the rows that are to be sent again; raises for those that will never be taken."""
    for line, item in zip(_rows_in(lines), items, strict=True):
        (said,) = item.values()
        status = int(said["status"])
        if status in BUSY:
            yield line
        elif "error" in said:
            raise failure(status, said["error"], said["_id"])
