"""Chunk ids -> the files of those that are code.

An id of code is code:PATH#NAME. Where that can be read in two ways, as with a folder called C#
or an operator with a slash, the store is asked. Called by retrieval.scope.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.backends.base import Snapshot
from trivium.ranking.cut import node_of
from trivium.types import ChunkId, NodeId

_CODE = "code:"


def files_of(snapshot: Snapshot, ids: Sequence[ChunkId]) -> dict[ChunkId, str]:
    """Return the path of the file of each chunk of code; others are left out."""
    files: dict[ChunkId, str] = {}
    unclear: dict[ChunkId, NodeId] = {}
    for one in ids:
        if not one.startswith(_CODE):
            continue
        node = node_of(one)
        path, _, name = node[len(_CODE) :].partition("#")
        if "#" in name or "/" in name:
            unclear[one] = NodeId(node)
        else:
            files[one] = path
    if unclear:
        nodes = snapshot.nodes(list(dict.fromkeys(unclear.values())))
        files.update(
            (one, nodes[node].source.file_path) for one, node in unclear.items() if node in nodes
        )
    return files
