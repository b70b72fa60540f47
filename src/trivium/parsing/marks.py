"""A path and a text -> whether the file is generated, minified, vendored or a test.

The rules are data (marks.toml). Looks at the path, the first lines and two counts, never at all
of the text twice, because it runs on every file. Called by parse().
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

GENERATED = "generated"
MINIFIED = "minified"
VENDORED = "vendored"
TEST = "test"

_HEAD = 2000
_HEAD_LINES = 40


@dataclass(frozen=True, slots=True)
class _Places:
    """Folders by whole name, paths by pattern, and names by pattern."""

    folders: frozenset[str]
    paths: re.Pattern[str]
    names: re.Pattern[str]

    def hold(self, path: str, *, folders: frozenset[str], name: str) -> bool:
        """Whether a path is one of these."""
        return (
            not self.folders.isdisjoint(folders)
            or self.names.search(name) is not None
            or (bool(folders) and self.paths.search(path) is not None)
        )


@dataclass(frozen=True, slots=True)
class _Rules:
    """marks.toml, compiled."""

    vendored: _Places
    vendored_head: re.Pattern[str]
    vendored_endings: tuple[str, ...]
    generated: _Places
    generated_words: tuple[str, ...]
    generated_head: re.Pattern[str]
    prose_endings: tuple[str, ...]
    minified_names: re.Pattern[str]
    minified_endings: tuple[str, ...]
    longest_mean_line: int
    fewest_blanks: float
    longest_mean_line_of_text: int
    shortest: int
    tests: _Places
    test_code_folders: frozenset[str]
    test_code_endings: frozenset[str]
    test_endings: tuple[str, ...]
    not_tests: re.Pattern[str]


def marks(path: str, text: str) -> tuple[str, ...]:
    """Return what is to be known about a file beside its language, in a fixed order."""
    *parts, name = path.split("/")
    folders = frozenset(parts)
    head = text[:_HEAD]
    found: list[str] = []
    if _is_generated(path, head, folders=folders, name=name):
        found.append(GENERATED)
    if _is_minified(text, name=name):
        found.append(MINIFIED)
    if _is_vendored(path, head, folders=folders, name=name):
        found.append(VENDORED)
    if _is_test(path, folders=folders, name=name):
        found.append(TEST)
    return tuple(found)


def _is_generated(path: str, head: str, *, folders: frozenset[str], name: str) -> bool:
    rules = _rules()
    if rules.generated.hold(path, folders=folders, name=name):
        return True
    lower = head.lower()
    if not any(word in lower for word in rules.generated_words):
        return False
    first = "\n".join(head.split("\n", _HEAD_LINES)[:_HEAD_LINES])
    is_prose = name.endswith(rules.prose_endings)
    comments = rules.generated_head.finditer(first)
    return any(not is_prose or one[0].lstrip().startswith("<!--") for one in comments)


def _is_minified(text: str, *, name: str) -> bool:
    """Whether lines are longer, and blanks fewer, than people write."""
    rules = _rules()
    if not name.endswith(rules.minified_endings) or len(text) < rules.shortest:
        return False
    if rules.minified_names.search(name) is not None:
        return True
    mean = len(text) / (text.count("\n") + 1)
    if mean <= rules.longest_mean_line:
        return False
    blanks = (text.count(" ") + text.count("\t")) / len(text)
    return blanks < rules.fewest_blanks or mean > rules.longest_mean_line_of_text


def _is_vendored(path: str, head: str, *, folders: frozenset[str], name: str) -> bool:
    rules = _rules()
    if rules.vendored.hold(path, folders=folders, name=name):
        return True
    return name.endswith(rules.vendored_endings) and rules.vendored_head.match(head) is not None


def _is_test(path: str, *, folders: frozenset[str], name: str) -> bool:
    rules = _rules()
    stem, _, ending = name.rpartition(".")
    is_code = ending in rules.test_code_endings
    if not rules.test_code_folders.isdisjoint(folders) and is_code:
        return True
    if name.endswith(rules.test_endings):
        return True
    if is_code and rules.not_tests.search(stem) is not None:
        stem = ""
    return rules.tests.hold(path, folders=folders, name=stem if is_code else "")


@cache
def _rules() -> _Rules:
    """Read the rule file on first use."""
    data = tomllib.loads(
        resources.files("trivium.parsing").joinpath("marks.toml").read_text("utf-8")
    )
    vendored, generated, minified, test = (
        data[name] for name in (VENDORED, GENERATED, MINIFIED, TEST)
    )
    return _Rules(
        vendored=_places(vendored),
        vendored_head=re.compile(vendored["head"]),
        vendored_endings=tuple(vendored["head_endings"]),
        generated=_places(generated),
        generated_words=tuple(generated["words"]),
        generated_head=re.compile(generated["head"]),
        prose_endings=tuple(generated["prose_endings"]),
        minified_names=_any(minified["names"]),
        minified_endings=tuple(minified["endings"]),
        longest_mean_line=minified["longest_mean_line"],
        fewest_blanks=minified["fewest_blanks"],
        longest_mean_line_of_text=minified["longest_mean_line_of_text"],
        shortest=minified["shortest"],
        tests=_places(test),
        test_code_folders=frozenset(test["code_folders"]),
        test_code_endings=frozenset(test["code_endings"]),
        test_endings=tuple(test["endings"]),
        not_tests=re.compile(test["not"]),
    )


def _places(data: dict[str, Any]) -> _Places:
    return _Places(
        folders=frozenset(data["folders"]), paths=_any(data["paths"]), names=_any(data["names"])
    )


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
