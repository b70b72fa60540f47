import itertools
from pathlib import Path

import pytest

from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend
from trivium.testing.contract import BackendContract, MakeBackend
from trivium.testing.parity import BackendParity


def embedded_in(folder: Path) -> MakeBackend:
    numbers = itertools.count()

    def make() -> Backend:
        place = folder / str(next(numbers))
        return EmbeddedBackend(place / "collection", store=place / "store")

    return make


class TestReference(BackendContract):
    @pytest.fixture
    def make_backend(self) -> MakeBackend:
        return ReferenceBackend


class TestEmbedded(BackendContract):
    @pytest.fixture
    def make_backend(self, tmp_path: Path) -> MakeBackend:
        return embedded_in(tmp_path)


class TestEmbeddedParity(BackendParity):
    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(cls, tmp_path_factory: pytest.TempPathFactory) -> MakeBackend:
        return embedded_in(tmp_path_factory.mktemp("parity"))
