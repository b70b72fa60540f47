"""A Document -> its Nodes, Edges and References: picks the parser and survives its failures.

Never raises, whatever the text: a parser that fails is replaced by the plain one, so the text
is still found, and the reason is kept in `failure` for the indexer to count. Adds what every
document has, whatever its parser: the node of its file, marks and risks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module

from trivium.parsing.detect import HEAD, PLAIN, FileType, detect
from trivium.parsing.marks import marks
from trivium.parsing.plain import domain_of, file_name_of, plain
from trivium.parsing.projects import project_facts
from trivium.parsing.risk import clues_in, risks
from trivium.parsing.shelves import kind_in_memory
from trivium.types import (
    LOCAL,
    Document,
    Edge,
    EdgeType,
    Kind,
    Location,
    MetaValue,
    Node,
    NodeId,
    Parsed,
    Reference,
    Span,
)

Parser = Callable[[Document, FileType], Parsed]

ROOT = NodeId("file:.")
# Imported when the first such document is read: a search after one edit needs one of them.
_PARSERS = {
    "markdown": "trivium.parsing.markdown",
    "rst": "trivium.parsing.rst",
    "asciidoc": "trivium.parsing.asciidoc",
    "html": "trivium.parsing.html",
    "record": "trivium.parsing.record",
}
_FUNCTIONS = frozenset({"function", "method", "constructor"})
# What a file's own node takes over from the node of its content, for finding files by them.
_SUMMARY = ("exports", "imports")


def parse(document: Document, *, is_apart: bool = False) -> Parsed:
    """Return what the document is made of.

    `is_apart` gives a skill an id that no other file's skill has.
    """
    file_type = detect(document.path, document.text[:HEAD])
    parsed = _parsed(document, file_type, is_apart=is_apart)
    if kind_in_memory(document.path) is not None:
        # Its file is no other thing: whoever finds one should not find the other beside it.
        return parsed
    marked = marks(document.path, document.text)
    references = _known_locals(parsed)
    more: dict[str, MetaValue] = {"marks": marked} if marked else {}
    nodes = _with_risks(document, parsed.nodes, file_type.language, more)
    return _with_file(document, file_type, replace(parsed, nodes=nodes, references=references))


def _known_locals(parsed: Parsed) -> tuple[Reference, ...]:
    """Say which receivers are variables of their function, and drop calls of such variables.

    They hide what a module or an import calls by the same name.
    """
    ids = {node.id for node in parsed.nodes}
    own = {
        node.id: (*_texts(node, "params"), *_texts(node, "writes"))
        for node in parsed.nodes
        if node.type in _FUNCTIONS
    }
    kept = []
    for one in parsed.references:
        hidden = own.get(one.source, ()) if one.type is EdgeType.CALLS else ()
        root = one.path.partition(".")[0] if hidden else ""
        if root and root in hidden and not one.of:
            kept.append(replace(one, alias=LOCAL))
        elif root or one.name not in hidden or f"{one.source}.{one.name}" in ids:
            kept.append(one)
    return tuple(kept)


def _texts(node: Node, key: str) -> tuple[str, ...]:
    found = node.metadata.get(key, ())
    return found if isinstance(found, tuple) else ()


def plainly(document: Document, *, failure: str) -> Parsed:
    """Return the document as one node, for when reading its structure has failed or hung."""
    file_type = detect(document.path, document.text[:HEAD])
    parsed = plain(document, file_type)
    return _with_file(document, file_type, replace(parsed, failure=failure))


def _parsed(document: Document, file_type: FileType, *, is_apart: bool) -> Parsed:
    try:
        return _read(document, file_type, is_apart=is_apart)
    except Exception as error:  # noqa: BLE001 - grammars fail in ways nobody can list beforehand
        reason = f"{file_type.parser}: {error or type(error).__name__}"
        return replace(plain(document, file_type), failure=reason)


def _read(document: Document, file_type: FileType, *, is_apart: bool) -> Parsed:
    name = file_type.parser
    kind = kind_in_memory(document.path)
    if kind is not None:
        from trivium.parsing.memory import memory

        return memory(document, file_type, kind, apart=is_apart)
    if name == PLAIN:
        return plain(document, file_type)
    if name == "markdown":
        from trivium.parsing.skills import is_skill, skill

        if is_skill(document):
            return skill(document, file_type, apart=is_apart)
    if name not in _PARSERS:
        from trivium.parsing.code.reader import read

        return read(document, file_type)
    parser: Parser = getattr(import_module(_PARSERS[name]), name)
    return parser(document, file_type)


def _with_risks(
    document: Document, nodes: tuple[Node, ...], language: str, more: Mapping[str, MetaValue]
) -> tuple[Node, ...]:
    """Add to each node the risks of its own text, and what all nodes of the file get."""
    text = document.text
    clues = clues_in(text, language=language)
    if clues is None:
        return tuple(_with(node, more) for node in nodes) if more else nodes
    found = []
    for node in nodes:
        own = "".join([text[part.start : part.end] for part in node.own])
        is_code = node.kind is Kind.CODE and own
        risky = risks(own, language=language, clues=clues) if is_code else {}
        found.append(_with(node, {**risky, **more} if risky else more))
    return tuple(found)


def _with(node: Node, more: Mapping[str, MetaValue]) -> Node:
    return replace(node, metadata={**node.metadata, **more}) if more else node


def _with_file(document: Document, file_type: FileType, parsed: Parsed) -> Parsed:
    """Add the node of the file, unless it is there, and what it contains and lies in."""
    path = document.path
    file_id = NodeId(f"{Kind.FILE}:{path}")
    nodes, edges = parsed.nodes, parsed.edges
    if all(node.id != file_id for node in nodes):
        content = nodes[0]
        nodes = (_file_node(document, file_id, file_type, content), *nodes)
        edges = (Edge(file_id, content.id, EdgeType.CONTAINS), *edges)
    facts = project_facts(path, document.text)
    if facts:
        nodes = tuple(_with(one, {"project": facts}) if one.id == file_id else one for one in nodes)
    folder = folder_id(path.rpartition("/")[0])
    edges = (Edge(folder, file_id, EdgeType.CONTAINS), *edges)
    return replace(parsed, nodes=nodes, edges=edges)


def _file_node(document: Document, file_id: NodeId, file_type: FileType, content: Node) -> Node:
    metadata: dict[str, MetaValue] = {
        key: content.metadata[key] for key in _SUMMARY if content.metadata.get(key)
    }
    if "marks" in content.metadata:
        metadata["marks"] = content.metadata["marks"]
    return Node(
        id=file_id,
        kind=Kind.FILE,
        type="file",
        name=file_name_of(document.path),
        source=Location(document.path, 1, content.source.end_line),
        span=Span(0, len(document.text)),
        own=(),
        description=content.description,
        domain=domain_of(document.path),
        language=file_type.language,
        title=content.title,
        metadata=metadata,
    )


def folder_id(folder: str) -> NodeId:
    """Return the id of a folder's node; the root is a dot."""
    return NodeId(f"{Kind.FILE}:{folder}") if folder else ROOT


def folder_node(folder: str) -> tuple[Node, tuple[Edge, ...]]:
    """Return the node of a folder, and the edge from the folder it lies in."""
    parent, _, name = folder.rpartition("/")
    node = Node(
        id=folder_id(folder),
        kind=Kind.FILE,
        type="directory",
        name=name or ".",
        source=Location(folder or ".", 1, 1),
        span=Span(0, 0),
        own=(),
        domain=folder.partition("/")[0],
    )
    edges = (Edge(folder_id(parent), node.id, EdgeType.CONTAINS),) if folder else ()
    return node, edges
