"""Nodes -> Chunks: the own text of each node, cut by the rule for its kind.

Every chunk is one slice of the document and lies in one node; together they hold all text but
white space, lone closing brackets, and what stands between records. A node without text of its
own gets one empty chunk: it is ranked by its name. Called by the indexer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.chunking.characters import cut
from trivium.chunking.syntax import pieces
from trivium.types import Chunk, ChunkId, Document, Kind, Node, Span, lines_of

_WORD = re.compile(r"[^\W_]")


def chunk(
    document: Document, nodes: Sequence[Node], *, size: int = 1000, overlap: int = 200
) -> list[Chunk]:
    """Cut the nodes of one document into chunks, in the order of the nodes.

    `size` and `overlap` are for prose; code is cut by its lines.
    """
    text = document.text
    owners: list[tuple[Node, int]] = []
    spans: list[Span] = []
    for node in nodes:
        found = _cut(text, node, size=size, overlap=overlap)
        found = found or [Span(node.span.start, node.span.start)]
        owners.extend((node, number) for number in range(len(found)))
        spans.extend(found)
    return [
        Chunk(
            id=ChunkId(f"{node.id}@{number}"),
            node_id=node.id,
            text=text[span.start : span.end],
            span=span,
            start_line=start_line,
            end_line=end_line,
        )
        for (node, number), span, (start_line, end_line) in zip(
            owners, spans, lines_of(text, spans), strict=True
        )
    ]


def _cut(text: str, node: Node, *, size: int, overlap: int) -> list[Span]:
    if node.kind is Kind.CODE:
        return [piece for own in node.own for piece in pieces(text, own)]
    return [
        Span(own.start + span.start, own.start + span.end)
        for own in node.own
        for span in cut(text[own.start : own.end], size=size, overlap=overlap)
        if not _is_empty(text[own.start + span.start : own.start + span.end], node.kind)
    ]


def _is_empty(text: str, kind: Kind) -> bool:
    """Whether there is nothing to find; of a file, brackets and commas around records."""
    return text.isspace() or (kind is Kind.FILE and not _WORD.search(text))
