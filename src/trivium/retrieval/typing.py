"""A query with words that may go on -> the query with words that they may become.

The last word of one that is still being typed, asked with every key that is pressed, and
prefixes: what starts so is found by the index itself, and put in order by a few of its words.
Only the text index is looked at. Called by the engine.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from trivium.analysis.words import Analyser
from trivium.backends.base import TextIndex
from trivium.query.grammar import Query, Words, prefixes, raised, widened
from trivium.query.typing import unfinished

# So many of the words that start so are looked for, the most frequent ones; of those that start
# with one letter, which tells next to nothing and takes longest to look for, half.
MOST_COMPLETIONS = 6
# What they count beside the word as it stands.
_WEIGHT = 0.5
_LONGEST = 64
# Of more prefixes the rest find as much, and leave the order to these.
_MOST_PREFIXES = 8


def completed(query: Query, *, text: TextIndex, words_of: Analyser) -> Query:
    """Return the query in which the last word, if no space follows it, may go on."""
    last = unfinished(query)
    if last is None:
        return query
    own = set(words_of.terms(last.text))
    beside = _becoming(last.start, text=text, words_of=words_of, but=own)
    if not beside:
        return query
    return _said(
        replace(query, root=widened(query.root, {last.text: beside})), {last.start: beside}
    )


def ordered(query: Query, *, text: TextIndex, words_of: Analyser) -> Query:
    """Return the query in which what a prefix finds scores by the most frequent words it may be.

    Else all of it would score alike: every chunk that has a word with s would have to be looked
    at to tell which come first, and the first would be those of the first file.
    """
    every = prefixes(query)[:_MOST_PREFIXES]
    if not every:
        return query
    begun = {one: _becoming(one, text=text, words_of=words_of) for one in every}
    also = {one: some for one, some in begun.items() if some}
    # In text without spaces what stands there already says which come first.
    runs = {one: (Words(one, _WEIGHT),) for one in every if words_of.start(one).run}
    return _said(replace(query, root=raised(query.root, {**runs, **also})), also)


def _becoming(
    letters: str, *, text: TextIndex, words_of: Analyser, but: Collection[str] = ()
) -> tuple[Words, ...]:
    """Return a few words that start with some letters, but for some terms."""
    start = words_of.start(letters)
    if not start.letters or start.run or len(start.letters) > _LONGEST:
        # In text without spaces the characters so far are looked for as they are.
        return ()
    most = MOST_COMPLETIONS if len(start.letters) > 1 else MOST_COMPLETIONS // 2
    begun = text.starting(start.letters, most=most + len(but))
    known = text.frequencies(start.stems)
    terms = [term for term, _ in begun if term not in but][:most]
    terms += [stem for stem in start.stems if known[stem] and stem not in but]
    # A few stems have stems of their own, and would be looked for as these.
    return tuple(Words(term, _WEIGHT) for term in terms if words_of.terms(term) == [term])


def _said(query: Query, becoming: dict[str, tuple[Words, ...]]) -> Query:
    """Return the query with what may stand for what was typed."""
    pairs = [(typed, one.text) for typed, some in becoming.items() for one in some]
    return replace(
        query,
        near=(*query.near, *(f"{typed}* = {other}" for typed, other in pairs)),
        instead=(*query.instead, *pairs),
    )
