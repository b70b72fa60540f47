"""Bytes become text where they hold any."""

from __future__ import annotations

import codecs

import pytest

from trivium.sources.decode import decode, is_binary


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"plain", "plain"),
        ("naïve 日本 🔑".encode(), "naïve 日本 🔑"),
        (codecs.BOM_UTF8 + b"a", "a"),
        (codecs.BOM_UTF16_LE + "né日".encode("utf-16-le"), "né日"),
        (codecs.BOM_UTF16_BE + "né日".encode("utf-16-be"), "né日"),
        (codecs.BOM_UTF32_LE + "né日".encode("utf-32-le"), "né日"),
        (codecs.BOM_UTF32_BE + "né日".encode("utf-32-be"), "né日"),
        ("def f():\r\n    pass\n".encode("utf-16-le"), "def f():\n    pass\n"),
        ("def f():\r    pass\n".encode("utf-16-be"), "def f():\n    pass\n"),
        (b"d\xe9j\xe0 lu hier", "déjà lu hier"),
        (b"\x93quoted\x94 \x80 5", "“quoted” € 5"),
        (b"odd \x81 byte in latin text", "odd \x81 byte in latin text"),
        (b"a\r\nb\rc\nd\r\r\n", "a\nb\nc\nd\n\n"),
        ("größe ".encode() * 20 + b"\xff", "größe " * 20 + "�"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize(
    "data",
    [
        b"\0",
        b"abc\0def",
        b"\x7fELF\x02\x01\x01\0\0\0\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        codecs.BOM_UTF8 + b"a\0b",
        b"".join(n.to_bytes(2, "little") for n in range(1, 32)) * 9,
        "odd".encode("utf-16-le") + b"x",
    ],
)
def test_bytes_with_zeros_that_are_not_utf16_are_binary(data: bytes) -> None:
    assert decode(data) is None
    assert is_binary(data)


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(1, 256)) * 4,
        "Привет, мир. Как дела?".encode("cp1251"),
        "日本語のテキスト".encode("shift-jis"),
        b"\x01\x02\x03\xff" * 50,
        codecs.BOM_UTF16_LE + "a".encode("utf-16-le") + b"\x00\xd8",
        codecs.BOM_UTF16_LE + b"odd",
    ],
)
def test_bytes_that_would_read_as_gibberish_are_undecodable(data: bytes) -> None:
    assert decode(data) is None
    assert not is_binary(data)


def test_half_a_surrogate_pair_never_gets_in() -> None:
    assert decode("a\ud800b".encode("utf-8", "surrogatepass") + b" text" * 9) is not None
    for data in ("a\ud800b".encode("utf-8", "surrogatepass") + b" text" * 9, b"\xed\xa0\x80" * 3):
        text = decode(data)
        assert text is None or not any("\ud800" <= letter <= "\udfff" for letter in text)
