"""What the dialects of the query language share: leaves, fields, exclusions and plain words.

A dialect reads a text into what is Asked or raises Unreadable; parse makes the Query of it
or, if the text cannot be read, plain words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trivium.analysis.syntax import operators
from trivium.query.grammar import (
    NOTHING,
    AllOf,
    AnyOf,
    Expression,
    Operators,
    Phrase,
    Prefix,
    Without,
    Words,
)

DEEPEST = 50
MOST_DEMANDING = 64
FIELD_NAMES = "name|path|lang|kind|type|tag"

HAS_WORD = re.compile(r"\w")
_BRACKETS = re.compile(r'[()"]')


class Unreadable(Exception):
    """The text does not follow the grammar."""


@dataclass(slots=True)
class Asked:
    """What a text asks for: the expression, and what was found beside it."""

    root: Expression = NOTHING
    fields: dict[str, list[str]] = field(default_factory=dict)
    meaning: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_field(self, name: str, value: str, *, typed: str, negated: bool) -> None:
        """Keep a field as a filter, or say why it was left out."""
        if negated:
            self.notes.append(f"left out {typed}: a field cannot be excluded")
        elif not value.strip():
            self.notes.append(f"left out {typed}: it has no value")
        else:
            self.fields.setdefault(name, []).append(value)

    def any_of(self, branches: Sequence[Expression]) -> Expression:
        """Join what OR joins; a branch that only excludes is left out, with a note."""
        if len(branches) == 1:
            return branches[0]
        asked = [branch for branch in branches if branch != NOTHING]
        kept = [branch for branch in asked if excluded_from_nothing(branch) is None]
        if len(kept) < len(asked):
            self.notes.append("left out: an exclusion needs something beside it to exclude from")
        return kept[0] if len(kept) == 1 else AnyOf(tuple(kept))


class Bounded:
    """Reads an expression again: of equal prefixes and phrases side by side one, and not too many.

    Each of them reads lists of terms or places, in every field: a thousand would keep a search
    for minutes.
    """

    def __init__(self) -> None:
        self._left = MOST_DEMANDING
        self.is_cut = False

    def of(self, root: Expression) -> Expression:
        """Return the expression, without those that are too many."""
        kept = self._some((root,))
        return kept[0] if kept else NOTHING

    def _some(self, children: tuple[Expression, ...]) -> tuple[Expression, ...]:
        kept: list[Expression] = []
        asked: set[Expression] = set()
        for one in children:
            if not isinstance(one, Prefix | Phrase):
                kept.append(self._inside(one))
            elif one not in asked and self._left > 0:
                asked.add(one)
                self._left -= 1
                kept.append(one)
            elif one not in asked:
                self.is_cut = True
        return tuple(kept)

    def _inside(self, one: Expression) -> Expression:
        if isinstance(one, AnyOf):
            return replace(one, children=self._some(one.children))
        if isinstance(one, AllOf):
            return replace(one, children=self._some(one.children), also=self._some(one.also))
        if isinstance(one, Without):
            return Without(self.of(one.keep), self.of(one.drop))
        return one


def closings(text: str) -> dict[int, int]:
    """Return where each bracket that is closed is closed; those in quotes do not count."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    is_quoted = False
    for found in _BRACKETS.finditer(text):
        if found.group() == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif found.group() == "(":
            opened.append(found.start())
        elif opened:
            closed[opened.pop()] = found.start()
    return closed


def word(typed: str, *, negated: bool) -> Words | Phrase | Prefix | None:
    """Return what one word asks for; None if there is nothing in it to look for."""
    if not HAS_WORD.search(typed):
        return None
    if typed.endswith("*"):
        return Prefix(typed.rstrip("*"))
    # -getUserById means that name, not everything that gets.
    return Phrase(typed) if negated else Words(typed)


def phrase(text: str) -> Phrase | None:
    """Return the phrase between quotation marks; None if it holds no word."""
    return Phrase(text) if HAS_WORD.search(text) else None


def without(root: Expression, dropped: Sequence[Expression]) -> Expression:
    """Return `root` less what is excluded."""
    if not dropped:
        return root
    # One Without for all: a thousand exclusions must not nest a thousand deep.
    return Without(root, dropped[0] if len(dropped) == 1 else AnyOf(tuple(dropped)))


def excluded_from_nothing(root: Expression) -> Expression | None:
    """Return what is excluded if there is nothing to exclude it from."""
    return root.drop if isinstance(root, Without) and root.keep == NOTHING else None


def beside(root: Expression, typed: str) -> Expression:
    """Return `root`, which the operators of `typed` raise: they are looked for, never needed.

    Only where nothing else is asked for are they found by themselves.
    """
    found = operators(typed)
    return _raised(root, Operators(" ".join(found))) if found else root


def _raised(root: Expression, by: Operators) -> Expression:
    if isinstance(root, Without):
        return Without(_raised(root.keep, by), root.drop)
    if isinstance(root, AllOf):
        return replace(root, also=(*root.also, by))
    return AllOf(() if root == NOTHING else (root,), also=(by,), binds=False)


def operators_alone(root: Expression) -> str | None:
    """Return the operators that are asked for if nothing else is."""
    if not isinstance(root, AllOf) or root.children:
        return None
    return " ".join(one.text for one in root.also if isinstance(one, Operators))


def plain(text: str) -> Expression:
    """Return any of the words of a text that could not be read."""
    words = tuple(Words(one) for one in text.replace('"', " ").split() if HAS_WORD.search(one))
    return words[0] if len(words) == 1 else AnyOf(words)
