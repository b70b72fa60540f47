"""The default backend: SQLite, Tantivy and vector files in one folder.

SQLite is the record; the text and vector indexes are derived from it, know which batch
they contain, and catch up whenever a writer opens. Readers in other processes each hold
a snapshot; one writer at a time holds the lock.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from trivium.backends.embedded import database
from trivium.backends.embedded.lock import writer_lock
from trivium.backends.embedded.read import EmbeddedSnapshot
from trivium.backends.embedded.text import TextFolder, view_key, views_in
from trivium.backends.embedded.vectors import SpaceFolder
from trivium.backends.embedded.write import EmbeddedWriter
from trivium.errors import IndexLocked, IndexUnusable
from trivium.types import View

if TYPE_CHECKING:
    import tantivy

    from trivium.backends.embedded.text import State
    from trivium.backends.embedded.vectors import Loaded


T = TypeVar("T")
_MOST_REMEMBERED = 64


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
        self._views: dict[str, TextFolder] = {}
        self._spaces: dict[str, SpaceFolder] = {}
        self._guard = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._memory: dict[tuple[object, ...], object] = {}
        self._built_at_sync = views
        self._root = dict(meta or {}).get("root", "")
        with self._translated("Opening the index"):
            database.create(folder, store, meta=dict(meta or {}))

    def meta(self) -> dict[str, str]:
        """Return what the collection remembers of itself."""
        with self._translated("Reading the index"), self._reading() as connection:
            return database.read_meta(connection)

    @contextmanager
    def snapshot(self) -> Iterator[EmbeddedSnapshot]:
        """Hold one state of the index for reading."""
        # Searchers first: SQLite commits before Tantivy, so the record then is never
        # older than the text index, and a hit that is gone from the record is dropped.
        with self._translated("Reading the index"):
            pinned = self._pin()
            spaces = self._pin_spaces()
        with self._translated("Reading the index"), self._reading() as connection:
            connection.execute("BEGIN")
            try:
                yield EmbeddedSnapshot(self, connection, pinned, spaces)
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")

    @contextmanager
    def writer(self, *, wait_s: float) -> Iterator[EmbeddedWriter]:
        """Become the writer; heals indexes that a crash left behind."""
        place = self.meta().get("root", str(self.folder))
        try:
            with self._translated("Writing the index"), writer_lock(self.folder, wait_s=wait_s):
                connection = database.connect(self.folder, self.store, writes=True)
                writer = EmbeddedWriter(self, connection)
                try:
                    yield writer
                finally:
                    writer.close()
                    connection.close()
        except IndexLocked as error:
            raise IndexLocked(place, holder=error.holder) from error

    def view(self, view: View) -> TextFolder:
        """Return the folder of a view."""
        key = view_key(view)
        with self._guard:
            if key not in self._views:
                self._views[key] = TextFolder(self.folder / "text", view)
            return self._views[key]

    def space(self, model_id: str) -> SpaceFolder:
        """Return the folder of a vector space."""
        with self._guard:
            if model_id not in self._spaces:
                self._spaces[model_id] = SpaceFolder(self.folder / "vectors" / model_id)
            return self._spaces[model_id]

    def views_kept(self) -> list[TextFolder]:
        """Return the views a writer keeps up to date: those of every sync, and those in use."""
        wanted = {
            view_key(view): view for view in (*self._built_at_sync, *views_in(self.folder / "text"))
        }
        return [self.view(view) for _, view in sorted(wanted.items())]

    def remembered(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what `make` gave for this key before, or make it; the oldest are forgotten.

        The key names a state of the index, so what is remembered never goes stale.
        """
        with self._guard:
            if key in self._memory:
                return cast("T", self._memory[key])
        made = make()
        with self._guard:
            self._memory[key] = made
            while len(self._memory) > _MOST_REMEMBERED:
                self._memory.pop(next(iter(self._memory)))
        return made

    def now(self) -> str:
        """Return the time, for people."""
        return datetime.now(UTC).isoformat(timespec="seconds")

    def close(self) -> None:
        """Close every connection that is not in use."""
        with self._guard:
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for reading; each snapshot has its own."""
        with self._guard:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = database.connect(self.folder, self.store, writes=False)
        try:
            yield connection
        finally:
            with self._guard:
                self._idle.append(connection)

    def _translated(self, what: str) -> AbstractContextManager[None]:
        return database.translated(what, root=self._root)

    def _pin(self) -> dict[str, tuple[State, tantivy.Searcher]]:
        for view in self._built_at_sync:
            self.view(view)
        with self._guard:
            folders = dict(self._views)
        pinned = {}
        for key, folder in folders.items():
            # One that cannot be read is reported to whoever asks it; a writer mends it.
            with suppress(IndexUnusable):
                found = folder.searcher()
                if found is not None:
                    pinned[key] = found
        return pinned

    def _pin_spaces(self) -> dict[str, Loaded]:
        with self._guard:
            folders = dict(self._spaces)
        pinned = {}
        for model_id, folder in folders.items():
            loaded = folder.load()
            if loaded is not None:
                pinned[model_id] = loaded
        return pinned
