"""What open() returns: one collection's searches, syncs, look-ups and memory.

Holds no logic of its own: it finds the place of a folder's index, and hands each call to
the engine, the indexer or the backend. Safe to use from many threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from trivium import config, whereabouts
from trivium.backends.base import Backend
from trivium.backends.registry import reach
from trivium.collection.asking import Asking
from trivium.errors import BackendError, IndexNotFound, IndexUnusable, NotFound, UsageError
from trivium.home import find_root, folder_of, listed, memory_places
from trivium.types import Answer, NodeId
from trivium.writing.feed import feeds_in

if TYPE_CHECKING:
    from trivium.memory.kinds import Notes, Skills
    from trivium.memory.memory import LinkedItem, Memory
    from trivium.memory.tasks import Tasks


class Collection(Asking):
    """A named index of one folder."""

    @property
    def notes(self) -> Notes:
        """Notes: what people and agents want to remember."""
        return self.memory.notes

    @property
    def tasks(self) -> Tasks:
        """Tasks and epics: what is to be done."""
        return self.memory.tasks

    @property
    def skills(self) -> Skills:
        """Skills that people and agents write down: how things are done."""
        return self.memory.skills

    @cached_property
    def memory(self) -> Memory:
        """Notes, tasks and skills together, and what is common to them."""
        from trivium.memory.ground import Ground
        from trivium.memory.memory import Memory

        if not self.feed.is_all:
            raise UsageError(
                "Several folders feed this collection, so it has no notes, tasks and skills of "
                "its own; those of its folders are found in it as pages."
            )

        ground = Ground(
            self._backend,
            search=self.search,
            sync=lambda folders: self.sync(folders=folders),
            elsewhere=partial(_elsewhere, self.settings),
        )
        is_users = self.settings.text("memory.place") == "user"
        places = memory_places(self.root, self.settings.home, is_users=is_users)
        return Memory(places, self._folder / "memory.db", ground=ground)

    def _catch_up(self) -> None:
        if "memory" in vars(self):
            self.memory.ground.catch_up()

    def find_linked(self, wanted: str, *, type: str | None = None) -> list[LinkedItem]:
        """Return the notes, tasks and skills that link to a node, or `@name::id` of another."""
        return self.memory.find_linked(wanted, type_=type)

    def recall(
        self,
        context: str,
        *,
        limit: int | None = None,
        min_score: float = 0.3,
        search_mode: str = "hybrid",
        explain: bool = False,
    ) -> Answer:
        """Return the skills for what someone is about to do, told in a sentence or two."""
        return self.skills.recall(
            context, limit=limit, min_score=min_score, search_mode=search_mode, explain=explain
        )

    def reset(self, *, keeps_place: bool = False) -> None:
        """Forget everything: the index is removed, the folder itself is not touched.

        One that was moved is made on this machine the next time, unless `keeps_place`. Of a
        collection that several folders feed, what this one has brought is removed.
        """
        if self.feed.is_all:
            self._backend.destroy(wait_s=5.0)
            self.memory.desk.catalog.forget()
        else:
            self._kept.withdraw()
        self._queries.forget()
        self._opened.forget()
        if not keeps_place:
            whereabouts.forget(self._folder)


def _elsewhere(
    settings: config.Settings, name: str, ids: Sequence[NodeId]
) -> frozenset[NodeId] | None:
    """Return which ids are in the collection of a name; None if there is none."""
    root = next((one.root for one in listed(settings.home) if one.name == name), None)
    if root is None:
        return None
    with (
        suppress(IndexUnusable, NotFound, BackendError),
        open_collection(root, settings=settings, create=False) as other,
        other._backend.snapshot() as snapshot,  # noqa: SLF001 - one of the same class
    ):
        return frozenset(snapshot.nodes(ids))
    return None


def open_collection(
    path: str | Path,
    *,
    settings: config.Settings | None = None,
    create: bool = True,
    backend: Backend | None = None,
    file: str = "",
) -> Collection:
    """Return the collection of a folder, made on first use.

    `backend` keeps the index elsewhere than in `$TRIVIUM_HOME`. `file` is the name of the only
    file in the folder that searches look at; empty for all of them.

    A folder below one that is indexed uses that index, limited to the folder. Raises
    IndexNotFound if there is none and `create` is false, UsageError if it is no folder.
    """
    folder = Path(path).expanduser().resolve()
    known = config.load() if settings is None else settings
    root = find_root(folder, known.home)
    if root is not None:
        known = whereabouts.settled(known, folder_of(root, known.home))
    is_elsewhere = known.text("backend.kind") != "embedded"
    if root is None and not create and folder.is_dir() and not is_elsewhere:
        raise IndexNotFound(str(folder))
    # The root of an index may have gone since; a folder below it must be there.
    if root != folder and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that is to be searched.")
    root = folder if root is None else root
    # An index is made with the settings of its root, not of a folder below it.
    settings = config.load(folder=root) if settings is None else settings
    settings = whereabouts.settled(settings, folder_of(root, settings.home))
    below = folder.relative_to(root).as_posix() if folder != root else ""
    only = (Path(below) / file).as_posix() if file else ""
    made = Collection(root, settings=settings, below=below, file=only, backend=backend)
    if is_elsewhere and not create and not made.is_indexed:
        made.close()
        raise IndexNotFound(str(folder))
    return made


def adopt(name: str, *, settings: config.Settings) -> Path:
    """Have this machine answer for a collection that others keep on a cluster; return its folder.

    The folder need not be here: what it holds is then asked and never synced. Raises NotFound
    that says which there are.
    """
    from trivium.backends.opensearch.state import collections_of
    from trivium.backends.opensearch.store import OpenSearchBackend

    wanted = settings.flagged({"backend.collection": name})
    with closing(reach(wanted)) as client:
        meta = OpenSearchBackend(name, client=client).meta()
        if "indexed_at" not in meta:
            known = ", ".join(collections_of(client)) or "none"
            raise NotFound(f"No collection {name[:100]!r} is on the cluster. There are: {known}.")
    is_shared = bool(feeds_in(meta))
    # Of one that several folders feed, none of these is the folder.
    root = settings.home / "shared" / name if is_shared else Path(meta["root"])
    called = name if is_shared else meta["name"]
    whereabouts.remember(folder_of(root, settings.home), called, root, wanted)
    return root
