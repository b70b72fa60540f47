"""Which repository, branch and commit a folder has, from plain files; git is never run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trivium.sources.git import branch_of, checkout_of, head_at, repository_of

FIRST = "1" * 40
SECOND = "2" * 40


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def head_of(folder: Path) -> str:
    checkout = checkout_of(folder)
    assert checkout is not None
    return head_at(checkout)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A checkout of branch main."""
    made = tmp_path.resolve() / "top"
    write(made / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(made / ".git" / "refs" / "heads" / "main", FIRST + "\n")
    return made


@pytest.fixture
def worktree(top: Path) -> Path:
    """A second checkout of the same repository, on another branch."""
    made = top.parent / "tree"
    own = top / ".git" / "worktrees" / "tree"
    write(made / ".git", f"gitdir: {own}\n")
    write(own / "HEAD", "ref: refs/heads/feature/login\n")
    write(own / "commondir", "../..\n")
    write(top / ".git" / "refs" / "heads" / "feature" / "login", SECOND + "\n")
    return made


def test_a_folder_below_the_top_belongs_to_its_repository(top: Path) -> None:
    below = top / "src" / "deep"
    below.mkdir(parents=True)

    assert repository_of(below) == top / ".git"
    assert branch_of(below) == "main"
    assert head_of(below) == FIRST


def test_a_worktree_shares_the_repository_and_has_its_own_branch(top: Path, worktree: Path) -> None:
    assert repository_of(worktree) == repository_of(top)
    assert branch_of(worktree) == "feature/login"
    assert (head_of(worktree), head_of(top)) == (SECOND, FIRST)


def test_a_submodule_is_a_repository_of_its_own(top: Path) -> None:
    module = top / ".git" / "modules" / "library"
    write(module / "HEAD", "ref: refs/heads/stable\n")
    write(module / "refs" / "heads" / "stable", SECOND)
    write(top / "library" / ".git", "gitdir: ../.git/modules/library\n")

    assert repository_of(top / "library") == module
    assert branch_of(top / "library") == "stable"
    assert head_of(top / "library") == SECOND


def test_a_single_commit_checked_out_has_no_branch(top: Path) -> None:
    write(top / ".git" / "HEAD", SECOND + "\n")

    assert branch_of(top) == ""
    assert head_of(top) == SECOND


def test_a_branch_kept_in_packed_refs_is_found_and_a_loose_one_wins(top: Path) -> None:
    lines = ["# pack-refs with: peeled fully-peeled sorted", f"{SECOND} refs/heads/main2"]
    write(top / ".git" / "packed-refs", "\n".join([*lines, f"{SECOND} refs/heads/main", ""]))

    assert head_of(top) == FIRST
    (top / ".git" / "refs" / "heads" / "main").unlink()
    assert head_of(top) == SECOND


def test_a_branch_before_its_first_commit_has_a_name_and_no_head(top: Path) -> None:
    (top / ".git" / "refs" / "heads" / "main").unlink()

    assert branch_of(top) == "main"
    assert head_of(top) == ""


def test_a_reference_may_lead_to_another_but_not_for_ever(top: Path) -> None:
    write(top / ".git" / "HEAD", "ref: refs/heads/a")
    write(top / ".git" / "refs" / "heads" / "a", "ref: refs/heads/main")
    assert head_of(top) == FIRST

    write(top / ".git" / "refs" / "heads" / "main", "ref: refs/heads/a")
    assert head_of(top) == ""


@pytest.mark.parametrize(
    "content",
    [
        "",
        "ref: ",
        "ref: refs/../../outside",
        "ref: /etc/passwd",
        "ref: outside",
        "junk",
        FIRST[:39],
    ],
)
def test_a_head_that_leads_outside_or_nowhere_is_no_commit(top: Path, content: str) -> None:
    write(top / "outside", SECOND)
    write(top / ".git" / "outside", SECOND)
    write(top / ".git" / "HEAD", content)

    assert head_of(top) == ""
    assert branch_of(top) == ""


def test_references_kept_in_a_table_give_no_branch(top: Path) -> None:
    write(top / ".git" / "HEAD", "ref: refs/heads/.invalid\n")

    assert branch_of(top) == ""


def test_outside_a_repository_there_is_nothing(tmp_path: Path) -> None:
    assert repository_of(tmp_path) is None
    assert branch_of(tmp_path) == ""


def test_a_pointer_that_is_empty_leads_nowhere(tmp_path: Path) -> None:
    write(tmp_path / ".git", "gitdir: \n")

    assert repository_of(tmp_path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("name", ["HEAD", "packed-refs", "refs/heads/main"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(top: Path, name: str) -> None:
    (top / ".git" / "refs" / "heads" / "main").unlink()
    (top / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(top / ".git" / name)

    assert head_of(top) == ""
