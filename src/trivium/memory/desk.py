"""Where memory is read and written: the files, what lists go by, and the rules between them.

Every change takes the lock of the folder, reads the file as it is now, applies the three-way
rule and returns when the file is on the disk; then the index takes it in. Used by the shelves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trivium.errors import NotFound, SourceError, UsageError, VersionConflict
from trivium.memory import front, limits, rules
from trivium.memory.attached import Attached, Attachment
from trivium.memory.catalog import Catalog
from trivium.memory.files import Changed, Files
from trivium.memory.items import (
    AnyItem,
    Values,
)
from trivium.memory.looking import Looking
from trivium.memory.reading import Now, item_of, now_of, stamp
from trivium.memory.rules import Base
from trivium.parsing.shelves import path_in_memory
from trivium.types import Kind, NodeId

# An editor that saves all the time is not waited for.
_MOST_TRIES = 20
_WAIT_S = 10.0

Clock = Callable[[], float]
# From what a file says and what is to change -> what changes with that.
Follow = Callable[[Values, Values], Values]
TakeIn = Callable[[Kind, Sequence[str]], None]
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


class Desk:
    """All of memory, of any kind. Safe to use from many threads and processes.

    `clock` gives the seconds since 1970 that timestamps are made of; `take_in` brings files of
    a kind into the index; `holder_of` says which file of the index has an id.
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
        self.attached = Attached(files)
        self.catalog = catalog
        self._take_in = take_in
        self._holder_of = holder_of
        self._clock = clock
        self._looking = Looking(files, catalog)
        self.look = self._looking.look

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
        values |= {"created": now, "updated": now}
        with self.files.lock(wait_s=_WAIT_S):
            for slug in limits.slugs_for(str(values["title"])):
                if not self._is_free(kind, slug):
                    continue
                base = self.catalog.base(kind, slug)
                version = 1 if base is None else base.version + 1
                text = front.fresh(kind, values, version=version)
                try:
                    with self._looking.noting(kind, slug):
                        self.files.create(kind, slug, text)
                        made = self._wrote(kind, slug, text, version=version, updated=now)
                    break
                except FileExistsError:
                    continue
        self._take_in(kind, [made.slug])
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
        self._take_in(kind, [slug])
        return done

    def update_all(
        self, kind: Kind, slugs: Sequence[str], given: Mapping[str, object], *, follow: Follow
    ) -> int:
        """Change the same fields of several; return how many were changed. Raises NotFound."""
        change = _Change(limits.checked(kind, given), follow)
        with self.files.lock(wait_s=_WAIT_S):
            self._check_there(kind, slugs)
            made = [self._changed(kind, slug, change, expected=None) for slug in slugs]
        changed = [one.item.slug for one in made if one is not None]
        if changed:
            self._take_in(kind, changed)
        return len(changed)

    def delete(self, kind: Kind, slugs: Sequence[str], *, expected: int | None = None) -> int:
        """Remove files; return how many. Raises NotFound, VersionConflict, and then removes none.

        One with an edit that the API has shown to nobody is kept as a conflict.
        """
        with self.files.lock(wait_s=_WAIT_S):
            self._check_there(kind, slugs)
            for slug in slugs:
                self._removed(kind, slug, expected=expected)
        self._take_in(kind, slugs)
        return len(slugs)

    def put(self, kind: Kind, slug: str, text: str, *, replace: bool = False) -> bool:
        """Write a whole file from elsewhere; return whether that changed anything.

        What is there and differs stays, unless it is to be replaced, and is then kept as a
        conflict. The index takes it in when it is told to. Raises UsageError.
        """
        limits.check_file(kind, slug, text)
        with self.files.lock(wait_s=_WAIT_S):
            now = self._read(kind, slug)
            if now is not None and now.kept.data == text.encode():
                return False
            if now is not None and not replace:
                raise UsageError(f"{kind}:{slug} is there and differs.")
            reading = front.read(kind, slug, text)
            base = self.catalog.base(kind, slug)
            last = now.version if now is not None else 0 if base is None else base.version
            version = max(reading.version, last + 1)
            said = reading.values.get("updated")
            try:
                with self._looking.noting(kind, slug):
                    if now is None:
                        self.files.create(kind, slug, text)
                    else:
                        self.files.conflict(kind, slug, now.kept.data)
                        self.files.replace(kind, slug, text, before=now.kept)
                    self._wrote(kind, slug, text, version=version, updated=str(said or self.now()))
            except (Changed, FileExistsError) as error:
                raise SourceError(f"{kind}:{slug} is being changed by another program.") from error
        return True

    def attach(self, kind: Kind, slug: str, name: str, data: bytes) -> Attachment:
        """Keep a file beside something. Raises NotFound, UsageError."""
        with self.files.lock(wait_s=_WAIT_S):
            self._check_there(kind, [slug])
            return self.attached.add(kind, slug, name, data)

    def detach(self, kind: Kind, slug: str, name: str) -> None:
        """Remove a file that was kept beside something. Raises NotFound."""
        with self.files.lock(wait_s=_WAIT_S):
            self._check_there(kind, [slug])
            self.attached.remove(kind, slug, name)

    def _check_there(self, kind: Kind, slugs: Sequence[str]) -> None:
        for slug in slugs:
            if not self.is_there(kind, slug):
                raise _missing(kind, slug)

    def _is_free(self, kind: Kind, slug: str) -> bool:
        """Whether no file has a slug, nor another file of the folder the id that comes of it."""
        try:
            # Files that were left by another of this name are not taken for its own.
            if self.files.read(kind, slug) is not None or self.attached.list(kind, slug):
                return False
        except SourceError:
            return False
        holder = self._holder_of(NodeId(f"{kind}:{slug}"))
        return holder is None or holder == path_in_memory(kind, slug)

    def _read(self, kind: Kind, slug: str) -> Now | None:
        kept = self.files.read(kind, slug)
        return None if kept is None else now_of(kind, slug, kept, self.catalog.base(kind, slug))

    def _see(self, kind: Kind, slug: str) -> AnyItem:
        """Put down that the API shows a file as it is now, and return it."""

        def make(base: Base | None) -> tuple[Base, AnyItem]:
            # Read again, now that nobody else can put down anything.
            kept = self.files.read(kind, slug)
            if kept is None:
                raise NotFound(f"No {kind} is called {slug} any more.")
            now = now_of(kind, slug, kept, base)
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
            if now.reading.values.get("created") is None:
                # Of a file by hand only its time tells, which this write changes.
                changes["created"] = now.updated
            new = front.changed(kind, text, changes, version=now.version + 1)
            copy = self.files.conflict(kind, slug, now.kept.data) if merged.unseen else None
            try:
                with self._looking.noting(kind, slug):
                    late = self.files.replace(kind, slug, new, before=now.kept)
                    made = self._wrote(kind, slug, new, version=now.version + 1, updated=stamped)
            except Changed:
                continue
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
                with self._looking.noting(kind, slug):
                    self.files.remove(kind, before=now.kept)
                break
            except Changed:
                continue
        self.attached.remove_all(kind, slug)
        self.catalog.take_in(kind, (), gone=[slug])

    def _wrote(self, kind: Kind, slug: str, text: str, *, version: int, updated: str) -> AnyItem:
        """Put down what was written, which the API has seen by that."""
        written = Base(_sha256(text), version, updated, text)
        self.catalog.see(kind, slug, lambda _: (written, None))
        return item_of(kind, slug, front.read(kind, slug, text), version, updated)


def _seen(kind: Kind, slug: str, now: Now) -> Values:
    """Return what the API last saw a file say; nothing, where it has never seen it."""
    if now.is_seen:
        return now.reading.values
    return {} if now.base is None else front.read(kind, slug, now.base.text).values


def _sha256(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def _missing(kind: Kind, slug: str) -> NotFound:
    return NotFound(f"No {kind} is called {slug}. List them with: trivium {kind} list")


def _check_version(node_id: NodeId, expected: int | None, actual: int) -> None:
    if expected is not None and expected != actual:
        raise VersionConflict(node_id, expected=expected, actual=actual)
