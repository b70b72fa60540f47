"""What a query can say, as values.

Text is kept as typed: backends analyse it with the analyser of the view they search,
so one query means the same thing on every backend.
"""

from __future__ import annotations

from dataclasses import dataclass

from trivium.filtering.conditions import EVERYTHING, Filter


@dataclass(frozen=True, slots=True)
class Words:
    """Any of the terms of `text`; more matches score higher."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """The terms of `text`, side by side and in order."""

    text: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Terms that start with `text`; each scores alike."""

    text: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every child must match; `also` may, and scores if it does."""

    children: tuple[Expression, ...]
    also: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one child must match."""

    children: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """What `keep` matches and `drop` does not."""

    keep: Expression
    drop: Expression


Expression = Words | Phrase | Prefix | AllOf | AnyOf | Without

NOTHING = AnyOf(())


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked: the words to look for, the text to embed, filters typed inline."""

    text: str
    root: Expression
    meaning: str
    where: Filter = EVERYTHING
    notes: tuple[str, ...] = ()
