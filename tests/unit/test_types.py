from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from trivium.types import ChunkId, Part, Scored, Span, best_first, lines_of


def test_a_score_is_the_exact_sum_of_its_parts() -> None:
    # Added from the left these make 0.0: the sum must not lose the small one.
    parts = (Part("a", 1e16), Part("b", 1.0), Part("c", -1e16))

    assert Scored(ChunkId("x@0"), parts).score == 1.0
    assert Scored(ChunkId("x@0"), ()).score == 0.0


def test_a_scored_chunk_cannot_be_changed() -> None:
    scored = Scored(ChunkId("x@0"), (Part("a", 1.0),))

    with pytest.raises(FrozenInstanceError):
        scored.score = 2.0  # type: ignore[misc]


def test_best_comes_first_and_equals_by_id() -> None:
    scored = [
        Scored(ChunkId("b@0"), (Part("x", 1.0),)),
        Scored(ChunkId("c@0"), (Part("x", 2.0),)),
        Scored(ChunkId("a@0"), (Part("x", 1.0),)),
    ]

    assert [one.chunk_id for one in best_first(scored)] == ["c@0", "a@0", "b@0"]


def test_lines_count_from_1_and_a_line_end_belongs_to_its_line() -> None:
    text = "one\ntwo\nthree\n"
    spans = [Span(8, 13), Span(0, 4), Span(2, 6), Span(0, 14)]

    assert lines_of(text, spans) == [(3, 3), (1, 1), (1, 2), (1, 3)]


def test_an_empty_span_lies_on_the_line_it_starts_on() -> None:
    assert lines_of("a\nb\n", [Span(2, 2), Span(4, 4), Span(0, 0)]) == [(2, 2), (3, 3), (1, 1)]
    assert lines_of("", []) == []
