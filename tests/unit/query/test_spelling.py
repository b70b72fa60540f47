"""Which words are near each other, and how a query is written as it was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.query.spelling import (
    corrected,
    distance,
    edits_allowed,
    is_stem_near,
    likelihood,
    one_edit_away,
    parts_of,
    reworded,
    rewritten,
)

LETTERS = st.text("abcde", min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [
        ("password", "password", 0),
        ("pasword", "password", 1),
        ("passwrod", "password", 1),
        ("passwort", "password", 1),
        ("passsword", "password", 1),
        ("pswrd", "password", None),
        ("pasowrd", "password", 2),
        ("assword", "password", None),
        ("bassword", "password", None),
    ],
)
def test_edits_are_counted_and_the_first_letter_must_be_the_same(
    one: str, other: str, edits: int | None
) -> None:
    assert distance(one, other, most=2) == edits


def test_letters_swapped_or_doubled_are_likelier_than_left_out_and_these_than_wrong() -> None:
    likeliest = {likelihood("pasword", "password"), likelihood("passsword", "password")}
    likeliest |= {likelihood("passwrod", "password"), likelihood("eror", "erro")}

    assert len(likeliest) == 1
    assert likeliest.pop() > likelihood("passwrd", "password") > likelihood("passwort", "password")
    assert likelihood("passwoird", "password") == likelihood("passwort", "password") == 1


@given(LETTERS, LETTERS)
def test_a_distance_is_the_same_from_both_sides_and_zero_only_between_equals(
    one: str, other: str
) -> None:
    edits = distance(one, other, most=9)

    assert edits == distance(other, one, most=9)
    assert (edits == 0) == (one == other)


@given(LETTERS)
def test_every_word_one_edit_away_is_one_edit_away(word: str) -> None:
    assert {distance(word, other, most=1) for other in one_edit_away(word) if other != word} <= {1}


@given(st.text("abc", min_size=2, max_size=5), st.text("abc", min_size=1, max_size=6))
def test_no_word_one_edit_away_is_forgotten(word: str, other: str) -> None:
    is_near = distance(word, other, most=1) == 1

    assert is_near == (other in set(one_edit_away(word)) and other != word)


@pytest.mark.parametrize(
    ("word", "stem", "is_near"),
    [
        ("autentcation", "authent", True),
        ("validattoin", "valid", True),
        ("validattoin", "value", True),
        ("validattoin", "vector", False),
        ("configuraton", "configur", True),
    ],
)
def test_a_word_is_near_a_stem_if_its_start_is(word: str, stem: str, *, is_near: bool) -> None:
    assert is_stem_near(word, stem, most=2) is is_near


@pytest.mark.parametrize(
    ("word", "edits"),
    [
        *[("hash", 1), ("hashing", 1), ("password", 2), ("cat", 0), ("sha256", 0), ("x" * 41, 0)],
        *[("検索エンジン", 0), ("привет", 1)],
    ],
)
def test_longer_words_may_have_more_edits_and_short_ones_none(word: str, edits: int) -> None:
    assert edits_allowed(word) == edits


def test_identifiers_are_looked_at_by_their_parts_and_what_has_digits_is_not() -> None:
    assert parts_of("validatPassword get_usre sha256sum a-b") == ["validat", "password", "usre"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("where is the pasword", "where is the password"),
        ("hashPasword PASWORD Pasword", "hashPassword PASSWORD Password"),
        ("hash_pasword(x)", "hash_password(x)"),
        ('"pasword" -pasword name:pasword pasword', '"pasword" -pasword name:pasword password'),
        ('path:"pasword x" (pasword OR a)', 'path:"pasword x" (password OR a)'),
    ],
)
def test_a_query_is_rewritten_but_for_what_is_meant_exactly(typed: str, meant: str) -> None:
    assert rewritten(typed, {"pasword": "password"}) == meant


def test_a_meaning_is_plain_text_and_rewritten_throughout() -> None:
    assert reworded('the "pasword" of aPasword', {"pasword": "password"}) == (
        'the "password" of aPassword'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where is the pasword", {"pasword": "password"}),
        ("getUserPasword HASHD", {"pasword": "password", "hashd": "hashed"}),
        ('"pasword" -pasword path:pasword hashd', {"hashd": "hashed"}),
        ("hashed", {}),
        ("", {}),
    ],
)
def test_what_a_rewritten_query_has_otherwise_is_known_again(
    text: str, expected: dict[str, str]
) -> None:
    better = rewritten(text, {"pasword": "password", "hashd": "hashed"})

    assert corrected(text, better) == expected


def test_a_query_of_other_words_corrects_nothing() -> None:
    assert corrected("pasword", "a password here") == {}


@given(st.text("abcd", min_size=1, max_size=8), st.text("abcdef", min_size=1, max_size=8))
def test_a_stem_is_near_if_a_start_of_the_word_is(word: str, stem: str) -> None:
    starts = [word[:length] for length in range(1, len(word) + 1)]

    assert is_stem_near(word, stem, most=2) == any(
        distance(start, stem, most=2) is not None for start in starts
    )
