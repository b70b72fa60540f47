"""Ids, names and paths -> nodes, files, relations and counts, read from the index as it is.

Nothing is ranked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trivium.analysis.words import analyser
from trivium.backends.base import Census, Contents, FileContent, FileHistory, Space
from trivium.collection.held import Held
from trivium.errors import ChunkNotFound, NotFound, UsageError
from trivium.graph.walk import Direction
from trivium.lookups import (
    CALLS,
    DEPENDS,
    Checked,
    FileFacts,
    Surroundings,
    Walking,
    called,
    checked,
    files_of,
    find,
    near,
    related,
    sections_of,
    surroundings,
)
from trivium.meaning import Filling
from trivium.sources.git import branch_of
from trivium.types import Chunk, ChunkId, Edge, EdgeType, Node, NodeId

if TYPE_CHECKING:
    from trivium.parsing.skills import SectionPreview
    from trivium.results.relations import Relations
    from trivium.sources.blame import Share


@dataclass(frozen=True, slots=True)
class Item:
    """A node with its whole text, its chunks, its edges and its sections.

    `history` is what the repository knows of its file, if there is one.
    """

    node: Node
    text: str
    chunks: tuple[Chunk, ...]
    edges: tuple[Edge, ...]
    sections: tuple[SectionPreview, ...] = ()
    history: FileHistory | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """What a collection holds and how it was made; `queries` is how many it remembers.

    `embedded` is the share of chunks that the model has embedded, `problem` why it cannot,
    `blank` how many chunks of which files a service gave no vector for.
    """

    name: str
    root: str
    folder: str
    contents: Contents
    spaces: tuple[Space, ...]
    views: tuple[str, ...]
    dirty_files: int
    model: str
    embedded: float
    census: Census
    branch: str
    filling: Filling | None = None
    queries: int = 0
    problem: str = ""
    blank: Mapping[str, int] = field(default_factory=dict)


class Looking(Held):
    """What a collection holds."""

    def get(self, wanted: str) -> Item:
        """Return a node by its id, that of one of its chunks, its path, or a name only it has.

        A line of a file (a.py:84) is the smallest node around it. Raises ChunkNotFound, NotFound
        for a line beyond the end, and UsageError that lists the ids where several have the name.
        Counts as opening its file: what is opened most is embedded first.
        """
        found = self._item(wanted)
        self._opened.note(found.node.source.file_path)
        return found

    def _item(self, wanted: str) -> Item:
        with self._backend.snapshot() as snapshot:
            node = snapshot.node(NodeId(wanted))
            if node is None:
                found = snapshot.fetch([ChunkId(wanted)])
                if found:
                    only = found[0]
                    return Item(only.node, only.chunk.text, (only.chunk,), ())
                node = called(snapshot, wanted)
                if node is None:
                    raise ChunkNotFound(wanted)
            return Item(
                node,
                snapshot.text_of(node.id),
                tuple(snapshot.chunks_of(node.id)),
                tuple(snapshot.edges_of(node.id)),
                sections_of(snapshot, node),
                snapshot.history(node.source.file_path),
            )

    def node(self, wanted: str) -> Node | None:
        """Return the node that `get` would, without its text, or None; this opens no file.

        Raises NotFound for a line beyond the end of a file, and UsageError as `get` does.
        """
        with self._backend.snapshot() as snapshot:
            return called(snapshot, wanted)

    def near(self, wanted: str) -> list[NodeId]:
        """Return the ids of a few nodes whose names are nearly what was asked for."""
        with self._backend.snapshot() as snapshot:
            return near(snapshot, wanted, within=self._place.where)

    def file(self, path: str) -> FileContent:
        """Return a file as it was taken in, secrets masked. Raises NotFound."""
        below = f"{self.below}/" if self.below else ""
        with self._backend.snapshot() as snapshot:
            found = snapshot.content(path) if path.startswith(below) else None
        if found is None:
            raise NotFound(f"No file {path[:1000]!r} is in the index of {self.name}.")
        return found

    def nodes(self) -> Iterator[Node]:
        """Return every node of the collection, file by file."""
        with self._backend.snapshot() as snapshot:
            for path in snapshot.paths():
                content = snapshot.content(path)
                yield from () if content is None else content.nodes

    def paths(self, below: str = "") -> list[str]:
        """Return the paths of all files, or of those below a folder of the root."""
        inside = "" if below in ("", ".") else f"{below}/"
        with self._backend.snapshot() as snapshot:
            return [
                path
                for path in snapshot.paths()
                if path.startswith(inside) and not path.endswith("/")
            ]

    def texts(self, ids: Sequence[str]) -> Mapping[NodeId, str]:
        """Return the whole texts of nodes; unlike `get` this opens none of them."""
        with self._backend.snapshot() as snapshot:
            return snapshot.texts([NodeId(one) for one in ids])

    def files(self, paths: Sequence[str]) -> Mapping[str, FileFacts]:
        """Return what is known of files; one that is not indexed is left out."""
        with self._backend.snapshot() as snapshot:
            return files_of(snapshot, paths)

    def authors(self, wanted: str) -> list[Share]:
        """Return who wrote the lines of a node, and how many each; reads the file's history."""
        from trivium.sources.blame import authors

        with self._backend.snapshot() as snapshot:
            source = find(snapshot, wanted).source
        path = self.feed.local(source.file_path)
        if path is None:
            raise UsageError(f"{source.file_path} is fed from another machine: ask there.")
        return authors(self.root, path, first_line=source.start_line, last_line=source.end_line)

    def callers(self, wanted: str, *, depth: int = 3) -> Relations:
        """Return what calls a function, by its id or name, and what calls that."""
        return self._related(wanted, Walking(CALLS, Direction.IN, depth))

    def callees(self, wanted: str, *, depth: int = 3) -> Relations:
        """Return what a function calls, and what that calls."""
        return self._related(wanted, Walking(CALLS, Direction.OUT, depth))

    def impact(
        self, wanted: str, *, depth: int = 5, types: frozenset[EdgeType] = DEPENDS
    ) -> Relations:
        """Return what may break when a node changes: what depends on it or on what it contains."""
        return self._related(wanted, Walking(types, Direction.IN, depth, with_contents=True))

    def neighbors(
        self,
        wanted: str,
        *,
        depth: int = 1,
        types: frozenset[EdgeType] | None = None,
        direction: str = "both",
    ) -> Relations:
        """Return what a node is linked with, whichever way."""
        return self._related(wanted, Walking(types, Direction(direction), depth))

    def surroundings(
        self,
        wanted: str,
        *,
        depth: int = 1,
        types: frozenset[EdgeType] | None = None,
        limit: int = 200,
    ) -> Surroundings:
        """Return a node, what it is linked with, and all edges between these: a small graph."""
        with self._backend.snapshot() as snapshot:
            walking = Walking(types, Direction.BOTH, depth)
            return surroundings(snapshot, wanted, walking, limit=limit)

    def _related(self, wanted: str, walking: Walking) -> Relations:
        with self._backend.snapshot() as snapshot:
            return related(snapshot, wanted, walking)

    def check(self) -> Checked:
        """Look at how links and skills are kept: what leads nowhere, and a score for the skills."""
        with self._backend.snapshot() as snapshot:
            return checked(snapshot)

    def status(self) -> Status:
        """Say what the collection holds and how far it is behind its folder.

        Raises IndexRemoved if another process has removed it.
        """
        # Looking makes no index where none is any more.
        there = self._backend.as_it_is()
        dirty = self._kept.dirty_files(there) if self.root.is_dir() else 0
        with there.snapshot() as snapshot:
            filling = self._meaning.filling(snapshot)
            # One count of each: what is stored, for the model that fills in.
            spaces = tuple(
                one
                if filling is None or one.model_id != filling.model_id
                else replace(one, coverage=filling.embedded)
                for one in snapshot.spaces()
            )
            covered = self._meaning.coverage(spaces)
            return Status(
                filling=filling,
                name=self.name,
                root=str(self.root),
                folder=self.kept_in,
                contents=snapshot.contents(),
                spaces=spaces,
                views=tuple(there.views()),
                dirty_files=dirty,
                model=self._meaning.model,
                embedded=covered if filling is None else filling.embedded,
                census=snapshot.census(),
                branch=branch_of(self.root),
                queries=self._queries.count(),
                problem=self._meaning.problem,
                blank=self._meaning.blank(snapshot),
            )

    def changed(self, paths: Sequence[str]) -> Mapping[str, float]:
        """Return when these files were changed last, in seconds since 1970, as far as is known."""
        with self._backend.snapshot() as snapshot:
            return snapshot.changed(paths)

    def skipped(self) -> Mapping[str, str]:
        """Return the files that were passed over, path -> reason."""
        with self._backend.snapshot() as snapshot:
            return snapshot.skipped()

    def stats(self) -> Contents:
        """Count what the collection holds."""
        with self._backend.snapshot() as snapshot:
            return snapshot.contents()

    def frequencies(self, words: Sequence[str], *, profile: str | None = None) -> dict[str, int]:
        """Return in how many chunks each lower-case word stands, whatever its ending."""
        view = self.profile(profile).view
        stem = analyser(view.analyser).stem
        with self._backend.snapshot() as snapshot:
            counts = snapshot.text(view).frequencies([stem(word) for word in words])
        return {word: counts[stem(word)] for word in words}
