"""What an empty answer says: what was searched, which filter emptied it, names near the query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.backends.base import Backend, Snapshot
from trivium.engine import search
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.options import Circumstances, SearchOptions
from trivium.query.spelling import edits
from trivium.ranking.profile import profile
from trivium.results.nearest import MOST, near_names, nearest
from trivium.testing.filling import write_texts
from trivium.types import Answer

TEXTS = {
    "src/auth.py": "def hash_password(text):\n    return text\n\n\nclass Guard:\n    pass\n",
    "src/main.go": "package main\n\nfunc checkPassword() {}\n",
    "docs/guide.md": "# Installation\n\nA password is needed.\n\n## Troubleshooting\n\nCall us.\n",
}


@pytest.fixture
def snapshot(any_backend: Backend) -> Iterator[Snapshot]:
    write_texts(any_backend, TEXTS)
    with any_backend.writer(wait_s=0) as writer:
        writer.record(skipped={"a.png": "binary", "b.png": "binary", "c.sql": "too-large"})
    with any_backend.snapshot() as held:
        yield held


def ask(
    snapshot: Snapshot,
    text: str,
    *,
    filters: dict[str, Any] | None = None,
    within: Filter = EVERYTHING,
    min_score: float | None = None,
    name: str = "best",
) -> Answer:
    where = build(filters or {}) & within
    # With words as they are typed: most of these would be found by those that were meant.
    options = SearchOptions(
        profile(name), where=where, within=within, min_score=min_score, typos=False
    )
    return search(snapshot, text, options=options, given=Circumstances("shop"))


def said(snapshot: Snapshot, text: str, **options: Any) -> list[str]:
    answer = ask(snapshot, text, **options)
    assert answer.results == ()
    return list(answer.notes)


def test_it_says_what_was_searched_and_what_was_passed_over(snapshot: Snapshot) -> None:
    notes = said(snapshot, "zzz")

    assert notes == [
        "searched 3 files for code, doc, file; passed over 3 (2 binary, 1 too-large)",
    ]


def test_it_names_only_the_kinds_that_were_asked_for(snapshot: Snapshot) -> None:
    notes = said(snapshot, "zzz", filters={"kind": ["doc", "note"]})

    assert notes[0].startswith("searched 3 files for doc;")
    assert notes[1:] == ["without kind=doc,note there is nothing either"]


def test_each_filter_without_which_there_are_hits_is_named_with_how_many(
    snapshot: Snapshot,
) -> None:
    filters = {"lang": "go", "path-prefix": "docs/"}
    notes = said(snapshot, "password", filters=filters)
    without_language = ask(snapshot, "password", filters={"path-prefix": "docs/"})
    without_path = ask(snapshot, "password", filters={"lang": "go"})

    assert f"without lang=go: {without_language.total} hit" in notes
    assert f"without path=docs/: {without_path.total} hit" in notes
    assert without_language.total == without_path.total == 1


def test_a_filter_typed_in_the_query_is_named_alike(snapshot: Snapshot) -> None:
    assert "without lang=go: 1 hit" in said(snapshot, "guard lang:go")


def test_a_filter_that_changes_nothing_alone_is_not_named(snapshot: Snapshot) -> None:
    notes = said(snapshot, "guard", filters={"lang": "go", "kind": "code"})

    assert "without lang=go: 1 hit" in notes
    assert not any("without kind" in note for note in notes)


def test_where_only_all_of_them_together_are_to_blame_that_is_said(snapshot: Snapshot) -> None:
    notes = said(snapshot, "guard", filters={"lang": "go", "ext": ".go"})

    assert f"without all filters: {ask(snapshot, 'guard').total} hit" in notes


def test_where_no_filter_is_to_blame_that_is_said(snapshot: Snapshot) -> None:
    notes = said(snapshot, "zzz", filters={"lang": "go", "kind": "code"})

    assert "without the filters there is nothing either" in notes


@pytest.mark.parametrize("name", ["best", "contract"])
def test_a_least_score_that_nothing_reaches_is_named(snapshot: Snapshot, name: str) -> None:
    found = ask(snapshot, "password", name=name)
    above = 1.01 * found.results[0].score
    notes = said(snapshot, "password", min_score=above, name=name)

    assert f"without min_score={above:g}: {found.total} hits" in notes


def test_nothing_is_promised_beyond_what_is_searched_at_all(snapshot: Snapshot) -> None:
    within = build({"path-prefix": "docs/"})
    notes = said(snapshot, "checkpasword", filters={"lang": "go"}, within=within)

    assert not any("path" in note or "Password" in note for note in notes)


@pytest.mark.parametrize(
    ("text", "near"),
    [("troubelshooting", "Troubleshooting in docs/guide.md"), ("gaurd", "Guard in src/auth.py")],
)
def test_names_that_are_spelt_nearly_so_are_given_with_their_files(
    snapshot: Snapshot, text: str, near: str
) -> None:
    assert said(snapshot, text)[1:] == [f"names near it: {near}"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hash_pasword", "hash_password"),
        ("hashpassword", "hash_password"),
        ("hash pasword", "hash_password"),
        ("where is chekPassword", "checkPassword"),
        ("instalation", "Installation"),
        ("gude", "guide.md"),
    ],
)
def test_words_and_the_whole_query_are_compared_with_names(
    snapshot: Snapshot, text: str, name: str
) -> None:
    assert nearest(snapshot, text, within=EVERYTHING)[0].name == name


@pytest.mark.parametrize("text", ["the", "is it", "", "xy", "x" * 10_000, "zebra", "path"])
def test_what_is_near_nothing_gives_no_names(snapshot: Snapshot, text: str) -> None:
    assert nearest(snapshot, text, within=EVERYTHING) == []


def test_an_empty_index_says_that_it_is(any_backend: Backend) -> None:
    with any_backend.snapshot() as snapshot:
        assert said(snapshot, "password") == ["nothing is indexed here yet"]


def test_where_something_is_found_nothing_of_it_is_said(snapshot: Snapshot) -> None:
    assert ask(snapshot, "password").notes == ()


@pytest.mark.parametrize("text", ["x" * 10_000, "ab" * 5000, "é" * 10_000, "x " * 5000, "(" * 999])
def test_a_word_of_ten_thousand_characters_is_answered(snapshot: Snapshot, text: str) -> None:
    answer = ask(snapshot, text)

    assert answer.results == ()
    assert all(len(note) < 500 for note in answer.notes)


def test_where_nothing_has_a_name_none_is_near() -> None:
    assert near_names(["password"], []) == near_names(["password"], ["a\nb"]) == []


def test_no_more_names_are_given_than_a_person_reads() -> None:
    found = near_names(["password"], [f"password{letter}" for letter in "abcdefghijklmnop"])

    assert len(found) == 2 * MOST


def slow(one: str, other: str) -> int:
    """Return the same by its definition."""
    if not one or not other:
        return len(one) + len(other)
    costs = [
        slow(one[1:], other) + 1,
        slow(one, other[1:]) + 1,
        slow(one[1:], other[1:]) + (one[0] != other[0]),
    ]
    if len(one) > 1 and len(other) > 1 and one[0] == other[1] and one[1] == other[0]:
        costs.append(slow(one[2:], other[2:]) + 1)
    return min(costs)


@given(st.text("abc", max_size=5), st.text("abc", max_size=5), st.integers(0, 3))
def test_the_distance_is_the_least_number_of_mistakes(one: str, other: str, most: int) -> None:
    exact = slow(one, other)

    assert edits(one, other, most=most) == (exact if exact <= most else None)


def test_a_name_is_not_near_itself(snapshot: Snapshot) -> None:
    filters = {"lang": "go"}

    assert "without lang=go: 1 hit" in said(snapshot, "Guard", filters=filters)
    for text in ("Guard", "guard lang:go", "guard zzz"):
        assert not [note for note in said(snapshot, text, filters=filters) if "Guard" in note]
    assert any("Guard" in note for note in said(snapshot, "Gaurd", filters=filters))


@pytest.mark.parametrize("text", ["lang:python", "", "  ", "?!"])
def test_a_query_without_words_is_told_so_and_nothing_of_its_filters(
    snapshot: Snapshot, text: str
) -> None:
    notes = said(snapshot, text)

    assert notes[0] == "the query has no words: give words to look for"
    assert [note.split()[0] for note in notes[1:]] == ["searched"]
