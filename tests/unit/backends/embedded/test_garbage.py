"""What nobody needs any more leaves the files, and nothing else does."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from trivium.backends.embedded import garbage
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.errors import IndexLocked
from trivium.testing.corpus import Section, chunk_id, make_file
from trivium.testing.filling import BODY, embed, write

SECRET = "kingfisherpassword"


def opened(place: Path, name: str = "index") -> EmbeddedBackend:
    return EmbeddedBackend(place / name, store=place / "store", views=(BODY,))


def version(number: int, *, files: int = 4) -> list[str]:
    return [f"{SECRET} version {number} of file {n} {'long ' * 900}" for n in range(files)]


def put(backend: EmbeddedBackend, texts: list[str]) -> None:
    write(backend, [make_file(f"{n}.md", [Section("s", text)]) for n, text in enumerate(texts)])
    embed(backend)


def kept(place: Path) -> tuple[int, int]:
    """Return how many texts and vectors the store holds."""
    connection = sqlite3.connect(place / "store/store.db")
    (texts,) = connection.execute("SELECT count(*) FROM texts").fetchone()
    (vectors,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
    connection.close()
    return texts, vectors


def holding(place: Path, word: str) -> list[str]:
    """Return the files below `place` in which `word` can be read."""
    files = [file for file in place.rglob("*") if file.is_file()]
    return sorted(file.name for file in files if word.encode() in file.read_bytes())


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> int:
    """Set the least number of unused texts low, and return it."""
    monkeypatch.setattr(garbage, "_UNUSED_LEAST", 5)
    return 5


def test_unused_texts_and_vectors_go_once_they_are_most_of_the_store(
    tmp_path: Path, early: int
) -> None:
    backend = opened(tmp_path)
    files = early - 1
    put(backend, version(1, files=files))
    put(backend, version(2, files=files))
    assert kept(tmp_path) == (2 * files, 2 * files)
    put(backend, version(3, files=files))
    assert kept(tmp_path) == (files, files)


def test_a_few_unused_texts_stay(tmp_path: Path) -> None:
    backend = opened(tmp_path)
    for number in range(5):
        put(backend, version(number))
    assert kept(tmp_path) == (5 * len(version(0)), 5 * len(version(0)))


@pytest.mark.usefixtures("early")
def test_what_another_collection_of_the_store_may_need_stays(tmp_path: Path) -> None:
    backend, other = opened(tmp_path), opened(tmp_path, "other")
    put(other, version(1))
    for number in range(5):
        put(backend, version(number))
    assert kept(tmp_path)[0] == 5 * len(version(0))
    with other.snapshot() as snapshot:
        assert len(snapshot.fetch([chunk_id("0.md", "s")])) == 1


@pytest.mark.usefixtures("early")
def test_a_reader_of_an_old_state_loses_texts_but_not_its_footing(tmp_path: Path) -> None:
    backend = opened(tmp_path)
    put(backend, version(0))
    same = make_file("same.md", [Section("s", "stays")])
    write(backend, [same])
    old, stays = chunk_id("0.md", "s"), chunk_id("same.md", "s")
    with backend.snapshot() as snapshot:
        # The first read of the store pins it too, so nothing of it is read before.
        for number in range(1, 5):
            put(backend, version(number))
        assert [one.chunk.id for one in snapshot.fetch([old, stays])] == [stays]
        node = same.nodes[-1].id
        assert snapshot.text_of(node) != ""
        assert snapshot.content("0.md") is None
        assert sorted(snapshot.files()) == ["0.md", "1.md", "2.md", "3.md", "same.md"]


def test_forgetting_all_leaves_no_text_in_any_file_of_the_store(tmp_path: Path) -> None:
    backend = opened(tmp_path)
    put(backend, version(0))
    put(backend, version(1))
    assert holding(tmp_path / "store", SECRET)
    with backend.writer(wait_s=0) as writer:
        writer.forget_all()
        assert holding(tmp_path / "store", SECRET) == []
        assert (tmp_path / "store/store.db-wal").stat().st_size == 0


def test_a_destroyed_collection_leaves_nothing_behind(tmp_path: Path) -> None:
    backend = opened(tmp_path)
    put(backend, version(0))
    assert holding(tmp_path, SECRET)
    backend.destroy(wait_s=0)
    assert list(tmp_path.iterdir()) == []


def test_a_destroyed_collection_leaves_the_store_to_others(tmp_path: Path) -> None:
    backend, other = opened(tmp_path), opened(tmp_path, "other")
    put(other, ["a text of the other one"])
    put(backend, version(0))
    backend.destroy(wait_s=0)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["other", "store"]
    with other.snapshot() as snapshot:
        assert len(snapshot.fetch([chunk_id("0.md", "s")])) == 1
    other.destroy(wait_s=0)
    assert list(tmp_path.iterdir()) == []


def test_a_collection_that_is_being_written_is_not_destroyed(tmp_path: Path) -> None:
    backend, other = opened(tmp_path), opened(tmp_path)
    put(backend, version(0))
    with backend.writer(wait_s=0), pytest.raises(IndexLocked):
        other.destroy(wait_s=0)
    with other.snapshot() as snapshot:
        assert len(snapshot.files()) == len(version(0))


def test_a_collection_can_be_destroyed_while_it_is_read(tmp_path: Path) -> None:
    backend, other = opened(tmp_path), opened(tmp_path)
    put(backend, version(0))
    with other.snapshot() as snapshot:
        assert len(snapshot.fetch([chunk_id("0.md", "s")])) == 1
        backend.destroy(wait_s=0)
        assert len(snapshot.fetch([chunk_id("0.md", "s")])) == 1
    assert list(tmp_path.iterdir()) == []
    with other.snapshot() as snapshot:
        assert dict(snapshot.files()) == {}
