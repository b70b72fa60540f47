"""Folders and an address -> a server that runs until it is told to stop.

Loopback only: requests carry no token in this release. Called by `trivium serve`.
"""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from uvicorn import Config

DEFAULT_PORT = 7700
_ADDRESSES = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
_MAX_PORT = 65_535
_LEAVE_S = 5


def run(*, folders: Sequence[Path], host: str = "127.0.0.1", port: int = DEFAULT_PORT) -> None:
    """Serve `folders` until SIGINT or SIGTERM; port 0 takes a free one.

    Raises UsageError if the address is not loopback or is taken, MissingExtra without the
    `serve` extra.
    """
    check_address(host, port)
    try:
        from uvicorn import Server

        from trivium.doors.http.app import build
    except ModuleNotFoundError as error:
        raise MissingExtra("trivium serve", extra="serve") from error
    from trivium.doors.hosting import Hosting

    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(message)s")
    # Our own line says where the server is; uvicorn's say that it starts and stops.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    hosting = Hosting(folders)
    names = ", ".join(hosting.names)
    with listen(host, port) as listener:
        bound = listener.getsockname()[1]
        app = build(hosting, port=bound)
        server = Server(_settings(app))
        shown = f"[{host}]" if ":" in host else host
        sys.stderr.write(f"Trivium serves {names} at http://{shown}:{bound}\n")
        sys.stderr.flush()
        # uvicorn shuts down in order and then sends itself the signal again, for whoever
        # started it; both are made Ctrl-C, and by then there is nothing left to do.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def check_address(host: str, port: int) -> None:
    """Refuse what is not this machine alone, or no port. Raises UsageError."""
    if host not in _ADDRESSES:
        raise UsageError(
            f"trivium serve cannot listen on {host}: it has no tokens yet, so whoever reaches "
            f"that address could read the folder. Use {', '.join(_ADDRESSES)}."
        )
    if not 0 <= port <= _MAX_PORT:
        raise UsageError(f"Port {port} does not exist. Use 0 to {_MAX_PORT}.")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that takes connections. Raises UsageError if the port is taken."""
    family = _ADDRESSES[host]
    listener = socket.socket(family, socket.SOCK_STREAM)
    # A server that was just stopped may be started again on its port at once.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1" if family == socket.AF_INET else "::1", port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"Cannot listen on port {port} of {host}: {error.strerror}. Give another with --port."
        ) from error
    return listener


def _settings(app: Starlette) -> Config:
    from uvicorn import Config

    return Config(
        app,
        # Its access log holds query strings; ours does not.
        access_log=False,
        log_config=None,
        lifespan="on",
        server_header=False,
        timeout_graceful_shutdown=_LEAVE_S,
    )
