"""A note, a task or a skill <-> a Markdown file with front matter.

Reading takes what people write by hand and says what it could not read. Writing changes only
the keys that are to change: unknown keys, comments, order and line ends stay as they were. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from trivium.errors import UsageError
from trivium.memory.items import FIELDS, VERSION, Field, Link, Sort, Value, Values
from trivium.memory.limits import checked, link
from trivium.parsing.front import front_matter, words
from trivium.parsing.memory import links_in
from trivium.parsing.page import Page, bare_key, page_of
from trivium.parsing.plain import heading_of
from trivium.types import Kind, MetaValue

_BOM = "\ufeff"
# What can stand without quotes and means the same to every reader of YAML.
_PLAIN = re.compile(
    r"[^\W\d_](?:[^:#\"'\\\[\]{}|>&*!%@`?,\x00-\x1f\x7f-\xa0\u2028\u2029]|(?<=\w):(?=\w))*"
)
_SIMPLE = re.compile(r"[^\W\d_][\w .-]*")
_WORDS_OF_YAML = frozenset({"true", "false", "yes", "no", "on", "off", "null", "none", "y", "n"})
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029]")
_LONGEST_FLOW = 80
_LONGEST_IN_FRONT = 10_000
_LARGEST_VERSION = 2**31
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says: the values of its fields, its version, and what could not be read."""

    values: Values
    version: int
    problems: tuple[str, ...]


def read(kind: Kind, slug: str, text: str) -> Reading:
    """Read a file; never raises. A value that is not allowed is reported and left out."""
    page = page_of(text)
    plain = text.removeprefix(_BOM).replace("\r\n", "\n")
    front, _ = front_matter(plain)
    given = {bare_key(key): value for key, value in front.items()}
    body = text[page.body :].removeprefix(_BOM).replace("\r\n", "\n").strip("\n")
    problems = list(page.problems)
    values: dict[str, Value] = {}
    for field in FIELDS[kind]:
        found = next((given[key] for key in field.read_from if key in given), None)
        if field.sort is Sort.BODY:
            in_front = isinstance(found, str) and found and field.name == "description"
            values[field.name] = found if in_front else body
        elif found is not None and found not in ("", ()):
            values |= _one(kind, field, found, problems)
    values["title"] = values.get("title") or _title(body) or slug
    version = _version(given, problems)
    return Reading(values, version, tuple(problems[:_MOST_PROBLEMS]))


def _one(kind: Kind, field: Field, found: MetaValue, problems: list[str]) -> dict[str, Value]:
    """Return a value as it is allowed, as it stands where it can be shown, or not at all."""
    if field.sort is Sort.LINKS:
        return {field.name: _links(kind, words(found), problems)}
    value = words(found) if field.sort is Sort.LIST else found
    if field.sort is not Sort.LIST and isinstance(value, tuple):
        value = value[0]
    try:
        return checked(kind, {field.name: value})
    except UsageError as error:
        problems.append(str(error))
    # A status of someone's own is shown and can be searched for.
    is_shown = field.sort is Sort.CHOICE and isinstance(value, str)
    return {field.name: str(value)} if is_shown or field.sort is Sort.LINE else {}


def _links(kind: Kind, written: tuple[str, ...], problems: list[str]) -> tuple[Link, ...]:
    found: dict[Link, None] = {}
    for type_, target in links_in(written):
        try:
            found[link(kind, type_, target)] = None
        except UsageError as error:
            problems.append(str(error))
    return tuple(found)


def _version(given: Mapping[str, MetaValue], problems: list[str]) -> int:
    said = given.get(VERSION.key)
    if said is None:
        return 1
    text = str(said)
    if text.isascii() and text.isdigit() and 0 < int(text[:20]) < _LARGEST_VERSION:
        return int(text)
    problems.append(f"version must be a whole number, not {text[:60]!r}.")
    return 1


def _title(body: str) -> str:
    first = next((line for line in body.split("\n") if line.strip()), "")
    heading = heading_of(first)
    return "" if heading is None else heading.text


def fresh(kind: Kind, values: Values, *, version: int = 1) -> str:
    """Return the file of something new."""
    return changed(kind, "---\n---\n", values, version=version)


def changed(kind: Kind, text: str, changes: Values, *, version: int) -> str:
    """Return a file with some values changed, and all else as it was.

    Raises UsageError where front matter is never closed: nobody knows what is text there.
    """
    page = page_of(text)
    if page.is_open:
        raise UsageError(f"{page.problems[0]} Put that right in the file first.")
    newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    if page.front is None:
        mark = _BOM if text.startswith(_BOM) else ""
        text = f"{mark}---{newline}---{newline}{newline}{text.removeprefix(_BOM)}"
    for field in FIELDS[kind]:
        if field.name in changes:
            text = _set(text, field, changes[field.name], newline=newline)
    return _set(text, VERSION, version, newline=newline)


def _set(text: str, field: Field, value: Value, *, newline: str) -> str:
    page = page_of(text)
    if field.sort is Sort.BODY and not _is_in_front(page, field):
        body = str(value or "").replace("\n", newline)
        return text[: page.body] + newline + (body + newline if body else "")
    if field.sort is Sort.BODY and len(str(value or "")) > _LONGEST_IN_FRONT:
        raise UsageError(
            f"{field.name} stands in the front matter, where at most {_LONGEST_IN_FRONT:,} "
            "characters fit. Move it below in the file first."
        )
    if page.front is None:
        return text
    block = page.block(*field.read_from)
    key = field.key
    if block is not None:
        key = text[block.span.start : block.span.end].partition(":")[0]
    lines = _lines(key, field, value)
    new = "".join(line + newline for line in lines)
    if block is None:
        return text[: page.front.end] + new + text[page.front.end :]
    return text[: block.span.start] + new + text[block.span.end :]


def _is_in_front(page: Page, field: Field) -> bool:
    return field.name == "description" and page.block(*field.read_from) is not None


def _lines(key: str, field: Field, value: Value) -> list[str]:
    """Return the lines of one key; none for a value that is not there."""
    if value is None or value in ("", ()):
        return []
    if not isinstance(value, tuple):
        return [f"{key}: {_scalar(field, value)}"]
    entries = [str(one) for one in value]
    flow = ", ".join(entries)
    if len(flow) <= _LONGEST_FLOW and all(_is_simple(one) for one in entries):
        return [f"{key}: [{flow}]"]
    return [f"{key}:", *(f"  - {_quoted(one)}" for one in entries)]


def _scalar(field: Field, value: str | float) -> str:
    if isinstance(value, str):
        return value if field.sort is Sort.DATE else _quoted(value)
    return str(int(value)) if float(value).is_integer() else repr(value)


def _is_simple(text: str) -> bool:
    return (
        _SIMPLE.fullmatch(text) is not None
        and text == text.strip()
        and text.lower() not in _WORDS_OF_YAML
    )


def _quoted(text: str) -> str:
    """Return a text as YAML has it: bare where that is safe, else in quotes with escapes."""
    is_plain = _PLAIN.fullmatch(text) is not None and text == text.strip()
    if is_plain and text.lower() not in _WORDS_OF_YAML:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
