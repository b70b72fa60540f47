"""What readers of office files find -> Markdown-like text that only grows so long.

Nothing in the text of a file is taken for a heading or a fence. Used by office.py and word.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from trivium.sources.webpage import escaped

_MOST_TEXT_BYTES = 5_000_000
_LONGEST_CELL = 2000
_LONGEST_HEADING = 500
_SHORTEST_TITLE = 3
_DEEPEST = 6

_USELESS_TITLE = re.compile(
    r"untitled.*|powerpoint presentation|microsoft word - .*|slide 1"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|tex)",
    re.IGNORECASE,
)


class Lines:
    """The lines of a text that may only grow so long."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._left = _MOST_TEXT_BYTES
        self.has_text = False

    @property
    def is_full(self) -> bool:
        """Whether there is no room left."""
        return self._left <= 0

    def heading(self, level: int, words: str) -> None:
        """Add a heading with blank lines around it."""
        words = " ".join(words.split())
        if words:
            self._add("")
            self._add(f"{'#' * min(level, _DEEPEST)} {words[:_LONGEST_HEADING]}")
            self._add("")

    def text(self, text: str) -> None:
        """Add text line by line; none of it is read as a heading or a fence."""
        for line in text.splitlines():
            self._add(escaped(line.strip()))
            self.has_text = self.has_text or not line.isspace()

    def markdown(self, text: str) -> None:
        """Add text that has headings and fences of its own, with a blank line before it."""
        self._add("")
        for line in text.split("\n"):
            self._add(line)
            self.has_text = self.has_text or line != ""

    def row(self, cells: Iterable[object]) -> None:
        """Add the cells of a table's row, unless all are empty."""
        words = [" ".join(_cell(cell).split())[:_LONGEST_CELL] for cell in cells]
        while words and not words[-1]:
            words.pop()
        if words:
            self._add(escaped(" | ".join(words)))
            self.has_text = True

    def blank(self) -> None:
        """Add a blank line."""
        self._add("")

    def _add(self, line: str) -> None:
        size = len(line.encode("utf-8", "replace")) + 1
        if size > self._left:
            line = line[: max(self._left, 0) // 4]
        self._left -= size
        if line or (self._lines and self._lines[-1]):
            self._lines.append(line)

    def __str__(self) -> str:
        return "\n".join(self._lines).strip("\n") + "\n"


def title_or(said: object, stem: str) -> str:
    """Return the title a file gives itself if it says something, else its name."""
    title = " ".join(str(said or "").split())
    return stem if len(title) < _SHORTEST_TITLE or _USELESS_TITLE.fullmatch(title) else title


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    # Sheets know no days, only the midnight they begin with.
    return str(value).removesuffix(" 00:00:00")
