"""A text -> its sentences, as ranges that leave out the blanks between them.

Headings, list items and paragraphs end a sentence, too. Abbreviations, numbers and names of
files do not. Called by results.snippet.
"""

from __future__ import annotations

import re

# Where a sentence may end: behind a full stop before a blank, behind one of Chinese or Japanese,
# at an empty line, and before a heading, a list item, a quotation or the row of a table.
_CLOSING = "\"'\u201d\u2019)]\u300d\u300f\uff09"
_ENDS, _ENDS_AT_ONCE = ".!?…", "\u3002\uff01\uff1f\uff61"
# One set of characters to begin with: only where one of them stands is more of it tried.
_BREAK = re.compile(
    rf"[{_ENDS}{_ENDS_AT_ONCE}\n](?:"
    rf"(?<=[{_ENDS}])[{re.escape(_CLOSING)}]*\s+"
    rf"|(?<=[{_ENDS_AT_ONCE}])[{re.escape(_CLOSING)}]*\s*"
    r"|(?<=\n)[^\S\n]*\n\s*"
    r"|(?<=\n)(?=[^\S\n]*(?:[-*+•>|]|\d{1,3}[.)]|#{1,6})[^\S\n]))"
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
    for match in _BREAK.finditer(text):
        # What ends a sentence belongs to it; a line break does not.
        first = match.start() + (text[match.start()] != "\n")
        gap = text[first : match.end()]
        if _is_within(text, first, gap):
            continue
        closing = len(gap) - len(gap.lstrip(_CLOSING))
        _add(found, text, start, first + closing)
        start = match.end()
    _add(found, text, start, len(text))
    return found


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    inside = text[start:end]
    first = start + len(inside) - len(inside.lstrip())
    last = start + len(inside.rstrip())
    if first < last:
        found.append((first, last))


def _is_within(text: str, at: int, gap: str) -> bool:
    """Whether what looks like an end is none: an abbreviation, an initial, a small letter next.

    `gap` is what lies between both sentences, from `at` on.
    """
    if text[at - 1 : at] != "." or "\n\n" in gap:
        return False
    following = text[at + len(gap) : at + len(gap) + 1]
    if following.islower():
        return True
    before = text[max(0, at - _LONGEST_WORD) : at]
    word = _WORD_BEFORE.search(before)
    last = word.group().lower() if word is not None else ""
    is_initial = len(last) == len("J.") and last[0].isalpha()
    return last in _ABBREVIATIONS or is_initial
