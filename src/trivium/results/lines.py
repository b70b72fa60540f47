"""Code, data and records -> the few lines that hold most of what was asked for.

Lines are whole; of one that is longer than the room a part is shown, and the cut with it. Called
by results.snippet.
"""

from __future__ import annotations

from trivium.analysis.words import Analyser
from trivium.results.matching import Sought, first_mark, marked_with_phrases, matching
from trivium.results.shortening import Extract, Snippet, shortened
from trivium.results.stretch import Stretch

_MOST = 6
_LONGEST = 240
_NOTHING: frozenset[str] = frozenset()


def lines(stretch: Stretch, sought: Sought) -> Snippet:
    """Return the few lines that hold most of the wanted terms, the first if none do."""
    text = stretch.text
    every = text.split("\n")
    own = range(
        text.count("\n", 0, stretch.inside.start), text.count("\n", 0, stretch.inside.end) + 1
    )
    start = _best_start(every, _found_by_line(text, every, sought.terms, sought.words_of), own)
    stop = min(start + _MOST, len(every))
    if stretch.is_cut_behind and stop == len(every) and stop - 1 > max(start, own[-1]):
        # A part of a line that nothing was found in.
        stop -= 1
    pieces = [
        _piece(
            every[at],
            sought,
            is_cut_before=stretch.is_cut_before and at == 0,
            is_cut_behind=stretch.is_cut_behind and at == len(every) - 1,
        )
        for at in range(start, stop)
    ]
    while pieces and not pieces[-1].strip():
        pieces.pop()
    kept = "\n".join(pieces)
    marks, words = marked_with_phrases(kept, sought)
    return Snippet(kept, marks, stretch.first_line + start, words)


def _piece(line: str, sought: Sought, *, is_cut_before: bool, is_cut_behind: bool) -> str:
    """Return the line, or the part of a long one that starts shortly before the first match."""
    if len(line) <= _LONGEST and not is_cut_before and not is_cut_behind:
        return line.rstrip()
    end = len(line.rstrip())
    piece = Extract(0, end, is_cut_before=is_cut_before, is_cut_behind=is_cut_behind)
    match = first_mark(line, sought.terms, sought.words_of)
    return shortened(line, piece, match=match, most=_LONGEST).of(line)


def _found_by_line(
    text: str, lines: list[str], wanted: frozenset[str], words_of: Analyser
) -> list[frozenset[str]]:
    """Return the wanted terms of each line."""
    found_in = matching(wanted, words_of)
    if not text.isascii():
        return [
            frozenset().union(*[matched for _, _, matched in found_in.in_text(line)])
            for line in lines
        ]
    found = [_NOTHING] * len(lines)
    line, end = 0, len(lines[0])
    # Where lines end is counted up to the next match only: most lines have none.
    for at, _, matched in found_in.in_text(text):
        while at > end:
            line += 1
            end += 1 + len(lines[line])
        found[line] |= matched
    return found


def _best_start(lines: list[str], found: list[frozenset[str]], own: range) -> int:
    """Return where the window with most distinct terms starts; the earliest wins a tie."""
    best, best_score = own[0], (0, 0)
    for place in own:
        if place > own[0] and not found[place]:
            # A better window starts on a line that matches.
            continue
        inside = found[place : place + _MOST]
        distinct: set[str] = set().union(*inside)
        score = (len(distinct), sum(map(len, inside)))
        if score > best_score:
            best, best_score = place, score
    # A line of lead-in tells where the match stands; blank ones tell nothing.
    if best > 0 and best_score[0] and lines[best - 1].strip():
        best -= 1
    while best < len(lines) - 1 and not lines[best].strip():
        best += 1
    return best
