# ruff: noqa: RUF001 - letters that look alike are what is tested
"""What the standard analyser makes of languages that are neither English nor unspaced."""

from __future__ import annotations

import pytest

from trivium.analysis.words import STOP_WORDS, analyser

STANDARD = analyser("standard")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("généraliser", "generaliser"),
        ("über", "uber"),
        ("GRÖSSE", "Größe"),
        ("canción", "CANCION"),
        ("Đặng", "dang"),
        ("Ελλάδα", "ελλαδα"),
        ("ёлка", "елка"),
        ("Київ", "київ"),
        ("שָׁלוֹם", "שלום"),
        ("أحمد", "احمد"),
        ("كِتَاب", "كتاب"),
        ("ﻛﺘﺎﺏ", "كتاب"),
    ],
)
def test_accents_points_and_case_may_be_left_out(one: str, other: str) -> None:
    assert STANDARD.terms(one) == STANDARD.terms(other)
    assert STANDARD.terms(one)


@pytest.mark.parametrize(
    ("word", "term"),
    [
        ("книгами", "книгами"),
        ("Ελληνικές", "ελληνικεσ"),
        ("كتابان", "كتابان"),
        ("ספרים", "ספרים"),
        ("किताबें", "किताबें"),
        ("ქართული", "ქართული"),
    ],
)
def test_only_words_in_latin_letters_lose_an_ending(word: str, term: str) -> None:
    assert STANDARD.terms(word) == [term]


@pytest.mark.parametrize("word", ["running", "classes", "canciones", "Häuser", "données"])
def test_an_accent_does_not_change_how_a_word_is_stemmed(word: str) -> None:
    accented = word.replace("e", "é", 1)
    assert STANDARD.terms(accented) == STANDARD.terms(word)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Онегин", "«Евгений Онегин» — роман"),
        ("роман", "Роман, написанный Пушкиным"),
        ("Αθήνα", "Η ΑΘΗΝΑ είναι πρωτεύουσα"),
        ("القاهرة", "القاهرة، عاصمة مصر"),
        ("ירושלים", "העיר ירושלים."),
        ("दिल्ली", "भारत की राजधानी दिल्ली है।"),
        ("ประเทศไทย", "กรุงเทพเป็นเมืองหลวงของประเทศไทย"),
        ("ວຽງຈັນ", "ນະຄອນຫຼວງວຽງຈັນ"),
        ("ភ្នំពេញ", "រាជធានីភ្នំពេញ"),
        ("niño", "el nino juega"),
        ("Zürich", "ZURICH liegt am See"),
    ],
)
def test_a_word_is_found_in_a_sentence_of_its_language(query: str, text: str) -> None:
    assert set(STANDARD.terms(query)) <= set(STANDARD.terms(text))
    assert STANDARD.terms(query)


def test_no_word_of_another_script_is_a_stop_word() -> None:
    assert all(word.isascii() for word in STOP_WORDS)
