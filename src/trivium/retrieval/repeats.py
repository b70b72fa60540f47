"""Entries in order -> the same, with what repeats a better one moved down.

Copies of a file or a licence tell no more than the first of them. Looks at the texts of the
first 50 entries, however many are shown. Called by the engine, after the entries are read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trivium.analysis.minhash import repeats, signature
from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.ranking.cut import Group, node_of
from trivium.ranking.profile import Boosts
from trivium.types import Part, Scored

DEPTH = 50


def less_repeated(snapshot: Snapshot, groups: Sequence[Group], *, boosts: Boosts) -> list[Group]:
    """Take the share `duplicate` of its score from each entry that repeats a better one.

    It then stands behind all that score higher. The least score was asked for before, so
    nothing is lost.
    """
    first = groups[:DEPTH]
    if not boosts.duplicate or len(first) <= 1:
        return list(groups)
    found = snapshot.fetch([group.best.chunk_id for group in first])
    texts = {one.chunk.id: one.chunk.text for one in found}
    terms_of = analyser("standard").terms
    # A chunk that is gone by now has no text, and repeats nothing.
    signatures = [signature(terms_of(texts.get(group.best.chunk_id, ""))) for group in first]
    of = repeats(signatures, at=boosts.duplicate_at)
    kept = [group for group, other in zip(first, of, strict=True) if other is None]
    kept += groups[DEPTH:]
    for group, other in zip(first, of, strict=True):
        if other is not None:
            kept = _placed(kept, _lessened(group, first[other], share=boosts.duplicate))
    return kept


def _lessened(group: Group, better: Group, *, share: float) -> Group:
    best = group.best
    lost = Part(f"repeats {node_of(better.best.chunk_id)}", -share * abs(best.score))
    return replace(group, best=Scored(best.chunk_id, (*best.parts, lost)))


def _placed(groups: Sequence[Group], one: Group) -> list[Group]:
    """Put an entry behind all that come before it by score and id.

    The others keep their order, which is not that of scores in every profile.
    """
    own = _order(one)
    place = max(
        (number for number, group in enumerate(groups, 1) if _order(group) < own), default=0
    )
    return [*groups[:place], one, *groups[place:]]


def _order(group: Group) -> tuple[float, str]:
    return -group.best.score, node_of(group.best.chunk_id)
