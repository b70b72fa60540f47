"""Ids and names -> nodes and what they are linked with.

Finds a node by what a person may call it, walks the graph from it, and looks after links and
skills. Reads one snapshot and changes nothing. Called by the collection.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from trivium import linker
from trivium.backends.base import Snapshot
from trivium.errors import NotFound, UsageError
from trivium.filtering.conditions import Filter
from trivium.graph.walk import Direction, walk
from trivium.parsing.shelves import kind_in_memory
from trivium.results.present import counted
from trivium.results.relations import Relation, Relations
from trivium.types import BY_ID, PROXY, ChunkId, Edge, EdgeType, Kind, Node, NodeId

if TYPE_CHECKING:
    from trivium.graph import quality
    from trivium.parsing.skills import SectionPreview

CALLS = frozenset({EdgeType.CALLS})
DEPENDS = frozenset(
    {
        EdgeType.CALLS,
        EdgeType.IMPORTS,
        EdgeType.EXTENDS,
        EdgeType.IMPLEMENTS,
        EdgeType.USES,
        EdgeType.EXPORTS,
    }
)
_MOST_RELATED = 500
_MOST_NAMESAKES = 8
_DEEPEST = 10
_KINDS = (Kind.CODE, Kind.DOC, Kind.FILE, Kind.SKILL, Kind.NOTE, Kind.TASK)
# As searches, compilers and addresses write it: a.py:84, a.py:84:12, a.py:84-90, a.py#L84-L90.
_PLACE = re.compile(
    r"(?P<path>.+?)(?::(?P<line>[1-9][0-9]{0,8})(?:-(?P<last>[1-9][0-9]{0,8})|:[0-9]{0,9})?:?"
    r"|#L(?P<from>[1-9][0-9]{0,8})(?:-L?(?P<to>[1-9][0-9]{0,8}))?)",
    re.DOTALL,
)
_NAME_ENDS = re.compile(r"[/#.:\s]+")


@dataclass(frozen=True, slots=True)
class Checked:
    """Links that lead nowhere, each with its file, and the state of the skills, if any."""

    broken: tuple[tuple[str, quality.BrokenLink], ...]
    skills: quality.Report | None


@dataclass(frozen=True, slots=True)
class Walking:
    """Which edges are followed, which way and how far; None is all types.

    `with_contents` starts from all that lies in the node as well.
    """

    types: frozenset[EdgeType] | None
    direction: Direction
    depth: int
    with_contents: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A node, what lies around it, nearest first, and the edges between all of these.

    `total` is how many were reached; `is_cut` says that not all of them are here.
    """

    of: Node
    found: tuple[Relation, ...]
    edges: tuple[Edge, ...]
    total: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file holds: how many symbols of code, how many sections, how many bytes."""

    symbols: int
    sections: int
    size_bytes: int
    is_code: bool
    is_doc: bool


def files_of(snapshot: Snapshot, paths: Sequence[str]) -> dict[str, FileFacts]:
    """Return what is known of files; one that is not indexed is left out."""
    states = snapshot.files()
    found = {}
    for path in paths:
        if path in states:
            code = snapshot.outline(path)
            docs = [one for one in snapshot.headings(path) if one.startswith(f"{Kind.DOC}:")]
            symbols = sum(bool(one.qualified) for one in code)
            found[path] = FileFacts(
                symbols, len(docs), states[path].size_bytes, bool(code), bool(docs)
            )
    return found


def related(snapshot: Snapshot, wanted: str, walking: Walking) -> Relations:
    """Return what a walk from a node reaches. Raises NotFound, and UsageError for its depth."""
    if not 1 <= walking.depth <= _DEEPEST:
        raise UsageError(f"depth is {walking.depth}; give 1 to {_DEEPEST}.")
    node = find(snapshot, wanted)
    start = [node.id]
    inside_is_cut = False
    if walking.with_contents:
        inside = walk(
            node.id,
            adjacent=snapshot.edges,
            types=frozenset({EdgeType.CONTAINS}),
            direction=Direction.OUT,
            depth=_DEEPEST,
            most=_MOST_RELATED,
        )
        start += [step.id for step in inside.steps]
        inside_is_cut = inside.is_cut
    reached = walk(
        start,
        adjacent=partial(_dependable, snapshot) if walking.with_contents else snapshot.edges,
        types=walking.types,
        direction=walking.direction,
        depth=walking.depth,
        most=_MOST_RELATED,
    )
    nodes = snapshot.nodes([step.id for step in reached.steps])
    found = tuple(
        Relation(nodes[step.id], step.depth, step.edge, step.certainty)
        for step in reached.steps
        if step.id in nodes
    )
    is_cut = reached.is_cut or inside_is_cut
    return Relations(node, found, is_cut, snapshot.count_unlinked())


def surroundings(snapshot: Snapshot, wanted: str, walking: Walking, *, limit: int) -> Surroundings:
    """Return what a walk reaches as a graph of at most `limit` nodes. Raises as `related`."""
    if limit < 1:
        raise UsageError(f"limit is {limit}; give 1 or more.")
    reached = related(snapshot, wanted, walking)
    kept = reached.found[: limit - 1]
    ids = [reached.of.id, *(one.node.id for one in kept)]
    inside = frozenset(ids)
    edges = dict.fromkeys(
        edge
        for edge in snapshot.edges(ids)
        if edge.source in inside
        and edge.target in inside
        and (walking.types is None or edge.type in walking.types)
    )
    total = 1 + len(reached.found)
    return Surroundings(reached.of, kept, tuple(edges), total, reached.is_cut or total > limit)


def checked(snapshot: Snapshot) -> Checked:
    """Look at how links and skills are kept: what leads nowhere, and a score for the skills."""
    from trivium.graph import quality

    broken = linker.broken_links(snapshot)
    paths = [path for path in snapshot.paths() if not path.endswith("/")]
    ids = [one for path in paths for one in snapshot.headings(path)]
    in_skills = [one for one in ids if one.startswith("skill:")]
    found = snapshot.nodes([one for one in in_skills if "#" not in one])
    skills = [found[one] for one in in_skills if one in found]
    of_skills = [link for _, link in broken if link.source.startswith("skill:")]
    edges = snapshot.edges(in_skills)
    report = quality.report(map(quality.skill_of, skills), edges, of_skills)
    return Checked((*broken, *_broken_in_memory(snapshot)), report if skills else None)


def _broken_in_memory(snapshot: Snapshot) -> Iterator[tuple[str, quality.BrokenLink]]:
    """Yield the links of notes, tasks and skills that lead nowhere, by id and of other types."""
    from trivium.graph.quality import BrokenLink

    for path in snapshot.paths():
        if kind_in_memory(path) is None:
            continue
        links = [one for one in snapshot.references(path) if one.of == BY_ID]
        there = snapshot.nodes([NodeId(one.path) for one in links])
        for one in links:
            is_told = one.type is EdgeType.REFERENCES or one.path.startswith(PROXY)
            if not is_told and one.path not in there:
                yield path, BrokenLink(one.source, one.path)


def _dependable(snapshot: Snapshot, ids: Sequence[NodeId]) -> list[Edge]:
    """Return the edges of nodes, without those from a module to its own symbols.

    That a module offers a symbol does not make what imports the module depend on it.
    """
    return [
        edge
        for edge in snapshot.edges(ids)
        if edge.type is not EdgeType.EXPORTS or edge.source != edge.target.partition("#")[0]
    ]


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, as somebody wrote them."""

    path: str
    first: int
    last: int


def place(wanted: str) -> Place | None:
    """Return the file and the lines that a text names, if it names any."""
    read = _PLACE.fullmatch(wanted)
    if read is None:
        return None
    first = int(read["line"] or read["from"])
    return Place(read["path"], first, int(read["last"] or read["to"] or first))


def find(snapshot: Snapshot, wanted: str) -> Node:
    """Return a node by its id, that of a chunk, its path, lines of it, or a name only one has.

    Raises NotFound, and UsageError that lists the ids where several have the name.
    """
    found = called(snapshot, wanted)
    if found is None:
        raise NotFound(
            f"Nothing is called {wanted}. A search shows the ids of what there is. "
            f"From a shell: trivium search {shlex.quote(wanted)}"
        )
    return found


def called(snapshot: Snapshot, wanted: str) -> Node | None:
    """Return what `find` does, or None. Raises NotFound for a line beyond the end of a file."""
    node = _by_id(snapshot, wanted)
    if node is not None:
        return node
    chunks = snapshot.fetch([ChunkId(wanted)])
    if chunks:
        return chunks[0].node
    name = wanted.rpartition(".")[2]
    found = [
        one.id
        for one in snapshot.symbols([name], most=_MOST_RELATED).get(name, ())
        if f".{one.qualified.partition('~')[0]}".endswith(f".{wanted}")
    ]
    if found:
        return snapshot.nodes(found)[_only(found, f"symbols are named {wanted}")]
    lines = place(wanted)
    path = _path_of(snapshot, wanted if lines is None else lines.path)
    if path is None:
        return None
    return _by_id(snapshot, path) if lines is None else _around(snapshot, path, lines)


def near(snapshot: Snapshot, wanted: str, *, within: Filter) -> list[NodeId]:
    """Return the ids of a few nodes whose names are nearly what was asked for."""
    # Off the way to a fast start: it compares by numpy.
    from trivium.results.nearest import nearest

    lines = place(wanted)
    whole = wanted if lines is None else lines.path
    last = whole.rpartition("#")[2].rpartition("/")[2]
    words = [last, *_NAME_ENDS.split(last)]
    return [one.id for one in nearest(snapshot, " ".join(words), within=within)]


def _by_id(snapshot: Snapshot, wanted: str) -> Node | None:
    """Return the node with this id, or of the file or folder with this path."""
    path = wanted.removeprefix("./").rstrip("/") or "."
    for one in (wanted, *(f"{kind}:{path}" for kind in _KINDS)):
        node = snapshot.node(NodeId(one))
        if node is not None:
            return node
    return None


def _path_of(snapshot: Snapshot, wanted: str) -> str | None:
    """Return the file with this path, or the only one whose path ends so. Raises UsageError."""
    path = wanted.removeprefix("./")
    paths = snapshot.paths()
    if not path or path.endswith("/"):
        return None
    if path in paths:
        return path
    found = [one for one in paths if one.endswith(f"/{path}")]
    return _only(found, f"files are called {path}") if found else None


_Text = TypeVar("_Text", bound=str)


def _only(found: Sequence[_Text], are: str) -> _Text:
    if len(found) > 1:
        more = f" and {len(found) - _MOST_NAMESAKES} more" if len(found) > _MOST_NAMESAKES else ""
        raise UsageError(
            f"{len(found)} {are}. Give one of these ids: "
            f"{', '.join(found[:_MOST_NAMESAKES])}{more}."
        )
    return found[0]


def _around(snapshot: Snapshot, path: str, lines: Place) -> Node | None:
    """Return the smallest node that holds these lines. Raises NotFound beyond the end."""
    whole = snapshot.node(NodeId(f"{Kind.FILE}:{path}"))
    there = [*snapshot.nodes(snapshot.headings(path)).values(), *([whole] if whole else [])]
    total = max((one.source.end_line for one in there), default=0)
    if lines.first > total:
        raise NotFound(no_line(path, lines.first, total=total))
    last = max(lines.first, min(lines.last, total))
    around = [
        one for one in there if one.source.start_line <= lines.first and last <= one.source.end_line
    ]
    # A section and its document may share all lines; the longer id is that of what lies inside.
    return min(
        around,
        key=lambda one: (one.source.end_line - one.source.start_line, -len(one.id), one.id),
        default=whole,
    )


def no_line(path: str, line: int, *, total: int) -> str:
    """Return what to say of a line that a file does not have."""
    return f"{path[:200]!r} has no line {line:,}: it has {counted(total, 'line')}."


def sections_of(snapshot: Snapshot, node: Node) -> tuple[SectionPreview, ...]:
    """Return the sections that lie in a document or section, each with how it begins."""
    if node.kind not in (Kind.DOC, Kind.SKILL, Kind.NOTE):
        return ()
    # Off the way to a fast start: no search needs the parser of skills.
    from trivium.parsing.skills import sections

    path = node.source.file_path
    inside = [
        one
        for one in snapshot.nodes(snapshot.headings(path)).values()
        if one.type == "section"
        and one.id != node.id
        and node.span.start <= one.span.start
        and one.span.end <= node.span.end
    ]
    text = snapshot.text_of(NodeId(f"{Kind.FILE}:{path}"))
    return tuple(sections(text, sorted(inside, key=lambda one: one.span.start)))
