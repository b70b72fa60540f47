"""A path and the head of a text -> which kind of file this is.

The tables stand in languages.toml; this module only looks things up in them. Called by
parse(), and by anyone who must know a file's language without parsing it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from trivium.types import Kind

PLAIN = "plain"
_DATABASES = ("db:", "db3:", "sqlite:", "sqlite3:")

# How much of a text is worth giving to detect(): past a long licence, where two languages share
# an extension and only the text tells them apart.
HEAD = 8192

# An interpreter's name without its path and version: "/usr/bin/env -S python3.12 -u" -> "python".
_SHEBANG = re.compile(r"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+)*)?(?:\S*/)?([A-Za-z][A-Za-z-]*)")


@dataclass(frozen=True, slots=True)
class FileType:
    """What a file is: the kind of its nodes, its language ("" if unknown) and its parser."""

    kind: Kind
    language: str
    parser: str


UNKNOWN = FileType(kind=Kind.FILE, language="", parser=PLAIN)


@dataclass(frozen=True, slots=True)
class Language:
    """One row of languages.toml: a file type and what it is recognised by."""

    file_type: FileType
    extensions: tuple[str, ...]
    names: tuple[str, ...]
    interpreters: tuple[str, ...]
    heads: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Tables:
    """The file types by what a file is recognised by."""

    names: Mapping[str, FileType]
    extensions: Mapping[str, FileType]
    heads: Mapping[str, Sequence[tuple[re.Pattern[str], FileType]]]
    interpreters: Mapping[str, FileType]


def detect(path: str, head: str) -> FileType:
    """Recognise a file by its whole name, then its extension, then its first line.

    A name wins with any extension that is not itself known, so `README`, `README.ja`
    and `Dockerfile.dev` are recognised and `LICENSE.py` stays Python. Where languages share
    an extension, as C and C++ do .h, the first HEAD characters decide.
    """
    tables = _tables()
    name = path.rpartition("/")[2].lower()
    stem, _, extension = name.rpartition(".")
    if extension.startswith(_DATABASES):
        # A table of a database, whose rows come as JSON lines: data/app.db:orders.
        extension = "jsonl"
    found = tables.names.get(name)
    if found is None and stem:
        found = _by_head(tables.heads.get(extension, ()), head[:HEAD])
        found = tables.extensions.get(extension) if found is None else found
    if found is None:
        found = tables.names.get(name.partition(".")[0])
    if found is None and (shebang := _SHEBANG.match(head)):
        found = tables.interpreters.get(shebang[1].lower())
    return UNKNOWN if found is None else found


def _by_head(candidates: Iterable[tuple[re.Pattern[str], FileType]], head: str) -> FileType | None:
    return next((found for pattern, found in candidates if pattern.search(head)), None)


@cache
def languages() -> tuple[Language, ...]:
    """Return the rows of languages.toml; a language that is read in two ways has two."""
    content = resources.files("trivium.parsing").joinpath("languages.toml").read_text("utf-8")
    return tuple(
        Language(
            file_type=FileType(Kind(row["kind"]), row["name"], row.get("parser", PLAIN)),
            extensions=tuple(row.get("extensions", ())),
            names=tuple(row.get("names", ())),
            interpreters=tuple(row.get("interpreters", ())),
            heads=row.get("heads", {}),
        )
        for row in tomllib.loads(content)["languages"]
    )


@cache
def _tables() -> _Tables:
    names: dict[str, FileType] = {}
    extensions: dict[str, FileType] = {}
    interpreters: dict[str, FileType] = {}
    heads: dict[str, list[tuple[re.Pattern[str], FileType]]] = {}
    for row in languages():
        _claim(names, row.names, row.file_type)
        _claim(extensions, row.extensions, row.file_type)
        _claim(interpreters, row.interpreters, row.file_type)
        for extension, pattern in row.heads.items():
            heads.setdefault(extension, []).append((re.compile(pattern.strip()), row.file_type))
    return _Tables(names, extensions, heads, interpreters)


def _claim(table: dict[str, FileType], keys: Iterable[str], file_type: FileType) -> None:
    for key in keys:
        table.setdefault(key, file_type)
