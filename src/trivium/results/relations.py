"""What a walk over the graph reached -> plain data, or lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trivium.results.present import Data, Place, Style, edge_data, label, one_line, plain
from trivium.types import Edge, Node

_WHOLE = 1.0
_LONGEST_CONTEXT = 120


@dataclass(frozen=True, slots=True)
class Relation:
    """A node that is related to another: how far away, over which edge, and how sure that is."""

    node: Node
    depth: int
    edge: Edge
    certainty: float


@dataclass(frozen=True, slots=True)
class Relations:
    """What is related to a node, nearest first.

    `is_cut` says that there is more; `unlinked` files wait to be linked and may bring more.
    """

    of: Node
    found: tuple[Relation, ...]
    is_cut: bool = False
    unlinked: int = 0


def relations_data(relations: Relations) -> Data:
    """Return relations as plain data with camelCase keys."""
    return {
        "id": relations.of.id,
        "results": [_relation_data(one) for one in relations.found],
        "total": len(relations.found),
        "isCut": relations.is_cut,
        "unlinkedFiles": relations.unlinked,
    }


def _relation_data(one: Relation) -> Data:
    source = one.node.source
    return {
        "id": one.node.id,
        "kind": one.node.kind.value,
        "type": one.node.type,
        "name": one.node.name,
        "description": one.node.description,
        "source": {
            "filePath": source.file_path,
            "startLine": source.start_line,
            "endLine": source.end_line,
        },
        "depth": one.depth,
        "certainty": round(one.certainty, 4),
        "edge": edge_data(one.edge),
    }


def relations_text(relations: Relations, *, style: Style = plain, place: Place = str) -> str:
    """Return relations for a terminal, a line each, deeper ones further in."""
    return "\n".join(_line(one, style, place) for one in relations.found)


def _line(one: Relation, style: Style, place: Place) -> str:
    source = one.node.source
    where = f"{one_line(place(source.file_path))}:{source.start_line}"
    sure = "" if one.certainty >= _WHOLE else f", {one.certainty:.0%} sure"
    context = f": {_short(one_line(one.edge.context))}" if one.edge.context else ""
    how = f"{one.edge.type.value}{context}{sure}"
    indent = "  " * (one.depth - 1)
    name = style(one_line(label(one.node)), "name")
    return f"{indent}{style(where, 'place')}  {name}  {style(how, 'dim')}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_CONTEXT else text[: _LONGEST_CONTEXT - 1] + "…"


def grouped(found: Sequence[Relation]) -> list[Relation]:
    """Order so that each relation follows the one it was reached through."""
    below: dict[str, list[Relation]] = {}
    ids = {one.node.id for one in found}
    tops = []
    for one in found:
        through = one.edge.source if one.edge.target == one.node.id else one.edge.target
        if one.depth > 1 and through in ids:
            below.setdefault(through, []).append(one)
        else:
            tops.append(one)
    ordered: list[Relation] = []
    waiting = list(reversed(tops))
    while waiting:
        one = waiting.pop()
        ordered.append(one)
        waiting.extend(reversed(below.pop(one.node.id, [])))
    return ordered
