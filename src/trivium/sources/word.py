"""A Word file -> Markdown-like text: headings by their styles, list items, tables as rows.

The library opens the file; its paragraphs and tables are walked here, because a table that
says a cell is a thousand million columns wide would be believed there. Called by office().
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

from trivium.sources.archives import Refusal, opened
from trivium.sources.lines import Lines, title_or

# Elements of lxml, which says nothing about their types.
Element = Any

_MOST_ROWS = 10_000
_MOST_COLUMNS = 200
_DEEPEST = 20

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TITLE = -1
_ITEM = 0
_MARKS = {
    _WORD + "tab": "\t",
    _WORD + "br": "\n",
    _WORD + "cr": "\n",
    _WORD + "noBreakHyphen": "-",
}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_LIST_STYLE = re.compile(r"list", re.IGNORECASE)


def word(data: bytes, stem: str, lines: Lines) -> Refusal | None:
    """Add a file's text to `lines`, or say why there is none.

    Raises ImportError where the library is missing, and whatever it raises on a damaged file.
    """
    docx = import_module("docx")
    archive = opened(data)
    if isinstance(archive, Refusal):
        return archive
    document = docx.Document(io.BytesIO(data))
    levels = {style.style_id: _level(style.name) for style in document.styles}
    body = document.element.body
    # What older programs are shown in place of a text box says the same again.
    for copy in [*body.iter(_FALLBACK)]:
        copy.getparent().remove(copy)
    used = {_level_of(element, levels) for element in _blocks(body)}
    if _TITLE in used:
        # The title stands above all headings, which then begin one level below it.
        levels = {key: _belowtitle_or(level) for key, level in levels.items()}
    elif not any(used):
        lines.heading(1, title_or(document.core_properties.title, stem))
    for element in _blocks(body):
        if lines.is_full:
            break
        if element.tag == _WORD + "tbl":
            _word_table(element, lines)
        else:
            _word_paragraph(element, levels, lines)
    return None


def _level(style_name: str | None) -> int | None:
    """Return a style's heading level, 0 for an item of a list, None for other text."""
    name = style_name or ""
    if name.lower() == "title":
        return _TITLE
    if found := _HEADING.match(name):
        return int(found[1])
    return _ITEM if _LIST_STYLE.match(name) else None


def _belowtitle_or(level: int | None) -> int | None:
    if level is None or level == _ITEM:
        return level
    return 1 if level == _TITLE else level + 1


def _blocks(parent: Element, depth: int = 0) -> Iterator[Element]:
    """Yield paragraphs and tables in order, those in content controls too."""
    for child in parent:
        if child.tag in (_WORD + "p", _WORD + "tbl"):
            yield child
        elif depth < _DEEPEST and child.tag in (_WORD + "sdt", _WORD + "sdtContent", _WORD + "ins"):
            yield from _blocks(child, depth + 1)


def _level_of(element: Element, levels: Mapping[str, int | None]) -> int | None:
    style = element.find(f"{_WORD}pPr/{_WORD}pStyle")
    return None if style is None else levels.get(str(style.get(_WORD + "val", "")))


def _word_paragraph(element: Element, levels: Mapping[str, int | None], lines: Lines) -> None:
    words = _word_text(element)
    if not words.strip():
        return
    level = _level_of(element, levels)
    is_item = element.find(f"{_WORD}pPr/{_WORD}numPr") is not None
    if level:
        lines.heading(level, words)
    elif is_item or level == _ITEM:
        lines.text("- " + words.strip())
    else:
        lines.text(words)
        lines.blank()


def _word_text(element: Element) -> str:
    return "".join(
        one.text or "" if one.tag == _WORD + "t" else _MARKS[one.tag]
        for one in element.iter(_WORD + "t", *_MARKS)
    )


def _word_table(element: Element, lines: Lines) -> None:
    for row in islice(element.iterchildren(_WORD + "tr"), _MOST_ROWS):
        if lines.is_full:
            return
        cells = islice(row.iterchildren(_WORD + "tc"), _MOST_COLUMNS)
        lines.row(_word_text(cell) for cell in cells)
    lines.blank()
