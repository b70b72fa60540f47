"""A query -> what each retriever found and how every candidate scores in each.

Runs the text index and, where there are vectors and a model, the vector index; a
retriever that fails is named in `degraded` and the others go on. Called by the engine.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from trivium.backends.base import Snapshot, Space, TextIndex, VectorIndex
from trivium.errors import BackendError, IndexUnusable, MissingExtra, ModelError
from trivium.filtering.conditions import Filter
from trivium.models.base import Embedder
from trivium.models.chosen import best_first
from trivium.query.grammar import Query, Without, demands
from trivium.ranking.points import Points, points
from trivium.ranking.profile import Retrieval
from trivium.retrieval.called import called, with_called
from trivium.types import ChunkId, Degraded, Gathered, Node, NodeId, Part, Ranking, View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

# Below this share a space would hide what it has not embedded yet.
COMPLETE = 0.99
# However few pass, no more than this many nearest are looked at.
_MOST_ASKED = 20_000
_ADVICE = "trivium index"
_WORDS_ALONE, _MEANING_ALONE = "words alone answer", "meaning alone answers"
_DIGITS = 6
INSTANT = "instant"


@dataclass(frozen=True, slots=True)
class Asking:
    """How the retrievers are to be asked.

    The model `preferred` goes before stronger ones.
    """

    view: View
    where: Filter
    retrieval: Retrieval
    search_mode: str = "hybrid"
    embedders: Sequence[Embedder] = ()
    preferred: str = ""
    why_no_embedder: str = ""
    advice: str = _ADVICE

    @property
    def depth(self) -> int:
        """How many each retriever is asked for."""
        return self.retrieval.depth


def gather(snapshot: Snapshot, query: Query, *, asking: Asking) -> Gathered:
    """Ask every retriever for its best chunks, then for the scores of the others' finds."""
    degraded: list[Degraded] = []
    asked: _Asked | None = None
    if asking.search_mode != "keyword" and query.meaning.strip():
        asked, failed = _ask_vectors(snapshot, query, asking)
        degraded += failed
    text = snapshot.text(asking.view)
    if not text.is_current:
        degraded.append(Degraded("text", "changed files are being taken in; some may be missing"))
    named = called(snapshot, query.meaning) if asking.retrieval.called else ()
    rankings: list[Ranking] = []
    gained: dict[ChunkId, tuple[Part, ...]] = {}
    # Where meaning alone is asked for and cannot be had, words answer.
    if asking.search_mode != "vector" or asked is None:
        with _or_without("text", _MEANING_ALONE, degraded, is_alone=asked is None):
            found = text.search(query, where=asking.where, depth=asking.depth)
            if named:
                found = with_called(
                    found, named, query, text=text, where=asking.where, depth=asking.depth
                )
            if asking.retrieval.words == "points":
                found, gained = _pointed(snapshot, found, query)
            rankings.append(found)
    if asked is not None:
        with _or_without("vectors", _WORDS_ALONE, degraded, is_alone=not rankings):
            rankings.append(_nearest(asked, asking, query, text))
        asked = asked if any(one.name == "vectors" for one in rankings) else None
    rankings = [without_proxies(one) for one in rankings]
    pool = tuple(sorted({one for ranking in rankings for one in ranking.ids}))
    signals = {one.name: dict(zip(one.ids, one.scores, strict=True)) for one in rankings}
    has_all_scores = asking.retrieval.complete
    if asking.retrieval.complete:
        try:
            _complete(signals, pool, query, text, asked)
        except BackendError as error:
            has_all_scores = False
            degraded.append(Degraded("scores", f"fused by rank instead: {error}"))
    log.debug("gathered %s", [(one.name, len(one.ids)) for one in rankings])
    return Gathered(
        tuple(rankings),
        pool,
        signals,
        embedder=asked.name if asked is not None else "none",
        degraded=tuple(degraded),
        has_all_scores=has_all_scores,
        is_instant=asked is not None and asked.is_instant,
        points=gained,
        background=asked.index.background(asked.vector) if asked is not None else None,
        called=frozenset(one.id for one in named),
        cosines=partial(asked.index.score, asked.vector) if asked is not None else None,
    )


@contextmanager
def _or_without(
    stage: str, instead: str, degraded: list[Degraded], *, is_alone: bool
) -> Iterator[None]:
    """Go on without a part of the store that fails, unless there is no other that answers."""
    try:
        yield
    except BackendError as error:
        if is_alone:
            raise
        degraded.append(Degraded(stage, f"{instead}: {error}"))


def with_instant(
    snapshot: Snapshot, query: Query, gathered: Gathered, *, asking: Asking
) -> Gathered:
    """Have the instant model score the pool, too, where a slower one gave the vectors.

    It finds nothing of its own. Where it has no vectors here or knows no word of the query, all
    stays as it was; if it fails, the answer says so.
    """
    instant = next((one for one in asking.embedders if one.is_instant), None)
    is_beside = "vectors" in gathered.signals and not gathered.is_instant
    if instant is None or not is_beside or not gathered.has_all_scores:
        return gathered
    spaces = {space.model_id: space for space in snapshot.spaces()}
    try:
        made = _ask_one(snapshot, query, instant, spaces)
        if isinstance(made, str) or len(made.vector) != spaces[instant.model_id].dimension:
            return gathered
        scores = made.index.score(made.vector, gathered.pool)
    except (ModelError, MissingExtra, BackendError) as error:
        said = Degraded(INSTANT, f"the others answer without it: {error}")
        return replace(gathered, degraded=(*gathered.degraded, said))
    return replace(gathered, signals={**gathered.signals, INSTANT: scores})


def _above(ranking: Ranking, floor: float | None) -> Ranking:
    """Keep what scores more than `floor`; None keeps all."""
    if floor is None:
        return ranking
    pairs = zip(ranking.ids, ranking.scores, strict=True)
    # In 32 bits 0.1 is a little more than 0.1.
    return _kept(ranking, [one for one, score in pairs if round(score, _DIGITS) > floor])


def _pointed(
    snapshot: Snapshot, found: Ranking, query: Query
) -> tuple[Ranking, dict[ChunkId, tuple[Part, ...]]]:
    """Rank what words found by keyword points; what has too few is left out."""
    of_node = {one: NodeId(one.rpartition("@")[0]) for one in found.ids}
    nodes = snapshot.nodes(list(of_node.values()))
    texts = snapshot.texts(list(nodes))
    kept: dict[ChunkId, Points] = {}
    for one, node_id in of_node.items():
        node = nodes.get(node_id)
        if node is None:
            continue
        made = points(query.meaning, title=_heading(node), content=texts.get(node_id, ""))
        if made.is_kept:
            kept[one] = made
    order = sorted(kept, key=lambda one: (-kept[one].score, one))
    ranking = Ranking(found.name, tuple(order), tuple(kept[one].score for one in order))
    return ranking, {one: made.parts for one, made in kept.items()}


def _heading(node: Node) -> str:
    """Return what stands over a node: of a section its own heading, not its document's."""
    return node.name if node.type == "section" else node.title or node.name


def _nearest(asked: _Asked, asking: Asking, query: Query, text: TextIndex) -> Ranking:
    """Return the nearest that the floor and the words of the query let pass, as many as asked.

    What the query excludes or demands is known only afterwards, so more are asked for until
    enough are left. Where few hold what it demands, these are compared and no others.
    """
    if demands(query.root):
        matching = text.search(query, where=asking.where, depth=asking.depth)
        if len(matching.ids) < asking.depth:
            return _above(_by_cosine(asked, matching.ids), asking.retrieval.floor)
    depth = asking.depth
    while True:
        found = asked.index.search(
            asked.vector, where=asking.where, depth=depth, unit=asking.view.unit
        )
        above = _above(found, asking.retrieval.floor)
        held = _as_the_words_say(above, query, text)
        is_all = len(found.ids) < depth or len(above.ids) < len(found.ids)
        if len(held.ids) >= asking.depth or is_all or depth >= _MOST_ASKED:
            return _kept(held, held.ids[: asking.depth])
        depth *= 4


def _by_cosine(asked: _Asked, ids: Sequence[ChunkId]) -> Ranking:
    scores = asked.index.score(asked.vector, ids)
    order = sorted(scores, key=lambda one: (-scores[one], one))
    return Ranking("vectors", tuple(order), tuple(scores[one] for one in order))


def _complete(
    signals: Mapping[str, dict[ChunkId, float]],
    pool: Sequence[ChunkId],
    query: Query,
    text: TextIndex,
    asked: _Asked | None,
) -> None:
    """Score in each signal what only another one found."""
    for name, scores in signals.items():
        others = [one for one in pool if one not in scores]
        if others and name == "text":
            scores.update(text.score(query, others))
        elif others and asked is not None:
            scores.update(asked.index.score(asked.vector, others))


def _as_the_words_say(nearest: Ranking, query: Query, text: TextIndex) -> Ranking:
    """Hold vectors, which know nothing of NOT and quotes, to what the query demands."""
    root = query.root
    if isinstance(root, Without):
        dropped = text.score(replace(query, root=root.drop), nearest.ids)
        nearest = _kept(nearest, [one for one in nearest.ids if not dropped.get(one)])
        root = root.keep
    if demands(root):
        matching = text.score(replace(query, root=root), nearest.ids)
        nearest = _kept(nearest, [one for one in nearest.ids if matching.get(one)])
    return nearest


def without_proxies(ranking: Ranking) -> Ranking:
    """Leave out what only stands for a node of another graph: ids that start with @."""
    own = [one for one in ranking.ids if not one.startswith("@")]
    return ranking if len(own) == len(ranking.ids) else _kept(ranking, own)


def _kept(ranking: Ranking, ids: Sequence[ChunkId]) -> Ranking:
    scores = dict(zip(ranking.ids, ranking.scores, strict=True))
    return Ranking(ranking.name, tuple(ids), tuple(scores[one] for one in ids))


@dataclass(frozen=True, slots=True)
class _Asked:
    name: str
    is_instant: bool
    index: VectorIndex
    vector: NDArray[np.float32]


def _ask_vectors(
    snapshot: Snapshot, query: Query, asking: Asking
) -> tuple[_Asked | None, list[Degraded]]:
    """Ask the preferred model, else the strongest that can answer; name those that failed.

    If none can, say why: what failed, else what the preferred or the instant one lacks.
    """
    if not asking.embedders:
        said = asking.why_no_embedder or "no embedding model is set"
        return None, [Degraded("vectors", said)]
    spaces = {space.model_id: space for space in snapshot.spaces()}
    reasons: dict[str, str] = {}
    failures: list[Degraded] = []
    preferred = asking.preferred
    for embedder in best_first(asking.embedders, preferred=preferred):
        try:
            made = _ask_one(snapshot, query, embedder, spaces)
        except (ModelError, MissingExtra) as error:
            made = str(error)
            failures.append(Degraded("vectors", made))
        if isinstance(made, _Asked):
            _check_length(made, spaces[embedder.model_id], advice=asking.advice)
            return made, failures
        reasons[embedder.name] = made.replace(_ADVICE, asking.advice)
    if failures:
        return None, failures
    instant = next((one.name for one in asking.embedders if one.is_instant), "")
    said = reasons.get(preferred) or reasons.get(instant) or next(iter(reasons.values()))
    return None, [Degraded("vectors", said)]


def _check_length(asked: _Asked, space: Space, *, advice: str) -> None:
    """Raise IndexUnusable if a model has other vectors now than when it embedded the index."""
    length = len(asked.vector)
    if length != space.dimension:
        raise IndexUnusable(
            f"{asked.name} gives vectors of {length} numbers; those of the index have "
            f"{space.dimension}. Make it anew with: {advice} --rebuild"
        )


def _ask_one(
    snapshot: Snapshot, query: Query, embedder: Embedder, spaces: Mapping[str, Space]
) -> _Asked | str:
    """Return what this model makes of the query, or why it cannot answer."""
    # A model may have to read its files to know its id, and may fail at that.
    space = spaces.get(embedder.model_id)
    if space is None:
        return f"{embedder.name} has embedded nothing yet; run: {_ADVICE}"
    if space.coverage < COMPLETE:
        # Rounded down: 99 % must not be said of what is less.
        percent = math.floor(100 * space.coverage)
        return f"{embedder.name} has embedded {percent}% so far; run: {_ADVICE}"
    vector = embedder.embed_query(query.meaning)
    index = snapshot.vectors(embedder.model_id)
    if not bool(vector.any()):
        return f"{embedder.name} knows none of the words of this query"
    if index is None:
        return f"{embedder.name} has nothing published yet; run: {_ADVICE}"
    return _Asked(embedder.name, embedder.is_instant, index, vector)
