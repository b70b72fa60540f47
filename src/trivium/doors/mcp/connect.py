"""Standard input and output <-> `/mcp` of a server: many agents, one model in memory.

Passes messages on without looking into them more than HTTP asks for, and imports nothing but
the standard library. A server that has gone is found or started again with the next message.
Called by `trivium mcp --connect`.
"""

from __future__ import annotations

import base64
import http.client
import json
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode

from trivium.doors.wanted import checked
from trivium.errors import TriviumError

Message = dict[str, Any]

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
# What a request is about, for the header Mcp-Name.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN = re.compile(r"[\x20-\x7e]*")
_WRAPPED = re.compile(r"=\?base64\?.*\?=")
_PARSE_ERROR, _INVALID, _INTERNAL = -32700, -32600, -32603
_ACCEPTED = 202
_REFUSED = 400
# Requests under way at once; more wait.
_MOST = 32
_LAST_ANSWERS_S = 30.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tools are: a server of this machine, and what stands behind its name."""

    host: str
    port: int
    path: str


def run(folders: Sequence[str | Path], *, tools: Sequence[str]) -> None:
    """Carry messages between standard input and a server for `folders`, until input ends.

    Raises UsageError if one is no folder or a tool set is unknown.
    """
    from trivium.config import load
    from trivium.doors.mcp import sets
    from trivium.doors.running import found_or_started

    home = load().home
    places = [checked(one) for one in folders]
    names = ",".join(sets.named(tools))

    def find() -> Place:
        server = found_or_started(home, places)
        collection = server.collection_of(places)
        asked = {"tools": names} | ({} if collection is None else {"collection": collection})
        return Place(server.host, server.port, f"/mcp?{urlencode(asked)}")

    # Ctrl-C ends the process as it is: nothing here is to be saved.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Bridge(find, sys.stdout.buffer).run(sys.stdin.buffer)


@dataclass(slots=True)
class Bridge:
    """Carries the messages of one client. `output` gets a line for each that comes back."""

    find: Callable[[], Place]
    output: BinaryIO
    _place: Place | None = None
    _version: str | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _writing: threading.Lock = field(default_factory=threading.Lock)
    _room: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(_MOST))
    _open: dict[object, http.client.HTTPConnection] = field(default_factory=dict)

    def run(self, lines: Iterable[bytes]) -> None:
        """Carry messages until there are no more."""
        for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except ValueError:
                self._fail(None, _PARSE_ERROR, "This is no JSON.")
                continue
            if not isinstance(message, dict):
                self._fail(None, _INVALID, "A message is a JSON object.")
            elif message.get("method") == "notifications/cancelled":
                self._cancel(message)
            elif message.get("method") == "initialize" or "id" not in message:
                # What comes after it depends on it.
                self._carry(message)
            else:
                self._room.acquire()
                threading.Thread(target=self._carry_aside, args=(message,), daemon=True).start()
        self._wait_for_answers()

    def _wait_for_answers(self) -> None:
        """Let what was read before the end of input be answered, but not for ever."""
        until = time.monotonic() + _LAST_ANSWERS_S
        for _ in range(_MOST):
            if not self._room.acquire(timeout=max(0.0, until - time.monotonic())):
                return

    def _carry_aside(self, message: Message) -> None:
        try:
            self._carry(message)
        finally:
            self._room.release()

    def _carry(self, message: Message) -> None:
        """Send a message and write what comes back; a server that has gone is looked for again."""
        for is_last in (False, True):
            try:
                self._exchange(message)
            except TriviumError as error:
                self._fail(message.get("id"), _INTERNAL, str(error))
            except (OSError, http.client.HTTPException) as error:
                with self._guard:
                    self._place = None
                if not is_last:
                    continue
                self._fail(message.get("id"), _INTERNAL, f"The server has gone: {error}")
            return

    def _exchange(self, message: Message) -> None:
        place = self._found()
        connection = http.client.HTTPConnection(place.host, place.port)
        key = message.get("id")
        with self._guard:
            self._open[key] = connection
        try:
            body = json.dumps(message).encode()
            connection.request("POST", place.path, body, self._headers(message))
            response = connection.getresponse()
            self._take(message, response)
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            # A cancelled request has its connection closed under it, and gets no answer.
            with self._guard:
                is_ours = self._open.get(key) is connection
            if is_ours:
                raise
        finally:
            with self._guard:
                if self._open.get(key) is connection:
                    del self._open[key]
            connection.close()

    def _take(self, message: Message, response: http.client.HTTPResponse) -> None:
        if response.status == _ACCEPTED:
            return
        is_stream = response.headers.get_content_type() == "text/event-stream"
        if is_stream:
            for event in _events(response):
                self._pass_on(message, json.loads(event))
            return
        text = response.read()
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if isinstance(answer, dict) and "jsonrpc" in answer:
            self._pass_on(message, {**answer, "id": message.get("id")})
        elif response.status >= _REFUSED:
            said = answer.get("error", {}) if isinstance(answer, dict) else {}
            why = said.get("message", f"HTTP {response.status}")
            self._fail(message.get("id"), _INTERNAL, f"The server refused: {why}")

    def _pass_on(self, message: Message, answer: Message) -> None:
        if message.get("method") == "initialize" and "result" in answer:
            self._version = answer["result"].get("protocolVersion")
        if "id" in message:
            self._write(answer)

    def _cancel(self, message: Message) -> None:
        """End a request by closing its connection, which is how HTTP says it."""
        key = (message.get("params") or {}).get("requestId")
        with self._guard:
            connection = self._open.pop(key, None)
        if connection is not None and connection.sock is not None:
            # Closing alone would not wake the thread that reads from it.
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def _headers(self, message: Message) -> Mapping[str, str]:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        params = message.get("params") or {}
        said = (params.get("_meta") or {}).get(_VERSION_KEY)
        method = message.get("method")
        if said is not None:
            headers |= {"Mcp-Protocol-Version": _written(said), "Mcp-Method": _written(method)}
            name = params.get(_NAMED.get(str(method), ""))
            if name is not None:
                headers["Mcp-Name"] = _written(name)
        elif self._version is not None and method != "initialize":
            headers["Mcp-Protocol-Version"] = self._version
        return headers

    def _found(self) -> Place:
        with self._guard:
            if self._place is None:
                self._place = self.find()
            return self._place

    def _fail(self, key: object, code: int, why: str) -> None:
        self._write({"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": why}})

    def _write(self, message: Message) -> None:
        line = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
        with self._writing:
            self.output.write(line + b"\n")
            self.output.flush()


def _events(response: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event of a stream."""
    data: list[str] = []
    for raw in response:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and data:
            if any(data):
                yield "\n".join(data)
            data = []


def _written(value: object) -> str:
    """Return a value as a header can carry it: what is not plain is wrapped."""
    text = str(value)
    if _PLAIN.fullmatch(text) and text == text.strip() and not _WRAPPED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="
