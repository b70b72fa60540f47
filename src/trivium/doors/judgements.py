"""What people say of hits -> a file of judged queries that `trivium eval` and `tune` read.

A judgement is a line, and the last of a query and an id counts; it is on the disk before it is
answered. Stands beside the indexes, so that making one anew keeps it. Used by the HTTP door.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from trivium.aside import write_aside
from trivium.errors import IndexLocked, UsageError

if TYPE_CHECKING:
    from trivium.collection import Collection

_MOST_BYTES = 20_000_000
_WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a node answers a query: 1 or 0, and when that was said."""

    query: str
    id: str
    relevance: int
    at: str


class Judgements:
    """The judged queries of one collection."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @classmethod
    def of(cls, collection: Collection) -> Judgements:
        """Return those of a collection."""
        return cls(collection.settings.home / "judged" / f"{collection.identity}.jsonl")

    def all(self, query: str | None = None) -> list[Judgement]:
        """Return what counts now, of one query or of all, in the order it was first said."""
        kept: dict[tuple[str, str], Judgement] = {}
        for one in map(_judgement, self._lines()):
            if one is not None and query in (None, one.query):
                kept[one.query, one.id] = one
        return list(kept.values())

    def put(self, query: str, wanted: str, relevance: int | None) -> None:
        """Store a judgement, or with None forget what was said. Raises UsageError, IndexLocked."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.file.with_suffix(".lock"), timeout=_WAIT_S)
        try:
            with lock:
                self._put(query, wanted, relevance)
        except Timeout as error:
            raise IndexLocked(str(self.file), holder="another process") from error
        except OSError as error:
            raise UsageError(f"{self.file} cannot be written: {error.strerror}") from error

    def _put(self, query: str, wanted: str, relevance: int | None) -> None:
        lines = self._lines()
        last = {(one.query, one.id): one for one in map(_judgement, lines) if one is not None}
        before = last.get((query, wanted))
        if (None if before is None else before.relevance) == relevance:
            return
        if relevance is None:
            self._rewrite(line for line in lines if not _is_of(line, query, wanted))
            return
        if sum(map(len, lines)) > _MOST_BYTES:
            raise UsageError(f"{self.file} is full. Move it away; a new one is begun.")
        if lines and not lines[-1].endswith("\n"):
            # A crash cut it.
            self._rewrite(lines[:-1])
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.file.open("a", encoding="utf-8") as file:
            file.write(_line(Judgement(query, wanted, relevance, now)))
            file.flush()
            os.fsync(file.fileno())

    def _rewrite(self, lines: Iterable[str]) -> None:
        write_aside(self.file, "".join(lines).encode("utf-8", "surrogateescape"))

    def _lines(self) -> list[str]:
        try:
            with self.file.open(encoding="utf-8", errors="surrogateescape") as file:
                return list(file)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UsageError(f"{self.file} cannot be read: {error.strerror}") from error


def _is_of(line: str, query: str, wanted: str) -> bool:
    one = _judgement(line)
    return one is not None and (one.query, one.id) == (query, wanted)


def _line(one: Judgement) -> str:
    row = {"query": one.query, "relevant": [one.id], "grade": one.relevance, "at": one.at}
    # Also text that is none, as a file name may be, stays what it was.
    return json.dumps(row) + "\n"


def _judgement(line: str) -> Judgement | None:
    """Return a line as a judgement; None for one that a crash cut or a person wrote otherwise."""
    try:
        row = json.loads(line)
        return Judgement(row["query"], row["relevant"][0], int(row["grade"]), row.get("at", ""))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None
