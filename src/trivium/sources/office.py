"""PDF, Word, PowerPoint, Excel and EPUB files -> Markdown-like text.

Headings are what the format calls so: heading styles, slide titles, sheet names, chapters, and
"Page 3" in a PDF. Whatever a file holds, reading it ends, and what it gives is bounded. The
libraries come with `trivium[office]` and are imported only here. Called by convert().
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

from trivium.sources.archives import DAMAGED, ENCRYPTED, Refusal, opened
from trivium.sources.epub import book_of, chapter_of
from trivium.sources.lines import Lines, title_or
from trivium.sources.word import word

# What the libraries hand out; not all of them say what it is.
Foreign = Any

_MOST_PAGES = 2000
_MOST_ROWS = 10_000
_MOST_COLUMNS = 200
_MOST_SHEETS = 200
# What is drawn on a page of dense text takes about 2,000 operations.
_MOST_OPERATIONS = 4_000_000
_DEEPEST = 20

MISSING = Refusal("office-extra", "pip install 'trivium[office]'")
NO_TEXT = Refusal("no-text")
SCANNED = Refusal("no-text", "Its pages are pictures. Run it through text recognition first.")


def office(path: str, data: bytes) -> str | Refusal:
    """Return the text of an office file, or why it gives none. Never raises."""
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    lines = Lines()
    try:
        refusal = _READERS[suffix.lower()](data, stem, lines)
    except ImportError:
        return MISSING
    except Exception:  # noqa: BLE001 - a damaged file fails in ways nobody can list beforehand
        return str(lines) if lines.has_text else DAMAGED
    if refusal is not None:
        return refusal
    if lines.has_text:
        return str(lines)
    return SCANNED if suffix.lower() == "pdf" else NO_TEXT


def _pdf(data: bytes, stem: str, lines: Lines) -> Refusal | None:
    pypdf = import_module("pypdf")
    # Without a handler of its own the library's warnings would go to the terminal.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    # No other program is ever started for a picture, and no stream is larger than a long page.
    with pypdf.apply_configuration(jbig2dec_binary=None, zlib_maximum_output_length=20_000_000):
        reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not _is_unlocked(reader):
            return ENCRYPTED
        information = reader.metadata
        lines.heading(1, title_or(information.title if information else "", stem))
        budget = _Budget()
        for number, page in enumerate(islice(reader.pages, _MOST_PAGES), start=1):
            if lines.is_full or budget.is_spent:
                break
            lines.heading(2, f"Page {number}")
            lines.text(_page_text(page, budget))
    return None


def _is_unlocked(reader: Foreign) -> bool:
    """Whether a file needs a password to change it only, so that anyone may read it."""
    try:
        return bool(reader.decrypt(""))
    except Exception:  # noqa: BLE001 - some ways to encrypt need more libraries
        return False


class _Budget:
    """How many operations of a PDF may still be carried out."""

    def __init__(self) -> None:
        self._left = _MOST_OPERATIONS

    @property
    def is_spent(self) -> bool:
        return self._left <= 0

    def spend(self, *_: object) -> None:
        """Count one operation. Raises OverflowError when there were too many."""
        self._left -= 1
        if self._left <= 0:
            raise OverflowError


def _page_text(page: Foreign, budget: _Budget) -> str:
    """Return the text of a page; one that cannot be read has none."""
    try:
        text: str = page.extract_text(visitor_operand_before=budget.spend)
    except Exception:  # noqa: BLE001 - one bad page does not hide the others
        return ""
    return text


def _pptx(data: bytes, stem: str, lines: Lines) -> Refusal | None:
    pptx = import_module("pptx")
    archive = opened(data)
    if isinstance(archive, Refusal):
        return archive
    deck = pptx.Presentation(io.BytesIO(data))
    lines.heading(1, title_or(deck.core_properties.title, stem))
    for number, slide in enumerate(islice(deck.slides, _MOST_PAGES), start=1):
        if lines.is_full:
            break
        title = slide.shapes.title
        words = title.text_frame.text if title is not None else ""
        lines.heading(2, " ".join(words.split()) or f"Slide {number}")
        taken = None if title is None else title.shape_id
        for shape in _shapes(slide.shapes):
            if shape.shape_id != taken:
                _shape(shape, lines)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text
            if notes.strip():
                lines.blank()
                lines.text("Notes: " + notes)
    return None


def _shapes(shapes: Iterable[Foreign], depth: int = 0) -> Iterator[Foreign]:
    """Yield the shapes of a slide, those in groups too."""
    for shape in shapes:
        if hasattr(shape, "shapes") and depth < _DEEPEST:
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _shape(shape: Foreign, lines: Lines) -> None:
    if shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            if paragraph.text.strip():
                lines.text(("- " if paragraph.level else "") + paragraph.text)
        lines.blank()
    elif getattr(shape, "has_table", False):
        for row in islice(shape.table.rows, _MOST_ROWS):
            lines.row(cell.text for cell in islice(row.cells, _MOST_COLUMNS))
        lines.blank()


def _xlsx(data: bytes, stem: str, lines: Lines) -> Refusal | None:
    openpyxl = import_module("openpyxl")
    # It warns of everything it does not read, such as a form in a sheet.
    warnings.filterwarnings("ignore", module="openpyxl")
    archive = opened(data)
    if isinstance(archive, Refusal):
        return archive
    book = openpyxl.load_workbook(
        io.BytesIO(data), read_only=True, data_only=True, keep_links=False
    )
    try:
        lines.heading(1, title_or(book.properties.title, stem))
        for sheet in book.worksheets[:_MOST_SHEETS]:
            lines.heading(2, sheet.title)
            rows = sheet.iter_rows(max_row=_MOST_ROWS, max_col=_MOST_COLUMNS, values_only=True)
            for row in rows:
                if lines.is_full:
                    break
                lines.row(row)
    finally:
        book.close()
    return None


def _epub(data: bytes, stem: str, lines: Lines) -> Refusal | None:
    archive = opened(data, has_entities=True)
    if isinstance(archive, Refusal):
        return archive
    book = book_of(archive)
    if book.is_encrypted:
        return ENCRYPTED
    lines.heading(1, title_or(book.title, stem))
    for number, name in enumerate(book.chapters[:_MOST_PAGES], start=1):
        if lines.is_full:
            break
        lines.markdown(chapter_of(archive, name, number=number))
    return None


_READERS: Mapping[str, Callable[[bytes, str, Lines], Refusal | None]] = {
    "pdf": _pdf,
    "docx": word,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "epub": _epub,
}
