"""A query and the words of a collection -> the query as it was probably meant.

A word that no document has, or hardly any, is looked for as the near words that documents do
have, at a lower weight; one that none has is also embedded as the nearest of them. Asks the
text index what it holds, so there is nothing to keep. Called by the engine, before retrieval.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from trivium.analysis.identifiers import split
from trivium.analysis.words import STOP_WORDS, Analyser
from trivium.backends.base import Snapshot, TextIndex
from trivium.errors import ModelError
from trivium.filtering.conditions import EVERYTHING
from trivium.models.base import Knowing
from trivium.query.grammar import Query, Words, widened, words
from trivium.query.parse import LONGEST_QUERY, parse
from trivium.query.spelling import (
    distance,
    edits_allowed,
    is_stem_near,
    likelihood,
    one_edit_away,
    parts_of,
    reworded,
    rewritten,
)

# So many documents may have a word that is still looked upon as a slip of the writer's, if so
# many times as many have a near one.
_RARE = 2
_TIMES_AS_COMMON = 50
# Looking one up takes some milliseconds.
MOST_LOOKED_UP = 8
_MOST_NEAR = 2
# A second near word is looked for as well if it is in this share of the documents of the first.
_RIVALS = 0.1
_MOST_VERIFIED = 4
_MOST_READ = 8
_MOST_STARTING = 20_000
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Near:
    """A word of the collection near a typed one, and how many documents have it."""

    word: str
    edits: int
    frequency: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What one view of a collection can say about words."""

    snapshot: Snapshot
    text: TextIndex
    words_of: Analyser
    lexicon: Knowing | None = None

    def is_word(self, word: str) -> bool:
        """Say whether a word is a word, though no document may have it: no mistake of typing."""
        try:
            return self.lexicon is not None and self.lexicon.knows(word)
        except ModelError:
            # The retriever of vectors says what is wrong with it.
            return False

    def term(self, word: str) -> str:
        """Return the term of a lower-case word."""
        return self.words_of.stem(word)

    def written(self, word: str) -> Counter[str]:
        """Return how words with the term of `word` are written in a few documents."""
        term = self.term(word)
        asked = Query(word, Words(word), word)
        ids = self.text.search(asked, where=EVERYTHING, depth=_MOST_READ).ids
        found: Counter[str] = Counter()
        for one in self.snapshot.fetch(ids):
            node = one.node
            said = (one.chunk.text, node.name, node.title, node.source.file_path)
            runs = {run for text in said for run in _LETTERS.findall(text)}
            found.update(
                part
                for run in runs
                for part in {run.lower(), *map(str.lower, split(run))}
                if part[:1] == word[:1] and self.term(part) == term
            )
        return found


def spelt(query: Query, *, known: Vocabulary, weight: float) -> Query:
    """Return the query with near words beside those that hardly any document has.

    The same query where every word is known, at the cost of looking each up.
    """
    parts = {text: parts_of(text) for text in words(query)}
    every = list(dict.fromkeys(part for some in parts.values() for part in some))
    if not every:
        return query
    terms = {part: known.term(part) for part in every if part not in STOP_WORDS}
    counts = known.text.frequencies(list(terms.values()))
    rare = [part for part, term in terms.items() if counts[term] <= _RARE]
    rare = [part for part in rare if not known.is_word(part)]
    if not rare:
        return query
    found = {part: _near(part, known, counts[terms[part]]) for part in rare[:MOST_LOOKED_UP]}
    found = {part: some for part, some in found.items() if some}
    notes = list(query.notes)
    if len(rare) > MOST_LOOKED_UP:
        notes.append(f"only the first {MOST_LOOKED_UP} unknown words were looked up by near ones")
    if not found:
        return replace(query, notes=tuple(notes))
    beside = {
        text: tuple(
            Words(near.word, weight / near.edits) for part in some for near in found.get(part, ())
        )
        for text, some in parts.items()
        if any(part in found for part in some)
    }
    said = tuple(f"{part} ~ {near.word}" for part, some in found.items() for near in some)
    best = {part: some[0].word for part, some in found.items()}
    unknown = {part: word for part, word in best.items() if not counts[terms[part]]}
    return replace(
        query,
        root=widened(query.root, beside),
        # A model knows a misspelt word as little as the index does.
        meaning=reworded(query.meaning, unknown),
        notes=(*notes, f"looked for near words as well: {', '.join(said)}"),
        near=(*query.near, *said),
        instead=(
            *query.instead,
            *((part, near.word) for part, some in found.items() for near in some),
        ),
        better=rewritten(query.text, best),
    )


def offered(query: Query, *, finds: Callable[[Query], bool], dialect: str) -> Query:
    """Return the query with a better one only where that one finds something.

    So must each word that it has instead of one that was typed; of two near ones the second may.
    What is looked for stays as it is: a filter never decides how a query is read.
    """
    best: dict[str, str] = {}
    for typed, other in query.instead:
        if typed not in best and finds(Query(other, Words(other), other)):
            best[typed] = other
    better = rewritten(query.text, best) if best else ""
    is_found = 0 < len(better) <= LONGEST_QUERY and finds(parse(better, dialect=dialect))
    return replace(query, better=better if is_found else "")


def _near(part: str, known: Vocabulary, frequency: int) -> list[_Near]:
    """Return the words near a part, nearest and then most frequent first."""
    least = max(1, _TIMES_AS_COMMON * frequency)
    own = known.term(part)
    if part.isascii():
        edited = list(dict.fromkeys(one_edit_away(part)))
        if not STOP_WORDS.isdisjoint(edited):
            # A stop word finds no document and is meant most often; a swap is likelier still.
            edited = [word for word in edited if _is_swapped(word, part)]
        made = _verified(part, edited, known, least=least, own=own, edits=1)
        if made or edits_allowed(part) == 1:
            return made
    # Two edits are looked for among the terms that start as the word does, with two letters: all
    # terms of one letter would take ten times as long.
    edits = edits_allowed(part)
    starting = known.text.starting(part[:edits], most=_MOST_STARTING)
    near = [
        term for term, count in starting if count >= least and is_stem_near(part, term, most=edits)
    ]
    return _verified(part, near, known, least=least, own=own, edits=edits)


def _verified(
    part: str, words: Sequence[str], known: Vocabulary, *, least: int, own: str, edits: int
) -> list[_Near]:
    """Return those of `words` that stand in documents, as they are written there."""
    by_term: dict[str, str] = {}
    for word in words:
        by_term.setdefault(known.term(word), word)
    by_term.pop(own, None)
    counts = known.text.frequencies(list(by_term))
    common = sorted(
        (term for term, count in counts.items() if count >= least),
        key=lambda term: (-counts[term] * likelihood(part, by_term[term]), term),
    )
    found: list[_Near] = []
    for term in common[:_MOST_VERIFIED]:
        written = known.written(by_term[term])
        near = _nearest(part, written, most=edits)
        if near is not None:
            found.append(_Near(*near, counts[term]))
    found.sort(
        key=lambda one: (one.edits, -one.frequency * likelihood(part, one.word), one.word),
    )
    return [one for one in found[:_MOST_NEAR] if _is_rival(one, found[0])]


def _is_swapped(word: str, part: str) -> bool:
    return sorted(word) == sorted(part)


def _is_rival(one: _Near, best: _Near) -> bool:
    return one is best or (one.edits == best.edits and one.frequency >= _RIVALS * best.frequency)


def _nearest(part: str, written: Counter[str], *, most: int) -> tuple[str, int] | None:
    """Return the word nearest to a part, with its edits.

    Of equal ones the one with all its letters, then one that ends as it does: caues is rather
    cause than causes, hashd rather hashed than hash.
    """
    near: Iterable[tuple[int, bool, bool, int, str]] = (
        (edits, not _is_swapped(word, part), word[-1] != part[-1], -count, word)
        for word, count in written.items()
        if (edits := distance(part, word, most=most)) is not None
    )
    best = min(near, default=None)
    return None if best is None else (best[4], best[0])
