"""Nodes, best first, and a budget of tokens -> as much of each as it allows, at five levels.

Seed 000's progressive disclosure: a level shows nothing that belongs to a higher one, the
budget is never exceeded, and more nodes come before more of one. Pure. Called by the
collection's scan and context.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from trivium.analysis import cjk
from trivium.errors import UsageError
from trivium.graph.quality import coverage
from trivium.parsing.skills import SectionPreview
from trivium.types import Edge, Node, NodeId

# What is written without spaces, or is no word at all, must not count as a single one.
_LONGEST_WORD = 20
_WORD = re.compile(rf"\S{{1,{_LONGEST_WORD}}}")


class Level(IntEnum):
    """How much of a node is shown; each level shows what those below it do."""

    INDEX = 0
    SCAN = 1
    LINKS = 2
    SECTIONS = 3
    FULL = 4


@dataclass(frozen=True, slots=True)
class Material:
    """All that could be shown of a node."""

    node: Node
    links: tuple[Edge, ...] = ()
    sections: tuple[SectionPreview, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What a level shows of a node, and the tokens that takes.

    `description` and `tags` are there from SCAN up, `links` from LINKS, `sections` from
    SECTIONS, `text` in FULL; below that they are empty.
    """

    id: NodeId
    level: Level
    name: str
    type: str
    domain: str
    description: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[Edge, ...] = ()
    sections: tuple[SectionPreview, ...] = ()
    text: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Pack:
    """What fits a budget, best first, and what it took.

    `visited` counts the nodes there were to choose from, `left_out` those that did not fit;
    `coverage` is the percentage of all nodes of the collection that are shown.
    """

    nodes: tuple[Disclosed, ...]
    tokens: int
    max_tokens: int | None
    visited: int
    coverage: float

    @property
    def left_out(self) -> int:
        """How many nodes there was no room for."""
        return self.visited - len(self.nodes)

    @property
    def at_level(self) -> Mapping[Level, int]:
        """How many nodes are shown at each level."""
        found = Counter(one.level for one in self.nodes)
        return {level: found[level] for level in Level}


def tokens(text: str) -> int:
    """Estimate the tokens of a text: its words x 1.3, rounded up.

    Scripts without spaces have a word in each character, and what is longer than a word can
    be is several.
    """
    words = len(_WORD.findall(cjk.RUN.sub(" ", text)))
    words += sum(len(run) for run in cjk.RUN.findall(text))
    return -(-13 * words // 10)


def disclosed(material: Material, level: Level) -> Disclosed:
    """Return what `level` shows of a node, and nothing else."""
    node = material.node
    made = Disclosed(node.id, level, node.name, node.type, node.domain)
    if level >= Level.SCAN:
        made = replace(made, description=node.description, tags=node.tags)
    if level >= Level.LINKS:
        made = replace(made, links=material.links)
    if level >= Level.SECTIONS:
        made = replace(made, sections=material.sections)
    if level >= Level.FULL:
        made = replace(made, text=material.text)
    return replace(made, tokens=tokens("\n".join(_shown(made))))


def pack(
    found: Sequence[Material],
    *,
    total: int,
    max_tokens: int | None = None,
    least: Level = Level.SCAN,
    most: Level = Level.FULL,
) -> Pack:
    """Show as many nodes as fit at `least`, then raise the best to what else fits, up to `most`.

    `total` is the number of nodes there are in all. The first node that does not fit ends
    the list, so that nothing worse stands in for it. None is no budget.
    """
    if max_tokens is not None and max_tokens < 1:
        raise UsageError(f"max_tokens is {max_tokens}; give 1 or more.")
    shown: list[Disclosed] = []
    used = 0
    for material in found:
        made = disclosed(material, least)
        if max_tokens is not None and used + made.tokens > max_tokens:
            break
        used += made.tokens
        shown.append(made)
    for at, material in enumerate(found[: len(shown)]):
        room = None if max_tokens is None else max_tokens - used + shown[at].tokens
        raised = _highest(material, shown[at], most=most, room=room)
        used += raised.tokens - shown[at].tokens
        shown[at] = raised
    return Pack(
        tuple(shown), used, max_tokens, len(found), coverage(len(shown), skills=max(total, 1))
    )


def _highest(material: Material, lowest: Disclosed, *, most: Level, room: int | None) -> Disclosed:
    """Return the node at the highest level that has room."""
    for level in range(most, lowest.level, -1):
        made = disclosed(material, Level(level))
        if room is None or made.tokens <= room:
            return made
    return lowest


def _shown(node: Disclosed) -> list[str]:
    """Return every text a reader is given."""
    links = [f"{edge.type.value} {edge.source} {edge.target} {edge.context}" for edge in node.links]
    sections = [f"{one.heading}\n{one.preview}" for one in node.sections]
    said = (node.id, node.name, node.type, node.domain, node.description, *node.tags)
    return [*said, *links, *sections, node.text]
