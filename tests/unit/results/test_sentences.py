"""Where sentences start and end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.results.sentences import sentences


def texts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("Use e.g. Redis. It is fast.", ["Use e.g. Redis.", "It is fast."]),
        ("See file a.py. Pi is 3.14. Done.", ["See file a.py.", "Pi is 3.14.", "Done."]),
        ("By J. Smith et al. in 1999.", ["By J. Smith et al. in 1999."]),
        (
            "It costs (approx.) 5 Euro. See no. 7, z.B. Seite 3. He said no. Then he left.",
            [
                "It costs (approx.) 5 Euro.",
                "See no. 7, z.B. Seite 3.",
                "He said no.",
                "Then he left.",
            ],
        ),
        (
            "**Bold.** More. Really?” he asked. Done",
            ["**Bold.**", "More.", "Really?” he asked.", "Done"],
        ),
        (
            "彼は「はい。」と言った。次\uff01本当\uff1f",
            ["彼は「はい。」と言った。", "次\uff01", "本当\uff1f"],
        ),
        (
            "約\uff13\uff0e\uff11\uff14です\uff0e次です\uff0e",
            ["約\uff13\uff0e\uff11\uff14です\uff0e", "次です\uff0e"],
        ),
        ("यह एक है। दूसरा है।", ["यह एक है।", "दूसरा है।"]),
        ("東京に住む。京都へ行く。", ["東京に住む。", "京都へ行く。"]),
        ("# Title\n\nText goes\non here. More.", ["# Title", "Text goes\non here.", "More."]),
        ("List:\n- one\n- two\n1. three", ["List:", "- one", "- two", "1. three"]),
        ("  \n ", []),
        ("", []),
    ],
)
def test_a_text_is_cut_into_its_sentences(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@given(st.text(alphabet="aB. \n。!\"'-#1", max_size=80))
def test_nothing_but_blanks_lies_between_sentences(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert at <= start < end
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize("one", [".", "\n", ". ", "\n- ", "。", '."', "e.g. ", " "])
def test_a_run_of_nothing_but_ends_has_an_end(one: str) -> None:
    # Where time grew with the square of the length, this would take hours.
    text = one * (200_000 // len(one))
    assert "".join("".join(texts(text)).split()) == "".join(text.split())
