from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.collection import Collection
from trivium.testing.embedders import WordEmbedder

Open = Callable[..., Collection]


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """Stand in for the model of every collection this test opens."""
    made = WordEmbedder()
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: made)
    return made


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open collections with settings that touch nothing but the test's own folder."""
    collections: list[Collection] = []

    def open_(folder: Path, **flags: config.Value) -> Collection:
        home = tmp_path / "home"
        environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
        given = {key.replace("__", "."): value for key, value in flags.items()}
        settings = config.load(folder=folder, flags=given, environ=environ)
        collections.append(trivium.open(folder, settings=settings))
        return collections[-1]

    yield open_
    for collection in collections:
        collection.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    return made
