"""A node -> what is like it, as an answer: near in meaning, linked with it or with the same.

Needs no model: the vectors are those that the index keeps. Scores are sums of parts, as those of
a search are; what is nearly the same text is marked as such. Called by the collection.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from trivium.analysis.minhash import Signature, likeness, signature
from trivium.analysis.words import analyser
from trivium.backends.base import Found, Snapshot, VectorIndex
from trivium.errors import MissingExtra, ModelError, UsageError
from trivium.filtering.conditions import EVERYTHING, Filter
from trivium.graph.walk import Direction, walk
from trivium.models.base import Embedder
from trivium.query.parse import parse
from trivium.ranking.cut import node_of
from trivium.results import snippet
from trivium.results.matching import Sought
from trivium.results.stretch import stretches
from trivium.retrieval.gather import COMPLETE
from trivium.retrieval.page import SAME
from trivium.types import (
    Answer,
    ChunkId,
    Coverage,
    Degraded,
    Edge,
    EdgeType,
    Freshness,
    Hit,
    Node,
    NodeId,
    Part,
    Scored,
    View,
    best_first,
)

MOST = 100
# What lies farther off has nothing to do with it.
_NEAR = 0.2
_DEPTH = 100
_MOST_INSIDE = 200
_CHUNKS = 64
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Weights:
    """The most that each part of a score can be: chosen by benchmarks.related."""

    meaning: float = 0.6
    linked: float = 0.05
    shared: float = 0.35


WEIGHTS = Weights()


@dataclass(slots=True)
class _Like:
    """What makes one node like another: parts of the score, and words for them."""

    chunk_id: ChunkId
    parts: list[Part] = field(default_factory=list)


def alike(
    snapshot: Snapshot,
    node: Node,
    *,
    view: View,
    embedders: Sequence[Embedder],
    limit: int = 10,
    where: Filter = EVERYTHING,
    collection: str = "",
    is_there: Callable[[str], bool] | None = None,
    weights: Weights = WEIGHTS,
) -> Answer:
    """Return what is like a node, best first; neither it, nor what it lies in or holds.

    `embedders` are the models whose vectors may be used, the best first; where none of them
    has embedded all, words of the node's name and description answer in place of meaning.
    """
    started = time.perf_counter()
    if not 1 <= limit <= MOST:
        raise UsageError(f"limit is {limit}; give 1 to {MOST}.")
    inside = _reached(snapshot, [node.id], Direction.OUT)
    own = [node.id, *inside]
    around = _reached(snapshot, [node.id], Direction.IN)
    kin = frozenset({*own, *around})
    vectors, embedder = _space(snapshot, embedders)
    degraded: tuple[Degraded, ...] = ()
    if vectors is not None:
        found = _near(snapshot, vectors, own, where, weight=weights.meaning)
    else:
        found = _by_words(snapshot, node, view, where, weight=weights.meaning)
        said = "no model has embedded all of this; words of its name are compared instead"
        degraded = (Degraded("vectors", said),)
    likes = {one: like for one, like in found.items() if one not in kin}
    _add_links(snapshot, likes, own=own, kin=kin, weights=weights)
    allowed = snapshot.allowed([one.chunk_id for one in likes.values()], where=where)
    scored = best_first(
        Scored(one.chunk_id, tuple(one.parts)) for one in likes.values() if one.chunk_id in allowed
    )
    found_at = {one.chunk.id: one for one in snapshot.fetch([one.chunk_id for one in scored])}
    files = {one: found.node.source.file_path for one, found in found_at.items()}
    there = [one for one in scored if is_there is None or is_there(files[one.chunk_id])]
    if "#" not in node.id:
        # What is like a file are other files, each once.
        there = _first_of_each(there, files, but=node.source.file_path)
    hits = _hits(snapshot, there[:limit], found_at, text=snapshot.text_of(node.id))
    contents = snapshot.contents()
    return Answer(
        query=node.id,
        profile="related",
        method="bm25" if vectors is None else "vector",
        embedder=embedder,
        collection=collection,
        results=tuple(hits),
        total=len(there),
        facets={},
        coverage=Coverage(
            contents.files, contents.skipped, 0.0 if vectors is None else 1.0, contents.masked
        ),
        freshness=Freshness(contents.indexed_at, 0),
        degraded=degraded,
        took_ms=round(1000 * (time.perf_counter() - started), 3),
    )


def _first_of_each(
    scored: Sequence[Scored], files: Mapping[ChunkId, str], *, but: str
) -> list[Scored]:
    """Return the best of each file but one."""
    best: dict[str, Scored] = {}
    for one in scored:
        best.setdefault(files[one.chunk_id], one)
    return [one for path, one in best.items() if path != but]


def _reached(snapshot: Snapshot, start: Sequence[NodeId], direction: Direction) -> list[NodeId]:
    """Return what lies in a node (out), or what it lies in (in)."""
    found = walk(
        start,
        adjacent=snapshot.edges,
        types=frozenset({EdgeType.CONTAINS}),
        direction=direction,
        depth=10,
        most=_MOST_INSIDE,
    )
    return [step.id for step in found.steps]


def _space(snapshot: Snapshot, embedders: Sequence[Embedder]) -> tuple[VectorIndex | None, str]:
    """Return the first complete space of these models, and the name of its model."""
    complete = {one.model_id for one in snapshot.spaces() if one.coverage >= COMPLETE}
    for one in embedders:
        # A model may have to read its files to know its id.
        with suppress(ModelError, MissingExtra):
            index = snapshot.vectors(one.model_id) if one.model_id in complete else None
            if index is not None:
                return index, one.name
    return None, "none"


def _near(
    snapshot: Snapshot,
    vectors: VectorIndex,
    own: Sequence[NodeId],
    where: Filter,
    *,
    weight: float,
) -> dict[NodeId, _Like]:
    """Return the nodes nearest to the mean of a node's own vectors, each by its best chunk."""
    import numpy as np

    chunks = [chunk.id for one in own[:_CHUNKS] for chunk in snapshot.chunks_of(one)][:_CHUNKS]
    kept = list(vectors.kept(chunks).values())
    if not kept:
        return {}
    mean = np.mean(np.stack(kept), axis=0)
    length = float(np.linalg.norm(mean))
    if not length:
        return {}
    ranking = vectors.search(
        (mean / length).astype(np.float32), where=where, depth=_DEPTH + len(chunks)
    )
    found: dict[NodeId, _Like] = {}
    for one, cosine in zip(ranking.ids, ranking.scores, strict=True):
        node_id = NodeId(node_of(one))
        if node_id not in found and cosine >= _NEAR:
            found[node_id] = _Like(one, [Part(f"meaning {cosine:.2f}", weight * cosine)])
    return found


def _by_words(
    snapshot: Snapshot, node: Node, view: View, where: Filter, *, weight: float
) -> dict[NodeId, _Like]:
    """Return the nodes that have the words of a node's name and description."""
    words = " ".join(dict.fromkeys(f"{node.name} {node.title} {node.description}".split()))
    # Plain words: whatever a name holds, it is no operator.
    asked = parse(" ".join(analyser(view.analyser).words(words)))
    ranking = snapshot.text(view).search(asked, where=where, depth=_DEPTH)
    best = max(ranking.scores, default=0.0)
    found: dict[NodeId, _Like] = {}
    for one, score in zip(ranking.ids, ranking.scores, strict=True):
        share = score / best
        found.setdefault(
            NodeId(node_of(one)), _Like(one, [Part(f"words {share:.2f}", weight * share)])
        )
    return found


def _add_links(
    snapshot: Snapshot,
    likes: dict[NodeId, _Like],
    *,
    own: Sequence[NodeId],
    kin: frozenset[NodeId],
    weights: Weights,
) -> None:
    """Add what links say: a link between the two, and others that both are linked with."""
    links = _links(snapshot.edges(own))
    ours: dict[NodeId, Edge] = {}
    for one in own:
        ours |= {other: edge for other, edge in links[one].items() if other not in kin}
    for other in ours:
        likes.setdefault(other, _Like(ChunkId(f"{other}@0")))
    if not ours:
        return
    degrees = snapshot.degrees(list(ours))
    # Who is linked with everything tells little of what two have in common.
    telling = {other: 1 / math.log(2 + degrees.get(other, 0)) for other in ours}
    whole = math.fsum(telling.values())
    theirs = _links(snapshot.edges(list(ours)))
    shared: dict[NodeId, list[NodeId]] = defaultdict(list)
    for other in sorted(ours):
        for third in theirs[other]:
            if third in likes and third != other:
                shared[third].append(other)
    for one, like in likes.items():
        edge = ours.get(one)
        if edge is not None:
            like.parts.append(
                Part(
                    f"linked: {edge.type.value}",
                    weights.linked * min(1.0, edge.weight) * telling[one],
                )
            )
        common = shared.get(one, [])
        if common:
            share = math.fsum(telling[other] for other in common) / whole
            links_ = "1 link" if len(common) == 1 else f"{len(common)} links"
            like.parts.append(Part(f"{links_} in common", weights.shared * share))


def _links(edges: Sequence[Edge]) -> Mapping[NodeId, dict[NodeId, Edge]]:
    """Return what each node is linked with, whichever way; lying in each other is no link."""
    found: dict[NodeId, dict[NodeId, Edge]] = defaultdict(dict)
    for edge in edges:
        if edge.type is EdgeType.CONTAINS or edge.source.startswith("@"):
            continue
        for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
            before = found[here].get(there)
            if before is None or edge.weight > before.weight:
                found[here][there] = edge
    return found


def _hits(
    snapshot: Snapshot, scored: Sequence[Scored], found_at: Mapping[ChunkId, Found], *, text: str
) -> list[Hit]:
    words_of = analyser("standard")
    own = signature(words_of.terms(text))
    nothing = Sought(_NOTHING, words_of)
    known = stretches(snapshot, [found_at[one.chunk_id] for one in scored])
    hits = []
    for one in scored:
        chunk, node = found_at[one.chunk_id].chunk, found_at[one.chunk_id].node
        shown = snippet.shown(known[chunk.id], node, nothing)
        is_same = _is_same(own, signature(words_of.terms(snapshot.text_of(node.id))))
        said = [part.name for part in one.parts]
        hits.append(
            Hit(
                id=node.id,
                chunk_id=chunk.id,
                node=node,
                score=one.score,
                score_type="related",
                parts=one.parts,
                snippet=shown.text,
                highlights=shown.marks,
                start_line=shown.first_line,
                end_line=max(chunk.end_line, shown.last_line),
                reason=", ".join(["nearly the same text", *said] if is_same else said),
                text=chunk.text,
                is_duplicate=is_same,
            )
        )
    return hits


def _is_same(one: Signature, other: Signature) -> bool:
    return likeness(one, other) >= SAME
