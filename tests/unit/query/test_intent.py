"""Which queries are a name, and which of their words could be one."""

from __future__ import annotations

import pytest

from trivium.query.intent import is_name, names_in


@pytest.mark.parametrize(
    "text",
    [
        "getUser",
        "get_user",
        "a.b",
        "std::vector",
        "src/auth.ts",
        "foo(",
        "foo()",
        " getUser\n",
        "C#sharp",
    ],
)
def test_one_word_with_the_shape_of_code_is_a_name(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "login", "how to login", "getUser by id", "HTTP", "_", "東京", "a\tget_user", "-"],
)
def test_plain_words_and_several_words_are_not_a_name(text: str) -> None:
    assert not is_name(text)


def test_ten_thousand_characters_of_code_and_one_word_more_are_not_a_name() -> None:
    assert not is_name("aA_" * 3_333 + " x")


def test_words_with_the_shape_of_code_are_names_in_lower_case_without_punctuation() -> None:
    assert names_in('where is `getUser`, (or "set_user")?') == {"getuser", "set_user"}


def test_a_query_of_one_word_asks_for_that_name() -> None:
    assert names_in("Engine") == {"engine"}
    assert names_in("engine room") == frozenset()


@pytest.mark.parametrize("text", ["", "a b", "is it", "??? ...", '"" ()'])
def test_short_words_and_punctuation_are_no_names(text: str) -> None:
    assert names_in(text) == frozenset()
