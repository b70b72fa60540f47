"""A text and a place in it -> a place near it where no character that people see is cut apart.

A flag, a family, a letter with its accents and a syllable of Hangul are several code points each.
Where the rules of Unicode allow either, nothing is cut.
"""

from __future__ import annotations

import unicodedata
from itertools import takewhile

_JOINER = "\u200d"
_VIRAMA = 9
# A stack of accents higher than this is nobody's letter.
_LONGEST = 64


def boundary(text: str, at: int) -> int:
    """Return the last place at or before `at` where `text` may be cut."""
    place = min(max(at, 0), len(text))
    for back in range(_LONGEST):
        if is_boundary(text, place - back):
            return place - back
    return place


def is_boundary(text: str, at: int) -> bool:
    """Say whether a text may be cut at a place without cutting a character apart."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return (before, after) != ("\r", "\n")
    if _extends(after) or before == _JOINER:
        return False
    if unicodedata.combining(before) == _VIRAMA and unicodedata.category(after) == "Lo":
        return False
    if _is_indicator(before) and _is_indicator(after):
        # A flag is two of them; which two depends on how many stand before.
        return sum(1 for _ in takewhile(_is_indicator, reversed(text[:at]))) % 2 == 0
    return not _is_one_syllable(before, after)


def _extends(one: str) -> bool:
    """Whether a code point belongs to what stands before it: accents, signs, tones of skin."""
    return (
        unicodedata.category(one) in ("Mn", "Me", "Mc")
        or one in ("\u200c", _JOINER)
        or "\U0001f3fb" <= one <= "\U0001f3ff"
        or "\U000e0020" <= one <= "\U000e007f"
    )


def _is_indicator(one: str) -> bool:
    """Whether a code point is half a flag."""
    return "\U0001f1e6" <= one <= "\U0001f1ff"


def _is_one_syllable(before: str, after: str) -> bool:
    """Whether two parts of Hangul stand in one syllable."""
    first, second = _part(before), _part(after)
    return second in {"L": "LVSX", "S": "VT", "V": "VT", "X": "T", "T": "T"}.get(first, "")


def _part(one: str) -> str:
    """Return which part of Hangul it is: L, V or T; S and X are syllables without and with T."""
    for part, least, most in (("L", "\u1100", "\u115f"), ("V", "\u1160", "\u11a7")):
        if least <= one <= most:
            return part
    if "\u11a8" <= one <= "\u11ff":
        return "T"
    if "\uac00" <= one <= "\ud7a3":
        return "S" if (ord(one) - 0xAC00) % 28 == 0 else "X"
    return "-"
