"""Entries in order -> the best of them read again with the query, and a new order.

A model that fails leaves the first order as it is and says why; no search ends for it. The
depth does not depend on `limit`. Called by the engine, after the cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trivium.analysis.fields import embedding_text
from trivium.backends.base import Snapshot
from trivium.errors import MissingExtra, ModelError
from trivium.models.rerank import Reranking
from trivium.ranking.cut import Group
from trivium.ranking.rerank import reordered
from trivium.types import ChunkId, Degraded

STAGE = "rerank"


@dataclass(frozen=True, slots=True)
class Reranked:
    """The entries in their order, what the model said of those it read, and what failed."""

    groups: list[Group]
    scores: Mapping[ChunkId, float] = field(default_factory=dict)
    degraded: tuple[Degraded, ...] = ()


def rerank(
    snapshot: Snapshot, groups: Sequence[Group], *, query: str, reranking: Reranking | None
) -> Reranked:
    """Read the best of `groups` again. Nothing to ask or fewer than two: nothing changes."""
    first = groups[: reranking.depth] if reranking is not None else []
    if reranking is None or len(first) <= 1 or not query.strip():
        return Reranked(list(groups))
    ids = [group.best.chunk_id for group in first]
    texts = {one.chunk.id: embedding_text(one.node, one.chunk) for one in snapshot.fetch(ids)}
    try:
        # A chunk that is gone by now has no text, and is left out of the page later.
        scores = reranking.reranker.score(query, [texts.get(one, "") for one in ids])
    except (ModelError, MissingExtra) as error:
        return Reranked(list(groups), degraded=(Degraded(STAGE, str(error)),))
    return Reranked(
        reordered(groups, scores, weight=reranking.weight),
        scores=dict(zip(ids, scores, strict=True)),
    )
