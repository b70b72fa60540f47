"""What the dialects of the query language share: leaves, fields, exclusions and plain words.

A dialect reads a text into what is Asked or raises Unreadable; parse makes the Query of it
or, if the text cannot be read, plain words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from trivium.query.grammar import NOTHING, AnyOf, Expression, Phrase, Prefix, Without, Words

DEEPEST = 50
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


def plain(text: str) -> Expression:
    """Return any of the words of a text that could not be read."""
    words = tuple(Words(one) for one in text.replace('"', " ").split() if HAS_WORD.search(one))
    return words[0] if len(words) == 1 else AnyOf(words)
