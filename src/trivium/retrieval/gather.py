"""A query -> what each retriever found and how every candidate scores in each.

Runs the text index and, where there are vectors and a model, the vector index; a
retriever that fails is named in `degraded` and the others go on. Called by the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivium.backends.base import Snapshot, TextIndex, VectorIndex
from trivium.errors import MissingExtra, ModelError
from trivium.filtering.conditions import Filter
from trivium.models.base import Embedder
from trivium.query.grammar import Query, Without
from trivium.types import Degraded, Gathered, Ranking, Scores, View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

# Below this share a space would hide what it has not embedded yet.
COMPLETE = 0.99


def gather(
    snapshot: Snapshot,
    query: Query,
    *,
    view: View,
    where: Filter,
    depth: int,
    search_mode: str,
    embedders: Sequence[Embedder],
    why_no_embedder: str = "",
    needs_all_scores: bool,
) -> Gathered:
    """Ask every retriever for its best chunks, then for the scores of the others' finds."""
    rankings: list[Ranking] = []
    signals: dict[str, Scores] = {}
    degraded: list[Degraded] = []
    text: TextIndex | None = None
    if search_mode != "vector":
        text = snapshot.text(view)
        rankings.append(text.search(query, where=where, depth=depth))
    asked: _Asked | None = None
    if search_mode != "keyword" and query.meaning.strip():
        made = _ask_vectors(snapshot, query, embedders, why_no_embedder)
        if isinstance(made, Degraded):
            degraded.append(made)
        else:
            asked = made
    if asked is not None:
        nearest = asked.index.search(asked.vector, where=where, depth=depth)
        if isinstance(query.root, Without):
            # A vector knows nothing of NOT: the words of the query say what is left out.
            excluded = replace(query, root=query.root.drop)
            nearest = _without(nearest, snapshot.text(view).score(excluded, nearest.ids))
        rankings.append(nearest)
    pool = tuple(sorted({one for ranking in rankings for one in ranking.ids}))
    for ranking in rankings:
        scores = dict(zip(ranking.ids, ranking.scores, strict=True))
        if needs_all_scores and len(scores) < len(pool):
            others = [one for one in pool if one not in scores]
            if ranking.name == "text" and text is not None:
                scores.update(text.score(query, others))
            elif asked is not None:
                scores.update(asked.index.score(asked.vector, others))
        signals[ranking.name] = scores
    log.debug("gathered %s", [(one.name, len(one.ids)) for one in rankings])
    name = asked.name if asked is not None else "none"
    return Gathered(tuple(rankings), pool, signals, name, tuple(degraded))


def _without(ranking: Ranking, excluded: Scores) -> Ranking:
    """Leave out of a ranking what has a score in `excluded`."""
    kept = [
        (one, score)
        for one, score in zip(ranking.ids, ranking.scores, strict=True)
        if not excluded.get(one)
    ]
    return Ranking(ranking.name, tuple(one for one, _ in kept), tuple(score for _, score in kept))


@dataclass(frozen=True, slots=True)
class _Asked:
    name: str
    index: VectorIndex
    vector: NDArray[np.float32]


def _ask_vectors(
    snapshot: Snapshot, query: Query, embedders: Sequence[Embedder], why_none: str
) -> _Asked | Degraded:
    if not embedders:
        return Degraded("vectors", why_none or "no embedding model is set")
    spaces = {space.model_id: space for space in snapshot.spaces()}
    best = ""
    for embedder in sorted(embedders, key=lambda one: -one.strength):
        space = spaces.get(embedder.model_id)
        if space is None:
            best = best or f"{embedder.name} has embedded nothing yet; run: trivium index"
            continue
        if space.coverage < COMPLETE:
            best = best or (
                f"{embedder.name} has embedded {space.coverage:.0%} so far; run: trivium index"
            )
            continue
        try:
            vector = embedder.embed_query(query.meaning)
        except (ModelError, MissingExtra) as error:
            best = best or str(error)
            continue
        index = snapshot.vectors(embedder.model_id)
        if index is not None and bool(vector.any()):
            return _Asked(embedder.name, index, vector)
        best = best or f"{embedder.name} finds no meaning in this query"
    return Degraded("vectors", best)
