"""Hits, and where their scores came from -> the same hits with their confidence.

Looks at the hits of a page only: at their text, name and path, at what the retrievers said of
them, and at how near the query is to anything in the collection. Called by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trivium.backends.base import Snapshot
from trivium.ranking.confidence import confidence, nearness
from trivium.results.explain import Origin
from trivium.results.matching import held
from trivium.results.naming import exact
from trivium.types import ChunkId, Evidence, Hit, Node, Ranking


def weighed(
    snapshot: Snapshot,
    hits: Sequence[Hit],
    *,
    origins: Mapping[ChunkId, Origin],
    places: Mapping[ChunkId, int],
) -> list[Hit]:
    """Return the hits with their confidence; where nothing was asked they have none."""
    found = evidence_of(snapshot, hits, origins=origins, places=places)
    return [
        hit if one is None else replace(hit, confidence=confidence(one), evidence=one)
        for hit, one in zip(hits, found, strict=True)
    ]


def evidence_of(
    snapshot: Snapshot,
    hits: Sequence[Hit],
    *,
    origins: Mapping[ChunkId, Origin],
    places: Mapping[ChunkId, int],
) -> list[Evidence | None]:
    """Return what speaks for each hit; None where its query asks for nothing."""
    # A view of whole nodes finds them by more than the chunk they are shown through.
    whole = [hit.node.id for hit in hits if origins[hit.chunk_id].unit == "node"]
    texts = snapshot.texts(whole) if whole else {}
    return [
        _evidence(
            hit,
            texts.get(hit.node.id, hit.text),
            origins[hit.chunk_id],
            place=places.get(hit.chunk_id, 0),
        )
        for hit in hits
    ]


def _evidence(hit: Hit, text: str, origin: Origin, *, place: int) -> Evidence | None:
    if not origin.asked.strip():
        return None
    node, rarity, gathered = hit.node, origin.rarity, origin.gathered
    wanted, words_of = origin.wanted, origin.words_of
    about = held(_headings(node), wanted, words_of)
    every = about | held(text, wanted, words_of)
    cosine = gathered.signals.get("vectors", {}).get(hit.chunk_id)
    near = None
    if cosine is not None and gathered.background is not None and origin.trust > 0:
        near = nearness(cosine, gathered.background)
    sort = "words"
    if near is not None:
        sort = "instant" if gathered.is_instant else "transformer"
    return Evidence(
        sort=sort,
        coverage=rarity.share(every),
        named=rarity.mass(about),
        mass=rarity.mass(every),
        known=rarity.known,
        standing=_standing(gathered.rankings, hit.chunk_id, place),
        exact=0.0 if origin.is_one_letter else exact(origin.asked, origin.names, node),
        cosine=cosine or 0.0,
        nearness=None if near is None else origin.trust * near,
    )


def _headings(node: Node) -> str:
    return "\n".join((node.name, node.title, node.source.file_path))


def _standing(rankings: Sequence[Ranking], chunk_id: ChunkId, place: int) -> float:
    """Return the mean of 1 / rank, over what each retriever found and the whole order."""
    found = [1 / (one.ids.index(chunk_id) + 1) for one in rankings if chunk_id in one.ids]
    return (sum(found) + (1 / place if place else 0.0)) / (len(rankings) + 1)
