"""How runs without spaces are cut."""

from __future__ import annotations

import pytest

from trivium.analysis import cjk


@pytest.mark.parametrize("text", ["漢", "ひ", "カ", "ー", "々", "한", "\U00020000", "ก"])
def test_a_character_of_a_script_without_spaces_is_seen(text: str) -> None:
    assert cjk.has_cjk(f"abc{text}")


@pytest.mark.parametrize("text", ["", "abc", "é", "Привет", "、。", "👍", "12", "๑"])
def test_other_text_is_not_taken_for_such_a_script(text: str) -> None:
    assert not cjk.has_cjk(text)


def test_text_is_cut_where_the_script_changes() -> None:
    assert cjk.pieces("foo東京bar2020年") == ["foo", "東京", "bar2020", "年"]
    assert cjk.pieces("") == []


def test_a_run_gives_its_overlapping_pairs() -> None:
    assert cjk.pairs("東京都") == ["東京", "京都"]


def test_a_lone_character_is_its_own_pair() -> None:
    assert cjk.pairs("京") == ["京"]


def test_the_han_characters_of_a_run_come_one_by_one_and_kana_do_not() -> None:
    assert cjk.singles("黒い猫が") == ["黒", "猫"]


def test_a_lone_character_is_not_given_twice() -> None:
    assert cjk.singles("京") == []
