"""Chosen chunks -> hits with their text, in one call to the store.

Keeps the order it is given; a chunk that is gone from the store by now is left out.
Last stage of the read spine before presenting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trivium.analysis.words import Analyser
from trivium.backends.base import Found, Snapshot
from trivium.ranking.cut import Group
from trivium.results import snippet
from trivium.results.explain import breakdown, reason
from trivium.types import ChunkId, Gathered, Hit, Passage, Scored

_MOST_PASSAGES = 5


@dataclass(frozen=True, slots=True)
class Shape:
    """How hits are to be shown."""

    score_type: str
    k: int
    groups_by_node: bool
    snippet: str
    explains: bool


def fetch(
    snapshot: Snapshot,
    groups: Sequence[Group],
    gathered: Gathered,
    *,
    shape: Shape,
    wanted: frozenset[str],
    words_of: Analyser,
) -> list[Hit]:
    """Fetch the chosen chunks and make a hit of each."""
    ids = [one.chunk_id for group in groups for one in _shown(group)]
    found = {one.chunk.id: one for one in snapshot.fetch(ids)}
    return [
        _hit(group, found, gathered, shape=shape, wanted=wanted, words_of=words_of)
        for group in groups
        if group.best.chunk_id in found
    ]


def _shown(group: Group) -> list[Scored]:
    return [group.best, *group.others[:_MOST_PASSAGES]]


def _hit(
    group: Group,
    found: Mapping[ChunkId, Found],
    gathered: Gathered,
    *,
    shape: Shape,
    wanted: frozenset[str],
    words_of: Analyser,
) -> Hit:
    best = group.best
    chunk, node = found[best.chunk_id].chunk, found[best.chunk_id].node
    cut = snippet.start if shape.snippet == "start" else snippet.window
    shown = cut(chunk.text, first_line=chunk.start_line, wanted=wanted, words_of=words_of)
    passages = tuple(
        Passage(
            other.chunk_id,
            other.score,
            found[other.chunk_id].chunk.start_line,
            found[other.chunk_id].chunk.end_line,
        )
        for other in group.others[:_MOST_PASSAGES]
        if other.chunk_id in found
    )
    return Hit(
        id=node.id if shape.groups_by_node else chunk.id,
        chunk_id=chunk.id,
        node=node,
        score=best.score,
        score_type=shape.score_type,
        parts=best.parts,
        snippet=shown.text,
        highlights=shown.marks,
        start_line=shown.first_line,
        end_line=chunk.end_line,
        passages=passages,
        reason=reason(best, gathered, words=shown.words),
        breakdown=breakdown(best, gathered, score_type=shape.score_type, k=shape.k)
        if shape.explains
        else None,
    )
