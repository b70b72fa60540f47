"""A backend that stays open while its folder is removed or made anew by another process."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from trivium.backends.base import Batch
from trivium.backends.embedded import database, read
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.text import TextWriter
from trivium.errors import BackendError, IndexRemoved
from trivium.filtering.conditions import EVERYTHING, build
from trivium.query.grammar import Words
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import BODY, MODEL, ask, embed, vector_of, write

Open = Callable[[], EmbeddedBackend]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    return lambda: EmbeddedBackend(
        tmp_path / "index", store=tmp_path / "store", views=(BODY,), meta={"root": "here"}
    )


def fill(backend: EmbeddedBackend, name: str, count: int) -> None:
    """Write `count` files that all hold the word `name`, with their vectors."""
    write(
        backend,
        [make_file(f"{name}{n}.md", [Section(f"s{n}", f"{name} of {n}")]) for n in range(count)],
    )
    embed(backend)


def seen(backend: EmbeddedBackend, word: str) -> dict[str, object]:
    """Return everything a reader is told that has to do with `word`."""
    with backend.snapshot() as snapshot:
        text = snapshot.text(BODY).search(ask(Words(word)), where=EVERYTHING, depth=99)
        vectors = snapshot.vectors(MODEL)
        near = None
        if vectors is not None:
            allowed = build({"path": word})
            found = vectors.search(vector_of(word), where=allowed, depth=99)
            near = sorted(one.node.source.file_path for one in snapshot.fetch(found.ids))
        return {
            "contents": snapshot.contents(),
            "files": sorted(snapshot.files()),
            "text": [one.chunk.text for one in snapshot.fetch(text.ids)],
            "near": near,
            "spaces": snapshot.spaces(),
        }


def test_a_folder_made_anew_is_read_as_by_a_backend_opened_now(opened: Open) -> None:
    staying = opened()
    fill(staying, "old", 3)
    assert len(str(seen(staying, "old")["text"])) > len("[]")

    other = opened()
    other.destroy(wait_s=0)
    fill(other, "new", 2)

    for word in ("old", "new"):
        assert seen(staying, word) == seen(other, word) == seen(opened(), word)
    assert seen(staying, "old")["text"] == []
    assert len(staying.meta()["incarnation"]) == len("0" * 32)


def test_a_folder_removed_under_an_open_backend_and_made_anew_is_written_whole(
    tmp_path: Path, opened: Open
) -> None:
    staying = opened()
    fill(staying, "old", 3)
    before = staying.meta()["incarnation"]
    shutil.rmtree(tmp_path / "index")
    fill(opened(), "new", 2)

    fill(staying, "more", 1)

    assert staying.meta()["incarnation"] != before
    assert seen(staying, "more")["files"] == ["more0.md", "new0.md", "new1.md"]
    for word in ("old", "new", "more"):
        assert seen(staying, word) == seen(opened(), word)


@pytest.mark.parametrize("gone", [("index",), ("index", "store")])
def test_a_server_goes_on_with_an_empty_index_when_its_folder_is_gone(
    tmp_path: Path, opened: Open, gone: tuple[str, ...]
) -> None:
    staying = opened()
    fill(staying, "old", 3)
    for name in gone:
        shutil.rmtree(tmp_path / name)

    assert seen(staying, "old")["files"] == []
    assert staying.meta()["root"] == "here"
    for name in gone:
        shutil.rmtree(tmp_path / name)
    fill(staying, "new", 1)
    assert seen(staying, "new")["files"] == ["new0.md"]
    assert len(str(seen(staying, "new")["near"])) > len("[]")


def test_a_snapshot_that_is_held_keeps_its_state_while_the_folder_is_made_anew(
    opened: Open,
) -> None:
    staying, other = opened(), opened()
    fill(staying, "old", 3)
    with staying.snapshot() as snapshot:
        other.destroy(wait_s=0)
        fill(other, "new", 2)
        assert sorted(snapshot.files()) == ["old0.md", "old1.md", "old2.md"]
        assert snapshot.contents().files == len(snapshot.files())
    assert seen(staying, "new") == seen(opened(), "new")


def test_a_view_of_another_incarnation_is_made_anew_by_a_reader_and_by_a_writer(
    tmp_path: Path, opened: Open
) -> None:
    menders = ((lambda: seen(opened(), "old"), "text"), (lambda: fill(opened(), "more", 1), "*"))
    for mend, mended in menders:
        fill(opened(), "old", 3)
        currents = list((tmp_path / "index").glob("*/*/current.json"))
        assert len(currents) == len(("text", "vectors"))
        for current in currents:
            raw = json.loads(current.read_text("utf-8"))
            raw["incarnation"] = "another"
            current.write_text(json.dumps(raw), "utf-8")
        with opened().snapshot() as snapshot:
            assert snapshot.vectors(MODEL) is None
        mend()
        for current in (tmp_path / "index").glob(f"{mended}/*/current.json"):
            raw = json.loads(current.read_text("utf-8"))
            assert raw["incarnation"] == opened().meta()["incarnation"]
        assert len(seen(opened(), "old")["text"]) == 3  # type: ignore[arg-type]
    assert len(str(seen(opened(), "old")["near"])) > len("[]")


def test_a_reader_does_not_put_its_view_into_a_folder_made_anew_meanwhile(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = opened()
    with bare.writer(wait_s=0) as writer:
        writer.write(Batch(replaced=(make_file("old.md", [Section("s", "old")]),)))

    class Late(TextWriter):
        def add(self, *_: object) -> None:
            other = opened()
            other.destroy(wait_s=0)
            fill(other, "new", 2)

    monkeypatch.setattr(read, "TextWriter", Late)
    with bare.snapshot() as snapshot, pytest.raises(BackendError, match="made anew"):
        snapshot.text(BODY)
    monkeypatch.undo()
    assert seen(bare, "new") == seen(opened(), "new")
    assert len(seen(bare, "new")["text"]) == 2  # type: ignore[arg-type]


def test_a_store_made_anew_gives_its_chunks_their_vectors_again(
    tmp_path: Path, opened: Open
) -> None:
    staying = opened()
    fill(staying, "word", 5)
    shutil.rmtree(tmp_path / "store")
    with opened().writer(wait_s=0) as writer:
        writer.publish()
    assert seen(staying, "word")["files"] == []
    fill(staying, "word", 2)
    with staying.snapshot() as snapshot:
        assert [space.coverage for space in snapshot.spaces()] == [1.0]
    assert seen(staying, "word") == seen(opened(), "word")
    assert seen(staying, "word")["near"] == ["word0.md", "word1.md"]


def test_a_text_index_that_was_not_published_is_not_current(opened: Open) -> None:
    writing, reading = opened(), opened()
    fill(writing, "old", 1)
    with writing.writer(wait_s=0) as writer:
        writer.write(Batch(replaced=(make_file("new.md", [Section("s", "new")]),)))
        with reading.snapshot() as snapshot:
            assert not snapshot.text(BODY).is_current
        writer.publish()
        with reading.snapshot() as snapshot:
            assert snapshot.text(BODY).is_current


def test_a_writer_that_cannot_start_leaves_no_connection_open(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trivium.backends.embedded import database, write

    backend = opened()
    made = []
    connect = database.connect

    def counted(folder: Path, store: Path, *, writes: bool) -> object:
        made.append(connect(folder, store, writes=writes))
        return made[-1]

    def fail(_: object) -> None:
        raise BackendError("no")

    monkeypatch.setattr(database, "connect", counted)
    monkeypatch.setattr(write.EmbeddedWriter, "_forget_textless", fail)
    with pytest.raises(BackendError, match="no"), backend.writer(wait_s=0):
        pass
    assert len(made) == 1
    with pytest.raises(Exception, match="closed database"):
        made[0].execute("SELECT 1")
    monkeypatch.undo()
    fill(backend, "old", 1)


def test_one_that_is_to_stay_as_it_is_writes_and_makes_nothing_once_it_is_removed(
    tmp_path: Path, opened: Open
) -> None:
    staying = opened()
    fill(staying, "old", 3)
    same = staying.as_it_is()
    fill(same, "more", 1)
    opened().destroy(wait_s=0)

    for use in (
        lambda: same.writer(wait_s=0),
        same.snapshot,
        lambda: same.turn(MODEL, wait_s=0),
    ):
        with pytest.raises(IndexRemoved, match=r"of here was removed.*trivium index here"), use():
            pass
    for ask_for in (same.meta, same.as_it_is, staying.as_it_is):
        with pytest.raises(IndexRemoved):
            ask_for()
    assert staying.meta() == {"root": "here"}
    assert list(tmp_path.iterdir()) == []


def test_one_that_is_to_stay_as_it_is_does_not_go_on_with_one_made_anew(opened: Open) -> None:
    staying = opened()
    fill(staying, "old", 3)
    same = staying.as_it_is()
    with same.snapshot():
        pass
    opened().destroy(wait_s=0)
    fill(staying, "new", 2)

    with pytest.raises(IndexRemoved), same.writer(wait_s=0):
        pass
    with pytest.raises(IndexRemoved), same.snapshot():
        pass
    assert seen(staying, "new")["files"] == ["new0.md", "new1.md"]


def test_who_waits_for_a_lock_while_the_index_is_removed_leaves_no_folder_behind(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    staying = opened()
    fill(staying, "old", 3)
    same = staying.as_it_is()
    folders = [tmp_path / "index", tmp_path / "store"]

    def wanted_at_first(_: Path) -> bool:
        # As seen by one that looked just before the index was removed.
        return next(looks, False)

    monkeypatch.setattr(same, "_is_wanted", wanted_at_first)
    for use in (lambda: same.writer(wait_s=0), lambda: same.turn(MODEL, wait_s=0)):
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        looks = iter([True, True])
        with pytest.raises(IndexRemoved), use():
            pass
        assert [folder.exists() for folder in folders] == [False, False]


def test_who_waits_for_the_lock_while_the_index_is_removed_makes_it_anew(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    staying = opened()
    fill(staying, "old", 3)
    asked: list[float] = []

    acquire = FileLock.acquire

    def removed_at_first(one: FileLock, timeout: float | None = None, **options: Any) -> Any:
        if Path(one.lock_file).name == "writer.lock":
            asked.append(0.0 if timeout is None else timeout)
            if len(asked) == 1:
                shutil.rmtree(tmp_path / "index")
                raise FileNotFoundError(2, "No such file or directory")
        return acquire(one, timeout, **options)

    monkeypatch.setattr(FileLock, "acquire", removed_at_first)
    write(staying, [make_file("new.md", [Section("new", "new")])])

    assert len(asked) > 1
    assert max(asked) == 0.0
    assert seen(staying, "new")["files"] == ["new.md"]


def test_a_file_that_goes_while_it_is_opened_is_looked_for_again(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    staying = opened()
    fill(staying, "old", 3)
    staying.close()
    connect = database.connect
    failed: list[bool] = []

    def gone_at_first(*places: Path, writes: bool) -> sqlite3.Connection:
        if not failed:
            failed.append(writes)
            # The files may have come back with the numbers of those before, and look the same.
            raise sqlite3.OperationalError("unable to open database file")
        return connect(*places, writes=writes)

    monkeypatch.setattr(database, "connect", gone_at_first)

    assert len(seen(staying, "old")["files"]) == 3  # type: ignore[arg-type]
    assert failed == [False]
