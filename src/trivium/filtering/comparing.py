"""Texts, numbers and dates -> what can be compared, and the ways to compare it.

What is stored and what is wanted go through the same functions, so that both sides agree.
Used by every other module of this stage, and by the backends.
"""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import UTC, datetime
from enum import StrEnum

_HALF_PAIR = re.compile("[\ud800-\udfff]")
_YEAR_OR_MONTH = re.compile(r"(\d{4})(-\d{2})?")
# Times this large are counted in milliseconds: as seconds they would be past the year 5000.
_LEAST_MILLISECONDS = 1e11


class Test(StrEnum):
    """How a condition compares. Without case where nothing else is said."""

    EQUALS = "equals"
    CONTAINS = "contains"
    STARTS = "starts"
    # With case.
    EXACT = "exact"
    INCLUDES = "includes"
    # Numbers; a date is the number of seconds since 1970.
    AT_LEAST = "at least"
    BELOW = "below"
    # A part of a path, or a regular expression that finds something in it.
    FINDS = "finds"
    # The key of a field, alone or with a part of its value.
    HOLDS = "holds"


FOLDING = frozenset({Test.EQUALS, Test.CONTAINS, Test.STARTS})


def clean(value: str) -> str:
    """Return `value` without lone surrogates, which no store could keep."""
    return value if value.isascii() else _HALF_PAIR.sub("\ufffd", value)


def fold(value: str) -> str:
    """Return `value` as it is compared: lower case, accents composed, no lone surrogates."""
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFC", clean(value).lower())


def number(value: object) -> float | None:
    """Return a finite number, given as one or as text; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def instant(value: object) -> float | None:
    """Return the seconds since 1970 of a date or time, in UTC where it names no zone.

    A year or a month is its first moment; a large number counts milliseconds. None for what
    is no date.
    """
    if isinstance(value, int | float):
        found = number(value)
        return found / 1000 if found and abs(found) >= _LEAST_MILLISECONDS else found
    if not isinstance(value, str):
        return None
    text = value.strip()
    short = _YEAR_OR_MONTH.fullmatch(text)
    if short is not None:
        text = f"{short[1]}{short[2] or '-01'}-01"
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def plain(value: float) -> str:
    """Return a number as conditions keep it."""
    return repr(float(value))
