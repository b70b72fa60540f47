"""Who wrote each line of a file, as it stands on disk."""

from __future__ import annotations

import pytest
from tests.unit.sources.repositories import Made

from trivium.sources.blame import authors, carried


def test_lines_belong_to_those_who_wrote_them(made: Made) -> None:
    made.commit({"a.py": "one\ntwo\nthree\n"}, by="Ana")
    made.commit({"a.py": "zero\none\ntwo\nthree\n"}, by="Bo")
    made.commit({"a.py": "zero\none\nTWO\nthree\nfour\n"}, by="Cy")

    assert authors(made.top, "a.py", first_line=1, last_line=5) == [
        ("Ana", 2),
        ("Cy", 2),
        ("Bo", 1),
    ]
    assert authors(made.top, "a.py", first_line=2, last_line=2) == [("Ana", 1)]
    assert authors(made.top, "a.py", first_line=-5, last_line=99) == [
        ("Ana", 2),
        ("Cy", 2),
        ("Bo", 1),
    ]


def test_lines_count_in_the_file_on_disk_and_new_ones_have_no_author(made: Made) -> None:
    made.commit({"a.py": "one\ntwo\n"}, by="Ana")
    made.commit({"a.py": "one\ntwo\nthree\n"}, by="Bo")
    (made.top / "a.py").write_text("not yet\none\ntwo\nthree\n")

    assert authors(made.top, "a.py", first_line=1, last_line=1) == []
    assert authors(made.top, "a.py", first_line=4, last_line=4) == [("Bo", 1)]


def test_lines_of_both_sides_of_a_merge_keep_their_authors(made: Made) -> None:
    base = made.commit({"a.py": "1\n2\n3\n"}, by="Ana")
    left = made.commit({"a.py": "left\n1\n2\n3\n"}, by="Bo", follows=[base])
    right = made.commit({"a.py": "1\n2\n3\nright\n"}, by="Cy", follows=[base])
    made.commit({"a.py": "left\n1\n2\n3\nright\n"}, by="Merger", follows=[left, right])

    assert authors(made.top, "a.py", first_line=1, last_line=5) == [
        ("Ana", 3),
        ("Bo", 1),
        ("Cy", 1),
    ]


def test_lines_are_followed_through_a_rename(made: Made) -> None:
    made.commit({"old.py": "1\n2\n"}, by="Ana")
    made.commit({"new.py": "1\n2\n"}, by="Bo")

    assert authors(made.top, "new.py", first_line=1, last_line=2) == [("Ana", 2)]


def test_lines_below_a_folder_are_asked_by_their_path_in_it(made: Made) -> None:
    made.commit({"sub/in/a.py": "1\n"}, by="Ana")

    assert authors(made.top / "sub", "in/a.py", first_line=1, last_line=1) == [("Ana", 1)]


def test_beyond_a_shallow_clone_nobody_is_the_author(made: Made) -> None:
    first = made.commit({"a.py": "1\n"}, by="Ana")
    made.commit({"a.py": "1\n2\n"}, by="Bo")
    made.commit({"a.py": "1\n2\n3\n"}, by="Cy")
    (made.top / ".git" / "objects" / first[:2] / first[2:]).unlink()

    assert authors(made.top, "a.py", first_line=1, last_line=3) == [("Cy", 1)]


@pytest.mark.parametrize(
    "path", ["gone.py", "../outside", "/etc/passwd", "", "new.py", "\0", "sub"]
)
def test_what_is_in_no_commit_or_outside_has_no_authors(made: Made, path: str) -> None:
    made.commit({"a.py": "1\n", "sub/b.py": "1\n"})
    (made.top / "new.py").write_text("1\n")

    assert authors(made.top, path, first_line=1, last_line=1) == []


def test_asking_for_authors_stops_when_told_to(made: Made) -> None:
    made.commit({"a.py": "1\n"})

    assert authors(made.top, "a.py", first_line=1, last_line=1, should_stop=lambda: True) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", {1: 1, 2: 2, 3: 3}),
        ("a\nb\nc\n", "b\nc\n", {1: 2, 2: 3}),
        ("a\nb\nc\n", "a\nc\n", {1: 1, 2: 3}),
        ("a\nc\n", "a\nb\nc\n", {1: 1, 3: 2}),
        ("a\nb\n", "x\na\nb\ny\n", {2: 1, 3: 2}),
        ("", "a\n", {}),
        ("a\nb\nc\nd\ne\n", "a\nX\nc\ne\nf\n", {1: 1, 3: 3, 4: 5}),
    ],
)
def test_a_line_is_found_where_it_stood_before(
    old: str, new: str, expected: dict[int, int]
) -> None:
    assert carried(old, new, range(1, new.count("\n") + 1)) == expected
