"""The tables of all languages -> docs/languages.md: what is known of a file in each of them.

Nothing here is written by hand: a fact is there when a table asks for it. `python -m
trivium.parsing.code.matrix` prints the page; a test compares it with the one in docs/.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

from trivium.parsing.code.layout import SCOPE
from trivium.parsing.code.symbol import CALLABLE, HOLDERS, TYPES
from trivium.parsing.detect import PLAIN, Language, languages
from trivium.types import Kind

Rows = Mapping[str, Any]

_CAPTURE = re.compile(r"@([a-z]+)")
_NOTHING_CAPTURED = re.compile(r";[^\n]*|\"(?:[^\"\\]|\\.)*\"|@_\w+")

_INTRODUCTION = """\
# Languages and formats

Made from the tables in `src/trivium/parsing/` by `python -m trivium.parsing.code.matrix`; a test
fails when this page and the tables differ. An empty cell is a fact the language does not have, or
that its table does not ask for.
"""

_CODE = """\
## Code

Read by a grammar: a node for the module and one for each symbol, with its signature, its lines and
what contains it. A file with errors in it still gives the parts around them. Where the grammar is
not installed, or the text is none it could read in reasonable time, the file is read as text, and
`trivium status` says so.
"""

_FACTS = """\
### Facts about each symbol

The metadata of a node, by which results are filtered and the graph is linked.
"""

_TEXT_CODE = """\
### Recognised, read as text

The language is known to filters and the file is cut into chunks, but no symbols are found in it.
"""

_DOCUMENTS = """\
## Documents

A node for the document and one for each section, with links and the symbols its text mentions.
"""

_RECORDS = """\
## Records

A node for each record, its fields as metadata. JSON, YAML and TOML hold records when they hold a
list of objects, and are one text otherwise.
"""

_FILES = """\
## Other files

Known by name, read as text: one node for each.
"""

_UNKNOWN = """\
## What nobody knows

A file with an unknown ending is recognised by its whole name (`README`, `Makefile`) or by the
interpreter in its first line. If neither helps and it is text, it is one node of kind `file`, cut
into chunks and found by its words and its path. Files that are not text are passed over
and counted.
"""

# The parsers of documents: what the page says of them.
_READERS = {
    "markdown": "headings, front matter, links, code blocks",
    "rst": "headings, directives, links, code blocks",
    "asciidoc": "headings, attributes, links, code blocks",
    "html": "headings, links, code blocks",
    PLAIN: "one text",
}
_CONVERTED = frozenset({"jupyter", "pdf", "word", "powerpoint", "excel", "epub"})


def page() -> str:
    """Return the page as Markdown."""
    tables = {name: _Table(_rows(name)) for name in _table_names()}
    rows = languages()
    code = _by_language(row for row in rows if row.file_type.parser in tables)
    entries = [(name, found, tables[found[0].file_type.parser]) for name, found in code.items()]
    others = [row for row in rows if row.file_type.parser not in tables]
    plain = [row for row in others if row.file_type.parser == PLAIN]
    parts = [
        _INTRODUCTION,
        _CODE,
        _matrix(entries, _BASICS, with_types=True),
        _FACTS,
        _matrix(entries, _BEHAVIOUR, with_types=False),
        _TEXT_CODE,
        _listing(row for row in plain if row.file_type.kind is Kind.CODE),
        _DOCUMENTS,
        _documents(row for row in others if row.file_type.kind is Kind.DOC),
        _RECORDS,
        _listing(row for row in others if row.file_type.parser == "record"),
        _FILES,
        _listing(row for row in plain if row.file_type.kind is Kind.FILE),
        _UNKNOWN,
    ]
    return "\n".join(parts)


class _Table:
    """What one table asks for: what its symbols are, and what is found of imports and types."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.flat = self._captured("query", "extra")
        self.imports = self._captured("imports", "extra_imports")
        self.typed = self._captured("types", "extra_types")

    def _captured(self, *keys: str) -> frozenset[str]:
        code = "\n".join(self._rows.get(key, "") for key in keys)
        return frozenset(_CAPTURE.findall(_NOTHING_CAPTURED.sub("", code)))

    def finds(self, *captures: str) -> bool:
        """Whether symbols, or what they do, are captured as one of these."""
        return not self.flat.isdisjoint(captures)

    def has(self, *keys: str) -> bool:
        """Whether one of these keys says something."""
        return any(self._rows.get(key) for key in keys)

    def has_parameters(self) -> bool:
        """Whether functions declare parameters: not if all paths to them are empty."""
        paths = self._rows.get("parameters", {}).values()
        return self.finds(*CALLABLE) and (not paths or any(paths) or self.finds("parameter"))

    def types(self) -> tuple[str, ...]:
        """Return the types its symbols may have: those captured, and what they become."""
        renamed: Mapping[str, str] = self._rows.get("kinds", {})
        found = {one for one in TYPES if one in self.flat and one != SCOPE}
        if "function" in found and not found.isdisjoint(HOLDERS):
            found.add("method")
        if self._rows.get("constructors"):
            found.add("constructor")
        if renamed:
            found = {one for one in found if self._stays(one, renamed)} | set(renamed.values())
        order = (*TYPES, *renamed.values())
        return tuple(dict.fromkeys(one for one in order if one in found))

    def _stays(self, type_: str, renamed: Mapping[str, str]) -> bool:
        """Whether a node type captured as this one keeps it."""
        captured = re.findall(rf"^\(+(\w+).*@{type_}\b", self._rows["query"], re.MULTILINE)
        return any(one not in renamed for one in captured)


_Column = tuple[str, Callable[[_Table], bool]]

_BASICS: Sequence[_Column] = (
    ("doc", lambda table: table.finds("above", "docstring")),
    ("params", _Table.has_parameters),
    (
        "exported",
        lambda table: (
            table.finds("exported", "section", "hidden")
            or table.has("top_name", "top_signature", "member_name", "member_signature")
        ),
    ),
    ("imports", lambda table: "path" in table.imports or table.finds("import")),
    ("calls", lambda table: table.finds("call", "new")),
    ("extends", lambda table: table.finds("extends")),
    ("implements", lambda table: table.finds("implements")),
)
_BEHAVIOUR: Sequence[_Column] = (
    ("paramTypes", lambda table: "type" in table.typed),
    ("returnType", lambda table: "result" in table.typed),
    (
        "inferredTypes",
        lambda table: not table.typed.isdisjoint(("make", "made", "literal", "from")),
    ),
    ("decorators", lambda table: table.finds("decorator")),
    ("modifiers", lambda table: table.has("modifiers")),
    ("visibility", lambda table: table.has("default_visibility")),
    ("async", lambda table: table.has("async_signature")),
    ("generator", lambda table: table.finds("yield") or table.has("generator_signature")),
    ("throws", lambda table: table.finds("throw")),
    ("awaits", lambda table: table.finds("await")),
    ("returns", lambda table: table.finds("return")),
    ("branches", lambda table: table.finds("branch")),
    ("loops", lambda table: table.finds("loop")),
    ("breaks", lambda table: table.finds("break")),
    ("continues", lambda table: table.finds("continue")),
    ("reads, uses", lambda table: table.has("keywords") or table.finds("use")),
    ("writes, mutates", lambda table: table.finds("write")),
    ("aliases", lambda table: table.finds("alias")),
)


def _matrix(
    entries: Sequence[tuple[str, Sequence[Language], _Table]],
    columns: Sequence[_Column],
    *,
    with_types: bool,
) -> str:
    head = ["language", *(["files", "types of nodes"] if with_types else [])]
    lines = []
    for name, rows, table in entries:
        cells = [name]
        if with_types:
            cells += [_recognised(rows), ", ".join(table.types())]
        lines.append([*cells, *("yes" if asks(table) else "" for _, asks in columns)])
    return _grid([*head, *(title for title, _ in columns)], lines)


def _listing(rows: Iterable[Language]) -> str:
    found = _by_language(rows)
    return _grid(["language", "files"], [[name, _recognised(rows)] for name, rows in found.items()])


def _documents(rows: Iterable[Language]) -> str:
    lines = []
    for name, found in _by_language(rows).items():
        parser = found[0].file_type.parser
        read_by = "its text, as Markdown" if name in _CONVERTED else _READERS.get(parser, parser)
        lines.append([name, _recognised(found), read_by])
    return _grid(["format", "files", "read by"], lines)


def _grid(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _recognised(rows: Iterable[Language]) -> str:
    found: dict[str, None] = {}
    for row in rows:
        found |= dict.fromkeys(f"`.{one}`" for one in row.extensions)
        found |= dict.fromkeys(f"`{one}`" for one in row.names)
        found |= dict.fromkeys(
            f"`.{one}` by its text" for one in row.heads if one not in row.extensions
        )
    return ", ".join(found)


def _by_language(rows: Iterable[Language]) -> dict[str, list[Language]]:
    found: dict[str, list[Language]] = {}
    for row in rows:
        found.setdefault(row.file_type.language, []).append(row)
    return found


def _table_names() -> list[str]:
    folder = resources.files("trivium.parsing.code").joinpath("tables")
    return sorted(one.name.removesuffix(".toml") for one in folder.iterdir())


def _rows(name: str) -> dict[str, Any]:
    file = resources.files("trivium.parsing.code").joinpath("tables", f"{name}.toml")
    rows = tomllib.loads(file.read_text("utf-8"))
    return {**_rows(rows["extends"]), **rows} if "extends" in rows else rows


if __name__ == "__main__":
    sys.stdout.write(page())
