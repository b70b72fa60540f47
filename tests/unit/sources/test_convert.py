from __future__ import annotations

import pytest

from trivium.sources.convert import SUFFIXES, Converted, convert, limit_of


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.py", "html", "a.html.j2", "pdf", "a"])
def test_other_formats_are_not_converted(path: str) -> None:
    assert convert(path, b"<p>x</p>") is None
    assert limit_of(path) is None


@pytest.mark.parametrize("path", ["a.html", "b/A.HTM", "c.xhtml"])
def test_a_page_becomes_text(path: str) -> None:
    assert convert(path, b"<p>x &amp; y</p>\r\n<b>z</b>") == Converted("x & y\nz")


def test_formats_that_hold_pictures_may_be_larger() -> None:
    limits = {suffix: limit_of(f"a{suffix.upper()}") for suffix in SUFFIXES}

    assert limits == {
        ".html": None,
        ".htm": None,
        ".xhtml": None,
        ".ipynb": 10_000_000,
        ".pdf": 25_000_000,
        ".docx": 25_000_000,
        ".pptx": 25_000_000,
        ".xlsx": 25_000_000,
        ".epub": 25_000_000,
    }


@pytest.mark.parametrize(
    ("charset", "words"),
    [("shift_jis", "日本語のページ"), ("windows-1251", "Страница"), ("euc-kr", "한국어")],
)
def test_a_page_is_read_in_the_encoding_it_names(charset: str, words: str) -> None:
    page = f'<meta charset="{charset}">\n<p>{words}</p>'.encode(charset)
    converted = convert("a.html", page)

    assert converted is not None
    assert converted.text == f"\n{words}"


def test_a_page_that_names_the_wrong_encoding_is_still_read() -> None:
    page = '<meta charset="shift_jis">\n<p>größe</p>'

    assert convert("a.html", page.encode()) == Converted("\ngröße")
    assert convert("a.html", b'<meta charset="shift_jis">\n\xff\xfe') is not None


def test_bytes_that_are_no_text_have_a_reason() -> None:
    assert convert("a.html", b"\0\1\2\3" * 100) == Converted(None, "binary")
    assert convert("a.ipynb", bytes(range(128, 256)) * 100) == Converted(None, "undecodable")
