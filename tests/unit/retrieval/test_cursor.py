"""Cursors: what is written is read again, and nothing else is."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.errors import UsageError
from trivium.retrieval.cursor import Cursor, Start, binding, digest, read, resume, write

BOUND = binding("shop", identity=["shop-1"], asked=["cat", {"limit": None}])
WRITTEN = write(Cursor(digest(["a"]), 10, 5), BOUND)
NUMBERS = st.integers(0, 2**32 - 1)


@given(st.binary(min_size=6, max_size=6), NUMBERS, NUMBERS)
def test_a_cursor_is_read_as_it_was_written(state: bytes, offset: int, first: int) -> None:
    cursor = Cursor(state, offset, first)
    text = write(cursor, BOUND)

    assert read(text, BOUND) == cursor
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    # Nothing that a command line would take for an option.
    assert not text.startswith("-")


def test_no_cursor_is_the_first_page() -> None:
    assert read(None, BOUND) is None


@given(st.integers(0, len(WRITTEN) - 1), st.sampled_from("AZaz09-_+/=. é\ud800\x00"))
def test_one_changed_character_is_damage(place: int, character: str) -> None:
    if WRITTEN[place] == character:
        return
    with pytest.raises(UsageError, match="damaged"):
        read(WRITTEN[:place] + character + WRITTEN[place + 1 :], BOUND)


@given(st.one_of(st.text(max_size=80), st.binary(max_size=60)))
def test_anything_else_is_damage(given_: str | bytes) -> None:
    text = base64.urlsafe_b64encode(given_).decode() if isinstance(given_, bytes) else given_
    with pytest.raises(UsageError, match="damaged"):
        read(text, BOUND)


@pytest.mark.parametrize("text", ["", WRITTEN + "A", WRITTEN[:-1], WRITTEN * 100_000, 7, [WRITTEN]])
def test_what_is_too_long_or_no_text_is_damage(text: str) -> None:
    with pytest.raises(UsageError, match="damaged"):
        read(text, BOUND)


def test_a_cursor_of_another_collection_or_question_says_so() -> None:
    elsewhere = binding("shop", identity=["shop-2"], asked=["cat", {"limit": None}])
    otherwise = binding("shop", identity=["shop-1"], asked=["dog", {"limit": None}])

    with pytest.raises(UsageError, match="another collection than shop"):
        read(WRITTEN, elsewhere)
    with pytest.raises(UsageError, match="another question"):
        read(WRITTEN, otherwise)


def test_another_version_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.retrieval.cursor._VERSION", 2)
    newer = write(Cursor(digest(["a"]), 10, 5), BOUND)
    monkeypatch.undo()

    with pytest.raises(UsageError, match="another version"):
        read(newer, BOUND)


def state_of(entries: str, count: int) -> bytes | None:
    return digest(entries[:count]) if count <= len(entries) else None


def test_a_page_begins_where_the_one_before_ended_if_that_is_as_it_was() -> None:
    cursor = Cursor(digest("ab"), 2, 2)

    # The rest may differ: nothing of it was shown.
    assert resume(cursor, 5, listed=lambda _: "abz", state_of=state_of) == Start("abz", 2, 2)
    again = resume(cursor, 5, listed=lambda _: "bac", state_of=state_of)
    assert again == Start("bac", 0, 5, is_again=True)
    assert len(again.notes) == 1


def test_a_forged_place_beyond_the_end_is_the_first_page() -> None:
    forged = Cursor(digest("abc"), 4_000_000_000, 2)

    assert resume(forged, 1, listed=lambda _: "abc", state_of=state_of).offset == 0
