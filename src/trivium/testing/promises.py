"""What the parts of the contract suite stand on: a way to make a backend.

`make_backend` is overridden by whoever tests a backend; the rest follows from it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trivium.backends.base import Backend
from trivium.testing import corpus
from trivium.testing.filling import embed, write

MakeBackend = Callable[[], Backend]


class Promises:
    """The fixtures every part of the suite uses."""

    @pytest.fixture
    def make_backend(self) -> MakeBackend:
        """Return a function that makes a new, empty backend. To be overridden."""
        raise NotImplementedError("Override make_backend with a fixture of your own.")

    @pytest.fixture
    def backend(self, make_backend: MakeBackend) -> Backend:
        """Give an empty backend."""
        return make_backend()

    @pytest.fixture
    def small(self, make_backend: MakeBackend) -> Backend:
        """Give a backend with the small corpus and its vectors."""
        backend = make_backend()
        write(backend, corpus.small())
        embed(backend)
        return backend

    @pytest.fixture
    def large(self, make_backend: MakeBackend) -> Backend:
        """Give a backend with the generated corpus and its vectors."""
        backend = make_backend()
        write(backend, corpus.generated())
        embed(backend)
        return backend
