"""risk.toml -> the rules of one family of languages, compiled on first use.

Only what the file says: how the rules are applied is risk.py's work.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_SHORTEST_PIECE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A source, sink or sanitizer; risk.toml says what each part means."""

    name: str
    pattern: re.Pattern[str]
    words: tuple[str, ...]
    category: str = ""
    severity: str = ""
    tags: tuple[str, ...] = ()
    confidence: float = 0.0
    takes: int | str = ""
    needs: str = ""
    unless: re.Pattern[str] | None = None
    needs_flow: bool = False
    clears: frozenset[str] | None = None
    covers: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """The rules of languages that are alike, and what is no code in them.

    Where none of the `words` of its sources and sinks stands, no rule can match. They stand
    under a piece that they share; a word alone is its own piece. `rules_of` has the sources and
    sinks that need the word to match.
    """

    name: str
    languages: tuple[str, ...]
    dead: re.Pattern[str]
    inside: re.Pattern[str] | None
    has_blocks: bool
    ignore_case: bool
    sources: tuple[Rule, ...]
    sinks: tuple[Rule, ...]
    sanitizers: tuple[Rule, ...]
    words: tuple[tuple[str, tuple[str, ...]], ...]
    rules_of: Mapping[str, frozenset[Rule]]


@dataclass(frozen=True, slots=True)
class _Tables:
    """risk.toml, not compiled yet."""

    kinds: Mapping[str, dict[str, Any]]
    syntaxes: Mapping[str, dict[str, str]]
    families: tuple[dict[str, Any], ...]
    needs: Mapping[str, re.Pattern[str]]


def families() -> tuple[Family, ...]:
    """Return all families, in the order of the file."""
    return tuple(_family(number) for number in range(len(_tables().families)))


def family_of(language: str) -> Family | None:
    """Return the family of a language, or None if there are no rules for it."""
    number = _numbers().get(language)
    return None if number is None else _family(number)


def categories() -> list[str]:
    """Return what the rules sort sources and sinks into, in order."""
    return sorted({kind["category"] for kind in _tables().kinds.values() if "category" in kind})


def tags() -> list[str]:
    """Return the tags that the rules give, in order."""
    return sorted({tag for kind in _tables().kinds.values() for tag in kind.get("tags", ())})


def need(name: str) -> re.Pattern[str]:
    """Return the pattern of what a sink needs in the text of its arguments."""
    return _tables().needs[name]


@cache
def _numbers() -> Mapping[str, int]:
    found = enumerate(_tables().families)
    return {language: number for number, family in found for language in family["languages"]}


@cache
def _family(number: int) -> Family:
    data = _tables().families[number]
    syntax = _tables().syntaxes[data["syntax"]]
    sources, sinks, sanitizers = (
        tuple(map(_rule, data[part])) for part in ("sources", "sinks", "sanitizers")
    )
    rules = (*sources, *sinks)
    groups = _grouped({word for rule in rules for word in rule.words})
    # Strings that hold code come first: the prefix of one must not be left over by the other.
    dead = [f"(?P<live>{syntax['live']})"] if "live" in syntax else []
    return Family(
        name=data["name"],
        languages=tuple(data["languages"]),
        dead=re.compile("|".join([*dead, f"(?:{syntax['blank']})"]), re.MULTILINE),
        inside=re.compile(syntax["inside"]) if "inside" in syntax else None,
        has_blocks=data.get("has_blocks", False),
        ignore_case=data.get("ignore_case", False),
        sources=sources,
        sinks=sinks,
        sanitizers=sanitizers,
        words=groups,
        rules_of={
            word: frozenset(rule for rule in rules if any(word in one for one in rule.words))
            for piece, members in groups
            for word in members or (piece,)
        },
    )


def _grouped(words: set[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Put words under the piece they share, so that few pieces rule out many words.

    Greedy: the piece that most words share comes first. Words that hold another are left out.
    """
    left = {one for one in words if not any(two in one and two != one for two in words)}
    groups: list[tuple[str, tuple[str, ...]]] = []
    while left:
        pieces = Counter(piece for word in left for piece in _pieces(word))
        piece = max(pieces, key=lambda one: (pieces[one], len(one), one))
        members = tuple(sorted(word for word in left if piece in word))
        if len(members) == 1:
            groups += [(word, ()) for word in sorted(left, key=lambda word: (-len(word), word))]
            break
        groups.append((piece, members))
        left.difference_update(members)
    return tuple(groups)


def _pieces(word: str) -> set[str]:
    """Return the parts of a word that are long enough to be rare."""
    size = len(word)
    starts = range(max(1, size - _SHORTEST_PIECE + 1))
    return {
        word[at:end] for at in starts for end in range(min(size, at + _SHORTEST_PIECE), size + 1)
    }


def _rule(data: dict[str, Any]) -> Rule:
    kind = _tables().kinds.get(data.get("kind", ""), {})
    clears = data.get("clears")
    unless = data.get("unless")
    return Rule(
        name=data["name"],
        pattern=re.compile(data["pattern"], re.MULTILINE),
        words=tuple(data["words"]),
        category=kind.get("category", ""),
        severity=kind.get("severity", ""),
        tags=tuple(kind.get("tags", ())),
        confidence=kind.get("confidence", 0.0),
        takes=data.get("takes", ""),
        needs=data.get("needs", ""),
        unless=None if unless is None else re.compile(unless),
        needs_flow=data.get("needs_flow", False),
        clears=None if clears is None else frozenset(clears),
        covers=data.get("covers", "call"),
        example=data["example"],
    )


@cache
def _tables() -> _Tables:
    data = tomllib.loads(
        resources.files("trivium.parsing").joinpath("risk.toml").read_text("utf-8")
    )
    return _Tables(
        kinds=data["kinds"],
        syntaxes=data["syntaxes"],
        families=tuple(data["families"]),
        needs={name: re.compile(pattern) for name, pattern in data["needs"].items()},
    )
