"""Memory on an index that others write, in a project that cannot be written to, and its links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.embedded.lock import writer_lock
from trivium.collection import Collection
from trivium.errors import NotFound
from trivium.home import folder_of
from trivium.memory.ground import Ground
from trivium.memory.kinds import Notes


def settings_in(tmp_path: Path, **flags: config.Value) -> config.Settings:
    home = tmp_path / "home"
    environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "none.toml")}
    given = {key.replace("__", "."): value for key, value in flags.items()}
    return config.load(flags={"embedding.model": "none", **given}, environ=environ)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "readme.md").write_text("# Shop\n")
    return folder


@pytest.fixture
def shop(project: Path, tmp_path: Path) -> Iterator[Collection]:
    with trivium.open(project, settings=settings_in(tmp_path)) as collection:
        collection.sync()
        yield collection


def test_what_is_written_while_another_process_holds_the_index_is_found_afterwards(
    shop: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = shop.sync
    monkeypatch.setattr(shop, "sync", lambda **given: sync(wait_s=0, **given))
    with writer_lock(folder_of(shop.root, tmp_path / "home"), wait_s=0):
        shop.notes.create("Zebra", "It waits.")
        assert (shop.root / ".trivium" / "notes" / "zebra.md").exists()
        assert shop.search("zebra").results == ()

    assert [hit.id for hit in shop.search("zebra").results] == ["note:zebra"]


def test_a_folder_that_is_not_indexed_is_not_indexed_by_a_note(
    project: Path, tmp_path: Path
) -> None:
    with trivium.open(project, settings=settings_in(tmp_path)) as collection:
        collection.notes.create("Zebra")

        assert not collection.is_indexed
        assert collection.notes.get("zebra").title == "Zebra"
        collection.sync()
        assert [hit.id for hit in collection.search("zebra").results] == ["note:zebra"]


def test_memory_in_the_users_folder_is_searched_and_leaves_the_project_alone(
    project: Path, tmp_path: Path
) -> None:
    (project / ".trivium" / "notes").mkdir(parents=True)
    (project / ".trivium" / "notes" / "shared.md").write_text("# Shared zebra\n")
    before = sorted(project.rglob("*"))
    with trivium.open(project, settings=settings_in(tmp_path, memory__place="user")) as collection:
        collection.sync()
        collection.notes.create("Mine", "zebra")
        collection.notes.update("shared", tags=["own"])

        found = {hit.id for hit in collection.search("zebra").results}
        assert found == {"note:mine", "note:shared"}
        assert collection.notes.list().total == 2
        assert collection.notes.get("shared").tags == ("own",)
        collection.sync()
        assert {hit.id for hit in collection.search("zebra").results} == found
        collection.notes.delete("mine")
        assert {hit.id for hit in collection.search("zebra").results} == {"note:shared"}
    assert sorted(project.rglob("*")) == before
    assert (project / ".trivium" / "notes" / "shared.md").read_text() == "# Shared zebra\n"


def test_a_project_that_cannot_be_written_to_has_its_memory_in_the_users_folder(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.home.os.access", lambda *_: False)
    with trivium.open(project, settings=settings_in(tmp_path)) as collection:
        collection.notes.create("Mine")

    assert not (project / ".trivium").exists()
    assert list((tmp_path / "home" / "memory").rglob("mine.md"))


def test_an_edit_by_hand_is_found_after_the_next_sync(shop: Collection) -> None:
    note = shop.notes.create("Why", "zebra")
    file = shop.root / ".trivium" / "notes" / "why.md"
    file.write_text(file.read_text().replace("zebra", "okapi"))
    shop.sync()

    assert [hit.id for hit in shop.search("okapi").results] == [note.id]
    assert shop.search("zebra").results == ()


def test_forgetting_an_index_keeps_the_files_of_memory(shop: Collection) -> None:
    shop.notes.create("Why", "zebra")
    shop.reset()

    assert (shop.root / ".trivium" / "notes" / "why.md").exists()
    assert shop.notes.get("why").content == "zebra"


def test_a_link_to_another_collection_is_broken_or_unknown(notes: Notes, ground: Ground) -> None:
    notes.create("Why", links=[("references", "@shop::code:there.py")])

    assert [one.is_broken for one in notes.links("why")] == [False]
    for target, state in (("@shop::code:gone.py", True), ("@unknown::code:a.py", None)):
        path = notes._desk.files.read(notes.kind, "why")
        assert path is not None
        path.path.write_text(f"---\nlinks:\n  - references {target}\n---\n")
        assert [one.is_broken for one in notes.links("why")] == [state]
    ground.catch_up()


def test_a_link_is_taken_away(notes: Notes) -> None:
    for title in ("a", "b"):
        notes.create(title)
    notes.link("a", "related_to", "note:b")
    notes.link("a", "references", "note:b")
    notes.link("a", "references", "note:b")
    assert len(notes.get("a").links) == 2
    assert [(one.slug, type_) for one, type_ in notes.find_linked("note:b")] == [
        ("a", "references"),
        ("a", "related_to"),
    ]

    notes.unlink("a", "note:b", type_="references")
    assert [str(one) for one in notes.get("a").links] == ["related_to note:b"]
    notes.unlink("a", "note:b")
    assert notes.get("a").links == ()
    with pytest.raises(trivium.TriviumError, match="no such link"):
        notes.unlink("a", "note:b")


def test_a_write_looks_at_no_other_file_of_its_folder(
    shop: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.notes.create("First", "See `readme`.")
    shop.notes.list()
    looked: list[str] = []
    scan = os.scandir

    def noted(path: str | Path) -> Iterator[os.DirEntry[str]]:
        looked.append(Path(path).name)
        return scan(path)

    monkeypatch.setattr("os.scandir", noted)
    note = shop.notes.create("Second zebra", "See `readme` and [[first]].")
    shop.notes.update(note.id, content="okapi")
    shop.notes.link(note.id, "related_to", "note:first")
    monkeypatch.undo()

    assert "notes" not in looked
    assert [hit.id for hit in shop.notes.search("okapi").results] == [note.id]
    shop.notes.delete(note.id)
    assert shop.search("okapi").results == ()


def test_the_folder_of_memory_is_a_node_as_long_as_it_holds_something(shop: Collection) -> None:
    first, second = shop.notes.create("First"), shop.notes.create("Second")
    assert shop.get("file:.trivium/notes").node.id == "file:.trivium/notes"
    shop.notes.delete(first.id)
    assert shop.get("file:.trivium/notes").node.id == "file:.trivium/notes"
    shop.notes.delete(second.id)
    for gone in ("file:.trivium/notes", "file:.trivium"):
        with pytest.raises(NotFound):
            shop.get(gone)


def test_links_of_a_note_follow_files_that_other_syncs_bring(shop: Collection) -> None:
    shop.notes.create("Why", "See [the plan](../../docs/plan.md).")
    assert [one.other for one in shop.notes.links("why") if one.direction == "out"] == []
    (shop.root / "docs").mkdir()
    (shop.root / "docs" / "plan.md").write_text("# Plan\n")
    shop.sync()
    shop.notes.create("Other", "See [the plan](../../docs/plan.md).")

    for name in ("why", "other"):
        assert "doc:docs/plan.md" in [one.other for one in shop.notes.links(name)]
