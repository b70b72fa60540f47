"""Nodes, chunks and references <-> rows of the record."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
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

EDGE_COLUMNS = "s.node_id, t.node_id, e.type, e.weight, e.context"
EDGES = "edges e JOIN ids s ON s.id = e.source JOIN ids t ON t.id = e.target"
NODE_COLUMNS = "i.node_id, f.path, n.start_line, n.end_line, n.start, n.end, n.body"
NODES = "nodes n JOIN ids i ON i.id = n.id JOIN files f ON f.id = n.file"
CHUNK_COLUMNS = "c.place, c.start, c.end, c.start_line, c.end_line"
TRAIT_COLUMNS = "n.a_kind, n.a_type, n.a_lang, n.a_tag, f.path, c.start_line"

_SHORTEST_ROW = 3
# What SQLite takes for a whole number.
_LONGEST_PLACE = 18
_DECODER = json.JSONDecoder()
_KINDS = {kind.value: kind for kind in Kind}
# Kept by their places here: others come at the end.
_EDGE_TYPES = (
    EdgeType.CONTAINS,
    EdgeType.IMPORTS,
    EdgeType.EXTENDS,
    EdgeType.IMPLEMENTS,
    EdgeType.CALLS,
    EdgeType.USES,
    EdgeType.EXPORTS,
    EdgeType.REFERENCES,
    EdgeType.CLUSTERS,
    EdgeType.MENTIONS,
    EdgeType.RELATED_TO,
    EdgeType.DEPENDS_ON,
    EdgeType.VARIANT_OF,
    EdgeType.SUBTASK_OF,
    EdgeType.BLOCKS,
    EdgeType.CONTRADICTS,
    EdgeType.CROSS_DOMAIN,
)
_NUMBERS_OF_TYPES = {type_: number for number, type_ in enumerate(_EDGE_TYPES)}

NodeRow = tuple[str, str, int, int, int, int, str]
EdgeRow = tuple[str, str, int, float, str]
ChunkRow = tuple[int, int, int, int, int]


def node_values(node: Node, file: int, place: int) -> tuple[str | int | None, ...]:
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
        file,
        place,
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
    place, start, end, start_line, end_line = row
    span = Span(start, end)
    return Chunk(ChunkId(f"{node_id}@{place}"), node_id, text, span, start_line, end_line)


def node_and_place(chunk_id: ChunkId) -> tuple[str, int] | None:
    """Return the node of a chunk and its place there, of which its id is made; None if it is not.

    A place is written in one way: `007` is none.
    """
    node_id, _, place = chunk_id.rpartition("@")
    is_place = place.isascii() and place.isdecimal() and (place == "0" or place[0] != "0")
    return (node_id, int(place)) if is_place and len(place) <= _LONGEST_PLACE else None


def edge_values(edge: Edge, numbers: Mapping[str, int]) -> tuple[int, int, int, float, str]:
    """Return the columns of `edges` after whose it is, by the numbers of its ends."""
    type_ = _NUMBERS_OF_TYPES[edge.type]
    return numbers[edge.source], numbers[edge.target], type_, edge.weight, edge.context


def edge_of(row: EdgeRow) -> Edge:
    """Return the edge of a row of EDGE_COLUMNS."""
    source, target, type_, weight, context = row
    return Edge(NodeId(source), NodeId(target), _EDGE_TYPES[type_], weight, context)


def edge_type(number: int) -> EdgeType:
    """Return the type of edges that is kept as a number."""
    return _EDGE_TYPES[number]


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
    """Return the number a key of linking is kept by.

    Two keys of one number, which among a million are a hundred pairs, only have files linked
    again that need not be.
    """
    data = key.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=4).digest(), "big", signed=True)


def _metadata(raw: dict[str, MetaValue | list[str]]) -> Metadata:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}


def _first(values: tuple[str, ...]) -> str | None:
    return values[0] if values else None
