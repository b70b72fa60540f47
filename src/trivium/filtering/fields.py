"""The names of filters -> what each looks at, how it compares, and what it takes.

One table for every door: the options of the command line, the keys of HTTP and MCP and the
page about filters are made from it or held to it by a test.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from trivium.errors import FilterError
from trivium.filtering.comparing import Test

# The attributes a backend stores beside each node, all folded to lower case.
ATTRIBUTES = ("kind", "type", "lang", "ext", "path", "domain", "tag", "name")
# Those that are alike for all nodes of a file of code.
OF_FILES = frozenset(
    {"kind", "lang", "ext", "path", "domain", "category", "marks"}
    | {"churn", "author", "branch", "modified"}
)


class Takes(StrEnum):
    """What a person may give as the value of a filter."""

    TEXT = "text"
    # Text or a number, as front matter holds both.
    WORD = "text or a number"
    FLAG = "true"
    NUMBER = "a number"
    DATE = "a date such as 2025-01-31"
    FIELDS = "key, key=value or an object"
    JSON = "a JSON object"
    EXPRESSION = "filters such as lang:go ext=.go cmd/"


@dataclass(frozen=True, slots=True)
class Field:
    """One filter. `splits`: a comma separates values on the command line.

    `choices` are all the values there can be, where nobody can add one.
    """

    attribute: str
    test: Test
    help: str
    takes: Takes = Takes.TEXT
    splits: bool = False
    is_common: bool = False
    choices: tuple[str, ...] = ()


def _common(attribute: str, test: Test, said: str) -> Field:
    return Field(attribute, test, said, splits=True, is_common=True)


def _part(attribute: str, said: str, *, splits: bool = False) -> Field:
    return Field(attribute, Test.CONTAINS, said, splits=splits)


def _flag(attribute: str, said: str) -> Field:
    return Field(attribute, Test.EQUALS, said, Takes.FLAG)


def _least(attribute: str, said: str) -> Field:
    return Field(attribute, Test.AT_LEAST, said, Takes.NUMBER)


# `file` and `path` mean the same (SEMANTICS.md B: one merged list); `source-type` and
# `path-prefix` are seed 004's names, `category` is seed 002's.
FIELDS: Mapping[str, Field] = {
    "kind": _common("kind", Test.EQUALS, "Only this kind: code, doc, file, record..."),
    "type": _common("type", Test.EQUALS, "Only this type: function, class, section..."),
    "lang": _common("lang", Test.EQUALS, "Only this language; js, c++ and golang will do."),
    "ext": _common("ext", Test.EQUALS, "Only files with this ending."),
    "file": _common("path", Test.CONTAINS, "The same as --path."),
    "path": _common("path", Test.CONTAINS, "Only paths that contain this, or /pattern/flags."),
    "domain": _common("domain", Test.EQUALS, "Only this domain (front matter or first folder)."),
    "tag": _common("tag", Test.EQUALS, "Only nodes with this tag."),
    "name": Field("name", Test.CONTAINS, "Only nodes whose name contains this.", is_common=True),
    "path-prefix": Field("path", Test.STARTS, "The path starts with this.", splits=True),
    "source-type": Field("ext", Test.EQUALS, "The same as --ext.", splits=True),
    "category": Field("category", Test.EQUALS, "api, guides, community or a domain.", splits=True),
    "marks": Field(
        "marks",
        Test.EQUALS,
        "The file is generated, minified, vendored or a test.",
        splits=True,
        choices=("generated", "minified", "vendored", "test"),
    ),
    "signature": Field("signature", Test.INCLUDES, "The signature contains this, with case."),
    "param": Field("param", Test.EXACT, "A parameter has exactly this name."),
    "return-type": _part("return-type", "The declared type of the result contains this."),
    "inferred-type": _part("inferred-type", "A type of what it handles contains this."),
    "calls": Field("calls", Test.EXACT, "It calls exactly this, or is this and calls something."),
    "uses": Field("uses", Test.EXACT, "It or its module uses exactly this type or name."),
    "import": Field("import", Test.EXACT, "It or its file imports exactly this."),
    "extends": _part("extends", "A base class or interface contains this."),
    "visibility": _part("visibility", "public, private, static...", splits=True),
    "decorator": _part("decorator", "A decorator or annotation contains this."),
    "throws": _part("throws", "Something it throws contains this."),
    "awaits": _part("awaits", "Something it awaits contains this."),
    "reads": _part("reads", "A variable it reads contains this."),
    "writes": _part("writes", "A variable it assigns contains this."),
    "mutates": _part("mutates", "Something it changes in place contains this."),
    "alias": _part("alias", "An alias it makes, such as q=request, contains this."),
    "async": _flag("async", "Only asynchronous functions."),
    "generator": _flag("generator", "Only generators."),
    "returns": _flag("returns", "Only functions that return a value."),
    "branches": _least("branches", "At least so many branches."),
    "loops": _least("loops", "At least so many loops."),
    "breaks": _least("breaks", "At least so many breaks."),
    "continues": _least("continues", "At least so many continues."),
    "churn": _least("churn", "The file changed in at least so many commits."),
    "author": _part("author", "The last author of the file contains this."),
    "chunk-author": _part("author", "For now the same as --author."),
    "branch": Field("branch", Test.EXACT, "The folder is on exactly this branch; else nothing."),
    "modified-after": Field(
        "modified", Test.AT_LEAST, "The file's last commit is not older.", Takes.DATE
    ),
    "modified-since": Field(
        "modified", Test.AT_LEAST, "The same; of both, the later date counts.", Takes.DATE
    ),
    "risk": _part("risk-tag", "The same as --risk-tag, which wins over it.", splits=True),
    "risk-tag": _part(
        "risk-tag", "A tag of risk, such as command-exec, contains this.", splits=True
    ),
    "risk-source": _part("risk-source", "Where input enters, such as req.body, contains this."),
    "risk-sink": _part("risk-sink", "Where it could do harm, such as exec, contains this."),
    "risk-category": _part(
        "risk-category", "input, command, sql, file... contains this.", splits=True
    ),
    "risk-flow": _part("risk-flow", "A flow such as req.body->exec contains this."),
    "meta": Field(
        "meta", Test.HOLDS, "A field is there (key), or contains this (key=value).", Takes.FIELDS
    ),
    "meta-json": Field(
        "meta", Test.HOLDS, "Fields that must all match, as a JSON object.", Takes.JSON
    ),
    "status": Field("status", Test.EQUALS, "Front matter's status.", Takes.WORD, splits=True),
    "priority": Field("priority", Test.EQUALS, "Front matter's priority.", Takes.WORD, splits=True),
    "assignee": Field("assignee", Test.EQUALS, "Front matter's assignee.", Takes.WORD),
    "due-before": Field("due", Test.BELOW, "Front matter's due date is before this.", Takes.DATE),
    "filter": Field(
        "filter",
        Test.EQUALS,
        "More filters, which must hold too: 'lang:go cmd/'.",
        Takes.EXPRESSION,
    ),
}

# What seed 001 calls some of them over MCP.
_OTHER_NAMES = {
    f"{name}-min": name for name in ("branches", "loops", "breaks", "continues", "churn")
}

# What only code has: a record is not left out for lacking it (case G64).
OF_CODE = frozenset(
    {
        *("signature", "param", "return-type", "inferred-type", "calls", "uses", "import"),
        *("extends", "visibility", "decorator", "throws", "awaits", "reads", "writes", "mutates"),
        *("alias", "async", "generator", "returns", "branches", "loops", "breaks", "continues"),
        *("risk-tag", "risk-source", "risk-sink", "risk-category", "risk-flow"),
    }
)

_HUMP = re.compile("([a-z])([A-Z])")
# The sender may be a script: comparing words costs their length squared.
_LONGEST_NAME = 60


def named(name: str) -> str:
    """Return the name of a filter, given as riskTag, risk_tag or risk-tag.

    Raises FilterError that says the nearest valid one.
    """
    shown = str(name)[:_LONGEST_NAME]
    plain = _HUMP.sub(lambda found: f"{found[1]}-{found[2].lower()}", shown).replace("_", "-")
    plain = _OTHER_NAMES.get(plain, plain)
    if plain in FIELDS:
        return plain
    near = difflib.get_close_matches(plain, FIELDS, n=1, cutoff=0.0)[0]
    raise FilterError(
        f"Unknown filter {shown!r}. Did you mean {near!r}? Filters: {', '.join(FIELDS)}.",
        field=name,
    )
