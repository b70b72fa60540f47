"""What every backend promises of vectors, where they lie in lists: all of it still holds."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from trivium.backends.base import Backend
from trivium.backends.embedded import lists, spaces, store, vast
from trivium.backends.embedded.read import EmbeddedSnapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.filtering.conditions import EVERYTHING, build
from trivium.testing import corpus
from trivium.testing.filling import MODEL, embed, vector_of, write
from trivium.testing.parity import BackendParity
from trivium.testing.promises import MakeBackend
from trivium.testing.promises_filters import FilterPromises
from trivium.testing.promises_vectors import VectorPromises


class Arranged(EmbeddedBackend):
    """Puts its vectors into lists whenever somebody is about to read."""

    arranged = 0

    @contextmanager
    def snapshot(self) -> Iterator[EmbeddedSnapshot]:
        self.arranged += self.arrange(lambda _done, _total: None)
        with super().snapshot() as snapshot:
            yield snapshot


@pytest.fixture(autouse=True)
def lists_at_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handful of vectors is very many, and no ranking too deep for lists."""
    monkeypatch.setattr(vast, "_VAST", 4)
    monkeypatch.setattr(spaces, "_PROBE_SHARE", 1000.0)
    # A snapshot may be asked for by who writes: then the lists wait.
    monkeypatch.setattr(store, "_ARRANGED_S", 0.0)


def arranged_in(folder: Path) -> MakeBackend:
    numbers = itertools.count()

    def make() -> Backend:
        place = folder / str(next(numbers))
        return Arranged(place / "collection", store=place / "store")

    return make


class TestInLists(VectorPromises, FilterPromises):
    @pytest.fixture
    def make_backend(self, tmp_path: Path) -> MakeBackend:
        return arranged_in(tmp_path)


class TestParityInLists(BackendParity):
    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(cls, tmp_path_factory: pytest.TempPathFactory) -> MakeBackend:
        return arranged_in(tmp_path_factory.mktemp("parity"))


def test_the_suite_above_does_search_in_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probed: list[int] = []

    def counting(*given: Any, **more: Any) -> Any:
        probed.append(1)
        return lists.probe(*given, **more)

    monkeypatch.setattr(spaces, "probe", counting)
    backend = arranged_in(tmp_path)()
    write(backend, corpus.generated())
    embed(backend)
    with backend.snapshot() as snapshot:
        (space,) = snapshot.spaces()
        found = snapshot.vectors(MODEL)
        assert found is not None
        for where in (EVERYTHING, build({"kind": ["code", "doc"]})):
            found.search(vector_of("index"), where=where, depth=10)

    assert isinstance(backend, Arranged)
    assert backend.arranged == 1
    assert space.listed is not None
    assert space.listed.lists > 10
    assert space.listed.scanned == 0
    assert len(probed) >= 2
