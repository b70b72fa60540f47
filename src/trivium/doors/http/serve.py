"""Folders and an address -> a server that runs until it is told to stop.

Loopback needs no token; any other address refuses to start without one. Called by
`trivium serve`.
"""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.doors.tokens import Tokens
from trivium.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn import Config

    from trivium.config import Settings

DEFAULT_PORT = 7700
# Requests a second that each client of another machine may send, unless --rate says otherwise.
DEFAULT_RATE = 50.0
DEFAULT_TIMEOUT_S = 30.0
_LOOPBACK = "localhost"
_MAX_PORT = 65_535
_LEAVE_S = 5
_BACKLOG = 2048


@dataclass(frozen=True, slots=True)
class Serving:
    """How to serve: where to listen, who may ask from where, how much, and how to log.

    `rate` None is none on loopback and 50 requests a second for each client elsewhere; `idle_s`
    is after how long without a request it ends, None never.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    allow_hosts: Sequence[str] = ()
    allow_origins: Sequence[str] = ()
    roots: Sequence[Path] = ()
    rate: float | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    require_token: bool = False
    idle_s: float | None = None
    log_format: str = "text"


def run(
    *,
    folders: Sequence[str | Path],
    serving: Serving | None = None,
    settings: Settings | None = None,
) -> None:
    """Serve `folders` until SIGINT or SIGTERM; port 0 takes a free one.

    `settings` hold for all of them; None is what each folder says.

    Raises UsageError if the address cannot be used or needs a token and there is none,
    MissingExtra without the `serve` extra.
    """
    how = Serving() if serving is None else serving
    tokens = check_address(how)
    try:
        from uvicorn import Server

        from trivium.doors.http.app import Rules, build
        from trivium.doors.http.balance import balance
        from trivium.doors.http.guard import Names
        from trivium.doors.http.life import Life
    except ModuleNotFoundError as error:
        raise MissingExtra("trivium serve", extra="serve") from error
    from trivium.config import load
    from trivium.doors.hosting import Hosting
    from trivium.doors.running import announced

    _log(how.log_format)
    balance()
    hosting = Hosting(folders, settings=settings)
    names = ", ".join(hosting.names)
    is_loopback = is_own_machine(how.host)
    with listen(how.host, how.port) as listener:
        bound = listener.getsockname()[1]
        rules = Rules(
            names=Names(bound, how.allow_hosts, how.allow_origins, any_number=not is_loopback),
            tokens=tokens,
            rate=how.rate if how.rate is not None else 0.0 if is_loopback else DEFAULT_RATE,
            timeout_s=how.timeout_s,
            roots=[root.expanduser().resolve() for root in how.roots],
        )
        life = Life(build(hosting, rules=rules), idle_s=how.idle_s)
        server = Server(_settings(life))
        shown = f"[{how.host}]" if ":" in how.host else how.host
        sys.stderr.write(f"Trivium serves {names} at http://{shown}:{bound}\n")
        sys.stderr.flush()
        # uvicorn shuts down in order and then sends itself the signal again, for whoever
        # started it; both are made Ctrl-C, and by then there is nothing left to do.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt), life.ending(server), ExitStack() as stack:
            if tokens is None:
                folders_by_name = {name: hosting.folder(name) for name in hosting.names}
                found = announced(load().home, host=how.host, port=bound, folders=folders_by_name)
                stack.enter_context(found)
            server.run(sockets=[listener])


def check_address(how: Serving) -> Tokens | None:
    """Return the tokens that requests must show one of; None if they need none.

    Raises UsageError for an address that others reach while there is no token, and for no port.
    """
    if not 0 <= how.port <= _MAX_PORT:
        raise UsageError(f"Port {how.port} does not exist. Use 0 to {_MAX_PORT}.")
    if not how.timeout_s > 0:
        raise UsageError(f"The time-out is {how.timeout_s:g} seconds; give more than 0.")
    for origin in how.allow_origins:
        scheme, colon, place = origin.partition("://")
        if scheme not in ("http", "https") or not colon or not place or "/" in place.rstrip("/"):
            raise UsageError(f"{origin!r} is no origin. One looks like https://example.org:8443")
    if is_own_machine(how.host) and not how.require_token:
        return None
    from trivium.config import load

    tokens = Tokens(load().home)
    if not tokens.all():
        raise UsageError(
            f"trivium serve cannot listen on {how.host} without a token: whoever reaches that "
            "address could read the folder. Make one with: trivium token add NAME"
        )
    return tokens


def is_own_machine(host: str) -> bool:
    """Whether nobody else can reach an address. Raises UsageError for what is none."""
    if host == _LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise UsageError(
            f"{host!r} is no address to listen on. Use localhost, 127.0.0.1, ::1, 0.0.0.0, or the "
            "number of one of this machine's addresses."
        ) from error


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that takes connections. Raises UsageError if the port is taken."""
    place = "127.0.0.1" if host == _LOOPBACK else host
    family = socket.AF_INET6 if ":" in place else socket.AF_INET
    # Named as TCP: only then does asyncio send small answers at once, not 40 ms later (Nagle).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # A server that was just stopped may be started again on its port at once.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((place, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"Cannot listen on port {port} of {host}: {error.strerror}. Give another with --port."
        ) from error
    return listener


def _log(form: str) -> None:
    from trivium.doors.http.noting import JsonLines, Lines

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else Lines())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    # Our own line says where the server is; uvicorn's say that it starts and stops, and the MCP
    # SDK's that each message ends a session that there is none of.
    for name in ("uvicorn.error", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _settings(app: ASGIApp) -> Config:
    from uvicorn import Config

    from trivium.doors.http.wire import Wire

    return Config(
        app,
        http=Wire,
        # Its access log holds query strings; ours does not.
        access_log=False,
        log_config=None,
        lifespan="on",
        ws="none",
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_LEAVE_S,
    )
