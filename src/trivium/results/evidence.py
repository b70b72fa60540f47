"""Chunks that are shown, and where their scores came from -> what speaks for each.

Looks at the hits of a page only: at their text, name and path, at how near each is to the query,
and at what is usual in the collection; never at what else was found. Called by results.fetch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from trivium.backends.base import Found, Snapshot
from trivium.errors import BackendError
from trivium.ranking.confidence import nearness
from trivium.results.explain import Origin
from trivium.results.matching import held
from trivium.results.naming import exact
from trivium.types import ChunkId, Evidence, Gathered, Node

# A term of a name counts as one that stands so often in the text.
_IN_NAME = 3
# All of the query, but for rounding.
_ALL = 1 - 1e-9


def evidence_of(
    snapshot: Snapshot, found: Sequence[Found], *, origins: Mapping[ChunkId, Origin]
) -> dict[ChunkId, Evidence]:
    """Return what speaks for each chunk; one whose query asks for nothing is left out."""
    # A view of whole nodes finds them by more than the chunk they are shown through.
    whole = [one.node.id for one in found if origins[one.chunk.id].unit == "node"]
    texts = snapshot.texts(whole) if whole else {}
    cosines = _cosines([(one.chunk.id, origins[one.chunk.id].gathered) for one in found])
    return {
        one.chunk.id: _evidence(
            one.node,
            texts.get(one.node.id, one.chunk.text),
            origins[one.chunk.id],
            cosine=cosines.get(one.chunk.id),
        )
        for one in found
        if origins[one.chunk.id].asked.strip()
    }


def _cosines(found: Sequence[tuple[ChunkId, Gathered]]) -> dict[ChunkId, float]:
    """Return the cosines of chunks, also of those that words or the graph alone have found."""
    known: dict[ChunkId, float] = {}
    missing: dict[int, tuple[Gathered, list[ChunkId]]] = {}
    for chunk_id, gathered in found:
        cosine = gathered.signals.get("vectors", {}).get(chunk_id)
        if cosine is not None:
            known[chunk_id] = cosine
        elif gathered.cosines is not None:
            missing.setdefault(id(gathered), (gathered, []))[1].append(chunk_id)
    for gathered, chunk_ids in missing.values():
        # Where the store fails now, words tell.
        with suppress(BackendError):
            known |= gathered.cosines(chunk_ids) if gathered.cosines is not None else {}
    return known


def _evidence(node: Node, text: str, origin: Origin, *, cosine: float | None) -> Evidence:
    rarity, background = origin.rarity, origin.gathered.background
    wanted, words_of = origin.wanted, origin.words_of
    about = held(_headings(node), wanted, words_of)
    every = held(text, wanted, words_of)
    for term in about:
        every[term] = every.get(term, 0) + _IN_NAME
    coverage = rarity.share(every)
    near = None
    if cosine is not None and background is not None and origin.trust > 0:
        near = nearness(cosine, background)
    sort = "words"
    if near is not None:
        sort = "instant" if origin.gathered.is_instant else "transformer"
    is_held = coverage >= _ALL
    return Evidence(
        sort=sort,
        coverage=coverage,
        named=rarity.mass(about),
        strength=rarity.strength(every, length=len(text)),
        known=rarity.known,
        exact=0.0
        if origin.is_one_letter
        else exact(origin.asked, origin.names, node, is_held=is_held),
        cosine=0.0 if cosine is None else origin.trust * cosine,
        nearness=near,
    )


def _headings(node: Node) -> str:
    return "\n".join((node.name, node.title, node.source.file_path))
