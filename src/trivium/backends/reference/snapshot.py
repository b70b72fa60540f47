"""A State -> everything that can be read from it.

A State is the whole index as one frozen value; a snapshot looks things up in it and
changes nothing. Called by store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from trivium.analysis.fields import FIRST, embedding_key, own_text
from trivium.backends.base import (
    Census,
    Contents,
    FileContent,
    FileHistory,
    FileState,
    Found,
    Named,
    Seen,
    Space,
    Traits,
    changed_at,
)
from trivium.backends.reference.text import ReferenceText
from trivium.backends.reference.vectors import Int8Vector, ReferenceVectors
from trivium.filtering.conditions import Filter, fold
from trivium.filtering.match import Surroundings, allows, attributes, is_root
from trivium.types import (
    Chunk,
    ChunkId,
    Edge,
    Kind,
    Node,
    NodeId,
    Ranking,
    Reference,
    Symbol,
    View,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class State:
    """Everything in an index: files by path, vectors by model and key, skipped by path."""

    seq: int = 0
    files: Mapping[str, FileContent] = field(default_factory=lambda: MappingProxyType({}))
    vectors: Mapping[str, Mapping[bytes, Int8Vector]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    skipped: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    in_vain: Mapping[str, Seen] = field(default_factory=lambda: MappingProxyType({}))
    indexed_at: str = ""
    origin: str = "folder"
    links: Mapping[str, tuple[Edge, ...]] = field(default_factory=lambda: MappingProxyType({}))
    history: Mapping[str, FileHistory] = field(default_factory=lambda: MappingProxyType({}))
    history_head: str = ""

    @property
    def edges(self) -> list[Edge]:
        """All edges, those of parsing before those of linking."""
        own = [edge for _, one in sorted(self.files.items()) for edge in one.edges]
        return own + [edge for _, edges in sorted(self.links.items()) for edge in edges]

    @property
    def unlinked(self) -> list[str]:
        """The files that wait to be linked."""
        return [
            path
            for path, content in self.files.items()
            if content.references and path not in self.links
        ]


class ReferenceSnapshot:
    """One state of the index, for reading."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._texts: dict[View, ReferenceText] = {}
        self._nodes: dict[NodeId, Node] = {}
        self._home: dict[NodeId, FileContent] = {}
        self._found: dict[ChunkId, Found] = {}
        self._around: dict[str, Surroundings] = {}
        for content in state.files.values():
            for node in content.nodes:
                self._nodes[node.id] = node
                self._home[node.id] = content
            for chunk in content.chunks:
                self._found[chunk.id] = Found(chunk, self._nodes[chunk.node_id])

    def contents(self) -> Contents:
        """Count what is there."""
        contents = self._state.files.values()
        return Contents(
            seq=self._state.seq,
            files=sum(not path.endswith("/") for path in self._state.files),
            nodes=len(self._nodes),
            edges=len(self._state.edges),
            chunks=sum(bool(one.chunk.text) for one in self._found.values()),
            masked=sum(content.state.masked for content in contents),
            skipped=dict(sorted(Counter(self._state.skipped.values()).items())),
            indexed_at=self._state.indexed_at,
            origin=self._state.origin,
        )

    def files(self, paths: Collection[str] | None = None) -> Mapping[str, FileState]:
        """Return the manifest: every file in the index by its path, or those of these paths."""
        return {
            path: content.state
            for path, content in sorted(self._state.files.items())
            if paths is None or path in paths
        }

    def has_files(self, folder: str) -> bool:
        """Say whether any file lies in a folder or below it."""
        above = f"{folder}/" if folder else ""
        return any(path.startswith(above) and not path.endswith("/") for path in self._state.files)

    def paths(self) -> Sequence[str]:
        """Return the paths of the manifest in order."""
        return sorted(self._state.files)

    def skipped(self) -> Mapping[str, str]:
        """Return the files that were passed over, path -> reason."""
        return dict(sorted(self._state.skipped.items()))

    def in_vain(self) -> Mapping[str, Seen]:
        """Return what those of them were like that had to be read to know."""
        return self._state.in_vain

    def text(self, view: View) -> ReferenceText:
        """Return the text index of `view`."""
        if view not in self._texts:
            with_texts = [
                (one, self._home[one.node.id].document.text) for one in self._found.values()
            ]
            self._texts[view] = ReferenceText(with_texts, view=view, allows=self._allows)
        return self._texts[view]

    def _allows(self, where: Filter, node: Node) -> bool:
        return allows(where, node, self._surroundings(node.source.file_path))

    def _surroundings(self, path: str) -> Surroundings:
        """Return what the file at a path says of the nodes in it; looked up once."""
        if path not in self._around:
            content, known = self._state.files.get(path), self._state.history.get(path)
            roots = tuple(filter(is_root, content.nodes)) if content is not None else ()
            self._around[path] = (
                Surroundings(roots, known.author, known.modified, known.churn)
                if known is not None
                else Surroundings(roots)
            )
        return self._around[path]

    def spaces(self) -> Sequence[Space]:
        """Return the vector spaces that hold anything, in the order of their ids."""
        return [
            Space(model_id, len(next(iter(kept.values())).steps), self._coverage(model_id))
            for model_id, kept in sorted(self._state.vectors.items())
        ]

    def unembedded(self, model_id: str) -> int:
        """Return how many texts have no vector in this space yet."""
        return len(set(self._keys().values()) - set(self._state.vectors.get(model_id, {})))

    def embedded(self, model_id: str) -> float:
        """Return the share of chunks that have a vector in this space, all of them published."""
        return self._coverage(model_id) if model_id in self._state.vectors else 0.0

    def blank(self, model_id: str) -> dict[str, int]:
        """Return how many chunks of which files have a vector of zeros in this space."""
        if model_id not in self._state.vectors:
            return {}
        paths = [
            self._found[one].node.source.file_path
            for one, kept in self._kept(model_id).items()
            if not kept.scale
        ]
        return dict(sorted(Counter(paths).items()))

    def _coverage(self, model_id: str) -> float:
        keys = self._keys()
        return len(self._kept(model_id)) / len(keys) if keys else 0.0

    def _kept(self, model_id: str) -> dict[ChunkId, Int8Vector]:
        """Return the vectors of the chunks that are there; others may be kept from before."""
        by_key = self._state.vectors[model_id]
        return {one: by_key[key] for one, key in self._keys().items() if key in by_key}

    def _keys(self) -> dict[ChunkId, bytes]:
        """Return the keys of all chunks that have something to embed."""
        keys = {one: embedding_key(found.node, found.chunk) for one, found in self._found.items()}
        return {one: key for one, key in keys.items() if key}

    def vectors(self, model_id: str) -> ReferenceVectors | None:
        """Return the vector index of a space, or None if there is none."""
        if model_id not in self._state.vectors:
            return None
        return ReferenceVectors(self._found, self._kept(model_id), allows=self._allows)

    def fetch(self, ids: Sequence[ChunkId]) -> list[Found]:
        """Return these chunks in the order asked for; ones that are gone are left out."""
        return [self._found[one] for one in ids if one in self._found]

    def lines(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, tuple[int, int]]:
        """Return the first and last line of these chunks; ones that are gone are left out."""
        found = [self._found[one].chunk for one in ids if one in self._found]
        return {one.id: (one.start_line, one.end_line) for one in found}

    def node(self, node_id: NodeId) -> Node | None:
        """Return a node, or None."""
        return self._nodes.get(node_id)

    def text_of(self, node_id: NodeId) -> str:
        """Return the whole text of a node; empty if there is no such node."""
        if node_id not in self._nodes:
            return ""
        span = self._nodes[node_id].span
        return self._home[node_id].document.text[span.start : span.end]

    def chunks_of(self, node_id: NodeId) -> Sequence[Chunk]:
        """Return a node's chunks in order; none for one without text of its own."""
        if node_id not in self._home:
            return []
        chunks = self._home[node_id].chunks
        return [chunk for chunk in chunks if chunk.node_id == node_id and chunk.text]

    def edges_of(self, node_id: NodeId) -> Sequence[Edge]:
        """Return the edges from and to a node, also those whose other end is not there."""
        return self.edges([node_id])

    def edges(self, ids: Sequence[NodeId]) -> Sequence[Edge]:
        """Return the edges from and to any of these nodes, each once, in a fixed order."""
        wanted = set(ids)
        found = [
            edge for edge in self._state.edges if edge.source in wanted or edge.target in wanted
        ]
        return sorted(found, key=lambda one: (one.source, one.target, one.type))

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        """Return these nodes by their ids; ones that are not there are left out."""
        return {one: self._nodes[one] for one in ids if one in self._nodes}

    def names(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Named]:
        """Return what these nodes are called; ones that are not there are left out."""
        return {
            one: Named(node.id, node.kind, node.type, node.name, node.title, node.metadata)
            for one, node in self.nodes(ids).items()
        }

    def traits(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, Traits]:
        """Return what these chunks are and where they stand; ones that are gone are left out."""
        return {one: _traits(self._found[one]) for one in ids if one in self._found}

    def changed(self, paths: Sequence[str]) -> Mapping[str, float]:
        """Return when these files were changed, in seconds since 1970."""
        there = {one: self._state.files[one].state for one in paths if one in self._state.files}
        known = {one: self._state.history.get(one) for one in there}
        return {
            one: changed_at(history.modified if history else None, there[one].mtime_ns)
            for one, history in known.items()
        }

    def called(self, names: Sequence[str], *, most: int) -> Sequence[Node]:
        """Return nodes whose folded names are these, at most `most` of all, by id."""
        found = [node for node in self._nodes.values() if fold(node.name) in names]
        return sorted(found, key=lambda node: node.id)[: max(0, most)]

    def degrees(self, ids: Sequence[NodeId]) -> Mapping[NodeId, int]:
        """Return how many edges come from and lead to each of these nodes; 0 for none."""
        counts = Counter(end for edge in self._state.edges for end in (edge.source, edge.target))
        return {one: counts[one] for one in ids}

    def most_linked(self, *, where: Filter, depth: int) -> Ranking:
        """Rank nodes by how many edges they have, under their first chunks."""
        firsts = [
            one
            for one, found in self._found.items()
            if one.endswith(FIRST) and found.node.type != "directory"
        ]
        of_node = {one: self._found[one].node.id for one in self.allowed(firsts, where=where)}
        degrees = self.degrees(list(of_node.values()))
        order = sorted(of_node, key=lambda one: (-degrees[of_node[one]], of_node[one]))[:depth]
        scores = tuple(float(degrees[of_node[one]]) for one in order)
        return Ranking("degree", tuple(order), scores)

    def texts(self, ids: Sequence[NodeId]) -> Mapping[NodeId, str]:
        """Return the own text of these nodes: what lies in no other node."""
        return {
            one: own_text(self._nodes[one], self._home[one].document.text)
            for one in ids
            if one in self._nodes
        }

    def allowed(self, ids: Sequence[ChunkId], *, where: Filter) -> set[ChunkId]:
        """Return those of these chunks that are there and that `where` allows."""
        there = [one for one in ids if one in self._found]
        return {one for one in there if self._allows(where, self._found[one].node)}

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        """Return the code of these exact names, at most `most` of each, by id."""
        found: dict[str, list[Symbol]] = {}
        for node in self._nodes.values():
            if node.kind is Kind.CODE and node.name in names:
                several = found.setdefault(node.name, [])
                if len(several) < most:
                    several.append(_symbol(node))
        return {name: sorted(some, key=lambda one: one.id) for name, some in found.items()}

    def outline(self, path: str) -> Sequence[Symbol]:
        """Return the code nodes of one file in order."""
        content = self._state.files.get(path)
        nodes = content.nodes if content is not None else ()
        return [_symbol(node) for node in nodes if node.kind is Kind.CODE]

    def headings(self, path: str) -> Sequence[NodeId]:
        """Return the nodes of a file, the one of the file itself left out, in order."""
        content = self._state.files.get(path)
        nodes = content.nodes if content is not None else ()
        return [node.id for node in nodes if node.kind is not Kind.FILE]

    def references(self, path: str) -> tuple[Reference, ...]:
        """Return what a file names, as it was written."""
        content = self._state.files.get(path)
        return content.references if content is not None else ()

    def history(self, path: str) -> FileHistory | None:
        """Return what the repository knows of a file, or None."""
        return self._state.history.get(path)

    def history_head(self) -> str:
        """Return the commit up to which history is known."""
        return self._state.history_head

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        return len(self._state.unlinked)

    def census(self) -> Census:
        """Count nodes and edges by sort."""
        state = self._state
        nodes = self._nodes.values()
        files = [node for node in nodes if node.kind is Kind.FILE]
        marks: Counter[str] = Counter()
        for node in files:
            found = node.metadata.get("marks", ())
            marks.update(found if isinstance(found, tuple) else ())
        return Census(
            kinds=Counter(fold(node.kind.value) for node in nodes),
            types=Counter(fold(node.type) for node in nodes if node.type),
            languages=Counter(fold(node.language) for node in files if node.language),
            edges=Counter(edge.type.value for edge in state.edges),
            marks=marks,
            failures={
                path: one.state.failure for path, one in state.files.items() if one.state.failure
            },
            references=sum(len(one.references) for one in state.files.values()),
            resolved=sum(map(len, state.links.values())),
            unlinked=len(state.unlinked),
        )

    def values(self, attribute: str) -> Sequence[str]:
        """Return what the nodes have of a stored attribute, folded, each once and in order."""
        return sorted({one for node in self._nodes.values() for one in attributes(node)[attribute]})

    def has_any(self, where: Filter) -> bool:
        """Say whether `where` allows anything at all."""
        return any(self._allows(where, found.node) for found in self._found.values())

    def content(self, path: str) -> FileContent | None:
        """Return all the index holds of one file, as it was written, or None."""
        return self._state.files.get(path)

    def stored_vectors(self, model_id: str) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
        """Yield the vectors of this index's chunks with their keys, each key once."""
        import numpy as np

        for key in sorted(set(self._keys().values())):
            kept = self._state.vectors.get(model_id, {}).get(key)
            if kept is not None:
                yield key, np.array([step * kept.scale for step in kept.steps], np.float32)


def _traits(found: Found) -> Traits:
    kept = attributes(found.node)
    first = {name: next(iter(values), "") for name, values in kept.items()}
    path, line = found.node.source.file_path, found.chunk.start_line
    return Traits(first["kind"], first["type"], first["lang"], kept["tag"], path, line)


def _symbol(node: Node) -> Symbol:
    return Symbol(node.id, fold(node.type), fold(node.language), node.source.file_path)
