"""How alike two names are written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.analysis.chargrams import likeness

NAMES = st.text(max_size=60)
LAW = settings(deadline=None, max_examples=300)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # ^pa par ars rse ser are shared of 6 (er$) and 7 (ers rs$).
        ("parser", "parsers", 2 * 5 / (6 + 7)),
        # ^re rec and ve$ are shared of 7 each.
        ("receive", "recieve", 2 * 3 / (7 + 7)),
        # ^ca is shared of ^ca cat at$ and ^ca car ar$.
        ("cat", "car", 2 * 1 / (3 + 3)),
        ("aaaa", "aaa", 2 * 3 / (4 + 3)),
        ("a", "a", 1.0),
        ("a", "b", 0.0),
        ("cat", "dog", 0.0),
        ("", "", 0.0),
        ("", "a", 0.0),
        ("_", "-", 0.0),
        ("東京都", "東京", 2 * 1 / (3 + 2)),
    ],
)
def test_names_are_alike_by_the_threes_they_share(one: str, other: str, expected: float) -> None:
    assert likeness(one, other) == pytest.approx(expected)


@pytest.mark.parametrize(
    "other", ["getUserById", "get_user_by_id", "GET-USER-BY-ID", "get user by id"]
)
def test_case_and_separators_do_not_matter(other: str) -> None:
    assert likeness("getuserbyid", other) == 1.0


def test_an_accent_may_be_written_in_two_ways() -> None:
    assert likeness("caf\u00e9", "cafe\u0301") == 1.0


def test_a_typing_mistake_is_nearer_than_another_name() -> None:
    assert likeness("tokenizer", "tokeniser") > 2 * likeness("tokenizer", "analyzer")


def test_a_long_name_is_like_itself_only() -> None:
    longest = "x" * 48
    assert likeness(longest, longest + "x") == 0.0
    assert likeness(longest + "x", longest + "x") == 1.0
    assert likeness(longest, longest[:-1] + "y") > 0.9
    assert likeness("a" * 1_000_000, "b" * 1_000_000) == 0.0


@LAW
@given(NAMES, NAMES)
def test_likeness_lies_between_0_and_1_and_is_symmetric(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) <= 1.0
    assert likeness(one, other) == likeness(other, one)


@LAW
@given(NAMES.filter(lambda name: name.strip("_- ") != ""))
def test_a_name_is_like_itself(name: str) -> None:
    assert likeness(name, name) == 1.0
