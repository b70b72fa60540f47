"""A Markdown file from elsewhere <-> the same with where it came from in its front matter.

So that what was brought in can be given back as it was, byte for byte, if nobody changed it:
only lines that were added here are taken away again. Pure. Used by importing and exporting.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from trivium.parsing.page import Page, page_of
from trivium.types import Span

_PATH, _FILES, _TITLE = "trivium-path", "trivium-files", "title"
_BARE = {_PATH: "triviumpath", _FILES: "triviumfiles"}
_BOM = "\ufeff"
# Tells front matter that was made here from one that was empty before.
_MADE = "# made by trivium"
# What programs that read SKILL.md want to see first.
_FOR_OTHERS = re.compile(
    r"(\A\ufeff?---[ \t]*\r?\n)# for other programs\r?\n(?:(?!---)[^\n]*\n){2}# and ours\r?\n"
)
_FENCE = re.compile(r"\A\ufeff?---[ \t]*\r?\n")
_MOST_FILES = 20


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a file came from, with those beside it, and what it said there."""

    path: str
    files: tuple[str, ...]
    text: str


def with_origin(text: str, path: str, *, title: str = "", files: tuple[str, ...] = ()) -> str:
    """Return a file that says where it came from; `title` is what it is called without one.

    One whose front matter is never closed has none: all of it is its text.
    """
    page = page_of(text)
    end = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    lines = [f"{_PATH}: {_quoted(path)}"]
    if files:
        lines.append(f"{_FILES}: {_quoted(list(files))}")
    if title and page.block("title", "name") is None:
        lines.append(f"{_TITLE}: {_quoted(title)}")
    if page.front is None:
        mark = _BOM if text.startswith(_BOM) else ""
        front = "".join(line + end for line in ("---", _MADE, *lines, "---"))
        return mark + front + text.removeprefix(_BOM)
    added = "".join(line + end for line in lines)
    is_like_ours = text[page.front.start : page.front.end].strip() == _MADE
    at = page.front.start if is_like_ours else page.front.end
    return text[:at] + added + text[at:]


def origin_of(text: str) -> Origin | None:
    """Return where a file says that it came from, and the file without that; None if nowhere."""
    page = page_of(text)
    path = _said(page, _PATH)
    if page.front is None or not isinstance(path, str):
        return None
    files = _said(page, _FILES)
    names = tuple(one for one in files if isinstance(one, str)) if isinstance(files, list) else ()
    spans = sorted(_added(page, path), key=lambda one: one.start)
    plain = text
    for span in reversed(spans):
        plain = plain[: span.start] + plain[span.end :]
    left = page_of(plain)
    is_all = left.front is not None and plain[left.front.start : left.front.end].strip() == _MADE
    # Where it stands behind what was added, it was there before.
    if is_all and text[page.front.start : spans[0].start].strip() == _MADE:
        mark = _BOM if plain.startswith(_BOM) else ""
        plain = mark + plain[left.body :]
    return Origin(path, names[:_MOST_FILES], plain)


def for_others(text: str, *, name: str, description: str) -> str:
    """Return a skill with the two keys that other programs want; `without_those` undoes it."""
    fence = _FENCE.match(text)
    if fence is None:
        return text
    end = "\r\n" if fence[0].endswith("\r\n") else "\n"
    lines = (
        "# for other programs",
        f"name: {_quoted(name)}",
        f"description: {_quoted(description)}",
        "# and ours",
    )
    added = "".join(line + end for line in lines)
    return text[: fence.end()] + added + text[fence.end() :]


def without_those(text: str) -> str:
    """Return a skill without the keys that were added for other programs."""
    return _FOR_OTHERS.sub(r"\1", text, count=1)


def _added(page: Page, path: str) -> list[Span]:
    """Return the lines that were added: the path, the files, and a title right after these."""
    found = [_line(page.text, one.span) for one in page.blocks if one.key in _BARE.values()]
    last = max(one.end for one in found)
    stem = path.rpartition("/")[2].removesuffix(".md")
    for one in page.blocks:
        line = _line(page.text, one.span)
        is_next = one.key == _TITLE and line.start == last
        if is_next and _parsed(_value(page.text, line)) == stem:
            found.append(line)
    return found


def _line(text: str, span: Span) -> Span:
    """Return the first line of a block: what was added has one, and remarks may follow it."""
    end = text.find("\n", span.start, span.end)
    return span if end < 0 else Span(span.start, end + 1)


def _said(page: Page, key: str) -> object:
    block = page.block(_BARE[key])
    return None if block is None else _parsed(_value(page.text, _line(page.text, block.span)))


def _value(text: str, span: Span) -> str:
    return text[span.start : span.end].partition(":")[2]


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _quoted(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)
