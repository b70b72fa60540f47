"""A file of memory -> the one node of a note, a task or a skill, and what it links to.

The name of the file is its id, the front matter its facts, the rest its text. Links are said
in the front matter (`links`, `epic`) and in the text, where code that is named counts too.
Called by parse().
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from trivium.parsing.detect import FileType
from trivium.parsing.front import first_text, words
from trivium.parsing.markdown import markdown
from trivium.parsing.page import Page, bare_key, page_of
from trivium.parsing.plain import summary_of
from trivium.parsing.shelves import FOLDERS, slug_in_memory
from trivium.parsing.usage import usage
from trivium.types import (
    BY_ID,
    Document,
    EdgeType,
    Kind,
    Metadata,
    MetaValue,
    Node,
    NodeId,
    Parsed,
    Reference,
    Span,
)

# What is about the file and not about what it says.
_OF_FILES = frozenset({"version", "links"})
# What else of a skill's front matter is text to be found.
_SAID = ("description", "triggers", "steps")
_DEFAULTS: Mapping[Kind, Mapping[str, MetaValue]] = {
    Kind.NOTE: {},
    Kind.TASK: {"status": "backlog", "priority": "medium"},
    Kind.SKILL: {},
}
EPIC = "epic"
_APART = "~memory"


def memory(document: Document, file_type: FileType, kind: Kind, *, apart: bool = False) -> Parsed:
    """Return one node, with the facts of the front matter, and its references.

    `apart` makes the id differ from that of a skill which another file has.
    """
    parsed = markdown(document, file_type)
    root = parsed.nodes[0]
    page = page_of(document.text)
    slug = slug_in_memory(document.path)
    front = root.metadata
    node_id = NodeId(f"{kind}:{slug}{_APART if apart else ''}")
    title = first_text(front, "title", "name") or _heading(parsed.nodes) or slug
    own = tuple(_own(page, document.text, kind))
    node = replace(
        root,
        id=node_id,
        kind=kind,
        type=_type(kind, front),
        name=title,
        title=title,
        own=own,
        description=summary_of(first_text(front, "description", "summary"))
        or summary_of(document.text[page.body :]),
        domain=first_text(front, "domain", "category") or FOLDERS[kind],
        metadata=_facts(kind, front, usage(document.text, parsed) if kind is Kind.SKILL else {}),
    )
    said = (*_links(front, node_id), *_epic(kind, front, node_id))
    found = [replace(one, source=node_id) for one in parsed.references]
    failure = f"front matter: {page.problems[0]}" if page.problems else ""
    return Parsed((node,), (), (*said, *found), failure)


def links_in(written: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the type and the target of each link as front matter lists them: `blocks task:ship`.

    A target alone is a reference.
    """
    for one in written:
        first, _, rest = one.strip().partition(" ")
        if rest.strip():
            yield first, rest.strip()
        elif first:
            yield EdgeType.REFERENCES.value, first


def _links(front: Metadata, source: NodeId) -> Iterator[Reference]:
    known = {one.value: one for one in EdgeType}
    for type_, target in links_in(words(front.get("links", ()))):
        if type_ in known and target != source:
            yield Reference(source, known[type_], "", path=target, of=BY_ID)


def _epic(kind: Kind, front: Metadata, source: NodeId) -> Iterator[Reference]:
    epic = first_text(front, EPIC).removeprefix(f"{Kind.TASK}:")
    if kind is Kind.TASK and epic and f"{Kind.TASK}:{epic}" != source:
        target = f"{Kind.TASK}:{epic}"
        yield Reference(source, EdgeType.SUBTASK_OF, "", path=target, of=BY_ID, context=EPIC)


def _type(kind: Kind, front: Metadata) -> str:
    if kind is Kind.TASK and first_text(front, "type").lower() == EPIC:
        return EPIC
    return kind.value


def _facts(kind: Kind, front: Metadata, more: Mapping[str, MetaValue]) -> Metadata:
    said = {key: value for key, value in front.items() if bare_key(key) not in _OF_FILES}
    usual = dict(_DEFAULTS[kind])
    if _type(kind, front) == EPIC:
        usual["status"] = "open"
    return {**usual, **said, **more}


def _heading(nodes: Iterable[Node]) -> str:
    return next((one.name for one in nodes if one.type == "section"), "")


def _own(page: Page, text: str, kind: Kind) -> list[Span]:
    """Return what is to be found: the body, and what a skill's front matter says of its use.

    Where there is neither, the title, so that there is a text at all.
    """
    found: list[Span] = []
    for block in page.blocks if kind is Kind.SKILL else ():
        if block.key in _SAID and found and found[-1].end == block.span.start:
            found[-1] = Span(found[-1].start, block.span.end)
        elif block.key in _SAID:
            found.append(block.span)
    if text[page.body :].strip():
        found.append(Span(page.body, len(text)))
    title = page.block("title", "name")
    return found or ([] if title is None else [title.span])
