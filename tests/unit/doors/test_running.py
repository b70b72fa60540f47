from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from trivium.doors.running import Running, announced, find
from trivium.doors.wanted import Wanted

NO_PROCESS = 2**22 + 1


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), Healthy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def serving(home: Path, port: int, **folders: Path) -> Iterator[None]:
    with announced(home, host="127.0.0.1", port=port, folders=folders):
        yield


def test_a_server_is_found_by_its_folders_as_long_as_it_runs(tmp_path: Path, port: int) -> None:
    shop, farm = tmp_path / "shop", tmp_path / "farm"
    for _ in serving(tmp_path, port, shop=shop, farm=farm):
        one = find(tmp_path, [Wanted(farm)])
        all_ = find(tmp_path, [Wanted(shop), Wanted(farm)])

        assert one is not None
        assert (one.pid, one.port, one.collection_of([Wanted(farm)])) == (os.getpid(), port, "farm")
        assert all_ is not None
        assert all_.collection_of([Wanted(shop), Wanted(farm)]) is None
        assert find(tmp_path, [Wanted(tmp_path / "other")]) is None

    assert find(tmp_path, [Wanted(farm)]) is None
    assert list((tmp_path / "servers").iterdir()) == []


@pytest.mark.parametrize(
    "said",
    [
        "no json",
        "[]",
        json.dumps({"version": "0.0.0", "host": "127.0.0.1", "port": 1, "folders": {}}),
    ],
)
def test_what_cannot_be_read_or_is_of_another_version_is_no_server(
    tmp_path: Path, said: str
) -> None:
    (tmp_path / "servers").mkdir()
    file = tmp_path / "servers" / f"{os.getpid()}.json"
    file.write_text(said, encoding="utf-8")

    assert find(tmp_path, [Wanted(tmp_path)]) is None
    assert file.exists()


def test_a_server_that_has_died_is_forgotten(tmp_path: Path, port: int) -> None:
    for _ in serving(tmp_path, port, shop=tmp_path):
        own = tmp_path / "servers" / f"{os.getpid()}.json"
        dead = own.with_name(f"{NO_PROCESS}.json")
        own.rename(dead)

        assert find(tmp_path, [Wanted(tmp_path)]) is None
        assert not dead.exists()


def test_a_process_that_does_not_listen_is_no_server(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        for _ in serving(tmp_path, taken.getsockname()[1], shop=tmp_path):
            assert find(tmp_path, [Wanted(tmp_path)]) is None
            # Its number belongs to another process by now.
            assert list((tmp_path / "servers").iterdir()) == []


def test_some_of_several_folders_are_not_told_apart_by_a_request(tmp_path: Path) -> None:
    names = ("a", "b", "c")
    known = Running(1, "127.0.0.1", 1, {name: str(tmp_path / name) for name in names})

    assert known.has([Wanted(tmp_path / "a")])
    assert known.has([Wanted(tmp_path / name) for name in names])
    assert not known.has([Wanted(tmp_path / "a"), Wanted(tmp_path / "b")])


def test_a_server_that_calls_a_folder_otherwise_is_another(tmp_path: Path) -> None:
    known = Running(1, "127.0.0.1", 1, {"a": str(tmp_path / "a")})

    assert known.has([Wanted(tmp_path / "a", "a")])
    assert not known.has([Wanted(tmp_path / "a", "b")])


def test_what_servers_that_were_killed_left_is_cleared_when_one_starts(
    tmp_path: Path, port: int
) -> None:
    (tmp_path / "servers").mkdir()
    dead = [tmp_path / "servers" / f"{NO_PROCESS}.{end}" for end in ("json", "part")]
    for file in dead:
        file.write_text("{}", encoding="utf-8")

    for _ in serving(tmp_path, port, shop=tmp_path):
        assert [one.stem for one in (tmp_path / "servers").iterdir()] == [str(os.getpid())]
