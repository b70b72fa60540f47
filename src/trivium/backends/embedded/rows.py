"""Nodes, chunks and references <-> rows of the record."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable
from sys import intern

from trivium.backends.base import Named, Traits
from trivium.backends.embedded.asks import TAG_MARK, tag_column
from trivium.filtering.match import attributes
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
)

EDGE_COLUMNS = "source, target, type, weight, context"
NODE_COLUMNS = "n.node_id, f.path, n.start_line, n.end_line, n.start, n.end, n.body"
CHUNK_COLUMNS = "c.chunk_id, c.start, c.end, c.start_line, c.end_line"
TRAIT_COLUMNS = "n.a_kind, n.a_type, n.a_lang, n.a_tag, f.path, c.start_line"

_SHORTEST_ROW = 3
_DECODER = json.JSONDecoder()
_KINDS = {kind.value: kind for kind in Kind}

NodeRow = tuple[str, str, int, int, int, int, str]
ChunkRow = tuple[str, int, int, int, int]


def node_values(node: Node, file: int) -> tuple[str | int | None, ...]:
    """Return the columns of `nodes` after its number."""
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
    ]
    values = attributes(node)
    return (
        node.id,
        file,
        node.source.start_line,
        node.source.end_line,
        node.span.start,
        node.span.end,
        json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        *(
            _first(values[name])
            for name in ("kind", "type", "lang", "ext", "path", "domain", "name")
        ),
        tag_column(values["tag"]),
        node.name if node.kind is Kind.CODE else None,
    )


def node_of(row: NodeRow) -> Node:
    """Return the node of a row of NODE_COLUMNS."""
    node_id, path, start_line, end_line, start, end, body = row
    made = _DECODER.raw_decode(body)[0]
    kind, type_, name, description, tags, domain, language, title, metadata, own = made
    span = Span(start, end)
    return Node(
        id=NodeId(node_id),
        kind=_KINDS[kind],
        type=type_,
        name=name,
        source=Location(path, start_line, end_line),
        span=span,
        own=tuple([Span(first, last) for first, last in own]),
        description=description,
        tags=tuple(tags),
        domain=domain,
        language=language,
        title=title,
        metadata=_metadata(metadata),
    )


def named(row: tuple[str, str]) -> Named:
    """Return what a node is called, of its id and its body."""
    kind, type_, name, _, _, _, _, title, metadata, _ = _DECODER.raw_decode(row[1])[0]
    return Named(NodeId(row[0]), _KINDS[kind], type_, name, title, _metadata(metadata))


def traits_of(row: tuple[str, str | None, str | None, str | None, str, int]) -> Traits:
    """Return the traits of a row of TRAIT_COLUMNS."""
    kind, type_, language, tags, path, line = row
    listed = tuple(tags.split(TAG_MARK)[1:-1]) if tags else ()
    # Thousands are kept, of few kinds and files.
    return Traits(
        intern(kind), intern(type_ or ""), intern(language or ""), listed, intern(path), line
    )


def chunk_of(row: ChunkRow, node_id: NodeId, text: str) -> Chunk:
    """Return the chunk of a row of CHUNK_COLUMNS and its text."""
    chunk_id, start, end, start_line, end_line = row
    span = Span(start, end)
    return Chunk(ChunkId(chunk_id), node_id, text, span, start_line, end_line)


def edge_of(row: tuple[str, str, str, float, str]) -> Edge:
    """Return the edge of a row of EDGE_COLUMNS."""
    source, target, type_, weight, context = row
    return Edge(NodeId(source), NodeId(target), EdgeType(type_), weight, context)


def packed(references: Iterable[Reference]) -> bytes:
    """Return the references of a file as one value; sources are told by their numbers."""
    rows = []
    sources: dict[str, int] = {}
    for one in references:
        number = sources.setdefault(one.source, len(sources))
        row = [number, one.type.value, one.name, one.path, one.alias, one.of, one.line, one.context]
        while row[-1] in ("", 0) and len(row) > _SHORTEST_ROW:
            row.pop()
        rows.append(row)
    if not rows:
        return b""
    text = json.dumps([list(sources), rows], ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), level=1)


def unpacked(data: bytes) -> tuple[Reference, ...]:
    """Return what `packed` was given."""
    if not data:
        return ()
    sources, rows = json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))
    return tuple(Reference(NodeId(sources[row[0]]), EdgeType(row[1]), *row[2:]) for row in rows)


def key_number(key: str) -> int:
    """Return the number a key of linking is kept by."""
    data = key.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=7).digest(), "big")


def _metadata(raw: dict[str, MetaValue | list[str]]) -> Metadata:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}


def _first(values: tuple[str, ...]) -> str | None:
    return values[0] if values else None
