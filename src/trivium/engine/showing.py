"""Ranked entries -> hits: what to show of them, where scores came from, how sure they are.

Called by search for the entries of a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.analysis.words import Analyser, analyser
from trivium.backends.base import Snapshot, TextIndex
from trivium.options import SearchOptions
from trivium.query.grammar import Query, operators, phrases, words
from trivium.query.intent import names_in
from trivium.query.typing import Unfinished, is_one_letter, typed_so_far
from trivium.ranking import cut
from trivium.ranking.confidence import NOTHING_RARE, Rarity, rarity
from trivium.ranking.profile import Profile
from trivium.results.explain import Origin
from trivium.results.fetch import Shape, fetch
from trivium.results.meant import Nearest
from trivium.retrieval.boosts import Details
from trivium.retrieval.merge import is_merged_by_rank, mode_of
from trivium.retrieval.place import with_places
from trivium.retrieval.scope import (
    Ranked,
    trust_in,
)
from trivium.types import ChunkId, Hit


def hits(
    snapshot: Snapshot,
    groups: Sequence[cut.Group],
    *,
    nearest: Nearest | None,
    origins: Mapping[ChunkId, Origin],
    options: SearchOptions,
) -> list[Hit]:
    """Return entries as hits, with what to show of them and how likely they answer."""
    profile = options.profile
    shape = Shape(profile.group != "none", profile.snippet, options.explain, nearest)
    return fetch(snapshot, groups, origins=origins, shape=shape)


def origins_of(
    snapshot: Snapshot,
    ranked: Sequence[Ranked],
    profile: Profile,
    *,
    placed: Details,
    begun: Unfinished | None,
) -> Mapping[ChunkId, Origin]:
    """Return for each candidate where its score came from, for the explanation."""
    origins: dict[ChunkId, Origin] = {}
    modes: dict[str, float] = {}
    if is_merged_by_rank(ranked, profile):
        modes = {mode_of(one): one.scope.weight for one in ranked if one.groups}
    for one in ranked:
        words_of = analyser(one.view.analyser)
        origin = Origin(
            gathered=one.gathered,
            score_type=one.score_type,
            k=profile.fusion.k,
            details=with_places(one.details, placed),
            words_of=words_of,
            wanted=frozenset(words_of.terms(_looked_for(one.query))),
            near=one.query.near,
            sparse_type="bm25-fielded" if one.view.combine == "sum" else "bm25",
            fused={group.best.chunk_id: group.best for group in one.groups},
            mode=mode_of(one),
            modes=modes,
            weights=dict(one.view.fields) if one.view.combine == "sum" else {},
            operators=frozenset(operators(one.query).split()),
            phrases=phrases(one.query),
            asked=one.query.meaning,
            names=names_in(one.query.meaning),
            rarity=_rarity(snapshot, one, words_of, begun),
            trust=trust_in(one.gathered.embedder, one.query),
            unit=one.view.unit,
            is_one_letter=begun is not None and is_one_letter(begun, one.query),
        )
        for group in one.groups:
            for member in (group.best, *group.others):
                origins[member.chunk_id] = origin
    return origins


def _rarity(
    snapshot: Snapshot, one: Ranked, words_of: Analyser, begun: Unfinished | None
) -> Rarity:
    """Return what the terms of a query tell in the view that was asked."""
    wanted = sorted(set(words_of.terms(one.query.meaning)))
    if not wanted or not one.groups:
        return NOTHING_RARE
    text = snapshot.text(one.view)
    instead = _instead(one.query, text, words_of, wanted=wanted)
    typed = {} if begun is None else dict.fromkeys(words_of.terms(begun.start), typed_so_far(begun))
    return rarity(text.frequencies(wanted), documents=text.documents, instead=instead, typed=typed)


def _instead(
    query: Query, text: TextIndex, words_of: Analyser, *, wanted: Sequence[str]
) -> dict[str, dict[frozenset[str], int]]:
    """Return for terms of a query what may stand for each, and how many documents have that."""
    found: dict[str, dict[frozenset[str], int]] = {}
    for typed, other in query.instead:
        (own, *more), others = words_of.terms(typed) or [""], words_of.terms(other)
        if own in wanted and not more and others:
            # Several words are all needed, so no more documents have them than have the rarest.
            counts = text.frequencies(others)
            found.setdefault(own, {})[frozenset(others)] = min(counts.values())
    return found


def _looked_for(query: Query) -> str:
    """Return the text whose terms are shown in hits: with near words, where there are any."""
    return " ".join((query.meaning, *words(query))) if query.near else query.meaning
