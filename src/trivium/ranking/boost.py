"""Rules that add parts to a score.

Each rule looks at the candidates' names and the query only and returns new values; a
factor is shown as the amount it added. Called by the engine, after fusion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.types import ChunkId, Part, Scored, best_first


def exact_names(
    scored: Sequence[Scored], *, names: Mapping[ChunkId, str], wanted: frozenset[str], gain: float
) -> list[Scored]:
    """Add `gain` to chunks of nodes whose name is one of the words asked for."""
    if not gain or not wanted:
        return list(scored)
    return best_first(
        Scored(one.chunk_id, (*one.parts, Part("name is the query", gain)))
        if _is_wanted(names.get(one.chunk_id, ""), wanted)
        else one
        for one in scored
    )


def _is_wanted(name: str, wanted: frozenset[str]) -> bool:
    folded = name.lower()
    return folded in wanted or folded.rpartition(".")[2] in wanted
