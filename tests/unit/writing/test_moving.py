from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.backends.base import Backend, FileHistory, Seen
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend
from trivium.errors import IndexLocked
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.testing import corpus
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import BODY, MODEL, ask, embed, vector_of, write
from trivium.writing.moving import move_index

Make = Callable[[], Backend]


@pytest.fixture
def make_embedded(tmp_path: Path) -> Make:
    names = iter("abcdef")

    def make() -> Backend:
        place = tmp_path / next(names)
        return EmbeddedBackend(place / "collection", store=place / "store")

    return make


def _filled(backend: Backend) -> Backend:
    files = corpus.small()
    write(backend, files)
    embed(backend)
    embed(backend, model_id="other-8", dimension=8)
    with backend.writer(wait_s=0) as writer:
        known = [FileHistory(files[0].state.path, "Ada", "2026-01-02T03:04:05+00:00", 7)]
        writer.put_history(known, head="c0ffee")
        writer.record(skipped={"a.bin": "binary"}, in_vain={"a.bin": Seen(3, 4)}, origin="archive")
        writer.note({"name": "shop"})
        writer.publish()
    return backend


def _seen(backend: Backend) -> object:
    """Return all that must be the same afterwards."""
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        words = snapshot.text(BODY).search(ask(Words("index search")), where=EVERYTHING, depth=99)
        near = space.search(vector_of("index"), where=EVERYTHING, depth=99)
        return (
            {path: snapshot.content(path) for path in snapshot.paths()},
            dict(snapshot.files()),
            [snapshot.history(path) for path in snapshot.paths()],
            snapshot.history_head(),
            (dict(snapshot.skipped()), dict(snapshot.in_vain()), snapshot.contents().origin),
            [(one.model_id, one.dimension, one.coverage) for one in snapshot.spaces()],
            words.ids,
            near.ids,
            backend.meta()["name"],
        )


@pytest.mark.parametrize("way", ["there", "back"])
def test_an_index_that_is_moved_is_the_same_and_nothing_is_to_be_embedded(
    make_embedded: Make, way: str
) -> None:
    source, target = _filled(ReferenceBackend()), make_embedded()
    if way == "back":
        source, target = _filled(target), ReferenceBackend()

    moved = move_index(source, target)

    assert _seen(target) == _seen(source)
    assert moved.files == len(corpus.small())
    assert moved.vectors > 0
    with target.writer(wait_s=0) as writer:
        assert (writer.count_pending(MODEL), writer.count_pending("other-8")) == (0, 0)


def test_what_was_there_before_is_gone(make_embedded: Make) -> None:
    target = make_embedded()
    write(target, [make_file("before.md", [Section("one", "walrus")])])
    embed(target, dimension=8)

    move_index(_filled(ReferenceBackend()), target)

    with target.snapshot() as snapshot:
        assert "before.md" not in snapshot.files()
        assert {one.model_id: one.dimension for one in snapshot.spaces()}[MODEL] == 16


def test_an_index_that_another_process_writes_is_left_alone(make_embedded: Make) -> None:
    target = make_embedded()

    with target.writer(wait_s=0), pytest.raises(IndexLocked):
        move_index(ReferenceBackend(), target, wait_s=0)


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        told.append((stage, done, total))

    move_index(_filled(ReferenceBackend()), ReferenceBackend(), progress=progress)

    files = len(corpus.small())
    assert told == [("moving", 0, files), ("moving", files, files)]
