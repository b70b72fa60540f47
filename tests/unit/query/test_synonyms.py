"""Lists of words that mean the same, and queries widened by them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.analysis.words import analyser
from trivium.errors import ConfigError
from trivium.query.grammar import AllOf, AnyOf, Phrase, Without, Words
from trivium.query.parse import parse
from trivium.query.synonyms import (
    MOST_IN_A_GROUP,
    MOST_LINES,
    NO_SYNONYMS,
    Synonyms,
    abbreviations,
    read,
    with_synonyms,
)

STANDARD = analyser("standard")


def widen(text: str, rules: str | Synonyms, *, weight: float = 0.5) -> tuple[str, ...]:
    synonyms = rules if isinstance(rules, Synonyms) else read(rules, origin="words.txt")
    return with_synonyms(parse(text), synonyms, words_of=STANDARD, weight=weight).near


def test_each_word_of_a_group_stands_for_the_others() -> None:
    rules = "# short forms\n\nerr, error, fault  # what went wrong\n"

    assert widen("err", rules) == ("err = error", "err = fault")
    assert widen("errors", rules) == ("errors = err", "errors = fault")


def test_an_arrow_leads_one_way() -> None:
    assert widen("ship", "ship => boat, vessel") == ("ship = boat", "ship = vessel")
    assert widen("boat", "ship => boat, vessel") == ()


def test_rings_are_followed_one_step() -> None:
    assert widen("a1", "a1 => b1\nb1 => c1\nc1 => a1") == ("a1 = b1",)


def test_what_means_the_same_stands_beside_the_word_at_less_weight_and_means_nothing() -> None:
    synonyms = read("sso, single sign-on\nerr, error", origin="words.txt")
    query = with_synonyms(parse("sso AND err -err"), synonyms, words_of=STANDARD, weight=0.5)

    signed = AllOf((Words("single", 0.5), Words("sign-on", 0.5)))
    needed = AllOf((AnyOf((Words("sso"), signed)), AnyOf((Words("err"), Words("error", 0.5)))))
    assert isinstance(query.root, Without)
    assert query.root.keep == needed
    assert query.root.drop == parse("x -err").root.drop  # type: ignore[union-attr]
    assert query.meaning == "sso err"


@pytest.mark.parametrize(
    "text", ['"err"', "errHandler", "err_code", "err error", "name:err", "er*"]
)
def test_phrases_names_fields_and_what_is_said_already_are_left_alone(text: str) -> None:
    assert widen(text, "err, error") == ()


def test_c_sharp_and_c_plus_plus_are_words() -> None:
    assert read("c#, csharp\nc++ => cpp", origin="words.txt").pairs == (
        ("c#", "csharp"),
        ("csharp", "c#"),
        ("c++", "cpp"),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\nalone\n", "words.txt, line 2: 'alone' stands alone"),
        ("a,,b", "words.txt, line 1: a word is missing"),
        ("a =>", "a word is missing"),
        ("a => b => c", "two arrows"),
        ("a b => c", "'a b' is no single word"),
        ("a, b?", "'b?' is no word"),
        ("a, " + "b" * 101, "is no word"),
        (", ".join(f"w{n}" for n in range(MOST_IN_A_GROUP + 1)), "a group has at most 50"),
        ("a, b\n" * (MOST_LINES + 1), "10,001 lines; the most is 10,000"),
    ],
)
def test_a_mistake_names_the_file_the_line_and_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem.replace("?", r"\?")):
        read(text, origin="words.txt")


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ConfigError):
        assert all(one != other for one, other in read(text, origin="x").pairs)


def test_a_word_of_letters_and_digits_is_looked_for_as_a_whole() -> None:
    query = with_synonyms(parse("kubernetes"), abbreviations(), words_of=STANDARD, weight=0.5)

    assert query.root == AnyOf((Words("kubernetes"), Phrase("k8s")))
    assert widen("k8s", abbreviations()) == ("k8s = kubernetes",)


def test_a_long_query_is_widened_in_part() -> None:
    rules = "\n".join(f"w{n}a, w{n}b" for n in range(500))

    assert len(widen(" ".join(f"w{n}a" for n in range(500)), rules)) == 32


def test_a_word_with_many_meanings_takes_twenty() -> None:
    rules = "\n".join(f"word => w{n}x" for n in range(100))

    assert len(widen("word", rules)) == 20


def test_the_list_for_code_has_short_forms_both_ways() -> None:
    assert "cfg = configuration" in widen("cfg", abbreviations())
    assert "database = db" in widen("database", abbreviations())
    assert 60 <= len({one for one, _ in abbreviations().pairs}) <= 300


def test_two_lists_are_joined_and_none_widens_nothing() -> None:
    both = read("a1, b1", origin="x") | read("a1, c1", origin="y")

    assert widen("a1", both) == ("a1 = b1", "a1 = c1")
    assert widen("a1", NO_SYNONYMS) == ()
