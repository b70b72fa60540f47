# ruff: noqa: RUF001 - letters that look alike are what is tested
"""What each analyser makes of a text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.analysis.words import (
    GRAPH_STOP_WORDS,
    STOP_WORDS,
    analyser,
    edition,
    graph_terms,
    with_tokenizer,
)
from trivium.errors import ConfigError
from trivium.types import View

STANDARD = analyser("standard")
GRAPH = analyser("graph")
SIMPLE = analyser("simple")
CODE_WORDS = ["for", "if", "not", "is", "has", "can", "do"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("XMLParser", ["xml", "parser"]),
        ("parseHTML", ["parse", "html"]),
        ("src/auth.ts::loginUser", ["src", "auth", "ts", "login", "user"]),
        ("hello-world_foo.bar", ["hello", "world", "foo", "bar"]),
    ],
)
def test_case_90_the_graph_analyser_splits_identifiers_paths_and_joined_words(
    text: str, terms: list[str]
) -> None:
    assert GRAPH.terms(text) == terms


def test_case_90_the_standard_analyser_keeps_the_whole_identifier_beside_its_words() -> None:
    assert STANDARD.words("XMLParser") == ["xml", "parser"]
    assert STANDARD.terms("XMLParser") == ["xml", "parser", "xmlparser"]


def test_case_91_the_graph_analyser_drops_by_from_an_identifier() -> None:
    assert GRAPH.terms("getUserById") == ["get", "user", "id"]


def test_case_91_the_graph_analyser_keeps_by_when_stop_words_are_off() -> None:
    assert graph_terms("getUserById", stop_words=()) == ["get", "user", "by", "id"]


@pytest.mark.parametrize("name", ["graph", "standard"])
def test_case_92_words_that_mean_something_in_code_are_kept(name: str) -> None:
    assert analyser(name).terms(" ".join(CODE_WORDS)) == CODE_WORDS


@pytest.mark.parametrize("name", ["graph", "standard"])
def test_case_92_articles_and_conjunctions_leave_nothing(name: str) -> None:
    assert analyser(name).terms("the a an and or but") == []


@pytest.mark.parametrize("name", ["graph", "standard"])
def test_case_93_a_cyrillic_word_is_found_whatever_its_case(name: str) -> None:
    words = analyser(name)
    assert set(words.terms("пароль")) <= set(words.terms("Хэшировать Пароль пользователя"))


@pytest.mark.parametrize("name", ["graph", "standard"])
def test_case_93_two_arabic_words_are_two_terms(name: str) -> None:
    assert len(analyser(name).terms("مرحبا بالعالم")) == 2


@pytest.mark.parametrize("name", ["graph", "standard"])
@pytest.mark.parametrize("query", ["数据", "据分", "分析", "数据分析"])
def test_case_93_a_chinese_query_matches_inside_a_run(name: str, query: str) -> None:
    words = analyser(name)
    assert set(words.terms(query)) <= set(words.terms("我们的数据分析平台"))


@pytest.mark.parametrize("text", ["", " \n\t", "?!…", "the", "of the and", "_", "\x00", "👍🏽"])
def test_case_96_a_text_of_stop_words_or_punctuation_has_no_terms(text: str) -> None:
    assert STANDARD.terms(text) == []
    assert GRAPH.terms(text) == []


def test_case_130_the_standard_analyser_finds_tokyo_without_a_dictionary() -> None:
    assert set(STANDARD.terms("東京")) <= set(STANDARD.terms("東京都に住む"))


def test_case_130_the_simple_analyser_takes_the_whole_run_for_one_word() -> None:
    assert SIMPLE.terms("東京都に住む") == ["東京都に住む"]
    assert set(SIMPLE.terms("東京")).isdisjoint(SIMPLE.terms("東京都に住む"))


@pytest.mark.parametrize(
    ("text", "words", "wholes"),
    [
        ("HTTPServer2", ["http", "server"], ["httpserver2"]),
        ("snake_case_name", ["snake", "case", "name"], ["snakecasenam"]),
        ("__init__", ["init"], []),
        ("sha256", ["sha", "256"], ["sha256"]),
        ("version 2", ["version", "2"], []),
    ],
)
def test_an_identifier_gives_its_words_and_itself_if_it_is_a_compound(
    text: str, words: list[str], wholes: list[str]
) -> None:
    assert STANDARD.split(text) == (words, wholes)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hashing passwords", "hashed password"),
        ("it tries", "try"),
        ("REST APIs", "rest api"),
        ("URLs", "url"),
        ("user IDs", "USER ID"),
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("ıspanak", "ISPANAK"),
        ("İstanbul", "istanbul"),
        ("Łódź", "lodz"),
        ("smørrebrød", "SMORREBROD"),
        ("naïve café", "naive cafe"),
        ("e\u0301te\u0301", "\u00e9t\u00e9"),
        ("ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        ("カ\u3099", "ガ"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
        ("soft\u00adhyphen", "softhyphen"),
        ("می\u200cخواهم", "میخواهم"),
        ("مُحَمَّد", "محمد"),
        ("عـــربي", "عربي"),
        ("ﬁnd", "find"),
        ("x\u0441\u0306", "x\u0441"),
    ],
)
def test_two_ways_to_write_the_same_give_the_same_terms(one: str, other: str) -> None:
    assert STANDARD.terms(one) == STANDARD.terms(other)
    assert STANDARD.terms(one)


@pytest.mark.parametrize("text", ["हिन्दी", "தமிழ்", "বাংলা"])
def test_vowel_signs_do_not_break_a_word(text: str) -> None:
    assert STANDARD.terms(text) == [text]
    assert GRAPH.terms(text) == [text]


@pytest.mark.parametrize(
    ("query", "text"),
    [("ชาวโลก", "สวัสดีชาวโลก"), ("មិត្ត", "សួស្តីមិត្ត"), ("ລາວ", "ພາສາລາວ"), ("한국", "대한국민")],
)
def test_a_query_matches_inside_a_run_of_any_script_without_spaces(query: str, text: str) -> None:
    assert set(STANDARD.terms(query)) <= set(STANDARD.terms(text))


@pytest.mark.parametrize("query", ["猫", "黒"])
def test_case_93_a_query_of_one_han_character_matches_inside_a_run(query: str) -> None:
    assert set(STANDARD.terms(query)) <= set(STANDARD.terms("黒い猫がいる"))


def test_single_characters_do_not_come_between_the_pairs_of_a_phrase() -> None:
    assert STANDARD.words("黒猫屋") == ["黒猫", "猫屋"]


def test_a_word_of_two_scripts_is_cut_between_them() -> None:
    assert STANDARD.split("foo東京bar") == (["foo", "東京", "bar"], ["東", "京"])


def test_an_identifier_inside_a_japanese_sentence_is_kept_whole_too() -> None:
    assert STANDARD.split("これはHTTPServerです") == (
        ["れは", "http", "server"],
        ["httpserver"],
    )


@pytest.mark.parametrize(
    ("text", "terms"),
    [("½", ["1", "2"]), ("ﷺ", ["صلى", "الله", "عليه", "وسلم"]), ("㌔", ["キロ"])],
)
def test_one_character_that_stands_for_several_words_becomes_them(
    text: str, terms: list[str]
) -> None:
    assert STANDARD.terms(text) == terms


def test_the_words_of_a_phrase_stay_neighbours_around_an_identifier() -> None:
    assert STANDARD.words("open HTTPServer now") == ["open", "http", "server", "now"]


@pytest.mark.parametrize(
    "text", ["a\x00b c", "x\ud800y", "\udfff", "e\u0301" * 50, "👨\u200d👩\u200d👧 x"]
)
@pytest.mark.parametrize("name", ["standard", "graph", "simple"])
def test_broken_text_gives_terms_that_can_be_stored(name: str, text: str) -> None:
    for term in analyser(name).terms(text):
        assert term.encode()


@pytest.mark.parametrize("letter", ["a", "Z", "é", "\u0e01", "A1"])
def test_a_megabyte_without_a_space_is_survived(letter: str) -> None:
    text = letter * (1_000_000 // len(letter))
    assert all(len(term) <= 64 for term in STANDARD.terms(text))


def test_a_word_of_64_letters_is_a_term_and_one_of_65_is_not() -> None:
    assert STANDARD.terms("ж" * 64) == ["ж" * 64]
    assert STANDARD.terms("ж" * 65) == []


def test_the_simple_analyser_drops_words_of_more_than_40_characters() -> None:
    assert SIMPLE.terms(f"{'x' * 40} {'y' * 41}") == ["x" * 40]


def test_the_simple_analyser_folds_case_and_keeps_stop_words() -> None:
    assert SIMPLE.terms("The_HTTPServer, İ") == ["the", "httpserver", "i\u0307"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("auth2", ["auth2"]),
        ("2fa", ["2fa"]),
        ("K8s", ["k8s"]),
        ("iPhone", ["phone"]),
        ("parseUTF8String", ["parse", "utf8string"]),
    ],
)
def test_the_graph_analyser_leaves_digits_where_they_are(text: str, terms: list[str]) -> None:
    assert GRAPH.terms(text) == terms


@pytest.mark.parametrize(
    ("name", "typed", "folded"),
    [
        ("standard", "get_User", "getuser"),
        ("standard", "Café", "cafe"),
        ("standard", "Stra\u00dfe", "strasse"),
        ("graph", "Auth", "auth"),
        ("simple", "Auth", "auth"),
    ],
)
def test_the_start_of_a_word_is_folded_as_terms_are(name: str, typed: str, folded: str) -> None:
    assert analyser(name).fold(typed) == folded


def test_stop_words_are_lower_case_and_spare_code_words() -> None:
    for stopped in (STOP_WORDS, GRAPH_STOP_WORDS):
        assert stopped.isdisjoint([*CODE_WORDS, "all", "no"])
        assert all(word == word.lower() for word in stopped)


def test_an_analyser_is_made_once() -> None:
    assert analyser("standard") is STANDARD


def test_an_unknown_analyser_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'klingon'.*standard, simple, graph"):
        analyser("klingon")


@pytest.mark.parametrize("name", ["openFile", "putVectors", "get_user_names"])
def test_an_identifier_typed_in_lower_case_is_found_whole(name: str) -> None:
    typed = name.replace("_", "").lower()

    assert STANDARD.terms(typed)[0] in STANDARD.terms(name)


@pytest.mark.parametrize("name", ["standard", "simple"])
def test_a_view_takes_the_dictionary_that_is_set(name: str) -> None:
    view = View(name="v", analyser=name, fields=(("body", 1),))

    assert with_tokenizer(view, "korean") == replace(view, analyser=f"{name}+korean")
    assert with_tokenizer(view, "default") is view


def test_the_view_of_an_analyser_that_takes_no_dictionary_stays_as_it_is() -> None:
    view = View(name="v", analyser="graph", fields=(("body", 1),))

    assert with_tokenizer(view, "korean") is view


@pytest.mark.parametrize("name", ["graph+japanese", "standard+klingon", "+japanese", "simple+"])
def test_an_analyser_with_a_dictionary_it_cannot_have_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        analyser(name)


@pytest.mark.parametrize("name", ["standard", "simple", "graph", "standard+klingon"])
def test_terms_made_without_a_dictionary_depend_on_no_edition(name: str) -> None:
    assert edition(name) == ()
