"""A query and a text -> the keyword points of seed 002, as named parts.

The words are looked for as they are, anywhere in the lower-cased text, so that c++ and foo( are
words like any other and "the" is found in "other". Time grows with the text, not with what
is in it. Used by the profile `ember`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from trivium.types import Part

_PHRASE = 50
_TITLE = 15
_OCCURRENCE = 2
_ALL_TERMS = 20
# Terms that start at the same place gain 10, and one less for every 50 characters between.
_FAR = 500
_STEP = 50

_LEAST = 10
_LEAST_OF_ONE = 20
_SEVERAL = 2
# Each term is a pass over the text; a query of thousands would keep a search for seconds.
_MOST_TERMS = 64


@dataclass(frozen=True, slots=True)
class Points:
    """The parts whose sum is the score, and how many of the query's different terms were found."""

    matched: int
    total: int
    parts: tuple[Part, ...]
    score: float = field(init=False)

    def __post_init__(self) -> None:
        """Add the parts up once."""
        object.__setattr__(self, "score", math.fsum(part.value for part in self.parts))

    @property
    def is_kept(self) -> bool:
        """Whether this is enough to be shown: 10 points, or 20 if only one term was found."""
        least = _LEAST if self.matched >= _SEVERAL else _LEAST_OF_ONE
        return self.score >= least


def points(query: str, *, title: str, content: str) -> Points:
    """Score a text.

    50 if the content holds the whole query; for each term 15 if the title has it and 2 for
    each time it stands in the content; if all of two or more are found, 20, and up to 10 the
    closer together they start, each at its first place in the content. A term may be found
    in the title alone. Terms are parted by white space; of equal ones each counts once, and
    of more than 64 the first 64.
    """
    words = query.lower().split()
    terms = list(dict.fromkeys(words))[:_MOST_TERMS]
    title, content = title.lower(), content.lower()
    in_title = [term in title for term in terms]
    counts = [content.count(term) for term in terms]
    matched = sum(count > 0 or named for count, named in zip(counts, in_title, strict=True))
    has_all = matched == len(terms) >= _SEVERAL
    firsts = [content.find(term) for term, count in zip(terms, counts, strict=True) if count]
    gained = {
        "phrase": _PHRASE if words and " ".join(words) in content else 0,
        "title": _TITLE * sum(in_title),
        "occurrences": _OCCURRENCE * sum(counts),
        "all terms": _ALL_TERMS if has_all else 0,
        "proximity": _proximity(firsts) if has_all else 0,
    }
    parts = tuple(Part(name, float(value)) for name, value in gained.items() if value)
    return Points(matched, len(terms), parts)


def _proximity(firsts: Sequence[int]) -> int:
    if len(firsts) < _SEVERAL:
        return 0
    return max(0, (_FAR - (max(firsts) - min(firsts))) // _STEP)
