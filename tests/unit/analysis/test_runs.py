"""What is looked for in a run of Japanese, Chinese or Korean, and what is not."""

from __future__ import annotations

import pytest

from trivium.analysis import runs
from trivium.analysis.words import analyser

STANDARD = analyser("standard")


def _finds(query: str, text: str) -> bool:
    """Whether everything a query asks for stands in a text."""
    asked = set(STANDARD.terms(query))
    return bool(asked) and asked <= set(STANDARD.terms(text))


def test_a_particle_and_the_word_after_it_are_no_pair() -> None:
    assert runs.split("東京の天気") == (["東京", "京の", "天", "天気"], ["東", "京", "気"])


@pytest.mark.parametrize("run", ["です", "から", "どこ", "の", "とい", "什么", "에서", "의", "및"])
def test_function_words_alone_ask_for_nothing(run: str) -> None:
    assert runs.split(run) == ([], [])


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("富士山の高さは何メートルですか", "富士山の高さは3776メートルである"),
        ("首都はどこですか", "首都は"),
        ("作者是谁", "作者"),
        ("설치하려면", "설치"),
    ],
)
def test_what_makes_a_question_of_a_sentence_is_not_looked_for(
    question: str, statement: str
) -> None:
    left = set(STANDARD.terms(question)) - set(STANDARD.terms(statement))
    assert left.isdisjoint({"です", "すか", "どこ", "何", "是谁", "谁", "하려", "려면"})
    assert set(STANDARD.terms(question)) & set(STANDARD.terms(statement))


@pytest.mark.parametrize("pair", ["何で", "何が", "誰が", "誰の"])
def test_a_character_that_asks_is_no_pair_with_kana(pair: str) -> None:
    assert pair not in runs.split(f"{pair}ある")[0]


@pytest.mark.parametrize("word", ["几何", "目的", "布什", "谁知"])
def test_a_character_of_grammar_inside_a_word_stays_in_its_pair(word: str) -> None:
    assert runs.split(word)[0] == [word]


def test_a_han_character_after_kana_keeps_its_place_in_a_phrase() -> None:
    assert STANDARD.words("黒い猫") == ["黒い", "猫"]
    assert STANDARD.words("黒い犬") != STANDARD.words("黒い猫")


def test_no_han_character_comes_twice_for_one_that_is_written() -> None:
    words, beside = runs.split("黒い猫がいる家")
    assert sorted(one for one in words + beside if len(one) == 1) == sorted("黒猫家")


def test_a_word_of_hiragana_is_found_inside_a_sentence() -> None:
    assert _finds("りんご", "赤いりんごを食べた")


def test_a_word_with_its_kana_ending_is_found_by_its_stem_in_another_form() -> None:
    assert set(STANDARD.terms("食べる")) & set(STANDARD.terms("食べました")) == {"食", "食べ"}


@pytest.mark.parametrize(
    ("one", "other"),
    [("サーバー", "サーバ"), ("ユーザー", "ユーザ"), ("コンピューター", "コンピュータ")],
)
def test_a_long_vowel_at_the_end_of_a_loanword_may_be_left_out(one: str, other: str) -> None:
    assert runs.split(one)[1] == runs.split(other)[1] == [other]


@pytest.mark.parametrize("word", ["キー", "コピー"])
def test_a_short_loanword_keeps_its_long_vowel(word: str) -> None:
    assert word in STANDARD.terms(word)


@pytest.mark.parametrize("text", ["らーめんを食べる", "すーぱー"])
def test_a_long_vowel_after_hiragana_is_part_of_the_word(text: str) -> None:
    assert text[:2] in runs.split(text)[0]
    assert "ー" not in STANDARD.terms(text)


def test_a_word_of_katakana_comes_whole_beside_its_pairs() -> None:
    assert runs.split("新しいテスト環境")[1] == ["新", "環", "境", "テスト"]


def test_one_katakana_letter_between_other_scripts_is_not_lost() -> None:
    assert _finds("ト", "このト")


@pytest.mark.parametrize(
    "written",
    [
        "사용자",
        "사용자는",
        "사용자를",
        "사용자의",
        "사용자에게",
        "사용자들이",
        "사용자에서는",
        "사용자입니다",
    ],
)
def test_a_korean_word_is_found_whatever_particle_it_has(written: str) -> None:
    assert STANDARD.terms(written) == ["사용", "용자"]


@pytest.mark.parametrize(
    "written", ["설치", "설치하는", "설치합니다", "설치된", "설치하려면", "설치하기"]
)
def test_a_korean_noun_is_found_in_the_verbs_made_of_it(written: str) -> None:
    assert STANDARD.terms(written) == ["설치"]


@pytest.mark.parametrize("word", ["정의", "길이", "회의"])
def test_a_korean_word_of_two_syllables_keeps_the_one_that_looks_like_a_particle(word: str) -> None:
    assert word in STANDARD.terms(word)
    assert word in STANDARD.terms(f"{word}를")


def test_a_korean_word_of_one_syllable_is_found_with_its_particle() -> None:
    assert _finds("값", "값을 돌려준다")


def test_korean_words_are_found_however_they_are_spaced() -> None:
    shared = set(STANDARD.terms("데이터 베이스")) & set(STANDARD.terms("데이터베이스"))
    assert shared == {"데이", "이터", "베이", "이스"}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("JavaScript", "JavaScriptの配列"),
        ("配列", "JavaScriptの配列"),
        ("API", "API仕様書"),
        ("仕様", "API仕様書"),
        ("Phaser", "Phaser를 사용한 2D 게임"),
        ("게임", "Phaser를 사용한 2D 게임"),
        ("Python", "用Python编写的程序"),
        ("程序", "用Python编写的程序"),
    ],
)
def test_either_script_of_a_mixed_text_is_found(query: str, text: str) -> None:
    assert _finds(query, text)


def test_a_particle_after_a_word_in_latin_letters_is_no_term() -> None:
    assert STANDARD.terms("JavaScript의") == STANDARD.terms("JavaScriptの")
    assert STANDARD.terms("HTML로") == STANDARD.terms("HTML")


def test_hangul_and_han_are_cut_apart() -> None:
    assert runs.split("大韓민국") == (["大韓", "민국"], ["大", "韓"])


@pytest.mark.parametrize("letter", ["カ", "の", "漢", "한", "は何", "のテ"])
def test_a_run_of_any_length_takes_time_by_its_length_and_has_short_terms(letter: str) -> None:
    words, beside = runs.split(letter * 200_000)
    assert all(len(term) <= 64 for term in (*words, *beside))


@pytest.mark.parametrize("name", ["graph", "code", "prose"])
def test_the_analysers_of_the_seeds_keep_every_pair(name: str) -> None:
    assert analyser(name).words("東京の天気です") == [
        "東京",
        "京の",
        "の天",
        "天気",
        "気で",
        "です",
    ]
