from __future__ import annotations

import datetime
import io
import sys
import zipfile
import zlib
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest

from trivium.sources import archives, lines, office
from trivium.sources.convert import Converted, convert

docx = import_module("docx")
openpyxl = import_module("openpyxl")
pptx = import_module("pptx")
pypdf = import_module("pypdf")

ADVICE = "pip install 'trivium[office]'"


def saved(thing: Any) -> bytes:
    out = io.BytesIO()
    thing.save(out)
    return out.getvalue()


def text_of(path: str, data: bytes) -> str:
    converted = convert(path, data)
    assert converted is not None
    assert converted.text is not None, converted
    return converted.text


def refusal_of(path: str, data: bytes) -> Converted:
    converted = convert(path, data)
    assert converted is not None
    assert converted.text is None
    return converted


def changed(data: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """Return a zip file with a piece of one member replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for member in before.infolist():
            content = before.read(member)
            if member.filename == name:
                assert old in content
                content = content.replace(old, new)
            after.writestr(member.filename, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def a_pdf(pages: Sequence[str], *, title: str = "", streams: Sequence[bytes] = ()) -> bytes:
    """Write a PDF by hand: one line of text a page, or content streams as they are."""
    contents = [*streams] or [f"BT /F1 12 Tf 72 720 Td ({page}) Tj ET".encode() for page in pages]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, content in enumerate(contents):
        packed = zlib.compress(content)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            b"/Resources << /Font << /F1 3 0 R >> >> "
            + f"/Contents {5 + 2 * number} 0 R >>".encode(),
            f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
            + packed
            + b"\nendstream",
        ]
    objects.append(f"<< /Title ({title}) >>".encode())
    out = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    start = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n{trailer}\n"
    return out + f"{start}startxref\n{len(out)}\n%%EOF\n".encode()


def test_a_pdf_becomes_its_pages() -> None:
    data = a_pdf(["First words", "# second"], title="The Manual")

    assert text_of("a/b.pdf", data) == (
        "# The Manual\n\n## Page 1\n\nFirst words\n\n## Page 2\n\n\\# second\n"
    )


@pytest.mark.parametrize("title", ["", "x", "Microsoft Word - a.doc", "untitled", "a.pdf"])
def test_a_title_that_says_nothing_gives_way_to_the_name_of_the_file(title: str) -> None:
    assert text_of("a/Annual report.pdf", a_pdf(["x"], title=title)).startswith("# Annual report\n")


def test_a_pdf_that_needs_a_password_says_so() -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(a_pdf(["secret"])))
    writer.encrypt("password", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    refusal = refusal_of("a.pdf", locked.getvalue())

    assert refusal.reason == "encrypted"
    assert "password" in refusal.advice


def test_a_pdf_that_only_needs_a_password_to_be_changed_is_read() -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(a_pdf(["open words"])))
    writer.encrypt("", owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)

    assert "open words" in text_of("a.pdf", out.getvalue())


def test_a_pdf_of_pictures_says_so() -> None:
    refusal = refusal_of("a.pdf", a_pdf([], streams=[b"0 0 m"]))

    assert refusal.reason == "no-text"
    assert "recognition" in refusal.advice


def test_a_page_that_cannot_be_read_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = pypdf.PageObject.extract_text

    def broken(page: Any, **options: Any) -> str:
        text = str(real(page, **options))
        if "bad" in text:
            raise ValueError("broken page")
        return text

    monkeypatch.setattr(pypdf.PageObject, "extract_text", broken)
    text = text_of("a.pdf", a_pdf(["bad", "good"]))

    assert "## Page 1\n\n## Page 2\n\ngood" in text


def test_a_pdf_has_only_so_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "_MOST_PAGES", 3)
    text = text_of("a.pdf", a_pdf(["word"] * 5))

    assert text.count("word") == 3


def test_drawing_without_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "_MOST_OPERATIONS", 100)
    one = b"BT /F1 12 Tf 72 720 Td (word) Tj ET " * 10
    text = text_of("a.pdf", a_pdf([], streams=[one] * 10))

    # Each page takes 50 operations, and the last one of the 100 is not carried out.
    assert text.count("## Page") == 2
    assert text.count("word") == 10


def test_a_stream_that_unpacks_to_far_too_much_is_not_read() -> None:
    bomb = b"BT /F1 12 Tf (x) Tj ET " + b" " * 30_000_000

    assert refusal_of("a.pdf", a_pdf([], streams=[bomb])).reason == "no-text"


def test_a_word_file_becomes_headings_paragraphs_items_and_rows() -> None:
    document = docx.Document()
    document.add_heading("The Guide", 0)
    document.add_paragraph("Intro\ttext.")
    document.add_heading("Install", 1)
    document.add_heading("From source", 2)
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("# no heading")
    table = document.add_table(2, 2)
    for number, words in enumerate(["a", "b\nc", "", "d"]):
        table.cell(number // 2, number % 2).text = words
    document.add_paragraph("Ende über 東京")

    assert text_of("a.docx", saved(document)) == (
        "# The Guide\n\nIntro\ttext.\n\n## Install\n\n### From source\n\n- one\n"
        "\\# no heading\n\na | b c\n | d\n\nEnde über 東京\n"
    )


def test_a_word_file_without_a_title_keeps_the_levels_of_its_headings() -> None:
    document = docx.Document()
    document.add_heading("One", 1)
    document.add_paragraph("x")

    assert text_of("a.docx", saved(document)) == "# One\n\nx\n"


def test_a_word_file_without_headings_is_named_by_its_file() -> None:
    document = docx.Document()
    document.add_paragraph("x")

    assert text_of("b/Notes.docx", saved(document)) == "# Notes\n\nx\n"


def test_a_cell_that_claims_to_be_very_wide_is_one_cell() -> None:
    document = docx.Document()
    table = document.add_table(1, 1)
    table.cell(0, 0).text = "wide"
    name = "word/document.xml"
    with zipfile.ZipFile(io.BytesIO(saved(document))) as archive:
        xml = archive.read(name)
    cell = xml[xml.index(b"<w:tcPr>") : xml.index(b"</w:tcPr>")]
    data = changed(saved(document), name, cell, cell + b'<w:gridSpan w:val="1000000000"/>')

    assert text_of("Table.docx", data) == "# Table\n\nwide\n"


def test_a_deck_becomes_its_slides() -> None:
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "First"
    first.placeholders[1].text = "body\nmore"
    first.notes_slide.notes_text_frame.text = "say hello"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(1, 2, 0, 0, 100, 100).table
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 10, 10).text_frame.text = "in a group"

    assert text_of("Deck.pptx", saved(deck)) == (
        "# Deck\n\n## First\n\nbody\nmore\n\nNotes: say hello\n\n"
        "## Slide 2\n\na | b\n\nin a group\n"
    )


def test_a_workbook_becomes_the_rows_of_its_sheets() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Orders"
    sheet.append(["id", "name", 1.0, datetime.date(2024, 1, 2)])
    sheet.append([None, None])
    sheet.append([2, "# x\ny", True, 2.5])
    book.create_sheet("Empty")

    assert text_of("Shop.xlsx", saved(book)) == (
        "# Shop\n\n## Orders\n\nid | name | 1 | 2024-01-02\n2 | # x y | True | 2.5\n\n## Empty\n"
    )


def test_a_sheet_has_only_so_many_rows_and_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "_MOST_ROWS", 3)
    monkeypatch.setattr(office, "_MOST_COLUMNS", 2)
    book = openpyxl.Workbook()
    for _ in range(5):
        book.active.append(["a", "b", "c"])
    text = text_of("a.xlsx", saved(book))

    assert text.count("a | b\n") == 3
    assert "c" not in text


def test_a_sheet_whose_last_cell_is_far_away_is_read() -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "near"
    book.active.cell(1_048_576, 16_384, "far")

    assert text_of("a.xlsx", saved(book)).endswith("near\n")


def an_epub(chapters: dict[str, str], *, title: str = "The Book", more: str = "") -> bytes:
    out = io.BytesIO()
    items = "".join(f'<item id="{name}" href="{name}.xhtml"/>' for name in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    with zipfile.ZipFile(out, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml", '<container><rootfile full-path="OPS/a.opf"/></container>'
        )
        book.writestr(
            "OPS/a.opf",
            f"<package><metadata><dc:title>{title}</dc:title></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}{spine}</spine></package>",
        )
        for name, content in chapters.items():
            book.writestr(f"OPS/{name}.xhtml", content)
        if more:
            book.writestr("META-INF/encryption.xml", more)
    return out.getvalue()


def test_a_book_becomes_its_chapters_in_order() -> None:
    data = an_epub(
        {
            "b": "<html><body><h1>One</h1><p>First &amp; last.</p><h2>Sub</h2>"
            "<pre># a\nb</pre><p>x</p></body></html>",
            "a": "<p>No heading</p>",
            "empty": "<p></p>",
        },
        title="Tom &amp; Ann",
    )

    assert text_of("a.epub", data) == (
        "# Tom & Ann\n\n## One\n\nFirst & last.\n\n### Sub\n```\n# a\nb\n```\nx\n\n"
        "## Chapter 2\n\nNo heading\n"
    )


def test_a_book_that_needs_a_key_says_so() -> None:
    locked = '<enc:CipherReference URI="OPS/a.xhtml"/>'

    assert refusal_of("a.epub", an_epub({"a": "x"}, more=locked)).reason == "encrypted"


def test_a_book_whose_fonts_need_a_key_is_read() -> None:
    fonts = '<enc:CipherReference URI="OPS/a.otf"/>'

    assert "word" in text_of("a.epub", an_epub({"a": "<p>word</p>"}, more=fonts))


def test_entities_that_a_book_declares_are_not_expanded() -> None:
    laughs = "<!DOCTYPE html [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><p>so &b; funny</p>"

    assert "so &b; funny" in text_of("a.epub", an_epub({"a": laughs}))


def a_zip(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("path", ["a.docx", "a.pptx", "a.xlsx", "a.epub"])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = a_zip("media/zeros.bin", bytes(10_000_000))
    assert len(packed) < 10_000_000 / 200

    def unpacked(*_: object, **__: object) -> bytes:
        raise AssertionError("was unpacked")

    monkeypatch.setattr(zipfile.ZipFile, "open", unpacked)

    assert refusal_of(path, packed).reason == "unsafe"


def test_an_archive_that_unpacks_to_too_much_in_all_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archives, "_MOST_BYTES", 10_000)
    data = saved(docx.Document())

    assert refusal_of("a.docx", data).reason == "unsafe"


def test_an_archive_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_MEMBERS", 3)

    assert refusal_of("a.docx", saved(docx.Document())).reason == "unsafe"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_that_declares_entities_is_refused(encoding: str) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "x"
    declared = "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>".encode(encoding)
    data = saved(book)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        content = archive.read("xl/workbook.xml")

    assert refusal_of("a.xlsx", changed(data, "xl/workbook.xml", content, declared)).reason == (
        "unsafe"
    )


def test_an_office_file_that_needs_a_password_says_so() -> None:
    compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    locked = compound + "EncryptedPackage".encode("utf-16-le")

    assert refusal_of("a.docx", locked).reason == "encrypted"
    assert refusal_of("a.docx", compound).reason == "damaged"


def test_a_zip_file_that_needs_a_password_says_so() -> None:
    data = bytearray(a_zip("a.xml", b"<a/>"))
    # The flag stands in the file's own header and in the table of contents.
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1

    assert refusal_of("a.docx", bytes(data)).reason == "encrypted"


@pytest.mark.parametrize("suffix", ["pdf", "docx", "pptx", "xlsx", "epub"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"%PDF-1.7\n", bytes(1000), b"text"])
def test_what_is_no_such_file_is_damaged(suffix: str, data: bytes) -> None:
    assert refusal_of(f"a.{suffix}", data).reason in ("damaged", "no-text")


@pytest.mark.parametrize("suffix", ["pdf", "docx", "pptx", "xlsx"])
def test_without_the_libraries_the_advice_is_how_to_get_them(
    suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pypdf", "docx", "pptx", "openpyxl"):
        monkeypatch.setitem(sys.modules, name, None)

    assert refusal_of(f"a.{suffix}", b"") == Converted(None, "office-extra", ADVICE)


def test_a_text_only_grows_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_MOST_TEXT_BYTES", 1000)
    document = docx.Document()
    for _ in range(100):
        document.add_paragraph("あ" * 100)

    assert len(text_of("a.docx", saved(document)).encode()) <= 1000
