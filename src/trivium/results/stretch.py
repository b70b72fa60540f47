"""Chunks -> the text that may be shown of each: with what stands before and behind it in its node.

Prose is cut into chunks by counting characters, so one may begin and end inside of a sentence;
the chunks beside it hold the rest. Called for hits, for what is related to a node and for what
belongs to hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trivium.backends.base import Found, Snapshot
from trivium.types import Chunk, ChunkId, Kind, Node, Span

# So much of the chunks beside is looked at: what goes on for longer is cut anyway.
_REACH = 320
# What follows the last chunk of a text are a line end or two.
_BLANKS = 4


@dataclass(frozen=True, slots=True)
class Stretch:
    """A text, the part of it that was found, and whether it goes on before and behind."""

    text: str
    first_line: int
    inside: Span
    is_cut_before: bool = False
    is_cut_behind: bool = False

    @property
    def own(self) -> str:
        """The text that was found."""
        return self.text[self.inside.start : self.inside.end]


def whole(text: str, *, first_line: int = 1) -> Stretch:
    """Return a text as all there is."""
    return Stretch(text, first_line, Span(0, len(text)))


def stretches(snapshot: Snapshot, found: Iterable[Found]) -> dict[ChunkId, Stretch]:
    """Return what may be shown of each chunk; those beside them are fetched in one call."""
    parts = {one.chunk.id: (one.chunk, _part_of(one.chunk, one.node)) for one in found}
    wanted = {
        beside: None
        for chunk, part in parts.values()
        if part is not None
        for beside in _beside(chunk, part)
    }
    fetched = snapshot.fetch(list(wanted)) if wanted else []
    known = {one.chunk.id: one.chunk for one in fetched}
    return {
        one: whole(chunk.text, first_line=chunk.start_line)
        if part is None
        else _stretch(chunk, part, known)
        for one, (chunk, part) in parts.items()
    }


def _part_of(chunk: Chunk, node: Node) -> Span | None:
    """Return the part of its node that a chunk is cut from; None if it is all of it, or lines."""
    if node.kind is Kind.CODE and "\n" in chunk.text:
        # Code is cut where lines end, but for a line that is very long.
        return None
    for part in node.own:
        if part.start <= chunk.span.start and chunk.span.end <= part.end:
            return None if part == chunk.span else part
    return None


def _beside(chunk: Chunk, part: Span) -> list[ChunkId]:
    number = _number(chunk)
    found = []
    if chunk.span.start > part.start and number > 0:
        found.append(_sibling(chunk, number - 1))
    if chunk.span.end < part.end:
        found.append(_sibling(chunk, number + 1))
    return found


def _stretch(chunk: Chunk, part: Span, known: Mapping[ChunkId, Chunk]) -> Stretch:
    number = _number(chunk)
    before, is_cut_before = _before(chunk, part, known.get(_sibling(chunk, number - 1)))
    behind, is_cut_behind = _behind(chunk, part, known.get(_sibling(chunk, number + 1)))
    return Stretch(
        text=before + chunk.text + behind,
        first_line=chunk.start_line - before.count("\n"),
        inside=Span(len(before), len(before) + len(chunk.text)),
        is_cut_before=is_cut_before,
        is_cut_behind=is_cut_behind,
    )


def _before(chunk: Chunk, part: Span, earlier: Chunk | None) -> tuple[str, bool]:
    """Return what stands before a chunk in its part, and whether there is more."""
    if earlier is None or earlier.span.end <= part.start:
        return "", False
    shared = max(0, earlier.span.end - chunk.span.start)
    text = earlier.text[: len(earlier.text) - shared] + _blanks(earlier, chunk)
    is_first = earlier.span.start <= part.start + _BLANKS
    return text[-_REACH:], len(text) > _REACH or not is_first


def _behind(chunk: Chunk, part: Span, later: Chunk | None) -> tuple[str, bool]:
    """Return what stands behind a chunk in its part, and whether there is more."""
    if later is None or later.span.start >= part.end:
        return "", False
    shared = max(0, chunk.span.end - later.span.start)
    text = _blanks(chunk, later) + later.text[shared:]
    is_last = later.span.end >= part.end - _BLANKS
    return text[:_REACH], len(text) > _REACH or not is_last


def _blanks(earlier: Chunk, later: Chunk) -> str:
    """Return what lies between two chunks that do not overlap: a blank, or line ends."""
    if later.span.start <= earlier.span.end:
        return ""
    return "\n" * (later.start_line - earlier.end_line) or " "


def _number(chunk: Chunk) -> int:
    return int(chunk.id.rpartition("@")[2])


def _sibling(chunk: Chunk, number: int) -> ChunkId:
    return ChunkId(f"{chunk.node_id}@{number}")
