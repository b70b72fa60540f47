from __future__ import annotations

import json
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trivium import config
from trivium.backends.base import Batch, FileContent
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.collection import Collection, open_collection
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.sources.base import Entry, Raw
from trivium.testing import filling
from trivium.writing.digest import Cutting, digest

TRIVIUM = Path(sys.executable).with_name("trivium")
FILES = 60
EVERY = 10_000

HOLD = """
import sys
from pathlib import Path
from trivium.backends.embedded.lock import writer_lock
with writer_lock(Path(sys.argv[1]), wait_s=0):
    print("held", flush=True)
    sys.stdin.read()
"""

# Each answer on a line of its own: which files were found, and what they said.
READ = """
import json, sys
import trivium
from trivium.writing.digest import Cutting, digest
with trivium.open(sys.argv[1]) as collection:
    print("ready", flush=True)
    for _ in range(int(sys.argv[2])):
        hits = collection.search("herald", limit=50).results
        print(json.dumps([[hit.source.file_path, hit.snippet] for hit in hits]), flush=True)
"""


@dataclass(frozen=True)
class Place:
    """A folder, a home for its index, and the command to run on them."""

    files: Path
    environment: dict[str, str]

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(TRIVIUM), *arguments],
            env=self.environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **more: str) -> Done:
        process = self.start(*arguments, **more)
        stdout, stderr = process.communicate()
        return Done(process.returncode, stdout, stderr)

    def open(self) -> Collection:
        return open_collection(self.files, settings=config.load(environ=self.environment))

    @property
    def index(self) -> Path:
        (only,) = (Path(self.environment["TRIVIUM_HOME"]) / "collections").iterdir()
        return only

    @property
    def store(self) -> Path:
        (only,) = (Path(self.environment["TRIVIUM_HOME"]) / "store").iterdir()
        return only


@dataclass(frozen=True)
class Done:
    status: int
    stdout: str
    stderr: str
    said: str = field(init=False)

    def __post_init__(self) -> None:
        assert "Traceback" not in self.stderr
        object.__setattr__(self, "said", self.stdout + self.stderr)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    files = tmp_path / "my files"
    files.mkdir()
    for number in range(FILES):
        (files / f"file{number}.md").write_text(text(number), encoding="utf-8")
    environment = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
        "HOME": str(tmp_path),
    }
    return Place(files, environment)


def text(number: int) -> str:
    return f"# A note\n\nAll notes mention the harbour, this one {word(number)} too.\n"


def word(number: int) -> str:
    """Return a word that no analyser splits or stems."""
    return "x" + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:03}")


def assert_is_whole(place: Place) -> None:
    with place.open() as collection:
        assert collection.status().dirty_files == 0
        assert collection.stats().files == FILES
        for number in range(FILES):
            hits = collection.search(word(number)).results
            assert [hit.source.file_path for hit in hits] == [f"file{number}.md"]


@contextmanager
def held(folder: Path) -> Iterator[int]:
    """Hold the writer lock in another process, whose number is given."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process.pid
    finally:
        process.communicate()


def test_processes_that_index_the_same_folder_at_once_all_end_well(place: Place) -> None:
    processes = [place.start("index", str(place.files)) for _ in range(3)]
    ends = [Done(one.returncode, *said) for one in processes for said in [one.communicate()]]
    assert 0 in [one.status for one in ends]
    for one in ends:
        assert one.status == 0 or (one.status == 2 and "is being written by" in one.stderr)
    assert_is_whole(place)


def test_processes_that_search_a_new_folder_at_once_all_end_well(place: Place) -> None:
    processes = [place.start("search", word(7), str(place.files)) for _ in range(4)]
    ends = [Done(one.returncode, *said) for one in processes for said in [one.communicate()]]
    assert 0 in [one.status for one in ends]
    for one in ends:
        assert one.status == 0 or "is being written by process" in one.stderr
    assert place.run("index", str(place.files)).status == 0
    assert_is_whole(place)


def test_a_reader_beside_a_writer_finds_every_unchanged_file_and_no_file_twice(
    place: Place,
) -> None:
    answers_wanted = 150
    for number in range(5):
        (place.files / f"still{number}.md").write_text("# Still\n\nherald\n", encoding="utf-8")
    changing = place.files / "changing.md"
    changing.write_text("# Changing\n\nherald number 0\n", encoding="utf-8")
    still = {f"still{number}.md" for number in range(5)}
    with place.open() as collection:
        collection.sync()
        reader = subprocess.Popen(
            [sys.executable, "-c", READ, str(place.files), str(answers_wanted)],
            env=place.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
        answers: list[list[tuple[str, str]]] = []
        version = 0
        # One update for every few answers, and no end before the reader's.
        for line in reader.stdout:
            answers.append([(path, snippet) for path, snippet in json.loads(line)])
            if len(answers) % 5 == 0:
                version += 1
                changing.write_text(f"# Changing\n\nherald number {version}\n", encoding="utf-8")
                collection.sync()
        _, complaints = reader.communicate()
    assert (reader.returncode, complaints) == (0, "")
    assert len(answers) == answers_wanted
    for answer in answers:
        counted = Counter(path for path, _ in answer)
        assert set(counted.values()) == {1}
        assert still <= set(counted) <= still | {"changing.md"}
        for path, snippet in answer:
            assert "herald" in snippet
            assert ("number" in snippet) == (path == "changing.md")


def test_an_index_that_is_locked_says_which_process_writes_to_it(place: Place) -> None:
    assert place.run("index", str(place.files)).status == 0
    with held(place.index) as pid:
        done = place.run("index", str(place.files))
    assert done.status == 2
    assert done.stdout == ""
    assert f"is being written by process {pid} " in done.stderr
    assert str(place.files) in done.stderr


def test_a_search_while_another_process_writes_answers_from_the_last_state_and_says_so(
    place: Place,
) -> None:
    assert place.run("index", str(place.files)).status == 0
    (place.files / "file3.md").write_text("# Changed\n\nnothing of before\n", encoding="utf-8")
    (place.files / "new.md").write_text("# New\n", encoding="utf-8")
    with held(place.index) as pid:
        done = place.run("search", word(3), str(place.files), "--json")
    assert done.status == 0
    answer = json.loads(done.stdout)
    assert f"process {pid} " in answer["degraded"][0]["reason"]
    assert [hit["source"]["filePath"] for hit in answer["results"]] == ["file3.md"]
    assert answer["freshness"]["dirtyFiles"] == len(["file3.md", "new.md"])
    assert "sync" in [one["stage"] for one in answer["degraded"]]


def test_a_dead_writer_does_not_keep_the_lock(place: Place) -> None:
    assert place.run("index", str(place.files)).status == 0
    with held(place.index) as pid:
        subprocess.run(["kill", "-9", str(pid)], check=True)
        done = place.run("index", str(place.files))
    assert done.status == 0


def test_an_index_that_is_being_written_is_not_thrown_away(place: Place) -> None:
    assert place.run("index", str(place.files)).status == 0
    with held(place.index) as pid:
        done = place.run("index", "--rebuild", str(place.files))
    assert done.status == 2
    assert f"process {pid} " in done.stderr
    assert_is_whole(place)


def test_a_search_does_not_wait_for_the_transaction_of_a_writer(place: Place) -> None:
    assert place.run("index", str(place.files)).status == 0
    writing = sqlite3.connect(place.index / "collection.db", isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    with place.open() as collection:
        assert len(collection.search(word(1)).results) == 1
    writing.close()


def content(path: str, body: str) -> FileContent:
    return digest(Raw(Entry(path, len(body), 1), body, body), Cutting())


def test_a_reader_that_makes_a_view_leaves_the_one_a_writer_is_making_alone(
    tmp_path: Path,
) -> None:
    def opened() -> EmbeddedBackend:
        return EmbeddedBackend(tmp_path / "index", store=tmp_path / "store", views=(filling.BODY,))

    def found(backend: EmbeddedBackend) -> list[int]:
        with backend.snapshot() as snapshot:
            index = snapshot.text(filling.BODY)
            asked = [filling.ask(Words(word(number))) for number in range(3)]
            return [len(index.search(one, where=EVERYTHING, depth=EVERY).ids) for one in asked]

    writing, reading = opened(), opened()
    with writing.writer(wait_s=0) as writer:
        writer.write(Batch(replaced=(content("a.md", text(0)),)))
        assert found(reading) == [1, 0, 0]
        writer.write(Batch(replaced=(content("b.md", text(1)), content("c.md", text(2)))))
        writer.publish()
    assert found(reading) == found(writing) == found(opened()) == [1, 1, 1]
    for one in (writing, reading):
        one.close()


def suggested(done: Done) -> list[str]:
    """Return the arguments of the command that a message says to run."""
    program, *arguments = shlex.split(done.stderr.rpartition("with: ")[2].strip())
    assert program == "trivium"
    return arguments


def assert_asks_to_be_made_anew(place: Place, **more: str) -> None:
    """Every command refuses with the command that helps, and that command helps."""
    for arguments in (["search", word(1)], ["index"], ["status"]):
        done = place.run(*arguments, str(place.files), **more)
        assert done.status == 2
        assert done.stdout == ""
        assert suggested(done) == ["index", "--rebuild", str(place.files)]
    assert place.run(*suggested(done), **more).status == 0
    done = place.run("search", word(1), str(place.files), **more)
    assert done.status == 0
    assert "file1.md" in done.stdout


def test_an_index_of_another_format_names_the_command_that_makes_it_anew(place: Place) -> None:
    assert place.run("index", str(place.files)).status == 0
    with sqlite3.connect(place.index / "collection.db") as connection:
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'format'")
    connection.close()
    assert_asks_to_be_made_anew(place)
    assert_is_whole(place)


def test_an_index_cut_otherwise_names_the_command_that_makes_it_anew(place: Place) -> None:
    assert place.run("index", str(place.files)).status == 0
    assert_asks_to_be_made_anew(place, TRIVIUM_CHUNKING__SIZE="400")


@pytest.mark.parametrize("where", ["index", "store"])
@pytest.mark.parametrize("damage", [b"", b"not a database" * 1000])
def test_a_damaged_database_names_the_command_that_makes_it_anew(
    place: Place, where: str, damage: bytes
) -> None:
    assert place.run("index", str(place.files)).status == 0
    file = place.index / "collection.db" if where == "index" else place.store / "store.db"
    for beside in file.parent.glob(f"{file.name}-*"):
        beside.unlink()
    whole = file.read_bytes()
    file.write_bytes(damage + whole[len(damage) or len(whole) // 2 :])
    assert_asks_to_be_made_anew(place)
    assert_is_whole(place)


def test_a_store_that_was_deleted_is_filled_again_by_the_next_index(place: Place) -> None:
    assert place.run("index", str(place.files)).status == 0
    (place.files / "file0.md").unlink()
    shutil.rmtree(place.store)
    assert place.run("index", str(place.files)).status == 0
    (place.files / "file0.md").write_text(text(0), encoding="utf-8")
    assert place.run("index", str(place.files)).status == 0
    assert_is_whole(place)


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "no text folder": lambda index: shutil.rmtree(index / "text"),
    "no generation": lambda index: shutil.rmtree(only(index, "text/*/g*")),
    "no segment file": lambda index: only(index, "text/*/g*/*.term").unlink(),
    "cut segment file": lambda index: cut(only(index, "text/*/g*/*.term"), b"cut"),
    "cut list of segments": lambda index: cut(only(index, "text/*/g*/meta.json"), b"{"),
    "cut current text": lambda index: cut(only(index, "text/*/current.json"), b'{"gen'),
    "cut view": lambda index: cut(only(index, "text/*/view.json"), b"{"),
    "no vector folder": lambda index: shutil.rmtree(index / "vectors"),
    "no vectors": lambda index: only(index, "vectors/*/base-*.vec").unlink(),
    "no delta": lambda index: only(index, "vectors/*/delta-*.vec").unlink(),
    "cut vectors": lambda index: cut(only(index, "vectors/*/base-*.vec"), b"cut"),
    "half the vectors": lambda index: halve(only(index, "vectors/*/base-*.vec")),
    "cut current vectors": lambda index: cut(only(index, "vectors/*/current.json"), b"{"),
}


def cut(file: Path, data: bytes) -> None:
    """Put a shorter file in its place: what threads of Tantivy still map stays whole for them."""
    file.unlink()
    file.write_bytes(data)


def halve(file: Path) -> None:
    data = file.read_bytes()
    cut(file, data[: len(data) // 2])


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_derived_from_the_record_is_mended_by_the_next_index(
    place: Place, damage: str
) -> None:
    with place.open() as collection:
        collection.sync()
        filling.embed(collection._backend)
    DAMAGES[damage](place.index)

    done = place.run("search", word(1), str(place.files), "--no-sync")
    assert done.status in (0, 2)
    assert place.run("index", str(place.files)).status == 0
    assert_is_whole(place)
    with place.open() as collection, collection._backend.snapshot() as snapshot:
        vectors = snapshot.vectors(filling.MODEL)
        assert vectors is not None
        nearest = vectors.search(filling.vector_of("harbour"), where=EVERYTHING, depth=EVERY)
        assert len(nearest.ids) == len(set(nearest.ids)) == snapshot.contents().chunks


def test_a_process_that_stays_open_mends_what_was_damaged_under_it(place: Place) -> None:
    with place.open() as collection:
        collection.sync()
        filling.embed(collection._backend)
        assert len(collection.search(word(1)).results) == 1
        shutil.rmtree(only(place.index, "text/*/g*"))
        only(place.index, "vectors/*/base-*.vec").unlink()
        collection.sync()
        assert len(collection.search(word(1)).results) == 1
        assert [space.coverage for space in collection.status().spaces] == [1.0]
    assert_is_whole(place)
