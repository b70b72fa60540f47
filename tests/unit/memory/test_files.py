from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trivium.errors import IndexLocked, SourceError
from trivium.memory.files import Changed, Files
from trivium.types import Kind


class Crash(BaseException):
    """The process ends here."""


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files([tmp_path / ".trivium"])


def kept(files: Files, slug: str) -> str | None:
    found = files.read(Kind.NOTE, slug)
    return None if found is None else found.text


def test_a_file_is_written_under_its_slug(files: Files, tmp_path: Path) -> None:
    files.create(Kind.NOTE, "why", "text")

    assert (tmp_path / ".trivium" / "notes" / "why.md").read_text() == "text"
    assert kept(files, "why") == "text"


def test_a_file_that_is_there_is_never_created_again(files: Files) -> None:
    files.create(Kind.NOTE, "why", "first")

    with pytest.raises(FileExistsError):
        files.create(Kind.NOTE, "why", "second")

    assert kept(files, "why") == "first"


def test_what_changed_since_it_was_read_is_not_written_over(files: Files) -> None:
    files.create(Kind.NOTE, "why", "first")
    before = files.read(Kind.NOTE, "why")
    assert before is not None
    before.path.write_text("by hand")

    with pytest.raises(Changed):
        files.replace(Kind.NOTE, "why", "new", before=before)
    with pytest.raises(Changed):
        files.remove(Kind.NOTE, before=before)

    assert kept(files, "why") == "by hand"


def test_what_an_editor_writes_into_the_old_file_meanwhile_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / ".trivium"
    plain = Files([folder])
    plain.create(Kind.NOTE, "why", "first")
    before = plain.read(Kind.NOTE, "why")
    assert before is not None

    def save(step: str) -> None:
        if step == "rename":
            before.path.write_text("saved at that moment")

    copy = Files([folder], step=save).replace(Kind.NOTE, "why", "new", before=before)

    assert kept(plain, "why") == "new"
    assert copy is not None
    assert copy.read_text() == "saved at that moment"


def test_two_conflicts_of_one_note_are_both_kept_and_the_same_one_once(files: Files) -> None:
    for text in (b"one", b"two", b"one"):
        files.conflict(Kind.NOTE, "why", text)

    assert sorted(path.read_bytes() for path in files.conflicts()) == [b"one", b"two"]


def test_a_crash_at_any_step_leaves_the_old_file_or_the_new_one_whole(tmp_path: Path) -> None:
    steps: list[str] = []
    counting = Files([tmp_path / "counted"], step=steps.append)
    counting.create(Kind.NOTE, "why", "old")
    steps.clear()
    before = counting.read(Kind.NOTE, "why")
    assert before is not None
    counting.replace(Kind.NOTE, "why", "new", before=before)
    assert steps

    for last in range(len(steps)):
        folder = tmp_path / str(last)
        Files([folder]).create(Kind.NOTE, "why", "old")
        left = [last]

        def crash(_: str, left: list[int] = left) -> None:
            if not left[0]:
                raise Crash
            left[0] -= 1

        dying = Files([folder], step=crash)
        old = dying.read(Kind.NOTE, "why")
        assert old is not None
        with pytest.raises(Crash):
            dying.replace(Kind.NOTE, "why", "new", before=old)

        assert kept(Files([folder]), "why") in ("old", "new")
        assert list(Files([folder]).listed(Kind.NOTE)) == ["why"]


def test_a_file_keeps_who_may_read_it(files: Files) -> None:
    files.create(Kind.NOTE, "why", "first")
    before = files.read(Kind.NOTE, "why")
    assert before is not None
    before.path.chmod(0o600)

    files.replace(Kind.NOTE, "why", "new", before=before)

    assert stat.S_IMODE(before.path.stat().st_mode) == 0o600


def test_a_link_is_neither_listed_nor_read_nor_written_through(
    files: Files, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    files.create(Kind.NOTE, "why", "first")
    (tmp_path / ".trivium" / "notes" / "trap.md").symlink_to(secret)

    assert list(files.listed(Kind.NOTE)) == ["why"]
    with pytest.raises(SourceError):
        files.read(Kind.NOTE, "trap")
    with pytest.raises(FileExistsError):
        files.create(Kind.NOTE, "trap", "mine")
    assert secret.read_text() == "secret"


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / ".trivium").mkdir()
    (tmp_path / ".trivium" / "notes").symlink_to(elsewhere)
    files = Files([tmp_path / ".trivium"])

    with pytest.raises(SourceError, match="no folder of its own"):
        files.create(Kind.NOTE, "why", "text")

    assert list(elsewhere.iterdir()) == []


def test_names_are_known_by_the_same_letters_however_the_disk_writes_them(
    files: Files, tmp_path: Path
) -> None:
    files.create(Kind.NOTE, "x", "")
    (tmp_path / ".trivium" / "notes" / "cafe\u0301.md").write_text("decomposed")

    assert "caf\u00e9" in files.listed(Kind.NOTE)
    assert kept(files, "caf\u00e9") == "decomposed"


def test_what_lies_in_the_first_place_hides_the_same_in_the_next(tmp_path: Path) -> None:
    project = Files([tmp_path / "project"])
    project.create(Kind.NOTE, "both", "project")
    project.create(Kind.NOTE, "shared", "project")
    both = Files([tmp_path / "user", tmp_path / "project"])
    before = both.read(Kind.NOTE, "both")
    assert before is not None

    both.replace(Kind.NOTE, "both", "user", before=before)

    assert kept(both, "both") == "user"
    assert kept(both, "shared") == "project"
    assert kept(project, "both") == "project"
    with pytest.raises(FileExistsError):
        both.create(Kind.NOTE, "shared", "user")
    only = both.read(Kind.NOTE, "shared")
    assert only is not None
    with pytest.raises(SourceError, match="only read"):
        both.remove(Kind.NOTE, before=only)


def test_what_a_dead_process_left_is_removed_after_an_hour(files: Files, tmp_path: Path) -> None:
    files.create(Kind.NOTE, "why", "text")
    left = tmp_path / ".trivium" / "notes" / ".1-a-1.tmp"
    left.write_text("half")
    os.utime(left, (1_000, 1_000))

    files.tidy(Kind.NOTE, now=1_000 + 3_599)
    assert left.exists()
    files.tidy(Kind.NOTE, now=1_000 + 3_601)
    assert not left.exists()


def test_one_writer_at_a_time(files: Files, tmp_path: Path) -> None:
    other = Files([tmp_path / ".trivium"])

    with files.lock(wait_s=0), pytest.raises(IndexLocked), other.lock(wait_s=0):
        pass
    with other.lock(wait_s=0):
        pass
