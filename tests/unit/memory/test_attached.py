"""Files beside notes, tasks and skills."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.memory.conftest import Table

from trivium.errors import NotFound, SourceError, UsageError
from trivium.memory.attached import MOST, MOST_BYTES
from trivium.types import Kind

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def slug(table: Table) -> str:
    return table.desk.create(Kind.NOTE, {"title": "Why"}, {}).slug


def test_a_file_is_kept_under_its_name_listed_read_and_removed(table: Table, slug: str) -> None:
    made = table.desk.attach(Kind.NOTE, slug, "plan.png", PNG)

    assert (made.name, made.mime_type, made.size_bytes) == ("plan.png", "image/png", len(PNG))
    assert table.file("attachments/notes/why/plan.png").read_bytes() == PNG
    assert table.desk.attached.list(Kind.NOTE, slug) == [made]
    assert table.desk.attached.read(Kind.NOTE, slug, "plan.png") == PNG

    table.desk.detach(Kind.NOTE, slug, "plan.png")

    assert table.desk.attached.list(Kind.NOTE, slug) == []
    with pytest.raises(NotFound, match="no file"):
        table.desk.detach(Kind.NOTE, slug, "plan.png")
    with pytest.raises(NotFound):
        table.desk.attached.read(Kind.NOTE, slug, "plan.png")


def test_a_file_is_never_written_over(table: Table, slug: str) -> None:
    table.desk.attach(Kind.NOTE, slug, "a.txt", b"one")
    table.desk.attach(Kind.NOTE, slug, "a.txt", b"one")

    with pytest.raises(UsageError, match="another file"):
        table.desk.attach(Kind.NOTE, slug, "a.txt", b"two")

    assert table.desk.attached.read(Kind.NOTE, slug, "a.txt") == b"one"


def test_files_go_with_what_they_belong_to_and_come_to_no_other(table: Table, slug: str) -> None:
    table.desk.attach(Kind.NOTE, slug, "a.txt", b"one")
    table.desk.delete(Kind.NOTE, [slug])
    assert not table.file("attachments/notes/why").exists()

    left = table.file("attachments/notes/why")
    left.mkdir(parents=True)
    (left / "old.txt").write_bytes(b"of one that a person removed by hand")
    assert table.desk.create(Kind.NOTE, {"title": "Why"}, {}).slug == "why~2"


def test_there_are_limits_and_they_are_named(table: Table, slug: str) -> None:
    with pytest.raises(UsageError, match=f"at most {MOST_BYTES:,}"):
        table.desk.attach(Kind.NOTE, slug, "big", b"x" * (MOST_BYTES + 1))
    for number in range(MOST):
        table.desk.attach(Kind.NOTE, slug, f"{number}.txt", b"x")
    with pytest.raises(UsageError, match=f"{MOST} files"):
        table.desk.attach(Kind.NOTE, slug, "more.txt", b"x")
    with pytest.raises(NotFound):
        table.desk.attach(Kind.NOTE, "nobody", "a.txt", b"x")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a", "a/b", "a\\b", ".hidden", "a\0b", "x" * 300, "con", "NUL.txt"]
)
def test_a_name_that_is_none_is_refused(table: Table, slug: str, name: str) -> None:
    with pytest.raises(UsageError):
        table.desk.attach(Kind.NOTE, slug, name, b"x")
    with pytest.raises(UsageError):
        table.desk.attached.read(Kind.NOTE, slug, name)
    assert not table.file("attachments").exists()


def test_links_are_not_followed(table: Table, slug: str, tmp_path: Path) -> None:
    outside = tmp_path / "secret"
    outside.mkdir()
    (outside / "key.txt").write_bytes(b"secret")
    place = table.file("attachments/notes")
    place.mkdir(parents=True)
    (place / slug).symlink_to(outside)

    assert table.desk.attached.list(Kind.NOTE, slug) == []
    with pytest.raises(NotFound):
        table.desk.attached.read(Kind.NOTE, slug, "key.txt")
    with pytest.raises(SourceError):
        table.desk.attach(Kind.NOTE, slug, "a.txt", b"x")
    assert [one.name for one in outside.iterdir()] == ["key.txt"]
