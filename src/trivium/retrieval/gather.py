"""A query -> what each retriever found and how every candidate scores in each.

Runs the text index and, where there are vectors and a model, the vector index; a
retriever that fails is named in `degraded` and the others go on. Called by the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivium.backends.base import Snapshot, Space, TextIndex, VectorIndex
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
    asked: _Asked | None = None
    if search_mode != "keyword" and query.meaning.strip():
        made = _ask_vectors(snapshot, query, embedders, why_no_embedder)
        if isinstance(made, Degraded):
            degraded.append(made)
        else:
            asked = made
    text: TextIndex | None = None
    # Where meaning alone is asked for and cannot be had, words answer.
    if search_mode != "vector" or degraded:
        text = snapshot.text(view)
        rankings.append(text.search(query, where=where, depth=depth))
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
    """Ask the strongest model that can answer; if none can, say why the strongest cannot."""
    if not embedders:
        return Degraded("vectors", why_none or "no embedding model is set")
    spaces = {space.model_id: space for space in snapshot.spaces()}
    reasons: list[str] = []
    for embedder in sorted(embedders, key=lambda one: -one.strength):
        try:
            made = _ask_one(snapshot, query, embedder, spaces)
        except (ModelError, MissingExtra) as error:
            made = str(error)
        if isinstance(made, _Asked):
            return made
        reasons.append(made)
    return Degraded("vectors", reasons[0])


def _ask_one(
    snapshot: Snapshot, query: Query, embedder: Embedder, spaces: Mapping[str, Space]
) -> _Asked | str:
    """Return what this model makes of the query, or why it cannot answer."""
    # A model may have to read its files to know its id, and may fail at that.
    space = spaces.get(embedder.model_id)
    if space is None:
        return f"{embedder.name} has embedded nothing yet; run: trivium index"
    if space.coverage < COMPLETE:
        return f"{embedder.name} has embedded {space.coverage:.0%} so far; run: trivium index"
    vector = embedder.embed_query(query.meaning)
    index = snapshot.vectors(embedder.model_id)
    if index is None or not bool(vector.any()):
        return f"{embedder.name} finds no meaning in this query"
    return _Asked(embedder.name, index, vector)
