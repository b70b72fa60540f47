"""A script of replies -> a server of JSON over HTTP, which remembers what it was asked.

For tests of what talks to a service: it can refuse, hang up, stay silent or answer a byte at a
time. Used by tests of models and doors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Any, TypeVar

from trivium.testing.listening import listening

_SILENCE_S = 10
_BETWEEN_BYTES_S = 0.01
_LONG_HEADER = 300


@dataclass
class Reply:
    """What the server sends once; `body` None means the true answer to the request."""

    status: int = 200
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False
    silent: bool = False
    trickles: bool = False


@dataclass
class Scripted:
    """A server that replies from its script, and when that is over as `answer` says."""

    url: str = ""
    script: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    was_heard_out: bool = False
    closing: Event = field(default_factory=Event)

    def answer(self, request: dict[str, Any]) -> Reply:
        """Return the true answer to a request."""
        raise NotImplementedError


Server = TypeVar("Server", bound=Scripted)


@contextmanager
def running(server: Server, *, path: str = "") -> Iterator[Server]:
    """Give the server while it listens, with `path` at the end of its url."""
    with listening(_handler(server)) as address:
        server.url = f"{address}{path}"
        try:
            yield server
        finally:
            server.closing.set()


def _handler(server: Scripted) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(request)
            server.keys.append(self.headers["Authorization"])
            server.paths.append(self.path)
            reply = server.script.pop(0) if server.script else Reply()
            if reply.silent:
                server.closing.wait(_SILENCE_S)
            if reply.trickles:
                _trickle(self, server)
            if reply.hang_up or reply.silent or reply.trickles:
                self.close_connection = True
                return
            if reply.body is None and reply.status == 200:
                reply = replace(server.answer(request), headers=reply.headers)
            blob = (reply.body or "").encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(blob)))
            self.end_headers()
            self.wfile.write(blob)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the test reads `server.requests`."""

    return Handler


def _trickle(handler: BaseHTTPRequestHandler, server: Scripted) -> None:
    """Send a long header, a byte at a time, and note if somebody listened to its end."""
    with suppress(OSError):
        handler.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        for _ in range(_LONG_HEADER):
            if server.closing.wait(_BETWEEN_BYTES_S):
                return
            handler.wfile.write(b"x")
        server.was_heard_out = True
