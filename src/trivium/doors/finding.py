"""What a client calls a node -> its item: an id, a path, a name that only one has, an address.

An address is the `url` that a door gave out, trivium://shop/auth.py#L4-L9: it names its collection
itself. What lies above the folder that is served is not there. Used by get, fetch and /api/nodes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trivium.doors.failures import RequestInvalid
from trivium.doors.mcp import address
from trivium.errors import ChunkNotFound, NotFound

if TYPE_CHECKING:
    from trivium.backends.base import FileContent
    from trivium.collection import Collection, Item
    from trivium.types import NodeId


def collection_of(wanted: str, given: str | None) -> str | None:
    """Return the collection that is meant: the one that was given, or that of an address.

    Raises RequestInvalid if the two differ, NotFound for an address that is none.
    """
    if not wanted.startswith(address.SCHEME):
        return given
    named = address.read(wanted).collection
    if given not in (None, named):
        raise RequestInvalid(f"The address is of {named!r}, and collection is {given!r}. Give one.")
    return named


def item(collection: Collection, wanted: str) -> Item:
    """Return what is called so. Raises NotFound, and UsageError that names the candidates."""
    if wanted.startswith(address.SCHEME):
        return _at(collection, address.read(wanted))
    found = collection.get(wanted)
    if not address.is_inside(collection, found.node.source.file_path):
        raise ChunkNotFound(wanted)
    return found


def _at(collection: Collection, place: address.Address) -> Item:
    if place.lines is None:
        return item(collection, place.path)
    first, last = place.lines
    content = collection.file(place.path)
    node = _with_lines(content, first, last)
    if node is not None:
        return collection.get(node)
    whole = collection.get(f"file:{place.path}")
    lines = whole.text.splitlines(keepends=True)[first - 1 : last]
    if not lines:
        raise NotFound(f"{place.path[:200]!r} has no line {first}.")
    return replace(whole, text="".join(lines), chunks=(), sections=())


def _with_lines(content: FileContent, first: int, last: int) -> NodeId | None:
    """Return the node that takes exactly these lines; of several the innermost."""
    there = [
        one
        for one in content.nodes
        if (one.source.start_line, one.source.end_line) == (first, last)
    ]
    # A section and its document may share all lines; the longer id is that of what lies inside.
    return max(there, key=lambda one: (len(one.id), one.id)).id if there else None
