from __future__ import annotations

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.memory.conftest import Table

from trivium.errors import NotFound, SourceError, UsageError, VersionConflict
from trivium.memory.catalog import Catalog
from trivium.memory.files import Listed
from trivium.memory.kinds import Notes, Skills
from trivium.memory.reading import stamp
from trivium.types import Kind


def edit(table: Table, path: str, old: str, new: str) -> None:
    file = table.file(path)
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_change_counts_the_version_up_and_stamps_the_time(notes: Notes, table: Table) -> None:
    made = notes.create("Why", "first")
    table.clock.pass_s(60)

    changed = notes.update(made.id, content="second")

    assert (made.version, changed.version) == (1, 2)
    assert made.created == changed.created == stamp(table.clock.now - 60)
    assert changed.updated == stamp(table.clock.now)
    assert notes.get("why") == changed


def test_a_file_by_hand_was_made_when_it_was_also_after_it_is_changed(
    notes: Notes, table: Table
) -> None:
    file = table.file("notes/why.md")
    file.parent.mkdir(parents=True)
    file.write_text("Because.\n")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    assert notes.get("why").created == "2023-11-14T22:13:20Z"

    for content in ("Therefore.", "Perhaps."):
        notes.update("why", content=content)

    assert notes.get("why").created == "2023-11-14T22:13:20Z"
    assert notes.get("why").updated == stamp(table.clock.now)


def test_a_change_made_for_another_version_is_refused_and_names_both(notes: Notes) -> None:
    notes.create("Why", "first")
    notes.update("why", content="second")

    with pytest.raises(VersionConflict, match="version 2, not 1") as refused:
        notes.update("why", content="third", expected_version=1)

    assert (refused.value.expected, refused.value.actual) == (1, 2)
    assert notes.get("why").content == "second"


def test_an_edit_by_hand_is_a_version_of_its_own(notes: Notes, table: Table) -> None:
    notes.create("Why", "first")
    edit(table, "notes/why.md", "first", "by hand")

    with pytest.raises(VersionConflict, match="version 2, not 1"):
        notes.update("why", content="api", expected_version=1)

    assert notes.get("why").content == "by hand"
    assert notes.get("why").version == 2
    edit(table, "notes/why.md", "by hand", "by hand again")
    assert notes.get("why").version == 3
    assert notes.update("why", content="api", expected_version=3).version == 4


def test_an_edit_by_hand_and_a_change_of_another_field_are_both_kept(
    notes: Notes, table: Table
) -> None:
    notes.create("Why", "first", tags=["a"])
    edit(table, "notes/why.md", "first", "by hand")

    changed = notes.update("why", tags=["b"])

    assert (changed.content, changed.tags) == ("by hand", ("b",))
    assert changed.problems == ()
    assert table.desk.files.conflicts() == []


def test_an_edit_that_nobody_saw_is_kept_as_a_copy_when_it_is_replaced(
    notes: Notes, table: Table
) -> None:
    notes.create("Why", "first")
    edit(table, "notes/why.md", "first", "by hand")

    changed = notes.update("why", content="api")

    assert changed.content == "api"
    (copy,) = table.desk.files.conflicts()
    assert "by hand" in copy.read_text()
    assert str(copy) in changed.problems[0]


def test_an_edit_that_was_shown_is_replaced_without_a_copy(notes: Notes, table: Table) -> None:
    notes.create("Why", "first")
    edit(table, "notes/why.md", "first", "by hand")
    notes.list()

    notes.update("why", content="api")

    assert table.desk.files.conflicts() == []


def test_a_file_that_the_api_never_showed_is_kept_as_a_copy_when_it_is_replaced(
    notes: Notes, table: Table
) -> None:
    table.file("notes").mkdir(parents=True)
    table.file("notes/mine.md").write_text("by hand")

    notes.update("mine", tags=["a"])
    assert table.desk.files.conflicts() == []
    table.file("notes/other.md").write_text("by hand, too")
    notes.update("other", content="api")

    assert [one.read_text() for one in table.desk.files.conflicts()] == ["by hand, too"]


def test_a_change_that_changes_nothing_writes_nothing(notes: Notes, table: Table) -> None:
    notes.create("Why", "first")
    before = table.file("notes/why.md").stat().st_mtime_ns

    assert notes.update("why", content="first").version == 1
    assert table.file("notes/why.md").stat().st_mtime_ns == before


def test_a_deleted_note_with_an_unseen_edit_is_kept_as_a_copy(notes: Notes, table: Table) -> None:
    notes.create("Why", "first")
    edit(table, "notes/why.md", "first", "by hand")

    notes.delete("why")

    assert not table.file("notes/why.md").exists()
    assert "by hand" in table.desk.files.conflicts()[0].read_text()
    with pytest.raises(NotFound, match="No note is called why"):
        notes.get("why")


def test_a_new_note_of_a_deleted_ones_name_is_not_taken_for_it(notes: Notes) -> None:
    old = notes.create("Why", "first")
    notes.delete("why")

    assert notes.create("Why", "another").version > old.version
    with pytest.raises(VersionConflict):
        notes.update("why", content="meant for the old one", expected_version=old.version)


def test_deleting_for_another_version_removes_nothing(notes: Notes) -> None:
    notes.create("Why", "first")

    with pytest.raises(VersionConflict):
        notes.delete("why", expected_version=7)

    assert notes.get("why").content == "first"


def test_a_file_made_by_hand_is_a_note(notes: Notes, table: Table) -> None:
    folder = table.file("notes")
    folder.mkdir(parents=True)
    (folder / "My Idea.md").write_text("# An idea\n\nWith *text*.\n")

    (note,) = notes.list().items

    assert (note.slug, note.title, note.version) == ("My Idea", "An idea", 1)
    assert notes.update("note:My Idea", tags=["x"]).version == 2
    assert (folder / "My Idea.md").read_text().endswith("# An idea\n\nWith *text*.\n")


def test_files_that_came_went_and_changed_are_noticed(notes: Notes, table: Table) -> None:
    notes.create("One")
    notes.create("Two")
    assert notes.list().total == 2
    table.file("notes/one.md").unlink()
    table.file("notes/three.md").write_text("---\ntitle: Three\n---\n")
    edit(table, "notes/two.md", "Two", "Zwei")

    assert sorted(one.title for one in notes.list().items) == ["Three", "Zwei"]


def test_an_edit_in_place_is_noticed_though_no_name_came_or_went(
    notes: Notes, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.create("Why", tags=["a"])
    for name in ("notes", "notes/why.md"):
        os.utime(table.file(name), (1_000_000_000, 1_000_000_000))
    assert notes.list(tag="a").total == 1
    before = table.file("notes").stat().st_mtime_ns
    edit(table, "notes/why.md", "tags: [a]", "tags: [bc]")
    assert table.file("notes").stat().st_mtime_ns == before

    monkeypatch.setattr("trivium.memory.looking._FEW", 0)
    assert notes.list(tag="bc").total == 0
    monkeypatch.undo()
    assert notes.list(tag="bc").total == 1


def test_a_list_after_a_write_of_the_api_reads_no_other_file(
    notes: Notes, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.memory.looking._FEW", 0)
    notes.create("One")
    os.utime(table.file("notes"), (1_000_000_000, 1_000_000_000))
    notes.list()
    monkeypatch.setattr(table.desk.files, "listed", lambda _: pytest.fail("looked at all files"))

    notes.create("Two", tags=["a"])
    notes.update("one", tags=["b"])
    assert [one.slug for one in notes.list(tag="a").items] == ["two"]
    assert [one.slug for one in notes.list(tag="b").items] == ["one"]
    notes.delete("two")
    assert notes.list().total == 1


def test_a_catalog_that_is_lost_or_damaged_is_made_from_the_files(
    notes: Notes, table: Table, tmp_path: Path
) -> None:
    notes.create("One", tags=["a"])
    notes.list()
    table.desk.catalog.forget()
    assert notes.list(tag="a").total == 1
    for ending in ("-wal", "-shm"):
        (tmp_path / "home" / f"memory.db{ending}").unlink(missing_ok=True)
    (tmp_path / "home" / "memory.db").write_bytes(b"no database" * 1000)

    assert notes.list(tag="a").total == 1


def test_a_catalog_of_another_format_is_made_anew_and_read_by_its_owner_alone(
    notes: Notes, tmp_path: Path
) -> None:
    notes.create("One", tags=["a"])
    path = tmp_path / "home" / "memory.db"
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 99")
        file.commit()

    assert notes.list(tag="a").total == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_catalog_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("")
    catalog = Catalog(tmp_path / "blocked" / "memory.db")

    with pytest.raises(SourceError, match="cannot be used"):
        catalog.rows(Kind.NOTE)


def test_a_file_that_is_not_utf_8_is_shown_reported_and_left_alone(
    notes: Notes, table: Table
) -> None:
    table.file("notes").mkdir(parents=True)
    raw = b"---\ntitle: Caf\xe9\n---\nTe\xdft\n"
    table.file("notes/latin.md").write_bytes(raw)

    assert "not UTF-8" in notes.get("latin").problems[0]
    with pytest.raises(UsageError, match="not UTF-8"):
        notes.update("latin", content="x")
    assert table.file("notes/latin.md").read_bytes() == raw


def test_a_slug_whose_id_another_file_of_the_index_has_is_not_taken(table: Table) -> None:
    table.desk._holder_of = {"skill:deploy": "skills/deploy/SKILL.md"}.get

    made = table.desk.create(Kind.SKILL, {"title": "Deploy"}, {})

    assert made.slug == "deploy~2"


def test_a_note_written_while_another_looks_does_not_seem_gone(
    notes: Notes, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.create("One")
    notes.list()
    files = table.desk.files
    listed = files.listed

    def meanwhile(kind: Kind) -> dict[str, Listed]:
        found = listed(kind)
        monkeypatch.undo()
        notes.create("Two")
        return found

    monkeypatch.setattr(files, "listed", meanwhile)
    notes.list()

    assert notes.get("two").version == 1
    assert notes.update("two", content="seen", expected_version=1).problems == ()
    assert notes.list().total == 2


def test_threads_that_count_up_at_once_lose_nothing(skills: Skills) -> None:
    skills.create("Deploy")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: skills.bump("deploy"), range(24)))

    assert skills.get("deploy").usage_count == 24
    assert skills.get("deploy").version == 25


def test_the_index_takes_in_every_change_and_nothing_else(notes: Notes, table: Table) -> None:
    notes.create("Why", "a")
    notes.update("why", content="b")
    notes.update("why", content="b")
    notes.get("why")
    notes.list()
    notes.delete("why")

    assert table.taken_in == [(Kind.NOTE, ("why",))] * 3
