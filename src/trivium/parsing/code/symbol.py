"""A symbol on its way to becoming a node, and which sorts of symbols there are.

The reader finds, places and names them; the other parts only read them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivium.parsing.code.layout import SCOPE, Widened
from trivium.types import NodeId, Span

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

# Of two types captured for one syntax node the first wins: the general patterns come last.
TYPES = (
    "enum", "interface", "struct", "trait", "class", "namespace", "macro",
    "constructor", "method", "function", "type", "constant", "variable", SCOPE,
)  # fmt: skip
HOLDERS = frozenset({"class", "interface", "struct", "enum", "trait", SCOPE})
NAMESPACE = "namespace"
OPEN_HOLDERS = frozenset({"interface", "trait"})
CALLABLE = frozenset({"function", "method", "constructor"})


@dataclass(slots=True)
class Symbol:
    """What is known of a symbol so far.

    One that `is_apart` names what it belongs to but does not lie in it, as methods in Go do.
    `parent` is the symbol it lies in and `holder` the type whose member it is, -1 if none;
    `body_start` is the byte where its header ends. `outer` is what wraps its syntax node, `core`
    the text from there to the end of its `tail`, a body that follows the node, or of its last
    clause; `widened` has the comments above it too. The text of one that is held stays its
    parent's, as that of an enum's member. The id of a scope is that of its parent. `section` is
    the visibility that the part of its parent it lies in gives it.
    """

    type: str
    syntax: SyntaxNode
    outer: SyntaxNode
    core: Span
    widened: Widened
    is_held: bool = False
    tail: SyntaxNode | None = None
    clauses: list[SyntaxNode] = field(default_factory=list)
    name: str = ""
    qualified: str = ""
    parent: int = -1
    holder: int = -1
    is_apart: bool = False
    signature: str = ""
    body_start: int = 0
    is_exported: bool = False
    doc: str = ""
    section: str = ""
    parameters: tuple[str, ...] = ()
    id: NodeId = field(default=NodeId(""))


def is_open(symbol: Symbol, parent: Symbol) -> bool:
    """Tell whether a member is seen wherever its parent is: it has no words to say otherwise."""
    if parent.type == "enum":
        return symbol.type == "constant" and symbol.signature.startswith(symbol.name)
    return parent.type in OPEN_HOLDERS
