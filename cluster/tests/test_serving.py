"""Servers without a folder, in front of one collection of a cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

import trivium
from trivium import config
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.store import OpenSearchBackend

_TRIVIUM = str(Path(sys.executable).with_name("trivium"))


def _environ(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "TRIVIUM_HOME": str(home),
        "TRIVIUM_CONFIG": str(home / "none.toml"),
    }


@contextmanager
def _served(home: Path, *words: str) -> Iterator[httpx.Client]:
    """Run a server; give a client of it once it says where it is."""
    with subprocess.Popen(
        [_TRIVIUM, "serve", "--port", "0", *words],
        env=_environ(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stderr is not None
            url = ""
            for line in server.stderr:
                url = next((word for word in line.split() if word.startswith("http://")), "")
                if url:
                    break
            with httpx.Client(base_url=url, timeout=60.0) as client:
                yield client
        finally:
            server.terminate()
            server.communicate()


@pytest.fixture
def shop(client: Client, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    name, folder = f"shop-{uuid.uuid4().hex}", tmp_path / "shop"
    folder.mkdir()
    (folder / "prices.md").write_text("# Prices\n\nPrices are rounded down.\n", encoding="utf-8")
    settings = config.load(
        environ={
            "TRIVIUM_HOME": str(tmp_path / "feeding"),
            "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
            "TRIVIUM_BACKEND__KIND": "opensearch",
            "TRIVIUM_BACKEND__URLS": ",".join(client.urls),
            "TRIVIUM_BACKEND__COLLECTION": name,
        }
    )
    with trivium.open(folder, settings=settings) as collection:
        collection.sync()
    yield name, folder
    OpenSearchBackend(name, client=client).destroy(wait_s=0)


def test_two_servers_without_the_folder_answer_for_one_collection(
    client: Client, shop: tuple[str, Path], tmp_path: Path
) -> None:
    name, folder = shop
    # As on machines that have never seen it.
    folder.rename(tmp_path / "away")
    urls = [word for url in client.urls for word in ("--url", url)]
    with ExitStack() as running:
        servers = [
            running.enter_context(_served(tmp_path / one, *urls, "--collection", name))
            for one in ("first", "second")
        ]
        answers = [one.get("/api/search", params={"q": "rounded prices"}).json() for one in servers]
        statuses = [one.get("/api/status").json() for one in servers]

    found = [[hit["source"]["filePath"] for hit in one["results"]] for one in answers]
    assert found == [["prices.md"], ["prices.md"]]
    assert [one["degraded"] for one in answers] == [[], []]
    assert answers[0]["results"][0]["score"] == answers[1]["results"][0]["score"]
    assert [one["files"] for one in statuses] == [1, 1]


def test_a_collection_that_is_not_on_the_cluster_is_told_with_those_that_are(
    client: Client, shop: tuple[str, Path], tmp_path: Path
) -> None:
    urls = [word for url in client.urls for word in ("--url", url)]

    asked = subprocess.run(
        [_TRIVIUM, "serve", "--port", "0", *urls, "--collection", "nothing"],
        env=_environ(tmp_path / "home"),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert asked.returncode == 2
    assert "No collection 'nothing'" in asked.stderr
    assert shop[0] in asked.stderr
