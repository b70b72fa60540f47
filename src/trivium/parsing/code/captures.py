"""A syntax tree -> what the table's query found in it, sorted by what it is.

One walk over the tree, whatever the table asks for. Used by the reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from trivium.parsing.code.table import Table

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

Nodes = Sequence["SyntaxNode"]
Match = Mapping[str, Nodes]

# What a pattern about types may say besides.
_SHARED = frozenset({"write", "return"})
_START = attrgetter("start_byte")


@dataclass(frozen=True, slots=True)
class Captures:
    """The syntax nodes by capture name; for imports and types, those of one match together."""

    nodes: Mapping[str, Nodes]
    imports: Sequence[Match]
    types: Sequence[Match]
    once: frozenset[str]

    def of(self, name: str) -> Nodes:
        """Return the nodes captured as `name`, in the order they were found."""
        return self.nodes.get(name, ())

    def in_order(self, name: str) -> Nodes:
        """Return the nodes captured as `name`, each once, by where they start."""
        nodes = self.nodes.get(name, ())
        if name in self.once or not nodes:
            return nodes
        return sorted({one.id: one for one in nodes}.values(), key=_START)


def capture(table: Table, root: SyntaxNode) -> Captures:
    """Run the table's query once over the whole tree."""
    from tree_sitter import QueryCursor

    search = table.search
    # By pattern first: a large file has 10,000 matches, and this loop is all they cost.
    groups: list[list[Match]] = [[] for _ in search.captured]
    for pattern, match in QueryCursor(search.query).matches(root):
        groups[pattern].append(match)
    nodes: dict[str, list[SyntaxNode]] = {}
    for number, (names, group) in enumerate(zip(search.captured, groups, strict=True)):
        if not group:
            continue
        for name in names if number < search.imports_from else _SHARED.intersection(names):
            found = nodes.setdefault(name, [])
            if search.is_plain[number]:
                found += [match[name][0] for match in group]
                continue
            for one in group:
                found += one.get(name, ())
    return Captures(
        nodes,
        imports=[one for group in groups[search.imports_from : search.types_from] for one in group],
        types=[one for group in groups[search.types_from :] for one in group],
        once=search.once,
    )
