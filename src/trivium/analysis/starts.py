"""A term -> how the words that it may stand for begin.

To find the words of a term in a text without analysing all of it: a word that begins otherwise
has another stem. Holds for ASCII only, where folding changes no letter. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

_LONG = 4
_UNLIKE_THEIR_WORD = frozenset({"die", "lie", "tie"})


def starts_of(term: str) -> tuple[str, ...]:
    """Return how words of a term begin, in lower case.

    As their stem does: in its first two letters at least (but dying: die), in three where it
    is longer (but skies: sky). An identifier may be parted after two: to_string is tostring.
    """
    if term in _UNLIKE_THEIR_WORD:
        return (term[:1],)
    return (term[:2],) if len(term) < _LONG else (term[:3], f"{term[:2]}_")


def starts_of_all(terms: Iterable[str]) -> frozenset[str]:
    """Return how words of any of these terms begin."""
    return frozenset([start for term in terms for start in starts_of(term)])


def may_hold(text: str, starts: Iterable[str]) -> bool:
    """Say whether a word that begins so may stand in a text; in one that is not ASCII, always."""
    if not text.isascii():
        return True
    folded = text.lower()
    for start in starts:  # noqa: SIM110 - any() takes twice the time
        if start in folded:
            return True
    return False
