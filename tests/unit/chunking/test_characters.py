from __future__ import annotations

import pytest

from trivium.chunking.characters import cut
from trivium.types import Span


@pytest.mark.parametrize(
    ("length", "chunks"),
    [(0, 0), (1, 1), (1000, 1), (1001, 2), (1800, 2), (1801, 3), (2500, 3), (2601, 4)],
)
def test_a_text_is_cut_into_as_many_windows_as_cover_it_g115(length: int, chunks: int) -> None:
    assert len(cut("x" * length, size=1000, overlap=200)) == chunks


def test_the_second_window_starts_at_800_g115() -> None:
    assert cut("x" * 1001, size=1000, overlap=200) == [Span(0, 1000), Span(800, 1001)]


def test_characters_are_counted_not_bytes_g116() -> None:
    spans = cut("あ" * 300, size=100, overlap=20)

    assert [span.start for span in spans] == [0, 80, 160, 240]
    assert max(span.end - span.start for span in spans) == 100


def test_an_overlap_as_large_as_the_window_is_none_g116() -> None:
    for overlap in (100, 150):
        spans = cut("x" * 300, size=100, overlap=overlap)

        assert spans == [Span(0, 100), Span(100, 200), Span(200, 300)]


def test_a_text_that_fits_keeps_its_white_space() -> None:
    assert cut("  a  \n", size=1000, overlap=200) == [Span(0, 6)]


def test_longer_texts_are_cut_without_white_space_at_the_ends() -> None:
    assert cut("  aa  bb  ", size=5, overlap=0) == [Span(2, 4), Span(6, 8)]


def test_windows_of_white_space_alone_are_dropped() -> None:
    assert cut("aaaa" + " " * 8 + "bbbb", size=4, overlap=0) == [Span(0, 4), Span(12, 16)]
