"""Paragraphs, items, and lines that stand for themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.results.blocks import blocks
from trivium.results.sentences import sentences


def texts(text: str, *, is_cut: bool = False) -> list[str]:
    return [text[start:end] for start, end in sentences(text, is_cut=is_cut)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A. B\nText. More.", ["# A. B", "Text.", "More."]),
        ("Title\n=====\nText.", ["Title\n=====", "Text."]),
        ("|a. B|c|\n|-|-|\n|d. E|f|\nText.", ["|a. B|c|", "|-|-|", "|d. E|f|", "Text."]),
        ("- One. Two\n  goes on.\n- Three.", ["- One. Two\n  goes on.", "- Three."]),
        (
            "1. One.\n\n   Its text. More.\n\nOther. One.",
            ["1. One.", "Its text. More.", "Other.", "One."],
        ),
        ("So:\n\n    a = 1. \n    b = 2\n\nText.", ["So:", "    a = 1.", "    b = 2", "Text."]),
        (
            "So:\n```py\nx = 1. + 2\n\n  y\n```\nTo. Be",
            ["So:", "```py", "x = 1. + 2", "  y", "```", "To.", "Be"],
        ),
        ("> Said. He\n> did.\nText.", ["> Said.", "He\n> did.", "Text."]),
        ("\n".join("abcdefghi"), list("abcdefghi")),
    ],
)
def test_lines_that_stand_for_themselves_are_not_cut(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_an_item_that_is_long_is_cut_into_sentences() -> None:
    assert len(texts("- " + "All of it is told. " * 20)) == 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1.\n```\nA b\ncat. D", ["x = 1.", "```", "A b\ncat.", "D"]),
        ("A b\ncat. D\n```py\nx\n```", ["A b\ncat.", "D", "```py", "x", "```"]),
        ("x\n```\nA b\ncat.\n```py\ny", ["x", "```", "A b\ncat.", "```py", "y"]),
    ],
)
def test_a_text_that_begins_inside_of_code_is_seen_as_such(text: str, expected: list[str]) -> None:
    assert texts(text, is_cut=True) == expected


@given(st.text(alphabet="aB.|#-*> \t\n`1=", max_size=80), st.booleans())
def test_nothing_but_blanks_lies_between_blocks(text: str, is_cut: bool) -> None:
    at = 0
    for block in blocks(text, is_cut=is_cut):
        assert at <= block.start < block.end
        assert not text[at : block.start].strip()
        at = block.end
    assert not text[at:].strip()
