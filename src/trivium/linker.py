"""References that wait in an index -> edges to what they name, and links that lead nowhere.

Reads what is known from a snapshot, has `linking` decide, and keeps each batch. Called after a
sync, and by lookups.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trivium.backends.base import Backend, Linked, Snapshot, Unlinked
from trivium.linking.projects import Projects, gathered
from trivium.linking.world import Known, Paths, World
from trivium.parsing.projects import PROJECT_STEMS, is_project_file
from trivium.types import EdgeType, Kind, NodeId, Reference

if TYPE_CHECKING:
    from trivium.graph.quality import BrokenLink

log = logging.getLogger(__name__)

_LINK_AT_ONCE = 128
# The lock is let go after as many files, so that others can write in between.
_LINK_UNDER_LOCK = 2048
_BY_PATH = frozenset({EdgeType.IMPORTS, EdgeType.EXPORTS, EdgeType.REFERENCES, EdgeType.CLUSTERS})

Progress = Callable[[str, int, int], None]


def _no_progress(stage: str, done: int, total: int) -> None:
    """Say nothing."""


def paths_of(snapshot: Snapshot) -> Paths:
    """Return the paths of an index, made ready for linking."""
    return Paths(snapshot.paths())


def link(
    backend: Backend,
    *,
    wait_s: float = 5.0,
    most: int | None = None,
    paths: Callable[[Snapshot], Paths] = paths_of,
    progress: Progress = _no_progress,
) -> int:
    """Lead the references of files that wait to their targets; return how many files were linked.

    `most` ends it early: what waits is counted, and goes on next time. Each batch is kept.
    `paths` makes those of the index ready, while nobody else writes; a caller may have them from
    before.
    """
    backend = backend.as_it_is()
    done = 0
    while most is None or done < most:
        with backend.writer(wait_s=wait_s) as writer:
            left = writer.count_unlinked()
            if not left:
                break
            total = done + left
            room = _LINK_UNDER_LOCK if most is None else min(_LINK_UNDER_LOCK, most - done)
            with backend.snapshot() as snapshot:
                found = paths(snapshot)
                world = World(snapshot, found, projects=project_facts_of(snapshot, found))
                until = done + min(room, left)
                while done < until and (
                    waiting := writer.unlinked(limit=min(_LINK_AT_ONCE, until - done))
                ):
                    progress("linking", done, total)
                    writer.link(_linked(waiting, world))
                    done += len(waiting)
    if done:
        progress("linking", done, done)
    return done


def _linked(waiting: Sequence[Unlinked], world: World) -> list[Linked]:
    # Off the way to a fast start: most searches find nothing to link.
    from trivium.linking.resolve import link as link_file

    world.prefetch(
        one.name
        for file in waiting
        for one in file.references
        if one.type not in _BY_PATH and one.name
    )
    made = []
    for file in waiting:
        try:
            links = link_file(file.path, file.references, world=world)
        except Exception:
            # One file that cannot be linked must not keep the others from it, now and ever after.
            log.exception("%s could not be linked", file.path)
            made.append(Linked(file.path, ()))
        else:
            made.append(Linked(file.path, links.edges, links.keys))
    return made


def project_facts_of(known: Known, paths: Paths) -> Projects:
    """Return what the project files among `paths` say, from their nodes."""
    ids = [
        NodeId(f"{Kind.FILE}:{path}")
        for stem in PROJECT_STEMS
        for path in paths.by_stem.get(stem, ())
        if is_project_file(path)
    ]
    facts = []
    for node in known.nodes(ids).values():
        said = node.metadata.get("project", ())
        facts.append((node.source.file_path, said if isinstance(said, tuple) else ()))
    return gathered(facts)


def broken_links(snapshot: Snapshot) -> list[tuple[str, BrokenLink]]:
    """Return the links of documents that lead nowhere, with the path of the file each is in."""
    from trivium.graph.quality import BrokenLink
    from trivium.linking.documents import document_targets

    paths = Paths(snapshot.files())
    world = World(snapshot, paths, projects=project_facts_of(snapshot, paths))
    found = []
    for path in sorted(paths.all):
        for one in snapshot.references(path):
            is_link = one.type in (EdgeType.REFERENCES, EdgeType.CLUSTERS)
            if is_link and not document_targets(one, path=path, world=world):
                found.append((path, BrokenLink(one.source, _as_written(one))))
    return found


def _as_written(link: Reference) -> str:
    if link.of == "wikilink":
        return f"[[{link.name}{link.path}]]"
    return f"{link.path}#{link.name}" if link.name else link.path
