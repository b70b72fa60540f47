"""Indexing with a served model: what is said first, what is sent, and what is never shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import click
import pytest

from trivium.doors.cli import keeping
from trivium.doors.cli.main import main
from trivium.testing.listening import listening

KEY = "sk-not-a-real-key-0123456789"
NOT_A_NUMBER = float("nan")


@dataclass
class Server:
    """Gives every text the vector (its length, 1, 0...); `broken` from that request on."""

    url: str = ""
    dimension: int = 3
    texts: list[str] = field(default_factory=list)
    requests: int = 0
    broken: int = 10**9


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            served.texts += texts
            served.requests += 1
            last = NOT_A_NUMBER if served.requests >= served.broken else 1.0
            zeros = [0.0] * (served.dimension - 2)
            data = [
                {"index": at, "embedding": [float(len(text)), last, *zeros]}
                for at, text in enumerate(texts)
            ]
            body = json.dumps({"data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the test reads `served`."""

    with listening(Handler) as address:
        served.url = f"{address}/v1"
        yield served


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server) -> Path:
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "openai:small")
    monkeypatch.setenv("TRIVIUM_EMBEDDING__BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = tmp_path / "notes"
    made.mkdir()
    for name in ("alder", "birch"):
        (made / f"{name}.md").write_text(f"# {name}\n\nThe {name} grows.\n", encoding="utf-8")
    return made


def status_of(*arguments: str | Path) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return ended.value.code


Screen = pytest.CaptureFixture[str]


def test_what_will_be_sent_is_said_with_its_cost(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: Screen
) -> None:
    monkeypatch.setenv("TRIVIUM_EMBEDDING__PRICE_PER_MILLION_TOKENS", "1000000")
    assert status_of("index", folder) == 0
    said = capsys.readouterr().err
    tokens = sum(-(-len(text) // 3) for text in server.texts)
    assert f"openai:small: {len(server.texts):,} texts to send, about {tokens:,} tokens" in said
    assert f"about {tokens:,}.00 (at 1e+06 per million)" in said


def test_nothing_is_said_when_everything_has_its_vector(folder: Path, capsys: Screen) -> None:
    assert status_of("index", folder) == 0
    capsys.readouterr()
    assert status_of("index", folder) == 0
    assert "to send" not in capsys.readouterr().err


def test_a_large_run_without_yes_stops_before_any_request(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: Screen
) -> None:
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MOST_TOKENS", "3")
    assert status_of("index", folder) == 2
    assert "more than embedding.most_tokens (3): nothing was sent. Say --yes" in (
        capsys.readouterr().err
    )
    assert server.requests == 0
    # The words are there all the same.
    assert status_of("search", "birch", folder, "--search-mode", "keyword") == 0


def test_yes_sends_a_large_run(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MOST_TOKENS", "0")
    assert status_of("index", "--yes", folder) == 0
    assert server.requests > 0


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], list[str]]:
    """Return a function that puts a person who says yes or no at a terminal."""

    def sit(answer: bool) -> list[str]:
        asked: list[str] = []

        def confirm(text: str, *, err: bool) -> bool:
            assert err
            asked.append(text)
            return answer

        class Terminal:
            def isatty(self) -> bool:
                return True

        class Streams:
            stdin = stderr = Terminal()

        monkeypatch.setattr(keeping, "sys", Streams)
        monkeypatch.setattr(click, "confirm", confirm)
        return asked

    return sit


@pytest.mark.parametrize("answer", [True, False])
def test_a_person_at_a_terminal_is_asked(
    folder: Path,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    terminal: Callable[[bool], list[str]],
    answer: bool,
) -> None:
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MOST_TOKENS", "0")
    asked = terminal(answer)
    assert status_of("index", folder) == 0
    assert asked == ["Send them?"]
    assert (server.requests > 0) is answer


def test_the_key_is_in_no_output_and_in_no_file(
    folder: Path, tmp_path: Path, server: Server, capsys: Screen
) -> None:
    assert status_of("index", folder) == 0
    server.broken = 0
    (folder / "new.md").write_text("# Cedar\n", encoding="utf-8")
    for command in ("index", "status", "doctor"):
        status_of(command, folder)
    status_of("status", "--json", folder)
    shown = capsys.readouterr()
    assert "no numbers at all" in shown.err
    assert KEY not in shown.out + shown.err
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.suffix == ".db" for file in kept)
    assert all(KEY.encode() not in file.read_bytes() for file in kept)


def test_a_service_that_gives_nonsense_leaves_what_was_stored_before(
    folder: Path, server: Server, capsys: Screen
) -> None:
    for number in range(150):
        (folder / f"{number}.md").write_text(f"# Tree {number}\n", encoding="utf-8")
    server.broken = 2
    assert status_of("index", "--json", folder) == 0
    report = json.loads(capsys.readouterr().out)
    assert "no numbers at all" in report["problem"]
    assert 0 < report["embedded"] < 1
    stored = server.texts[:64]
    server.broken = 10**9
    server.texts.clear()
    assert status_of("index", "--json", folder) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["embedded"] == 1
    assert server.texts
    assert not set(stored) & set(server.texts)


def test_a_service_with_other_vectors_than_the_index_is_refused(
    folder: Path, server: Server, capsys: Screen
) -> None:
    assert status_of("index", folder) == 0
    server.dimension = 5
    (folder / "new.md").write_text("# Cedar\n", encoding="utf-8")
    assert status_of("index", folder) == 2
    assert "vectors of 5 numbers now; those of" in capsys.readouterr().err
    assert status_of("reset", "--yes", folder) == 0
    assert status_of("index", folder) == 0
    assert status_of("search", "cedar", folder) == 0
