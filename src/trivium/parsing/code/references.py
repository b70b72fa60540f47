"""What the symbols of a document name -> references, for the linking stage to find the targets of.

Knows one document only: a receiver's type is given where the text around it shows one, and a
name is used where an import or the top of the module binds it. Used by the reader.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from trivium.parsing.code.behaviour import Behaviour
from trivium.parsing.code.captures import Captures
from trivium.parsing.code.expressions import (
    LONGEST_EXPRESSION,
    bare_type,
    chain_of,
    made_by,
)
from trivium.parsing.code.ground import Ground
from trivium.parsing.code.imports import Binding
from trivium.parsing.code.layout import SCOPE
from trivium.parsing.code.symbol import Symbol
from trivium.parsing.code.table import Table
from trivium.parsing.code.typed import Typing
from trivium.parsing.code.uses import Uses
from trivium.types import EdgeType, NodeId, Reference

_MOST_REFERENCES = 5_000


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is known of a document when its references are made; the module stands last."""

    module: NodeId
    symbols: Sequence[Symbol]
    by_name: Mapping[str, int]
    behaviours: Sequence[Behaviour]
    typing: Typing
    bindings: Sequence[Binding]
    exported: frozenset[str]
    captures: Captures
    ground: Ground
    table: Table


def references_of(scene: Scene) -> tuple[Reference, ...]:
    """Return the references, each once; reads and uses are noted in the behaviours too."""
    maker = _Maker(scene)
    found = chain(maker.imports(), maker.types(), maker.calls(), maker.uses(), maker.named_uses())
    kept = tuple(islice(found, _MOST_REFERENCES))
    # What is left over is not kept, but the names it uses are still noted.
    deque(found, maxlen=0)
    return kept


class _Maker:
    """Makes the references of one scene, kind by kind."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def imports(self) -> Iterator[Reference]:
        """Return what the module imports and what it hands on."""
        scene = self._scene
        for one in scene.bindings:
            type_ = EdgeType.EXPORTS if one.is_export else EdgeType.IMPORTS
            yield Reference(scene.module, type_, one.name, one.path, one.alias, line=one.line)
        for one in scene.bindings:
            if not one.is_export and one.alias in scene.exported:
                yield Reference(
                    scene.module, EdgeType.EXPORTS, one.name, one.path, one.alias, line=one.line
                )

    def types(self) -> Iterator[Reference]:
        """Return what types are built on."""
        scene = self._scene
        for type_ in (EdgeType.EXTENDS, EdgeType.IMPLEMENTS):
            for node in scene.captures.in_order(type_.value):
                number = self._type_at(scene.ground.place(node.start_byte))
                if number is None:
                    continue
                text = scene.ground.beginning(node, longest=LONGEST_EXPRESSION)
                path, _, name = chain_of(text).rpartition(".")
                if name:
                    behaviour = scene.behaviours[number]
                    behaviour.add(type_.value, f"{path}.{name}" if path else name)
                    line = scene.ground.line(node.start_byte)
                    yield Reference(self._id(number), type_, name, path, line=line)

    def calls(self) -> Iterator[Reference]:
        """Return what is called, with the type of its receiver where that is known."""
        for number, behaviour in self._each():
            source = self._id(number)
            for callee, line in behaviour.calls.items():
                yield Reference(
                    source,
                    EdgeType.CALLS,
                    callee.name,
                    callee.path,
                    of=self._type_of(number, callee.path) if callee.path else "",
                    line=line,
                )

    def uses(self) -> Iterator[Reference]:
        """Return what is used but not called: imported names, names of this module, types."""
        scene = self._scene
        uses = Uses(scene.symbols, scene.bindings, scene.ground, scene.table)
        for number, behaviour in self._each():
            source = self._id(number)
            for used in uses.of(number, behaviour, scene.typing.known(number)):
                path, _, name = used.rpartition(".")
                yield Reference(source, EdgeType.USES, name, path)

    def named_uses(self) -> Iterator[Reference]:
        """Return what the table says is used: the tables of a view."""
        scene = self._scene
        found: dict[tuple[int, str], int] = {}
        for node in scene.captures.in_order("use"):
            text = scene.ground.beginning(node, longest=LONGEST_EXPRESSION)
            key = (scene.ground.owner(node.start_byte), chain_of(text))
            found.setdefault(key, scene.ground.line(node.start_byte))
        for (number, used), line in found.items():
            path, _, name = used.rpartition(".")
            if name:
                scene.behaviours[number].add("uses", used)
                yield Reference(self._id(number), EdgeType.USES, name, path, line=line)

    def _each(self) -> Iterator[tuple[int, Behaviour]]:
        behaviours = self._scene.behaviours
        yield -1, behaviours[-1]
        yield from enumerate(behaviours[:-1])

    def _id(self, number: int) -> NodeId:
        return self._scene.module if number < 0 else self._scene.symbols[number].id

    def _type_at(self, number: int) -> int | None:
        """Return the type a header belongs to; that of an impl block may stand elsewhere."""
        if number < 0:
            return None
        symbol = self._scene.symbols[number]
        return self._scene.by_name.get(symbol.qualified) if symbol.type == SCOPE else number

    def _type_of(self, number: int, path: str) -> str:
        scene = self._scene
        if path in scene.table.receivers:
            holder = scene.typing.holder(number)
            return scene.symbols[holder].qualified if holder >= 0 else ""
        if path.endswith('""'):
            return scene.table.literals.get("string", "")
        made = made_by(path)
        return made or bare_type(scene.typing.of(number, path))
