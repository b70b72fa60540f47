"""A parser of documents -> what it makes of a text, in shapes that tests compare at a glance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trivium.parsing.detect import FileType
from trivium.types import Document, EdgeType, Node, Parsed


@dataclass(frozen=True, slots=True)
class Prose:
    """One format, read as the file `path`."""

    parser: Callable[[Document, FileType], Parsed]
    path: str
    file_type: FileType

    def read(self, text: str) -> Parsed:
        """Parse a text."""
        return self.parser(Document(self.path, text), self.file_type)

    def sections(self, text: str) -> list[str]:
        """Return the paths of the headings, in order."""
        nodes = self.read(text).nodes
        return [node.id.partition("#")[2] for node in nodes if node.type == "section"]

    def blocks(self, text: str) -> list[Node]:
        """Return the blocks of code."""
        return [node for node in self.read(text).nodes if node.type == "code block"]

    def codes(self, text: str) -> list[tuple[str, str]]:
        """Return the language and text of each block of code."""
        return [(one.language, text[one.span.start : one.span.end]) for one in self.blocks(text)]

    def mentions(self, text: str) -> list[str]:
        """Return the names that are mentioned, dotted."""
        found = (one for one in self.read(text).references if one.type is EdgeType.MENTIONS)
        return [".".join(filter(None, (one.path, one.name))) for one in found]
