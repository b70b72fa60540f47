"""A path and the head of a text -> which kind of file this is.

The tables stand in languages.toml; this module only looks things up in them. Called by
parse(), and by anyone who must know a file's language without parsing it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from trivium.types import Kind

PLAIN = "plain"

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
class _Tables:
    """The rows of languages.toml by what a file is recognised by."""

    names: Mapping[str, FileType]
    extensions: Mapping[str, FileType]
    interpreters: Mapping[str, FileType]


def detect(path: str, head: str) -> FileType:
    """Recognise a file by its whole name, then its extension, then its first line.

    A name wins with any extension that is not itself known, so `README`, `README.ja`
    and `Dockerfile.dev` are recognised and `LICENSE.py` stays Python.
    """
    tables = _tables()
    name = path.rpartition("/")[2].lower()
    stem, _, extension = name.rpartition(".")
    found = tables.names.get(name)
    if found is None and stem:
        found = tables.extensions.get(extension)
    if found is None:
        found = tables.names.get(name.partition(".")[0])
    if found is None and (shebang := _SHEBANG.match(head)):
        found = tables.interpreters.get(shebang[1].lower())
    return UNKNOWN if found is None else found


@cache
def _tables() -> _Tables:
    content = resources.files("trivium.parsing").joinpath("languages.toml").read_text("utf-8")
    names: dict[str, FileType] = {}
    extensions: dict[str, FileType] = {}
    interpreters: dict[str, FileType] = {}
    for row in tomllib.loads(content)["languages"]:
        file_type = FileType(Kind(row["kind"]), row["name"], row.get("parser", PLAIN))
        _claim(names, row.get("names", ()), file_type)
        _claim(extensions, row.get("extensions", ()), file_type)
        _claim(interpreters, row.get("interpreters", ()), file_type)
    return _Tables(names, extensions, interpreters)


def _claim(table: dict[str, FileType], keys: Iterable[str], file_type: FileType) -> None:
    for key in keys:
        table.setdefault(key, file_type)
