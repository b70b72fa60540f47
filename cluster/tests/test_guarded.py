"""A cluster that shows a certificate and asks for a password, and one that cannot take more."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cluster.tests.guarded import API_KEY, PASSWORD, USER, Door, guarded

from trivium import config
from trivium.backends.opensearch.client import Access, Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.collection import open_collection
from trivium.errors import BackendRefused
from trivium.testing import corpus
from trivium.testing.contract import MakeBackend
from trivium.testing.filling import write

_MEGABYTE = 1_000_000
_AT_ONCE, _SIZE = 6, 15


@pytest.fixture
def door(client: Client, tmp_path: Path) -> Iterator[Door]:
    with guarded(client.urls[0], tmp_path) as made:
        yield made


def test_a_collection_lives_behind_a_certificate_and_a_password(
    door: Door, client: Client, tmp_path: Path
) -> None:
    name = uuid.uuid4().hex
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "prices.md").write_text("# Prices\n\nPrices are rounded down.\n", encoding="utf-8")
    settings = config.load(
        environ={
            "TRIVIUM_HOME": str(tmp_path / "home"),
            "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
            "TRIVIUM_BACKEND__KIND": "opensearch",
            "TRIVIUM_BACKEND__URLS": door.url,
            "TRIVIUM_BACKEND__COLLECTION": name,
            "TRIVIUM_BACKEND__USER": USER,
            "TRIVIUM_BACKEND__CERTIFICATES": str(door.certificate),
            "TRIVIUM_CLUSTER_PASSWORD": PASSWORD,
        }
    )
    try:
        with open_collection(shop, settings=settings) as collection:
            collection.sync()
            found = collection.search("rounded prices")
    finally:
        OpenSearchBackend(name, client=client).destroy(wait_s=0)

    assert [hit.source.file_path for hit in found.results] == ["prices.md"]
    assert found.degraded == ()


def test_an_api_key_does_as_well(door: Door) -> None:
    access = Access(api_key=API_KEY, certificates=str(door.certificate))

    with closing(Client([door.url], access=access)) as asked:
        assert asked.ask("GET", "/")["version"]["distribution"] == "opensearch"


@pytest.mark.parametrize("given", [("", "", ""), (USER, "wrong", ""), ("", "", "bm9uZQ==")])
def test_credentials_that_are_lost_or_wrong_are_told_with_what_to_do(
    door: Door, given: tuple[str, str, str]
) -> None:
    access = Access(*given, certificates=str(door.certificate))

    with (
        closing(Client([door.url], access=access)) as asked,
        pytest.raises(BackendRefused, match="user and password or the API key"),
    ):
        asked.ask("GET", "/")


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(door: Door) -> None:
    with (
        closing(Client([door.url], access=Access(user=USER, password=PASSWORD))) as asked,
        pytest.raises(BackendRefused, match=r"not trusted.*backend\.certificates"),
    ):
        asked.ask("GET", "/")


def test_a_writer_waits_for_a_cluster_that_is_full_and_loses_nothing(
    client: Client, make_collection: MakeBackend
) -> None:
    index = f"crowd-{uuid.uuid4().hex}"
    refused, enough = threading.Event(), threading.Event()
    line = b'{"index":{}}\n{"x":"' + b"x" * _MEGABYTE + b'"}\n'

    def crowd() -> None:
        asked = urllib.request.Request(
            f"{client.urls[0]}/{index}/_bulk",
            data=line * _SIZE,
            headers={"Content-Type": "application/x-ndjson"},
        )
        while not enough.is_set():
            try:
                with urllib.request.urlopen(asked) as answer:
                    answer.read()
            except urllib.error.HTTPError as error:
                if error.code == 429:
                    refused.set()

    body = {"mappings": {"enabled": False}, "settings": {"number_of_replicas": 0}}
    client.ask("PUT", f"/{index}", body)
    threads = [threading.Thread(target=crowd) for _ in range(_AT_ONCE)]
    backend = make_collection()
    try:
        for one in threads:
            one.start()
        assert refused.wait(60), "the cluster took everything: nothing was tested"
        write(backend, corpus.generated()[:20])
    finally:
        enough.set()
        for one in threads:
            one.join()
        client.ask("DELETE", f"/{index}")

    with backend.snapshot() as snapshot:
        assert sorted(snapshot.paths()) == sorted(one.state.path for one in corpus.generated()[:20])
