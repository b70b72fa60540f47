"""A folder of files opened on either backend, with a model whose vectors a test chooses.

The acceptance cases of seeds 001 and 002 are asked of the embedded backend and of the
reference alike: each test module makes its `shelf` fixture of these. `make test-cluster` has
them asked of a cluster, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import trivium
from trivium import config
from trivium.backends.reference.store import ReferenceBackend
from trivium.collection import Collection
from trivium.errors import TriviumError
from trivium.models.base import Embedder
from trivium.testing.embedders import WordEmbedder
from trivium.types import Answer, Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLUSTER = os.environ.get("TRIVIUM_CLUSTER_URL", "")  # noqa: TID251 - set by make test-cluster
BACKENDS = ("embedded", "reference", *(["opensearch"] if CLUSTER else []))
LOADS_A_MODEL = "trivium.models.registry.load"


@dataclass(slots=True)
class ChosenEmbedder:
    """Gives a text the vector of the first of its words that has one, else the zero vector.

    Vectors are kept in one byte a number: choose whole numbers, the largest 127, and cosines
    are exact.
    """

    chosen: Mapping[str, Sequence[float]]
    name: str = "chosen"
    strength: int = 1
    documents: list[str] = field(default_factory=list)

    @property
    def model_id(self) -> str:
        return f"chosen-{self.dimension}"

    @property
    def dimension(self) -> int:
        return len(next(iter(self.chosen.values())))

    @property
    def is_instant(self) -> bool:
        return False

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        self.documents.extend(texts)
        return np.array([self._vector(text) for text in texts], np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        return np.array(self._vector(text), np.float32)

    def _vector(self, text: str) -> list[float]:
        known = (self.chosen[word] for word in text.lower().split() if word in self.chosen)
        vector = list(next(known, [0.0] * self.dimension))
        length = sum(one * one for one in vector) ** 0.5
        return [one / length for one in vector] if length else vector


def environment(home: Path, backend: str) -> dict[str, str]:
    """Return settings that touch nothing but a home of the test's own, and the cluster if asked."""
    own = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
    if backend != "opensearch":
        return own
    return {**own, "TRIVIUM_BACKEND__KIND": backend, "TRIVIUM_BACKEND__URLS": CLUSTER}


def close(collections: Sequence[Collection], backend: str) -> None:
    """Close what a test opened; a cluster outlives the test, so nothing is left there."""
    for collection in collections:
        collection.close()
    roots = {one.root: one.settings for one in collections if backend == "opensearch"}
    for root, settings in roots.items():
        # The test may have removed it itself, or its folder.
        with suppress(TriviumError), trivium.open(root, settings=settings) as again:
            again.reset()


@dataclass(slots=True)
class Shelf:
    """A folder of its own, a home of its own, and one of the backends."""

    folder: Path
    home: Path
    backend: str
    monkeypatch: pytest.MonkeyPatch
    opened: list[Collection] = field(default_factory=list)

    def filled(
        self,
        files: Mapping[str, str],
        *,
        embedder: Embedder | None = None,
        model: str = "minilm",
    ) -> Collection:
        """Write the files, open their folder, sync and embed it; `model` "none" has no vectors."""
        self.model_is(WordEmbedder() if embedder is None else embedder)
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        collection = self.open(model=model)
        collection.sync()
        collection.embed()
        return collection

    def open(self, *, model: str = "minilm") -> Collection:
        settings = config.load(
            folder=self.folder,
            flags={"embedding.model": model},
            environ=environment(self.home, self.backend),
        )
        backend = ReferenceBackend() if self.backend == "reference" else None
        self.opened.append(trivium.open(self.folder, settings=settings, backend=backend))
        return self.opened[-1]

    def model_is(self, embedder: Embedder) -> None:
        self.monkeypatch.setattr(
            LOADS_A_MODEL, lambda name, **_: None if name == "none" else embedder
        )

    def profile(self, name: str, text: str, *, extends: str = "contract") -> str:
        """Write a profile of the user's own, which extends another; return its name."""
        path = self.home / "profiles" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        head = f'extends = "{extends}"\nname = "{name}"\ndescription = "A profile of one\'s own."\n'
        path.write_text(head + text, encoding="utf-8")
        return name


@contextmanager
def shelf_in(folder: Path, backend: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    """Make a shelf below `folder`, and close at the end what was opened on it."""
    docs = folder / backend / "docs"
    docs.mkdir(parents=True)
    made = Shelf(docs, folder / backend / "home", backend, monkeypatch)
    try:
        yield made
    finally:
        close(made.opened, backend)


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


def paths(answer: Answer) -> list[str]:
    return [hit.source.file_path for hit in answer.results]


def hit_of(answer: Answer, path: str) -> Hit:
    """Return the first hit in a file."""
    return next(hit for hit in answer.results if hit.source.file_path == path)


def explained(hit: Hit, key: str) -> Mapping[str, object]:
    """Return one key of the breakdown, which must not be null."""
    assert hit.breakdown is not None
    found = hit.breakdown[key]
    assert isinstance(found, dict), key
    return found


def number(hit: Hit, key: str, name: str) -> float:
    """Return one number of the breakdown."""
    found = explained(hit, key)[name]
    assert isinstance(found, float | int), (key, name)
    return float(found)


def parts_add_up(hit: Hit) -> bool:
    return sum(part.value for part in hit.parts) == pytest.approx(hit.score, abs=1e-12)
