"""A text -> its paragraphs, items of lists, and lines that stand for themselves.

Those are headings, rows of tables and lines of code. Reads what Markdown, reStructuredText and
AsciiDoc have in common, a line at a time. Called by results.sentences.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ITEM = re.compile(r"(?:[-*+•·‣]|\d{1,3}[.)]|[a-zA-Z]\))\s")
_HEADING = re.compile(r"(?:#{1,6}|={1,6})\s")
# What underlines a heading, or divides.
_RULE = re.compile(r"([=\-~^*+_#])\1{2,}\s*\Z")
_FENCES = ("```", "~~~")
_CODE_INDENTS = ("    ", "\t")
# Most lines begin with a letter.
_MARKS = frozenset("-*+•·‣#=|`~^_>")


class Block(NamedTuple):
    """A range of a text; `is_line` says that it is one line which means nothing in parts."""

    start: int
    end: int
    is_line: bool = False
    is_item: bool = False


def blocks(text: str, *, is_cut: bool = False) -> list[Block]:
    """Return the blocks of a text in order; nothing but blanks lies between them.

    One that is cut from another text may begin inside of a block of code.
    """
    reader = _Reader(is_in_code=is_cut and _begins_in_code(text))
    at = 0
    for line in text.split("\n"):
        reader.read(line, at)
        at += len(line) + 1
    reader.end(len(text))
    return reader.found


def _begins_in_code(text: str) -> bool:
    if "```" not in text and "~~~" not in text:
        return False
    fences = [words for line in text.split("\n") if (words := line.strip()).startswith(_FENCES)]
    # One that says which language follows opens a block, so that the one before it has closed.
    opening = next((at for at, one in enumerate(fences) if one.strip("`~")), len(fences))
    return opening % 2 == 1


class _Reader:
    """Reads line after line; what is begun ends where something else begins."""

    __slots__ = ("_begun", "_is_in_code", "_is_in_list", "_is_item", "_is_quote", "_last", "found")

    def __init__(self, *, is_in_code: bool) -> None:
        self.found: list[Block] = []
        self._begun = -1
        self._is_in_code = is_in_code
        # Whether what is indented belongs to an item above it.
        self._is_in_list = False
        self._is_item = self._is_quote = False
        self._last = ""

    def read(self, line: str, at: int) -> None:
        words = line.lstrip()
        first = words[:1]
        if not first:
            self.end(at)
        elif self._is_in_code or first in "`~":
            self._fence(words, at, at + len(line))
        elif first in _MARKS or first.isdigit() or words[1:2] in (".", ")"):
            self._marked(line, words, at)
        elif self._is_code(line):
            self._alone(at, at + len(line))
        else:
            self._go_on(line, at)
        self._last = line

    def end(self, at: int) -> None:
        if self._begun >= 0:
            self.found.append(Block(self._begun, at, is_item=self._is_item))
        self._begun = -1

    def _fence(self, words: str, at: int, stop: int) -> None:
        if words.startswith(_FENCES):
            self._is_in_code = not self._is_in_code
        elif not self._is_in_code:
            self._go_on(words, at)
            return
        self._alone(at, stop)

    def _marked(self, line: str, words: str, at: int) -> None:
        stop = at + len(line)
        if _RULE.match(words):
            # What it underlines, if anything, is one with it.
            if self._begun >= 0:
                self.end(stop)
            else:
                self._alone(at, stop)
        elif _ITEM.match(words):
            self.end(at)
            self._begun, self._is_item, self._is_in_list = at, True, True
            self._is_quote = False
        elif words[0] == "|" or _HEADING.match(words) or self._is_code(line):
            self._alone(at, stop)
        else:
            self._go_on(line, at)

    def _go_on(self, line: str, at: int) -> None:
        is_quote = line.lstrip().startswith(">")
        if self._begun >= 0 and is_quote != self._is_quote:
            self.end(at)
        if self._begun < 0:
            self._is_in_list = self._is_in_list and line[:1].isspace()
            self._begun, self._is_item, self._is_quote = at, self._is_in_list, is_quote

    def _alone(self, at: int, stop: int) -> None:
        self.end(at)
        self.found.append(Block(at, stop, is_line=True))

    def _is_code(self, line: str) -> bool:
        """Whether a line is indented as code is, and goes on with nothing above it."""
        if self._is_in_list or self._begun >= 0 or not line.startswith(_CODE_INDENTS):
            return False
        return not self._last.strip() or self._last.startswith(_CODE_INDENTS)
