"""The promises of every backend, kept by a real cluster."""

from __future__ import annotations

import pytest

from trivium.testing.contract import BackendContract, MakeBackend
from trivium.testing.parity import BackendParity


class TestOpenSearch(BackendContract):
    @pytest.fixture
    def make_backend(self, make_collection: MakeBackend) -> MakeBackend:
        return make_collection


class TestOpenSearchParity(BackendParity):
    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(cls, make_lasting_collection: MakeBackend) -> MakeBackend:
        return make_lasting_collection
