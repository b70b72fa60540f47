"""Queries -> what OpenSearch is asked.

The meaning is that of the reference backend; the contract suite holds both to it. Every leaf is
a term or terms that are finished: nothing is analysed over there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from trivium.analysis.fields import OPERATOR, PICKED
from trivium.analysis.syntax import operators
from trivium.analysis.words import Analyser, Start
from trivium.backends.opensearch.indexes import MARK, fields_of
from trivium.backends.opensearch.said import Json
from trivium.query.grammar import AllOf, AnyOf, Expression, Operators, Phrase, Prefix, Words
from trivium.types import View

Weighted = Sequence[tuple[str, float]]

NOWHERE: Json = {"match_none": {}}
_LONGEST_START = 100
# A term that no analyser makes.
_NEVER = "\x02"
# A cluster takes 1,024 by default, and a filter needs some of them.
_MOST_CLAUSES = 600


@dataclass(frozen=True, slots=True)
class Fields:
    """Where each leaf of a query looks, with weights: words, phrases and operators."""

    words: Weighted
    phrases: Weighted
    operators: Weighted


@cache
def asked_of(view: View) -> Fields:
    """Return where in a view each leaf of a query looks."""
    every = fields_of(view)
    operator, picked = f"t_{OPERATOR}", tuple(f"t_{name}" for name in PICKED)
    return Fields(
        words=tuple(one for one in every if one[0] != operator),
        phrases=tuple(one for one in every if one[0] not in picked),
        operators=tuple(one for one in every if one[0] == operator),
    )


def compile_query(root: Expression, *, fields: Fields, words_of: Analyser) -> Json | None:
    """Return the query, or None where there is nothing to look for."""
    return _Compiler(fields, words_of).compiled(root)


def counted_everywhere(asked: Json, fields: Fields) -> Json:
    """Return the query so that every shard says how much it holds of every field.

    A shard that has no term of a query is otherwise left out of the statistics. What is added
    finds nothing and scores nothing: it only names the mark, which every shard has.
    """
    phrases = {name for name, _ in fields.phrases}
    named: list[Json] = []
    for name, _ in (*fields.words, *fields.operators):
        if name in phrases:
            named.append({"match_phrase": {name: {"query": f"{MARK} {_NEVER}"}}})
        else:
            named.append(_term(name, MARK, boost=0.0))
    return {"bool": {"must": [asked], "should": named}}


@dataclass(slots=True)
class _Compiler:
    """Goes through an expression once; `left` is how many terms it may still ask for."""

    fields: Fields
    words_of: Analyser
    left: int = _MOST_CLAUSES

    def compiled(self, part: Expression) -> Json | None:
        """Return the query of one part, or None where it asks for nothing."""
        match part:
            case Words() | Operators() | AnyOf():
                return _any(self._alternatives(part))
            case Phrase(text):
                return self._phrase(self.words_of.words(text))
            case Prefix(text):
                return self._prefix(self.words_of.start(text))
            case AllOf(children, also):
                needed = [made for made in map(self.compiled, children) if made]
                beside = [one for child in also for one in self._alternatives(child)]
                return {"bool": {"must": needed, "should": beside}} if needed else _any(beside)
        keep, drop = self.compiled(part.keep), self.compiled(part.drop)
        if keep is None or drop is None:
            return keep
        return {"bool": {"must": [keep], "must_not": [drop]}}

    def _alternatives(self, part: Expression) -> list[Json]:
        """Return clauses of which any may match, on one level."""
        match part:
            case Words(text, weight):
                return self._words(self.fields.words, self.words_of.terms(text), weight=weight)
            case Operators(text):
                # Where there is no field of them, they ask for nothing.
                found = operators(text) if self.fields.operators else []
                return self._words(self.fields.operators, found)
            case AnyOf(children):
                return [clause for child in children for clause in self._alternatives(child)]
        made = self.compiled(part)
        return [made] if made else []

    def _words(self, fields: Weighted, terms: Sequence[str], *, weight: float = 1.0) -> list[Json]:
        if terms and not fields:
            # Something is asked for, and nowhere to be found.
            return [NOWHERE]
        made: list[Json] = []
        for term, count in Counter(terms).items():
            # A text pasted whole has more than a cluster takes: the first say what it is about.
            if self.left < len(fields):
                break
            self.left -= len(fields)
            made += [_term(field, term, boost=count * own * weight) for field, own in fields]
        return made

    def _phrase(self, words: Sequence[str]) -> Json | None:
        if len(words) < 2:  # noqa: PLR2004 - a phrase starts at two words
            return _any(self._words(self.fields.words, words))
        made = [
            {"match_phrase": {field: {"query": " ".join(words), "boost": weight}}}
            for field, weight in self.fields.phrases
        ]
        self.left -= len(words) * len(made)
        return _any(made) or NOWHERE

    def _prefix(self, start: Start) -> Json | None:
        text = start.letters
        if not text:
            return None
        if len(text) > _LONGEST_START or MARK in text:
            # No term is as long, and none that anybody wrote holds the mark.
            return NOWHERE
        if start.run:
            found = self._phrase(start.run)
        else:
            made: list[Json] = [
                {"prefix": {field: {"value": text}}} for field, _ in self.fields.words
            ]
            found = _any(made + self._words(self.fields.words, start.stems))
        return {"constant_score": {"filter": found, "boost": 1.0}} if found else NOWHERE


def _term(field: str, term: str, *, boost: float) -> Json:
    return {"term": {field: {"value": term, "boost": boost}}}


def _any(clauses: list[Json]) -> Json | None:
    if not clauses:
        return None
    if len(clauses) == 1:
        return clauses[0]
    return {"bool": {"should": clauses, "minimum_should_match": 1}}
