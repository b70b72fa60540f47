"""Rules that add parts to a score.

Each rule looks at the candidates' ids and the query only and returns new values; a factor
is shown as the amount it added. Called by the engine, after fusion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from trivium.ranking.cut import Group, in_order, node_of
from trivium.types import ChunkId, Part, Scored, best_first

# More hits of one file than this say nothing more about it.
_MOST_OTHERS = 3


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


def same_file(groups: Sequence[Group], *, gain: float, again: float) -> list[Group]:
    """Let the nodes of a file of code speak for each other, and not crowd the page.

    Each gains `gain` times the scores of the best others of its file; the second of a file
    then keeps the share `again` of its score, the third `again` squared, and so on.
    """
    if not gain and again == 1:
        return list(groups)
    of_file: defaultdict[str, list[Group]] = defaultdict(list)
    for group in groups:
        of_file[_file_of(group)].append(group)
    made = []
    for file, members in of_file.items():
        for number, group in enumerate(members):
            others = [one for one in members[: _MOST_OTHERS + 1] if one is not group]
            parts = list(group.best.parts)
            if file and others:
                found = sum(max(0.0, one.best.score) for one in others[:_MOST_OTHERS])
                parts.append(Part("others of its file", gain * found))
                whole = group.best.score + gain * found
                if number and whole > 0:
                    parts.append(Part(f"file shown {number} times", whole * (again**number - 1)))
            made.append(replace(group, best=Scored(group.best.chunk_id, tuple(parts))))
    return in_order(made)


def _file_of(group: Group) -> str:
    """Return what tells the file of a node of code; "" for other nodes, which stand alone."""
    node_id = node_of(group.best.chunk_id)
    return node_id.partition("#")[0] if node_id.startswith("code:") else ""


def _is_wanted(name: str, wanted: frozenset[str]) -> bool:
    folded = name.lower()
    return folded in wanted or folded.rpartition(".")[2] in wanted
