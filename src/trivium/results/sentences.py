"""A text -> its sentences, as ranges that leave out the blanks between them.

Headings, rows of tables and lines of code stand for themselves, and so does an item of a list
that is not long. Abbreviations, numbers and names of files end no sentence. Called by
results.prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from trivium.results.blocks import blocks

# An item of a list that is no longer is shown as a whole.
_LONGEST_ITEM = 320
# What goes on over more lines, and short ones, is a list without marks.
_MOST_LINES = 8
_SHORT_LINE = 40

_CLOSING = "\"'\u201d\u2019\u00bb)]*_`\u300d\u300f\uff09\u3011"
# Those before a blank; those of Chinese and Japanese, before anything.
_ENDS = ".!?\u2026\u061f\u06d4\u0964\u0965\u0589\u1362"
_ENDS_AT_ONCE = "\u3002\uff01\uff1f\uff61\uff0e"
# One set of characters to begin with: only where one of them stands is more of it tried.
_BREAK = re.compile(
    rf"[{_ENDS}{_ENDS_AT_ONCE}](?:"
    rf"(?<=[{_ENDS}])[{re.escape(_CLOSING)}]*\s+"
    rf"|(?<=[{_ENDS_AT_ONCE}])[{re.escape(_CLOSING)}]*\s*)"
)
_WORD_BEFORE = re.compile(r"[^\s(\[\"'\u201c\u2018*_`]*\Z")
# z.B., U.S., a.k.a., and initials.
_LETTERS = re.compile(r"(?:[^\W\d_]\.)+")
_ABBREVIATIONS = frozenset(
    {
        *("etc.", "cf.", "vs.", "ca.", "approx.", "resp.", "incl.", "excl.", "viz.", "esp."),
        *("fig.", "figs.", "eq.", "eqs.", "vol.", "ch.", "sec.", "pp.", "ed.", "eds.", "al."),
        *("mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "jr.", "sr.", "inc.", "ltd.", "co."),
        *("corp.", "dept.", "univ.", "gen.", "gov.", "sen.", "rep.", "ref.", "refs.", "ph.d."),
        *("bzw.", "usw.", "vgl.", "evtl.", "ggf.", "inkl.", "dra.", "sra.", "mme.", "mlle."),
    }
)
# Words of their own, unless a number follows.
_BEFORE_NUMBERS = frozenset(
    {
        *("no.", "nos.", "nr.", "art.", "abs.", "app.", "max.", "min.", "jan.", "feb.", "mar."),
        *("apr.", "jun.", "jul.", "aug.", "sep.", "sept.", "oct.", "nov.", "dec."),
    }
)
_LONGEST_WORD = 24
_REMEMBERED = 128


# With every key that is pressed, most hits are those of the key before.
@lru_cache(maxsize=_REMEMBERED)
def sentences(text: str, *, is_cut: bool = False) -> Sequence[tuple[int, int]]:
    """Return where each sentence of `text`, which may be cut from another, starts and ends."""
    found: list[tuple[int, int]] = []
    for start, end, is_line, is_item in blocks(text, is_cut=is_cut):
        if is_line:
            # Code is indented for a reason.
            found.append((start, start + len(text[start:end].rstrip())))
        elif is_item and end - start <= _LONGEST_ITEM:
            _add(found, text, start, end)
        else:
            _add_sentences(found, text, start, end)
    return found


def _add_sentences(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    for match in _BREAK.finditer(text, start, end):
        # What ends a sentence belongs to it.
        first = match.start() + 1
        gap = text[first : match.end()]
        if not _is_within(text, first, gap):
            closing = len(gap) - len(gap.lstrip(_CLOSING))
            _add(found, text, start, first + closing)
            start = match.end()
    _add(found, text, start, end)


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    inside = text[start:end]
    first = start + len(inside) - len(inside.lstrip())
    last = start + len(inside.rstrip())
    if first >= last:
        return
    lines = 1 + text.count("\n", first, last)
    if lines <= _MOST_LINES or last - first > lines * _SHORT_LINE:
        found.append((first, last))
        return
    for line in text[first:last].split("\n"):
        if line.strip():
            found.append((first, first + len(line.rstrip())))
        first += len(line) + 1


def _is_within(text: str, at: int, gap: str) -> bool:
    """Whether what looks like an end is none: an abbreviation, an initial, a small letter next.

    `gap` is what lies between both sentences, from `at` on.
    """
    following = text[at + len(gap) : at + len(gap) + 1]
    if text[at - 1] in _ENDS_AT_ONCE:
        # A number, or what is quoted and goes on: 「…。」と.
        is_number = text[at - 1] == "\uff0e" and following.isdigit()
        return is_number or (gap.strip() != "" and "\u3041" <= following <= "\u309f")
    if following.islower():
        return True
    if text[at - 1] != ".":
        return False
    word = _WORD_BEFORE.search(text[max(0, at - _LONGEST_WORD) : at])
    last = word.group().lower() if word is not None else ""
    if last in _ABBREVIATIONS or _LETTERS.fullmatch(last):
        return True
    return last in _BEFORE_NUMBERS and following.isdigit()
