"""A term -> how the words that it may stand for begin.

To find the words of a term in a text without analysing all of it: a word that begins otherwise
has another stem. Holds for ASCII only, where folding changes no letter. Pure.
"""

from __future__ import annotations

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
