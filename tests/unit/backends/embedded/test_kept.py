"""Rows of vectors lie once in the store: they are scanned there, and nothing of them is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from trivium.backends.base import Batch
from trivium.backends.embedded import derive, garbage, kept
from trivium.backends.embedded.kept import Kept, folder_of
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.vectors import SpaceFolder, SpaceState
from trivium.backends.quantise import to_int8
from trivium.errors import BackendError
from trivium.filtering.conditions import EVERYTHING
from trivium.testing.corpus import Section, chunk_id, make_file
from trivium.testing.filling import BODY, DIMENSION, MODEL, embed, vector_of, vectors_of, write

# The two tables of a store of format 2 that are others now.
OLDER = """
CREATE TABLE texts (key BLOB PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT NOT NULL, key BLOB NOT NULL,
  scale REAL NOT NULL, int8 BLOB NOT NULL, UNIQUE (model, key)
);
CREATE TABLE users (folder TEXT PRIMARY KEY) WITHOUT ROWID;
"""


def opened(place: Path, name: str = "index") -> EmbeddedBackend:
    return EmbeddedBackend(place / name, store=place / "store", views=(BODY,))


def put(backend: EmbeddedBackend, texts: Sequence[str], *, start: int = 0) -> None:
    """Write a file for each text, the first called by `start`, and embed them."""
    files = [make_file(f"{n}.md", [Section("s", one)]) for n, one in enumerate(texts, start)]
    write(backend, files)
    embed(backend)


def rows(place: Path) -> Path:
    """Return the one file of rows that is there."""
    (file,) = folder_of(place / "store").iterdir()
    return file


def state_of(backend: EmbeddedBackend) -> SpaceState:
    made_by = backend.meta()["incarnation"]
    state = SpaceFolder(backend.folder / "vectors" / MODEL, incarnation=made_by).state()
    assert state is not None
    return state


def nearest(backend: EmbeddedBackend, text: str, *, depth: int = 100) -> dict[str, float]:
    """Return the chunks near to a text with their scores, best first; none without vectors."""
    with backend.snapshot() as snapshot:
        vectors = snapshot.vectors(MODEL)
        if vectors is None:
            return {}
        found = vectors.search(vector_of(text), where=EVERYTHING, depth=depth)
        return dict(zip(found.ids, found.scores, strict=True))


def words(count: int, start: int = 0) -> list[str]:
    return [f"word{n} other{n % 7}" for n in range(start, start + count)]


def test_rows_are_scanned_where_they_are_kept_and_found_as_those_of_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = opened(tmp_path)
    put(backend, words(40))
    assert state_of(backend).kept_rows == 40
    base = backend.folder / "vectors" / MODEL / state_of(backend).base
    assert base.stat().st_size < rows(tmp_path).stat().st_size == 40 * DIMENSION

    monkeypatch.setattr(derive, "_ASIDE_LEAST", -1)
    monkeypatch.setattr(derive, "_ASIDE_SHARE", -1.0)
    other = opened(tmp_path, "other")
    put(other, words(40))
    assert state_of(other).kept_rows == 0
    assert rows(tmp_path).stat().st_size == 40 * DIMENSION
    for text in words(5):
        found = nearest(backend, text)
        assert list(found.items()) == list(nearest(other, text).items())
        assert len(found) == 40


def test_chunks_of_the_same_text_are_all_found(tmp_path: Path) -> None:
    backend = opened(tmp_path)
    put(backend, [*words(5), "the same", "the same", "the same"])
    found = nearest(backend, "the same")
    assert set(list(found)[:3]) == {chunk_id(f"{n}.md", "s") for n in (5, 6, 7)}
    assert len(set(list(found.values())[:3])) == 1
    assert len(found) == 8
    assert state_of(backend).rows == 8


def test_rows_of_another_collection_are_not_found(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path, "other")
    put(one, words(20))
    put(two, [*words(15, start=10), *words(3)])
    assert len(nearest(one, "word1 other1")) == 20
    assert len(nearest(two, "word1 other1", depth=5)) == 5
    assert len(nearest(two, "word1 other1")) == 18
    assert state_of(two).kept_rows > 18


def test_a_collection_with_little_of_the_store_has_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derive, "_ASIDE_LEAST", 5)
    one, two = opened(tmp_path), opened(tmp_path, "other")
    put(one, words(20))
    put(two, words(10, start=15))
    assert state_of(one).kept_rows == 20
    assert state_of(two).kept_rows == 0
    assert len(nearest(two, "word1 other1")) == 10


def test_rows_that_are_lost_while_a_process_writes_are_made_again(tmp_path: Path) -> None:
    backend = opened(tmp_path)
    put(backend, words(20))
    before = nearest(backend, "word1 other1")
    rows(tmp_path).unlink()
    write(backend, [make_file("30.md", [Section("s", "word30")])])
    with backend.writer(wait_s=0) as writer:
        (one,) = writer.pending(MODEL, limit=100)
        writer.put_vectors(MODEL, [one.key], vectors_of([one.text]))
        assert writer.count_pending(MODEL) == 20
    embed(backend)
    found = nearest(backend, "word1 other1")
    del found[chunk_id("30.md", "s")]
    assert found == before


@pytest.mark.parametrize("left", [None, 0, 7 * DIMENSION + 3])
def test_vectors_whose_rows_the_disk_has_lost_are_made_again(
    tmp_path: Path, left: int | None
) -> None:
    backend = opened(tmp_path)
    put(backend, words(20))
    before = nearest(backend, "word1 other1")
    backend.close()
    file = rows(tmp_path)
    data = file.read_bytes()
    file.unlink()
    if left is not None:
        file.write_bytes(data[:left])

    healed = opened(tmp_path)
    assert nearest(healed, "word1 other1") == {}
    with healed.writer(wait_s=0) as writer:
        assert writer.count_pending(MODEL) == 20
    embed(healed)
    assert nearest(healed, "word1 other1") == before


def test_what_a_write_that_failed_has_left_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = opened(tmp_path)
    put(backend, words(3))
    honest = Kept.write

    def failing(self: Kept, places: Sequence[int], matrix: np.ndarray) -> None:
        honest(self, places, matrix)
        raise OSError("no space left")

    monkeypatch.setattr(Kept, "write", failing)
    with pytest.raises(BackendError):
        put(backend, words(3, start=50), start=50)
    assert rows(tmp_path).stat().st_size == 6 * DIMENSION
    monkeypatch.undo()
    put(backend, words(2, start=80), start=80)
    embed(backend)
    assert len(nearest(backend, "word1 other1")) == 8
    with backend.snapshot() as snapshot:
        assert dict(snapshot.stored_vectors(MODEL)).keys() == keys_of(tmp_path)


def keys_of(place: Path) -> set[bytes]:
    connection = sqlite3.connect(place / "index/collection.db")
    found = {key for (key,) in connection.execute("SELECT key FROM chunks WHERE key <> x''")}
    connection.close()
    return found


def test_rows_that_nobody_needs_are_written_over_and_their_places_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "_UNUSED_LEAST", 2)
    backend = opened(tmp_path)
    put(backend, words(12))
    with backend.writer(wait_s=0) as writer:
        writer.write(Batch(removed=tuple(f"{n}.md" for n in range(8))))
        writer.publish()
    matrix = np.frombuffer(rows(tmp_path).read_bytes(), np.int8).reshape(-1, DIMENSION)
    assert (matrix.any(axis=1)).sum() == 4
    put(backend, words(8, start=30), start=30)
    assert rows(tmp_path).stat().st_size == 12 * DIMENSION
    found = nearest(backend, "word30 other2")
    assert next(iter(found)) == chunk_id("30.md", "s")
    assert len(found) == 12


def test_the_file_of_a_model_that_is_forgotten_goes(tmp_path: Path) -> None:
    backend = opened(tmp_path)
    put(backend, words(4))
    with backend.writer(wait_s=0) as writer:
        writer.forget_vectors(MODEL)
    assert list(folder_of(tmp_path / "store").iterdir()) == []
    embed(backend)
    assert len(nearest(backend, "word1 other1")) == 4


def test_rows_of_a_model_that_was_begun_anew_are_never_taken_for_those_before(
    tmp_path: Path,
) -> None:
    one, two = opened(tmp_path, "one"), opened(tmp_path, "two")
    put(one, words(20))
    put(two, words(20))
    assert state_of(two).kept_rows == 20
    before = nearest(two, "word1 other1")
    with one.writer(wait_s=0) as writer:
        writer.forget_vectors(MODEL)
    # As many rows as before, of other texts.
    put(one, words(20, start=500))
    assert nearest(opened(tmp_path, "two"), "word1 other1") == {}
    embed(two)
    assert nearest(two, "word1 other1") == before


def test_vectors_of_an_older_store_are_taken_over(tmp_path: Path) -> None:
    put(opened(tmp_path / "new"), words(30))
    with opened(tmp_path / "new").snapshot() as snapshot:
        made = dict(snapshot.stored_vectors(MODEL))
    (tmp_path / "store").mkdir()
    connection = sqlite3.connect(tmp_path / "store/store.db")
    connection.executescript(OLDER)
    matrix, scales = to_int8(np.stack(list(made.values())))
    connection.executemany(
        "INSERT INTO vectors VALUES (NULL, ?, ?, ?, ?)",
        [
            (MODEL, key, float(scale), row.tobytes())
            for key, row, scale in zip(made, matrix, scales, strict=True)
        ],
    )
    connection.commit()
    connection.close()

    backend = opened(tmp_path)
    write(backend, [make_file(f"{n}.md", [Section("s", one)]) for n, one in enumerate(words(30))])
    with backend.writer(wait_s=0) as writer:
        assert writer.count_pending(MODEL) == 0
        assert writer.vector_length(MODEL) == DIMENSION
    with backend.snapshot() as snapshot:
        taken = dict(snapshot.stored_vectors(MODEL))
    assert taken.keys() == made.keys()
    assert all(np.allclose(taken[key], made[key]) for key in made)
    assert nearest(backend, "word1 other1") == nearest(opened(tmp_path / "new"), "word1 other1")
    connection = sqlite3.connect(tmp_path / "store/store.db")
    # The numbers of the older ones are not given again.
    assert connection.execute("SELECT min(id) FROM vectors").fetchone() == (31,)
    connection.close()


def test_a_store_is_taken_over_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "store").mkdir()
    connection = sqlite3.connect(tmp_path / "store/store.db")
    connection.executescript(OLDER)
    row = to_int8(vectors_of(["one"]))[0].tobytes()
    connection.execute("INSERT INTO vectors VALUES (NULL, ?, x'01', 1.0, ?)", (MODEL, row))
    connection.commit()
    connection.close()
    honest = kept.take_over

    def failing(connection: sqlite3.Connection) -> None:
        honest(connection)
        raise OSError("no space left")

    monkeypatch.setattr(kept, "take_over", failing)
    with pytest.raises(BackendError):
        opened(tmp_path)
    monkeypatch.undo()
    with opened(tmp_path).writer(wait_s=0) as writer:
        assert writer.vector_length(MODEL) == DIMENSION
