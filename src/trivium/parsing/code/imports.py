"""The import statements of a module -> which local name stands for what elsewhere.

Languages that bind several names by one tree of braces are read here as one binding per name.
Used by the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.parsing.code.captures import Captures, Match
from trivium.parsing.code.ground import Ground
from trivium.parsing.code.table import Table

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

WHOLE = ""
STAR = "*"
_DEFAULT = "default"
_MOST_BINDINGS = 5_000
_LONGEST_PATH = 4_000
_DEEPEST = 8
_QUOTES = "\"'`<>;:"
_ALIAS = re.compile(r"\s+as\s+|\s*=>\s*")
_PARTS = ("path", "name", "alias", "default", "star")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_LAST_PART = re.compile(r"[/.:\\]+")


@dataclass(frozen=True, slots=True)
class Binding:
    """One name a module gets from another: `name` is "" for all of it as one, "*" for each.

    One that `is_export` is handed on; without a path it is a symbol of this module's own that
    others know by its alias. `written` is the path as it stands in the text.
    """

    path: str
    name: str
    alias: str
    is_export: bool
    line: int
    written: str


def bindings_of(captures: Captures, ground: Ground, table: Table) -> list[Binding]:
    """Return the bindings in order of appearance."""
    found: dict[Binding, None] = {}
    for match in sorted(captures.imports, key=_position):
        for binding in _read(match, ground, table):
            if len(found) >= _MOST_BINDINGS:
                break
            found[binding] = None
    # A call that imports may be found twice: by itself, and with the name it is assigned to.
    named = {(one.path, one.line) for one in found if one.alias}
    return [one for one in found if one.alias or one.name or (one.path, one.line) not in named]


def import_nodes(captures: Captures) -> Iterator[SyntaxNode]:
    """Return the words of the import statements, which are not code of their own."""
    for match in captures.imports:
        for part in _PARTS:
            yield from match.get(part, ())


def _position(match: Match) -> tuple[int, int]:
    parts = [match[part][0].start_byte for part in _PARTS if part in match]
    return (match["path"][0].start_byte if "path" in match else min(parts), min(parts))


def _read(match: Match, ground: Ground, table: Table) -> Iterator[Binding]:
    nodes = {part: match[part][0] for part in _PARTS if part in match}
    given = {part: ground.lines(node, longest=_LONGEST_PATH) for part, node in nodes.items()}
    line = ground.line(next(iter(nodes.values())).start_byte)
    is_export = "export" in match
    raw = given.get("path", "").strip(_QUOTES)
    alias = given.get("alias", "").strip(_QUOTES)
    if "default" in given:
        yield Binding(raw, _DEFAULT, given["default"], is_export, line, raw)
    elif "star" in given:
        yield Binding(raw, STAR, alias, is_export, line, raw)
    elif "name" in given:
        name = given["name"].strip(_QUOTES)
        yield Binding(raw, name, alias or name, is_export, line, raw)
    elif table.import_split:
        whole = re.sub(r"^import\s+", "", _COMMENT.sub(" ", raw))
        for path in _spread(whole):
            yield _split(path, alias, table, is_export=is_export, line=line)
    else:
        bound = "" if "unbound" in match else _bound(raw, table)
        yield Binding(raw, WHOLE, alias or bound, is_export, line, raw)


def _bound(path: str, table: Table) -> str:
    """Return the name an import of a whole module binds when it gives none."""
    if table.import_binds == "none":
        return ""
    parts = [part for part in _LAST_PART.split(path) if part]
    return "" if not parts else parts[0 if table.import_binds == "first" else -1]


def _split(path: str, given: str, table: Table, *, is_export: bool, line: int) -> Binding:
    """Read `a::b::C` as C of a::b, `a::b::*` as all of it."""
    written, *renamed = _ALIAS.split(path.strip(), maxsplit=1)
    alias = given or "".join(renamed)
    head, mark, last = written.removeprefix(table.import_split).rpartition(table.import_split)
    if last in (STAR, "_", "", "given"):
        return Binding(head, STAR, "", is_export, line, head)
    if last == "self" and mark:
        return Binding(head, WHOLE, alias or _bound(head, table), is_export, line, head)
    if not mark:
        return Binding(written, WHOLE, alias or written, is_export, line, written)
    return Binding(head, last, alias or last, is_export, line, written)


def _spread(text: str) -> list[str]:
    """Return the paths a tree of braces stands for: `a::{b, c::{d, e}}` gives three."""
    paths = [text]
    for _ in range(_DEEPEST):
        if not any("{" in path for path in paths) or len(paths) > _MOST_BINDINGS:
            break
        paths = [one for path in paths for one in _open_braces(path)]
    return [path for path in paths if path.strip()]


def _open_braces(path: str) -> list[str]:
    head, brace, rest = path.partition("{")
    if not brace:
        return [path]
    inside = rest[: rest.rfind("}")] if "}" in rest else rest
    parts: list[str] = []
    depth = start = 0
    for at, char in enumerate(inside):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(inside[start:at])
            start = at + 1
    parts.append(inside[start:])
    return [head + part.strip() for part in parts if part.strip()]
