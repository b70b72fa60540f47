# ruff: noqa: RUF001 - letters that look alike are what is tested
"""How an identifier is taken apart."""

from __future__ import annotations

import pytest

from trivium.analysis import identifiers


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("fooBar", ["foo", "Bar"]),
        ("foo_bar", ["foo", "bar"]),
        ("HTTPServer2", ["HTTP", "Server", "2"]),
        ("XMLParser", ["XML", "Parser"]),
        ("parseHTML", ["parse", "HTML"]),
        ("__dunder__", ["dunder"]),
        ("a1b2", ["a", "1", "b", "2"]),
        ("getURLs", ["get", "URLs"]),
        ("listIDsOf", ["list", "IDs", "Of"]),
        ("CSSStyle", ["CSS", "Style"]),
        ("ABsolute", ["A", "Bsolute"]),
        ("SCREAMING_CASE", ["SCREAMING", "CASE"]),
        ("файлПуть2", ["файл", "Путь", "2"]),
        ("HTTPСервер", ["HTTP", "Сервер"]),
        ("größeÄndern", ["größe", "Ändern"]),
        ("ÄÖÜber", ["ÄÖ", "Über"]),
        ("é_è", ["é", "è"]),
        ("_", []),
        ("", []),
    ],
)
def test_an_identifier_is_split_at_case_digits_and_underscores(
    identifier: str, words: list[str]
) -> None:
    assert identifiers.split(identifier) == words


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("auth2", ["auth2"]),
        ("2fa", ["2fa"]),
        ("fooBar2Baz", ["foo", "Bar2Baz"]),
        ("XMLParser", ["XML", "Parser"]),
        ("foo__bar", ["foo", "bar"]),
        ("файлПуть2", ["файл", "Путь2"]),
        ("ÄÖÜber", ["ÄÖ", "Über"]),
        ("_é_", ["é"]),
        ("", []),
    ],
)
def test_splitting_at_case_alone_leaves_digits_on_their_word(
    identifier: str, words: list[str]
) -> None:
    assert identifiers.split_cased(identifier) == words
