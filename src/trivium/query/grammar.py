"""What a query can say, as values.

Text is kept as typed: backends analyse it with the analyser of the view they search,
so one query means the same thing on every backend.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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


def demands(root: Expression) -> bool:
    """Say whether something must be there, in so many words, for a text to match."""
    if isinstance(root, AnyOf):
        return bool(root.children) and all(demands(one) for one in root.children)
    if isinstance(root, Without):
        return demands(root.keep)
    return not isinstance(root, Words)


def relaxed(query: Query) -> Query | None:
    """Return the query with its phrases read as words, or None if it has none.

    What is excluded stays excluded, and what AND joins stays needed.
    """
    root = _relaxed(query.root)
    if root == query.root:
        return None
    said = "nothing holds the phrase exactly: its words were looked for"
    return replace(query, root=root, notes=(*query.notes, said))


def _relaxed(root: Expression) -> Expression:
    if isinstance(root, Phrase):
        return AnyOf(tuple(Words(word) for word in root.text.split()))
    if isinstance(root, AllOf):
        phrases = tuple(_relaxed(one) for one in root.children if isinstance(one, Phrase))
        others = tuple(one for one in root.children if not isinstance(one, Phrase))
        if not phrases:
            return root
        also = (*phrases, *root.also)
        return AllOf(others, also=also) if others else AnyOf(also)
    if isinstance(root, AnyOf):
        return AnyOf(tuple(_relaxed(one) for one in root.children))
    if isinstance(root, Without):
        return replace(root, keep=_relaxed(root.keep))
    return root
