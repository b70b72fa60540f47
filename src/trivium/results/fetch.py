"""Chosen chunks -> hits with their text, in one call to the store.

Keeps the order it is given; a chunk that is gone from the store by now is left out.
Last stage of the read spine before presenting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trivium.backends.base import Found, Snapshot
from trivium.ranking.cut import Group
from trivium.results import snippet
from trivium.results.explain import Origin, breakdown, reason
from trivium.results.meant import Nearest
from trivium.types import Chunk, ChunkId, Hit, Node, Passage, Scored

_MOST_PASSAGES = 5


@dataclass(frozen=True, slots=True)
class Shape:
    """How hits are to be shown."""

    groups_by_node: bool
    snippet: str
    explains: bool
    nearest: Nearest | None = None


def fetch(
    snapshot: Snapshot,
    groups: Sequence[Group],
    *,
    origins: Mapping[ChunkId, Origin],
    shape: Shape,
) -> list[Hit]:
    """Fetch the chosen chunks and make a hit of each."""
    found = {one.chunk.id: one for one in snapshot.fetch([one.best.chunk_id for one in groups])}
    # Of the others only their lines are shown: their texts stay where they are.
    others = [one.chunk_id for group in groups for one in group.others[:_MOST_PASSAGES]]
    lines = snapshot.lines(others) if others else {}
    return [
        _hit(group, found[group.best.chunk_id], lines, origins[group.best.chunk_id], shape=shape)
        for group in groups
        if group.best.chunk_id in found
    ]


def _hit(
    group: Group,
    found: Found,
    lines: Mapping[ChunkId, tuple[int, int]],
    origin: Origin,
    *,
    shape: Shape,
) -> Hit:
    best, chunk, node = group.best, found.chunk, found.node
    sought = snippet.Sought(origin.wanted, origin.words_of, origin.phrases, shape.nearest)
    if shape.snippet == "start":
        shown = snippet.start(chunk.text, first_line=chunk.start_line, sought=sought)
    else:
        shown = snippet.shown(
            chunk.text,
            first_line=chunk.start_line,
            sought=sought,
            is_prose=snippet.is_prose(node),
            is_cut=_is_cut(chunk, node),
        )
    passages = tuple(
        Passage(other.chunk_id, other.score, *lines[other.chunk_id])
        for other in group.others[:_MOST_PASSAGES]
        if other.chunk_id in lines
    )
    details = origin.details.get(best.chunk_id, {})
    return Hit(
        id=node.id if shape.groups_by_node else chunk.id,
        chunk_id=chunk.id,
        node=node,
        score=best.score,
        score_type=_type_of(best, origin, details),
        parts=best.parts,
        snippet=shown.text,
        highlights=shown.marks,
        start_line=shown.first_line,
        end_line=chunk.end_line,
        passages=passages,
        reason=reason(
            origin.fused.get(best.chunk_id, best),
            origin.gathered,
            # Where only operators were asked for, no word says why.
            words=shown.words if origin.wanted else _held(chunk.text, origin.operators),
            details=details,
        ),
        breakdown=breakdown(best, origin, details) if shape.explains else None,
        text=chunk.text,
    )


def _is_cut(chunk: Chunk, node: Node) -> bool:
    """Whether a chunk goes on where another one of its node ends: in the middle of a word."""
    is_first = chunk.id.rpartition("@")[2] == "0"
    return not is_first and all(chunk.span.start != part.start for part in node.own)


def _held(text: str, operators: frozenset[str]) -> list[str]:
    return sorted(one for one in operators if one in text)


def _type_of(best: Scored, origin: Origin, details: Mapping[str, object]) -> str:
    """Return how a score was made; one that the graph gave says so."""
    graph = details.get("graph")
    is_reached = isinstance(graph, dict) and "via" in graph and graph["score"] == best.score
    return "graph" if is_reached else origin.last_type
