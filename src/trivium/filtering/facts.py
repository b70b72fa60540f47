"""The metadata of a node -> what can be compared of it, beside its stored attributes.

A table says under which keys parsing keeps each fact and how an entry is read. Used by `match`,
and by backends that test metadata where it is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from trivium.filtering.comparing import clean, fold, instant, plain
from trivium.filtering.fields import OF_CODE
from trivium.types import Kind, Metadata, MetaValue

# Between the key and the value of a condition on a field.
KEY_END = "\x1f"

GUIDES = "guides"
CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "api": ("api", "api-docs"),
    "community": ("community", "community-bloggers"),
}

_CODE = frozenset({Kind.CODE, Kind.FILE})
_CALLER = "calls"


def _each(value: MetaValue) -> Iterator[str]:
    """Yield the entries of a list or one value, each as text."""
    for one in value if isinstance(value, tuple | list) else (value,):
        if isinstance(one, bool):
            yield "true" if one else "false"
        elif one != "":
            yield clean(str(one))


def _with_last_part(value: MetaValue) -> Iterator[str]:
    """Yield list.push and push: who asks for a method rarely knows what it is called on."""
    for text in _each(value):
        yield text
        last = text.rpartition(".")[2]
        if last not in ("", text):
            yield last


def _types(value: MetaValue) -> Iterator[str]:
    """Yield what stands after the name in `name: type`."""
    for text in _each(value):
        before, colon, after = text.partition(": ")
        yield after if colon else before


def _instants(value: MetaValue) -> Iterator[str]:
    for one in value if isinstance(value, tuple | list) else (value,):
        found = instant(one)
        if found is not None:
            yield plain(found)


@dataclass(frozen=True, slots=True)
class Fact:
    """Where a fact is kept, and how an entry of it is read.

    `of_file`: what the module or document of the file says holds for all that is in it.
    """

    keys: tuple[str, ...]
    read: Callable[[MetaValue], Iterator[str]] = _each
    of_file: bool = False


FACTS: Mapping[str, Fact] = {
    "signature": Fact(("signature",)),
    "param": Fact(("params",)),
    "return-type": Fact(("returnType",)),
    "inferred-type": Fact(("inferredTypes", "paramTypes", "returnType"), _types),
    "calls": Fact(("calls",), _with_last_part),
    "uses": Fact(("uses",), _with_last_part, of_file=True),
    "import": Fact(("imports",), of_file=True),
    "extends": Fact(("extends", "implements")),
    "visibility": Fact(("visibility", "modifiers")),
    "decorator": Fact(("decorators",)),
    "throws": Fact(("throws",)),
    "awaits": Fact(("awaits",)),
    "reads": Fact(("reads",)),
    "writes": Fact(("writes",)),
    "mutates": Fact(("mutates",)),
    "alias": Fact(("aliases",)),
    "async": Fact(("async",)),
    "generator": Fact(("generator",)),
    "returns": Fact(("returns",)),
    "branches": Fact(("branches",)),
    "loops": Fact(("loops",)),
    "breaks": Fact(("breaks",)),
    "continues": Fact(("continues",)),
    "risk-tag": Fact(("riskTags",)),
    "risk-source": Fact(("riskSources",)),
    "risk-sink": Fact(("riskSinks",)),
    "risk-category": Fact(("riskCategories",)),
    "risk-flow": Fact(("riskFlows",)),
    "marks": Fact(("marks",)),
    "status": Fact(("status",), of_file=True),
    "priority": Fact(("priority",), of_file=True),
    "assignee": Fact(("assignee",), of_file=True),
    "due": Fact(("due", "dueDate"), _instants, of_file=True),
}


def is_of(attribute: str, kind: Kind) -> bool:
    """Say whether nodes of a kind can have a fact: a record's own `calls` are no calls."""
    return attribute not in OF_CODE or kind in _CODE


def hands_down(attribute: str, kind: Kind) -> bool:
    """Say whether a module or document of a kind gives a fact to all that is in its file."""
    if attribute == "meta":
        return kind is not Kind.CODE
    return FACTS[attribute].of_file and is_of(attribute, kind)


def values_of(attribute: str, metadata: Metadata, *, name: str = "") -> tuple[str, ...]:
    """Return what metadata holds of a fact. `name` is that of the node: who calls."""
    fact = FACTS[attribute]
    found = [text for key in fact.keys if key in metadata for text in fact.read(metadata[key])]
    if attribute == _CALLER and found and name:
        found.append(clean(name))
    return tuple(found)


def holds_field(metadata: Metadata, wanted: str) -> bool:
    """Say whether a field is there and not empty, or contains a value, whatever its case.

    `wanted` is its dotted key, or key and folded value with KEY_END between. The fields of an
    object count as its own.
    """
    key, _, value = wanted.partition(KEY_END)
    inside = f"{key}."
    return any(
        value in fold(text)
        for name, kept in metadata.items()
        if name == key or name.startswith(inside)
        for text in _each(kept)
    )


def categories(domain: str) -> tuple[str, ...]:
    """Return seed 002's category of a folded domain, and the domain itself."""
    for category, domains in CATEGORIES.items():
        if domain in domains:
            return (category, domain)
    return (GUIDES, domain) if domain else ()
