"""A server of its own process, as `trivium serve` starts it, for the tests of the HTTP door."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

import trivium

COMMAND = Path(sys.executable).parent / "trivium"
TRIES = 1200


@dataclass
class Server:
    process: subprocess.Popen[str]
    client: httpx.Client
    lines: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        assert self.client.base_url.port is not None
        return self.client.base_url.port

    def is_ready(self) -> bool:
        return bool(self.client.get("/health").json()["status"] == "ok")

    def ask(self, **body: object) -> httpx.Response:
        return self.client.post("/api/search", json=body)

    def ids(self, **body: object) -> list[str]:
        return [hit["id"] for hit in self.ask(**body).json()["results"]]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def number(self, name: str) -> float:
        """Return a number of /metrics."""
        lines = self.client.get("/metrics").text.splitlines()
        return next(float(one.split()[-1]) for one in lines if one.startswith(name))


def environment(home: Path) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(home),
        "TRIVIUM_CONFIG": str(home / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
        "PATH": os.defpath,
        # The same source as the tests', installed or not.
        "PYTHONPATH": str(Path(trivium.__file__).parents[1]),
    }


def soon(is_so: Callable[[], bool]) -> bool:
    """Look until something is so, a bounded number of times."""
    pause = threading.Event()
    return any(is_so() or pause.wait(0.05) for _ in range(TRIES))


@contextmanager
def serving(
    folders: Sequence[Path],
    home: Path,
    *flags: str,
    token: str | None = None,
    launch: Sequence[str | Path] = (COMMAND,),
) -> Iterator[Server]:
    """A server, killed at the end."""
    process = subprocess.Popen(
        [*launch, "serve", *map(str, folders), "--port", "0", *flags],
        env=environment(home),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines: list[str] = []
    reader: threading.Thread | None = None
    try:
        for line in process.stderr:
            lines.append(line)
            if "http://" in line:
                break
        assert lines
        assert "http://" in lines[-1], "".join(lines)
        port = lines[-1].rsplit(":", 1)[-1].strip()
        reader = threading.Thread(target=lines.extend, args=(process.stderr,))
        reader.start()
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        address = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=address, trust_env=False, timeout=60, headers=headers) as client:
            yield Server(process, client, lines)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        if reader is not None:
            reader.join()
        process.stderr.close()


def filled(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "auth.py").write_text(
        'def hash_password(text: str) -> str:\n    """Hash a password with salt."""\n'
        "    return text[::-1]\n",
        encoding="utf-8",
    )
    (folder / "guide.md").write_text("# Guide\n\nThe password tool.\n", encoding="utf-8")
    return folder
