"""Rules that add parts to a score.

Each rule returns new values and leaves the old as they were; a factor is shown as the amount
it added. Called by the engine, after fusion.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trivium.ranking.cut import Group, in_order, node_of
from trivium.ranking.profile import Boosts
from trivium.types import ChunkId, Kind, Node, NodeId, Part, Scored, best_first

# More hits of one file than this say nothing more about it.
_MOST_OTHERS = 3
# Two to this power is often.
_OFTEN = 6
_NO_DEFINITIONS = frozenset({"module", "file", "import", "comment", "block"})


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


def called(scored: Sequence[Scored], *, nodes: frozenset[NodeId], gain: float) -> list[Scored]:
    """Add `gain` to chunks of nodes that are called all of what was asked."""
    if not gain or not nodes:
        return list(scored)
    return best_first(
        Scored(one.chunk_id, (*one.parts, Part("is called so", gain)))
        if node_of(one.chunk_id) in nodes
        else one
        for one in scored
    )


def by_factor(
    scored: Sequence[Scored], *, factors: Mapping[ChunkId, float], name: str
) -> list[Scored]:
    """Multiply scores; the part is what the factor adds. A chunk without a factor keeps its own."""
    return best_first(
        Scored(one.chunk_id, (*one.parts, Part(name, one.score * (factors[one.chunk_id] - 1))))
        if factors.get(one.chunk_id, 1.0) != 1.0
        else one
        for one in scored
    )


def by_gain(scored: Sequence[Scored], *, gains: Mapping[ChunkId, float], name: str) -> list[Scored]:
    """Add to scores. A chunk without a gain keeps its own."""
    return best_first(
        Scored(one.chunk_id, (*one.parts, Part(name, gains[one.chunk_id])))
        if gains.get(one.chunk_id)
        else one
        for one in scored
    )


@dataclass(frozen=True, slots=True)
class SymbolFactor:
    """What makes a node of code count for more: that it defines, that it is exported."""

    definition: bool
    export: bool
    factor: float


def symbol_factor(node: Node, boosts: Boosts) -> SymbolFactor:
    """Return the factor of a symbol: one for what defines something, one for what is exported."""
    is_code = node.kind is Kind.CODE
    defines = is_code and node.type not in _NO_DEFINITIONS
    exported = is_code and node.metadata.get("exported") is True
    factor = (boosts.definition if defines else 1.0) * (boosts.export if exported else 1.0)
    return SymbolFactor(defines, exported, factor)


def phrase_factor(matches: int, boosts: Boosts) -> float:
    """Return the factor for so many quoted phrases that a text holds."""
    return 1 + min(boosts.phrase_most, boosts.phrase * matches)


@dataclass(frozen=True, slots=True)
class Related:
    """How many words of a query a node calls and uses, and what that adds."""

    calls: int
    uses: int
    gain: float


def related(node: Node, words: frozenset[str], boosts: Boosts) -> Related:
    """Return what a node gains for calling and using what the query names."""
    calls, uses = (
        sum(one.rpartition(".")[2].lower() in words for one in _named(node, key))
        for key in ("calls", "uses")
    )
    gain = min(boosts.relation_most, boosts.call * calls + boosts.use * uses)
    return Related(calls, uses, gain)


def proven(node: Node, boosts: Boosts) -> float:
    """Return what a skill gains for having been used, less what it loses for being unsure.

    All of `usage` after 64 uses, half after 8; all of `confidence` where there is none. A skill
    that says nothing about itself neither gains nor loses.
    """
    uses, sure = node.metadata.get("usageCount", 0), node.metadata.get("confidence", 1.0)
    often = min(1.0, math.log2(1 + uses) / _OFTEN) if isinstance(uses, int) and uses > 0 else 0.0
    doubt = 1 - min(1.0, max(0.0, sure)) if isinstance(sure, int | float) else 0.0
    return boosts.usage * often - boosts.confidence * doubt


def _named(node: Node, key: str) -> tuple[str, ...]:
    found = node.metadata.get(key, ())
    return found if isinstance(found, tuple) else ()


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
                if gain:
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
