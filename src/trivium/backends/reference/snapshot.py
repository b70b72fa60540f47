"""A State -> everything that can be read from it.

A State is the whole index as one frozen value; a snapshot looks things up in it and
changes nothing. Called by store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from trivium.analysis.fields import embedding_text, text_key
from trivium.backends.base import Contents, FileContent, FileState, Found, Space
from trivium.backends.reference.text import ReferenceText
from trivium.backends.reference.vectors import Int8Vector, ReferenceVectors
from trivium.types import Chunk, ChunkId, Edge, Node, NodeId, View

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
    indexed_at: str = ""


class ReferenceSnapshot:
    """One state of the index, for reading."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._texts: dict[View, ReferenceText] = {}
        self._nodes: dict[NodeId, Node] = {}
        self._home: dict[NodeId, FileContent] = {}
        self._found: dict[ChunkId, Found] = {}
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
            files=len(contents),
            nodes=len(self._nodes),
            edges=sum(len(content.edges) for content in contents),
            chunks=len(self._found),
            masked=sum(content.state.masked for content in contents),
            skipped=dict(sorted(Counter(self._state.skipped.values()).items())),
            indexed_at=self._state.indexed_at,
        )

    def files(self) -> Mapping[str, FileState]:
        """Return the manifest: every file in the index by its path."""
        return {path: content.state for path, content in sorted(self._state.files.items())}

    def text(self, view: View) -> ReferenceText:
        """Return the text index of `view`."""
        if view not in self._texts:
            self._texts[view] = ReferenceText(self._found.values(), view=view)
        return self._texts[view]

    def spaces(self) -> Sequence[Space]:
        """Return the vector spaces that hold anything, in the order of their ids."""
        return [
            Space(model_id, len(next(iter(kept.values())).steps), self._coverage(model_id))
            for model_id, kept in sorted(self._state.vectors.items())
        ]

    def _coverage(self, model_id: str) -> float:
        if not self._found:
            return 0.0
        return len(self._kept(model_id)) / len(self._found)

    def _kept(self, model_id: str) -> dict[ChunkId, Int8Vector]:
        """Return the vectors of the chunks that are there; others may be kept from before."""
        by_key = self._state.vectors[model_id]
        return {one: by_key[key] for one, key in self._keys().items() if key in by_key}

    def _keys(self) -> dict[ChunkId, bytes]:
        return {
            one: text_key(embedding_text(found.node, found.chunk))
            for one, found in self._found.items()
        }

    def vectors(self, model_id: str) -> ReferenceVectors | None:
        """Return the vector index of a space, or None if there is none."""
        if model_id not in self._state.vectors:
            return None
        return ReferenceVectors(self._found, self._kept(model_id))

    def fetch(self, ids: Sequence[ChunkId]) -> list[Found]:
        """Return these chunks in the order asked for; ones that are gone are left out."""
        return [self._found[one] for one in ids if one in self._found]

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
        """Return a node's chunks in order."""
        if node_id not in self._home:
            return []
        return [chunk for chunk in self._home[node_id].chunks if chunk.node_id == node_id]

    def edges_of(self, node_id: NodeId) -> Sequence[Edge]:
        """Return the edges from and to a node, also those whose other end is not there."""
        return [
            edge
            for _, content in sorted(self._state.files.items())
            for edge in content.edges
            if node_id in (edge.source, edge.target)
        ]

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
