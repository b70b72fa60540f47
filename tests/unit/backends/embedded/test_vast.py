"""A space of very many vectors is put into lists while everything else goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from trivium import indexer
from trivium.analysis.fields import embedding_text, text_key
from trivium.backends.base import Listed, Snapshot
from trivium.backends.embedded import store, vast, vectors
from trivium.backends.embedded.lists import Progress, how_many, train
from trivium.backends.embedded.scan import Rows
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend
from trivium.errors import IndexRemoved
from trivium.filtering.conditions import EVERYTHING
from trivium.results.present import in_lists
from trivium.testing.corpus import Section, chunk_id, make_file
from trivium.testing.filling import MODEL, embed, vector_of, vectors_of, write
from trivium.types import ChunkId

VAST = 60
WORDS = ("apple", "bread", "cloud", "drum", "earth", "flame", "glass", "horn")


def no_progress(_done: int, _total: int) -> None:
    """Say nothing."""


@pytest.fixture
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedBackend]:
    monkeypatch.setattr(vast, "_VAST", VAST)
    # The tail is to be as large as a test makes it.
    monkeypatch.setattr(vectors, "_DELTA_LEAST", 0)
    with closing(EmbeddedBackend(tmp_path / "index", store=tmp_path / "store")) as made:
        yield made


def fill(backend: EmbeddedBackend, numbers: range) -> None:
    """Write files of one chunk each, and give them vectors."""
    write(
        backend,
        [
            make_file(f"f{n}.md", [Section(f"s{n}", f"{WORDS[n % len(WORDS)]} number {n}")])
            for n in numbers
        ],
    )
    embed(backend)


def found(backend: EmbeddedBackend, asked: str = "cloud", depth: int = 1000) -> list[str]:
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        return list(space.search(vector_of(asked), where=EVERYTHING, depth=depth).ids)


def listed(backend: EmbeddedBackend) -> Listed | None:
    with backend.snapshot() as snapshot:
        (space,) = snapshot.spaces()
        return space.listed


def folder_of(backend: EmbeddedBackend) -> Path:
    return backend.folder / "vectors" / MODEL


def ids(numbers: range) -> set[str]:
    return {chunk_id(f"f{n}.md", f"s{n}") for n in numbers}


def text_of(snapshot: Snapshot, number: int) -> str:
    (one,) = snapshot.fetch([ChunkId(chunk_id(f"f{number}.md", f"s{number}"))])
    return embedding_text(one.node, one.chunk)


def trained(backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch) -> int:
    """Put what is due into lists; return how often centres were looked for."""
    calls: list[int] = []

    def counting(rows: Rows, *, progress: Progress) -> Rows:
        calls.append(1)
        return train(rows, progress=progress)

    with monkeypatch.context() as patch:
        patch.setattr(vast, "train", counting)
        assert backend.arrange(no_progress) == 1
    return len(calls)


def test_a_space_is_put_into_lists_once_it_is_vast_and_finds_the_same(
    backend: EmbeddedBackend,
) -> None:
    fill(backend, range(VAST - 1))
    assert backend.arrange(no_progress) == 0
    assert listed(backend) is None
    assert not list(backend.folder.glob("lists-*"))

    fill(backend, range(VAST, VAST + 21))
    before = {asked: found(backend, asked) for asked in WORDS}
    assert backend.arrange(no_progress) == 1

    assert listed(backend) == Listed(how_many(VAST + 20), VAST + 20, 0)
    assert {asked: found(backend, asked) for asked in WORDS} == before
    # Nothing is due any more.
    assert backend.arrange(no_progress) == 0


def test_what_comes_later_counts_at_once_and_what_goes_is_gone_at_once(
    backend: EmbeddedBackend,
) -> None:
    fill(backend, range(100))
    backend.arrange(no_progress)

    fill(backend, range(100, 105))
    write(backend, [], removed=["f0.md", "f101.md"])

    now = listed(backend)
    assert now is not None
    assert (now.vectors, now.scanned) == (99, 4)
    assert set(found(backend)) == ids(range(1, 105)) - ids(range(101, 102))


def test_a_tail_of_more_than_a_tenth_is_taken_into_the_lists_there_are(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(backend, range(100))
    backend.arrange(no_progress)
    fill(backend, range(100, 110))
    assert backend.arrange(no_progress) == 0

    fill(backend, range(110, 111))

    assert trained(backend, monkeypatch) == 0
    now = listed(backend)
    assert now is not None
    assert (now.vectors, now.scanned) == (111, 0)
    assert set(found(backend)) == ids(range(111))


def test_so_are_deletions_of_more_than_a_tenth(backend: EmbeddedBackend) -> None:
    fill(backend, range(100))
    backend.arrange(no_progress)
    write(backend, [], removed=[f"f{n}.md" for n in range(10)])
    assert backend.arrange(no_progress) == 0

    write(backend, [], removed=["f10.md"])

    assert backend.arrange(no_progress) == 1
    now = listed(backend)
    assert now is not None
    assert (now.vectors, now.scanned) == (89, 0)
    assert set(found(backend)) == ids(range(11, 100))


def test_centres_are_found_anew_once_there_are_twice_the_rows(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_LEFT_ALONE_SHARE", 10.0)
    fill(backend, range(100))
    assert trained(backend, monkeypatch) == 1
    fill(backend, range(100, 199))
    assert trained(backend, monkeypatch) == 0
    fill(backend, range(199, 240))
    assert trained(backend, monkeypatch) == 1
    assert set(found(backend)) == ids(range(240))


def test_a_tail_that_nobody_takes_in_is_merged_by_the_writer_in_the_end(
    backend: EmbeddedBackend,
) -> None:
    fill(backend, range(100))
    backend.arrange(no_progress)
    fill(backend, range(100, 150))
    assert listed(backend) is not None

    fill(backend, range(150, 151))

    assert listed(backend) is None
    assert set(found(backend)) == ids(range(151))
    assert not list(folder_of(backend).glob("*.lists"))
    assert backend.arrange(no_progress) == 1
    assert set(found(backend)) == ids(range(151))


def once(act: Callable[[], None]) -> Callable[[int, int], None]:
    """Return a progress that acts at its first call: while lists are made."""
    waiting = [act]

    def progress(_done: int, _total: int) -> None:
        if waiting:
            waiting.pop()()

    return progress


def test_nothing_is_lost_that_is_written_while_lists_are_made(backend: EmbeddedBackend) -> None:
    fill(backend, range(100))
    # So that there is a delta, and dead rows, before it begins.
    fill(backend, range(100, 104))
    write(backend, [], removed=["f0.md"])

    def meanwhile() -> None:
        fill(backend, range(104, 107))
        write(backend, [], removed=["f1.md", "f100.md"])
        other = vectors_of(["horn"])
        with backend.snapshot() as snapshot:
            # One of the delta, and one of the base.
            keys = [text_key(text_of(snapshot, n)) for n in (101, 2)]
        with backend.writer(wait_s=0) as writer:
            writer.put_vectors(MODEL, keys, np.concatenate([other, other]))
            writer.publish()

    assert backend.arrange(once(meanwhile)) == 1

    now = listed(backend)
    assert now is not None
    # Of 103 that lived, two went and two were replaced; these and three more are in no list.
    assert (now.vectors, now.scanned) == (103 - 4, 5)
    expected = ids(range(107)) - ids(range(2)) - ids(range(100, 101))
    assert set(found(backend)) == expected
    assert len(found(backend)) == len(expected)
    assert set(found(backend, "horn", depth=2)) == ids(range(101, 102)) | ids(range(2, 3))


def test_lists_of_a_base_that_was_written_anew_meanwhile_are_given_up(
    backend: EmbeddedBackend,
) -> None:
    fill(backend, range(100))

    assert backend.arrange(once(lambda: fill(backend, range(100, 200)))) == 0

    assert listed(backend) is None
    assert not (folder_of(backend) / "making").exists()
    assert set(found(backend)) == ids(range(200))
    assert backend.arrange(no_progress) == 1


def test_an_index_that_is_removed_meanwhile_does_not_come_back(backend: EmbeddedBackend) -> None:
    fill(backend, range(100))
    there = backend.as_it_is()

    with pytest.raises(IndexRemoved):
        there.arrange(once(lambda: backend.destroy(wait_s=0)))

    assert not (backend.folder / "collection.db").exists()


def test_who_is_to_stop_leaves_everything_as_it_was(backend: EmbeddedBackend) -> None:
    fill(backend, range(100))
    before = sorted(file.name for file in folder_of(backend).iterdir())

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backend.arrange(once(stop))

    assert sorted(file.name for file in folder_of(backend).iterdir()) == before


def test_a_full_disk_is_said_and_searches_scan_on(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(backend, range(100))

    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(vectors, "_write_lists", full)
        assert backend.arrange(no_progress) == 0

    assert "No space left on device" in caplog.text
    assert not (folder_of(backend) / "making").exists()
    assert set(found(backend)) == ids(range(100))
    assert backend.arrange(no_progress) == 1


def test_what_a_death_left_is_cleared_away_even_where_nothing_is_due(
    backend: EmbeddedBackend,
) -> None:
    fill(backend, range(10))
    (folder_of(backend) / "making").mkdir()
    (folder_of(backend) / "making" / "base.vec").write_bytes(b"half")

    assert backend.arrange(no_progress) == 0

    assert not (folder_of(backend) / "making").exists()


@pytest.mark.parametrize("damage", ["gone", "short", "other order", "empty"])
def test_lists_that_are_damaged_are_done_without_and_made_again(
    backend: EmbeddedBackend, tmp_path: Path, damage: str
) -> None:
    fill(backend, range(100))
    backend.arrange(no_progress)
    before = found(backend)
    (file,) = folder_of(backend).glob("*.lists")
    data = file.read_bytes()
    if damage == "gone":
        file.unlink()
    elif damage == "other order":
        # The order of the rows: every place is there, two of them in each other's stead.
        at = vectors._LISTS_HEADER.size + 8 * (data[16] + 1)
        swapped = data[at + 8 : at + 16] + data[at : at + 8]
        file.write_bytes(data[:at] + swapped + data[at + 16 :])
    else:
        file.write_bytes(data[: len(data) // 2] if damage == "short" else b"")

    with closing(EmbeddedBackend(tmp_path / "index", store=tmp_path / "store")) as other:
        assert found(other) == before
        assert other.arrange(no_progress) == 1
        assert found(other) == before


def test_one_at_a_time_makes_lists(
    backend: EmbeddedBackend, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(backend, range(100))
    with closing(EmbeddedBackend(tmp_path / "index", store=tmp_path / "store")) as other:
        done: list[int] = []
        with caplog.at_level(logging.INFO):
            assert backend.arrange(once(lambda: done.append(other.arrange(no_progress)))) == 1
        assert done == [0]
        assert "another process is at it" in caplog.text
        assert set(found(other)) == ids(range(100))


def test_lists_wait_for_no_writer_for_ever(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_ARRANGED_S", 0.0)
    fill(backend, range(100))
    with backend.writer(wait_s=0):
        assert backend.arrange(no_progress) == 0
    assert listed(backend) is None
    assert backend.arrange(no_progress) == 1


def test_a_snapshot_goes_on_with_what_it_began_with(backend: EmbeddedBackend) -> None:
    fill(backend, range(100))
    before = found(backend)
    with backend.snapshot() as snapshot:
        backend.arrange(no_progress)
        fill(backend, range(100, 103))
        assert len(found(backend)) == len(before) + 3
        space = snapshot.vectors(MODEL)
        assert space is not None
        hits = space.search(vector_of("cloud"), where=EVERYTHING, depth=1000).ids
    assert list(hits) == before


def test_what_is_usual_is_taken_from_the_same_rows_in_lists_and_without(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.backends.embedded.read.SAMPLED", 20)
    fill(backend, range(100))
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        before = space.background(vector_of("cloud"))
    backend.arrange(no_progress)
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        assert space.background(vector_of("cloud")) == before


def test_the_indexer_leaves_a_backend_alone_that_has_no_lists(backend: EmbeddedBackend) -> None:
    assert indexer.arrange(ReferenceBackend()) == 0
    fill(backend, range(100))
    stages: list[str] = []
    assert indexer.arrange(backend, progress=lambda stage, _done, _total: stages.append(stage)) == 1
    assert set(stages) == {"lists"}


def test_status_says_how_many_vectors_lie_in_lists_and_how_many_in_none() -> None:
    assert in_lists(None) == ""
    assert in_lists(Listed(4096, 1_000_000, 0)) == ", 1,000,000 vectors in 4,096 lists"
    assert in_lists(Listed(4096, 1_000_000, 12_345)).endswith(", 12,345 scanned in full")
