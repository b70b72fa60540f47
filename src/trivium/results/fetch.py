"""Chosen chunks -> hits with their text and their confidence.

Keeps the order it is given; a chunk that is gone from the store by now is left out.
Last stage of the read spine before presenting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trivium.backends.base import Found, Snapshot
from trivium.ranking.confidence import confidence
from trivium.ranking.cut import Group
from trivium.results import snippet
from trivium.results.evidence import evidence_of
from trivium.results.explain import Origin, breakdown, reason
from trivium.results.matching import Sought, held
from trivium.results.meant import Nearest
from trivium.results.stretch import Stretch, stretches
from trivium.types import ChunkId, Evidence, Hit, Passage, Scored

_MOST_PASSAGES = 5
# A piece of code of so few lines may say nothing: if __name__ == "__main__": main().
_FEW_LINES = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """How hits are to be shown."""

    groups_by_node: bool
    snippet: str
    explains: bool
    nearest: Nearest | None = None


def fetch(
    snapshot: Snapshot,
    groups: Sequence[Group],
    *,
    origins: Mapping[ChunkId, Origin],
    shape: Shape,
) -> list[Hit]:
    """Fetch the chosen chunks and make a hit of each."""
    found = {one.chunk.id: one for one in snapshot.fetch([one.best.chunk_id for one in groups])}
    # Of the others only their lines are shown: their texts stay where they are.
    others = [one.chunk_id for group in groups for one in group.others[:_MOST_PASSAGES]]
    lines = snapshot.lines(others) if others else {}
    told = _told(snapshot, found, origins)
    known = {} if shape.snippet == "start" else stretches(snapshot, told.values())
    evidence = evidence_of(snapshot, list(found.values()), origins=origins)
    return [
        _hit(
            group,
            found[group.best.chunk_id],
            lines,
            origins[group.best.chunk_id],
            shape=shape,
            stretch=known.get(told[group.best.chunk_id].chunk.id),
            evidence=evidence.get(group.best.chunk_id),
        )
        for group in groups
        if group.best.chunk_id in found
    ]


def _told(
    snapshot: Snapshot, found: Mapping[ChunkId, Found], origins: Mapping[ChunkId, Origin]
) -> dict[ChunkId, Found]:
    """Return through which chunk each hit is shown: its best, or its first if that says more."""
    firsts = {
        one: ChunkId(f"{it.chunk.node_id}@0") for one, it in found.items() if _says_little(it)
    }
    heads = {one.chunk.id: one for one in snapshot.fetch(list(firsts.values()))} if firsts else {}
    told = dict(found)
    for one, first in firsts.items():
        origin, head = origins[one], heads.get(first)
        own = held(found[one].chunk.text, origin.wanted, origin.words_of)
        if head is None or not head.chunk.text.strip():
            continue
        if not own or len(held(head.chunk.text, origin.wanted, origin.words_of)) > len(own):
            told[one] = head
    return told


def _says_little(found: Found) -> bool:
    """Whether a chunk is a few lines of code, and not the first ones of its node."""
    chunk = found.chunk
    if snippet.is_prose(found.node) or chunk.id.endswith("@0"):
        return False
    return chunk.text.count("\n") < _FEW_LINES


def _hit(
    group: Group,
    found: Found,
    lines: Mapping[ChunkId, tuple[int, int]],
    origin: Origin,
    *,
    shape: Shape,
    stretch: Stretch | None,
    evidence: Evidence | None,
) -> Hit:
    best, chunk, node = group.best, found.chunk, found.node
    sought = Sought(origin.wanted, origin.words_of, origin.phrases, shape.nearest)
    if stretch is None:
        shown = snippet.start(chunk.text, first_line=chunk.start_line, sought=sought)
    else:
        shown = snippet.shown(stretch, node, sought)
    passages = tuple(
        Passage(other.chunk_id, other.score, *lines[other.chunk_id])
        for other in group.others[:_MOST_PASSAGES]
        if other.chunk_id in lines
    )
    details = origin.details.get(best.chunk_id, {})
    return Hit(
        id=node.id if shape.groups_by_node else chunk.id,
        chunk_id=chunk.id,
        node=node,
        score=best.score,
        score_type=_type_of(best, origin, details),
        parts=best.parts,
        snippet=shown.text,
        highlights=shown.marks,
        start_line=shown.first_line,
        end_line=max(chunk.end_line, shown.last_line),
        passages=passages,
        reason=reason(
            origin.fused.get(best.chunk_id, best),
            origin.gathered,
            # Where only operators were asked for, no word says why.
            words=shown.words if origin.wanted else _held(chunk.text, origin.operators),
            details=details,
        ),
        breakdown=breakdown(best, origin, details) if shape.explains else None,
        text=chunk.text,
        confidence=None if evidence is None else confidence(evidence),
        evidence=evidence,
    )


def _held(text: str, operators: frozenset[str]) -> list[str]:
    return sorted(one for one in operators if one in text)


def _type_of(best: Scored, origin: Origin, details: Mapping[str, object]) -> str:
    """Return how a score was made; one that the graph gave says so."""
    graph = details.get("graph")
    is_reached = isinstance(graph, dict) and "via" in graph and graph["score"] == best.score
    return "graph" if is_reached else origin.last_type
