"""One life of a collection's folder: its views, its spaces and what was counted in it.

A folder that is removed and made anew starts another life, and nothing of the old one may be
read with the new. Held by the backend and by every snapshot and writer of that life.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from trivium.backends.embedded.database import Files, files_at
from trivium.backends.embedded.kept import folder_of
from trivium.backends.embedded.text import TextFolder, used_last, view_key, views_in
from trivium.backends.embedded.vectors import SpaceFolder
from trivium.errors import IndexUnusable
from trivium.types import Node, NodeId, View

if TYPE_CHECKING:
    import tantivy

    from trivium.backends.embedded.text import State
    from trivium.backends.embedded.vectors import Loaded

K = TypeVar("K")
T = TypeVar("T")
_MOST_REMEMBERED = 64
# Nodes of code with long lists of what they call take some 3 kB each.
_MOST_NODES = 2048


class Life:
    """What belongs to one incarnation of the folder, as long as its files are `files`."""

    def __init__(
        self,
        folder: Path,
        store: Path,
        *,
        files: Files,
        incarnation: str,
        views: tuple[View, ...],
    ) -> None:
        self.folder = folder
        self.store = store
        self._vectors = folder / "vectors"
        self.files = files
        self.incarnation = incarnation
        self._built_at_sync = views
        self._views: dict[str, TextFolder] = {}
        self._spaces: dict[str, SpaceFolder] = {}
        self._memory: dict[tuple[object, ...], object] = {}
        self._nodes: tuple[str, dict[NodeId, Node]] = ("", {})
        self._done: set[str] = set()
        self._guard = threading.Lock()

    def once(self, what: str, do: Callable[[], None]) -> None:
        """Do something that need not be done again in this life; again, if it fails."""
        if what not in self._done:
            do()
            self._done.add(what)

    def is_over(self) -> bool:
        """Say whether the folder has been removed or made anew."""
        return files_at(self.folder, self.store) != self.files

    def view(self, view: View) -> TextFolder:
        """Return the folder of a view."""
        key = view_key(view)
        with self._guard:
            if key not in self._views:
                self._views[key] = TextFolder(
                    self.folder / "text", view, incarnation=self.incarnation
                )
            return self._views[key]

    def space(self, model_id: str) -> SpaceFolder:
        """Return the folder of a vector space."""
        with self._guard:
            if model_id not in self._spaces:
                self._spaces[model_id] = SpaceFolder(
                    self.folder / "vectors" / model_id,
                    kept=folder_of(self.store),
                    incarnation=self.incarnation,
                )
            return self._spaces[model_id]

    def views_kept(self) -> list[TextFolder]:
        """Return the views a writer keeps up to date: those of every sync, and those in use."""
        wanted = {view_key(view): view for view in self._built_at_sync}
        made = {view_key(view): view for view in views_in(self.folder / "text")}
        for key in used_last(self.folder / "text", [key for key in made if key not in wanted]):
            wanted[key] = made[key]
        return [self.view(view) for _, view in sorted(wanted.items())]

    def remembered(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what `make` gave for this key before, or make it; the oldest are forgotten.

        The key names a state of this life, so what is remembered never goes stale.
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

    def read_before(self, what: str, revision: str, *, most: int) -> dict[K, T]:
        """Return what was read from a state before, to be added to; forgotten once it is `most`."""
        known = self.remembered((what, revision), dict[K, T])
        if len(known) >= most:
            known.clear()
        return known

    def nodes_of(self, revision: str) -> dict[NodeId, Node]:
        """Return nodes that were read from this state before."""
        with self._guard:
            return self._nodes[1] if self._nodes[0] == revision else {}

    def keep_nodes(self, revision: str, nodes: Mapping[NodeId, Node]) -> None:
        """Remember nodes of a state; of one state, and not too many of it."""
        if len(nodes) > _MOST_NODES:
            return
        with self._guard:
            is_same, known = self._nodes[0] == revision, self._nodes[1]
            if is_same and len(known) + len(nodes) <= _MOST_NODES:
                known.update(nodes)
            else:
                # Another one, since a reader may be looking into the old one.
                self._nodes = (revision, dict(nodes))

    def spaces_there(self) -> list[str]:
        """Return the ids of the models that have a folder of vectors, in order."""
        try:
            # Every search asks: iterdir makes a path of each name first.
            return sorted(os.listdir(self._vectors))  # noqa: PTH208
        except OSError:
            return []

    def pin_views(self) -> dict[str, tuple[State, tantivy.Searcher]]:
        """Return a searcher of every view in use, each fixed to what is current now."""
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

    def pin_spaces(self) -> dict[str, Loaded]:
        """Return the rows of every space in use, as they are now."""
        with self._guard:
            folders = dict(self._spaces)
        pinned = {}
        for model_id, folder in folders.items():
            # One that nobody has asked yet is opened when somebody does.
            loaded = folder.load() if folder.is_open else None
            if loaded is not None:
                pinned[model_id] = loaded
        return pinned
