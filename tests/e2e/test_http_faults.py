"""What goes wrong between a client and the server: clear answers, and nothing is stuck."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from tests.e2e.server import Server, filled, serving, soon

# The real command with shorter times, so that nobody has to wait for them.
HASTY = """
import sys
from trivium.doors.http import body, wire
wire.HEAD_WITHIN_S = 1.0
wire.TAKEN_WITHIN_S = 1.0
body.BODY_WITHIN_S = 1.0
from trivium.doors.cli.main import main
main(sys.argv[1:])
"""
# A search that stops in a stage until a file is there: slow as long as the test wants.
HELD = """
import sys, time
from pathlib import Path
from trivium.engine import spine as engine
gate = Path(sys.argv.pop(1))
enter = engine.enter
def held(stage):
    if stage == "retrieve":
        while not gate.exists():
            time.sleep(0.01)
        print("went on", file=sys.stderr, flush=True)
    if stage == "page":
        print("came to the page", file=sys.stderr, flush=True)
    enter(stage)
engine.enter = held
from trivium.doors.cli.main import main
main(sys.argv[1:])
"""
SEARCH = b"GET /api/search?q=password HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hasty")


@pytest.fixture(scope="module")
def hasty(place: Path) -> Iterator[Server]:
    launch = (sys.executable, "-c", HASTY)
    with serving([filled(place / "shop")], place / "home", launch=launch) as running:
        assert soon(running.is_ready)
        yield running


def test_a_head_that_never_ends_is_cut_and_others_are_answered(hasty: Server) -> None:
    lines = [hasty.connect() for _ in range(50)]
    for line in lines:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")

    assert hasty.client.get("/api/search?q=password").status_code == 200

    def is_cut(number: int) -> bool:
        try:
            lines[number].sendall(b"X: y\r\n")
            return lines[number].recv(1) == b""
        except OSError:
            return True

    for number in range(len(lines)):
        lines[number].settimeout(0.05)
        assert soon(lambda number=number: is_cut(number))  # type: ignore[misc]
        lines[number].close()


def test_a_connection_that_says_nothing_is_cut(hasty: Server) -> None:
    # A cut is an end, or a reset.
    with hasty.connect() as line, suppress(ConnectionResetError):
        assert line.recv(1) == b""


def test_a_second_head_on_one_connection_has_its_time_as_well(hasty: Server) -> None:
    with hasty.connect() as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % hasty.port)
        assert line.recv(12) == b"HTTP/1.1 200"
        line.sendall(b"GET /hea")
        try:
            rest = b"x"
            while rest:
                rest = line.recv(4096)
        except ConnectionResetError:
            pass


def test_a_body_that_dawdles_is_408(hasty: Server) -> None:
    with hasty.connect() as line:
        head = "POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 30\r\n\r\n"
        line.sendall(head.format(hasty.port).encode() + b'{"query": ')
        answer = line.makefile("rb").read()

    assert answer.startswith(b"HTTP/1.1 408")
    assert b"RequestTooSlow" in answer


def test_who_never_takes_an_answer_is_cut(hasty: Server, place: Path) -> None:
    (place / "shop" / "long.txt").write_text("a word and another\n" * 40_000, encoding="utf-8")
    assert soon(lambda: hasty.client.get("/api/file?path=long.txt").status_code == 200)
    many = 60
    head = b"GET /api/file?path=long.txt&end=40000 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", hasty.port))
        line.settimeout(60)
        line.sendall(head % hasty.port * many)
        asked = 'trivium_requests_total{method="GET",route="/api/file",status="200"}'
        assert soon(lambda: hasty.number(asked) >= 2)
        assert soon(lambda: hasty.number("trivium_connections") == 1)
        taken = bytearray()
        with suppress(ConnectionResetError):
            while part := line.recv(1_000_000):
                taken += part

    assert 0 < taken.count(b"HTTP/1.1 200") < many


def test_what_is_no_request_is_400_and_the_server_goes_on(hasty: Server) -> None:
    for junk in (b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01"):
        with hasty.connect() as line:
            line.sendall(junk)
            answer = b""
            with suppress(ConnectionResetError):
                answer = line.makefile("rb").read()
        assert answer == b"" or answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 403")), answer

    assert hasty.client.get("/health").status_code == 200


def test_a_head_that_is_too_large_is_refused(hasty: Server) -> None:
    # It is refused before it has been sent: the client may see that as a cut.
    with suppress(httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
        answer = hasty.client.get("/health", headers={"X-Large": "x" * 100_000})
        assert answer.status_code == 400

    assert hasty.client.get("/health").status_code == 200


def test_a_search_past_its_time_is_504_and_its_work_is_ended(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    launch = (sys.executable, "-c", HELD, gate)
    folder, home = filled(tmp_path / "shop"), tmp_path / "home"
    with serving([folder], home, "--timeout", "0.3", launch=launch) as running:
        assert soon(running.is_ready)
        late = running.client.get("/api/search?q=password")
        assert (late.status_code, late.json()["error"]["type"]) == (504, "TimeIsUp")
        assert running.number('trivium_queue{state="running"}') >= 2

        gate.touch()

        # Those that count are running themselves.
        assert soon(lambda: running.number('trivium_queue{state="running"}') == 1)
        # What it says is read beside this test, and may come a moment later.
        assert soon(lambda: "went on\n" in running.lines)
        assert "came to the page\n" not in running.lines
        # The first search to its end may itself take longer than its time.
        assert soon(lambda: running.client.get("/api/search?q=password").status_code == 200)


def test_the_work_of_who_has_gone_is_ended(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    launch = (sys.executable, "-c", HELD, gate)
    with serving([filled(tmp_path / "shop")], tmp_path / "home", launch=launch) as running:
        assert soon(running.is_ready)
        for _ in range(5):
            line = running.connect()
            line.sendall(SEARCH % running.port)
            assert soon(lambda: running.number('trivium_queue{state="running"}') >= 2)
            line.close()
        gone = 'trivium_requests_total{method="GET",route="/api/search",status="499"}'
        assert soon(lambda: gone in running.client.get("/metrics").text)

        gate.touch()

        assert soon(lambda: running.number('trivium_queue{state="running"}') == 1)
        assert "came to the page\n" not in running.lines


def test_a_thousand_first_requests_to_what_is_not_indexed_are_all_answered(tmp_path: Path) -> None:
    folders = [filled(tmp_path / "shop"), filled(tmp_path / "farm")]
    with serving(folders, tmp_path / "home") as running:
        assert soon(running.is_ready)

        async def ask(number: int) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            head = f"GET /api/search?q=password+{number}&collection=farm HTTP/1.1\r\n"
            writer.write(
                f"{head}Host: 127.0.0.1:{running.port}\r\nConnection: close\r\n\r\n".encode()
            )
            answer = await reader.read()
            writer.close()
            return answer

        async def ask_all() -> list[bytes]:
            return await asyncio.gather(*map(ask, range(1000)))

        answers = asyncio.run(ask_all())

        counts = Counter(one[:12].decode() for one in answers)
        assert set(counts) <= {"HTTP/1.1 200", "HTTP/1.1 503"}
        assert counts["HTTP/1.1 200"] >= 100
        for one in answers:
            if one.startswith(b"HTTP/1.1 503"):
                assert b"ServerBusy" in one
                assert b"retry-after: 1\r\n" in one
        params = {"q": "password", "collection": "farm"}
        assert soon(lambda: running.client.get("/api/search", params=params).json()["total"] == 2)
        assert running.number('trivium_queue{state="waiting"}') == 0


def test_a_sync_goes_on_when_who_asked_for_it_goes_away(tmp_path: Path) -> None:
    folder = filled(tmp_path / "shop")
    with serving([folder], tmp_path / "home") as running:
        assert soon(running.is_ready)
        (folder / "new.md").write_text("# New\n\nA quokka.\n", encoding="utf-8")
        with running.connect() as line:
            head = f"POST /api/collections/shop/sync HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\n"
            line.sendall(f"{head}Content-Length: 0\r\n\r\n".encode())
            assert line.recv(12) == b"HTTP/1.1 200"

        assert soon(lambda: running.client.get("/api/status").json()["files"] == 3)
        assert soon(lambda: running.client.get("/api/status").json()["progress"] is None)


def test_a_number_that_is_whole_is_a_whole_number_however_it_is_written(hasty: Server) -> None:
    whole = hasty.client.post("/api/search", content=b'{"query": "password", "limit": 1.0}')
    half = hasty.client.post("/api/search", content=b'{"query": "password", "limit": 1.5}')
    huge = hasty.client.post("/api/search", content=b'{"query": "password", "minScore": 1e999}')

    assert len(json.loads(whole.content)["results"]) == 1
    assert (half.status_code, huge.status_code) == (422, 422)
