"""An EPUB book -> its title and its chapters as Markdown-like text.

The book's own tables are read with the reader of tags, which expands no entities. Headings of
chapters move down one level, below the book's title. Called by office().
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from trivium.sources.decode import decode
from trivium.sources.tags import Tag, Text, decoded, tokens
from trivium.sources.webpage import readable

_MOST_CHAPTER_BYTES = 10_000_000
_PAGES = (".xhtml", ".html", ".htm", ".xml")

# A book need not have lines at all; headings, paragraphs and code need some.
_NEEDS_LINE = re.compile(r"(?=<(?:d[dt]|li|tr)[\s>])", re.IGNORECASE)
_NEEDS_ROOM = re.compile(
    r"(?=<(?:blockquote|dl|div|h[1-6]|hr|ol|p|pre|section|table|ul)[\s>])|(?<=</h[1-6]>)|(?<=</pre>)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6} ")


@dataclass(frozen=True, slots=True)
class Book:
    """A book's title and the names of the files of its chapters, in order."""

    title: str
    chapters: tuple[str, ...]
    is_encrypted: bool


def book_of(archive: zipfile.ZipFile) -> Book:
    """Read a book's table of contents. Raises KeyError where there is none."""
    names = archive.namelist()
    package = next(
        (
            tag.value("full-path")
            for tag in _tags(archive, "META-INF/container.xml")
            if tag.name.endswith("rootfile") and tag.value("full-path")
        ),
        "",
    )
    if package not in names:
        package = next(name for name in names if name.lower().endswith(".opf"))
    files: dict[str, str] = {}
    order: list[str] = []
    for tag in _tags(archive, package):
        if tag.name.endswith("itemref"):
            order.append(tag.value("idref"))
        elif tag.name.endswith("item"):
            href = unquote(tag.value("href"))
            files[tag.value("id")] = normpath(join(dirname(package), href))
    chapters = dict.fromkeys(files[one] for one in order if one in files)
    locked = _locked(archive) if "META-INF/encryption.xml" in names else set()
    return Book(
        title=_title(archive, package),
        chapters=tuple(chapters),
        is_encrypted=any(chapter in locked for chapter in chapters),
    )


def chapter_of(archive: zipfile.ZipFile, name: str, *, number: int) -> str:
    """Return one chapter under its own heading, or as "Chapter 3"; "" if it cannot be read."""
    try:
        member = archive.getinfo(name)
    except KeyError:
        return ""
    if member.file_size > _MOST_CHAPTER_BYTES or not name.lower().endswith(_PAGES):
        return ""
    source = decode(archive.read(member)) or ""
    source = _NEEDS_ROOM.sub("\n\n", _NEEDS_LINE.sub("\n", source))
    lines = [*_moved_down(readable(source))]
    if not any(line.strip() for line in lines):
        return ""
    has_heading = any(_HEADING.match(line) for line in lines)
    return "\n".join(lines if has_heading else [f"## Chapter {number}", "", *lines])


def _moved_down(text: str) -> Iterator[str]:
    fence = ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
        elif _HEADING.match(line) and not line.startswith("######"):
            yield "#" + line
            continue
        yield line


def _tags(archive: zipfile.ZipFile, name: str) -> Iterator[Tag]:
    try:
        source = decode(archive.read(name)) or ""
    except KeyError:
        return
    for token in tokens(source):
        if isinstance(token, Tag) and not token.is_end:
            yield token


def _title(archive: zipfile.ZipFile, package: str) -> str:
    is_title = False
    for token in tokens(decode(archive.read(package)) or ""):
        if isinstance(token, Tag):
            is_title = token.name == "dc:title" and not token.is_end
        elif isinstance(token, Text) and is_title:
            return decoded(token.text).strip()
    return ""


def _locked(archive: zipfile.ZipFile) -> set[str]:
    """Return the files that need a key; fonts often do, in books that anyone can read."""
    tags = _tags(archive, "META-INF/encryption.xml")
    return {unquote(tag.value("uri")) for tag in tags if tag.name.endswith("cipherreference")}
