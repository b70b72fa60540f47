"""What a client calls a node -> its item: an id, a path, lines, a name only one has, an address.

An address is the `url` that a door gave out, trivium://shop/auth.py#L4-L9: it names its collection
itself. A path may be that of the disk, if it lies in the folder. What lies above the folder that
is served is not there. Used by get, fetch, related, neighbors and their paths over HTTP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from trivium.doors.failures import RequestInvalid
from trivium.doors.mcp import address
from trivium.errors import ChunkNotFound, NotFound, UsageError

if TYPE_CHECKING:
    from trivium.collection import Collection, Item
    from trivium.doors.upkeep import Upkeep
    from trivium.types import Node, NodeId


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


def holder(first: Upkeep, others: Callable[[], Iterable[Upkeep]], wanted: str) -> Upkeep:
    """Return the collection that has what is called so: the first, or else the only other one.

    Where none has it that is the first, which says so. Raises UsageError that names them where
    several others have it.
    """
    if first.look(lambda collection: _is_there(collection, wanted)):
        return first
    having = [one for one in others() if one.look(lambda each: _is_there(each, wanted))]
    if len(having) > 1:
        names = ", ".join(repr(one.name) for one in having)
        raise UsageError(f"{wanted[:200]!r} is in {names}. Say which one: collection.")
    return having[0] if having else first


def item(collection: Collection, wanted: str, *, is_bounded: bool = True) -> Item:
    """Return what is called so; of a folder, what lies in it.

    Where it `is_bounded`, nothing above the folder that is served. Raises NotFound that names
    what is near, and UsageError that names the candidates.
    """
    from trivium.lookups import place

    plain = _plain(collection, wanted)
    try:
        found = collection.get(plain)
    except ChunkNotFound:
        raise _not_found(collection, wanted) from None
    node = found.node
    if is_bounded and not address.is_inside(collection, node.source.file_path):
        raise ChunkNotFound(wanted)
    if node.type == "directory":
        return replace(found, text=_listed(collection, node))
    lines = place(plain)
    if lines is None or plain in (node.id, *(one.id for one in found.chunks)):
        return found
    there = (node.source.start_line, node.source.end_line)
    if lines.first == lines.last or there == (lines.first, lines.last):
        return found
    whole = collection.get(f"file:{node.source.file_path}")
    text = address.cut(whole.text, node.source.file_path, (lines.first, lines.last))
    return replace(whole, text=text, chunks=(), sections=())


def node_id(collection: Collection, wanted: str, *, is_bounded: bool = True) -> NodeId:
    """Return the id of what is called so, for a question about it. Raises as `item`."""
    node = collection.node(_plain(collection, wanted))
    if node is None:
        raise _not_found(collection, wanted)
    if is_bounded and not address.is_inside(collection, node.source.file_path):
        raise ChunkNotFound(wanted)
    return node.id


def _plain(collection: Collection, wanted: str) -> str:
    """Return an address, or a path of the disk, as the path in the collection that it means."""
    if wanted.startswith(address.SCHEME):
        place = address.read(wanted)
        lines = "" if place.lines is None else f"#L{place.lines[0]}-L{place.lines[1]}"
        return f"{place.path or collection.below or '.'}{lines}"
    root = collection.root.as_posix().rstrip("/")
    if wanted.rstrip("/") == root:
        return collection.feed.under or "."
    if not wanted.startswith(f"{root}/"):
        return wanted
    return collection.feed.placed(wanted.removeprefix(f"{root}/"))


def _not_found(collection: Collection, wanted: str) -> NotFound:
    return ChunkNotFound(wanted, near=collection.near(wanted))


def _is_there(collection: Collection, wanted: str) -> bool:
    try:
        node_id(collection, wanted)
    except ChunkNotFound:
        return False
    except (NotFound, UsageError):
        # The file is here, though not that line of it; or several are called so.
        return True
    return True


def _listed(collection: Collection, node: Node) -> str:
    """Return the paths of what lies in a folder, a line each; those of folders end with /."""
    path = node.source.file_path.rstrip("/")
    inside = "" if path == "." else f"{path}/"
    below = [one.removeprefix(inside).partition("/") for one in collection.paths(path)]
    names = dict.fromkeys(f"{inside}{name}{slash}" for name, slash, _ in below)
    return "".join(f"{name}\n" for name in names)
