"""Who last changed each file, when and how often."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.sources.repositories import HOUR, START, Made, iso, read

from trivium.sources.blame import authors
from trivium.sources.history import history


def test_each_file_has_its_last_author_time_and_number_of_commits(made: Made) -> None:
    made.commit({"a.py": "1", "b.py": "1"}, by="Ana")
    made.commit({"a.py": "2", "b.py": "1"}, by="Bo")
    head = made.commit({"a.py": "3", "b.py": "1", "deep/er/c.py": "1"}, by="Cy")

    found = read(made.top)

    assert (found.head, found.branch, found.is_whole, found.is_cut) == (head, "main", True, False)
    assert {path: (row.author, row.modified, row.churn) for path, row in found.rows.items()} == {
        "a.py": ("Cy", iso(START + 2 * HOUR), 3),
        "b.py": ("Ana", iso(START), 1),
        "deep/er/c.py": ("Cy", iso(START + 2 * HOUR), 1),
    }


def test_files_that_are_no_more_have_no_row(made: Made) -> None:
    made.commit({"gone.py": "1", "b.py": "1"})
    made.commit({"b.py": "1"})

    assert set(read(made.top).rows) == {"b.py"}


def test_a_file_that_went_and_came_back_counts_from_its_first_time(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"b.py": "other"})
    made.commit({"a.py": "2"})

    assert read(made.top).rows["a.py"].churn == 2


def test_only_files_below_the_folder_are_told_by_their_path_in_it(made: Made) -> None:
    made.commit({"top.py": "1", "sub/a.py": "1", "sub/in/b.py": "1"}, by="Ana")
    made.commit({"top.py": "2", "sub/a.py": "1", "sub/in/b.py": "1"}, by="Bo")
    made.commit({"top.py": "2", "sub/a.py": "1", "sub/in/b.py": "2"}, by="Cy")

    rows = read(made.top / "sub").rows

    assert {path: (row.author, row.churn) for path, row in rows.items()} == {
        "a.py": ("Ana", 1),
        "in/b.py": ("Cy", 2),
    }


def test_a_folder_that_is_in_no_commit_has_an_empty_history(made: Made) -> None:
    made.commit({"a.py": "1"})
    (made.top / "new").mkdir()

    assert read(made.top / "new").rows == {}


def test_a_merge_counts_only_for_files_it_changed_itself(made: Made) -> None:
    base = made.commit({"left.py": "0", "right.py": "0", "both.py": "0"}, by="Ana")
    left = made.commit({"left.py": "1", "right.py": "0", "both.py": "l"}, by="Bo", follows=[base])
    right = made.commit({"left.py": "0", "right.py": "1", "both.py": "r"}, by="Cy", follows=[base])
    made.commit(
        {"left.py": "1", "right.py": "1", "both.py": "lr"}, by="Merger", follows=[left, right]
    )

    rows = read(made.top).rows

    assert {path: (row.author, row.churn) for path, row in rows.items()} == {
        "left.py": ("Bo", 2),
        "right.py": ("Cy", 2),
        "both.py": ("Merger", 4),
    }


def test_a_file_renamed_without_a_change_keeps_its_history(made: Made) -> None:
    made.commit({"old/a.py": "1", "old/b.py": "1"})
    made.commit({"old/a.py": "2", "old/b.py": "1"})
    made.commit({"new/a.py": "2", "new/b.py": "1"}, by="Bo")

    rows = read(made.top).rows

    assert (rows["new/a.py"].churn, rows["new/a.py"].formerly) == (3, "old/a.py")
    assert (rows["new/b.py"].churn, rows["new/b.py"].author) == (2, "Bo")


def test_of_equal_files_the_one_with_the_same_name_is_the_older_one(made: Made) -> None:
    made.commit({"old/__init__.py": "", "old/empty.py": "", "old/zero.py": ""})
    made.commit({"new/__init__.py": "", "new/empty.py": "", "new/other.py": ""})

    rows = read(made.top).rows

    assert {path: row.formerly for path, row in rows.items()} == {
        "new/__init__.py": "old/__init__.py",
        "new/empty.py": "old/empty.py",
        "new/other.py": "old/zero.py",
    }


def test_a_copy_of_a_file_that_stays_is_a_new_file(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"a.py": "1", "b.py": "1"})

    assert read(made.top).rows["b.py"].formerly == ""
    assert read(made.top).rows["a.py"].churn == 1


def test_only_commits_after_the_last_head_are_walked(made: Made) -> None:
    made.commit({"a.py": "1", "b.py": "1"})
    since = made.commit({"a.py": "2", "b.py": "1"})
    made.commit({"a.py": "3", "b.py": "1"}, by="Bo")
    made.commit({"a.py": "4", "b.py": "1"}, by="Cy")

    found = read(made.top, since=since)

    assert not found.is_whole
    assert {path: (row.author, row.churn) for path, row in found.rows.items()} == {
        "a.py": ("Cy", 2)
    }


def test_a_rename_since_the_last_head_says_where_the_rest_is_known(made: Made) -> None:
    made.commit({"a.py": "1"})
    since = made.commit({"a.py": "2"})
    made.commit({"b.py": "2"})
    made.commit({"b.py": "3"})

    before, after = read(made.top), read(made.top, since=since)

    assert (after.rows["b.py"].churn, after.rows["b.py"].formerly) == (2, "a.py")
    assert before.rows["b.py"].churn == 2 + after.rows["b.py"].churn


def test_the_same_head_costs_nothing_and_says_nothing_new(made: Made) -> None:
    head = made.commit({"a.py": "1"})

    found = read(made.top, since=head)

    assert (found.head, found.is_whole, found.rows) == (head, False, {})


@pytest.mark.parametrize("since", ["0" * 40, "not an id", "abc", ""])
def test_a_last_head_that_is_not_known_means_a_walk_from_the_start(made: Made, since: str) -> None:
    made.commit({"a.py": "1"})

    found = read(made.top, since=since)

    assert found.is_whole
    assert set(found.rows) == {"a.py"}


def test_a_last_head_on_another_branch_means_a_walk_from_the_start(made: Made) -> None:
    base = made.commit({"a.py": "1"})
    other = made.commit({"a.py": "2"}, follows=[base])
    made.commit({"a.py": "3"}, follows=[base])

    found = read(made.top, since=other)

    assert found.is_whole
    assert found.rows["a.py"].churn == 2


def test_a_branch_that_was_merged_since_is_counted_once(made: Made) -> None:
    base = made.commit({"a.py": "1", "b.py": "1"})
    side = made.commit({"a.py": "1", "b.py": "2"}, follows=[base], by="Side")
    since = made.commit({"a.py": "2", "b.py": "1"}, follows=[base])
    made.commit({"a.py": "2", "b.py": "2"}, follows=[since, side])

    found = read(made.top, since=since)

    assert {path: (row.author, row.churn) for path, row in found.rows.items()} == {
        "b.py": ("Side", 1)
    }


def test_a_clock_that_went_back_does_not_count_old_commits_as_new(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"a.py": "2"}, at=START + 99 * HOUR)
    since = made.commit({"a.py": "3"}, at=START - HOUR)
    made.commit({"a.py": "4"}, at=START - 2 * HOUR)

    assert read(made.top, since=since).rows["a.py"].churn == 1
    assert read(made.top).rows["a.py"].churn == 4


def test_a_limit_on_commits_keeps_the_newest_and_says_so(made: Made) -> None:
    for number in range(5):
        made.commit({"a.py": str(number)}, by=f"author {number}")

    found = read(made.top, most_commits=2)

    assert found.is_cut
    assert (found.rows["a.py"].author, found.rows["a.py"].churn) == ("author 4", 2)


def test_it_stops_when_told_to(made: Made) -> None:
    made.commit({"a.py": "1"})
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 1

    made.commit({"a.py": "2"})

    assert history(made.top, should_stop=should_stop) is None


def test_a_shallow_clone_tells_only_what_it_has(made: Made) -> None:
    first = made.commit({"a.py": "1", "b.py": "1"}, by="Ana")
    second = made.commit({"a.py": "2", "b.py": "1"}, by="Bo")
    made.commit({"a.py": "3", "b.py": "1"}, by="Cy")
    (made.top / ".git" / "objects" / first[:2] / first[2:]).unlink()

    found = read(made.top)

    assert found.is_cut
    assert {path: (row.author, row.churn) for path, row in found.rows.items()} == {
        "a.py": ("Cy", 1)
    }
    assert read(made.top, since=second).rows["a.py"].churn == 1


def test_a_folder_missing_from_a_partial_clone_leaves_the_rest(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"a.py": "2", "lost/b.py": "1"})
    made.commit({"a.py": "3"})
    lost = made.tree({"b.py": "1"})
    (made.top / ".git" / "objects" / lost[:2] / lost[2:]).unlink()

    found = read(made.top)

    assert found.is_cut
    assert found.rows["a.py"].churn >= 2


def test_submodules_are_no_files(made: Made) -> None:
    builder = made.repository.TreeBuilder()
    builder.insert("a.py", made.repository.create_blob(b"1"), 0o100644)
    builder.insert("library", "1" * 40, 0o160000)
    made.commit({}, tree=str(builder.write()))

    assert set(read(made.top).rows) == {"a.py"}


def test_a_worktree_tells_its_own_branch_and_head(made: Made, tmp_path: Path) -> None:
    made.commit({"a.py": "1"}, by="Ana")
    head = made.commit({"a.py": "2"}, by="Bo")
    own = made.top / ".git" / "worktrees" / "tree"
    own.mkdir(parents=True)
    (own / "HEAD").write_text(made.commits[0])
    (own / "commondir").write_text("../..")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}")

    assert read(made.top).head == head
    assert (read(tree).head, read(tree).branch) == (made.commits[0], "")
    assert read(tree).rows["a.py"].author == "Ana"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"Zo\xc3\xab", "Zoë"),
        (b"Zo\xeb", "Zo\N{REPLACEMENT CHARACTER}"),
        (b"\x1b[31mRed\x07", "[31mRed"),
        (b"", ""),
        (b"x" * 5000, "x" * 200),
    ],
)
def test_names_are_decoded_and_hold_no_control_characters(
    made: Made, raw: bytes, expected: str
) -> None:
    tree = made.tree({"a.py": "1"}).encode()
    data = b"tree %b\nauthor %b <a@b> 5 +0000\ncommitter C <c@d> 7 +0000\n\nm" % (tree, raw)
    made.commits.append(str(made.repository.odb.write(1, data)))
    (made.top / ".git" / "refs" / "heads" / "main").write_text(made.commits[-1])

    row = read(made.top).rows["a.py"]

    assert (row.author, row.modified) == (expected, iso(7))


def test_a_name_in_another_encoding_is_read_as_the_commit_says(made: Made) -> None:
    tree = made.tree({"a.py": "1"}).encode()
    head = b"tree %b\nauthor Zo\xeb <a@b> 5 +0000\ncommitter C <c@d> 7 +0000" % tree
    data = head + b"\nencoding ISO-8859-1\n\nm"
    (made.top / ".git" / "refs" / "heads" / "main").write_text(
        str(made.repository.odb.write(1, data))
    )

    assert read(made.top).rows["a.py"].author == "Zoë"


@pytest.mark.parametrize("time", [b"", b"99999999999999999999", b"-5", b"253402300800", b"x"])
def test_a_time_that_is_none_still_has_a_row(made: Made, time: bytes) -> None:
    tree = made.tree({"a.py": "1"}).encode()
    data = b"tree %b\nauthor A <a@b> 5 +0000\ncommitter C <c@d> %b +0000\n\nm" % (tree, time)
    (made.top / ".git" / "refs" / "heads" / "main").write_text(
        str(made.repository.odb.write(1, data))
    )

    assert read(made.top).rows["a.py"].modified in (iso(0), iso(253_402_300_799))


def test_folders_whose_mode_was_written_with_a_zero_are_folders(made: Made) -> None:
    made.commit({"deep/a.py": "1"}, by="Ana")
    inner = bytes.fromhex(made.tree({"a.py": "1"}))
    padded = str(made.repository.odb.write(2, b"040000 deep\0" + inner))
    made.commit({}, by="Bo", tree=padded)

    found = read(made.top)

    assert (found.rows["deep/a.py"].author, found.rows["deep/a.py"].churn) == ("Ana", 1)


@pytest.mark.parametrize("name", ["100644 a.py", "x a.py", "40000 a.py"])
def test_a_name_that_ends_like_another_is_not_mistaken_for_it(made: Made, name: str) -> None:
    made.commit({name: "1\n"}, by="Ana")
    made.commit({name: "1\n", "a.py": "2\n"}, by="Bo")

    assert authors(made.top, "a.py", first_line=1, last_line=1) == [("Bo", 1)]
    assert authors(made.top, name, first_line=1, last_line=1) == [("Ana", 1)]


def test_the_order_of_memory_does_not_show(made: Made) -> None:
    made.commit({f"old/{n}/__init__.py": "" for n in range(20)})
    made.commit({f"new/{n}/__init__.py": "" for n in range(20)})
    code = (
        "import sys; from pathlib import Path; from trivium.sources.history import history;"
        "print(sorted(history(Path(sys.argv[1])).rows.items()))"
    )

    said = {
        subprocess.run(
            [sys.executable, "-c", code, str(made.top)],
            env={**os.environ, "PYTHONHASHSEED": seed},  # noqa: TID251 - the child needs a path
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(said) == 1
