"""A query that is still being typed -> the query with words that its last one may become.

Asked with every key that is pressed: only the text index is looked at, and only a few of the
words that it holds are taken. Called by the engine.
"""

from __future__ import annotations

from dataclasses import replace

from trivium.analysis.words import Analyser
from trivium.backends.base import TextIndex
from trivium.query.grammar import Query, Words, widened
from trivium.query.typing import unfinished

# So many of the words that start so are looked for, the most frequent ones.
MOST_COMPLETIONS = 6
# What they count beside the word as it stands.
_WEIGHT = 0.5
_LONGEST = 64


def completed(query: Query, *, text: TextIndex, words_of: Analyser) -> Query:
    """Return the query in which the last word, if no space follows it, may go on."""
    last = unfinished(query)
    if last is None:
        return query
    start = words_of.start(last.start)
    if not start.letters or start.run or len(start.letters) > _LONGEST:
        # In text without spaces the characters so far are looked for as they are.
        return query
    own = set(words_of.terms(last.text))
    begun = text.starting(start.letters, most=MOST_COMPLETIONS + len(own))
    known = text.frequencies(start.stems)
    terms = [term for term, _ in begun if term not in own][:MOST_COMPLETIONS]
    terms += [stem for stem in start.stems if known[stem] and stem not in own]
    # A few stems have stems of their own, and would be looked for as these.
    beside = tuple(Words(term, _WEIGHT) for term in terms if words_of.terms(term) == [term])
    if not beside:
        return query
    said = tuple(f"{last.start}* = {one.text}" for one in beside)
    return replace(
        query,
        root=widened(query.root, {last.text: beside}),
        near=said,
        instead=tuple((last.start, one.text) for one in beside),
    )
