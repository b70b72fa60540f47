"""What a symbol does -> the facts that say so: calls, control flow, data flow, decorators.

Each captured node counts for the innermost symbol around it; a symbol that does nothing of a
kind has no such fact. Used by the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivium.parsing.code.captures import Captures
from trivium.parsing.code.entries import LONGEST_ENTRY, MOST_ENTRIES
from trivium.parsing.code.expressions import (
    LONGEST_EXPRESSION,
    Callee,
    bare_type,
    called_in,
    callee_of,
    chain_of,
    is_simple,
    joined,
    receiver_of,
    targets_of,
)
from trivium.parsing.code.ground import Ground
from trivium.parsing.code.symbol import Symbol
from trivium.parsing.code.table import Table, Ways, follow
from trivium.parsing.code.typed import Typing

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_LONGEST_AWAITED = 80

_COUNTS = (
    ("branch", "branches"), ("loop", "loops"), ("break", "breaks"), ("continue", "continues"),
)  # fmt: skip
_SIDES = (("left",), ("right",))
_FLAGS = (("return", "returns"), ("yield", "generator"))
_LONGEST_CALLEE = LONGEST_EXPRESSION + 1
_DECORATOR = re.compile(r"[@#!\[(\s]*([\w$.:-]+)")


@dataclass(slots=True)
class Behaviour:
    """What one symbol, or the module, does; the lists are dictionaries to keep them distinct."""

    facts: dict[str, int] = field(default_factory=dict)
    lists: dict[str, dict[str, None]] = field(default_factory=dict)
    calls: dict[Callee, int] = field(default_factory=dict)

    def add(self, key: str, text: str) -> None:
        """Add an entry to a list, unless it is empty, there already, or one too many."""
        entries = self.lists.get(key)
        if entries is None:
            self.lists[key] = {text[:LONGEST_ENTRY]: None} if text else {}
        elif text and len(entries) < MOST_ENTRIES:
            entries[text[:LONGEST_ENTRY]] = None

    def entries(self, key: str) -> tuple[str, ...]:
        """Return a list's entries in order of appearance."""
        return tuple(self.lists.get(key, ()))


class Watch:
    """Reads the behaviour of all symbols of one document."""

    def __init__(self, captures: Captures, ground: Ground, table: Table, typing: Typing) -> None:
        self._captures = captures
        self._ground = ground
        self._table = table
        self._typing = typing
        self._symbols: Sequence[Symbol] = ()
        self._found: list[Behaviour] = []

    def behaviours(self, symbols: Sequence[Symbol]) -> Sequence[Behaviour]:
        """Return what each symbol does; the module's, which is symbol -1, comes last."""
        self._symbols = symbols
        self._found = [Behaviour() for _ in range(len(symbols) + 1)]
        self._count()
        self._call()
        self._write()
        self._name()
        return self._found

    def _each(self, capture: str) -> Iterator[tuple[Behaviour, SyntaxNode]]:
        owner = self._ground.owner
        for node in self._captures.in_order(capture):
            yield self._found[owner(node.start_byte)], node

    def _count(self) -> None:
        for capture, key in _COUNTS:
            for behaviour, _ in self._each(capture):
                behaviour.facts[key] = behaviour.facts.get(key, 0) + 1
        for capture, key in _FLAGS:
            for behaviour, _ in self._each(capture):
                behaviour.facts[key] = True

    def _call(self) -> None:
        ground, code, fields = self._ground, self._ground.code, self._table.calls
        # Most calls of a symbol repeat an earlier one letter by letter.
        seen: set[tuple[int, bytes]] = set()
        for capture in ("call", "new"):
            for node in self._captures.in_order(capture):
                start, end = node.start_byte, node.end_byte
                if end - start > _LONGEST_CALLEE:
                    raw = (ground.owner(start), code[end - _LONGEST_CALLEE : end])
                else:
                    raw = (ground.owner(start), code[start:end])
                if raw in seen:
                    continue
                seen.add(raw)
                if fields and node.type in fields:
                    callee = self._invoked(node, fields[node.type])
                else:
                    callee = callee_of(raw[1].decode("utf-8", "replace"))
                if callee is not None:
                    self._note(self._found[raw[0]], callee, start)

    def _note(self, behaviour: Behaviour, callee: Callee, start: int) -> None:
        if callee in behaviour.calls or (not callee.path and callee.name in self._table.keywords):
            return
        behaviour.calls[callee] = self._ground.line(start)
        if callee.path and callee.name in self._table.mutators:
            behaviour.add("mutates", callee.path)

    def _invoked(self, node: SyntaxNode, ways: Ways) -> Callee | None:
        """Read an invocation whose grammar gives receiver and name apart."""
        longest = _LONGEST_CALLEE
        receiver = follow(node, ways[:1]) if ways[0] != ("",) else None
        name = follow(node, ways[1:2])
        if name is None:
            return None
        found = callee_of(self._ground.expression(name, longest=longest))
        if receiver is None or found is None:
            return found
        path = receiver_of(self._ground.expression(receiver, longest=longest)).strip(".!?") or "()"
        return joined(f"{path}.{found.path}" if found.path else path, found.name)

    def _write(self) -> None:
        ground, code = self._ground, self._ground.code
        for node in self._captures.in_order("write"):
            start = node.start_byte
            raw = code[start : min(node.end_byte, start + LONGEST_EXPRESSION)]
            behaviour = self._found[ground.owner(start)]
            for text, is_name in targets_of(raw.decode("utf-8", "replace")):
                behaviour.add("writes" if is_name else "mutates", text)
        for number, alias in self._typing.aliases():
            self._found[number].add("aliases", alias)
        for behaviour, node in self._each("alias"):
            left, right = self._sides(node)
            if is_simple(left) and is_simple(right) and left != right:
                behaviour.add("aliases", f"{left}={right}")

    def _sides(self, node: SyntaxNode) -> tuple[str, str]:
        ways = self._table.aliases.get(node.type, _SIDES)
        left, right = (follow(node, (way,)) for way in ways[:2])
        if left is None or right is None:
            return "", ""
        return self._ground.text(left), self._ground.text(right)

    def _name(self) -> None:
        ground = self._ground
        for behaviour, node in self._each("await"):
            text = ground.beginning(node, longest=LONGEST_EXPRESSION + 1)
            shown = ground.text(node, longest=_LONGEST_AWAITED)
            behaviour.add("awaits", called_in(text) or shown)
        for behaviour, node in self._each("throw"):
            chain = chain_of(ground.beginning(node, longest=LONGEST_EXPRESSION))
            # What was caught is thrown again as what it was declared to be.
            type_ = bare_type(self._typing.of(ground.owner(node.start_byte), chain))
            behaviour.add("throws", (type_ or chain).rpartition(".")[2])
        for node in self._captures.in_order("decorator"):
            number = ground.owner(node.start_byte)
            # That of a field or a statement inside belongs to nobody here.
            if number < 0 or node.start_byte >= self._symbols[number].body_start:
                continue
            behaviour = self._found[number]
            name = _DECORATOR.match(ground.text(node))
            behaviour.add("decorators", "" if name is None else name[1].replace("::", "."))
