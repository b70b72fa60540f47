"""Source code -> one node for the module and one per symbol, for every language alike.

All that differs between languages stands in the tables. A query finds the symbols, so the tree
is never walked here and no depth of nesting can overflow the stack. Called by parse().
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.parsing.code.facts import Facts
from trivium.parsing.code.layout import (
    SCOPE,
    Above,
    Margins,
    Placed,
    Widened,
    nest,
    own_spans,
)
from trivium.parsing.code.offsets import Offsets
from trivium.parsing.code.table import Table, load
from trivium.parsing.detect import FileType
from trivium.parsing.plain import Names, domain_of, module_name_of
from trivium.types import (
    Document,
    Edge,
    EdgeType,
    Kind,
    Location,
    MetaValue,
    Node,
    NodeId,
    Parsed,
    Span,
    lines_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

Captures = Mapping[str, Sequence["SyntaxNode"]]

# Of two types captured for one syntax node the first wins: the general patterns come last.
_TYPES = (
    "class", "interface", "struct", "enum", "trait", "namespace", "macro",
    "constructor", "method", "function", "type", "constant", "variable", SCOPE,
)  # fmt: skip
_HOLDERS = frozenset({"class", "interface", "struct", "enum", "trait", SCOPE})
_OPEN_HOLDERS = frozenset({"interface", "trait"})
_CALLABLE = frozenset({"function", "method", "constructor"})

_MOST_SYMBOLS = 20_000

# Recovery from errors can take the square of a text's length and cannot be interrupted: 25 kB of
# "a<" keep the Java grammar busy for 4 s, 300 kB of JavaScript on one line the Python grammar for
# 13 s. Both are told from programs beforehand: by how far 8 kB of them shrink (such a pattern to
# a 100th; the standard library's most regular test to a 19th, a generated lexer to a 41st), and
# by a line no person would write in a file this large.
_WINDOW = 8192
_MOST_REPETITION = 60
_LARGE = 65_536
_LONGEST_LINE = 20_000


class Unreadable(ValueError):
    """The text is not worth the time a grammar would take over it."""


@dataclass(slots=True)
class _Symbol:
    """A symbol on its way to becoming a node.

    One that `is_apart` names what it belongs to but does not lie in it, as methods in Go do.
    """

    type: str
    syntax: SyntaxNode
    outer: SyntaxNode
    widened: Widened
    name: str = ""
    qualified: str = ""
    is_apart: bool = False
    signature: str = ""
    is_exported: bool = False
    doc: str = ""


def read(document: Document, file_type: FileType) -> Parsed:
    """Return the module, then its symbols in order, and what contains what.

    Raises Unreadable, or ImportError when the grammar is not installed.
    """
    from tree_sitter import Parser, QueryCursor

    table = load(file_type.parser)
    text = document.text
    data = text.encode("utf-8", "surrogatepass")
    _refuse_unreadable(data)
    tree = Parser(table.language).parse(data)
    captures = QueryCursor(table.query).captures(tree.root_node)
    facts = Facts(text, Offsets(data, is_ascii=text.isascii()), table)
    return _Reading(document, file_type, table, facts, captures).parsed()


def _refuse_unreadable(data: bytes) -> None:
    for start in range(0, len(data) - _WINDOW + 1, _WINDOW):
        packed = zlib.compress(data[start : start + _WINDOW], level=1)
        if len(packed) * _MOST_REPETITION < _WINDOW:
            raise Unreadable(f"the text repeats itself too much near byte {start}")
    if len(data) > _LARGE and max(map(len, data.split(b"\n"))) > _LONGEST_LINE:
        raise Unreadable(f"a line is longer than {_LONGEST_LINE} bytes")


class _Reading:
    """One document being read."""

    def __init__(
        self,
        document: Document,
        file_type: FileType,
        table: Table,
        facts: Facts,
        captures: Captures,
    ) -> None:
        self._document = document
        self._file_type = file_type
        self._table = table
        self._facts = facts
        self._captures = captures
        self._margins = Margins(
            document.text,
            (
                Above(span.start, span.end, one.type.endswith("comment"))
                for one in captures.get("above", ())
                if (span := facts.span_of(one)).start < span.end
            ),
            line_comment=table.line_comment,
        )
        self._exported = frozenset(map(facts.text_of, captures.get("exported", ())))

    def parsed(self) -> Parsed:
        """Return the nodes and edges."""
        found = self._find()
        places = nest(
            [self._facts.span_of(one.outer) for one in found],
            [one.widened.span for one in found],
            types=[one.type for one in found],
        )
        symbols = [found[place.index] for place in places]
        self._name(symbols, places)
        module_doc = self._attach_docs(symbols, places)
        return self._assemble(symbols, places, module_doc)

    def _find(self) -> list[_Symbol]:
        """Collect the captured symbols, each once, with what wraps them."""
        outers: dict[int, SyntaxNode] = {}
        for outer in self._captures.get("outer", ()):
            inner = outer.named_child(outer.named_child_count - 1)
            if inner is not None:
                outers[inner.id] = outer
        found: dict[int, _Symbol] = {}
        for type_ in _TYPES:
            for syntax in self._captures.get(type_, ())[:_MOST_SYMBOLS]:
                if syntax.id not in found:
                    outer = syntax
                    while (wrapper := outers.get(outer.id)) is not None:
                        outer = wrapper
                    widened = self._margins.widen(self._facts.span_of(outer))
                    found[syntax.id] = _Symbol(type_, syntax, outer, widened)
        return list(found.values())

    def _name(self, symbols: Sequence[_Symbol], places: Sequence[Placed]) -> None:
        """Fill in names, types, signatures and who may see the symbol, parents first."""
        facts, table = self._facts, self._table
        for symbol, place in zip(symbols, places, strict=True):
            parent = symbols[place.parent] if place.parent >= 0 else None
            prefix = "" if parent is None else parent.qualified
            if symbol.type == SCOPE:
                symbol.name = symbol.qualified = facts.type_name_of(symbol.syntax)
                symbol.is_exported = True
                continue
            full_name = facts.name_of(symbol.syntax)
            symbol.name = full_name if "[" in full_name else full_name.rpartition(".")[2]
            owner = facts.owner_of(symbol.syntax)
            symbol.qualified = ".".join(filter(None, (prefix, owner, full_name)))
            is_in_scope = parent is not None and parent.type == SCOPE
            symbol.is_apart = is_in_scope or bool(owner) or symbol.name != full_name
            if parent is not None and parent.type in _HOLDERS and symbol.type in _CALLABLE:
                is_constructor = symbol.name in table.constructors
                symbol.type = "constructor" if is_constructor else symbol.type
                symbol.type = "method" if symbol.type == "function" else symbol.type
            start = self._margins.after_decorators(facts.span_of(symbol.outer).start)
            symbol.signature = facts.signature_of(
                symbol.syntax, start=start, is_callable=symbol.type in _CALLABLE
            )
            symbol.is_exported = self._is_exported(symbol, parent)

    def _is_exported(self, symbol: _Symbol, parent: _Symbol | None) -> bool:
        table = self._table
        if parent is None:
            if self._exported and table.has_closed_exports:
                return symbol.name in self._exported
            by_rule = table.top_name.search(symbol.name) and table.top_signature.search(
                symbol.signature
            )
            return bool(by_rule) or symbol.name in self._exported
        if not parent.is_exported or parent.type in _CALLABLE:
            return False
        return parent.type in _OPEN_HOLDERS or bool(
            table.member_name.search(symbol.name)
            and table.member_signature.search(symbol.signature)
        )

    def _attach_docs(self, symbols: Sequence[_Symbol], places: Sequence[Placed]) -> str:
        """Give each symbol its docstring or the comments above it; return the module's own."""
        starts = [place.span.start for place in places]
        module_doc = ""
        for syntax in self._captures.get("docstring", ()):
            at = self._facts.span_of(syntax).start
            number = bisect_right(starts, at) - 1
            while number >= 0 and places[number].span.end <= at:
                number = places[number].parent
            if number < 0:
                module_doc = module_doc or self._facts.docstring(syntax)
            elif not symbols[number].doc:
                symbols[number].doc = self._facts.docstring(syntax)
        for symbol in symbols:
            if not symbol.doc and symbol.widened.comments:
                symbol.doc = self._facts.comment(symbol.widened.comments)
        leading = self._margins.leading_comments()
        if module_doc or not leading or (starts and starts[0] <= leading[0].start):
            return module_doc
        return self._facts.comment(leading)

    def _assemble(
        self, symbols: Sequence[_Symbol], places: Sequence[Placed], module_doc: str
    ) -> Parsed:
        """Make the nodes and edges: equal names numbered, the text shared out."""
        text, path = self._document.text, self._document.path
        # Scopes are no nodes: their children and their text belong to what is around them.
        kept = [n for n, symbol in enumerate(symbols) if symbol.type != SCOPE]
        number_of = {old: new for new, old in enumerate(kept, start=1)}
        spans = [Span(0, len(text)), *(places[n].span for n in kept)]
        parents = [-1, *(self._parent(n, symbols, places, number_of) for n in kept)]
        names = Names()
        module_id = NodeId(f"{Kind.CODE}:{path}")
        ids = [
            module_id,
            *(NodeId(f"{module_id}#{names.unique(symbols[n].qualified)}") for n in kept),
        ]
        holders: dict[str, NodeId] = {}
        for n in kept:
            if symbols[n].type in _HOLDERS:
                holders.setdefault(symbols[n].qualified, ids[number_of[n]])
        owns = own_spans(text, spans, parents)
        lines = lines_of(text, spans)
        domain = domain_of(path)
        nodes = [self._module(module_id, owns[0], Location(path, *lines[0]), module_doc)]
        edges: list[Edge] = []
        for n in kept:
            symbol, new = symbols[n], number_of[n]
            nodes.append(
                Node(
                    id=ids[new],
                    kind=Kind.CODE,
                    type=symbol.type,
                    name=symbol.name,
                    source=Location(path, *lines[new]),
                    span=spans[new],
                    own=owns[new],
                    description=symbol.doc,
                    domain=domain,
                    language=self._file_type.language,
                    metadata=self._metadata(symbol),
                )
            )
            container = ids[parents[new]]
            if symbol.is_apart:
                container = holders.get(symbol.qualified.rpartition(".")[0], container)
            edges.append(Edge(container, ids[new], EdgeType.CONTAINS))
        return Parsed(tuple(nodes), tuple(edges))

    @staticmethod
    def _parent(
        number: int,
        symbols: Sequence[_Symbol],
        places: Sequence[Placed],
        number_of: Mapping[int, int],
    ) -> int:
        parent = places[number].parent
        while parent >= 0 and symbols[parent].type == SCOPE:
            parent = places[parent].parent
        return number_of.get(parent, 0)

    def _module(self, module_id: NodeId, own: tuple[Span, ...], source: Location, doc: str) -> Node:
        path = self._document.path
        found = sorted(self._captures.get("import", ()), key=lambda one: one.start_byte)
        imports = dict.fromkeys(self._facts.text_of(one).strip("\"'`") for one in found)
        metadata: dict[str, MetaValue] = {"imports": tuple(imports)}
        if doc:
            metadata["doc"] = doc
        return Node(
            id=module_id,
            kind=Kind.CODE,
            type="module",
            name=module_name_of(path),
            source=source,
            span=Span(0, len(self._document.text)),
            own=own,
            description=doc,
            domain=domain_of(path),
            language=self._file_type.language,
            metadata=metadata,
        )

    def _metadata(self, symbol: _Symbol) -> Mapping[str, MetaValue]:
        metadata: dict[str, MetaValue] = {
            "signature": symbol.signature,
            "exported": symbol.is_exported,
        }
        if symbol.doc:
            metadata["doc"] = symbol.doc
        if symbol.type in _CALLABLE:
            metadata["params"] = self._facts.parameters_of(symbol.syntax)
        return metadata
