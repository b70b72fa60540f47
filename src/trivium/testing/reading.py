"""A source text -> what parsing made of it, in a shape that tests can compare at a glance.

Shipped for authors of language tables. Names are those after the # of an id; the module is "".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trivium.parsing.parse import parse
from trivium.types import Document, EdgeType, Kind, Metadata, Node, Parsed


@dataclass(frozen=True, slots=True)
class Reading:
    """One document as it was parsed."""

    parsed: Parsed

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes by what follows the # of their ids, in order, the file's own left out."""
        return {
            node.id.partition("#")[2]: node
            for node in self.parsed.nodes
            if node.kind is not Kind.FILE
        }

    @property
    def types(self) -> dict[str, str]:
        """The type of each symbol by its name."""
        return {name: node.type for name, node in self.nodes.items() if name}

    def metadata(self, name: str = "") -> Metadata:
        """Return the metadata of a symbol, or of the module."""
        return self.nodes[name].metadata

    def edges(self, type_: EdgeType) -> list[str]:
        """Return the edges of a type as "source > target", by names."""
        return [
            f"{_short(one.source)} > {_short(one.target)}"
            for one in self.parsed.edges
            if one.type is type_ and not one.source.startswith("file:")
        ]

    def references(self, type_: EdgeType) -> list[str]:
        """Return the references of a type as "source > path.name as alias : of"."""
        return [
            f"{_short(one.source)} > {'.'.join(filter(None, (one.path, one.name)))}"
            + (f" as {one.alias}" if one.alias else "")
            + (f" : {one.of}" if one.of else "")
            for one in self.parsed.references
            if one.type is type_
        ]


def reading(path: str, text: str) -> Reading:
    """Parse one text as the file `path`; a parser that failed is an error here."""
    parsed = parse(Document(path, text))
    assert not parsed.failure, parsed.failure
    return Reading(parsed)


def _short(node_id: str) -> str:
    return node_id.partition("#")[2]
