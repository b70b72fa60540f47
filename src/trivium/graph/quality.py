"""A graph of skills -> how well it is kept: a score of 0 to 100, what costs it points and where.

The formula of SEMANTICS.md A3. Counts skills, not their sections, and each pair of linked
skills once in each direction; a link to itself is none. Pure. Used by the skills report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from trivium.types import Edge, EdgeType, Node, NodeId

_FULL = 100
_BONUS = 10
_MAP_OF_CONTENT = "moc"
# One link or none: whoever gets there cannot go on.
_MOST_AT_DEAD_END = 1


class Flaw(StrEnum):
    """What is wrong with a skill or between skills."""

    BROKEN_LINK = "broken-link"
    NO_DESCRIPTION = "no-description"
    ORPHAN = "orphan"
    NO_TYPE = "no-type"
    NO_DOMAIN = "no-domain"
    CIRCULAR_PAIR = "circular-pair"


# Points that each one costs.
COSTS: Mapping[Flaw, int] = {
    Flaw.BROKEN_LINK: 10,
    Flaw.NO_DESCRIPTION: 5,
    Flaw.ORPHAN: 3,
    Flaw.NO_TYPE: 2,
    Flaw.NO_DOMAIN: 1,
    Flaw.CIRCULAR_PAIR: 2,
}


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill, with what its author wrote about it; what the author left out is ""."""

    id: NodeId
    type: str = ""
    description: str = ""
    domain: str = ""
    is_map: bool = False


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link that leads nowhere, its target as it is written."""

    source: NodeId
    target: str


@dataclass(frozen=True, slots=True)
class Issue:
    """One flaw: the skills it concerns, the link if it is one, and the points it costs."""

    flaw: Flaw
    nodes: tuple[NodeId, ...]
    cost: int
    link: str = ""


@dataclass(frozen=True, slots=True)
class Bonuses:
    """Points for maps of content and for few dead ends."""

    maps: int
    links: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a graph of skills is like. Clusters come largest first, all else by id.

    `coverage` is the percentage of skills in a cluster that has a map of content.
    """

    score: int
    issues: tuple[Issue, ...]
    bonuses: Bonuses
    skills: int
    links: int
    density: float
    average_degree: float
    clusters: tuple[tuple[NodeId, ...], ...]
    clusters_with_map: int
    orphans: tuple[NodeId, ...]
    dead_ends: tuple[NodeId, ...]
    circular_pairs: tuple[tuple[NodeId, NodeId], ...]
    coverage: float


def skill_of(node: Node) -> Skill:
    """Return what the front matter of a skill's node says; what was derived does not count.

    Save that a map of content may be known as one by its links alone.
    """
    return Skill(
        id=node.id,
        type=_said(node, "type"),
        description=_said(node, "description"),
        domain=_said(node, "domain") or _said(node, "category"),
        is_map=node.type == _MAP_OF_CONTENT,
    )


def _said(node: Node, key: str) -> str:
    value = node.metadata.get(key, "")
    return " ".join(value) if isinstance(value, tuple) else str(value)


def report(
    skills: Iterable[Skill], edges: Iterable[Edge], broken: Iterable[BrokenLink] = ()
) -> Report:
    """Judge a graph. Edges may start and end at sections; those out of the graph do not count."""
    known = {skill.id: skill for skill in sorted(skills, key=lambda one: one.id)}
    links = _links(known, edges)
    neighbours: dict[NodeId, set[NodeId]] = {one: set() for one in known}
    degrees = dict.fromkeys(known, 0)
    for source, target in links:
        neighbours[source].add(target)
        neighbours[target].add(source)
        degrees[source] += 1
        degrees[target] += 1
    orphans = tuple(one for one in known if not degrees[one])
    dead_ends = tuple(one for one in known if degrees[one] <= _MOST_AT_DEAD_END)
    pairs = tuple(
        (source, target)
        for source, target in sorted(links)
        if source < target
        and (target, source) in links
        and neighbours[source] == {target}
        and neighbours[target] == {source}
    )
    clusters = _clusters(neighbours)
    mapped = [cluster for cluster in clusters if any(_is_map(known[one]) for one in cluster)]
    issues = [*_issues(known.values(), broken, orphans, pairs)]
    bonuses = Bonuses(
        maps=map_bonus(len(mapped), clusters=len(clusters)),
        links=link_bonus(len(dead_ends), skills=len(known)),
    )
    return Report(
        score=score([issue.flaw for issue in issues], bonuses),
        issues=tuple(issues),
        bonuses=bonuses,
        skills=len(known),
        links=len(links),
        density=density(len(links), skills=len(known)),
        average_degree=average_degree(len(links), skills=len(known)),
        clusters=clusters,
        clusters_with_map=len(mapped),
        orphans=orphans,
        dead_ends=dead_ends,
        circular_pairs=pairs,
        coverage=coverage(sum(map(len, mapped)), skills=len(known)),
    )


def score(flaws: Sequence[Flaw], bonuses: Bonuses) -> int:
    """Return 100 less what the flaws cost, at least 0, then the bonuses, at most 100."""
    left = max(0, _FULL - sum(COSTS[flaw] for flaw in flaws))
    return min(_FULL, left + bonuses.maps + bonuses.links)


def map_bonus(with_map: int, *, clusters: int) -> int:
    """Return up to 10 points for the share of clusters that have a map of content."""
    return _rounded(_BONUS * with_map / clusters) if clusters else 0


def link_bonus(dead_ends: int, *, skills: int) -> int:
    """Return 10 points without dead ends, none where half of the skills are one."""
    return _rounded(max(0.0, _BONUS * (1 - 2 * dead_ends / skills))) if skills else 0


def density(links: int, *, skills: int) -> float:
    """Return the share of all links there could be."""
    return links / (skills * (skills - 1)) if skills > 1 else 0.0


def average_degree(links: int, *, skills: int) -> float:
    """Return how many ends of links a skill has on average."""
    return 2 * links / skills if skills else 0.0


def coverage(part: int, *, skills: int) -> float:
    """Return a part of the skills as a percentage with one decimal."""
    return round(_FULL * part / skills, 1) if skills else 0.0


def _is_map(skill: Skill) -> bool:
    return skill.is_map or skill.type.strip().lower() == _MAP_OF_CONTENT


def _rounded(value: float) -> int:
    """Round as the formula does: a half goes up, also to an odd number."""
    return math.floor(value + 0.5)


def _links(known: Mapping[NodeId, Skill], edges: Iterable[Edge]) -> set[tuple[NodeId, NodeId]]:
    """Return the pairs of skills that are linked, whichever of their sections link."""
    found: set[tuple[NodeId, NodeId]] = set()
    for edge in edges:
        source, target = _whole(edge.source, known), _whole(edge.target, known)
        is_link = edge.type is not EdgeType.CONTAINS and source != target
        if is_link and source in known and target in known:
            found.add((source, target))
    return found


def _whole(node_id: NodeId, known: Mapping[NodeId, Skill]) -> NodeId:
    return node_id if node_id in known else NodeId(node_id.partition("#")[0])


def _clusters(neighbours: Mapping[NodeId, set[NodeId]]) -> tuple[tuple[NodeId, ...], ...]:
    """Return the connected parts of two skills or more, links taken both ways."""
    seen: set[NodeId] = set()
    found: list[tuple[NodeId, ...]] = []
    for start in neighbours:
        if start in seen:
            continue
        seen.add(start)
        cluster, waiting = [], [start]
        while waiting:
            here = waiting.pop()
            cluster.append(here)
            new = neighbours[here] - seen
            seen |= new
            waiting.extend(new)
        if len(cluster) > 1:
            found.append(tuple(sorted(cluster)))
    return tuple(sorted(found, key=lambda cluster: (-len(cluster), cluster)))


def _issues(
    skills: Iterable[Skill],
    broken: Iterable[BrokenLink],
    orphans: Sequence[NodeId],
    pairs: Sequence[tuple[NodeId, NodeId]],
) -> list[Issue]:
    """List what is wrong, the costliest first."""
    listed = [*skills]
    found = [
        *(
            _issue(Flaw.BROKEN_LINK, one.source, link=one.target)
            for one in sorted(broken, key=lambda one: (one.source, one.target))
        ),
        *(_issue(Flaw.NO_DESCRIPTION, one.id) for one in listed if not one.description.strip()),
        *(_issue(Flaw.ORPHAN, one) for one in orphans),
        *(_issue(Flaw.NO_TYPE, one.id) for one in listed if not one.type.strip()),
        *(_issue(Flaw.CIRCULAR_PAIR, *pair) for pair in pairs),
        *(_issue(Flaw.NO_DOMAIN, one.id) for one in listed if not one.domain.strip()),
    ]
    return sorted(found, key=lambda one: -one.cost)


def _issue(flaw: Flaw, *nodes: NodeId, link: str = "") -> Issue:
    return Issue(flaw, nodes, COSTS[flaw], link)
