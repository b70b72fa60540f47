from __future__ import annotations

import pytest

from trivium.chunking.syntax import LONGEST, WHOLE, pieces
from trivium.types import Span


def texts(text: str) -> list[str]:
    return [text[span.start : span.end] for span in pieces(text, Span(0, len(text)))]


def test_a_symbol_that_fits_is_one_piece() -> None:
    text = "x = 1\n" * (WHOLE // 6)

    assert texts(text) == [text.rstrip("\n")]


def test_a_longer_one_is_cut_where_lines_end() -> None:
    text = "x = 1\n" * 500
    found = texts(text)

    assert max(map(len, found)) <= LONGEST
    assert "\n".join(found) + "\n" == text


def test_blank_lines_are_the_best_places_to_cut() -> None:
    blocks = ["    a = 1\n" * 60 + "    b = 2" for _ in range(4)]

    assert texts("\n\n".join(blocks)) == blocks


def test_shallow_lines_are_better_places_than_deep_ones() -> None:
    block = "for a in b:\n" + "        deep(a)\n" * 40
    found = texts(block * 4)

    assert all(piece.startswith("for a in b:") for piece in found)


def test_a_piece_does_not_start_with_what_closes_the_one_before() -> None:
    block = "if (a) {\n" + "    call(a);\n" * 60 + "}\n"

    assert not any(piece.startswith("}") for piece in texts(block * 4))


def test_a_line_too_long_to_be_a_piece_is_cut_by_characters() -> None:
    found = texts("short\n" + "x" * (2 * LONGEST + 1) + "\nshort\n")

    assert [len(piece) for piece in found] == [5, LONGEST, LONGEST, 1, 5]


@pytest.mark.parametrize("text", ["", " \n\t\n", "}\n", "  });\n", "\n}\n\n]\n"])
def test_white_space_and_closing_brackets_alone_are_no_piece(text: str) -> None:
    assert texts(text) == []


def test_indentation_is_kept_and_blank_lines_around_are_not() -> None:
    assert texts("\n\n    x = 1\n    y = 2\n\n") == ["    x = 1\n    y = 2"]


def test_only_the_span_given_is_cut() -> None:
    text = "before\n  inside\nafter\n"

    assert pieces(text, Span(7, 16)) == [Span(7, 15)]
    assert pieces(text, Span(9, 16)) == [Span(9, 15)]
