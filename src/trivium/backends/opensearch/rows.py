"""Files, nodes, edges and chunks <-> documents of the cluster."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from trivium.analysis.fields import FIRST, PICKED, embedding_key, is_unit, split_of, texts_of
from trivium.analysis.words import analyser
from trivium.backends.base import FileContent, FileState, Named, Traits
from trivium.backends.opensearch.filters import filter_fields
from trivium.backends.opensearch.indexes import MARK, fields_of, listed
from trivium.backends.opensearch.said import Json
from trivium.backends.opensearch.state import key_of
from trivium.filtering.match import attributes, is_root
from trivium.linking.keys import Offer, offers, wanted
from trivium.types import (
    Chunk,
    ChunkId,
    Edge,
    EdgeType,
    Kind,
    Location,
    Metadata,
    MetaValue,
    Node,
    NodeId,
    Reference,
    Span,
    View,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A file waits to be linked, is linked, or names nothing that could be.
WAITING, LINKED, NOTHING_TO_LINK = "waiting", "linked", "nothing"
_STATE = ("path", "size_bytes", "mtime_ns", "sha256", "masked", "failure")
FILE_FIELDS = list(_STATE)
_SPREAD = 1 << 31


@dataclass(frozen=True, slots=True)
class Owned:
    """What a file has in the other indexes, so that it can be taken out without a search."""

    nodes: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    edges: int = 0
    offers: frozenset[Offer] = frozenset()


def file_document(content: FileContent) -> Json:
    """Return the document of a file."""
    state = content.state
    owned = {
        "nodes": [one.id for one in content.nodes],
        "chunks": [one.id for one in content.chunks],
        "edges": len(content.edges),
        "offers": sorted(offers(state.path, content.nodes, content.references)),
    }
    return {
        **asdict(state),
        "is_folder": state.path.endswith("/"),
        "has_failed": bool(state.failure),
        "references": len(content.references),
        "refs": packed([_reference_row(one) for one in content.references]),
        "rows": packed(owned),
        "text": content.document.text,
    }


def touched(document: Json, state: FileState) -> Json:
    """Return the document of a file of which another time is known."""
    return {**document, "size_bytes": state.size_bytes, "mtime_ns": state.mtime_ns}


def state_of(document: Json) -> FileState:
    """Return what the index knows of a file."""
    return FileState(**{name: document[name] for name in _STATE})


def owned_by(document: Json) -> Owned:
    """Return what a file has in the other indexes."""
    raw = unpacked(document["rows"])
    found = frozenset((key, what) for key, what in raw["offers"])
    return Owned(tuple(raw["nodes"]), tuple(raw["chunks"]), raw["edges"], found)


def references_of(document: Json) -> tuple[Reference, ...]:
    """Return what a file names."""
    rows = unpacked(document["refs"])
    return tuple(Reference(NodeId(row[0]), EdgeType(row[1]), *row[2:]) for row in rows)


def _reference_row(one: Reference) -> list[str | int]:
    return [
        one.source, one.type.value, one.name, one.path, one.alias, one.of, one.line, one.context,
    ]  # fmt: skip


def packed(value: object) -> str:
    """Return a value as text that takes little space."""
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), level=1)).decode()


def unpacked(text: str) -> Json:
    """Return what `packed` was given, as JSON has it."""
    found: Json = json.loads(zlib.decompress(base64.b64decode(text)))
    return found


def node_document(node: Node, order: int) -> Json:
    """Return the document of a node."""
    body = [
        node.kind.value,
        node.type,
        node.name,
        node.description,
        list(node.tags),
        node.domain,
        node.language,
        node.title,
        dict(node.metadata),
        [[part.start, part.end] for part in node.own],
        [node.span.start, node.span.end],
        [node.source.start_line, node.source.end_line],
    ]
    made: Json = {
        "id": node.id,
        "path": node.source.file_path,
        "order": order,
        "body": json.dumps(body, separators=(",", ":")),
        **{f"a_{name}": list(values) for name, values in attributes(node).items() if values},
    }
    if node.kind is Kind.CODE:
        made["symbol"] = node.name
    marks = node.metadata.get("marks", ())
    if node.kind is Kind.FILE and marks and isinstance(marks, tuple):
        made["marks"] = list(marks)
    return made


def node_of(document: Json) -> Node:
    """Return the node of a document."""
    (
        kind, type_, name, description, tags, domain, language, title, metadata, own, span, lines,
    ) = json.loads(document["body"])  # fmt: skip
    return Node(
        id=NodeId(document["id"]),
        kind=Kind(kind),
        type=type_,
        name=name,
        source=Location(document["path"], *lines),
        span=Span(*span),
        own=tuple(Span(first, last) for first, last in own),
        description=description,
        tags=tuple(tags),
        domain=domain,
        language=language,
        title=title,
        metadata=_metadata(metadata),
    )


def named(node: Node) -> Named:
    """Return what a node is called."""
    return Named(node.id, node.kind, node.type, node.name, node.title, node.metadata)


def _metadata(raw: Mapping[str, MetaValue | list[str]]) -> Metadata:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}


def edge_document(edge: Edge, *, path: str, order: int, is_own: bool) -> Json:
    """Return the document of an edge that a file has."""
    return {
        "path": path,
        "is_own": is_own,
        "order": order,
        "source": edge.source,
        "target": edge.target,
        "type": edge.type.value,
        "weight": edge.weight,
        "context": edge.context,
    }


def edge_of(document: Json) -> Edge:
    """Return the edge of a document."""
    return Edge(
        NodeId(document["source"]),
        NodeId(document["target"]),
        EdgeType(document["type"]),
        document["weight"],
        document["context"],
    )


def edge_key(path: str, order: int, *, is_own: bool) -> str:
    """Return the key an edge of a file is kept by."""
    return key_of(f"{'own' if is_own else 'led'}\x1f{order}\x1f{path}")


@dataclass(frozen=True, slots=True)
class Unit:
    """A chunk with all that is needed to index it."""

    chunk: Chunk
    node: Node
    whole: str
    fields: Json
    order: int
    mtime_ns: int


def units_of(content: FileContent) -> Iterator[Unit]:
    """Yield the chunks of a file with their nodes and what filters look at."""
    roots = tuple(filter(is_root, content.nodes))
    nodes = {node.id: node for node in content.nodes}
    tested: dict[str, Json] = {}
    for order, chunk in enumerate(content.chunks):
        node = nodes[chunk.node_id]
        if node.id not in tested:
            tested[node.id] = filter_fields(node, roots)
        yield Unit(
            chunk, node, content.document.text, tested[node.id], order, content.state.mtime_ns
        )


def chunk_document(unit: Unit) -> Json:
    """Return the document of a chunk."""
    chunk = unit.chunk
    return {
        **unit.fields,
        "id": chunk.id,
        "node": chunk.node_id,
        "order": unit.order,
        "start": chunk.span.start,
        "end": chunk.span.end,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "mtime_ns": unit.mtime_ns,
        "key": embedding_key(unit.node, chunk).hex(),
        "has_text": bool(chunk.text),
        "is_first": chunk.id.endswith(FIRST),
        "text": chunk.text,
    }


def chunk_of(document: Json) -> Chunk:
    """Return the chunk of a document."""
    return Chunk(
        ChunkId(document["id"]),
        NodeId(document["node"]),
        document["text"],
        Span(document["start"], document["end"]),
        document["start_line"],
        document["end_line"],
    )


def traits_of(document: Json) -> Traits:
    """Return what a chunk is and where it stands."""
    first = {name: (document.get(f"a_{name}") or [""])[0] for name in ("kind", "type", "lang")}
    tags = tuple(document.get("a_tag", ()))
    line = document["start_line"]
    return Traits(first["kind"], first["type"], first["lang"], tags, document["path"], line)


_OF_SPACE = ("id", "key", "order", "mtime_ns", "has_text", "is_first")
# What a row of a space takes from the document of its chunk.
SPACE_FIELDS = [*_OF_SPACE, "path", "facts", "exact", "numbers", "meta", "a_*"]


def space_row(chunk: Json, vector: NDArray[np.float32] | None) -> Json:
    """Return the row of a chunk in a vector space; it waits where there is no vector yet."""
    kept = {
        name: value
        for name, value in chunk.items()
        if name in SPACE_FIELDS or name.startswith("a_")
    }
    is_blank = vector is not None and not vector.any()
    row: Json = {
        **kept,
        "spread": int(key_of(chunk["id"])[:8], 16) % _SPREAD,
        "is_waiting": vector is None,
        "is_blank": is_blank,
    }
    if vector is not None and not is_blank:
        row["vector"] = vector.tolist()
    return row


def vector_document(key: bytes, steps: NDArray[np.int8], scale: float) -> Json:
    """Return the document of a vector as it is kept."""
    return {
        "key": key.hex(),
        "scale": scale,
        "steps": base64.b64encode(steps.tobytes()).decode(),
    }


def vector_of(document: Json) -> NDArray[np.float32]:
    """Return the vector of a document."""
    import numpy as np

    steps = np.frombuffer(base64.b64decode(document["steps"]), np.int8)
    return steps.astype(np.float32) * np.float32(document["scale"])


def link_document(path: str, references: Iterable[Reference], *, seq: int, edges: int = 0) -> Json:
    """Return what is known of a file's links before they are led anywhere."""
    named_there = list(references)
    return {
        "path": path,
        "status": WAITING if named_there else NOTHING_TO_LINK,
        "mentions": sorted({key for one in named_there for key in wanted(one)}),
        "seq": seq,
        "edges": edges,
    }


def text_row(view: View, unit: Unit, *, is_marked: bool) -> Json | None:
    """Return the row of a unit in a view; None if nothing could find it there."""
    if not is_unit(view, unit.node, unit.chunk):
        return None
    words_of = analyser(view.analyser)
    values: dict[str, list[str]] = {}
    terms: dict[str, set[str]] = {}
    for name, weight, text in texts_of(view, unit.node, unit.chunk, unit.whole):
        field = "t" if view.combine == "repeat" else f"t_{name}"
        words, wholes = split_of(name, words_of)(text)
        if name in PICKED:
            # No phrase looks there, so that they need not be apart.
            some = [" ".join(wholes)] if wholes else []
        else:
            # Each value ends a phrase: the cluster leaves a gap there.
            some = [" ".join(words), *wholes] if words else list(wholes)
        values.setdefault(field, []).extend(some * int(weight) if field == "t" else some)
        terms.setdefault(listed(field), set()).update(words, wholes)
    if not any(terms.values()):
        return None
    if is_marked:
        values = {field: _marked(some) for field, some in _with_all(view, values)}
    return {
        "id": unit.chunk.id,
        **unit.fields,
        **values,
        **{field: sorted(some) for field, some in terms.items() if some},
    }


def _with_all(view: View, values: Mapping[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    for field, _ in fields_of(view):
        yield field, values.get(field, [])


def _marked(values: Sequence[str]) -> list[str]:
    """Return the values of a field with the mark beside the first term, or alone."""
    if not values:
        return [MARK]
    first, space, rest = values[0].partition(" ")
    return [f"{first}{MARK}{space}{rest}", *values[1:]]
