"""What a query can say, as values.

Text is kept as typed: backends analyse it with the analyser of the view they search,
so one query means the same thing on every backend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from trivium.filtering.conditions import EVERYTHING, Filter


@dataclass(frozen=True, slots=True)
class Words:
    """Any of the terms of `text`; more matches score higher. Each counts `weight` times."""

    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Phrase:
    """The terms of `text`, side by side and in order."""

    text: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Terms that start with `text`; each scores alike."""

    text: str


@dataclass(frozen=True, slots=True)
class Operators:
    """Any of the operators of `text`, such as && and ->, where a view has a field of them.

    Elsewhere it asks for nothing; words never ask for operators.
    """

    text: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every child must match; `also` may, and scores if it does.

    Without `binds` the children merely stand side by side: a text must hold them all to be
    found by its words, but may be found by its meaning without.
    """

    children: tuple[Expression, ...]
    also: tuple[Expression, ...] = ()
    binds: bool = True


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one child must match."""

    children: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """What `keep` matches and `drop` does not."""

    keep: Expression
    drop: Expression


Expression = Words | Phrase | Prefix | Operators | AllOf | AnyOf | Without

NOTHING = AnyOf(())


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked: the words to look for, the text to embed, filters typed inline.

    `near` are words looked for beside those that were typed, each such as pasword ~ password;
    `instead` are the same as pairs of what was typed and what may stand for it; `better` is the
    text as it was meant to be typed, empty where nothing seems wrong with it.
    """

    text: str
    root: Expression
    meaning: str
    where: Filter = EVERYTHING
    notes: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    instead: tuple[tuple[str, str], ...] = ()
    better: str = ""


def demands(root: Expression) -> bool:
    """Say whether something must be there, in so many words, for a text to match."""
    if isinstance(root, AnyOf):
        return bool(root.children) and all(demands(one) for one in root.children)
    if isinstance(root, Without):
        return demands(root.keep)
    if isinstance(root, AllOf) and not root.binds:
        return any(demands(one) for one in root.children)
    return not isinstance(root, Words | Operators)


def phrases(query: Query) -> tuple[str, ...]:
    """Return the quoted phrases that are looked for, each once, in the order of the query."""
    return tuple(dict.fromkeys(_phrases(query.root)))


def _phrases(root: Expression) -> Iterator[str]:
    match root:
        case Phrase(text):
            yield text
        case AllOf(children, also):
            for one in (*children, *also):
                yield from _phrases(one)
        case AnyOf(children):
            for one in children:
                yield from _phrases(one)
        case Without(keep, _):
            yield from _phrases(keep)


def words(query: Query) -> tuple[str, ...]:
    """Return the texts of the words that are looked for, each once, in the order of the query."""
    return tuple(dict.fromkeys(_words(query.root)))


def _words(root: Expression) -> Iterator[str]:
    match root:
        case Words(text):
            yield text
        case AllOf(children, also):
            for one in (*children, *also):
                yield from _words(one)
        case AnyOf(children):
            for one in children:
                yield from _words(one)
        case Without(keep, _):
            yield from _words(keep)


def widened(root: Expression, near: Mapping[str, tuple[Expression, ...]]) -> Expression:
    """Return an expression in which other words may stand for those of some texts.

    What is excluded stays as it is: a near word excludes nothing.
    """
    match root:
        case Words(text) if text in near:
            return AnyOf((root, *near[text]))
        case AllOf(children, also):
            return replace(
                root,
                children=tuple(widened(one, near) for one in children),
                also=tuple(widened(one, near) for one in also),
            )
        case AnyOf(children):
            return AnyOf(tuple(widened(one, near) for one in children))
        case Without(keep, _):
            return replace(root, keep=widened(keep, near))
    return root


def prefixes(query: Query) -> tuple[str, ...]:
    """Return the prefixes that are looked for, each once, in the order of the query."""
    return tuple(dict.fromkeys(_prefixes(query.root)))


def _prefixes(root: Expression) -> Iterator[str]:
    match root:
        case Prefix(text):
            yield text
        case AllOf(children, also):
            for one in (*children, *also):
                yield from _prefixes(one)
        case AnyOf(children):
            for one in children:
                yield from _prefixes(one)
        case Without(keep, _):
            yield from _prefixes(keep)


def raised(root: Expression, also: Mapping[str, tuple[Expression, ...]]) -> Expression:
    """Return an expression in which what some prefixes find scores more for other words.

    It finds the same; what is excluded stays as it is.
    """
    match root:
        case Prefix(text) if text in also:
            return AllOf((root,), also=also[text])
        case AllOf(children, beside):
            return replace(
                root,
                children=tuple(raised(one, also) for one in children),
                also=tuple(raised(one, also) for one in beside),
            )
        case AnyOf(children):
            return AnyOf(tuple(raised(one, also) for one in children))
        case Without(keep, _):
            return replace(root, keep=raised(keep, also))
    return root


def operators(query: Query) -> str:
    """Return the operators that are looked for, in the order of the query."""
    return " ".join(_operators(query.root))


def _operators(root: Expression) -> Iterator[str]:
    match root:
        case Operators(text):
            yield text
        case AllOf(children, also):
            for one in (*children, *also):
                yield from _operators(one)
        case AnyOf(children):
            for one in children:
                yield from _operators(one)
        case Without(keep, _):
            yield from _operators(keep)


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
        loosened = tuple(_relaxed(one) for one in root.children if isinstance(one, Phrase))
        others = tuple(_relaxed(one) for one in root.children if not isinstance(one, Phrase))
        if loosened and not others:
            # Still never looked for by themselves.
            beside = tuple(one for one in root.also if isinstance(one, Operators))
            either = AnyOf((*loosened, *(one for one in root.also if one not in beside)))
            return AllOf((either,), also=beside, binds=False) if beside else either
        return replace(root, children=others, also=(*loosened, *root.also))
    if isinstance(root, AnyOf):
        return AnyOf(tuple(_relaxed(one) for one in root.children))
    if isinstance(root, Without):
        return replace(root, keep=_relaxed(root.keep))
    return root
