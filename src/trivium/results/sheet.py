"""The lines of a file and those of them that are shown -> pieces with a heading, and their tokens.

A token is four characters, rounded up for each piece, the heading and the line between two pieces
included, so that the tokens of all pieces are never fewer than those of the printed text. Pure.
Used by results.fill and results.context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from trivium.results.present import one_line, printable

CHARACTERS_PER_TOKEN = 4
# A line end after the heading, and a blank line before the next piece.
_AROUND = len("\n\n\n")
# What a heading has beside the path and the name: lines, two spaces.
_IN_HEADING = len(":1000-1000  ")
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")


@dataclass(frozen=True, slots=True, order=True)
class Lines:
    """Lines of a file, from 1; both ends belong to it."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as it can be shown: `place` is how its path is written for this reader."""

    place: str
    lines: tuple[str, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, text: str, *, place: str) -> Sheet:
        """Cut a file into its lines."""
        lines = tuple(text.split("\n"))
        # Most files have nothing that is printed in another way than it stands.
        lengths = map(_plain_length if _PLAIN.fullmatch(text) else _length, lines)
        return cls(one_line(place), lines, tuple(accumulate(lengths, initial=0)))

    def characters(self, lines: Lines) -> int:
        """Return how long these lines are when printed, each with its line end."""
        return self.ends[lines.last] - self.ends[lines.first - 1]

    def text(self, lines: Lines) -> str:
        """Return these lines."""
        return "\n".join(self.lines[lines.first - 1 : lines.last])

    def trimmed(self, first: int, last: int) -> Lines | None:
        """Return these lines without blank ones at their ends; None if there are no others."""
        first, last = max(1, first), min(last, len(self.lines))
        while first <= last and not self.lines[first - 1].strip():
            first += 1
        while first <= last and not self.lines[last - 1].strip():
            last -= 1
        return Lines(first, last) if first <= last else None

    def merged(self, shown: Iterable[Lines]) -> list[Lines]:
        """Return the lines that are shown in order, those that overlap or touch as one.

        So are those with a gap between them that costs no more than another heading.
        """
        made: list[Lines] = []
        for one in sorted(shown):
            if made and self.is_near(made[-1], one):
                made[-1] = Lines(made[-1].first, max(made[-1].last, one.last))
            else:
                made.append(one)
        return made

    def is_near(self, one: Lines, other: Lines) -> bool:
        """Say whether lines and later ones are better shown as one piece."""
        if other.first <= one.last + 1:
            return True
        gap = self.characters(Lines(one.last + 1, other.first - 1))
        return gap <= len(self.place) + _IN_HEADING

    def is_close(self, one: Lines, other: Lines) -> bool:
        """Say whether lines could be near others, before or after; quick, and never wrongly no."""
        reach = len(self.place) + _IN_HEADING + 1
        return one.first - reach <= other.last and other.first <= one.last + reach

    def heading(self, lines: Lines, name: str) -> str:
        """Return the line above a piece: path:12-48  Command.ParseFlags."""
        place = f"{self.place}:{lines.first}-{lines.last}"
        return f"{place}  {one_line(name)}" if name else place

    def tokens(self, lines: Lines, name: str) -> int:
        """Return what a piece takes with its heading."""
        characters = len(self.heading(lines, name)) + self.characters(lines) - 1 + _AROUND
        return tokens_of(characters)


def tokens_of(characters: int) -> int:
    """Estimate the tokens of this many characters."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def piece_tokens(heading: str, text: str) -> int:
    """Return what a heading and a text of one line take."""
    return tokens_of(len(heading) + len(printable(text)) + _AROUND)


def shortened(line: str, heading: str, *, max_tokens: int) -> str:
    """Return as much of a line as fits under its heading."""
    room = max(0, max_tokens * CHARACTERS_PER_TOKEN - len(heading) - _AROUND)
    ends = accumulate(len(printable(one)) for one in line[:room])
    return line[: sum(end <= room for end in ends)]


def _plain_length(line: str) -> int:
    return len(line) + 1


def _length(line: str) -> int:
    """Return how long a line is when printed, with its line end."""
    return len(printable(line)) + 1
