"""Captured syntax nodes -> symbols, each once, with the text that belongs to it.

A symbol may be more than its node: what wraps it, a body that follows it, the clauses of one
function. Used by the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivium.parsing.code.captures import Captures
from trivium.parsing.code.facts import Facts
from trivium.parsing.code.layout import Margins, Widened
from trivium.parsing.code.symbol import TYPES, Symbol
from trivium.parsing.code.table import Table, follow
from trivium.types import Span

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_MOST_SYMBOLS = 20_000
_JOINED = frozenset({"function", "method", "macro"})
_WIDEST_GAP = 200


def find(captures: Captures, facts: Facts, margins: Margins, table: Table) -> list[Symbol]:
    """Return the captured symbols; of two types captured for one node the first wins."""
    outers: dict[int, SyntaxNode] = {}
    for outer in captures.of("outer"):
        inner = outer.named_child(outer.named_child_count - 1)
        if inner is not None:
            outers[inner.id] = outer
    held = {one.id for one in captures.of("held")}
    tails = {
        before.id: tail
        for tail in captures.of("tail")
        if (before := tail.prev_named_sibling) is not None
    }
    found: dict[int, Symbol] = {}
    for type_ in TYPES:
        for syntax in captures.of(type_):
            if len(found) >= _MOST_SYMBOLS:
                break
            number = syntax.id
            if number in found:
                continue
            outer, tail = syntax, tails.get(number)
            while (wrapper := outers.get(outer.id)) is not None:
                outer = wrapper
            core = facts.span_of(outer)
            if tail is not None:
                core = Span(core.start, facts.span_of(tail).end)
            widened = margins.widen(core)
            found[number] = Symbol(type_, syntax, outer, core, widened, number in held, tail)
    symbols = list(found.values())
    return _joined(symbols, facts, table) if table.joins else symbols


def _joined(symbols: list[Symbol], facts: Facts, table: Table) -> list[Symbol]:
    """Make one symbol of the clauses of a function that stand together."""
    kept: list[Symbol] = []
    last: Symbol | None = None
    for symbol in sorted(symbols, key=lambda one: one.core.start):
        if symbol.type not in _JOINED:
            kept.append(symbol)
        elif last is not None and _continues(last, symbol, facts, table):
            last.clauses.append(symbol.syntax)
            last.core = Span(last.core.start, symbol.core.end)
            last.widened = Widened(
                Span(last.widened.span.start, symbol.widened.span.end),
                last.widened.comments or symbol.widened.comments,
            )
        else:
            last = symbol
            kept.append(symbol)
    return kept


def _continues(last: Symbol, symbol: Symbol, facts: Facts, table: Table) -> bool:
    """Tell whether a symbol is one more clause of the one before it."""
    end, start = last.widened.span.end, symbol.widened.span.start
    if last.type != symbol.type or not end <= start < end + _WIDEST_GAP:
        return False
    if not facts.is_blank(end, start) or facts.name_of(last.syntax) != facts.name_of(symbol.syntax):
        return False
    before = _arity(last.clauses[-1] if last.clauses else last.syntax, table)
    # A type signature, which comes before the clauses, has no parameters.
    return before is None or before == _arity(symbol.syntax, table)


def _arity(syntax: SyntaxNode, table: Table) -> int | None:
    found = follow(syntax, table.parameters.get(syntax.type, ()))
    return None if found is None else found.named_child_count
