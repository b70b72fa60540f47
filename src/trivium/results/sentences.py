"""A text -> its sentences, as ranges that leave out the blanks between them.

Headings, list items and paragraphs end a sentence, too. Abbreviations, numbers and names of
files do not. Called by results.snippet.
"""

from __future__ import annotations

import re

# Where a sentence may end: behind a full stop before a blank, behind one of Chinese or Japanese,
# at an empty line, and before a heading, a list item, a quotation or the row of a table.
_CLOSING = "\"'\u201d\u2019)]\u300d\u300f\uff09"
_BREAK = re.compile(
    rf"(?<=[.!?…])[{re.escape(_CLOSING)}]*\s+"
    rf"|(?<=[\u3002\uff01\uff1f\uff61])[{re.escape(_CLOSING)}]*\s*"
    r"|\n[^\S\n]*\n\s*"
    r"|\n(?=[^\S\n]*(?:[-*+•>|]|\d{1,3}[.)]|#{1,6})[^\S\n])"
)
_WORD_BEFORE = re.compile(r"[^\s(\[\"'\u201c\u2018]*\Z")
_ABBREVIATIONS = frozenset(
    {
        *("e.g.", "i.e.", "etc.", "cf.", "vs.", "ca.", "approx.", "resp.", "incl.", "a.k.a."),
        *("fig.", "eq.", "vol.", "ch.", "sec.", "p.", "pp.", "ed.", "al.", "u.s.", "u.k."),
        *("mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "jr.", "sr.", "inc.", "ltd.", "co."),
    }
)
_LONGEST_WORD = 24


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of `text` starts and ends."""
    found: list[tuple[int, int]] = []
    start = 0
    for gap in _BREAK.finditer(text):
        if _is_within(text, gap):
            continue
        closing = len(gap.group()) - len(gap.group().lstrip(_CLOSING))
        _add(found, text, start, gap.start() + closing)
        start = gap.end()
    _add(found, text, start, len(text))
    return found


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    inside = text[start:end]
    first = start + len(inside) - len(inside.lstrip())
    last = start + len(inside.rstrip())
    if first < last:
        found.append((first, last))


def _is_within(text: str, gap: re.Match[str]) -> bool:
    """Whether what looks like an end is none: an abbreviation, an initial, a small letter next."""
    if text[gap.start() - 1 : gap.start()] != "." or "\n\n" in gap.group():
        return False
    following = text[gap.end() : gap.end() + 1]
    if following.islower():
        return True
    before = text[max(0, gap.start() - _LONGEST_WORD) : gap.start()]
    word = _WORD_BEFORE.search(before)
    last = word.group().lower() if word is not None else ""
    is_initial = len(last) == len("J.") and last[0].isalpha()
    return last in _ABBREVIATIONS or is_initial
