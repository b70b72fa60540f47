"""Which nodes may be returned, as values.

A Filter is a list of conditions that must all hold; a condition names an attribute and
the values of which one must match. Backends push these down; `match` is what they mean.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from trivium.errors import FilterError


class Test(StrEnum):
    """How a condition compares."""

    EQUALS = "equals"
    CONTAINS = "contains"
    STARTS = "starts"


@dataclass(frozen=True, slots=True)
class Condition:
    """One of `values` must match the attribute. No values: nothing matches."""

    field: str
    test: Test
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that must all hold."""

    conditions: tuple[Condition, ...] = ()

    def __and__(self, other: Filter) -> Filter:
        """Both filters' conditions."""
        return Filter(tuple(sorted({*self.conditions, *other.conditions}, key=_key)))


EVERYTHING = Filter()
NOTHING = Filter((Condition("kind", Test.EQUALS, frozenset()),))

# The attributes a backend stores beside each node, all folded to lower case.
ATTRIBUTES = ("kind", "type", "lang", "ext", "path", "domain", "tag", "name")

# What a person may write -> the attribute it looks at and how. `file` and `path` mean
# the same (SEMANTICS.md B: one merged list); `source_type` and `path_prefix` are seed
# 004's names.
FIELDS: Mapping[str, tuple[str, Test]] = {
    "kind": ("kind", Test.EQUALS),
    "type": ("type", Test.EQUALS),
    "lang": ("lang", Test.EQUALS),
    "ext": ("ext", Test.EQUALS),
    "file": ("path", Test.CONTAINS),
    "path": ("path", Test.CONTAINS),
    "path_prefix": ("path", Test.STARTS),
    "source_type": ("ext", Test.EQUALS),
    "domain": ("domain", Test.EQUALS),
    "tag": ("tag", Test.EQUALS),
    "name": ("name", Test.CONTAINS),
}

_LANGUAGE_ALIASES = {
    "js": "javascript",
    "jsx": "javascript",
    "ts": "typescript",
    "py": "python",
    "golang": "go",
    "rs": "rust",
    "cpp": "c++",
    "cxx": "c++",
    "cc": "c++",
    "csharp": "c#",
    "cs": "c#",
    "rb": "ruby",
    "kt": "kotlin",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "ksh": "shell",
    "fish": "shell",
    "hpp": "c++",
    "fsharp": "f#",
    "objc": "objective-c",
    "ex": "elixir",
    "exs": "elixir",
    "hs": "haskell",
    "tf": "terraform",
    "proto": "protocol buffers",
    "vb": "visual basic",
    "rst": "restructuredtext",
    "adoc": "asciidoc",
    "ipynb": "jupyter",
    "notebook": "jupyter",
    "docx": "word",
    "pptx": "powerpoint",
    "xlsx": "excel",
    "dockerfile": "docker",
    "ndjson": "jsonl",
    "tsv": "csv",
    "htm": "html",
    "pl": "perl",
    "ps1": "powershell",
    "tsx": "typescript",
    "md": "markdown",
    "yml": "yaml",
}


_HALF_PAIR = re.compile("[\ud800-\udfff]")


def fold(value: str) -> str:
    """Return `value` as it is compared: lower case, accents composed, no lone surrogates."""
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFC", _HALF_PAIR.sub("\ufffd", value).lower())


def build(wanted: Mapping[str, str | Iterable[str] | None]) -> Filter:
    """Turn names and values as a person gives them into a Filter.

    None leaves a field out; an empty list allows nothing. An unknown name raises
    FilterError, which says the nearest valid one.
    """
    values: dict[str, set[str]] = {}
    for name, given in wanted.items():
        if given is None:
            continue
        if name not in FIELDS:
            raise FilterError(_unknown(name), field=name)
        same = "path" if name == "file" else name
        values.setdefault(same, set()).update(_folded(name, one) for one in _listed(name, given))
    made = {Condition(*FIELDS[name], frozenset(found)) for name, found in values.items()}
    return Filter(tuple(sorted(made, key=_key)))


def _listed(name: str, given: str | Iterable[str]) -> Iterable[str]:
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise FilterError(_not_text(name, given), field=name)
    return given


def _folded(name: str, value: str) -> str:
    if not isinstance(value, str):
        raise FilterError(_not_text(name, value), field=name)
    folded = fold(value.strip())
    attribute = FIELDS[name][0]
    if attribute == "ext":
        return "." + folded.lstrip("*.") if folded.strip("*.") else ""
    if attribute == "lang":
        return _LANGUAGE_ALIASES.get(folded, folded)
    if attribute == "path":
        return folded.replace("\\", "/").removeprefix("./")
    return folded


def _not_text(name: str, value: object) -> str:
    return f"The filter {name} takes text, not {value!r}."


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, FIELDS, n=1, cutoff=0.0)
    return f"Unknown filter {name!r}. Did you mean {near[0]!r}? Filters: {', '.join(FIELDS)}."


def _key(condition: Condition) -> tuple[str, str, list[str]]:
    return condition.field, condition.test, sorted(condition.values)
