# ruff: noqa: RUF001 - letters that look alike are what is tested
"""How much of a text a model of English reads."""

from __future__ import annotations

import pytest

from trivium.analysis.scripts import read_in_english


@pytest.mark.parametrize(
    "text",
    [
        "",
        "123 ?!",
        "how to sort",
        "naïve café",
        "ＡＰＩ",
        "cafe\u0301",
        "Łódź",
        "TNF-α and IFN-γ",
        "5 µm",
    ],
)
def test_latin_letters_are_read_and_so_are_symbols_among_them(text: str) -> None:
    assert read_in_english(text) == 1.0


@pytest.mark.parametrize(
    "text", ["値", "東京の天気", "배열", "什么", "Привет", "Αθήνα", "شكرا", "שלום", "हिन्दी", "ไทย"]
)
def test_text_in_other_letters_is_not_read(text: str) -> None:
    assert read_in_english(text) == 0.0


def test_a_quarter_of_other_letters_is_too_much() -> None:
    assert read_in_english("abcdef東京") == 0.0
    assert read_in_english("abcdefg東京") == pytest.approx(1 - 4 * 2 / 9)


def test_it_does_not_depend_on_how_a_letter_is_encoded() -> None:
    assert read_in_english("JavaScript ｶﾞｲﾄﾞ") == read_in_english("JavaScript ガイド")
