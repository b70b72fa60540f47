"""One at a time: documents on the cluster that say who holds what, as long as they are renewed.

A holder says every few seconds that it is alive; one that has died is passed over once its time
is up, or at once if it was on this machine. Used by the backend for writing and for embedding.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.said import Conflict, Gone, Json
from trivium.errors import BackendError, IndexLocked

_LEASE_S = 30.0
_RENEWED_EVERY_S = 8.0
_ASKED_EVERY_S = 0.2


@contextmanager
def held(client: Client, index: str, name: str, *, place: str, wait_s: float) -> Iterator[None]:
    """Hold the lock `name` while inside. Raises IndexLocked if another still does after `wait_s`.

    Raises Gone if there is no such index.
    """
    lock = _Lock(client, index, f"lock-{name}", place)
    lock.acquire(wait_s)
    over = threading.Event()
    # Whoever embeds is silent for minutes: only a thread of its own can say that it is alive.
    renewing = threading.Thread(target=lock.renew, args=(over,), daemon=True)
    renewing.start()
    try:
        yield
    finally:
        over.set()
        renewing.join()
        lock.release()


class _Lock:
    """One document, which says who holds it and until when."""

    def __init__(self, client: Client, index: str, key: str, place: str) -> None:
        self._client = client
        self._index = index
        self._key = key
        self._place = place
        self._token = uuid.uuid4().hex
        self._mark: dict[str, str] = {}

    def acquire(self, wait_s: float) -> None:
        until = time.monotonic() + wait_s
        while True:
            holder = self._try()
            if holder is None:
                return
            if time.monotonic() >= until:
                raise IndexLocked(self._place, holder=holder)
            time.sleep(min(_ASKED_EVERY_S, max(0.0, until - time.monotonic())))

    def _try(self) -> str | None:
        """Take the lock, or return who holds it."""
        found = self._client.get(self._index, self._key)
        params = {"op_type": "create"}
        if found is not None:
            if _is_alive(found["_source"]):
                return _shown(found["_source"])
            params = _unchanged(found)
        try:
            self._write(params)
        except Conflict:
            return self._rival()
        return None

    def _rival(self) -> str | None:
        found = self._client.get(self._index, self._key)
        if found is None:
            return "another process"
        if found["_source"]["token"] == self._token:
            # Our own: it was stored, but the answer got lost on the way.
            self._mark = _unchanged(found)
            return None
        return _shown(found["_source"])

    def _write(self, params: dict[str, str]) -> None:
        source: Json = {
            "token": self._token,
            "host": socket.gethostname(),
            "process": os.getpid(),
            "until": time.time() + _LEASE_S,
        }
        self._mark = _unchanged(self._client.put(self._index, self._key, source, params))

    def renew(self, over: threading.Event) -> None:
        """Say again and again that the holder is alive, until it is over or was taken."""
        while not over.wait(_RENEWED_EVERY_S):
            try:
                self._write(self._mark)
            except (Conflict, Gone):
                # Taken by another, or removed: what is written next notices it.
                return
            except BackendError:
                continue

    def release(self) -> None:
        # One that was taken meanwhile stays; one that cannot be reached runs out by itself.
        with suppress(BackendError):
            self._client.ask("DELETE", f"/{self._index}/_doc/{self._key}", params=self._mark)


def _unchanged(found: Json) -> dict[str, str]:
    return {
        "if_seq_no": str(found["_seq_no"]),
        "if_primary_term": str(found["_primary_term"]),
    }


def _is_alive(source: Json) -> bool:
    if source["until"] < time.time():
        return False
    if source["host"] != socket.gethostname():
        return True
    try:
        os.kill(source["process"], 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _shown(source: Json) -> str:
    return f"process {source['process']} on {source['host']}"
