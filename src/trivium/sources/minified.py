"""A text and its path -> whether it is made for machines, in lines longer than people write.

Prose may stand in one line, too: exports, chats, text from a field of a form. Called for every
file that is read.
"""

from __future__ import annotations

from trivium.parsing import shelves
from trivium.parsing.detect import HEAD, detect
from trivium.types import PROSE

_LONGEST_MEAN_LINE = 5000
# Longer than any person's, and slow to read.
_LONGEST_MEAN_LINE_OF_PROSE = 1_000_000
_LOOKED_AT = 100_000
# Measured on the 1,168 pages of 5,000 characters and more of 25 projects, each put into one line:
# the least letters are 49 %, the least blanks 4.2 %. Of the 162 files with such lines in these
# projects and a Python environment, pages are nine tables of numbers, with 6 % letters at most;
# base64 has no blanks.
_LEAST_LETTERS = 0.45
_LEAST_BLANKS = 0.04
# From Thai on scripts are written without blanks, or are none of those that data is made of.
_WITHOUT_BLANKS = "\u0e00"
_LEAST_WITHOUT_BLANKS = 0.3


def is_minified(path: str, text: str) -> bool:
    """Whether lines are too long on average for a text that people wrote."""
    mean = len(text) / (text.rstrip("\n").count("\n") + 1)
    if mean <= _LONGEST_MEAN_LINE or shelves.kind_in_memory(path) is not None:
        return False
    is_page = mean <= _LONGEST_MEAN_LINE_OF_PROSE and detect(path, text[:HEAD]).kind in PROSE
    return not (is_page and _is_written(text[:_LOOKED_AT]))


def _is_written(text: str) -> bool:
    """Whether a text is letters with blanks between them, or of a script that needs none."""
    if sum(map(str.isalpha, text)) < _LEAST_LETTERS * len(text):
        return False
    blanks = sum(map(text.count, " \t\n"))
    others = sum(one >= _WITHOUT_BLANKS for one in text)
    return blanks >= _LEAST_BLANKS * len(text) or others >= _LEAST_WITHOUT_BLANKS * len(text)
