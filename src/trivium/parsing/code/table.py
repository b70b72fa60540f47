"""A language's table file -> the grammar and the query that find what is in its programs.

Tables are data, in tables/*.toml; one may extend another. Loaded once per process and on first
use: a folder without Rust never pays for its grammar. Used by the reader.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Query
    from tree_sitter import Node as SyntaxNode

# By node type, the ways to what is looked for, each the names of the fields to follow.
Ways = tuple[tuple[str, ...], ...]
Paths = Mapping[str, Ways]

# A wheel that carries many grammars: it gives a Language by name instead of a pointer.
_COLLECTION = "semble_grammars"
_MOST_STEPS = 50
# Names that start with _ only serve the conditions of their own pattern.
_CAPTURE = re.compile(r"(?:(?<=\s)|(?<=[)\]*+?]))@([A-Za-z]\w*)")
_MOST_CHILDREN = 200
# A pattern without branches finds no node twice.
_ALONE = re.compile(r"[^)*+?]*[^(*+?]*")
# Each capture of one without choices stands for one node in every match.
_PLAIN = re.compile(r"(?:[^\[\]*+?]|\[[^@\[\]*+?]*\])*+")


class Repair(NamedTuple):
    """What a grammar cannot read, and what it is shown in its place."""

    pattern: re.Pattern[bytes]
    by: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Three queries in one, so that a tree is walked once.

    The patterns from `imports_from` on are about imports, those from `types_from` on about types,
    each match of theirs one fact. `captured` lists each pattern's capture names, `once` those
    that need no sorting; a pattern that `is_plain` captures one node by each of its names.
    """

    query: Query
    captured: tuple[tuple[str, ...], ...]
    once: frozenset[str]
    is_plain: tuple[bool, ...]
    imports_from: int
    types_from: int


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What the reader knows of one language.

    The names that `search` captures say what a syntax node is: a symbol's type, or `scope`
    (lends its name, is no symbol), `outer` (widens the symbol that is its last child), `tail` (the
    body of the symbol before it), `held` (its text stays its parent's), `above` (comments and
    decorators), `docstring`, `exported`, `section` (says who may see what follows), `hidden`
    (nobody sees what lies inside), a symbol's `name`, `owner` or `parameter`, or something that
    it does.
    `names`, `owners`, `bodies`, `parameters`, `calls` and `aliases` say under which fields, by
    node type, these are found. `literals`, `makes`, `made`, `sources` and `unwraps` say what the
    node of a value shows of its type: by itself, by what it calls or makes, by the name it is,
    by what it wraps. `dotted`, `comments` and `not_parameters` are node types: names with parts,
    if not all are; comments besides those called so; literals in the place of a parameter.
    Where a language `joins`, neighbours of one name are clauses of one function. `kinds` gives
    symbols of a node type a type of their own.
    """

    language: Language
    search: Search
    has_imports: bool
    line_comment: str
    constructors: frozenset[str]
    receivers: frozenset[str]
    name_noise: frozenset[str]
    has_closed_exports: bool
    top_name: re.Pattern[str] | None
    top_signature: re.Pattern[str] | None
    member_name: re.Pattern[str] | None
    member_signature: re.Pattern[str] | None
    names: Paths
    owners: Paths
    bodies: Paths
    parameters: Paths
    parameter_names: Paths
    has_parameters: bool
    repairs: tuple[Repair, ...]
    joins: bool
    dotted: frozenset[str]
    comments: frozenset[str]
    not_parameters: frozenset[str]
    signature_end: re.Pattern[str] | None
    kinds: Mapping[str, str]
    section_default: Mapping[str, str]
    calls: Paths
    aliases: Paths
    literals: Mapping[str, str]
    makes: Paths
    made: Paths
    sources: frozenset[str]
    unwraps: frozenset[str]
    import_split: str
    import_binds: str
    keywords: frozenset[str]
    separators: tuple[str, ...]
    mutators: frozenset[str]
    modifiers: frozenset[str]
    visibility: Mapping[str, str]
    default_visibility: str
    private_name: re.Pattern[str] | None
    private_visibility: str
    async_signature: re.Pattern[str] | None
    generator_signature: re.Pattern[str] | None

    def is_comment(self, kind: str) -> bool:
        """Tell whether a node of this type is a comment."""
        return kind.endswith("comment") or kind in self.comments


@cache
def load(name: str) -> Table:
    """Load a table by its file's name. Raises ImportError when its grammar is not installed."""
    rows = _rows(name)
    language = _language(rows)
    search = _search(rows, language)
    return Table(
        language=language,
        search=search,
        has_imports=search.imports_from < search.types_from,
        line_comment=rows["line_comment"],
        constructors=frozenset(rows.get("constructors", ())),
        receivers=frozenset(rows.get("receivers", ())),
        name_noise=frozenset(rows.get("name_noise", ())),
        has_closed_exports=rows.get("has_closed_exports", False),
        top_name=_pattern(rows, "top_name"),
        top_signature=_pattern(rows, "top_signature"),
        member_name=_pattern(rows, "member_name"),
        member_signature=_pattern(rows, "member_signature"),
        names=_paths(rows, "names"),
        owners=_paths(rows, "owners"),
        bodies=_paths(rows, "bodies"),
        parameters=_paths(rows, "parameters"),
        parameter_names=_paths(rows, "parameter_names"),
        has_parameters=any("parameter" in names for names in search.captured),
        repairs=tuple(
            Repair(re.compile(one.encode()), by.encode()) for one, by in rows.get("repairs", ())
        ),
        section_default=rows.get("section_default", {}),
        joins=rows.get("joins", False),
        dotted=frozenset(rows.get("dotted", ())),
        comments=frozenset(rows.get("comments", ())),
        not_parameters=frozenset(rows.get("not_parameters", ())),
        signature_end=_pattern(rows, "signature_end"),
        kinds=rows.get("kinds", {}),
        calls=_paths(rows, "calls"),
        aliases=_paths(rows, "aliases"),
        literals=rows.get("literals", {}),
        makes=_paths(rows, "makes"),
        made=_paths(rows, "made"),
        sources=frozenset(rows.get("sources", ())),
        unwraps=frozenset(rows.get("unwraps", ())),
        import_split=rows.get("import_split", ""),
        import_binds=rows.get("import_binds", "last"),
        keywords=frozenset(rows.get("keywords", ())),
        separators=tuple(rows.get("separators", ("::", "->"))),
        mutators=frozenset(rows.get("mutators", ())),
        modifiers=frozenset(rows.get("modifiers", ())),
        visibility=rows.get("visibility", {}),
        default_visibility=rows.get("default_visibility", ""),
        private_name=_pattern(rows, "private_name"),
        private_visibility=rows.get("private_visibility", "private"),
        async_signature=_pattern(rows, "async_signature"),
        generator_signature=_pattern(rows, "generator_signature"),
    )


def _language(rows: Mapping[str, Any]) -> Language:
    from tree_sitter import Language

    package = rows["package"]
    try:
        module = import_module(package)
    except ImportError as error:
        raise ImportError(f"the grammar is not installed: pip install {package}") from error
    if package != _COLLECTION:
        return Language(getattr(module, rows["entry"])())
    language: Language = module.get_language(rows["grammar"])
    return language


def _search(rows: Mapping[str, Any], language: Language) -> Search:
    from tree_sitter import Query

    flat = rows["query"] + rows.get("extra", "") + rows.get("more", "")
    imports = rows.get("imports", "") + rows.get("extra_imports", "")
    types = rows.get("types", "") + rows.get("extra_types", "")
    source = f"{flat}\n{imports}\n{types}"
    query = Query(language, source)
    # A property, whatever the type stubs say.
    count: Any = query.pattern_count
    starts = [query.start_byte_for_pattern(n) for n in range(count)]
    ends = [query.end_byte_for_pattern(n) for n in range(count)]
    patterns = [source.encode()[a:b].decode() for a, b in zip(starts, ends, strict=True)]
    imports_at = len(flat.encode())
    types_at = imports_at + 1 + len(imports.encode())
    return Search(
        query=query,
        captured=tuple(tuple(dict.fromkeys(_CAPTURE.findall(one))) for one in patterns),
        once=_once(patterns),
        is_plain=tuple(_PLAIN.fullmatch(one) is not None for one in patterns),
        imports_from=sum(start < imports_at for start in starts),
        types_from=sum(start < types_at for start in starts),
    )


def _once(patterns: Sequence[str]) -> frozenset[str]:
    """Return the names whose captures come in order and without repeats by themselves."""
    found: Counter[str] = Counter()
    for pattern in patterns:
        found.update(_CAPTURE.findall(pattern))
    alone = (one for one in patterns if _ALONE.fullmatch(one))
    return frozenset(name for one in alone for name in _CAPTURE.findall(one) if found[name] == 1)


def _rows(name: str) -> dict[str, Any]:
    file = resources.files("trivium.parsing.code").joinpath("tables", f"{name}.toml")
    rows = tomllib.loads(file.read_text("utf-8"))
    return {**_rows(rows["extends"]), **rows} if "extends" in rows else rows


def _paths(rows: Mapping[str, Any], key: str) -> Paths:
    return {
        kind: tuple(tuple(path.split(".")) for path in paths)
        for kind, paths in rows.get(key, {}).items()
    }


def follow(node: SyntaxNode, ways: Iterable[Sequence[str]]) -> SyntaxNode | None:
    """Return the first node found on one of the ways; an empty name stays where it is.

    A name is that of a field or, in grammars that have none, the type of a child.
    """
    for way in ways:
        found: SyntaxNode | None = node
        for name in way:
            if name and found is not None:
                around = found
                # Nearly always a field: the rest is for grammars that have none.
                found = around.child_by_field_name(name)
                if found is None:
                    is_far = name[-1] == "*"
                    found = _further(around, name[:-1]) if is_far else _child(around, name)
        if found is not None and (found is not node or not any(way)):
            return found
    return None


def _child(node: SyntaxNode, name: str) -> SyntaxNode | None:
    """Return the first child of a type.

    `-1` is the last named child, `name:1` the second of that field or type, `<` the named
    sibling before this node.
    """
    if name == "<":
        return node.prev_named_sibling
    name, _, place = name.partition(":")
    if name.lstrip("-").isdigit():
        at = int(name)
        at = at + node.named_child_count if at < 0 else at
        return node.named_child(at) if 0 <= at < node.named_child_count else None
    if not place:
        if node.child_count > _MOST_CHILDREN:
            return None
        return next((one for one in node.children if one.type == name), None)
    several = node.children_by_field_name(name) or [
        one for one in node.children[:_MOST_CHILDREN] if one.type == name
    ]
    return several[int(place)] if int(place) < len(several) else None


def _further(node: SyntaxNode, name: str) -> SyntaxNode:
    """Follow a field as far as it leads: to the name that the declarators of C wrap."""
    for _ in range(_MOST_STEPS):
        found = node.child_by_field_name(name)
        if found is None and name == "declarator" and node.type.endswith(name):
            found = node.named_child(node.named_child_count - 1) if node.named_child_count else None
        if found is None or found.type.startswith("abstract_"):
            break
        node = found
    return node


def _pattern(rows: Mapping[str, Any], key: str) -> re.Pattern[str] | None:
    return re.compile(rows[key]) if key in rows else None
