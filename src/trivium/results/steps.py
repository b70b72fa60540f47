"""Hits, best first -> the steps in which they could be shown, from a few lines to the whole.

A hit has a window, a chunk and a whole node, and what belongs to it: other chunks that matched, the
head of what it lies in, the heads of what it calls and imports. What each is
worth is not said here. Reads one snapshot. Called by results.context.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from trivium.analysis.words import analyser
from trivium.backends.base import Found, Snapshot
from trivium.results.fill import Role, Stage, Step
from trivium.results.head import head
from trivium.results.present import label
from trivium.results.sheet import Lines, Sheet
from trivium.types import ChunkId, EdgeType, Hit, Kind, Node, NodeId

Place = Callable[[str], str]

# From a function inside a method up to its module.
_HIGHEST_CLIMB = 3
# Beyond these, what stands around a hit is worth less than the next hit.
_HITS_WITH_AROUND = 10
_WHY = {"call": Role.CALLED, "import": Role.IMPORTED}


@dataclass(slots=True)
class Steps:
    """What could be shown, and the files it stands in."""

    all: list[Step] = field(default_factory=list)
    sheets: dict[str, Sheet] = field(default_factory=dict)


def steps_of(snapshot: Snapshot, hits: Sequence[Hit], *, place: Place = str) -> Steps:
    """Return the steps of all hits; the first is the window of the best hit that has text."""
    return _Making(snapshot, hits, place).run()


class _Making:
    def __init__(self, snapshot: Snapshot, hits: Sequence[Hit], place: Place) -> None:
        self._snapshot = snapshot
        self._place = place
        self._found = [hit for hit in hits if hit.context is None]
        self._beside = [hit for hit in hits if hit.context is not None]
        wanted = [one for hit in self._found for one in (hit.chunk_id, *_passages(hit))]
        self._chunks: Mapping[ChunkId, Found] = {
            one.chunk.id: one for one in snapshot.fetch(list(dict.fromkeys(wanted)))
        }
        self._terms_of = analyser("standard").terms
        self._made = Steps()
        # The number of the step after which what belongs to a hit may come, by its node.
        self._shown_by: dict[NodeId, tuple[int, int]] = {}
        self._whys: dict[NodeId, str] = {}

    def run(self) -> Steps:
        for rank, hit in enumerate(self._found, 1):
            # It may be gone since: others may write meanwhile.
            if hit.chunk_id in self._chunks:
                self._add_hit(hit, rank)
        self._add_holders()
        self._add_beside()
        return self._made

    def _add_hit(self, hit: Hit, rank: int) -> None:
        found = self._chunks[hit.chunk_id]
        chunk = Lines(found.chunk.start_line, found.chunk.end_line)
        window = Lines(hit.start_line, hit.start_line + hit.snippet.count("\n"))
        if not hit.text.strip():
            sheet = self._sheet(found.node.source.file_path)
            window = chunk = head(found.node, sheet) or chunk
        words = frozenset(self._terms_of(hit.text))
        why = f"rank {rank}: {hit.reason}" if hit.reason else ""
        self._whys.setdefault(found.node.id, why)
        first = self._add(found.node, window, rank, Stage.WINDOW, reason=why, words=words)
        if first is None:
            return
        second = self._add(found.node, chunk, rank, Stage.CHUNK, reason=why, after=first)
        source = found.node.source
        whole = Lines(source.start_line, source.end_line)
        self._add(found.node, whole, rank, Stage.WHOLE, reason=why, after=second)
        self._shown_by.setdefault(found.node.id, (rank, first if second is None else second))
        for passage in _passages(hit):
            if passage in self._chunks:
                other = self._chunks[passage]
                lines = Lines(other.chunk.start_line, other.chunk.end_line)
                self._add(other.node, lines, rank, Stage.PASSAGE, after=first)

    def _add_holders(self) -> None:
        """Offer the head of each hit's own node, and those of the nodes that it lies in."""
        around = [node for node, (rank, _) in self._shown_by.items() if rank <= _HITS_WITH_AROUND]
        of: dict[NodeId, list[NodeId]] = {node: [node] for node in around}
        for climbed in range(1 + _HIGHEST_CLIMB):
            nodes = self._snapshot.nodes(list(of))
            for one, inside in of.items():
                if one in nodes:
                    self._add_head(nodes[one], inside, is_own=climbed == 0)
            above: dict[NodeId, list[NodeId]] = {}
            for edge in self._snapshot.edges(sorted(of)) if of else ():
                is_above = edge.type is EdgeType.CONTAINS and not edge.source.startswith("file:")
                if is_above and edge.target in of and edge.source not in of:
                    above.setdefault(edge.source, []).extend(of[edge.target])
            of = above

    def _add_head(self, node: Node, inside: Sequence[NodeId], *, is_own: bool) -> None:
        rank, after = min(self._shown_by[one] for one in inside)
        best = next(one for one in inside if self._shown_by[one] == (rank, after))
        lines = head(node, self._sheet(node.source.file_path))
        if lines is None or node.kind is Kind.FILE:
            return
        role, reason = Role.HIT, self._whys[best]
        if not is_own:
            role, reason = Role.HOLDS, f"{label_of(best)} is part of it"
        self._add(node, lines, rank, Stage.HEAD, role=role, reason=reason, after=after)

    def _add_beside(self) -> None:
        """Offer the heads of what the hits call and import."""
        for hit in self._beside:
            context = hit.context or {}
            source = NodeId(str(context.get("sourceId", "")))
            role = _WHY.get(str(context.get("reason", "")).partition(":")[0])
            if role is None or source not in self._shown_by:
                continue
            rank, after = self._shown_by[source]
            lines = head(hit.node, self._sheet(hit.node.source.file_path))
            if rank > _HITS_WITH_AROUND or lines is None:
                continue
            reason = f"{role} by {label_of(source)}"
            self._add(hit.node, lines, rank, Stage.AROUND, role=role, reason=reason, after=after)

    def _add(
        self,
        node: Node,
        wanted: Lines,
        rank: int,
        stage: Stage,
        *,
        role: Role = Role.HIT,
        reason: str = "",
        after: int | None = None,
        words: frozenset[str] = frozenset(),
    ) -> int | None:
        path = node.source.file_path
        lines = self._sheet(path).trimmed(wanted.first, wanted.last)
        if lines is None:
            return None
        why = reason or f"rank {rank}"
        self._made.all.append(
            Step(path, lines, node, label(node), rank, stage, role, why, after, words)
        )
        return len(self._made.all) - 1

    def _sheet(self, path: str) -> Sheet:
        if path not in self._made.sheets:
            text = self._snapshot.text_of(NodeId(f"{Kind.FILE}:{path}"))
            self._made.sheets[path] = Sheet.of(text, place=self._place(path))
        return self._made.sheets[path]


def label_of(node: NodeId) -> str:
    """Return what a node is called, by its id: Guard.check, or its path."""
    return node.partition("#")[2] or node.partition(":")[2]


def _passages(hit: Hit) -> list[ChunkId]:
    return [one.id for one in hit.passages]
