"""What lies near a query in meaning but not on its page -> searches to go on with.

They are the names of nodes whose vectors are near the query's, so whoever asked in other words
than the texts use learns theirs. Called by the engine, after the page is cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.ranking.cut import node_of
from trivium.types import Gathered, Hit, Kind, Node, NodeId

MOST = 5
_LOOKED_AT = 30
# What is less than half as near as the nearest is another matter.
_NEAR = 0.5
_LONGEST = 80


def related(
    snapshot: Snapshot, gathered: Sequence[Gathered], hits: Sequence[Hit], *, query: str
) -> tuple[str, ...]:
    """Return up to five names of nodes near the query that are not shown; none without vectors."""
    near = _near(gathered)
    shown = {hit.node.id for hit in hits}
    nodes = snapshot.nodes([one for one in near if one not in shown])
    words_of = analyser("standard")
    seen = [frozenset(words_of.terms(query)), *(_terms(hit.node) for hit in hits)]
    found: list[str] = []
    for node in (nodes[one] for one in near if one in nodes):
        terms = _terms(node)
        # What says no more than the query, a hit or another suggestion leads nowhere new.
        if node.kind is Kind.FILE or not terms or any(terms <= known for known in seen):
            continue
        seen.append(terms)
        found.append(_label(node))
        if len(found) == MOST:
            break
    return tuple(found)


def _near(gathered: Sequence[Gathered]) -> list[NodeId]:
    """Return the nodes nearest in meaning, nearest first, each once."""
    pairs = [
        (cosine, one)
        for each in gathered
        for ranking in each.rankings
        if ranking.name == "vectors"
        for one, cosine in zip(ranking.ids[:_LOOKED_AT], ranking.scores, strict=False)
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    if not pairs or pairs[0][0] <= 0:
        return []
    least = _NEAR * pairs[0][0]
    return list(dict.fromkeys(NodeId(node_of(one)) for cosine, one in pairs if cosine >= least))


def _label(node: Node) -> str:
    name = node.name if node.kind is Kind.CODE else node.title or node.name
    return " ".join(name.split())[:_LONGEST]


def _terms(node: Node) -> frozenset[str]:
    return frozenset(analyser("standard").terms(_label(node)))
