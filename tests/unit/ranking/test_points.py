"""The keyword points of seed 002 (cases G80 to G83)."""

from __future__ import annotations

import pytest

from trivium.ranking.points import Points, points
from trivium.types import Part

PHRASE, TITLE, OCCURRENCE, ALL_TERMS = 50, 15, 2, 20


def scored(query: str, content: str, *, title: str = "") -> Points:
    return points(query, title=title, content=content)


def apart(spread: int) -> str:
    """Two terms that start so many characters apart."""
    return "cat" + " " * (spread - 3) + "dog"


@pytest.mark.parametrize(
    "query", ["c++", "foo(", "[a", "*", "\\", "(?P<", "a|b", "$^", "x{9999999}"]
)
def test_g80_no_query_is_a_regular_expression(query: str) -> None:
    assert scored(query, f"about {query} here").score == PHRASE + OCCURRENCE
    assert scored(query, "nothing of that").score == 0


def test_g81_a_text_with_the_phrase_has_all_terms_too() -> None:
    found = scored("reactive state", "about reactive state")

    assert found.parts == (
        Part("phrase", PHRASE),
        Part("occurrences", 2 * OCCURRENCE),
        Part("all terms", ALL_TERMS),
        Part("proximity", (500 - len("reactive ")) // 50),
    )
    assert (found.matched, found.total) == (2, 2)


@pytest.mark.parametrize(
    ("spread", "gain"), [(49, 9), (50, 9), (51, 8), (450, 1), (451, 0), (500, 0), (600, 0)]
)
def test_g82_the_closer_terms_start_the_more_they_gain(spread: int, gain: int) -> None:
    assert scored("dog cat", apart(spread)).score == 2 * OCCURRENCE + ALL_TERMS + gain


def test_g82_terms_that_start_at_the_same_place_gain_ten() -> None:
    assert scored("category cat", "category").score == 2 * OCCURRENCE + ALL_TERMS + 10


@pytest.mark.parametrize(
    ("query", "content", "score", "is_kept"),
    [
        ("cat", "a cat", PHRASE + OCCURRENCE, True),
        ("cat dog", "cat " * 4, 4 * OCCURRENCE, False),
        ("cat dog", "cat " * 9, 9 * OCCURRENCE, False),
        ("cat dog", "cat " * 10, 10 * OCCURRENCE, True),
        ("dog cat", apart(600), 2 * OCCURRENCE + ALL_TERMS, True),
        ("dog cat cow", apart(600), 2 * OCCURRENCE, False),
        ("dog cat cow", apart(600) + " dog cats" * 2, 6 * OCCURRENCE, True),
    ],
)
def test_g83_one_term_needs_twenty_points_and_several_need_ten(
    query: str, content: str, score: int, *, is_kept: bool
) -> None:
    found = scored(query, content)

    assert (found.score, found.is_kept) == (score, is_kept)


def test_g83_a_term_in_the_title_gains_fifteen() -> None:
    assert scored("cat", "a cat", title="Cats").score == PHRASE + TITLE + OCCURRENCE
    both = scored("cat dog", apart(600), title="Dogs and cats")
    assert both.score == 2 * TITLE + 2 * OCCURRENCE + ALL_TERMS


def test_a_term_in_the_title_alone_is_found() -> None:
    found = scored("cat dog", "a dog", title="Cats")

    assert (found.matched, found.total) == (2, 2)
    assert found.score == TITLE + OCCURRENCE + ALL_TERMS


def test_case_and_the_white_space_of_the_query_do_not_matter() -> None:
    assert scored(" Reactive\n STATE ", "REACTIVE state") == scored(
        "reactive state", "reactive State"
    )


def test_the_first_place_of_each_term_counts_for_the_spread() -> None:
    near_later = apart(600) + " and cat"

    assert scored("dog cat", near_later).score == 3 * OCCURRENCE + ALL_TERMS


def test_a_term_that_is_typed_twice_is_one_term() -> None:
    found = scored("cat cat", "cat")

    assert (found.matched, found.total, found.score) == (1, 1, OCCURRENCE)


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_an_empty_query_finds_nothing(query: str) -> None:
    found = scored(query, "anything", title="anything")

    assert (found.score, found.matched, found.total, found.is_kept) == (0, 0, 0, False)


def test_an_empty_text_has_no_points() -> None:
    assert scored("cat dog", "") == Points(0, 2, ())


def test_of_a_query_of_thousands_of_terms_the_first_sixty_four_count() -> None:
    query = " ".join(f"w{number:04}" for number in range(1_600))
    found = scored(query, "w0000 w0063 w0064")

    assert (found.matched, found.total) == (2, 64)


def test_a_megabyte_of_repeats_is_counted() -> None:
    found = scored("ab aba", "ab" * 500_000)

    assert found.parts[0] == Part("occurrences", OCCURRENCE * (500_000 + 250_000))
