from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.crash import story

from trivium import config
from trivium.backends.base import Batch
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.write import EmbeddedWriter
from trivium.collection import Collection, open_collection
from trivium.errors import BackendError
from trivium.testing import filling

FILES = 20
# A process that may make no file above a size stands for a full disk: no rights are needed. It
# must write no bytecode (-B): the limit would cut that off, for everyone who runs the program.
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from trivium.doors.cli.main import main
main(sys.argv[2:])
"""


def lay_out(place: Path) -> Path:
    files = place / "files"
    files.mkdir()
    chance = random.Random(3)  # noqa: S311 - repeatable, not secret
    for number in range(FILES):
        lines = ["".join(chance.choices("bcdfghjklm ", k=100)) for _ in range(100)]
        lines.append(story.word(number, 0, 0))
        (files / f"file{number}.md").write_text("\n".join(lines), encoding="utf-8")
    return files


def environment(place: Path) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(place / "home"),
        "TRIVIUM_CONFIG": str(place / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }


def index_with_limit(place: Path, files: Path, limit: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, str(limit), "index", str(files)],
        env=environment(place),
        capture_output=True,
        text=True,
        check=False,
    )


def open_at(place: Path, files: Path) -> Collection:
    return open_collection(files, settings=config.load(environ=environment(place)))


def assert_is_whole(place: Path, files: Path) -> None:
    with open_at(place, files) as collection:
        for number in range(FILES):
            hits = collection.search(story.word(number, 0, 0)).results
            assert [hit.source.file_path for hit in hits] == [f"file{number}.md"]


def assert_failed_clearly(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("trivium: ")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("limit", [2_000, 40_000, 120_000])
def test_a_disk_full_while_the_record_is_written_is_said_and_the_next_sync_completes(
    tmp_path: Path, limit: int
) -> None:
    files = lay_out(tmp_path)
    done = index_with_limit(tmp_path, files, limit)
    assert_failed_clearly(done)
    assert "Nothing of this step was kept" in done.stderr
    assert "disk" in done.stderr

    with open_at(tmp_path, files) as collection:
        assert collection.stats().files == 0
        assert collection.search(story.word(0, 0, 0)).results == ()
        collection.sync()
    assert_is_whole(tmp_path, files)


def test_a_disk_full_while_the_text_index_is_written_keeps_the_record_and_is_mended(
    tmp_path: Path,
) -> None:
    files = lay_out(tmp_path)
    with open_at(tmp_path, files) as collection:
        collection.sync()
        place = Path(collection.status().folder)
    before = sum(file.stat().st_size for file in (place / "text").rglob("*.term"))
    shutil.rmtree(place / "text")

    done = index_with_limit(tmp_path, files, before - 1)
    assert_failed_clearly(done)
    assert "text index" in done.stderr

    with open_at(tmp_path, files) as collection:
        assert collection.stats().files == FILES
        collection.sync()
    assert_is_whole(tmp_path, files)


def stop_growth(writer: EmbeddedWriter, schema: str) -> None:
    """Let one of the two databases grow no further: SQLite then says that the disk is full."""
    pages = writer._sql.execute(f"PRAGMA {schema}.page_count").fetchone()[0]
    writer._sql.execute(f"PRAGMA {schema}.max_page_count = {pages}")


@pytest.mark.parametrize("schema", ["main", "store"])
def test_a_batch_that_does_not_fit_leaves_nothing_and_fits_later(
    tmp_path: Path, schema: str
) -> None:
    backend = EmbeddedBackend(tmp_path / "index", store=tmp_path / "store", views=(story.VIEW,))
    filling.write(backend, [story.content(0, 1)])
    many = [story.content(number, 2) for number in range(200)]

    with backend.writer(wait_s=0) as writer:
        stop_growth(writer, schema)
        with pytest.raises(sqlite3.OperationalError, match="full"):
            writer.write(Batch(replaced=tuple(many)))

    with backend.snapshot() as snapshot:
        assert snapshot.files() == {story.path(0): story.content(0, 1).state}
        assert snapshot.content(story.path(0)) == story.content(0, 1)
    filling.write(backend, many)
    with backend.snapshot() as snapshot:
        assert len(snapshot.files()) == len(many)
    backend.close()


def test_a_full_disk_leaves_a_writer_as_an_error_of_our_own(tmp_path: Path) -> None:
    backend = EmbeddedBackend(tmp_path / "index", store=tmp_path / "store", views=(story.VIEW,))

    def overfill() -> None:
        with backend.writer(wait_s=0) as writer:
            stop_growth(writer, "main")
            writer.write(Batch(replaced=tuple(story.content(n, 1) for n in range(200))))

    with pytest.raises(BackendError, match="Writing the index: database or disk is full"):
        overfill()
    backend.close()


def test_vectors_that_do_not_fit_are_pending_again(tmp_path: Path) -> None:
    backend = EmbeddedBackend(tmp_path / "index", store=tmp_path / "store", views=(story.VIEW,))
    filling.write(backend, [story.content(number, 1) for number in range(200)])

    with backend.writer(wait_s=0) as writer:
        stop_growth(writer, "store")
        waiting = writer.pending(filling.MODEL, limit=1000)
        vectors = filling.vectors_of([one.text for one in waiting])
        with pytest.raises(sqlite3.OperationalError, match="full"):
            writer.put_vectors(filling.MODEL, [one.key for one in waiting], vectors)

    with backend.writer(wait_s=0) as writer:
        assert writer.count_pending(filling.MODEL) == len(waiting)
    filling.embed(backend)
    with backend.snapshot() as snapshot:
        assert [space.coverage for space in snapshot.spaces()] == [1.0]
    backend.close()
