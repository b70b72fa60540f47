"""A node and conditions -> does it satisfy them.

The meaning of a Filter, in plain Python: what a backend pushes down must agree with it.
Called by the reference backend and the contract suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from trivium.filtering import facts
from trivium.filtering.comparing import FOLDING, clean, fold, instant, number, plain
from trivium.filtering.conditions import ATTRIBUTES, PATTERN, Condition, Filter, Test
from trivium.filtering.patterns import pattern
from trivium.types import Kind, Node


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the file a node stands in.

    `roots` are its modules and documents, which speak for all that is in it; the rest is what
    its repository knows.
    """

    roots: tuple[Node, ...] = ()
    author: str = ""
    modified: str = ""
    churn: int | None = None


NO_SURROUNDINGS = Surroundings()


def is_root(node: Node) -> bool:
    """Say whether a node is the module or document that its file is."""
    return node.kind is not Kind.FILE and node.id == f"{node.kind}:{node.source.file_path}"


def attributes(node: Node) -> Mapping[str, tuple[str, ...]]:
    """Return what is stored to be filtered on, folded to lower case. Missing is the empty tuple."""
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


def allows(where: Filter, node: Node, around: Surroundings = NO_SURROUNDINGS) -> bool:
    """Say whether every condition holds for a node. Missing metadata never matches."""
    return all(_is_met(condition, node, around) for condition in where.conditions)


def matches(where: Filter, values: Mapping[str, tuple[str, ...]]) -> bool:
    """Say whether every condition holds for stored attributes; any other is missing."""
    return all(satisfies(one, values.get(one.field, ())) for one in where.conditions)


def _is_met(condition: Condition, node: Node, around: Surroundings) -> bool:
    field = condition.field
    if field in ATTRIBUTES:
        return satisfies(condition, attributes(node)[field])
    if field == "meta":
        speakers = (node, *(one for one in around.roots if facts.hands_down(field, one.kind)))
        return any(
            facts.holds_field(one.metadata, wanted)
            for one in speakers
            for wanted in condition.values
        )
    if field in facts.FACTS:
        found: tuple[str, ...] = ()
        if facts.is_of(field, node.kind):
            found = facts.values_of(field, node.metadata, name=node.name)
        for one in around.roots:
            if facts.hands_down(field, one.kind):
                found += facts.values_of(field, one.metadata)
        return satisfies(condition, folded(condition.test, found))
    read = _OTHERS.get(field)
    return read is not None and satisfies(condition, read(node, around))


def folded(test: Test, values: Iterable[str]) -> tuple[str, ...]:
    """Return values as a test compares them."""
    return tuple(map(fold, values)) if test in FOLDING else tuple(values)


def satisfies(condition: Condition, values: tuple[str, ...]) -> bool:
    """Say whether one of `values`, folded where the test folds, is one that is wanted."""
    test, wanted = condition.test, condition.values
    if test in (Test.EQUALS, Test.EXACT):
        return not wanted.isdisjoint(values)
    compare = _COMPARED[test]
    return any(compare(one, value) for one in wanted for value in values)


def _at_least(wanted: str, value: str) -> bool:
    found = number(value)
    return found is not None and found >= float(wanted)


def _below(wanted: str, value: str) -> bool:
    found = number(value)
    return found is not None and found < float(wanted)


def _finds(wanted: str, path: str) -> bool:
    if not wanted.startswith(PATTERN):
        return wanted in fold(path)
    finds = pattern(wanted.removeprefix(PATTERN))
    return finds is not None and finds(path)


_COMPARED: Mapping[Test, Callable[[str, str], bool]] = {
    Test.CONTAINS: lambda wanted, value: wanted in value,
    Test.INCLUDES: lambda wanted, value: wanted in value,
    Test.STARTS: lambda wanted, value: value.startswith(wanted),
    Test.AT_LEAST: _at_least,
    Test.BELOW: _below,
    Test.FINDS: _finds,
}


def history_values(field: str, author: str, modified: str, churn: int | None) -> tuple[str, ...]:
    """Return what a repository knows of a file, as conditions compare it."""
    if field == "author":
        return _present(author)
    if field == "churn":
        return () if churn is None else (plain(churn),)
    moment = instant(modified)
    return () if moment is None else (plain(moment),)


def _of_history(field: str) -> Callable[[Node, Surroundings], tuple[str, ...]]:
    return lambda _, around: history_values(field, around.author, around.modified, around.churn)


HISTORY = ("author", "modified", "churn")
_OTHERS: Mapping[str, Callable[[Node, Surroundings], tuple[str, ...]]] = {
    "file": lambda node, _: (clean(node.source.file_path),) if node.source.file_path else (),
    "sort": lambda node, _: (node.kind.value, *_present(node.type)),
    "category": lambda node, _: facts.categories(fold(node.domain)),
    **{field: _of_history(field) for field in HISTORY},
}


def _present(value: str) -> tuple[str, ...]:
    return (fold(value),) if value else ()
