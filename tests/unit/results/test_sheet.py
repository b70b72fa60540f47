from __future__ import annotations

import math

import pytest

from trivium.results.sheet import Lines, Sheet, piece_tokens, shortened

TEXT = "one\n\nthree\n" + "x" * 200 + "\nfive\n\n"


def sheet(text: str = TEXT, *, place: str = "src/a.py") -> Sheet:
    return Sheet.of(text, place=place)


def test_a_piece_takes_its_heading_its_text_and_the_lines_between() -> None:
    made = sheet()
    printed = "src/a.py:1-3  f\none\n\nthree\n\n"

    assert made.heading(Lines(1, 3), "f") == "src/a.py:1-3  f"
    assert made.tokens(Lines(1, 3), "f") == math.ceil(len(printed) / 4)


def test_characters_that_steer_a_terminal_count_as_they_are_printed() -> None:
    made = sheet("a\x1bb\n東京\tx", place="odd\nname")

    assert made.characters(Lines(1, 1)) == len("a\\x1bb\n")
    assert made.characters(Lines(2, 2)) == len("東京\tx\n")
    assert made.heading(Lines(1, 1), "a\x07") == "odd\\nname:1-1  a\\x07"


@pytest.mark.parametrize(
    ("first", "last", "kept"),
    [
        (1, 3, Lines(1, 3)),
        (2, 3, Lines(3, 3)),
        (2, 2, None),
        (5, 99, Lines(5, 5)),
        (0, 1, Lines(1, 1)),
    ],
)
def test_blank_lines_at_the_ends_are_left_out(first: int, last: int, kept: Lines | None) -> None:
    assert sheet().trimmed(first, last) == kept


def test_lines_that_overlap_or_touch_are_one() -> None:
    assert sheet().merged([Lines(3, 4), Lines(1, 2)]) == [Lines(1, 4)]
    assert sheet().merged([Lines(1, 4), Lines(2, 3)]) == [Lines(1, 4)]


def test_a_gap_is_closed_where_a_heading_would_cost_more() -> None:
    assert sheet().merged([Lines(1, 1), Lines(3, 3)]) == [Lines(1, 3)]
    assert sheet().merged([Lines(3, 3), Lines(5, 5)]) == [Lines(3, 3), Lines(5, 5)]


def test_lines_that_are_near_are_close() -> None:
    made = Sheet.of("a\n" + "\n" * 9 + "b\n" + "x" * 300 + "\nc", place="p")

    assert made.is_near(Lines(1, 1), Lines(11, 11))
    assert made.is_close(Lines(1, 1), Lines(11, 11))
    assert made.is_close(Lines(11, 11), Lines(1, 1))
    assert not made.is_near(Lines(11, 11), Lines(13, 13))


@pytest.mark.parametrize("max_tokens", [5, 6, 10, 60])
def test_a_line_is_cut_to_what_fits_under_its_heading(max_tokens: int) -> None:
    line = "ab\x1b" * 50

    cut = shortened(line, "a.py:1-1", max_tokens=max_tokens)

    assert line.startswith(cut)
    assert piece_tokens("a.py:1-1", cut) <= max_tokens
    assert cut == line or piece_tokens("a.py:1-1", line[: len(cut) + 1]) >= max_tokens


def test_nothing_is_left_of_a_line_where_a_heading_does_not_fit() -> None:
    assert shortened("abc", "a.py:1-1", max_tokens=2) == ""
