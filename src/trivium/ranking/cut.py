"""Scored chunks -> the page: one entry per node, then the first `limit`.

The pool does not depend on `limit`, so a shorter page is the start of a longer one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trivium.types import ChunkId, Scored, best_first


@dataclass(frozen=True, slots=True)
class Group:
    """A node's best chunk and its others, best first."""

    best: Scored
    others: tuple[Scored, ...] = ()


def node_of(chunk_id: ChunkId) -> str:
    """Return the id of the node a chunk belongs to: what stands before the last @."""
    return chunk_id.rpartition("@")[0]


def by_node(scored: Sequence[Scored]) -> list[Group]:
    """Keep each node once, at the place of its best chunk; equal scores by node id."""
    found = sorted(_members(scored).items(), key=lambda one: (-one[1][0].score, one[0]))
    return [Group(members[0], tuple(members[1:])) for _, members in found]


def by_node_as_they_come(scored: Sequence[Scored]) -> list[Group]:
    """Keep each node once, at the place of the first of its chunks, whatever their scores."""
    return [Group(found[0], tuple(found[1:])) for found in _members(scored).values()]


def _members(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    members: dict[str, list[Scored]] = {}
    for one in scored:
        members.setdefault(node_of(one.chunk_id), []).append(one)
    return members


def by_file(groups: Sequence[Group], *, files: Mapping[ChunkId, str]) -> list[Group]:
    """Keep each file once, at the place of the first of its nodes; the others follow, best first.

    What has no file in `files` stands alone.
    """
    members: dict[str, list[Group]] = {}
    for group in groups:
        file = files.get(group.best.chunk_id)
        key = node_of(group.best.chunk_id) if file is None else f"/{file}"
        members.setdefault(key, []).append(group)
    return [_joined(found) for found in members.values()]


def _joined(groups: Sequence[Group]) -> Group:
    if len(groups) == 1:
        return groups[0]
    first, *rest = groups
    others = [*first.others, *(one for group in rest for one in (group.best, *group.others))]
    return Group(first.best, tuple(best_first(others)))


def in_order(groups: Iterable[Group]) -> list[Group]:
    """Order by score, highest first, and equal scores by node id."""
    return sorted(groups, key=lambda group: (-group.best.score, node_of(group.best.chunk_id)))


def ungrouped(scored: Sequence[Scored]) -> list[Group]:
    """Keep every chunk as an entry of its own."""
    return [Group(one) for one in scored]


def page(groups: Sequence[Group], *, limit: int) -> list[Group]:
    """Return the first `limit` entries."""
    return list(groups[: max(0, limit)])
