"""The server as others reach it: many collections, tokens, syncs, names, logs."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.e2e.server import COMMAND, Server, environment, filled, serving, soon

ANYWHERE = "0.0.0.0"  # noqa: S104


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("served")
    filled(place / "shop")
    filled(place / "farm")
    return place


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    folders = [place / "shop", place / "farm"]
    with serving(folders, place / "home", "--log-format", "json") as running:
        assert soon(running.is_ready)
        yield running


def events_of(response: httpx.Response) -> list[tuple[str, dict[str, object]]]:
    found: list[tuple[str, dict[str, object]]] = []
    kind = ""
    for line in response.iter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            found.append((kind, json.loads(value)))
    return found


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *words], env=environment(home), capture_output=True, text=True, check=False
    )


def test_one_process_answers_for_several_folders(server: Server) -> None:
    listed = server.client.get("/api/collections").json()["collections"]
    assert [one["name"] for one in listed] == ["shop", "farm"]

    def found(name: str) -> bool:
        params = {"q": "password", "collection": name}
        return bool(server.client.get("/api/search", params=params).json()["total"] == 2)

    assert soon(lambda: found("shop"))
    # It is gone through from its first use on.
    assert soon(lambda: found("farm"))


def test_two_folders_of_one_name_are_served_under_two(tmp_path: Path) -> None:
    first, second = filled(tmp_path / "a" / "notes"), filled(tmp_path / "b" / "notes")
    refused = command(tmp_path / "home", "serve", str(first), str(second), "--port", "0")

    assert refused.returncode == 2
    assert f"as in: b={second}" in refused.stderr
    with serving([first, Path(f"b={second}")], tmp_path / "home") as running:
        listed = running.client.get("/api/collections").json()["collections"]
        found = {(one["name"], one["folder"]) for one in listed}
        assert found == {("notes", str(first)), ("b", str(second))}
        both = {"q": "password", "collection": "notes,b"}

        def counted() -> bool:
            facets = running.client.get("/api/search", params=both).json()["facets"]
            return bool(facets["collection"] == {"notes": 2, "b": 2})

        assert soon(counted)


def test_a_sync_tells_how_far_it_is_and_what_it_did(server: Server, place: Path) -> None:
    (place / "shop" / "new.md").write_text("# New\n\nA quokka.\n", encoding="utf-8")

    with server.client.stream("POST", "/api/collections/shop/sync") as response:
        events = events_of(response)

    assert response.headers["content-type"].startswith("text/event-stream")
    assert {kind for kind, _ in events[:-1]} == {"progress"}
    assert all(list(data) == ["stage", "done", "total"] for _, data in events[:-1])
    kind, report = events[-1]
    assert kind == "done"
    # A search of another test may have taken it in before.
    assert report["added"] in (0, 1)
    assert report["unchanged"] in (2, 3)
    assert server.client.get("/api/search?q=quokka").json()["total"] == 1


def test_a_sync_that_fails_says_why_and_the_next_one_works(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shop")
    with serving([folder], tmp_path / "home") as running:
        assert soon(running.is_ready)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        with running.client.stream("POST", "/api/collections/shop/sync") as response:
            failed = events_of(response)
        filled(folder)
        with running.client.stream("POST", "/api/collections/shop/sync") as response:
            worked = events_of(response)

    assert failed[-1][0] == "error"
    assert failed[-1][1]["error"]["message"]  # type: ignore[index]
    assert worked[-1][0] == "done"


def test_a_sync_of_what_is_not_there_is_404(server: Server) -> None:
    assert server.client.post("/api/collections/barn/sync").status_code == 404


def test_the_log_is_json_and_holds_nothing_of_a_query(server: Server) -> None:
    server.client.get("/api/search", params={"q": "wombat"})

    def told() -> list[dict[str, object]]:
        return [json.loads(one) for one in server.lines if one.startswith("{")]

    assert soon(lambda: any(one.get("path") == "/api/search" for one in told()))
    assert "wombat" not in "".join(server.lines)


def test_another_address_refuses_to_start_without_a_token(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shop")

    refused = command(tmp_path / "home", "serve", str(folder), "--host", ANYWHERE, "--port", "0")

    assert refused.returncode == 2
    assert "trivium token add" in refused.stderr


def test_another_address_needs_a_token_that_can_be_taken_back(tmp_path: Path) -> None:
    folder, home = filled(tmp_path / "shop"), tmp_path / "home"
    made = command(home, "token", "add", "phone", "--scope", "write")
    token = made.stdout.strip()
    flags = ("--host", ANYWHERE, "--allow-host", "box.example")

    with serving([folder], home, *flags, token=token) as running:
        assert soon(running.is_ready)
        assert running.client.get("/api/status").json()["name"] == "shop"
        by_name = {"Host": "box.example"}
        assert running.client.get("/api/status", headers=by_name).status_code == 200
        other = {"Host": "evil.example"}
        assert running.client.get("/api/status", headers=other).status_code == 403
        anonymous = {"Authorization": ""}
        assert running.client.get("/api/status", headers=anonymous).status_code == 401
        assert running.client.delete("/api/collections?name=shop").status_code == 403
        assert "phone\twrite\t" in command(home, "token", "list").stdout
        assert token not in command(home, "token", "list", "--json").stdout

        assert command(home, "token", "remove", "phone").returncode == 0

        assert running.client.get("/api/status").status_code == 401
        assert token not in "".join(running.lines)


def test_a_rate_is_kept(tmp_path: Path) -> None:
    with serving([filled(tmp_path / "shop")], tmp_path / "home", "--rate", "1") as running:
        statuses = [running.client.get("/health").status_code for _ in range(20)]

    assert set(statuses) == {200, 429}


@pytest.mark.parametrize("wish", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_a_request_end_and_then_the_server(
    tmp_path: Path, wish: signal.Signals
) -> None:
    folder = filled(tmp_path / "shop")
    with serving([folder], tmp_path / "home") as running, running.connect() as line:
        assert soon(running.is_ready)
        body = json.dumps({"query": "password"}).encode()
        head = (
            f"POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        line.sendall(head.encode() + body[:5])
        asked = 'trivium_requests_total{method="GET",route="/health"'
        assert running.number(asked) >= 1
        running.process.send_signal(wish)
        line.sendall(body[5:])
        answer = line.makefile("rb").read()

        assert answer.startswith(b"HTTP/1.1 200")
        assert b'"total": 2' in answer
        assert running.process.wait(timeout=60) == 0


def test_a_port_can_be_taken_again_at_once(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shop")
    with serving([folder], tmp_path / "home") as running:
        port = running.port
        running.process.terminate()
        running.process.wait(timeout=60)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))
