"""$TRIVIUM_HOME/servers/: which servers run on this machine, and for which folders.

A server that needs no token writes a file while it runs; `trivium mcp --connect` finds it there,
or starts one that ends by itself when nobody asks any more. Needs nothing of the engine.
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from trivium import __version__
from trivium.doors.wanted import Wanted
from trivium.errors import BackendUnavailable

log = logging.getLogger(__name__)

IDLE_S = 900.0
_HEALTH_S = 2.0
_LOOK_S = 0.05
# Importing everything takes seconds on a machine that is busy.
_START_S = 60.0
_OK = 200
_LAUNCH = "from trivium.doors.cli.main import main; main()"


@dataclass(frozen=True, slots=True)
class Running:
    """A server: its process, where it listens, and the folders it has by collection."""

    pid: int
    host: str
    port: int
    folders: Mapping[str, str]

    def collection_of(self, wanted: Sequence[Wanted]) -> str | None:
        """Return the only collection that is meant; None if all of them are."""
        if len(wanted) == len(self.folders):
            return None
        return next(
            name for name, folder in self.folders.items() if folder == str(wanted[0].folder)
        )

    def has(self, wanted: Sequence[Wanted]) -> bool:
        """Whether it answers for these folders, by the names given, and a request can say so."""
        inside = {str(one.folder) for one in wanted} <= set(self.folders.values())
        if any(one.name and self.folders.get(one.name) != str(one.folder) for one in wanted):
            return False
        return inside and (len(wanted) == 1 or len(wanted) == len(self.folders))


@contextmanager
def announced(home: Path, *, host: str, port: int, folders: Mapping[str, Path]) -> Iterator[None]:
    """Say where this process serves, as long as it does; where that cannot be written, do not."""
    file = home / "servers" / f"{os.getpid()}.json"
    said = {
        "version": __version__,
        "host": host,
        "port": port,
        "folders": {name: str(folder) for name, folder in folders.items()},
    }
    aside = file.with_suffix(".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _forget_dead(file.parent)
        aside.write_text(json.dumps(said), encoding="utf-8")
        aside.replace(file)
    except OSError as error:
        log.warning("%s cannot be written: %s", file, error.strerror)
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def find(home: Path, folders: Sequence[Wanted]) -> Running | None:
    """Return a server of this version that runs and answers for these folders."""
    _forget_dead(home / "servers")
    for file in sorted((home / "servers").glob("*.json")):
        known = _read(file)
        if known is None or not known.has(folders):
            continue
        try:
            if _is_healthy(known):
                return known
        except ConnectionRefusedError:
            # It was killed, and another process has its number.
            _forget(file)
    return None


def _forget_dead(place: Path) -> None:
    """Remove what servers left that were killed."""
    for file in [*place.glob("*.json"), *place.glob("*.part")]:
        if not file.stem.isdecimal() or not _is_alive(int(file.stem)):
            _forget(file)


def _forget(file: Path) -> None:
    with suppress(OSError):
        file.unlink(missing_ok=True)


def found_or_started(home: Path, folders: Sequence[Wanted], *, idle_s: float = IDLE_S) -> Running:
    """Return a server for these folders; many that ask at once start one. Raises if it fails."""
    known = find(home, folders)
    if known is not None:
        return known
    from filelock import FileLock, Timeout

    place = home / "servers"
    place.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(place / "starting.lock", timeout=_START_S):
            return find(home, folders) or _started(home, folders, idle_s=idle_s)
    except Timeout as error:
        raise BackendUnavailable("Another process takes too long to start a server.") from error


def _started(home: Path, folders: Sequence[Wanted], *, idle_s: float) -> Running:
    words = ["serve", *map(str, folders), "--port", "0", "--idle", f"{idle_s:g}"]
    errors = home / "servers" / "last.log"
    with errors.open("wb") as file:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-c", _LAUNCH, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            # It outlives whoever starts it, also by Ctrl-C.
            start_new_session=True,
        )
    until = time.monotonic() + _START_S
    while time.monotonic() < until:
        known = find(home, folders)
        if known is not None:
            return known
        if process.poll() is not None:
            said = errors.read_text("utf-8", "replace").strip().splitlines()
            why = said[-1] if said else f"exit status {process.returncode}"
            raise BackendUnavailable(f"The server did not start: {why}")
        time.sleep(_LOOK_S)
    process.terminate()
    raise BackendUnavailable(f"The server did not start within {_START_S:g} seconds.")


def _read(file: Path) -> Running | None:
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        if said["version"] != __version__:
            return None
        return Running(int(file.stem), str(said["host"]), int(said["port"]), dict(said["folders"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OverflowError:
        return False
    except OSError:
        # It is there, and another's.
        return True
    return True


def _is_healthy(known: Running) -> bool:
    """Whether it answers. Raises ConnectionRefusedError if nobody listens there."""
    connection = http.client.HTTPConnection(known.host, known.port, timeout=_HEALTH_S)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == _OK
    except TimeoutError:
        # It has taken the connection, and is busy.
        return True
    except ConnectionRefusedError:
        raise
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
