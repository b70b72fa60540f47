"""Where a text may be cut so that no character that people see is cut apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.analysis.graphemes import boundary, is_boundary

WHOLE = {
    "an accent": "e\u0301",
    "a family": "👨\u200d👩\u200d👧",
    "a flag": "🇯🇵",
    "a skin tone": "👍🏽",
    "a keycap": "1\ufe0f\u20e3",
    "a syllable of jamo": "\u1112\u1161\u11ab",
    "a syllable and its end": "\uac00\u11a8",
    "a conjunct of Devanagari": "\u0915\u094d\u0937",
    "a vowel sign": "\u0915\u0940",
    "a line break": "\r\n",
    "the flag of Scotland": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
}


@pytest.mark.parametrize("one", WHOLE.values(), ids=WHOLE)
def test_what_people_see_as_one_is_never_cut(one: str) -> None:
    text = f"a{one}b"
    end = 1 + len(one)
    assert [at for at in range(len(text) + 1) if is_boundary(text, at)] == [0, 1, end, end + 1]
    assert all(boundary(text, at) == 1 for at in range(1, end))
    assert boundary(text, end) == end


def test_between_two_flags_may_be_cut() -> None:
    text = "🇯🇵🇰🇷🇨🇳"
    assert [at for at in range(len(text) + 1) if is_boundary(text, at)] == [0, 2, 4, 6]


def test_plain_text_may_be_cut_anywhere_and_a_place_outside_is_the_nearest_end() -> None:
    assert all(boundary("abc", at) == at for at in range(4))
    assert boundary("abc", -5) == 0
    assert boundary("abc", 99) == 3
    assert boundary("", 3) == 0


def test_a_tower_of_accents_is_cut_rather_than_lost() -> None:
    tower = "a" + "\u0301" * 100_000
    assert boundary(tower, 50_000) == 50_000


@given(st.text(max_size=60), st.integers(-5, 70))
def test_a_place_moves_back_only_and_stays_inside(text: str, at: int) -> None:
    found = boundary(text, at)
    assert 0 <= found <= len(text)
    assert found <= max(at, 0)
