"""Where memory is read and written: the files, what lists go by, and the rules between them.

Every change takes the lock of the folder, reads the file as it is now, applies the three-way
rule and returns when the file is on the disk; then the index takes it in. Used by the shelves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trivium.errors import NotFound, SourceError, UsageError, VersionConflict
from trivium.memory import front, limits, rules
from trivium.memory.catalog import Catalog, Row
from trivium.memory.files import Changed, Files, Kept
from trivium.memory.items import (
    EPIC,
    EPIC_STATUSES,
    FIELDS,
    AnyItem,
    Note,
    Skill,
    Task,
    Value,
    Values,
)
from trivium.memory.rules import Base
from trivium.parsing.shelves import path_in_memory
from trivium.types import Kind, NodeId

# A file written again within one tick of the clock keeps its time.
_RACY_NS = 2_000_000_000
# An editor that saves all the time is not waited for.
_MOST_TRIES = 20
_WAIT_S = 10.0

Clock = Callable[[], float]
# From what a file says and what is to change -> what changes with that.
Follow = Callable[[Values, Values], Values]
TakeIn = Callable[[Kind], None]
HolderOf = Callable[[NodeId], str | None]


def follows_nothing(now: Values, changes: Values) -> Values:
    """Change nothing else."""
    del now, changes
    return {}


@dataclass(frozen=True, slots=True)
class Done:
    """What a change has made, and the copy of an edit that it replaced unseen, if any."""

    item: AnyItem
    conflict: Path | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """What someone asked for, and what follows from it and from what the file says."""

    values: Values
    follow: Follow


@dataclass(frozen=True, slots=True)
class _Now:
    """A file with what it says, at which version, and what the API last saw of it."""

    kept: Kept
    reading: front.Reading
    version: int
    updated: str
    base: Base | None

    @property
    def is_seen(self) -> bool:
        return self.base is not None and self.base.sha256 == self.kept.sha256


class Desk:
    """All of memory, of any kind. Safe to use from many threads and processes.

    `clock` gives the seconds since 1970 that timestamps are made of; `take_in` brings a kind's
    files into the index; `holder_of` says which file of the index has an id.
    """

    def __init__(
        self,
        files: Files,
        catalog: Catalog,
        *,
        take_in: TakeIn,
        holder_of: HolderOf,
        clock: Clock = time.time,
    ) -> None:
        self.files = files
        self.catalog = catalog
        self._take_in = take_in
        self._holder_of = holder_of
        self._clock = clock

    def now(self) -> str:
        """Return the time as files have it."""
        return stamp(self._clock())

    def get(self, kind: Kind, slug: str) -> AnyItem:
        """Return something by its slug, as its file says now. Raises NotFound."""
        found = self._read(kind, slug)
        if found is None:
            raise _missing(kind, slug)
        if not found.is_seen:
            return self._see(kind, slug)
        return item_of(kind, slug, found.reading, found.version, found.updated)

    def peek(self, kind: Kind, slug: str) -> AnyItem:
        """Return something without counting it as shown to anyone. Raises NotFound."""
        found = self._read(kind, slug)
        if found is None:
            raise _missing(kind, slug)
        return item_of(kind, slug, found.reading, found.version, found.updated)

    def is_there(self, kind: Kind, slug: str) -> bool:
        """Whether there is such a file."""
        return self.files.read(kind, slug) is not None

    def create(self, kind: Kind, given: Mapping[str, object], more: Values) -> AnyItem:
        """Write something new; its slug is made of its title."""
        values = {**more, **limits.checked(kind, given)}
        now = self.now()
        text = front.fresh(kind, {**values, "created": now, "updated": now})
        with self.files.lock(wait_s=_WAIT_S):
            for slug in limits.slugs_for(str(values["title"])):
                if not self._is_free(kind, slug):
                    continue
                try:
                    self.files.create(kind, slug, text)
                    break
                except FileExistsError:
                    continue
            made = self._wrote(kind, slug, text, version=1, updated=now)
        self._take_in(kind)
        return made

    def update(
        self,
        kind: Kind,
        slug: str,
        given: Mapping[str, object],
        *,
        expected: int | None = None,
        follow: Follow = follows_nothing,
    ) -> Done:
        """Change fields of something. Raises VersionConflict if it is not at version `expected`.

        Returns when the change is on the disk; what changes nothing writes nothing.
        """
        change = _Change(limits.checked(kind, given), follow)
        return self._update(kind, slug, change, expected=expected)

    def amend(
        self,
        kind: Kind,
        slug: str,
        make: Callable[[Values], Values],
        *,
        expected: int | None = None,
    ) -> Done:
        """Change fields by what the file says now: nobody can write in between."""
        change = _Change({}, lambda now, _: make(now))
        return self._update(kind, slug, change, expected=expected)

    def _update(self, kind: Kind, slug: str, change: _Change, *, expected: int | None) -> Done:
        with self.files.lock(wait_s=_WAIT_S):
            done = self._changed(kind, slug, change, expected=expected)
        if done is None:
            return Done(self.get(kind, slug))
        self._take_in(kind)
        return done

    def update_all(
        self, kind: Kind, slugs: Sequence[str], given: Mapping[str, object], *, follow: Follow
    ) -> int:
        """Change the same fields of several; return how many were changed. Raises NotFound."""
        change = _Change(limits.checked(kind, given), follow)
        with self.files.lock(wait_s=_WAIT_S):
            self._check_there(kind, slugs)
            made = [self._changed(kind, slug, change, expected=None) for slug in slugs]
        count = sum(one is not None for one in made)
        if count:
            self._take_in(kind)
        return count

    def delete(self, kind: Kind, slugs: Sequence[str], *, expected: int | None = None) -> int:
        """Remove files; return how many. Raises NotFound, VersionConflict, and then removes none.

        One with an edit that the API has shown to nobody is kept as a conflict.
        """
        with self.files.lock(wait_s=_WAIT_S):
            self._check_there(kind, slugs)
            for slug in slugs:
                self._removed(kind, slug, expected=expected)
        self._take_in(kind)
        return len(slugs)

    def look(self, kind: Kind, *, whole: bool = False) -> None:
        """Bring what lists go by up to date with the files.

        Files that were edited in place are noticed where `whole`, or with any file that came
        or went; opening each folder costs more the more there are.
        """
        stamps = self.files.stamps(kind)
        known = self.catalog.looked(kind)
        written = " ".join(map(str, stamps))
        if not whole and known is not None and known[0] == written:
            is_settled = max(stamps) < known[1] - _RACY_NS
            if is_settled:
                return
        looked = time.time_ns()
        listing = self.files.listed(kind)
        rows = self.catalog.rows(kind)
        changed = [
            slug
            for slug, one in listing.items()
            if (row := rows.get(slug)) is None
            or (row.size_bytes, row.mtime_ns) != (one.size_bytes, one.mtime_ns)
            or one.mtime_ns > row.looked_ns - _RACY_NS
        ]
        gone = [slug for slug in rows if slug not in listing]
        self.catalog.take_in(
            kind, self._rows(kind, changed, looked), gone=gone, stamps=(written, looked)
        )
        self.files.tidy(kind, now=looked / 1e9)

    def _rows(
        self, kind: Kind, slugs: Sequence[str], looked: int
    ) -> Iterator[tuple[Row, Values, Sequence[str]]]:
        bases = self.catalog.bases(kind) if slugs else {}
        for slug in slugs:
            try:
                kept = self.files.read(kind, slug)
            except SourceError as error:
                yield Row(slug, 0, 0, 0), {"title": slug}, (str(error),)
                continue
            if kept is not None:
                now = _now(kind, slug, kept, bases.get(slug))
                item = item_of(kind, slug, now.reading, now.version, now.updated)
                row = Row(slug, kept.size_bytes, kept.mtime_ns, looked)
                yield row, _values(kind, item), item.problems

    def _check_there(self, kind: Kind, slugs: Sequence[str]) -> None:
        for slug in slugs:
            if not self.is_there(kind, slug):
                raise _missing(kind, slug)

    def _is_free(self, kind: Kind, slug: str) -> bool:
        """Whether no file has a slug, nor another file of the folder the id that comes of it."""
        try:
            if self.files.read(kind, slug) is not None:
                return False
        except SourceError:
            return False
        holder = self._holder_of(NodeId(f"{kind}:{slug}"))
        return holder is None or holder == path_in_memory(kind, slug)

    def _read(self, kind: Kind, slug: str) -> _Now | None:
        kept = self.files.read(kind, slug)
        return None if kept is None else _now(kind, slug, kept, self.catalog.base(kind, slug))

    def _see(self, kind: Kind, slug: str) -> AnyItem:
        """Put down that the API shows a file as it is now, and return it."""

        def make(base: Base | None) -> tuple[Base, AnyItem]:
            # Read again, now that nobody else can put down anything.
            kept = self.files.read(kind, slug)
            if kept is None:
                raise NotFound(f"No {kind} is called {slug} any more.")
            now = _now(kind, slug, kept, base)
            seen = Base(kept.sha256, now.version, now.updated, kept.text or "")
            return seen, item_of(kind, slug, now.reading, now.version, now.updated)

        return self.catalog.see(kind, slug, make)

    def _changed(
        self, kind: Kind, slug: str, change: _Change, *, expected: int | None
    ) -> Done | None:
        """Change a file under the lock; None if nothing changes."""
        for _ in range(_MOST_TRIES):
            now = self._read(kind, slug)
            if now is None:
                raise _missing(kind, slug)
            text = now.kept.text
            if text is None:
                raise UsageError(f"{now.kept.path} is not UTF-8. Put that right in the file first.")
            _check_version(NodeId(f"{kind}:{slug}"), expected, now.version)
            merged = rules.merged(_seen(kind, slug, now), now.reading.values, change.values)
            more = change.follow(now.reading.values, merged.changes)
            more = rules.merged(now.reading.values, now.reading.values, more).changes
            if not merged.changes and not more:
                return None
            stamped = self.now()
            changes = {**merged.changes, **more, "updated": stamped}
            new = front.changed(kind, text, changes, version=now.version + 1)
            copy = self.files.conflict(kind, slug, now.kept.data) if merged.unseen else None
            try:
                late = self.files.replace(kind, slug, new, before=now.kept)
            except Changed:
                continue
            made = self._wrote(kind, slug, new, version=now.version + 1, updated=stamped)
            return Done(made, copy or late)
        raise SourceError(f"{kind}:{slug} is being changed by another program all the time.")

    def _removed(self, kind: Kind, slug: str, *, expected: int | None) -> None:
        for _ in range(_MOST_TRIES):
            now = self._read(kind, slug)
            if now is None:
                # Somebody else was first.
                break
            _check_version(NodeId(f"{kind}:{slug}"), expected, now.version)
            if not now.is_seen:
                self.files.conflict(kind, slug, now.kept.data)
            try:
                self.files.remove(kind, before=now.kept)
                break
            except Changed:
                continue
        self.catalog.take_in(kind, (), gone=[slug])

    def _wrote(self, kind: Kind, slug: str, text: str, *, version: int, updated: str) -> AnyItem:
        """Put down what was written, which the API has seen by that."""
        written = Base(_sha256(text), version, updated, text)
        self.catalog.see(kind, slug, lambda _: (written, None))
        return item_of(kind, slug, front.read(kind, slug, text), version, updated)


def stamp(seconds: float) -> str:
    """Return a time as files and JSON have it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def item_of(kind: Kind, slug: str, reading: front.Reading, version: int, updated: str) -> AnyItem:
    """Return the note, task or skill that a file holds; what it does not say is as usual."""
    made: dict[Kind, Callable[..., AnyItem]] = {
        Kind.NOTE: Note,
        Kind.TASK: Task,
        Kind.SKILL: Skill,
    }
    values: dict[str, Value] = {
        name: value for name, value in reading.values.items() if value is not None
    }
    if values.get("type") == EPIC:
        values.setdefault("status", EPIC_STATUSES[0])
    values.setdefault("created", updated)
    more = {"version": version, "updated": updated, "problems": reading.problems}
    return made[kind](slug=slug, **{**values, **more})


def _now(kind: Kind, slug: str, kept: Kept, base: Base | None) -> _Now:
    reading = _reading(kind, slug, kept)
    sha256 = kept.sha256
    version = rules.version_of(base, sha256=sha256, written=reading.version)
    if base is not None and base.sha256 == sha256:
        updated = base.updated
    else:
        said = reading.values.get("updated")
        is_by_hand = base is not None and reading.version <= base.version
        updated = str(said) if said and not is_by_hand else stamp(kept.mtime_ns / 1e9)
    return _Now(kept, reading, version, updated, base)


def _seen(kind: Kind, slug: str, now: _Now) -> Values:
    """Return what the API last saw a file say; nothing, where it has never seen it."""
    if now.is_seen:
        return now.reading.values
    return {} if now.base is None else front.read(kind, slug, now.base.text).values


def _reading(kind: Kind, slug: str, kept: Kept) -> front.Reading:
    text = kept.text
    if text is not None:
        return front.read(kind, slug, text)
    found = front.read(kind, slug, kept.data.decode("utf-8", "replace"))
    return front.Reading(found.values, found.version, ("The file is not UTF-8.", *found.problems))


def _values(kind: Kind, item: AnyItem) -> Values:
    return {field.name: getattr(item, field.name) for field in FIELDS[kind]}


def _sha256(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def _missing(kind: Kind, slug: str) -> NotFound:
    return NotFound(f"No {kind} is called {slug}. List them with: trivium {kind} list")


def _check_version(node_id: NodeId, expected: int | None, actual: int) -> None:
    if expected is not None and expected != actual:
        raise VersionConflict(node_id, expected=expected, actual=actual)
