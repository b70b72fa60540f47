"""A query that is still being typed -> its last word, which may go on.

Looks at the text alone: a space after a word ends it, and a quote, a field or an operator is
none. Called by retrieval.typing. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trivium.analysis.cjk import has_cjk
from trivium.query.grammar import Query, words

_LAST = re.compile(r"\w+$")
# Two letters start anything; five are most of a word.
_TELL_NOTHING, _TELL_ALL = 2, 5


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The word that is being typed: `text` as the query has it, `start` its letters so far."""

    text: str
    start: str


def unfinished(query: Query) -> Unfinished | None:
    """Return the word that is being typed; None if the last one is finished or is no word."""
    text = query.text
    if not text or text[-1].isspace():
        return None
    typed = text.split()[-1]
    asked = words(query)
    # A bracket or a quote that is not closed yet belongs to the word, or is left out.
    last = next((one for one in (typed, typed.lstrip("("), typed.lstrip('"')) if one in asked), "")
    letters = _LAST.search(last)
    return Unfinished(last, letters.group()) if letters else None


def is_one_letter(word: Unfinished, query: Query) -> bool:
    """Say whether all that is typed is one letter; a Han character is a word."""
    return query.meaning == word.start and len(word.start) == 1 and not has_cjk(word.start)


def typed_so_far(word: Unfinished) -> float:
    """Return how much of a word its letters so far tell, 0 to 1; a Han character is a word."""
    if has_cjk(word.start):
        return 1.0
    told = (len(word.start) - _TELL_NOTHING) / (_TELL_ALL - _TELL_NOTHING)
    return min(1.0, max(0.0, told))
