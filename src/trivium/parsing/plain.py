"""Any text -> one node that owns all of it, and the facts every parser takes from a path or a text.

The last resort of parse(): it reads any text, so whatever else fails here nothing is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from trivium.parsing.detect import FileType
from trivium.types import Document, Kind, Location, Node, NodeId, Parsed, Span, lines_of

LONGEST_SUMMARY = 300
_LONGEST_TITLE = 100

# A file that only stands for its folder is named after the folder.
_FOLDER_FILE = re.compile(r"index\..+|mod\.rs|__init__\.pyi?")

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
# Written as escapes: the full-width marks look like the ones of ASCII.
_SENTENCE_END = re.compile("[.!?](?=\\s)|[\u3002\uff01\uff1f]")


@dataclass(frozen=True, slots=True)
class HeadingLine:
    """One line read as a heading."""

    level: int
    text: str


class Names:
    """The names given to the nodes of one document, so that no two are equal.

    Asked in order of appearance, which keeps ids stable over re-indexing.
    """

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Return `name`, or `name~2`, `name~3`... if it has been given before."""
        count = self._given.get(name, 0) + 1
        chosen = name if count == 1 else f"{name}~{count}"
        while count > 1 and chosen in self._given:
            count += 1
            chosen = f"{name}~{count}"
        self._given[name] = count
        if chosen != name:
            self._given[chosen] = 1
        return chosen


def plain(document: Document, file_type: FileType) -> Parsed:
    """Make the whole document one node."""
    text, path = document.text, document.path
    whole = Span(0, len(text))
    is_doc = file_type.kind is Kind.DOC
    title = title_of(text, file_name_of(path)) if is_doc else ""
    node = Node(
        id=NodeId(f"{file_type.kind}:{path}"),
        kind=file_type.kind,
        type={Kind.DOC: "document", Kind.CODE: "module"}.get(file_type.kind, "file"),
        name=_name_of(path, file_type.kind, title=title),
        source=Location(path, *lines_of(text, [whole])[0]),
        span=whole,
        own=(whole,) if text.strip() else (),
        description=summary_of(text) if is_doc else "",
        domain=domain_of(path),
        language=file_type.language,
        title=title,
    )
    return Parsed(nodes=(node,))


def title_of(text: str, file_name: str) -> str:
    """Return the first heading, else the first line cut at 100 characters, else the file name."""
    first = ""
    for line in text.splitlines():
        heading = heading_of(line)
        if heading is not None and heading.text:
            return heading.text
        if heading is None and not first:
            first = line.strip()
    if not first:
        return file_name
    return first if len(first) <= _LONGEST_TITLE else first[:_LONGEST_TITLE] + "..."


def heading_of(line: str) -> HeadingLine | None:
    """Read a line as `## Heading`; None if it is none. Closing hashes are not its text."""
    opening = _HEADING.match(line)
    if opening is None:
        return None
    text = line[opening.end() :].strip()
    unclosed = text.rstrip("#")
    if unclosed == "" or unclosed[-1] in " \t":
        text = unclosed.rstrip()
    return HeadingLine(level=len(opening[1]), text=text)


def summary_of(text: str) -> str:
    """Return the first paragraph on one line, cut at the end of a sentence or of a word if long."""
    lines = text.lstrip()[: 4 * LONGEST_SUMMARY].splitlines()
    summary = " ".join(" ".join(takewhile(str.strip, lines)).split())
    if len(summary) <= LONGEST_SUMMARY:
        return summary
    head = summary[:LONGEST_SUMMARY]
    ends = [match.end() for match in _SENTENCE_END.finditer(head)]
    if ends:
        return head[: ends[-1]]
    return head[: LONGEST_SUMMARY - 1].rpartition(" ")[0] + "…" if " " in head else head


def file_name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def domain_of(path: str) -> str:
    """Return the first folder of a path, "" for a file at the top."""
    return path.partition("/")[0] if "/" in path else ""


def module_name_of(path: str) -> str:
    """Return the name a code file is known by: its stem, or its folder's name for index.ts."""
    folder, _, name = path.rpartition("/")
    parent = folder.rpartition("/")[2]
    if parent and _FOLDER_FILE.fullmatch(name):
        return parent
    return name.rpartition(".")[0] or name


def _name_of(path: str, kind: Kind, *, title: str) -> str:
    if kind is Kind.DOC:
        return title
    return module_name_of(path) if kind is Kind.CODE else file_name_of(path)
