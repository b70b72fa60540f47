"""Declarations and first assignments -> which name has which type, symbol by symbol.

Declared types are taken as written; inferred ones only from what stands beside the name: a
literal, a constructor, another name whose type is known. Used by the reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivium.parsing.code.captures import Captures, Match
from trivium.parsing.code.entries import distinct
from trivium.parsing.code.expressions import (
    LONGEST_EXPRESSION,
    bare_type,
    callee_of,
    is_simple,
    joined,
)
from trivium.parsing.code.ground import Ground
from trivium.parsing.code.symbol import HOLDERS, Symbol
from trivium.parsing.code.table import Table, follow

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

RETURN = "return"
_MOST_NAMES = 200
_VARIABLES = frozenset({"constant", "variable"})
_LONGEST_CALLEE = 80


@dataclass(slots=True)
class Types:
    """The types one symbol knows, by name.

    `result` is the declared one of what it returns, `results` are those it is seen to return,
    `named` those it names in other places.
    """

    declared: dict[str, str] = field(default_factory=dict)
    inferred: dict[str, str] = field(default_factory=dict)
    result: str = ""
    results: dict[str, None] = field(default_factory=dict)
    named: dict[str, None] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """Return a name's type; "" if nothing shows it."""
        return self.declared.get(name) or self.inferred.get(name, "")


NO_TYPES = Types()


class Typing:
    """Reads the types of one document. Symbol -1 is the module."""

    def __init__(
        self,
        captures: Captures,
        ground: Ground,
        table: Table,
        symbols: Sequence[Symbol],
        by_name: Mapping[str, int],
    ) -> None:
        self._ground = ground
        self._table = table
        self._symbols = symbols
        self._by_name = by_name
        self._found: dict[int, Types] = {}
        self._aliases: list[tuple[int, str]] = []
        # What a variable that is a symbol is known to be is known around it too.
        self._variables = {
            (one.parent, one.name): number
            for number, one in enumerate(symbols)
            if one.type in _VARIABLES
        }
        inferred: list[Match] = []
        for match in sorted(captures.types, key=_position):
            if "type" in match or "result" in match:
                self._declare(match)
            else:
                inferred.append(match)
        late = [match for match in inferred if not self._infer(match)]
        for match in late:
            self._take_over(match)

    def aliases(self) -> Sequence[tuple[int, str]]:
        """Return each symbol's assignments of one name to another, as "a=b"."""
        return self._aliases

    def known(self, symbol: int) -> Types:
        """Return the types a symbol knows by itself; they are not to be changed."""
        return self._found.get(symbol, NO_TYPES)

    def of(self, symbol: int, name: str) -> str:
        """Return the type of a name, or of a field such as `self.x`, as a symbol sees it."""
        receiver, dot, member = name.partition(".")
        if dot:
            if receiver in self._table.receivers:
                holder = self.holder(symbol)
            else:
                holder = self._by_name.get(bare_type(self.of(symbol, receiver)), -1)
            return self._inside(holder, member) if holder >= 0 else ""
        while symbol >= 0:
            found = self._inside(symbol, name)
            if found:
                return found
            symbol = self._symbols[symbol].parent
        return self._inside(-1, name)

    def _inside(self, symbol: int, name: str) -> str:
        """Return the type of a name where it is known: in a symbol, or a variable of its own."""
        types = self._found.get(symbol)
        if types is not None and (found := types.of(name)):
            return found
        variable = self._variables.get((symbol, name)) if self._variables else None
        return "" if variable is None else self.known(variable).of(name)

    def _at(self, symbol: int) -> Types:
        types = self._found.get(symbol)
        if types is None:
            types = self._found[symbol] = Types()
        return types

    def _owner(self, node: SyntaxNode) -> int:
        return self._ground.owner(node.start_byte)

    def holder(self, symbol: int) -> int:
        """Return the type whose fields a symbol sees, -1 if none."""
        while symbol >= 0:
            if self._symbols[symbol].holder >= 0:
                return self._symbols[symbol].holder
            symbol = self._symbols[symbol].parent
        return -1

    def _declare(self, match: Match) -> None:
        several = match.get("result") or match["type"]
        node = several[0]
        text = self._ground.text(node, until=several[-1]).lstrip(":->=~ ")
        for name in match.get("field", ()):
            fields = self._at(self._holder_at(name))
            fields.declared.setdefault(self._ground.text(name), text)
        if "result" not in match and "name" not in match and "field" not in match:
            named = self._at(self._owner(node)).named
            if len(named) < _MOST_NAMES:
                named[text] = None
        if "result" in match:
            owner = self._owner(node)
            # The result of an anonymous function inside belongs to nobody here.
            if owner >= 0 and node.start_byte < self._symbols[owner].body_start:
                types = self._at(owner)
                types.result = types.result or text
        for name in match.get("name", ()):
            types, key = self._slot(name)
            if len(types.declared) < _MOST_NAMES and text:
                types.declared.setdefault(key, text)

    def _infer(self, match: Match) -> bool:
        """Note the type a value shows by itself; False if it is a name and has to wait."""
        if "from" in match:
            return False
        value = match["value"][0] if "value" in match else None
        if value is not None and value.type in self._table.unwraps:
            value = value.named_child(0)
        if value is not None and value.type in self._table.sources:
            return False
        type_ = self._shown(match) if value is None else self._shown_by(value)
        if type_:
            self._note(match, type_)
        return True

    def _take_over(self, match: Match) -> None:
        """Note the type of a name that is assigned to another, and the assignment itself."""
        node = (match.get("from") or match["value"])[0]
        source, owner = self._ground.text(node), self._owner(node)
        if "value" in match and is_simple(source):
            for name in match.get("name", ()):
                target = self._ground.text(name)
                if target != source and is_simple(target):
                    self._aliases.append((owner, f"{target}={source}"))
        if type_ := self.of(owner, source):
            self._note(match, type_)

    def _note(self, match: Match, type_: str) -> None:
        for name in match.get("field", ()):
            fields = self._at(self._holder_at(name))
            fields.inferred.setdefault(self._ground.text(name), type_)
        if "name" not in match and "field" in match:
            return
        if "name" not in match:
            node = next(iter(match.values()))[0]
            self._at(self._owner(node)).results[type_] = None
            return
        for name in match["name"]:
            types, key = self._slot(name)
            if key not in types.declared and len(types.inferred) < _MOST_NAMES:
                types.inferred.setdefault(key, type_)

    def _slot(self, name: SyntaxNode) -> tuple[Types, str]:
        """Return where the type of a name is kept: with its symbol, a field's with its class."""
        text, owner = self._ground.text(name).lstrip("*&. "), self._owner(name)
        receiver, dot, member = text.partition(".")
        if dot and receiver in self._table.receivers:
            holder = self.holder(owner)
            if holder >= 0:
                return self._at(holder), member
        return self._at(owner), text

    def _holder_at(self, node: SyntaxNode) -> int:
        owner = self._owner(node)
        is_type = owner >= 0 and self._symbols[owner].type in HOLDERS
        return owner if is_type else self.holder(owner)

    def _shown_by(self, value: SyntaxNode) -> str:
        """Return the type the node of a value shows."""
        kind, table = value.type, self._table
        if kind in table.literals:
            return table.literals[kind]
        if kind in table.makes:
            callee = follow(value, table.makes[kind])
            return "" if callee is None else self._made_by_call(callee)
        if kind in table.made:
            maker = follow(value, table.made[kind])
            return "" if maker is None else bare_type(self._ground.text(maker))
        return ""

    def _shown(self, match: Match) -> str:
        """Return the type that a captured part of a value shows."""
        if "literal" in match:
            return self._table.literals.get(match["literal"][0].type, "")
        if "made" in match:
            return bare_type(self._ground.text(match["made"][0]))
        return self._made_by_call(match["make"][0]) if "make" in match else ""

    def _made_by_call(self, node: SyntaxNode) -> str:
        """Return the type a call makes, if it is named as types are."""
        raw = self._ground.code[
            max(node.start_byte, node.end_byte - _LONGEST_CALLEE) : node.end_byte
        ]
        if b"a" <= raw.rpartition(b".")[2].lstrip(b"_")[:1] <= b"z":
            return ""
        callee = callee_of(self._ground.expression(node, longest=LONGEST_EXPRESSION))
        if callee is None or "(" in callee.path or not callee.name.lstrip("_")[:1].isupper():
            return ""
        # The way Go names the functions that make a type.
        name = callee.name.removeprefix("New") or callee.name
        is_named_so = name != callee.name and name[:1].isupper()
        return joined(callee.path, name).text if is_named_so else callee.text


def _position(match: Match) -> int:
    start: int = next(iter(match.values()))[0].start_byte
    return start


def type_facts(types: Types, parameters: Sequence[str]) -> Mapping[str, tuple[str, ...] | str]:
    """Return what metadata says of a symbol's types."""
    facts: dict[str, tuple[str, ...] | str] = {}
    if types is NO_TYPES:
        return facts
    known = frozenset(parameters)
    if declared := [name for name in parameters if name in types.declared]:
        facts["paramTypes"] = tuple(f"{name}: {types.declared[name]}" for name in declared)
    if types.result:
        facts["returnType"] = types.result
    shown = [f"{name}: {type_}" for name, type_ in types.declared.items() if name not in known]
    shown += [f"{name}: {type_}" for name, type_ in types.inferred.items()]
    if not types.result:
        shown += [f"{RETURN}: {type_}" for type_ in types.results]
    if shown:
        facts["inferredTypes"] = distinct(shown)
    return facts
