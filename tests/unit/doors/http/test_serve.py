from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from trivium.doors.http.serve import Serving, check_address, listen
from trivium.doors.tokens import Right, Tokens
from trivium.errors import UsageError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2"])  # noqa: S104
def test_an_address_others_can_reach_is_refused_without_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="trivium token add"):
        check_address(Serving(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104
def test_an_address_others_can_reach_is_allowed_with_one(host: str, home: Path) -> None:
    Tokens(home).add("someone", Right.READ)

    tokens = check_address(Serving(host=host))

    assert tokens is not None
    assert [one.name for one in tokens.all()] == ["someone"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_loopback_needs_no_token_unless_it_is_asked_for(host: str) -> None:
    assert check_address(Serving(host=host)) is None
    with pytest.raises(UsageError, match="trivium token add"):
        check_address(Serving(host=host, require_token=True))


@pytest.mark.parametrize("host", ["example.org", "", "1.2.3", "localhost:80"])
def test_what_is_no_address_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        check_address(Serving(host=host))


@pytest.mark.parametrize(
    "wrong",
    [
        Serving(port=-1),
        Serving(port=65_536),
        Serving(timeout_s=0),
        Serving(timeout_s=float("nan")),
        Serving(allow_origins=("example.org",)),
        Serving(allow_origins=("https://example.org/page",)),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_opened(wrong: Serving) -> None:
    with pytest.raises(UsageError):
        check_address(wrong)


def test_a_port_that_is_taken_is_an_error_that_says_so() -> None:
    with listen("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {taken} of 127.0.0.1.*--port"):
            listen("127.0.0.1", taken)


def test_small_answers_are_sent_at_once() -> None:
    async def delays() -> int:
        held: list[int] = []

        async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            taken = writer.get_extra_info("socket")
            held.append(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen("127.0.0.1", 0) as listener:
            port = listener.getsockname()[1]
            async with await asyncio.start_server(note, sock=listener):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                await reader.read()
                writer.close()
        return held[0]

    assert asyncio.run(delays()) == 1
