"""Tables of SQLite files, by name -> documents of JSON lines, one line per row.

A table is called by the path of its file and its name, as in `data/app.db:orders`. A file is
only read, never through a link, and only below the root. Whatever it holds, reading it ends:
rows, text, steps and time have limits. Called by the source of a folder that names some.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from trivium.parsing.plain import Names
from trivium.sources.base import Entry, Listing, Raw, Reason, Skip
from trivium.sources.walk import READ_FLAGS, steps_of

MOST_ROWS = 50_000
MOST_CHARACTERS = 20_000_000
# A view that needs more steps of SQLite's machine than this has run away.
_MOST_STEPS = 300_000_000
_STEPS_AT_ONCE = 1000
_TIMEOUT_S = 30.0
_HEAD = b"SQLite format 3\0"
_HEADER_BYTES = 100
_ALLOWED = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_LENGTH, 50_000_000),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
# What a damaged file, or a name that no table can have, makes the library raise.
_BROKEN = (sqlite3.Error, ValueError, OverflowError, MemoryError)


@dataclass(frozen=True, slots=True)
class _File:
    """The file of a table as it was found: its place, its state, and the table's name."""

    path: Path
    status: os.stat_result
    table: str


class _Budget:
    """How many steps and how long a table may take; the library asks every so often."""

    def __init__(self, steps: int, timeout_s: float) -> None:
        self._steps = steps
        self._end = time.monotonic() + timeout_s
        self.is_spent = False

    def __call__(self) -> int:
        """Return 1 to stop."""
        self._steps -= _STEPS_AT_ONCE
        self.is_spent = self._steps < 0 or time.monotonic() > self._end
        return int(self.is_spent)


def list_tables(root: Path, names: Iterable[str]) -> Listing:
    """Look for the files of the tables; opens none. An entry's size and time are its file's."""
    entries: list[Entry] = []
    skipped: list[Skip] = []
    for name in sorted(set(names)):
        found = _found(root, name)
        if isinstance(found, Skip):
            skipped.append(found)
        else:
            entries.append(Entry(name, found.status.st_size, found.status.st_mtime_ns))
    return Listing(tuple(entries), tuple(skipped))


def read_table(
    root: Path, entry: Entry, *, most_steps: int = _MOST_STEPS, timeout_s: float = _TIMEOUT_S
) -> Raw | Skip:
    """Return the rows of one table or view as JSON lines, or why there are none.

    Rows and text past the limits are left out. A blob is shown by its length. What a writer has
    not yet moved from its log (`-wal`) into the file is not seen.
    """
    found = _found(root, entry.path)
    if isinstance(found, Skip):
        return found
    budget = _Budget(most_steps, timeout_s)
    try:
        if not _is_database(found.path):
            return Skip(entry.path, Reason.UNREADABLE)
        text = _text(found, budget)
        is_other = not os.path.samestat(found.status, found.path.lstat())
    except OSError:
        return Skip(entry.path, Reason.VANISHED)
    except _BROKEN:
        return Skip(entry.path, Reason.TOO_LARGE if budget.is_spent else Reason.UNREADABLE)
    if text is None or is_other:
        return Skip(entry.path, Reason.VANISHED)
    status = found.status
    return Raw(
        entry=Entry(entry.path, status.st_size, status.st_mtime_ns),
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


def _found(root: Path, name: str) -> _File | Skip:
    """Return the file of a table, if it is a plain one below the root, no link on the way."""
    shown = name.encode("utf-8", "backslashreplace").decode()
    path, _, table = name.rpartition(":")
    steps = steps_of(path) if path and table else None
    if steps is None or shown != name:
        return Skip(shown, Reason.ODD_NAME)
    root = root.resolve()
    file = root.joinpath(*steps)
    try:
        if file.resolve() != file:
            return Skip(name, Reason.SYMLINK_OUTSIDE)
        status = file.lstat()
    except (OSError, RuntimeError):
        return Skip(name, Reason.VANISHED)
    is_file = stat.S_ISREG(status.st_mode)
    return _File(file, status, table) if is_file else Skip(name, Reason.SPECIAL)


def _is_database(path: Path) -> bool:
    file = os.open(path, READ_FLAGS)
    try:
        header = os.read(file, _HEADER_BYTES)
        size = os.fstat(file).st_size
    finally:
        os.close(file)
    return header.startswith(_HEAD) and size >= _whole_size(header)


def _whole_size(header: bytes) -> int:
    """Return how many bytes a database says it has; 0 if it does not say.

    The library reads what is missing as zeros, which would be rows that nobody wrote.
    """
    if len(header) < _HEADER_BYTES or header[24:28] != header[92:96]:
        return 0
    page = int.from_bytes(header[16:18], "big")
    return (65_536 if page == 1 else page) * int.from_bytes(header[28:32], "big")


def _text(found: _File, budget: _Budget) -> str | None:
    """Return the rows as lines, None without such a table. Raises one of _BROKEN."""
    # Immutable: no lock is taken and no log beside the file is replayed or removed.
    address = found.path.as_uri() + "?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.text_factory = _decoded
        for limit, most in _LIMITS:
            connection.setlimit(limit, most)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )
        connection.set_progress_handler(budget, _STEPS_AT_ONCE)
        name = _table_name(connection, found.table)
        if name is None:
            return None
        lines: list[str] = []
        room = MOST_CHARACTERS
        for line in _lines(connection, name):
            room -= len(line) + 1
            if room < 0:
                break
            lines.append(line + "\n")
        return "".join(lines)


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _table_name(connection: sqlite3.Connection, wanted: str) -> str | None:
    """Return a table's or view's name as the file writes it. Virtual tables are programs."""
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name = ? COLLATE NOCASE AND sql NOT LIKE 'CREATE VIRTUAL%'",
        (wanted,),
    )
    row = rows.fetchone()
    return None if row is None else str(row[0])


def _lines(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    source = _quoted(table)
    columns = connection.execute(f"SELECT * FROM {source} LIMIT 0").description  # noqa: S608 - quoted
    # The length of a blob stands in the row's head, so that its bytes need not be read.
    values = ", ".join(
        f"CASE typeof({name}) WHEN 'blob' THEN '<' || length({name}) || ' bytes>' ELSE {name} END"
        for name in (_quoted(column[0]) for column in columns)
    )
    unique = Names()
    names = [unique.unique(column[0]) for column in columns]
    rows = connection.execute(f"SELECT {values} FROM {source} LIMIT {MOST_ROWS}")  # noqa: S608
    for row in rows:
        fields = {name: _plain(value) for name, value in zip(names, row, strict=True)}
        yield json.dumps(fields, ensure_ascii=False)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain(value: object) -> object:
    """Return a value that JSON has a way to write."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
