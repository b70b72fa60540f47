"""Symbols in their places -> their names, signatures and parameters, and who may see them.

Parents come before what lies in them, whose names begin with theirs. Used by the reader.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from trivium.parsing.code.captures import Captures
from trivium.parsing.code.facts import PRIVATE, PUBLIC, Facts
from trivium.parsing.code.layout import SCOPE, Margins, Placed
from trivium.parsing.code.symbol import CALLABLE, HOLDERS, Symbol, is_open
from trivium.parsing.code.table import Table

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

Shares = Mapping[int, Sequence["SyntaxNode"]]


class Naming:
    """Names the symbols of one document, in place."""

    def __init__(
        self,
        captures: Captures,
        facts: Facts,
        margins: Margins,
        table: Table,
        *,
        exported: frozenset[str],
    ) -> None:
        self._captures = captures
        self._facts = facts
        self._margins = margins
        self._table = table
        self._exported = exported
        hidden = captures.in_order("hidden")
        self._hidden = [one.start_byte for one in hidden]
        self._hidden_to = list(accumulate((one.end_byte for one in hidden), max))
        self._symbols: Sequence[Symbol] = ()
        self._names: Shares = {}
        self._owners: Shares = {}
        self._parameters: Shares = {}
        self._sections: Shares = {}
        self._has_sections = False

    def name(self, symbols: Sequence[Symbol], places: Sequence[Placed]) -> None:
        """Fill in all that a symbol's own text and its parents' say of it."""
        self._symbols = symbols
        self._names = self.shares("name", places)
        self._owners = self.shares("owner", places)
        self._parameters = self.shares("parameter", places)
        self._sections = self.shares("section", places)
        around = self._table.section_default
        self._has_sections = bool(self._sections or self._hidden or around)
        for number, (symbol, place) in enumerate(zip(symbols, places, strict=True)):
            symbol.parent = place.parent
            if symbol.type == SCOPE:
                self._name_scope(symbol)
                continue
            self._call(number, symbol)
            parent = self._seen_parent(symbol)
            if symbol.type in CALLABLE and parent is not None and parent.type in HOLDERS:
                is_constructor = symbol.name in self._table.constructors
                symbol.type = "constructor" if is_constructor else symbol.type
                symbol.type = "method" if symbol.type == "function" else symbol.type
            self._describe(number, symbol)
            symbol.section = self._section_of(symbol, parent)
            is_open_section = symbol.section in ("", PUBLIC)
            symbol.is_exported = is_open_section and self._is_exported(symbol, parent)

    def shares(self, capture: str, places: Sequence[Placed]) -> Shares:
        """Return the nodes captured as that by the place they lie in, -1 for the module."""
        nodes = self._captures.in_order(capture)
        if not nodes:
            return {}
        starts = [place.span.start for place in places]
        found: dict[int, list[SyntaxNode]] = {}
        for syntax in nodes:
            at = self._facts.span_of(syntax).start
            number = bisect_right(starts, at) - 1
            while number >= 0 and places[number].span.end <= at:
                number = places[number].parent
            found.setdefault(number, []).append(syntax)
        return found

    def _parent(self, symbol: Symbol) -> Symbol | None:
        return self._symbols[symbol.parent] if symbol.parent >= 0 else None

    def _seen_parent(self, symbol: Symbol) -> Symbol | None:
        """Return what a symbol lies in, past scopes that have no name to lend."""
        parent = self._parent(symbol)
        while parent is not None and parent.type == SCOPE and not parent.name:
            parent = self._parent(parent)
        return parent

    def _name_scope(self, symbol: Symbol) -> None:
        parent = self._parent(symbol)
        prefix = "" if parent is None else parent.qualified
        symbol.name = self._facts.type_name_of(symbol.syntax)
        symbol.qualified = _joined(prefix, symbol.name)
        symbol.is_exported = bool(symbol.name) or parent is None or parent.is_exported

    def _call(self, number: int, symbol: Symbol) -> None:
        """Give the symbol its name, and the qualified one: where it lies, whose it is, its own."""
        facts, parent = self._facts, self._parent(symbol)
        prefix = "" if parent is None else parent.qualified
        given = self._names.get(number, (None,))[0]
        full_name = facts.name_of(symbol.syntax, given)
        symbol.name = full_name
        if "." in full_name and facts.is_dotted(symbol.syntax, full_name):
            symbol.name = full_name.rpartition(".")[2]
        owner = facts.owner_of(symbol.syntax, self._owners.get(number, ()))
        if owner and prefix:
            owner = _new_part(prefix, owner)
        symbol.qualified = _joined(prefix, _joined(owner, full_name))
        is_in_scope = parent is not None and parent.type == SCOPE
        symbol.is_apart = is_in_scope or bool(owner) or symbol.name != full_name

    def _describe(self, number: int, symbol: Symbol) -> None:
        """Give the symbol its signature and parameters, and tell where its body starts."""
        facts, table = self._facts, self._table
        body = facts.body_of(symbol.syntax)
        if body is None and symbol.tail is not None:
            body = facts.body_of(symbol.tail) or symbol.tail
        symbol.body_start = symbol.syntax.end_byte if body is None else body.start_byte
        symbol.signature = facts.signature_of(
            start=self._margins.after_decorators(symbol.core.start),
            end_byte=symbol.body_start,
            is_in_full=body is not None or symbol.type in CALLABLE,
        )
        if symbol.type not in CALLABLE and symbol.syntax.type not in table.parameters:
            return
        if table.has_parameters:
            symbol.parameters = facts.named_parameters(self._parameters.get(number, ()))
            return
        for one in (symbol.syntax, *symbol.clauses):
            symbol.parameters = facts.parameters_of(one)
            if symbol.parameters:
                break

    def _section_of(self, symbol: Symbol, parent: Symbol | None) -> str:
        """Return the visibility that a symbol's surroundings give it; "" if they do not."""
        if not self._has_sections:
            return ""
        at = symbol.syntax.start_byte
        hidden = bisect_right(self._hidden, at) - 1
        if hidden >= 0 and at < self._hidden_to[hidden]:
            return PRIVATE
        table = self._table
        default = "" if parent is None else table.section_default.get(parent.syntax.type, "")
        sections = self._sections.get(symbol.parent, ())
        last = bisect_right(sections, symbol.outer.start_byte, key=lambda one: one.start_byte) - 1
        word = self._facts.text_of(sections[last]).rstrip(": ") if last >= 0 else ""
        return table.visibility.get(word, default)

    def _is_exported(self, symbol: Symbol, parent: Symbol | None) -> bool:
        table = self._table
        if parent is None:
            if self._exported and table.has_closed_exports:
                return symbol.name in self._exported
            return symbol.name in self._exported or (
                _fits(table.top_name, symbol.name) and _fits(table.top_signature, symbol.signature)
            )
        if not parent.is_exported or parent.type in CALLABLE:
            return False
        return is_open(symbol, parent) or (
            _fits(table.member_name, symbol.name)
            and _fits(table.member_signature, symbol.signature)
        )


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix and name else prefix or name


def _new_part(prefix: str, owner: str) -> str:
    """Return the owner without the part that the prefix says already."""
    parts = owner.split(".")
    for length in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:length])
        if prefix == head or prefix.endswith("." + head):
            return ".".join(parts[length:])
    return owner


def _fits(pattern: re.Pattern[str] | None, text: str) -> bool:
    return pattern is None or pattern.search(text) is not None
