"""The cluster the tests run on, and collections on it that are gone afterwards."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cluster.__main__ import URL
from hypothesis import HealthCheck, settings

from trivium.backends.base import Backend
from trivium.backends.opensearch.client import Access, Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.testing.contract import MakeBackend

_SHARDS = int(os.environ.get("TRIVIUM_CLUSTER_SHARDS", "1"))

# The machine may be busy with other things: slow is no failure here.
settings.register_profile("cluster", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cluster")


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    urls = os.environ.get(URL, "")
    if not urls:
        pytest.exit(f"{URL} is not set: run these tests with make test-cluster.", returncode=2)
    made = Client(urls.split(","), access=Access(read_s=120.0, write_s=300.0))
    yield made
    made.close()


@contextmanager
def collections(client: Client) -> Iterator[MakeBackend]:
    """Give a way to make new, empty collections; they are removed at the end."""
    made: list[OpenSearchBackend] = []

    def make() -> Backend:
        made.append(OpenSearchBackend(uuid.uuid4().hex, client=client, shards=_SHARDS))
        return made[-1]

    try:
        yield make
    finally:
        for one in made:
            one.close()
            one.destroy(wait_s=0)


@pytest.fixture
def make_collection(client: Client) -> Iterator[MakeBackend]:
    with collections(client) as make:
        yield make


@pytest.fixture(scope="class")
def make_lasting_collection(client: Client) -> Iterator[MakeBackend]:
    with collections(client) as make:
        yield make
