"""The headings, code blocks and links of a document -> its nodes, edges and references.

The same for every markup, so that ids and shapes are: a parser reads the lines of its markup
into an Outline and hands it to assemble(). Every section owns its text up to the next heading.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from trivium.parsing.blocks import Block, language_of, symbols_in
from trivium.parsing.detect import FileType
from trivium.parsing.front import first_text, words
from trivium.parsing.plain import Names, domain_of, file_name_of, summary_of, title_of
from trivium.parsing.references import Found, references, resolved
from trivium.types import (
    NO_METADATA,
    Document,
    Edge,
    EdgeType,
    Location,
    Metadata,
    MetaValue,
    Node,
    NodeId,
    Parsed,
    Span,
    lines_of,
)

UNTITLED = "untitled"
LONGEST_NAME = 200
# Past these a document is data, and its lines are text.
_MOST_HEADINGS = 20_000
_MOST_BLOCKS = 1000
_LONGEST_START = 1000


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: where its first line starts, where its last ends, and what it says.

    `anchors` are the names that links may know it by, where the text gives it some.
    """

    level: int
    start: int
    end: int
    name: str
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What a parser found in one document, each part in order.

    `body` is where the text after the front matter starts; `title` is for a document in which
    neither a heading nor the front matter gives one; `describe` summarises a piece of text.
    """

    title: str
    describe: Callable[[str], str]
    headings: Sequence[Heading]
    blocks: Sequence[Block] = ()
    found: Sequence[Found] = ()
    front: Metadata = field(default_factory=lambda: NO_METADATA)
    body: int = 0


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading with its place in the tree; `parent` is an index, -1 for the document."""

    heading: Heading
    path: str
    parent: int
    own: Span
    end: int


def title_from(document: Document, prose: Iterable[Span], *, bare: Callable[[str], str]) -> str:
    """Return the title of a document that gives none: its first words, without markup."""
    text = document.text
    first = next((text[one.start : one.end][:_LONGEST_START] for one in prose), "")
    return title_of(bare(first), file_name_of(document.path))


def title_in(front: Metadata, headings: Sequence[Heading]) -> str:
    """Return the first heading that says something, else the title of the front matter, or ""."""
    first = next((one.name for one in headings if one.name != UNTITLED), "")
    return first or first_text(front, "title")


def assemble(document: Document, file_type: FileType, outline: Outline) -> Parsed:
    """Return the document node, then its sections in order, each followed by its code blocks."""
    text, front = document.text, outline.front
    headings = outline.headings[:_MOST_HEADINGS]
    names = Names()
    sections = _tree(headings, len(text), names)
    title = title_in(front, headings) or outline.title
    whole = Span(0, len(text))
    preamble = Span(0, headings[0].start if headings else len(text))
    spans = [whole, *(Span(one.heading.start, one.end) for one in sections)]
    lines = lines_of(text, spans)
    domain = first_text(front, "domain", "category") or domain_of(document.path)
    tags = words(front.get("tags", ())) or words(front.get("keywords", ()))
    document_id = NodeId(f"{file_type.kind}:{document.path}")
    document_node = Node(
        id=document_id,
        kind=file_type.kind,
        type="document",
        name=title,
        source=Location(document.path, *lines[0]),
        span=whole,
        own=_visible(text, preamble),
        description=summary_of(first_text(front, "description", "summary"))
        or outline.describe(text[outline.body : preamble.end])
        or (outline.describe(text[headings[0].end : sections[0].own.end]) if headings else ""),
        tags=tags,
        domain=domain,
        language=file_type.language,
        title=title,
        metadata=front,
    )
    section_nodes = [
        Node(
            id=NodeId(f"{document_id}#{section.path}"),
            kind=file_type.kind,
            type="section",
            name=section.heading.name,
            source=Location(document.path, *place),
            span=span,
            own=_visible(text, section.own),
            description=outline.describe(text[section.heading.end : section.own.end]),
            tags=tags,
            domain=domain,
            language=file_type.language,
            title=title,
            metadata=_facts(section.heading),
        )
        for section, span, place in zip(sections, spans[1:], lines[1:], strict=True)
    ]
    owners = [document_node, *section_nodes]
    parents = [NodeId(""), *(owners[section.parent + 1].id for section in sections)]
    nodes, edges = _with_blocks(document, owners, parents, outline.blocks, names)
    anchors = {anchor: one.name for one in headings for anchor in one.anchors}
    named = references(
        text,
        resolved(outline.found, anchors),
        sources=[node.id for node in owners],
        starts=[heading.start for heading in headings],
    )
    return Parsed(tuple(nodes), tuple(edges), named)


def _facts(heading: Heading) -> dict[str, MetaValue]:
    facts: dict[str, MetaValue] = {"level": heading.level}
    if heading.anchors:
        facts["anchors"] = heading.anchors
    return facts


def _visible(text: str, span: Span) -> tuple[Span, ...]:
    return (span,) if text[span.start : span.end].strip() else ()


def _tree(headings: Sequence[Heading], end: int, names: Names) -> list[_Section]:
    """Give each heading its parent, its path and its extent."""
    has_one_title = bool(headings) and [h.level for h in headings if h.level == 1] == [1]
    root = 0 if has_one_title and headings[0].level == 1 else -1
    parents: list[int] = []
    paths: list[str] = []
    ends = [end] * len(headings)
    open_: list[int] = []
    for index, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.start
        parent = open_[-1] if open_ else -1
        prefix = "" if parent in (-1, root) else paths[parent] + "/"
        parents.append(parent)
        paths.append(prefix + heading.name)
        open_.append(index)
    starts = [*(heading.start for heading in headings), end]
    return [
        _Section(heading, names.unique(path), parent, Span(*own), section_end)
        for heading, path, parent, own, section_end in zip(
            headings, paths, parents, pairwise(starts), ends, strict=True
        )
    ]


def _with_blocks(
    document: Document,
    owners: Sequence[Node],
    parents: Sequence[NodeId],
    found: Sequence[Block],
    names: Names,
) -> tuple[list[Node], list[Edge]]:
    """Put the code blocks behind their owners, and say what contains what.

    A block owns no text: the section keeps it, so that it is ranked with the words around it.
    """
    blocks: dict[int, list[Node]] = {}
    text = document.text
    starts = [owner.span.start for owner in owners[1:]]
    seen = [one for one in found if text[one.code.start : one.code.end].strip()]
    seen = seen[:_MOST_BLOCKS]
    for block, place in zip(seen, lines_of(text, [one.span for one in seen]), strict=True):
        index = bisect_right(starts, block.span.start)
        inside = blocks.setdefault(index, [])
        inside.append(_block(document, owners[index], block, place, len(inside) + 1, names))
    nodes: list[Node] = []
    edges: list[Edge] = []
    for index, (node, parent) in enumerate(zip(owners, parents, strict=True)):
        nodes.append(node)
        if parent:
            edges.append(Edge(parent, node.id, EdgeType.CONTAINS))
        for block_node in blocks.get(index, ()):
            nodes.append(block_node)
            edges.append(Edge(node.id, block_node.id, EdgeType.CONTAINS))
    return nodes, edges


def _block(
    document: Document, owner: Node, block: Block, place: tuple[int, int], number: int, names: Names
) -> Node:
    document_id, _, path = owner.id.partition("#")
    name = names.unique(f"{path}/code-{number}" if path else f"code-{number}")
    language = language_of(block.tag)
    symbols = symbols_in(document.text[block.code.start : block.code.end], language=language)
    return Node(
        id=NodeId(f"{document_id}#{name}"),
        kind=owner.kind,
        type="code block",
        name=f"{owner.name} code {number}",
        source=Location(document.path, *place),
        span=block.span,
        own=(),
        tags=owner.tags,
        domain=owner.domain,
        language=language,
        title=owner.title,
        metadata={"symbols": symbols} if symbols else NO_METADATA,
    )
