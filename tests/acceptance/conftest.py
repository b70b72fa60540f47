from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.acceptance import both
from tests.acceptance.both import Shelf

import trivium
from trivium import config
from trivium.backends.base import Backend
from trivium.backends.reference.store import ReferenceBackend
from trivium.collection import Collection
from trivium.testing.embedders import CosineEmbedder, WordEmbedder

Open = Callable[..., Collection]


@pytest.fixture(params=both.BACKENDS)
def shelf(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shelf]:
    """Give a shelf for documents, once on each backend."""
    with both.shelf_in(tmp_path, request.param, monkeypatch) as made:
        yield made


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """Stand in for the model of every collection this test opens."""
    made = WordEmbedder()
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: made)
    return made


@pytest.fixture
def cosines(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Choose the cosine to every query of texts that hold a word: cosines["zebra"] = 0.8."""
    chosen: dict[str, float] = {}
    made = CosineEmbedder(cosines=chosen)
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: made)
    return chosen


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open collections with settings that touch nothing but the test's own folder."""
    yield from _opener(tmp_path, "embedded")


@pytest.fixture(params=both.BACKENDS)
def opened_on_each(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Open collections in the same way, once on each backend."""
    yield from _opener(tmp_path, request.param)


def _opener(tmp_path: Path, backend: str) -> Iterator[Open]:
    collections: list[Collection] = []
    # An index in memory has no place of its own: a folder opened again is to find it.
    backends: dict[Path, Backend | None] = {}

    def open_(folder: Path, **flags: config.Value) -> Collection:
        home = tmp_path / "home"
        environ = both.environment(home, backend)
        given = {key.replace("__", "."): value for key, value in flags.items()}
        settings = config.load(folder=folder, flags=given, environ=environ)
        if folder not in backends:
            backends[folder] = ReferenceBackend() if backend == "reference" else None
        collections.append(trivium.open(folder, settings=settings, backend=backends[folder]))
        return collections[-1]

    yield open_
    both.close(collections, backend)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    return made
