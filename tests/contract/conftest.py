"""Every backend, empty, for tests that hold of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend

BACKENDS = ("reference", "embedded")


@contextmanager
def made(name: str, place: Path) -> Iterator[Backend]:
    """Give an empty backend by its name."""
    if name == "reference":
        yield ReferenceBackend()
        return
    with closing(EmbeddedBackend(place / "index", store=place / "store")) as backend:
        yield backend


@pytest.fixture(params=BACKENDS)
def any_backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """Each backend in turn."""
    with made(request.param, tmp_path) as backend:
        yield backend
