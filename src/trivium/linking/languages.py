"""The table of how each language's references lead to files. Loaded once, on first use."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Ways:
    """What linking knows of one language; languages.toml says what each means."""

    language: str
    group: str
    style: str = "none"
    separator: str = "."
    extensions: tuple[str, ...] = ()
    index: frozenset[str] = frozenset()
    swaps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_folder_scope: bool = False
    is_bare: bool = False
    own: frozenset[str] = frozenset()
    base: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()
    searches: bool = False
    includes: bool = False
    has_file_per_type: bool = False
    has_parts: bool = False
    package_prefix: str = ""
    everyday: frozenset[str] = frozenset()


def ways_of(language: str) -> Ways:
    """Return how a language's references lead on; by names alone if nothing is known."""
    found = _table().get(language)
    return Ways(language, group=language) if found is None else found


@cache
def _table() -> Mapping[str, Ways]:
    text = resources.files("trivium.linking").joinpath("languages.toml").read_text("utf-8")
    rows = tomllib.loads(text)
    found: dict[str, Ways] = {}
    for language, own in rows.items():
        row = rows[own["same_as"]] if "same_as" in own else own
        found[language] = Ways(
            language,
            group=row.get("group", language),
            style=row["style"],
            separator=row.get("separator", "."),
            extensions=tuple(row.get("extensions", ())),
            index=frozenset(row.get("index", ())),
            swaps={ending: tuple(others) for ending, others in row.get("swaps", {}).items()},
            is_folder_scope=row.get("scope") == "folder",
            is_bare=row.get("bare", False),
            own=frozenset(row.get("own", ())),
            base=frozenset(row.get("base", ())),
            roots=frozenset(row.get("roots", ())),
            searches=row.get("searches", False),
            includes=row.get("includes", False),
            has_file_per_type=row.get("file_per_type", False),
            has_parts=row.get("parts", False),
            package_prefix=row.get("package_prefix", ""),
            everyday=frozenset(row.get("everyday", ())),
        )
    return found
