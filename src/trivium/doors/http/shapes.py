"""Files, graphs, profiles and collections -> the plain data that the page and programs read."""

from __future__ import annotations

from dataclasses import dataclass

from trivium.backends.base import FileContent
from trivium.doors.answers import Data
from trivium.doors.http.requests import MOST_LINES
from trivium.errors import NotFound, UsageError, unknown
from trivium.lookups import Surroundings, no_line
from trivium.results.present import source_data
from trivium.types import EdgeType, Node


def types_of(given: str | None) -> frozenset[EdgeType] | None:
    """Return types of links, written with commas; None is all. Raises UsageError."""
    if given is None:
        return None
    known = [one.value for one in EdgeType]
    names = [one.strip() for one in given.split(",")]
    for one in names:
        if one not in known:
            raise UsageError(unknown("link type", one, known))
    return frozenset(map(EdgeType, names))


def file_data(content: FileContent, *, start: int, end: int | None) -> Data:
    """Return lines of a file. Raises UsageError, and NotFound for a start beyond its end."""
    if end is not None and end < start:
        raise UsageError(f"end is {end}, before start, which is {start}.")
    lines = content.document.text.split("\n")
    if lines[-1] == "":
        # What follows the last line break is no line.
        lines.pop()
    last = min(len(lines), start + MOST_LINES - 1 if end is None else end)
    if start > max(1, len(lines)):
        raise NotFound(no_line(content.state.path, start, total=len(lines)))
    return {
        "path": content.state.path,
        "language": next((one.language for one in content.nodes if one.language), ""),
        "startLine": start,
        "endLine": last,
        "totalLines": len(lines),
        "text": "\n".join(lines[start - 1 : last]),
        "masked": content.state.masked,
    }


def surroundings_data(found: Surroundings) -> Data:
    """Return a graph: the node itself first, at depth 0."""
    return {
        "nodes": [
            _node(found.of, depth=0),
            *(_node(one.node, depth=one.depth) for one in found.found),
        ],
        "edges": [
            {
                "source": one.source,
                "target": one.target,
                "type": one.type.value,
                "weight": one.weight,
            }
            for one in found.edges
        ],
        "total": found.total,
        "truncated": found.is_cut,
    }


@dataclass(frozen=True, slots=True)
class Served:
    """A collection of this server, as far as it can be told without indexing it."""

    name: str
    folder: str
    files: int
    chunks: int
    indexed_at: str | None
    is_default: bool


def served_data(one: Served) -> Data:
    """Return a collection of the server."""
    return {
        "name": one.name,
        "folder": one.folder,
        "files": one.files,
        "chunks": one.chunks,
        "indexedAt": one.indexed_at,
        "isDefault": one.is_default,
    }


def _node(node: Node, *, depth: int) -> Data:
    return {
        "id": node.id,
        "kind": node.kind.value,
        "type": node.type,
        "name": node.name,
        "source": source_data(node),
        "depth": depth,
    }
