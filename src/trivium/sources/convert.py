"""The bytes of a file that is no plain text -> text to parse, or why there is none.

HTML keeps its lines; notebooks and office files become Markdown. Nothing in a file is ever
executed or fetched. Called by sources when they read a file of one of these formats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from trivium.sources.decode import decode, is_binary

_PAGES = (".html", ".htm", ".xhtml")
_NOTEBOOKS = (".ipynb",)
_OFFICE = (".pdf", ".docx", ".pptx", ".xlsx", ".epub")
MAX_OFFICE_BYTES = 25_000_000
MAX_NOTEBOOK_BYTES = 10_000_000
SUFFIXES = (*_PAGES, *_NOTEBOOKS, *_OFFICE)

_HEAD_BYTES = 1024
# Encodings that pages say they are in and that nothing in their bytes gives away.
_CHARSET = re.compile(
    rb"charset\s*=\s*[\"']?(shift_jis|euc-jp|iso-2022-jp|euc-kr|gb2312|gbk|gb18030|big5|koi8-[ru]"
    rb"|windows-125\d|iso-8859-\d{1,2})",
    re.IGNORECASE,
)
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Converted:
    """A file's text; where that is None, the reason, and what to do about it if anything.

    Reasons are binary, undecodable, damaged, encrypted, unsafe, no-text and office-extra.
    """

    text: str | None
    reason: str = ""
    advice: str = ""


# What each format is read with; books are read with what Python has.
_LIBRARIES = {".pdf": "pypdf", ".docx": "docx", ".pptx": "pptx", ".xlsx": "openpyxl"}


def is_office(path: str) -> bool:
    """Whether a file is one whose reading may take long, and is better stopped from outside."""
    return path.lower().endswith(_OFFICE)


def is_readable(path: str) -> bool:
    """Whether what reads an office file of this name is installed."""
    library = next((name for end, name in _LIBRARIES.items() if path.lower().endswith(end)), None)
    return library is None or _is_installed(library)


@cache
def _is_installed(library: str) -> bool:
    return find_spec(library) is not None


def limit_of(path: str) -> int | None:
    """Return how many bytes a file of a converted format may have; None if as many as any."""
    if path.lower().endswith(_OFFICE):
        return MAX_OFFICE_BYTES
    return MAX_NOTEBOOK_BYTES if path.lower().endswith(_NOTEBOOKS) else None


def convert(path: str, data: bytes) -> Converted | None:
    """Return what a file holds as text; None if its format is not one that is converted."""
    name = path.lower()
    if name.endswith(_OFFICE):
        return _office(path, data)
    if not name.endswith(SUFFIXES):
        return None
    text = _declared(data) if name.endswith(_PAGES) else None
    text = decode(data) if text is None else text
    if text is None:
        return Converted(None, "binary" if is_binary(data) else "undecodable")
    # Off the way to a fast start, as what reads office files is.
    if name.endswith(_PAGES):
        from trivium.sources.webpage import readable

        return _cleaned(readable(text))
    from trivium.sources.notebook import notebook

    found = notebook(text)
    return _cleaned(text if found is None else found)


def _declared(data: bytes) -> str | None:
    """Return a page in the encoding it says it has, where that is not to be seen otherwise."""
    found = _CHARSET.search(data[:_HEAD_BYTES])
    if found is None:
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return None
    try:
        text = data.decode(found[1].decode("ascii"))
    except (LookupError, UnicodeDecodeError):
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _office(path: str, data: bytes) -> Converted:
    # Off the way to a fast start: most folders hold none of these.
    from trivium.sources.office import office

    found = office(path, data)
    return (
        _cleaned(found) if isinstance(found, str) else Converted(None, found.reason, found.advice)
    )


def _cleaned(text: str) -> Converted:
    return Converted(_NO_TEXT.sub("\ufffd", text))
