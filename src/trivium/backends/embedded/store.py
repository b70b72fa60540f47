"""The default backend: SQLite, Tantivy and vector files in one folder.

SQLite is the record; the text and vector indexes are derived from it, know which batch
they contain, and catch up whenever a writer opens. Readers in other processes each hold
a snapshot; one writer at a time holds the lock. A folder that another process removed or
made anew is noticed at the next snapshot or writer.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from trivium.backends.embedded import database, garbage, vast
from trivium.backends.embedded.database import Files
from trivium.backends.embedded.life import Life
from trivium.backends.embedded.lock import turn_lock, writer_lock
from trivium.backends.embedded.read import EmbeddedSnapshot
from trivium.backends.embedded.text import TextFolder, view_key
from trivium.backends.embedded.write import EmbeddedWriter
from trivium.errors import BackendError, IndexLocked, IndexRemoved, IndexUnusable
from trivium.types import View

log = logging.getLogger(__name__)

_INTRODUCED_S = 5.0
# Lists that took a minute to make wait as long for a first sync to end.
_ARRANGED_S = 600.0
_MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class _Link:
    """A connection and the life of the folder it was opened in."""

    sql: sqlite3.Connection
    life: Life


class EmbeddedBackend:
    """One collection in `folder`, its texts and vectors in `store`."""

    def __init__(
        self,
        folder: Path,
        *,
        store: Path,
        meta: Mapping[str, str] | None = None,
        views: tuple[View, ...] = (),
    ) -> None:
        self.folder = folder
        self.store = store
        self._guard = threading.Lock()
        self._idle: list[_Link] = []
        self._life: Life | None = None
        self._built_at_sync = views
        self._meta = dict(meta or {})
        self._only: str | None = None
        with self._translated("Opening the index"):
            database.create(folder, store, meta=self._meta)

    def as_it_is(self) -> EmbeddedBackend:
        """Return the index that is there now, and no other; makes none where none is."""
        return copy(self)._bound()  # noqa: SLF001 - one of our own

    def _bound(self) -> EmbeddedBackend:
        # No incarnation yet, but none is made.
        self._only = ""
        with self._translated("Reading the index"), self._reading() as link:
            self._only = link.life.incarnation
        return self

    def introduce(self, meta: Mapping[str, str]) -> None:
        """Say what an index that is new is to remember of itself; what it knows already stays."""
        self._meta = {**meta, **self._meta}
        known = self.meta()
        missing = {key: value for key, value in self._meta.items() if key not in known}
        if missing:
            with self._writing("Opening the index", wait_s=_INTRODUCED_S) as link:
                database.write_meta(link.sql, missing)

    def views(self) -> list[str]:
        """Return the names of the text indexes that are kept up to date."""
        return [view_key(folder.view) for folder in self.views_kept()]

    def meta(self) -> dict[str, str]:
        """Return what the collection remembers of itself; one that was removed is not made anew."""
        if self._only is None and database.files_at(self.folder, self.store).record is None:
            return dict(self._meta)
        with self._translated("Reading the index"), self._reading() as link:
            return database.read_meta(link.sql)

    @contextmanager
    def snapshot(self) -> Iterator[EmbeddedSnapshot]:
        """Hold one state of the index for reading; an index that was removed is empty."""
        with self._translated("Reading the index"), self._reading() as link:
            # Searchers first: SQLite commits before Tantivy, so the record then is never
            # older than the text index, and a hit that is gone from the record is dropped.
            pinned = link.life.pin_views()
            spaces = link.life.pin_spaces()
            link.sql.execute("BEGIN")
            snapshot: EmbeddedSnapshot | None = None
            try:
                snapshot = EmbeddedSnapshot(link.life, link.sql, pinned, spaces)
                yield snapshot
            finally:
                if snapshot is not None:
                    snapshot.let_go()
                if link.sql.in_transaction:
                    link.sql.execute("COMMIT")

    @contextmanager
    def writer(self, *, wait_s: float) -> Iterator[EmbeddedWriter]:
        """Become the writer; heals indexes that a crash left behind."""
        with self._writing("Writing the index", wait_s=wait_s) as link:
            writer = EmbeddedWriter(link.life, link.sql)
            try:
                yield writer
            finally:
                writer.close()

    @property
    def turns(self) -> int:
        """How many may embed with one model at the same time: one: they have the same cores."""
        return 1

    @contextmanager
    def turn(self, model_id: str, *, wait_s: float) -> Iterator[None]:
        """Be the only one who embeds with this model, in all collections of the store."""
        with ExitStack() as turn:
            with self._named("Embedding"):
                self._check_is_there()
                name = f"embedding-{model_id}"
                lock = turn_lock(self.store, name, wait_s=wait_s, wanted=self._is_wanted)
                turn.enter_context(lock)
                self._check_is_there()
            yield

    def arrange(self, progress: Callable[[int, int], None]) -> int:
        """Put the vectors of large spaces into lists where that is due; return of how many."""
        with self._translated("Reading the index"), self._reading() as link:
            life = link.life
        return sum(self._arranged(life, model_id, progress) for model_id in life.spaces_there())

    def _arranged(self, life: Life, model_id: str, progress: Callable[[int, int], None]) -> bool:
        if not vast.may_be_due(life.space(model_id)):
            return False
        what = "Putting vectors into lists"
        name, wanted = f"lists-{model_id}", self._is_wanted
        try:
            with self._named(what), turn_lock(self.folder, name, wait_s=0, wanted=wanted):
                return vast.arrange(
                    life.space(model_id),
                    locked=lambda: self._locked(what, wait_s=_ARRANGED_S),
                    progress=progress,
                )
        except IndexLocked:
            log.info("another process is at it: %s of %s", what, model_id)
        except IndexRemoved:
            raise
        except BackendError as error:
            # A disk that is full: searches scan on.
            log.warning("vectors of %s are scanned in full: %s", model_id, error)
        return False

    def destroy(self, *, wait_s: float) -> None:
        """Remove the collection, and the store too if no other collection uses it.

        What the files held is overwritten first. Raises IndexLocked if another process still
        writes after `wait_s`. A backend that is used again starts an empty collection.
        """
        with self._locked("Removing the index", wait_s=wait_s):
            link = self._connect(writes=True)
            try:
                garbage.forget_all(link.sql, str(self.folder))
                is_shared = garbage.has_other_users(link.sql, str(self.folder))
            finally:
                link.sql.close()
            self.close()
            if not is_shared:
                database.remove(self.store / "store.db")
            database.remove(self.folder / "collection.db")

    def view(self, view: View) -> TextFolder:
        """Return the folder of a view."""
        with self._translated("Reading the index"), self._reading() as link:
            return link.life.view(view)

    def views_kept(self) -> list[TextFolder]:
        """Return the views a writer keeps up to date: those of every sync, and those in use."""
        with self._translated("Reading the index"), self._reading() as link:
            return link.life.views_kept()

    def close(self) -> None:
        """Close every connection that is not in use."""
        with self._guard:
            while self._idle:
                self._idle.pop().sql.close()

    @contextmanager
    def _reading(self) -> Iterator[_Link]:
        """Lend a connection for reading; each snapshot has its own."""
        link = self._idle_link() or self._connect(writes=False)
        try:
            yield link
        finally:
            with self._guard:
                self._idle.append(link)

    def _idle_link(self) -> _Link | None:
        """Return an idle connection to the files that are there now; others are closed."""
        files = database.files_at(self.folder, self.store)
        with self._guard:
            while self._idle:
                link = self._idle.pop()
                if link.life.files == files and self._only in (None, "", link.life.incarnation):
                    return link
                link.sql.close()
        return None

    @contextmanager
    def _locked(self, what: str, *, wait_s: float) -> Iterator[None]:
        with self._named(what):
            self._check_is_there()
            with writer_lock(self.folder, wait_s=wait_s, wanted=self._is_wanted):
                self._check_is_there()
                yield

    def _is_wanted(self, folder: Path) -> bool:
        """Whether there is, or may come to be, anything in a folder that a lock is for."""
        kept = folder / ("collection.db" if folder == self.folder else "store.db")
        return self._only is None or kept.exists()

    def _check_is_there(self) -> None:
        """Raise IndexRemoved if this is to go on with one index, and there is none."""
        if self._is_gone():
            raise self._removed()

    def _is_gone(self) -> bool:
        # The store goes before the record.
        return not (self._is_wanted(self.store) and self._is_wanted(self.folder))

    def _removed(self) -> IndexRemoved:
        return IndexRemoved(self._meta.get("root", str(self.folder)))

    @contextmanager
    def _named(self, what: str) -> Iterator[None]:
        """Name the folder that is indexed, not that of the index, where another holds a lock."""
        try:
            with self._translated(what):
                yield
        except IndexLocked as error:
            place = self._meta.get("root", str(self.folder))
            raise IndexLocked(place, holder=error.holder) from error

    @contextmanager
    def _writing(self, what: str, *, wait_s: float) -> Iterator[_Link]:
        with self._locked(what, wait_s=wait_s):
            link = self._connect(writes=True)
            try:
                yield link
            finally:
                link.sql.close()

    def _connect(self, *, writes: bool) -> _Link:
        """Open the files that are there, made now if they are gone."""
        for tries_left in reversed(range(_MOST_TRIES)):
            files = database.files_at(self.folder, self.store)
            try:
                if self._only is None:
                    database.create(self.folder, self.store, meta=self._meta)
                elif files.record is None or files.store is None:
                    raise self._removed()
                files = database.files_at(self.folder, self.store)
                connection = database.connect(self.folder, self.store, writes=writes)
            except (sqlite3.OperationalError, FileNotFoundError) as error:
                # Files that came back may have the numbers of those that went.
                may_help = tries_left and database.may_be_removed(error)
                if not may_help and database.files_at(self.folder, self.store) == files:
                    raise
                continue
            # The files may have been replaced before both were open.
            if database.files_at(self.folder, self.store) == files:
                return self._linked(connection, files)
            connection.close()
        raise BackendError(f"The index in {self.folder} is being made anew. Try again.")

    def _linked(self, connection: sqlite3.Connection, files: Files) -> _Link:
        try:
            incarnation = database.read_meta(connection).get("incarnation", "")
        except BaseException:
            connection.close()
            raise
        if self._only not in (None, "", incarnation):
            connection.close()
            raise self._removed()
        with self._guard:
            life = self._life
            if life is None or (life.files, life.incarnation) != (files, incarnation):
                life = self._life = Life(
                    self.folder,
                    self.store,
                    files=files,
                    incarnation=incarnation,
                    views=self._built_at_sync,
                )
        return _Link(connection, life)

    @contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        try:
            with database.translated(what, root=self._meta.get("root", "")):
                yield
        except (BackendError, IndexUnusable) as error:
            # Whatever failed, it failed because the files have gone.
            if isinstance(error, IndexRemoved) or not self._is_gone():
                raise
            raise self._removed() from error
