"""Attachments and imports that are killed: what was acknowledged is there, whole."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest
from tests.crash import child
from tests.crash.test_kill import kill_somewhere, promised, start

from trivium.collection import Collection, open_collection

COUNT = 6
VAULT: dict[str, bytes] = {
    "Home.md": b"# Welcome\n\nSee [[Plan]] and ![[map.png]].\n",
    "Work/Plan.md": b"---\naliases: [plan]\ntags: [work]\n---\n\nA zebra. ![[Work/log.txt]]\n",
    "Work/Same.md": b"",
    "Same.md": b"Another of this name.\n",
    "assets/map.png": b"\x89PNG\r\n" * 9000,
    "Work/log.txt": b"one\ntwo\n",
}
ATTACHED = [
    "Attached.add:before:2",
    "attached.give_name:before:2",
    "attached.give_name:after:2",
    "attached.sync_folder:before:3",
    "Attached.remove:before:1",
    "Attached.remove:after:1",
    "Attached._unlink:after:1",
    "Files.folder:after:3",
]
TAKEN_IN = [
    "Desk.put:before:2",
    "Desk.put:after:2",
    "Files.create:before:3",
    "files.give_name:after:3",
    "files.sync_folder:before:4",
    "Catalog.see:before:2",
    "Catalog.see:after:2",
    "Desk.attach:after:1",
    "Attached.add:before:1",
    "attached.give_name:after:1",
    "EmbeddedWriter.write:before:1",
    "TextWriter.commit:after:1",
]


def opened(place: Path) -> Collection:
    return open_collection(place / "files", settings=child.settings_of(place))


def check_attached(place: Path, done: int) -> None:
    """Each file that was promised is there, whole; one more may be there or gone."""
    with opened(place) as collection:
        notes = collection.notes
        there = {one.name: notes.attachment("log", one.name) for one in notes.attachments("log")}
        for name, data in there.items():
            assert data == child.attached(int(name.removesuffix(".txt")))
        for number in range(1, COUNT + 1):
            name, is_removed = f"{number}.txt", number % 3 == 0
            if done >= 2 * number or done < 2 * number - 2:
                assert (name in there) == (done >= 2 * number and not is_removed)
            elif done == 2 * number - 1 and not is_removed:
                assert name in there
            notes.attach("log", name, child.attached(number))
        assert len(notes.attachments("log")) == COUNT
        notes.delete("log")
        assert not (place / "files/.trivium/attachments/notes/log").exists()


def check_taken_in(place: Path) -> None:
    """The vault comes in whole the next time, once, and goes out as it was."""
    with opened(place) as collection:
        collection.sync()
        taken = collection.memory.import_from(place / "vault", form="vault")
        assert taken.left_out == {}
        assert len(taken.ids) + taken.same == collection.notes.list().total == 4
        collection.memory.export_to(place / "out", form="vault")
        out = [path for path in (place / "out").rglob("*") if path.is_file()]
        given = {path.relative_to(place / "out").as_posix(): path.read_bytes() for path in out}
        assert given == VAULT
        assert not (place / "files/.trivium/conflicts").exists()
        assert [hit.id for hit in collection.search("zebra").results] == ["note:plan"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    for path, data in VAULT.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize("point", ATTACHED)
def test_a_death_at_this_point_loses_no_attachment(place: Path, point: str) -> None:
    process = start("attachments", place, 0, COUNT, point)
    said, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL, "it never came to this point"
    check_attached(place, promised(said))


@pytest.mark.parametrize("point", TAKEN_IN)
def test_an_import_that_died_at_this_point_is_completed_by_the_next(
    place: Path, point: str
) -> None:
    process = start("import", place, 0, 1, point)
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "it never came to this point"
    check_taken_in(place)


def test_attachments_killed_at_any_moment_are_whole_or_not_there(
    place: Path, even_seed: int
) -> None:
    process = start("attachments", place, 0, COUNT)
    done = kill_somewhere(process, random.Random(even_seed))  # noqa: S311 - repeatable, not secret
    if (place / "files/.trivium/notes/log.md").exists():
        check_attached(place, done)


def test_an_import_killed_at_any_moment_is_completed_by_the_next(
    place: Path, odd_seed: int
) -> None:
    process = start("import", place, 0, 3)
    kill_somewhere(process, random.Random(odd_seed))  # noqa: S311 - repeatable, not secret
    check_taken_in(place)
