"""A node and conditions -> does it satisfy them.

The meaning of a Filter, in plain Python: what a backend pushes down must agree with it.
Called by the reference backend and the contract suite.
"""

from __future__ import annotations

from collections.abc import Mapping

from trivium.filtering.conditions import Condition, Filter, Test, fold
from trivium.types import Node


def attributes(node: Node) -> Mapping[str, tuple[str, ...]]:
    """Return what can be filtered on, folded to lower case. Missing is the empty tuple."""
    path = fold(node.source.file_path)
    file_name = path.rpartition("/")[2]
    stem, dot, ext = file_name.rpartition(".")
    return {
        "kind": (node.kind.value,),
        "type": _present(node.type),
        "lang": _present(node.language),
        "ext": (dot + ext,) if stem and ext else (),
        "path": _present(path),
        "domain": _present(node.domain),
        "tag": tuple(fold(tag.strip()) for tag in node.tags if tag.strip()),
        "name": _present(node.name),
    }


def matches(where: Filter, values: Mapping[str, tuple[str, ...]]) -> bool:
    """Say whether every condition holds. A missing attribute never matches."""
    return all(_holds(condition, values[condition.field]) for condition in where.conditions)


def _holds(condition: Condition, values: tuple[str, ...]) -> bool:
    if condition.test is Test.EQUALS:
        return not condition.values.isdisjoint(values)
    if condition.test is Test.CONTAINS:
        return any(wanted in value for wanted in condition.values for value in values)
    return any(value.startswith(wanted) for wanted in condition.values for value in values)


def _present(value: str) -> tuple[str, ...]:
    return (fold(value),) if value else ()
