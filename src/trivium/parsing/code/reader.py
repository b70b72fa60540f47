"""Source code -> one node for the module and one per symbol, for every language alike.

All that differs between languages stands in the tables. A query finds the symbols, so the tree
is never walked here and no depth of nesting can overflow the stack. Called by parse().
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trivium.parsing.code.behaviour import Behaviour, Watch
from trivium.parsing.code.captures import Captures, capture
from trivium.parsing.code.entries import MOST_CALLS, distinct
from trivium.parsing.code.facts import Facts
from trivium.parsing.code.find import find
from trivium.parsing.code.ground import Ground
from trivium.parsing.code.imports import Binding, bindings_of, import_nodes
from trivium.parsing.code.layout import (
    SCOPE,
    Above,
    Margins,
    Placed,
    nest,
    own_spans,
    territories,
)
from trivium.parsing.code.naming import Naming, Shares
from trivium.parsing.code.offsets import Offsets
from trivium.parsing.code.references import Scene, references_of
from trivium.parsing.code.symbol import CALLABLE, HOLDERS, NAMESPACE, Symbol
from trivium.parsing.code.syntax import tree_of
from trivium.parsing.code.table import Table, load
from trivium.parsing.code.typed import Types, Typing, type_facts
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


def read(document: Document, file_type: FileType) -> Parsed:
    """Return the module, then its symbols in order, what contains what, and what they name.

    Raises Unreadable, or ImportError when the grammar is not installed.
    """
    table = load(file_type.parser)
    data = document.text.encode("utf-8", "surrogatepass")
    captures = capture(table, tree_of(data, table).root_node)
    return _Reading(document, file_type, table, data, captures).parsed()


class _Reading:
    """One document being read."""

    def __init__(
        self,
        document: Document,
        file_type: FileType,
        table: Table,
        data: bytes,
        captures: Captures,
    ) -> None:
        self._document = document
        self._file_type = file_type
        self._table = table
        self._data = data
        self._captures = captures
        self._offsets = Offsets(document.text, data)
        self._facts = facts = Facts(document.text, data, self._offsets, table)
        self._module = NodeId(f"{Kind.CODE}:{document.path}")
        # A comment that describes what it stands in does not belong to what follows.
        inner = {one.id for one in captures.of("docstring")}
        self._margins = Margins(
            document.text,
            (
                Above(span.start, span.end, table.is_comment(one.type))
                for one in captures.of("above")
                if one.id not in inner and (span := facts.span_of(one)).start < span.end
            ),
            line_comment=table.line_comment,
        )
        self._exported = frozenset(map(facts.text_of, captures.of("exported")))

    def parsed(self) -> Parsed:
        """Return the nodes, edges and references."""
        found = find(self._captures, self._facts, self._margins, self._table)
        places = nest(
            [one.core for one in found],
            [one.widened.span for one in found],
            types=[one.type for one in found],
        )
        symbols = [found[place.number] for place in places]
        naming = Naming(
            self._captures, self._facts, self._margins, self._table, exported=self._exported
        )
        naming.name(symbols, places)
        by_name = self._identify(symbols)
        module_doc = self._attach_docs(symbols, naming.shares("docstring", places))
        scene = self._scene(symbols, places, by_name)
        references = references_of(scene)
        nodes, edges = self._assemble(scene, places, module_doc)
        return Parsed(nodes, edges, references)

    def _identify(self, symbols: Sequence[Symbol]) -> Mapping[str, int]:
        """Give the symbols their ids and holders; return the types by qualified name."""
        names = Names()
        by_name: dict[str, int] = {}
        for number, symbol in enumerate(symbols):
            if symbol.type == SCOPE:
                symbol.id = symbols[symbol.parent].id if symbol.parent >= 0 else self._module
                continue
            symbol.id = NodeId(f"{self._module}#{names.unique(symbol.qualified)}")
            if symbol.type in HOLDERS or symbol.type == NAMESPACE:
                by_name.setdefault(symbol.qualified, number)
        for symbol in symbols:
            if symbol.is_apart:
                symbol.holder = by_name.get(symbol.qualified.rpartition(".")[0], -1)
            elif symbol.parent >= 0 and symbols[symbol.parent].type in HOLDERS:
                symbol.holder = symbol.parent
        return by_name

    def _attach_docs(self, symbols: Sequence[Symbol], inner: Shares) -> str:
        """Give each symbol its docstring or the comments above it; return the module's own."""
        for number, found in inner.items():
            if number >= 0:
                symbols[number].doc = self._facts.inner_doc(found)
        for symbol in symbols:
            if not symbol.doc and symbol.widened.comments:
                symbol.doc = self._facts.comment(symbol.widened.comments)
        module_doc = self._facts.inner_doc(inner.get(-1, ()))
        leading = self._margins.leading_comments()
        first = symbols[0].widened.span.start if symbols else len(self._document.text)
        if module_doc or not leading or first <= leading[0].start:
            return module_doc
        return self._facts.comment(leading)

    def _scene(
        self, symbols: Sequence[Symbol], places: Sequence[Placed], by_name: Mapping[str, int]
    ) -> Scene:
        """Find out what the symbols do, which types they know and what the module imports."""
        captures, table = self._captures, self._table
        cuts = territories(places)
        ground = Ground(
            self._data,
            self._offsets.bytes_before(cut.start for cut in cuts),
            [cut.owner for cut in cuts],
            symbols,
        )
        comments = (one for one in captures.of("above") if table.is_comment(one.type))
        ground.blank((*captures.of("string"), *comments, *import_nodes(captures)))
        typing = Typing(captures, ground, table, symbols, by_name)
        return Scene(
            module=self._module,
            symbols=symbols,
            by_name=by_name,
            behaviours=Watch(captures, ground, table, typing).behaviours(symbols),
            typing=typing,
            bindings=bindings_of(captures, ground, table),
            exported=self._exported,
            captures=captures,
            ground=ground,
            table=table,
        )

    def _assemble(
        self, scene: Scene, places: Sequence[Placed], module_doc: str
    ) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
        """Make the nodes and edges: the text shared out, each symbol in what contains it."""
        text, path, symbols = self._document.text, self._document.path, scene.symbols
        # Scopes are no nodes: their children and their text belong to what is around them.
        kept = [n for n, symbol in enumerate(symbols) if symbol.type != SCOPE]
        number_of = {old: new for new, old in enumerate(kept, start=1)}
        spans = [Span(0, len(text)), *(places[n].span for n in kept)]
        parents = [-1, *(number_of.get(self._around(n, symbols), 0) for n in kept)]
        is_held = [False, *(symbols[n].is_held for n in kept)]
        owns = own_spans(text, spans, parents, is_held=is_held)
        lines = lines_of(text, spans)
        nodes = [self._module_node(scene, owns[0], Location(path, *lines[0]), module_doc)]
        edges: list[Edge] = []
        exports: list[Edge] = []
        for new, n in enumerate(kept, start=1):
            symbol = symbols[n]
            nodes.append(
                Node(
                    id=symbol.id,
                    kind=Kind.CODE,
                    type=self._table.kinds.get(symbol.syntax.type, symbol.type),
                    name=symbol.name,
                    source=Location(path, *lines[new]),
                    span=spans[new],
                    own=owns[new],
                    description=symbol.doc,
                    domain=nodes[0].domain,
                    language=self._file_type.language,
                    metadata=self._metadata(
                        symbol,
                        symbols[symbol.parent] if symbol.parent >= 0 else None,
                        scene.behaviours[n],
                        scene.typing.known(n),
                    ),
                )
            )
            container = nodes[parents[new]].id
            if symbol.is_apart and symbol.holder >= 0:
                container = symbols[symbol.holder].id
            edges.append(Edge(container, symbol.id, EdgeType.CONTAINS))
            if symbol.is_exported and symbol.parent < 0 and container == self._module:
                exports.append(Edge(self._module, symbol.id, EdgeType.EXPORTS))
        return tuple(nodes), (*edges, *exports)

    @staticmethod
    def _around(number: int, symbols: Sequence[Symbol]) -> int:
        """Return the symbol that a symbol lies in, scopes passed over."""
        parent = symbols[number].parent
        while parent >= 0 and symbols[parent].type == SCOPE:
            parent = symbols[parent].parent
        return parent

    def _module_node(self, scene: Scene, own: tuple[Span, ...], source: Location, doc: str) -> Node:
        path = self._document.path
        metadata: dict[str, MetaValue] = {"imports": distinct(self._imports(scene.bindings))}
        tops = [one for one in scene.symbols if one.parent < 0 and one.is_exported]
        handed_on = [
            one.alias for one in scene.bindings if one.is_export and one.alias and one.path
        ]
        exported = [self._facts.text_of(one) for one in self._captures.in_order("exported")]
        exports = distinct([*(one.name for one in tops if not one.is_apart), *handed_on, *exported])
        if exports:
            metadata["exports"] = exports
        if doc:
            metadata["doc"] = doc
        metadata.update(_behaviour_facts(scene.behaviours[-1]))
        metadata.update(type_facts(scene.typing.known(-1), ()))
        return Node(
            id=self._module,
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

    def _imports(self, bindings: Iterable[Binding]) -> Iterable[str]:
        if self._table.has_imports:
            return (one.written for one in bindings)
        return (self._facts.text_of(one).strip("\"'`") for one in self._captures.in_order("import"))

    def _metadata(
        self, symbol: Symbol, parent: Symbol | None, behaviour: Behaviour, types: Types
    ) -> Mapping[str, MetaValue]:
        metadata: dict[str, MetaValue] = {
            "signature": symbol.signature,
            "exported": symbol.is_exported,
        }
        if symbol.doc:
            metadata["doc"] = symbol.doc
        if symbol.type in CALLABLE or symbol.parameters:
            metadata["params"] = symbol.parameters
        metadata.update(type_facts(types, symbol.parameters))
        metadata.update(self._facts.modifiers_of(symbol, parent, behaviour.entries("decorators")))
        metadata.update(_behaviour_facts(behaviour))
        return metadata


def _behaviour_facts(behaviour: Behaviour) -> Mapping[str, MetaValue]:
    facts: dict[str, MetaValue] = {}
    for key, entries in behaviour.lists.items():
        if entries:
            facts[key] = tuple(entries)
    if behaviour.calls:
        texts = dict.fromkeys(callee.text for callee in behaviour.calls)
        facts["calls"] = tuple(texts)[:MOST_CALLS]
    facts.update(behaviour.facts)
    return facts
