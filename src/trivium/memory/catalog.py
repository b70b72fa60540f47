"""One small database beside an index: what is in memory, by what lists sort and filter by.

Made from the files and made anew if it is lost, save what the API last saw of each file: losing
that costs knowing that a file was edited by hand since. Used by the desk.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from trivium.errors import SourceError
from trivium.filtering.comparing import fold, instant
from trivium.memory.items import PRIORITIES, Link, Value, Values
from trivium.memory.rules import Base
from trivium.types import EdgeType, Kind

Made = TypeVar("Made")

_BUSY_S = 10.0
_FORMAT = 1
_LEAST_LAST = len(PRIORITIES)
_TABLES = """
CREATE TABLE IF NOT EXISTS items (
    kind TEXT NOT NULL, slug TEXT NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
    looked INTEGER NOT NULL, title TEXT NOT NULL, folded TEXT NOT NULL,
    created TEXT NOT NULL, updated TEXT NOT NULL,
    type TEXT NOT NULL, status TEXT NOT NULL, priority INTEGER NOT NULL, due REAL,
    assignee TEXT NOT NULL, epic TEXT NOT NULL, place REAL, source TEXT NOT NULL,
    usage INTEGER NOT NULL, confidence REAL NOT NULL, problems TEXT NOT NULL,
    PRIMARY KEY (kind, slug)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_update ON items (kind, updated DESC, slug);
CREATE INDEX IF NOT EXISTS by_title ON items (kind, title COLLATE NOCASE, slug);
CREATE INDEX IF NOT EXISTS by_priority ON items (kind, priority, due IS NULL, due, slug);
CREATE TABLE IF NOT EXISTS tags (
    kind TEXT NOT NULL, slug TEXT NOT NULL, tag TEXT NOT NULL COLLATE NOCASE,
    PRIMARY KEY (kind, tag, slug)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tags_of ON tags (kind, slug);
CREATE TABLE IF NOT EXISTS links (
    kind TEXT NOT NULL, slug TEXT NOT NULL, type TEXT NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (kind, slug, type, target)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS links_to ON links (target);
CREATE TABLE IF NOT EXISTS folders (kind TEXT PRIMARY KEY, stamps TEXT NOT NULL, looked INTEGER);
CREATE TABLE IF NOT EXISTS bases (
    kind TEXT NOT NULL, slug TEXT NOT NULL, sha256 TEXT NOT NULL, version INTEGER NOT NULL,
    updated TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (kind, slug)
);
"""

# How lists may be sorted, and by what; equal ones by slug.
SORTS: Mapping[str, str] = {
    "updated": "updated DESC, slug",
    "created": "created DESC, slug",
    "title": "title COLLATE NOCASE, slug",
    "priority": "priority, due IS NULL, due, slug",
    "due": "due IS NULL, due, priority, slug",
    "order": "place IS NULL, place, slug",
    "usage": "usage DESC, confidence DESC, slug",
    "confidence": "confidence DESC, usage DESC, slug",
}


class Row(NamedTuple):
    """What is known of one file without opening it again; there may be very many."""

    slug: str
    size_bytes: int
    mtime_ns: int
    looked_ns: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of a kind are listed; None is all. `words` are part of the title or the slug."""

    words: str = ""
    tag: str | None = None
    status: str | None = None
    priority: str | None = None
    assignee: str | None = None
    epic: str | None = None
    type: str | None = None
    source: str | None = None
    due_before: str | None = None
    has_problems: bool = False


@dataclass(frozen=True, slots=True)
class Linking:
    """A link that something in memory has, as its file says it."""

    kind: Kind
    slug: str
    type: str
    target: str


class Catalog:
    """The database at `path`. Opened for each use; safe from many threads and processes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def page(
        self, kind: Kind, wanted: Wanted, *, sort: str, limit: int, offset: int
    ) -> tuple[list[str], int]:
        """Return some slugs in order, and how many there are in all."""
        where, given = _where(kind, wanted)

        def ask(file: sqlite3.Connection) -> tuple[list[str], int]:
            if wanted.words:
                # No index helps: all are looked at once, in their own order, and the few sorted.
                asked = (
                    f"WITH found AS MATERIALIZED (SELECT * FROM items WHERE {where}) "  # noqa: S608
                    f"SELECT slug FROM found ORDER BY {SORTS[sort]}"
                )
                found = [slug for (slug,) in file.execute(asked, given)]
                return found[offset : offset + limit], len(found)
            total = _counted(file, kind, wanted)
            rows = file.execute(
                f"SELECT slug FROM items WHERE {where} ORDER BY {SORTS[sort]} LIMIT ? OFFSET ?",  # noqa: S608
                (*given, limit, offset),
            )
            return [slug for (slug,) in rows], total

        return self._used(ask)

    def rows(self, kind: Kind) -> dict[str, Row]:
        """Return what is known of the files of a kind."""
        asked = "SELECT slug, size, mtime, looked FROM items WHERE kind = ?"
        return self._used(
            lambda file: {row[0]: Row(*row) for row in file.execute(asked, (kind.value,))}
        )

    def looked(self, kind: Kind) -> tuple[str, int] | None:
        """Return the stamps of a kind's folders when they were last listed, and when that was."""
        asked = "SELECT stamps, looked FROM folders WHERE kind = ?"
        row = self._used(lambda file: file.execute(asked, (kind.value,)).fetchone())
        return None if row is None else (str(row[0]), int(row[1]))

    def take_in(
        self,
        kind: Kind,
        found: Iterable[tuple[Row, Values, Sequence[str]]],
        *,
        gone: Iterable[str] = (),
        stamps: tuple[str, int] | None = None,
    ) -> None:
        """Put down what files say, and forget those that are gone."""

        def write(file: sqlite3.Connection) -> None:
            for row, values, problems in found:
                _forget(file, kind, row.slug)
                _insert(file, kind, row, values, problems)
            for slug in gone:
                _forget(file, kind, slug)
                # Its version stays: another of this name must not be taken for it.
                file.execute(
                    "UPDATE bases SET sha256 = '', text = '' WHERE kind = ? AND slug = ?",
                    (kind.value, slug),
                )
            if stamps is not None:
                file.execute("INSERT OR REPLACE INTO folders VALUES (?, ?, ?)", (kind, *stamps))

        self._changed(write)

    def base(self, kind: Kind, slug: str) -> Base | None:
        """Return what the API last saw of a file."""
        return self._used(lambda file: _base(file, kind, slug))

    def bases(self, kind: Kind, slugs: Sequence[str] | None = None) -> dict[str, Base]:
        """Return what the API last saw of these files, or of all of a kind, without their texts."""
        asked = "SELECT slug, sha256, version, updated, '' FROM bases WHERE kind = ?"
        given: tuple[str, ...] = (kind.value,)
        if slugs is not None:
            asked += " AND slug IN (SELECT value FROM json_each(?))"
            given = (kind.value, json.dumps(list(slugs)))
        return self._used(
            lambda file: {row[0]: Base(*row[1:]) for row in file.execute(asked, given)}
        )

    def see(self, kind: Kind, slug: str, make: Callable[[Base | None], tuple[Base, Made]]) -> Made:
        """Put down what the API sees now, made from what it last saw; nobody comes between."""

        def write(file: sqlite3.Connection) -> Made:
            before = _base(file, kind, slug)
            now, made = make(before)
            if before is None or now.sha256 != before.sha256:
                row = (kind.value, slug, now.sha256, now.version, now.updated, now.text)
                file.execute("INSERT OR REPLACE INTO bases VALUES (?, ?, ?, ?, ?, ?)", row)
            return made

        return self._changed(write)

    def links_to(self, targets: Sequence[str]) -> list[Linking]:
        """Return the links that lead to one of these, from all of memory."""
        marks = ", ".join("?" * len(targets))
        asked = (
            f"SELECT kind, slug, type, target FROM links WHERE target IN ({marks}) "  # noqa: S608
            "ORDER BY kind, slug, type"
        )
        return self._used(lambda file: [_linking(row) for row in file.execute(asked, targets)])

    def links_of(self, kind: Kind, slugs: Sequence[str], type_: str) -> list[Linking]:
        """Return the links of one type that these have."""
        marks = ", ".join("?" * len(slugs))
        asked = (
            "SELECT kind, slug, type, target FROM links "  # noqa: S608
            f"WHERE kind = ? AND type = ? AND slug IN ({marks})"
        )
        given = (kind.value, type_, *slugs)
        return self._used(lambda file: [_linking(row) for row in file.execute(asked, given)])

    def column(self, status: str, *, type_: str) -> list[tuple[str, float | None]]:
        """Return the tasks of a status in their order, each with what puts it there."""
        asked = (
            "SELECT slug, place FROM items WHERE kind = 'task' AND status = ? AND type = ? "  # noqa: S608
            f"ORDER BY {SORTS['order']}"
        )
        return self._used(lambda file: list(file.execute(asked, (status, type_))))

    def last_place(self, status: str, *, type_: str) -> float:
        """Return the order of the last task of a status; 0 where none has one."""
        asked = "SELECT max(place) FROM items WHERE kind = 'task' AND status = ? AND type = ?"
        row = self._used(lambda file: file.execute(asked, (status, type_)).fetchone())
        return float(row[0] or 0)

    def count(self, kind: Kind, wanted: Wanted) -> int:
        """Return how many there are."""
        return self._used(lambda file: _counted(file, kind, wanted))

    def problems(self) -> list[tuple[Kind, str, str]]:
        """Return what could not be read of which file."""
        asked = "SELECT kind, slug, problems FROM items WHERE problems <> '' ORDER BY kind, slug"
        return self._used(
            lambda file: [(Kind(kind), slug, said) for kind, slug, said in file.execute(asked)]
        )

    def forget(self) -> None:
        """Forget all of it; the files are not touched."""
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def _changed(self, use: Callable[[sqlite3.Connection], Made]) -> Made:
        def change(file: sqlite3.Connection) -> Made:
            file.execute("BEGIN IMMEDIATE")
            try:
                made = use(file)
            except BaseException:
                file.execute("ROLLBACK")
                raise
            file.execute("COMMIT")
            return made

        return self._used(change)

    def _used(self, use: Callable[[sqlite3.Connection], Made]) -> Made:
        try:
            with self._opened() as file:
                return use(file)
        except (sqlite3.OperationalError, OSError) as error:
            raise SourceError(f"{self._path} cannot be used: {error}.") from error
        except sqlite3.DatabaseError:
            # Damaged, or of another format: it is made from the files again.
            self.forget()
            with self._opened() as file:
                return use(file)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Made here, since SQLite would let others read it.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        file = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
        try:
            file.execute("PRAGMA synchronous = NORMAL")
            made_as = file.execute("PRAGMA user_version").fetchone()[0]
            if made_as not in (0, _FORMAT):
                raise sqlite3.DatabaseError(f"format {made_as}")
            if not made_as:
                # Another process that makes it has done this before.
                with suppress(sqlite3.OperationalError):
                    file.execute("PRAGMA journal_mode = WAL")
                file.executescript(
                    f"BEGIN IMMEDIATE;{_TABLES}PRAGMA user_version = {_FORMAT};COMMIT;"
                )
            yield file
        finally:
            file.close()


def _counted(file: sqlite3.Connection, kind: Kind, wanted: Wanted) -> int:
    if wanted == Wanted(tag=wanted.tag) and wanted.tag is not None:
        given: tuple[object, ...] = (kind.value, wanted.tag)
        asked = "SELECT count(*) FROM tags WHERE kind = ? AND tag = ?"
    else:
        where, given = _where(kind, wanted)
        asked = f"SELECT count(*) FROM items WHERE {where}"  # noqa: S608
    return int(file.execute(asked, given).fetchone()[0])


def _where(kind: Kind, wanted: Wanted) -> tuple[str, tuple[object, ...]]:
    said: list[str] = ["kind = ?"]
    given: list[object] = [kind.value]
    for column in ("status", "assignee", "epic", "type", "source"):
        value = getattr(wanted, column)
        if value is not None:
            said.append(f"{column} = ?")
            given.append(value)
    if wanted.priority is not None:
        said.append("priority = ?")
        given.append(_rank(wanted.priority))
    if wanted.due_before is not None:
        said.append("due < ?")
        given.append(instant(wanted.due_before))
    if wanted.tag is not None:
        said.append("slug IN (SELECT slug FROM tags WHERE kind = ? AND tag = ?)")
        given += [kind.value, wanted.tag]
    if wanted.words:
        said.append("instr(folded, ?)")
        given.append(fold(wanted.words))
    if wanted.has_problems:
        said.append("problems <> ''")
    return " AND ".join(said), tuple(given)


def _rank(priority: str) -> int:
    return PRIORITIES.index(priority) if priority in PRIORITIES else _LEAST_LAST


def _forget(file: sqlite3.Connection, kind: Kind, slug: str) -> None:
    for table in ("items", "tags", "links"):
        file.execute(f"DELETE FROM {table} WHERE kind = ? AND slug = ?", (kind.value, slug))  # noqa: S608


def _insert(
    file: sqlite3.Connection, kind: Kind, row: Row, values: Values, problems: Sequence[str]
) -> None:
    text = {name: str(value) for name, value in values.items() if isinstance(value, str)}
    place, usage = values.get("order"), values.get("usage_count")
    confidence = values.get("confidence")
    file.execute(
        f"INSERT INTO items VALUES ({', '.join('?' * 20)})",  # noqa: S608
        (
            kind.value,
            row.slug,
            row.size_bytes,
            row.mtime_ns,
            row.looked_ns,
            text.get("title", row.slug),
            fold(f"{row.slug} {text.get('title', '')}"),
            text.get("created", ""),
            text.get("updated", ""),
            text.get("type", kind.value),
            text.get("status", ""),
            _rank(text.get("priority", "")),
            instant(text.get("due")),
            text.get("assignee", ""),
            text.get("epic", ""),
            place if isinstance(place, int | float) else None,
            text.get("source", ""),
            usage if isinstance(usage, int) else 0,
            confidence if isinstance(confidence, int | float) else 1.0,
            "\n".join(problems),
        ),
    )
    for tag in _tags(values.get("tags")):
        file.execute("INSERT OR IGNORE INTO tags VALUES (?, ?, ?)", (kind.value, row.slug, tag))
    for one in links_of(values):
        file.execute(
            "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?)",
            (kind.value, row.slug, one.type.value, one.target),
        )


def _tags(value: Value) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, tuple) else []


def links_of(values: Values) -> list[Link]:
    """Return the links of a file; that a task belongs to an epic is one of them."""
    value = values.get("links")
    found = [one for one in value if isinstance(one, Link)] if isinstance(value, tuple) else []
    epic = values.get("epic")
    return [*found, Link(EdgeType.SUBTASK_OF, f"{Kind.TASK}:{epic}")] if epic else found


def _base(file: sqlite3.Connection, kind: Kind, slug: str) -> Base | None:
    row = file.execute(
        "SELECT sha256, version, updated, text FROM bases WHERE kind = ? AND slug = ?",
        (kind.value, slug),
    ).fetchone()
    return None if row is None else Base(*row)


def _linking(row: tuple[str, str, str, str]) -> Linking:
    return Linking(Kind(row[0]), row[1], row[2], row[3])
