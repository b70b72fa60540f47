"""What a person gave as a filter's value -> the texts a condition compares with.

None and false leave a filter out; an empty list allows nothing. What a filter cannot take is a
FilterError that names it. Used by `conditions.build`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from reprlib import Repr

from trivium.errors import FilterError, unknown
from trivium.filtering.comparing import Test, clean, fold, instant, number, plain
from trivium.filtering.facts import KEY_END
from trivium.filtering.fields import FIELDS, Field, Takes, named
from trivium.filtering.patterns import pattern

# A list from a script must not become a query that never ends.
MOST_VALUES = 1000
_DEEPEST = 12
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60

Value = str | bool | int | float | Mapping[str, object]
Given = Value | Iterable[Value] | None

_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})
_WORD = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*'|["'])+""")
_QUOTED = re.compile(r"""\"([^"]*)\"|'([^']*)'""")
_TERM = re.compile(r"([A-Za-z][\w-]*)[:=](.*)", re.DOTALL)
_DECLARED = re.compile("(.+)(?:declaration|definition)")

LANGUAGE_ALIASES = {
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


def listed(name: str, given: Given) -> list[object] | None:
    """Return the values of a filter as a list; None where it is left out."""
    if given is None or given is False:
        return None
    if isinstance(given, str | bool | int | float | Mapping):
        return [given]
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise _refused(name, given)
    values: list[object] = list(given)
    if len(values) > MOST_VALUES:
        raise FilterError(
            f"The filter {name} has {len(values):,} values; the most is {MOST_VALUES:,}.",
            field=name,
        )
    said = [one for one in values if one is not False]
    return said if said or not values else None


def read(name: str, value: object) -> Iterator[str]:
    """Yield what a condition compares with, for one value of a filter.

    Nothing for one that says no. Raises FilterError for one the filter cannot take.
    """
    field = FIELDS[name]
    if field.takes in (Takes.NUMBER, Takes.DATE):
        found = number(value) if field.takes is Takes.NUMBER else _date(value)
        if found is None:
            raise _refused(name, value)
        yield plain(found)
    elif field.takes is Takes.FLAG:
        yield from _flag(name, value)
    elif field.takes is Takes.FIELDS:
        if not isinstance(value, str):
            raise _refused(name, value)
        yield _pair(name, value)
    elif not isinstance(value, str) and (field.takes is not Takes.WORD or number(value) is None):
        raise _refused(name, value)
    else:
        for text in _texts(field, str(value).strip()):
            if field.choices and text not in field.choices:
                raise FilterError(unknown(name, text, field.choices), field=name)
            yield text


def _date(value: object) -> float | None:
    return None if isinstance(value, bool) else instant(value)


def _flag(name: str, value: object) -> Iterator[str]:
    said = fold(value.strip()) if isinstance(value, str) else ""
    if value in (True, 1) or said in _YES:
        yield "true"
    elif value not in (False, 0) and said not in _NO:
        raise _refused(name, value)


def _texts(field: Field, value: str) -> Iterator[str]:
    if field.test in (Test.EXACT, Test.INCLUDES):
        yield clean(value)
        return
    folded = fold(value)
    if field.attribute == "ext":
        yield "." + folded.lstrip("*.") if folded.strip("*.") else ""
    elif field.attribute == "lang":
        yield LANGUAGE_ALIASES.get(folded, folded)
    elif field.attribute == "path":
        yield folded.replace("\\", "/").removeprefix("./")
    else:
        yield folded
    if field.attribute == "type" and (meant := declared(folded)):
        yield meant


def declared(type_: str) -> str:
    """Return what seed 001 calls a FunctionDeclaration: a function; empty for any other type."""
    found = _DECLARED.fullmatch(type_)
    return "" if found is None else found[1].rstrip("_")


def _pair(name: str, written: str) -> str:
    key, _, value = written.partition("=")
    key = clean(key.strip())
    if not key:
        raise _refused(name, written)
    value = fold(value.strip())
    return f"{key}{KEY_END}{value}" if value else key


def from_object(name: str, given: object) -> Iterator[frozenset[str]]:
    """Yield for each key of an object the alternatives for its value; JSON text is one too."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise _refused(name, given) from None
    if not isinstance(given, Mapping):
        raise _refused(name, given)
    yield from _of_object(name, "", given, depth=_DEEPEST)


def _of_object(
    name: str, prefix: str, given: Mapping[object, object], *, depth: int
) -> Iterator[frozenset[str]]:
    if not depth:
        raise _refused(name, given)
    for key, value in given.items():
        dotted = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _of_object(name, f"{dotted}.", value, depth=depth - 1)
            continue
        values = listed(name, None) if value is None else _of_value(name, value)
        yield frozenset({clean(dotted)} if values is None else {_named(dotted, v) for v in values})


def _of_value(name: str, value: object) -> list[object]:
    if isinstance(value, bool):
        return [value]
    if isinstance(value, str | int | float | list | tuple):
        return listed(name, value) or []
    raise _refused(name, value)


def _named(key: str, value: object) -> str:
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str) or number(value) is not None:
        text = fold(str(value).strip())
    else:
        raise _refused("meta", value)
    return f"{clean(key)}{KEY_END}{text}" if text else clean(key)


def terms(name: str, written: object) -> Mapping[str, list[str]]:
    """Return the filters of an expression such as `lang:js ext=.ts src/`; a bare word is a path.

    Raises FilterError for an unknown name.
    """
    if not isinstance(written, str):
        raise _refused(name, written)
    found: dict[str, list[str]] = {}
    for word in _WORD.findall(written):
        bare = _QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", word)
        term = _TERM.fullmatch(bare)
        key, value = (named(term[1]), term[2]) if term is not None else ("path", bare)
        if FIELDS[key].takes is Takes.EXPRESSION:
            raise _refused(name, word)
        found.setdefault(key, []).extend(separated(key, value))
    return found


def separated(name: str, value: str) -> list[str]:
    """Return the values of one argument of the command line, between commas where that is safe."""
    is_pattern = FIELDS[name].attribute == "path" and pattern(value.strip()) is not None
    if not FIELDS[name].splits or is_pattern:
        return [value]
    return [one.strip() for one in value.split(",") if one.strip()] or [value]


def _refused(name: str, value: object) -> FilterError:
    try:
        shown = _SHORT.repr(value)
    except ValueError:
        shown = "so large a number"
    return FilterError(f"The filter {name} takes {FIELDS[name].takes}, not {shown}.", field=name)
