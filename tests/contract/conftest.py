"""Every backend, empty, for tests that hold of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend


@pytest.fixture(params=["reference", "embedded"])
def any_backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """Each backend in turn."""
    if request.param == "reference":
        yield ReferenceBackend()
        return
    with closing(EmbeddedBackend(tmp_path / "index", store=tmp_path / "store")) as backend:
        yield backend
