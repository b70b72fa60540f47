from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from tests.crash import child, story

from trivium.backends.base import Snapshot
from trivium.backends.embedded import vast
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.collection import Collection, open_collection
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.testing import filling

ROOT = Path(__file__).parents[2]
STEPS = 12
EVERYTHING_THERE_IS = 10_000

POINTS = [
    "EmbeddedWriter._keep_texts:before:2",
    "EmbeddedWriter._keep_texts:after:2",
    "EmbeddedWriter._drop_files:after:3",
    "EmbeddedWriter._add_file:after:4",
    "database.write_meta:before:4",
    "database.write_meta:after:4",
    "Derived.feed:before:2",
    "Derived.feed:after:4",
    "Derived._replay:before:2",
    "Derived._replay:after:2",
    "Derived._rebuild_text:before:1",
    "Derived._rebuild_text:after:1",
    "Derived._prune:before:1",
    "Derived._prune:before:3",
    "Derived._prune:after:2",
    "EmbeddedWriter.put_vectors:before:1",
    "EmbeddedWriter.put_vectors:after:1",
    "Kept.write:before:2",
    "Kept.write:after:1",
    "Kept.write:after:3",
    "kept.put:after:2",
    "kept.clear:before:1",
    "kept.clear:after:1",
    "vectors._write_kept:before:1",
    "vectors._write_kept:after:1",
    "TextWriter.commit:before:1",
    "TextWriter.commit:before:3",
    "TextWriter.commit:after:1",
    "TextWriter.commit:after:3",
    "TextFolder.new_generation:after:1",
    "TextFolder.new_generation:after:2",
    "TextFolder.save:before:1",
    "TextFolder.save:before:3",
    "TextFolder.save:after:3",
    "TextFolder.sweep:before:2",
    "TextFolder.sweep:after:2",
    "SpaceFolder.save:before:1",
    "SpaceFolder.save:before:2",
    "SpaceFolder.save:after:1",
    "SpaceFolder.save:after:2",
    "SpaceFolder.prepare:before:1",
    "SpaceFolder.prepare:after:1",
    "SpaceFolder.adopt:before:1",
    "SpaceFolder.adopt:after:1",
    "SpaceFolder._sweep:before:3",
    "SpaceFolder.clear:before:2",
    "vectors._write_lists:before:1",
    "vectors._write_lists:after:1",
    "vectors._write_parts:after:2",
    "vast._make:after:1",
    "vast._make:after:2",
    "vast.since:after:1",
    "vast.since:after:2",
    "vectors._write:after:1",
    "vectors._write:after:3",
    "vectors.write_aside:before:3",
    "vectors.write_aside:after:3",
    "text.write_aside:before:2",
    "text.write_aside:after:2",
    "garbage.drop_unused:before:1",
    "garbage.has_other_users:after:1",
    "garbage.drop_unused:after:1",
    *(f"Path.replace:{moment}:{nth}" for moment in ("before", "after") for nth in (1, 3, 6, 9)),
]


def start(mode: str, place: Path, seed: int, count: int, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.crash.child", mode, str(place), str(seed), str(count)]
    return subprocess.Popen([*command, *more], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def promised(lines: str) -> int:
    """Return the last step that was acknowledged; half a line is no promise."""
    whole = [line for line in lines.split("\n")[:-1] if line.startswith("ack ")]
    return int(whole[-1].removeprefix("ack ")) if whole else 0


def kill_somewhere(process: subprocess.Popen[str], chance: random.Random) -> int:
    """Let a process get some way, kill it, and return the last step it acknowledged."""
    assert process.stdout is not None
    heard = "".join(process.stdout.readline() for _ in range(chance.randint(0, STEPS)))
    try:
        process.wait(timeout=chance.choice([0.0, 0.002, 0.01, 0.03, 0.1]) * chance.random())
    except subprocess.TimeoutExpired:
        process.kill()
    rest, _ = process.communicate()
    return promised(heard + rest)


def check_record(place: Path, seed: int, done: int) -> None:
    """The record holds exactly what `done` steps wrote, and hangs together."""
    backend = child.open_backend(place)
    expected = {story.path(n): story.content(n, v) for n, v in story.after(seed, done).items()}
    with backend.snapshot() as snapshot:
        assert dict(snapshot.files()) == {path: one.state for path, one in expected.items()}
        for path, one in expected.items():
            assert snapshot.content(path) == one
    backend.close()
    for file, table in ((place / "index/collection.db", "chunks"), (place / "store/store.db", "")):
        connection = sqlite3.connect(file)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if table:
            orphans = connection.execute(
                "SELECT count(*) FROM chunks WHERE node NOT IN (SELECT id FROM nodes) "
                "OR file NOT IN (SELECT id FROM files)"
            ).fetchone()
            assert orphans == (0,)
        connection.close()


def found(snapshot: Snapshot, wanted: str) -> list[str]:
    index = snapshot.text(story.VIEW)
    ids = index.search(filling.ask(Words(wanted)), where=EVERYTHING, depth=EVERYTHING_THERE_IS).ids
    return [one.chunk.text for one in snapshot.fetch(ids)]


def check_indexes(backend: EmbeddedBackend, seed: int, done: int, *, written: int) -> None:
    """Text index and vectors hold each chunk of the record once, and none that has gone."""
    expected = story.after(seed, done)
    with backend.snapshot() as snapshot:
        everything: Counter[str] = Counter()
        for number, version in expected.items():
            for word in story.words(number, version):
                hits = found(snapshot, word)
                assert len(hits) == 1, f"{word} is found {len(hits)} times"
                assert word in hits[0]
            content = snapshot.content(story.path(number))
            assert content is not None
            everything.update(one.id for one in content.chunks if one.text)
        for number, version in story.ever(seed, written) - set(expected.items()):
            for word in story.words(number, version):
                assert found(snapshot, word) == []
        assert len(found(snapshot, story.COMMON)) == len(everything)
        vectors = snapshot.vectors(filling.MODEL)
        if everything:
            assert vectors is not None
            nearest = vectors.search(
                filling.vector_of("anything"), where=EVERYTHING, depth=EVERYTHING_THERE_IS
            )
            assert Counter(nearest.ids) == everything
            assert [space.coverage for space in snapshot.spaces()] == [1.0]


def heal_and_check(place: Path, seed: int, acknowledged: int) -> None:
    """Open what was left, and find every promise kept; then live on."""
    backend = child.open_backend(place)
    with backend.snapshot() as snapshot:
        done = snapshot.contents().seq
        hits = found(snapshot, story.COMMON)
    assert acknowledged <= done <= acknowledged + 1
    assert len(hits) == len(set(hits))
    check_record(place, seed, done)
    filling.embed(backend)
    check_indexes(backend, seed, done, written=done + 1)
    live_on = 3
    for step in islice(story.steps(seed), done, done + live_on):
        filling.write(backend, step.batch().replaced, removed=step.batch().removed)
    filling.embed(backend)
    check_indexes(backend, seed, done + live_on, written=done + live_on)
    backend.close()
    check_record(place, seed, done + live_on)


def test_a_writer_killed_at_any_moment_loses_nothing_it_acknowledged(
    tmp_path: Path, even_seed: int
) -> None:
    chance = random.Random(even_seed)  # noqa: S311 - repeatable, not secret
    process = start("batches", tmp_path, even_seed, STEPS)
    acknowledged = kill_somewhere(process, chance)
    heal_and_check(tmp_path, even_seed, acknowledged)


def test_a_sync_killed_at_any_moment_is_completed_by_the_next_one(
    tmp_path: Path, odd_seed: int
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    process = start("folder", tmp_path, odd_seed, STEPS)
    kill_somewhere(process, random.Random(odd_seed))  # noqa: S311 - repeatable, not secret

    with open_collection(files, settings=child.settings_of(tmp_path)) as collection:
        collection.sync()
        assert_agrees_with_disk(collection, files, odd_seed)
        child.lay_out(files, next(islice(story.steps(odd_seed), STEPS, None)))
        collection.sync()
        assert_agrees_with_disk(collection, files, odd_seed)


def assert_agrees_with_disk(collection: Collection, files: Path, seed: int) -> None:
    status = collection.status()
    on_disk = {file.relative_to(files).as_posix(): file for file in files.rglob("*.md")}
    assert status.contents.files == len(on_disk)
    texts = [file.read_text(encoding="utf-8") for file in on_disk.values()]
    there = {word for text in texts for word in text.split() if word.startswith("x")}
    for number, version in story.ever(seed, STEPS + 1):
        for word in story.words(number, version):
            paths = [hit.source.file_path for hit in collection.search(word, typos=False).results]
            assert paths == ([story.path(number)] if word in there else [])


@pytest.mark.parametrize("point", POINTS)
def test_a_death_at_this_point_loses_nothing(tmp_path: Path, point: str) -> None:
    seed = 7
    process = start("batches", tmp_path, seed, STEPS, point)
    said, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL, "the story never came to this point"
    heal_and_check(tmp_path, seed, promised(said))


@pytest.mark.parametrize(
    "point", ["vectors._write_lists:before:1", "SpaceFolder.prepare:after:1", "vast.since:after:1"]
)
def test_lists_that_a_death_left_half_made_are_cleared_away_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    seed = 7
    process = start("batches", tmp_path, seed, STEPS, point)
    said, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL, "the story never came to this point"
    (left,) = (tmp_path / "index/vectors").glob("*/making")
    assert list(left.iterdir())
    heal_and_check(tmp_path, seed, promised(said))

    monkeypatch.setattr(vast, "_VAST", 8)
    backend = child.open_backend(tmp_path)
    with backend.snapshot() as snapshot:
        done = snapshot.contents().seq
    assert backend.arrange(lambda _done, _total: None) == 1
    check_indexes(backend, seed, done, written=done)
    with backend.snapshot() as snapshot:
        assert [space.listed is not None for space in snapshot.spaces()] == [True]
    backend.close()
    assert not left.exists()


@pytest.mark.parametrize("is_known", [True, False])
def test_files_a_killed_commit_left_in_the_text_index_do_not_stop_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    # So that only what was left decides whether the index is made anew.
    monkeypatch.setattr("trivium.backends.embedded.derive.needs_rebuild", lambda *_, **__: False)
    # Tantivy names the deletions of a segment by the number of the commit, which comes again
    # when a killed commit is made again. Those it knows are cleared away; else the text index
    # is made anew.
    seed, before = 7, 4
    backend = child.open_backend(tmp_path)
    for step in islice(story.steps(seed), before):
        filling.write(backend, step.batch().replaced, removed=step.batch().removed)
    (generation,) = (tmp_path / "index/text").glob("*/g*")
    segments = {file.stem.partition(".")[0] for file in generation.glob("*.term")}
    left = [f"{segment}.{number}.del" for segment in segments for number in range(1, 200)]
    left = [name for name in left if not (generation / name).exists()]
    for name in left:
        (generation / name).write_bytes(b"half")
    managed = generation / ".managed.json"
    if is_known:
        managed.write_text(json.dumps([*json.loads(managed.read_text("utf-8")), *left]), "utf-8")
    assert left

    (step,) = islice(story.steps(seed), before, before + 1)
    filling.write(backend, step.batch().replaced, removed=step.batch().removed)
    filling.embed(backend)
    check_indexes(backend, seed, before + 1, written=before + 1)
    assert generation.exists() == is_known
    backend.close()
