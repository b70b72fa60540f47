"""What to show of a text -> a snippet; what is too long is cut between words, and says so.

A cut is shown as "…". It never goes through a character that people see. Used by results.prose
and results.lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trivium.analysis.graphemes import boundary
from trivium.results.matching import Marks

CUT = "…"
_LEAD_IN = 60
_GAP = re.compile(r"[\s\u3001\uff0c\uff1b\uff1a]+")
_CLAUSE = re.compile(r"[,;:)\u2014](?=\s)|[\u3001\uff0c\uff1b\uff1a]")


@dataclass(frozen=True, slots=True)
class Snippet:
    """What to show of a chunk: its text, the marked ranges and the line it starts on.

    `words` are those that matched, as they stand in the text, one for each term.
    """

    text: str
    marks: Marks
    first_line: int
    words: tuple[str, ...]

    @property
    def last_line(self) -> int:
        """The line it ends on."""
        return self.first_line + self.text.count("\n")


@dataclass(frozen=True, slots=True)
class Extract:
    """A range of a text, and at which of its ends something is left out."""

    start: int
    end: int
    is_cut_before: bool = False
    is_cut_behind: bool = False

    def of(self, text: str) -> str:
        """Return the piece of a text as it is shown."""
        inner = text[self.start : self.end]
        return f"{CUT if self.is_cut_before else ''}{inner}{CUT if self.is_cut_behind else ''}"

    def marked(self, marks: Marks) -> Marks:
        """Return the marks of what it holds as marks of what is shown."""
        return (
            tuple((first + 1, last + 1) for first, last in marks) if self.is_cut_before else marks
        )


def shortened(text: str, piece: Extract, *, match: tuple[int, int] | None, most: int) -> Extract:
    """Return as much of a piece as fits, from shortly before its first match.

    What is cut already may begin and end inside of a word, which is left out.
    """
    room = most - 2 * len(CUT)
    begin = piece.start
    if match is not None and match[1] - begin > room:
        begin = max(begin, match[0] - _LEAD_IN)
    if begin > piece.start or piece.is_cut_before:
        begin = _word_start(text, begin, piece.end if match is None else match[0])
    is_cut_before = piece.is_cut_before or begin > piece.start
    if piece.end - begin <= room and not piece.is_cut_behind:
        return Extract(begin, piece.end, is_cut_before=is_cut_before)
    end = min(begin + room, piece.end)
    is_between = end == piece.end and not piece.is_cut_behind
    end = end if is_between else _word_end(text, begin, end, match)
    return Extract(begin, end, is_cut_before=is_cut_before, is_cut_behind=True)


def _word_start(text: str, at: int, stop: int) -> int:
    """Return where a word starts at or behind a place and before another one."""
    found = _GAP.search(text, at, min(stop, at + _LEAD_IN) + 1)
    if found is not None and found.end() <= stop:
        return found.end()
    return boundary(text, at)


def _word_end(text: str, begin: int, end: int, match: tuple[int, int] | None) -> int:
    """Return where a clause, else a word, ends in the last part of what fits."""
    least = (
        begin + (end - begin) // 2 if match is None else max(match[1], begin + (end - begin) // 2)
    )
    clauses = [one.end() for one in _CLAUSE.finditer(text, begin + (end - begin) * 3 // 4, end)]
    if clauses and clauses[-1] >= least:
        return clauses[-1]
    blanks = [one.start() for one in _GAP.finditer(text, least, end + 1)]
    return blanks[-1] if blanks and blanks[-1] > begin else boundary(text, end)
