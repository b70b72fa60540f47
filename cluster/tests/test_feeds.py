"""Several folders, as on several machines, feed one collection of a cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.collection import Collection, adopt
from trivium.testing.folders import write_files

_TRIVIUM = str(Path(sys.executable).with_name("trivium"))


class Machine:
    """A home and a folder of its own, as a machine has them."""

    def __init__(self, place: Path, client: Client, name: str) -> None:
        self.folder = place / "work"
        self.folder.mkdir(parents=True)
        self._home = place / "home"
        self._name = name
        self._urls = [word for url in client.urls for word in ("--url", url)]

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start `trivium index`, and do not wait."""
        environ = {
            **os.environ,
            "TRIVIUM_HOME": str(self._home),
            "TRIVIUM_CONFIG": str(self._home / "none.toml"),
        }
        return subprocess.Popen(
            [_TRIVIUM, "index", str(self.folder), *words],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def feed(self, under: str, *words: str) -> subprocess.Popen[str]:
        """Start feeding the collection, below a folder of its own."""
        return self.start(*self._urls, "--collection", self._name, "--under", under, *words)


def _ended(*processes: subprocess.Popen[str]) -> list[str]:
    said = [one.communicate(timeout=300) for one in processes]
    assert [one.returncode for one in processes] == [0] * len(processes), said
    return [out for out, _ in said]


@pytest.fixture
def name(client: Client) -> Iterator[str]:
    name = f"feeds-{uuid.uuid4().hex}"
    yield name
    OpenSearchBackend(name, client=client).destroy(wait_s=0)


def _opened(client: Client, name: str, home: Path) -> Collection:
    """Return the collection as a machine sees it that has none of the folders."""
    own = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "none.toml")}
    on_cluster = {
        "TRIVIUM_BACKEND__KIND": "opensearch",
        "TRIVIUM_BACKEND__URLS": ",".join(client.urls),
    }
    root = adopt(name, settings=config.load(environ={**own, **on_cluster}))
    return trivium.open(root, settings=config.load(environ=own))


def _paths(collection: Collection, query: str) -> set[str]:
    return {hit.source.file_path for hit in collection.search(query, limit=50).results}


def test_two_machines_feed_one_collection_at_once_and_a_third_asks_it(
    client: Client, name: str, tmp_path: Path
) -> None:
    shop, docs = (Machine(tmp_path / one, client, name) for one in ("first", "second"))
    write_files(
        shop.folder, {f"price{n}.py": f"def price{n}():\n    return {n}\n" for n in range(30)}
    )
    write_files(
        docs.folder, {f"guide{n}.md": f"# Guide {n}\n\nPrices, part {n}.\n" for n in range(30)}
    )

    _ended(shop.feed("shop"), docs.feed("docs"))

    with _opened(client, name, tmp_path / "third") as collection:
        assert collection.status().contents.files == 60
        assert "shop/price7.py" in _paths(collection, "price7")
        assert "docs/guide7.md" in _paths(collection, "guide 7")

    # The second time nobody says where, and what is gone is gone from its own part alone.
    (shop.folder / "price7.py").unlink()
    (said,) = _ended(shop.start("--json"))
    assert '"removed": 1' in said
    with _opened(client, name, tmp_path / "fourth") as collection:
        assert collection.status().contents.files == 59
        assert "docs/guide7.md" in _paths(collection, "guide 7")

    refused = docs.start("--collection", name, "--under", "shop/inside", "--url", client.urls[0])
    _, complaint = refused.communicate(timeout=300)
    assert refused.returncode == 2
    assert "within each other" in complaint


def test_who_is_killed_while_feeding_loses_nothing_and_goes_on(
    client: Client, name: str, tmp_path: Path
) -> None:
    shop, docs = (Machine(tmp_path / one, client, name) for one in ("first", "second"))
    write_files(
        shop.folder, {f"part{n}.md": f"# Part {n}\n\n" + "apples " * 400 for n in range(900)}
    )
    write_files(docs.folder, {"guide.md": "# Guide\n\nPears.\n"})
    _ended(docs.feed("docs"))

    killed = shop.feed("shop")
    time.sleep(4.0)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    other = docs.start()
    again = shop.feed("shop")
    _ended(other, again)

    with _opened(client, name, tmp_path / "third") as collection:
        now = collection.status()
        assert now.contents.files == 901
        assert now.embedded == 1.0
        assert "docs/guide.md" in _paths(collection, "pears")
