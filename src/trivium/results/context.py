"""An Answer and a budget of tokens -> a Context: the most useful text that fits, in pieces.

The budget is never exceeded, no line is shown twice, and none is cut unless it is alone longer than
the budget. Pieces of a file stand together in the order of their lines, files in the order of their
best hits. The same index and question give the same pieces. Called by the collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trivium.backends.base import Snapshot
from trivium.errors import UsageError
from trivium.results.fill import Role, Step, Weights, fill, title
from trivium.results.sheet import Lines, Sheet, piece_tokens, shortened
from trivium.results.shortening import CUT
from trivium.results.steps import Place, Steps, steps_of
from trivium.types import Answer, Hit, NodeId

_NEXT = 5
WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Shown:
    """A node of which something stands in a piece, and why: rank 3, called by Guard.check."""

    id: NodeId
    role: Role
    rank: int
    reason: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file, and the nodes they are shown for, the best first.

    `heading` is the line above it, `tokens` what both take; `is_cut` says that its only line is
    not all there.
    """

    path: str
    start_line: int
    end_line: int
    nodes: tuple[Shown, ...]
    heading: str
    text: str
    tokens: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What fits the budget, what it took, and the answer it was made from.

    `left_out` counts the hits of which nothing is shown, `next` are the files of the first.
    """

    answer: Answer
    pieces: tuple[Piece, ...]
    tokens: int
    max_tokens: int
    left_out: int
    next: tuple[str, ...]


def context_of(
    snapshot: Snapshot,
    answer: Answer,
    *,
    max_tokens: int,
    place: Place = str,
    weights: Weights = WEIGHTS,
) -> Context:
    """Pack the hits of an answer; `place` writes the path of a file for this reader.

    Raises UsageError for a budget below 1.
    """
    if max_tokens < 1:
        raise UsageError(f"max_tokens is {max_tokens}; give 1 or more.")
    steps = steps_of(snapshot, answer.results, place=place)
    pieces = pieces_of(steps, answer.results, max_tokens=max_tokens, weights=weights)
    return _context(answer, pieces, max_tokens)


def pieces_of(
    steps: Steps, hits: Sequence[Hit], *, max_tokens: int, weights: Weights = WEIGHTS
) -> tuple[Piece, ...]:
    """Take what fits of the steps of these hits, and make pieces of it."""
    best = _fitting(steps, hits, max_tokens=max_tokens)
    if best is None:
        return ()
    if isinstance(best, Piece):
        return (best,)
    offered = [best, *steps.all[1:]]
    taken = fill(offered, steps.sheets, max_tokens=max_tokens, weights=weights)
    return _pieces([offered[number] for number in taken.steps], steps)


def _context(answer: Answer, pieces: tuple[Piece, ...], max_tokens: int) -> Context:
    shown = {one.rank for piece in pieces for one in piece.nodes if one.role is Role.HIT}
    left = [
        hit
        for rank, hit in enumerate((one for one in answer.results if one.context is None), 1)
        if rank not in shown
    ]
    paths = dict.fromkeys(hit.node.source.file_path for hit in left)
    return Context(
        answer,
        pieces,
        sum(piece.tokens for piece in pieces),
        max_tokens,
        len(left),
        tuple(paths)[:_NEXT],
    )


def _pieces(taken: Sequence[Step], steps: Steps) -> tuple[Piece, ...]:
    """Make pieces of the steps that were taken, file by file."""
    by_file: dict[str, list[Step]] = {}
    for step in taken:
        by_file.setdefault(step.path, []).append(step)
    made = []
    for path in sorted(by_file, key=lambda path: (_rank(by_file[path]), path)):
        of_file, sheet = by_file[path], steps.sheets[path]
        made += [
            _piece(path, lines, of_file, sheet)
            for lines in sheet.merged(step.lines for step in of_file)
        ]
    return tuple(made)


def _rank(steps: Sequence[Step]) -> tuple[int, bool]:
    """Return the best rank; what only belongs to a hit comes after the hit."""
    return min((step.rank, step.role is not Role.HIT) for step in steps)


def _piece(path: str, lines: Lines, steps: Sequence[Step], sheet: Sheet) -> Piece:
    inside = [one for one in steps if lines.first <= one.lines.first <= lines.last]
    ordered = sorted(inside, key=lambda one: (one.role is not Role.HIT, one.rank, one.lines))
    shown: dict[NodeId, Shown] = {}
    for one in ordered:
        shown.setdefault(one.node.id, Shown(one.node.id, one.role, one.rank, one.reason))
    name = title(inside, lines)
    return Piece(
        path,
        lines.first,
        lines.last,
        tuple(shown.values()),
        sheet.heading(lines, name),
        sheet.text(lines),
        sheet.tokens(lines, name),
    )


def _fitting(steps: Steps, hits: Sequence[Hit], *, max_tokens: int) -> Step | Piece | None:
    """Return the first step, with as many of its lines as fit; if none does, a piece of one.

    None where there is nothing to show, or no room for a heading.
    """
    if not steps.all:
        return None
    first = steps.all[0]
    sheet, lines = steps.sheets[first.path], first.lines
    if sheet.tokens(lines, first.name) <= max_tokens:
        return first
    hit = [one for one in hits if one.context is None][first.rank - 1]
    start = _match_line(hit, lines)
    for last in range(lines.last, start - 1, -1):
        kept = sheet.trimmed(start, last)
        if kept is not None and sheet.tokens(kept, first.name) <= max_tokens:
            return replace(first, lines=kept)
    return _cut(first, sheet, Lines(start, start), hit, max_tokens=max_tokens)


def _match_line(hit: Hit, lines: Lines) -> int:
    """Return the line of the first word that matched."""
    at = hit.highlights[0][0] if hit.highlights else 0
    return min(hit.start_line + hit.snippet.count("\n", 0, at), lines.last)


def _cut(step: Step, sheet: Sheet, lines: Lines, hit: Hit, *, max_tokens: int) -> Piece | None:
    """Return as much of one line as fits, from shortly before what matched."""
    heading = sheet.heading(lines, step.name)
    line = sheet.text(lines)
    start = _match_in(line, hit)
    room = len(shortened(line, heading, max_tokens=max_tokens))
    text = shortened(line[max(0, start - room // 4) :], heading, max_tokens=max_tokens)
    if not text:
        return None
    node = Shown(step.node.id, step.role, step.rank, step.reason)
    tokens = piece_tokens(heading, text)
    return Piece(step.path, lines.first, lines.last, (node,), heading, text, tokens, is_cut=True)


def _match_in(line: str, hit: Hit) -> int:
    """Return where in its line the first word that matched stands; 0 if that is not known."""
    if not hit.highlights:
        return 0
    first, last = hit.highlights[0]
    start = hit.snippet.rfind("\n", 0, first) + 1
    end = hit.snippet.find("\n", last)
    shown = hit.snippet[start : end if end >= 0 else None]
    # A snippet shows a part of a long line, and where it is cut.
    at = line.find(shown.strip(CUT))
    return at + len(shown[: first - start].lstrip(CUT)) if at >= 0 else 0
