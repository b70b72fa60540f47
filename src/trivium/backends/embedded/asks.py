"""Queries and filters -> what Tantivy and SQLite are asked.

The meaning is that of the reference backend; the contract suite holds both to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.analysis.syntax import operators
from trivium.analysis.words import Analyser, Start
from trivium.filtering.conditions import ATTRIBUTES, Condition, Filter, Test
from trivium.query.grammar import AllOf, AnyOf, Expression, Operators, Phrase, Prefix, Words

if TYPE_CHECKING:
    import tantivy

Weighted = Sequence[tuple[str, float]]
_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$])")
# A path may hold a newline, which a dot does not match.
_ANYTHING = r"(.|\n)*"
TAG_MARK = "\x1f"
# Each pattern is looked for among all values of its attribute.
_LONGEST_PATTERN = 100
_MOST_PATTERNS = 20


@dataclass(frozen=True, slots=True)
class Fields:
    """Where each leaf of a query looks, with weights: words, phrases and operators."""

    words: Weighted
    phrases: Weighted
    operators: Weighted = ()


def compile_query(
    schema: tantivy.Schema, fields: Fields, words_of: Analyser, root: Expression
) -> tantivy.Query | None:
    """Return the Tantivy query, or None where there is nothing to look for."""
    import tantivy

    must, should, without = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot

    def alternatives(part: Expression) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """Return clauses of which any may match. Kept flat: Tantivy prunes only one level."""
        if isinstance(part, Words | Operators):
            return _terms(schema, fields, words_of, part)
        if isinstance(part, AnyOf):
            return [clause for child in part.children for clause in alternatives(child)]
        made = compiled(part)
        return [(should, made)] if made else []

    def compiled(part: Expression) -> tantivy.Query | None:
        if isinstance(part, Words | Operators | AnyOf):
            return _joined(alternatives(part))
        if isinstance(part, Phrase):
            return _phrase(schema, fields, words_of.words(part.text))
        if isinstance(part, Prefix):
            return _prefix(schema, fields, words_of.start(part.text))
        if isinstance(part, AllOf):
            needed = [(must, made) for made in map(compiled, part.children) if made]
            also = [clause for child in part.also for clause in alternatives(child)]
            return _joined(needed + also)
        keep, drop = compiled(part.keep), compiled(part.drop)
        if keep is None or drop is None:
            return keep
        return tantivy.Query.boolean_query([(must, keep), (without, drop)])

    return compiled(root)


def _joined(clauses: list[tuple[tantivy.Occur, tantivy.Query]]) -> tantivy.Query | None:
    import tantivy

    if not clauses:
        return None
    return clauses[0][1] if len(clauses) == 1 else tantivy.Query.boolean_query(clauses)


def _terms(
    schema: tantivy.Schema, fields: Fields, words_of: Analyser, part: Words | Operators
) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    if isinstance(part, Words):
        counts = Counter(words_of.terms(part.text))
        return _words(schema, fields.words, counts, weight=part.weight)
    # Where there is no field of them, they ask for nothing.
    return _words(
        schema, fields.operators, Counter(operators(part.text) if fields.operators else ())
    )


def _words(
    schema: tantivy.Schema, fields: Weighted, terms: Counter[str], *, weight: float = 1.0
) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    import tantivy

    if terms and not fields:
        # Something is asked for, and nowhere to be found.
        return [(tantivy.Occur.Should, tantivy.Query.empty_query())]
    clauses = []
    for term, count in terms.items():
        for field, of_field in fields:
            made = tantivy.Query.term_query(schema, field, term, index_option="freq")
            clauses.append((tantivy.Occur.Should, _boosted(made, count * of_field * weight)))
    return clauses


def _phrase(schema: tantivy.Schema, fields: Fields, words: list[str]) -> tantivy.Query | None:
    import tantivy

    if len(words) < 2:  # noqa: PLR2004 - Tantivy's phrases start at two words
        return _joined(_words(schema, fields.words, Counter(words)))
    clauses = []
    for field, weight in fields.phrases:
        made = tantivy.Query.phrase_query(schema, field, list(words))
        clauses.append((tantivy.Occur.Should, _boosted(made, weight)))
    return _joined(clauses) or tantivy.Query.empty_query()


def _prefix(schema: tantivy.Schema, fields: Fields, start: Start) -> tantivy.Query | None:
    import tantivy

    text = start.letters
    if not text:
        return None
    if len(text) > _LONGEST_PATTERN:
        # No term is as long; and Tantivy compiles no pattern of more than 1,000 states.
        return tantivy.Query.empty_query()
    if start.run:
        joined = _phrase(schema, fields, list(start.run))
        return joined and tantivy.Query.const_score_query(joined, 1.0)
    clauses = [
        (tantivy.Occur.Should, tantivy.Query.regex_query(schema, field, escape(text) + ".*"))
        for field, _ in fields.words
    ]
    clauses += _words(schema, fields.words, Counter(start.stems))
    joined = _joined(clauses)
    return tantivy.Query.const_score_query(joined, 1.0) if joined else tantivy.Query.empty_query()


def _boosted(query: tantivy.Query, by: float) -> tantivy.Query:
    import tantivy

    return query if by == 1.0 else tantivy.Query.boost_query(query, by)


def escape(text: str) -> str:
    """Escape `text` for Tantivy's regular expressions."""
    return _SPECIAL.sub(r"\\\1", text)


def is_compiled(condition: Condition) -> bool:
    """Say whether a condition can be compiled: it is on an attribute, and not on endless parts."""
    if condition.field not in ATTRIBUTES:
        return False
    if condition.test is Test.EQUALS:
        return True
    is_short = all(len(value) <= _LONGEST_PATTERN for value in condition.values)
    return is_short and len(condition.values) <= _MOST_PATTERNS


def compile_filter(schema: tantivy.Schema, where: Filter) -> tantivy.Query | None:
    """Return the query that matches what `where` allows; None if it allows everything.

    Conditions that cannot be compiled are left to the caller.
    """
    import tantivy

    compiled = [one for one in where.conditions if is_compiled(one)]
    if not compiled:
        return None
    clauses = [(tantivy.Occur.Must, _condition(schema, one)) for one in compiled]
    return tantivy.Query.boolean_query(clauses)


def _condition(schema: tantivy.Schema, condition: Condition) -> tantivy.Query:
    import tantivy

    made = []
    for value in sorted(condition.values):
        if condition.test is Test.EQUALS:
            one = tantivy.Query.term_query(schema, condition.field, value, index_option="basic")
        else:
            before = _ANYTHING if condition.test is Test.CONTAINS else ""
            pattern = f"{before}{escape(value)}{_ANYTHING}"
            one = tantivy.Query.regex_query(schema, condition.field, pattern)
        made.append((tantivy.Occur.Should, one))
    if not made:
        return tantivy.Query.empty_query()
    return tantivy.Query.boolean_query(made)


def tag_column(tags: Sequence[str]) -> str | None:
    """Return tags in one column, each between marks so that one can be found exactly."""
    return TAG_MARK + TAG_MARK.join(tags) + TAG_MARK if tags else None
