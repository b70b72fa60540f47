"""Hits -> what they call and import, as hits of their own that come after them.

They have no score: they are shown because of a hit, and say which. Called by the engine when
context is asked for, after the page is cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.filtering.conditions import Filter
from trivium.graph.around import Limits, around
from trivium.ranking.profile import Expansion
from trivium.results import snippet
from trivium.results.explain import BREAKDOWN_KEYS
from trivium.results.matching import Sought
from trivium.results.stretch import stretches
from trivium.types import ChunkId, Hit, NodeId

SCORE_TYPE = "context"


def context_of(
    snapshot: Snapshot,
    hits: Sequence[Hit],
    expansion: Expansion,
    *,
    where: Filter,
    explains: bool = False,
) -> list[Hit]:
    """Return what belongs to the hits of a page, each with the reason it is shown for."""

    def allowed(ids: Sequence[NodeId]) -> set[NodeId]:
        firsts = {ChunkId(f"{one}@0"): one for one in ids}
        return {firsts[one] for one in snapshot.allowed(list(firsts), where=where)}

    found = around(
        list(dict.fromkeys(hit.node.id for hit in hits)),
        adjacent=snapshot.edges,
        allowed=allowed,
        limits=Limits(per_hit=expansion.per_hit, total=expansion.total),
    )
    chunks = {
        one.node.id: one for one in snapshot.fetch([ChunkId(f"{each.id}@0") for each in found])
    }
    known = stretches(snapshot, chunks.values())
    nothing = Sought(frozenset(), analyser("standard"))
    made = []
    for one in found:
        if one.id not in chunks:
            continue
        chunk, node = chunks[one.id].chunk, chunks[one.id].node
        shown = snippet.shown(known[chunk.id], node, nothing)
        made.append(
            Hit(
                id=node.id,
                chunk_id=chunk.id,
                node=node,
                score=0.0,
                score_type=SCORE_TYPE,
                parts=(),
                snippet=shown.text,
                highlights=(),
                start_line=shown.first_line,
                end_line=max(chunk.end_line, shown.last_line),
                reason=f"{one.reason} of {one.source}",
                context={
                    "sourceId": one.source,
                    "reason": one.reason,
                    "reasons": list(one.reasons),
                },
                breakdown=_unscored() if explains else None,
            )
        )
    return made


def _unscored() -> dict[str, object]:
    """Return the breakdown of a hit that has no score of its own: every key, none used."""
    selected = {"type": SCORE_TYPE, "score": 0.0}
    return {**dict.fromkeys(BREAKDOWN_KEYS), "selected": selected, "parts": []}
