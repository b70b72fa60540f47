"""A search whose best hits are read again by a real service, asked through a collection."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.collection import Collection
from trivium.testing.folders import filled
from trivium.testing.listening import listening

FILES = {"a.txt": "zebra", "b.txt": "zebra word word wanted", "c.txt": "zebra word word word"}


class Service(BaseHTTPRequestHandler):
    """Finds the word `wanted` relevant, and nothing else."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        scores = [float("wanted" in text) for text in asked["documents"]]
        results = [{"index": at, "relevance_score": one} for at, one in enumerate(scores)]
        blob = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(blob)))
        self.end_headers()
        self.wfile.write(blob)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Broken(Service):
    """Knows no such address."""

    def do_POST(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], Collection]:
    def open_(address: str) -> Collection:
        home = tmp_path / "home"
        environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
        flags: dict[str, config.Value] = {"embedding.model": "none", "rerank.model": address}
        folder = tmp_path / "docs"
        folder.mkdir()
        settings = config.load(folder=folder, flags=flags, environ=environ)
        return filled(trivium.open(folder, settings=settings), FILES)

    return open_


def test_what_the_service_finds_relevant_comes_first(opened: Callable[[str], Collection]) -> None:
    with listening(Service) as address, opened(f"{address}/rerank") as collection:
        first = collection.search("zebra", rerank=False)
        again = collection.search("zebra")

    assert first.results[0].id == "doc:a.txt"
    assert again.results[0].id == "doc:b.txt"
    assert {hit.id for hit in again.results} == {hit.id for hit in first.results}
    for hit in again.results:
        assert sum(part.value for part in hit.parts) == pytest.approx(hit.score, abs=1e-9)


def test_a_service_that_fails_leaves_the_first_order_and_is_named(
    opened: Callable[[str], Collection],
) -> None:
    with listening(Broken) as address, opened(f"{address}/rerank") as collection:
        first = collection.search("zebra", rerank=False)
        again = collection.search("zebra")

    assert [hit.id for hit in again.results] == [hit.id for hit in first.results]
    assert "rerank" in [one.stage for one in again.degraded]
