"""What can be looked up besides a search is the same on the command line and over HTTP."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.server import COMMAND, Server, environment, filled, serving, soon


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("looking")
    folder = filled(place / "shop")
    (folder / "check.py").write_text(
        "from auth import hash_password\n\n\ndef check(text: str) -> bool:\n"
        "    return hash_password(text) == text\n",
        encoding="utf-8",
    )
    return place


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    with serving([place / "shop"], place / "home") as running:
        assert soon(running.is_ready)
        assert soon(lambda: running.client.get("/api/status").json()["unlinkedFiles"] == 0)
        yield running


def said(place: Path, *words: str) -> Any:
    done = subprocess.run(
        [COMMAND, *words, "--json"],
        env=environment(place / "home"),
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_status(server: Server, place: Path) -> None:
    by_http = server.client.get("/api/status").json()

    more = ("skippedFiles", "progress", "slowQueries", "mayWrite")
    assert {key: by_http.pop(key) for key in more} == {
        "skippedFiles": [],
        "progress": None,
        "slowQueries": [],
        "mayWrite": True,
    }
    assert by_http == said(place, "status", str(place / "shop"))


def test_the_profiles(server: Server, place: Path) -> None:
    assert server.client.get("/api/profiles").json()["profiles"] == said(place, "profiles", "list")


@pytest.mark.parametrize("depth", [1, 2])
def test_the_neighbours(server: Server, place: Path, depth: int) -> None:
    asked = ("hash_password", str(place / "shop"), "--depth", str(depth))
    by_command = said(place, "graph", "neighbors", *asked)
    by_http = server.client.get(
        "/api/neighbors", params={"id": "hash_password", "depth": depth}
    ).json()

    assert [(one["id"], one["depth"]) for one in by_http["nodes"]] == [
        (by_command["id"], 0),
        *((one["id"], one["depth"]) for one in by_command["results"]),
    ]


def test_a_node(server: Server, place: Path) -> None:
    wanted = "code:auth.py#hash_password"

    by_http = server.client.get(f"/api/nodes/{wanted.replace('#', '%23')}").json()

    assert by_http == said(place, "get", wanted, str(place / "shop"))
