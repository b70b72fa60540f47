"""A language's table file -> the grammar and the query that find its symbols.

Tables are data, in tables/*.toml; one may extend another. Loaded once per process and on first
use: a folder without Rust never pays for its grammar. Used by the reader.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Language, Query

Paths = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Table:
    """What the reader knows of one language.

    The query's capture names say what a syntax node is: a symbol's type, or `scope` (lends
    its name, is no symbol), `outer` (widens the symbol that is its last child), `above`
    (comments and decorators), `docstring`, `import` or `exported`. `names`, `owners`, `bodies`
    and `parameters` say under which fields, by node type, these are found.
    """

    language: Language
    query: Query
    line_comment: str
    constructors: frozenset[str]
    receivers: frozenset[str]
    name_noise: frozenset[str]
    has_closed_exports: bool
    top_name: re.Pattern[str]
    top_signature: re.Pattern[str]
    member_name: re.Pattern[str]
    member_signature: re.Pattern[str]
    names: Paths
    owners: Paths
    bodies: Paths
    parameters: Paths


@cache
def load(name: str) -> Table:
    """Load a table by its file's name. Raises ImportError when its grammar is not installed."""
    from tree_sitter import Language, Query

    rows = _rows(name)
    grammar = getattr(import_module(rows["package"]), rows["entry"])
    language = Language(grammar())
    return Table(
        language=language,
        query=Query(language, rows["query"] + rows.get("extra", "")),
        line_comment=rows["line_comment"],
        constructors=frozenset(rows.get("constructors", ())),
        receivers=frozenset(rows.get("receivers", ())),
        name_noise=frozenset(rows.get("name_noise", ())),
        has_closed_exports=rows.get("has_closed_exports", False),
        top_name=re.compile(rows.get("top_name", "")),
        top_signature=re.compile(rows.get("top_signature", "")),
        member_name=re.compile(rows.get("member_name", "")),
        member_signature=re.compile(rows.get("member_signature", "")),
        names=_paths(rows, "names"),
        owners=_paths(rows, "owners"),
        bodies=_paths(rows, "bodies"),
        parameters=_paths(rows, "parameters"),
    )


def _rows(name: str) -> dict[str, Any]:
    file = resources.files("trivium.parsing.code").joinpath("tables", f"{name}.toml")
    rows = tomllib.loads(file.read_text("utf-8"))
    return {**_rows(rows["extends"]), **rows} if "extends" in rows else rows


def _paths(rows: Mapping[str, Any], key: str) -> Paths:
    return {kind: tuple(paths) for kind, paths in rows.get(key, {}).items()}
