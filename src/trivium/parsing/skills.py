"""A Markdown file that describes a skill -> the nodes of its document, as a skill.

What markdown() made gets ids without a path, so that notes can link by name, and the facts of
a skill: when to use it, its steps, what it takes. In a map of content links are `clusters`.
Called by parse() for what is_skill() says is one; sections() is for whoever shows a document.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trivium.analysis.slugs import slugify
from trivium.parsing.detect import FileType
from trivium.parsing.front import first_text, front_matter
from trivium.parsing.markdown import markdown
from trivium.parsing.plain import file_name_of, heading_of
from trivium.parsing.usage import ITEM, one_line, usage
from trivium.types import (
    Document,
    EdgeType,
    Kind,
    Metadata,
    Node,
    NodeId,
    Parsed,
    Reference,
)

TYPES = frozenset({"skill", "moc", "claim", "technique", "framework", "exploration"})
MAP_OF_CONTENT = "moc"
PREVIEW = 400

_ENDINGS = (".md", ".markdown", ".mdx")
_FILE = "skill.md"
_FOLDER = "skills"
_LONGEST_TYPE = 50
_APART = 4
# A map of content that does not say so: this many links in lists, on most of its lines.
_LEAST_LISTED = 5
_MOST_HEADING_LINES = 10

# What some markups draw below a heading.
_ADORNMENT = re.compile(r"[ \t]*([-=~^\"'`#*+.:_])\1*[ \t]*")


@dataclass(frozen=True, slots=True)
class SectionPreview:
    """A heading and how the text right below it begins."""

    heading: str
    preview: str
    level: int


def is_skill(document: Document) -> bool:
    """Whether a document is a skill by its name, its type, or its folder and a description."""
    name = file_name_of(document.path).lower()
    if name == _FILE:
        return True
    if not name.endswith(_ENDINGS) or not document.text.startswith("---"):
        return False
    front, _ = front_matter(document.text)
    is_below = _FOLDER in document.path.lower().split("/")[:-1]
    return _type_in(front) in TYPES or (is_below and bool(first_text(front, "description")))


def skill(document: Document, file_type: FileType, *, apart: bool = False) -> Parsed:
    """Return the skill's node, then its sections. `apart` makes the id differ by its path."""
    parsed = markdown(document, file_type)
    root = parsed.nodes[0]
    front = root.metadata
    skill_id = f"{Kind.SKILL}:{slug_of(document.path, front, apart=apart)}"

    def renamed(node_id: NodeId) -> NodeId:
        is_own = node_id == root.id or node_id.startswith(f"{root.id}#")
        return NodeId(skill_id + node_id[len(root.id) :]) if is_own else node_id

    is_map = _is_map(document.text, front, parsed.references)
    type_ = _type_in(front) or (MAP_OF_CONTENT if is_map else "skill")
    shown = sections(document.text, parsed.nodes)
    metadata = {**front, **usage(document.text, parsed)}
    if shown:
        metadata["headings"] = tuple(one.heading for one in shown)
        metadata["previews"] = tuple(one.preview for one in shown)
    nodes = tuple(
        replace(
            node,
            id=renamed(node.id),
            kind=Kind.SKILL if node.kind is file_type.kind else node.kind,
        )
        for node in parsed.nodes
    )
    main = replace(
        nodes[0],
        type=type_[:_LONGEST_TYPE],
        name=one_line(first_text(front, "name", "title")) or root.name,
        metadata=metadata,
    )
    return replace(
        parsed,
        nodes=(main, *nodes[1:]),
        edges=tuple(
            replace(edge, source=renamed(edge.source), target=renamed(edge.target))
            for edge in parsed.edges
        ),
        references=tuple(
            replace(one, source=renamed(one.source), type=_linked(one.type, is_map=is_map))
            for one in parsed.references
        ),
    )


def slug_of(path: str, front: Metadata, *, apart: bool = False) -> str:
    """Return the name in a skill's id: from front matter, its folder or its file; never empty."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    above = folder.rpartition("/")[2] if name.lower() == _FILE else ""
    candidates = (first_text(front, "name"), first_text(front, "title"), above, stem)
    slug = next((one for one in map(slugify, candidates) if one), "")
    digest = hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()
    if not slug:
        return digest[: 2 * _APART]
    return f"{slug}~{digest[:_APART]}" if apart else slug


def sections(text: str, nodes: Iterable[Node]) -> list[SectionPreview]:
    """Return how each section among the nodes of a document begins, in the order of the nodes."""
    return [
        SectionPreview(node.name, _preview(text, node), _level(node))
        for node in nodes
        if node.type == "section"
    ]


def _level(node: Node) -> int:
    level = node.metadata.get("level", 1)
    return level if isinstance(level, int) else 1


def _preview(text: str, node: Node) -> str:
    """Join the lines of a section's own text, without its heading, by spaces."""
    most = _MOST_HEADING_LINES * PREVIEW
    own = "".join(text[part.start : min(part.end, part.start + most)] for part in node.own)
    lines = own[:most].split("\n")
    rest = lines[_heading_lines(lines, node.name) :]
    return " ".join(line.strip() for line in rest if line.strip())[:PREVIEW].rstrip()


def _heading_lines(lines: Sequence[str], name: str) -> int:
    """Return how many lines a heading takes: of any markup, underlined or not."""
    if heading_of(lines[0]) is not None:
        return 1
    wanted = _letters(name)
    seen = ""
    for number, line in enumerate(lines[:_MOST_HEADING_LINES], 1):
        seen += _letters(line)
        if wanted in seen and seen:
            below = lines[number] if number < len(lines) else ""
            return number + (_ADORNMENT.fullmatch(below) is not None)
    return 1


def _letters(text: str) -> str:
    return "".join(one for one in text if one.isalnum())


def _linked(type_: EdgeType, *, is_map: bool) -> EdgeType:
    return EdgeType.CLUSTERS if is_map and type_ is EdgeType.REFERENCES else type_


def _is_map(text: str, front: Metadata, references: Sequence[Reference]) -> bool:
    """Whether a document is a map of content: its type says so, or else most of its lines do."""
    if type_ := _type_in(front):
        return type_ == MAP_OF_CONTENT
    linked = {one.line for one in references if one.type is EdgeType.REFERENCES and one.of}
    if len(linked) < _LEAST_LISTED:
        return False
    body = text.count("\n", 0, front_matter(text)[1])
    lines = text.split("\n")
    listed = sum(ITEM.match(lines[line - 1]) is not None for line in linked)
    said = sum(bool(line.strip()) and heading_of(line) is None for line in lines[body:])
    return listed >= _LEAST_LISTED and 2 * len(linked) > said


def _type_in(front: Metadata) -> str:
    value = front.get("type", "")
    first = (value[0] if value else "") if isinstance(value, tuple) else str(value)
    return " ".join(first.lower().split())
