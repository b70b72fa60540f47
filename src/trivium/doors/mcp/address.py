"""A place in a collection <-> its address, `trivium://{collection}/{path}#L3-L9`.

An address names a file of the index, never one of the disk: what is not indexed, or lies above
the folder that is served, has none. Used by hits, fetched items and resources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from trivium.errors import NotFound

if TYPE_CHECKING:
    from trivium.collection import Collection

SCHEME = "trivium://"
TEMPLATE = f"{SCHEME}{{collection}}/{{+path}}"
_LINES = re.compile(r"L([1-9]\d{0,8})(?:-L?([1-9]\d{0,8}))?")

# As lines are counted everywhere: a form feed ends none.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Address:
    """A collection, a path in it, and the lines that are meant, if not all."""

    collection: str
    path: str
    lines: tuple[int, int] | None = None


def written(
    collection: str, path: str, *, start_line: int | None = None, end_line: int | None = None
) -> str:
    """Return an address as text; that of a folder has no lines."""
    if path.endswith("/"):
        path, start_line = path.removeprefix("./").rstrip("/"), None
    part = "" if start_line is None or end_line is None else f"#L{start_line}-L{end_line}"
    return f"{SCHEME}{quote(collection, safe='')}/{quote(path)}{part}"


def read(text: str) -> Address:
    """Return what an address says. Raises NotFound for one that leads to no collection."""
    rest, _, fragment = text.removeprefix(SCHEME).partition("#")
    collection, slash, path = rest.partition("/")
    lines = _LINES.fullmatch(fragment)
    steps = unquote(path).split("/")
    is_ours = text.startswith(SCHEME) and collection and slash
    if not is_ours or (fragment and lines is None):
        raise NotFound(f"{text[:200]!r} is no address of ours. They look like {TEMPLATE}.")
    if any(step in (".", "..", "") for step in steps) and path:
        raise NotFound(f"{unquote(path)[:200]!r} leads out of the collection, or nowhere.")
    if lines is None:
        return Address(unquote(collection), unquote(path))
    first = int(lines[1])
    return Address(unquote(collection), unquote(path), (first, int(lines[2] or first)))


def cut(text: str, path: str, lines: tuple[int, int]) -> str:
    """Return lines of a text. Raises NotFound that says how many there are."""
    from trivium.lookups import no_line

    first, last = lines
    there = _LINE.findall(text)
    if first > len(there):
        raise NotFound(no_line(path, first, total=len(there)))
    if last < first:
        raise NotFound(f"Line {last:,} lies before line {first:,}.")
    return "".join(there[first - 1 : last])


def check_inside(collection: Collection, path: str) -> None:
    """Refuse a path above the folder that is served. Raises NotFound."""
    if not is_inside(collection, path):
        raise NotFound(f"{path[:200]!r} is outside of the folder that is served here.")


def is_inside(collection: Collection, path: str) -> bool:
    """Say whether a path lies in the folder that is served, which may be below an index."""
    below = collection.below
    return not below or path == below or path.startswith(f"{below}/")
