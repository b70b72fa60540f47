"""A Query and a view -> the chunks that match, each with its score.

This is what a query means; every backend must agree with it.

Documents. A view indexes one document per chunk whose node is of one of its kinds (None:
all kinds); chunks of other kinds are neither found nor counted in its statistics. The
texts of its fields come from analysis.fields, their terms from the view's analyser, those of
the field `operator` from analysis.syntax. A text gives words, in order, and whole identifiers;
both are terms, but each whole stands alone, so that only words are neighbours; keywords and
operators all stand alone. `combine` says what is scored:

- "repeat": one field, in which each text stands `weight` times, its wholes as well.
- "sum": every field apart, each text once. A leaf (Words, Phrase, Prefix) matches if it does
  so in any field but `operator`; its score is the sum over fields of weight x the field's
  BM25. Operators look into that field alone.

BM25, per scored field, with k1 = 1.2 and b = 0.75:

    idf(term)   = ln(1 + (N - df + 0.5) / (df + 0.5))
    score(term) = idf x tf x (k1 + 1) / (tf + k1 x (1 - b + b x dl / avgdl))

N is the number of documents of the view, df of those with the term in the field; dl is
the number of terms of the document's field rounded down to one byte (bm25.stored_length),
avgdl the exact number of terms of the field in all documents, divided by N.

Leaves.

- Words: matches if any term of analyser.terms(text) is there. The score is the sum over
  the terms found, each counted as often as the query says it, times the weight of the leaf.
- Phrase: matches if analyser.words(text) stand side by side and in order inside one value
  of one field. The score is BM25 with the number of such places as tf and the sum of the
  words' idf, a repeated word counted again, as idf. One word is scored as that term.
- Operators: as Words, with the operators of the text as its terms.
- Prefix: matches if any term starts with the lower-cased text, or is the stem of the text with
  an English ending (analyser.start): validat* finds validation, whose term is valid. Of text
  without spaces, which has no words that start so, its terms side by side. The score is 1,
  however many terms and fields match.

Operators.

- AllOf: every child matches. The score is the sum over children and over those of `also`
  that match. Without a child that asks for anything it means AnyOf(also).
- AnyOf: at least one child matches. The score is the sum over those that do.
- Without: what `keep` matches and `drop` does not, with the score of `keep`.

Nothing to look for. Words without terms (stop words, punctuation), a Phrase without words,
an empty Prefix, Operators where none is or in a view without their field, an AllOf or AnyOf
with nothing but such children, and a Without that keeps such a thing are treated as if they
had not been written: an operator around them goes on with its other children, `drop` drops
nothing. If nothing is left, nothing matches.

Order. Scores are rounded to 32-bit floats, then compared; equal ones come by chunk id.
`where` is applied to what matched and changes no score. A Query's own `where` is not
looked at here: the caller joins it to the one it passes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from trivium.analysis.syntax import operators
from trivium.analysis.words import Start
from trivium.backends.reference import bm25
from trivium.backends.reference.inverted import Field, Inverted
from trivium.query.grammar import (
    AllOf,
    AnyOf,
    Expression,
    Operators,
    Phrase,
    Prefix,
    Without,
    Words,
)
from trivium.types import ChunkId

Matches = dict[ChunkId, float]


def matches(root: Expression, *, index: Inverted) -> Matches:
    """Return every chunk that matches `root` with its score, in no order."""
    found = _evaluate(root, index)
    return {} if found is None else found


def _evaluate(expression: Expression, index: Inverted) -> Matches | None:  # noqa: PLR0911 - one per case
    """Return what matches, or None if the expression asks for nothing."""
    match expression:
        case Words(text, weight):
            counts = Counter(index.analyser.terms(text))
            return _words(counts, index.fields, index, weight=weight)
        case Operators(text):
            typed = Counter(operators(text)) if index.operators else Counter[str]()
            return _words(typed, index.operators, index)
        case Phrase(text):
            words = index.analyser.words(text)
            if len(words) > 1:
                return _phrase(words, index)
            return _words(Counter(words), index.fields, index)
        case Prefix(text):
            return _prefix(index.analyser.start(text), index)
        case AnyOf(children):
            return _any_of(_asked(children, index))
        case AllOf(children, also):
            return _all_of(_asked(children, index), _asked(also, index))
        case Without(keep, drop):
            kept, dropped = _evaluate(keep, index), _evaluate(drop, index)
            if kept is None or dropped is None:
                return kept
            return {chunk_id: score for chunk_id, score in kept.items() if chunk_id not in dropped}


def _asked(expressions: Sequence[Expression], index: Inverted) -> list[Matches]:
    evaluated = (_evaluate(one, index) for one in expressions)
    return [found for found in evaluated if found is not None]


def _any_of(children: Sequence[Matches]) -> Matches | None:
    if not children:
        return None
    found = {chunk_id for child in children for chunk_id in child}
    return {one: math.fsum(child.get(one, 0.0) for child in children) for one in found}


def _all_of(children: Sequence[Matches], also: Sequence[Matches]) -> Matches | None:
    if not children:
        return _any_of(also)
    shared = set(children[0]).intersection(*children[1:])
    return {one: math.fsum(each.get(one, 0.0) for each in (*children, *also)) for one in shared}


def _words(
    counts: Counter[str], fields: Sequence[Field], index: Inverted, *, weight: float = 1.0
) -> Matches | None:
    if not counts:
        return None
    found: Matches = {}
    for field in fields:
        for term, count in counts.items():
            postings = field.postings.get(term, {})
            idf = bm25.idf(documents=len(index.documents), frequency=len(postings))
            for chunk_id, frequency in postings.items():
                gain = weight * count * idf * _saturation(frequency, chunk_id, field)
                found[chunk_id] = found.get(chunk_id, 0.0) + field.weight * gain
    return found


def _phrase(words: Sequence[str], index: Inverted) -> Matches:
    found: Matches = {}
    for field in index.fields:
        idf = math.fsum(
            bm25.idf(documents=len(index.documents), frequency=len(field.postings.get(word, {})))
            for word in words
        )
        for chunk_id in field.postings.get(words[0], {}):
            frequency = sum(
                value.times * _places(words, value.words) for value in field.values[chunk_id]
            )
            if frequency:
                gain = idf * _saturation(frequency, chunk_id, field)
                found[chunk_id] = found.get(chunk_id, 0.0) + field.weight * gain
    return found


def _prefix(start: Start, index: Inverted) -> Matches | None:
    if not start.letters:
        return None
    if start.run:
        return dict.fromkeys(_phrase(start.run, index), 1.0)
    return {
        chunk_id: 1.0
        for field in index.fields
        for term, postings in field.postings.items()
        if term.startswith(start.letters) or term in start.stems
        for chunk_id in postings
    }


def _places(wanted: Sequence[str], words: Sequence[str]) -> int:
    """Count where `wanted` starts in `words`; places may overlap."""
    size = len(wanted)
    return sum(
        tuple(words[start : start + size]) == tuple(wanted)
        for start in range(len(words) - size + 1)
    )


def _saturation(frequency: int, chunk_id: ChunkId, field: Field) -> float:
    return bm25.saturation(
        frequency, length=field.lengths[chunk_id], average_length=field.average_length
    )
