"""A request -> the same request, or 403 before any work is done.

A page from elsewhere may make a browser call this machine, under its own name for the
address (DNS rebinding) or across origins. A request must name this server by a name it was told,
and an Origin, where there is one, must be this server's own or one that was allowed.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.doors.http.reply import failed

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_FORBIDDEN = 403
_DEFAULT_PORT = 80
# As long as a name may be.
_LONGEST_NAME = 253


@dataclass(frozen=True, slots=True)
class Names:
    """What this server is called: loopback names with its port, and `hosts` that were allowed.

    One of `hosts` without a port may have any. Where `any_number`, also every numeric address,
    which no page can make its own. `origins` are those of pages elsewhere that may ask.
    """

    port: int
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    any_number: bool = False


class Guard:
    """Lets through what was sent to this server by its own name."""

    def __init__(self, app: ASGIApp, *, names: Names) -> None:
        self._app = app
        loopback = {f"{name}:{names.port}" for name in LOOPBACK_NAMES}
        if names.port == _DEFAULT_PORT:
            loopback |= set(LOOPBACK_NAMES)
        self._loopback = frozenset(loopback)
        self._hosts = frozenset(host.lower() for host in names.hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in names.origins)
        self._any_number = names.any_number

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        fault = self._fault(Headers(scope=scope)) if scope["type"] == "http" else None
        if fault is None:
            await self._app(scope, receive, send)
            return
        kind, message = fault
        await failed(kind, message, status=_FORBIDDEN)(scope, receive, send)

    def _fault(self, headers: Headers) -> tuple[str, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(hosts[0].lower()):
            return "HostRefused", self._names_told(hosts[0] if hosts else "")
        own = hosts[0].lower()
        if not all(self._may_ask(one.lower(), own) for one in headers.getlist("origin")):
            return "OriginRefused", "Pages of another origin may not use this server."
        return None

    def _names_told(self, given: str) -> str:
        """Say by which names the server can be asked, and how another becomes one of them."""
        named = _name(given.lower())[:_LONGEST_NAME]
        known = [*LOOPBACK_NAMES, *sorted(self._hosts)]
        if self._any_number:
            known.append("the number of its address")
        told = f"This server is not called {given[:_LONGEST_NAME]!r}. Ask it as {', '.join(known)}"
        if not named:
            return f"{told}."
        return f"{told}; or have it started with --allow-host {named}."

    def _is_own(self, host: str) -> bool:
        name = _name(host)
        if host in self._loopback or host in self._hosts or name in self._hosts:
            return True
        return self._any_number and _is_number(name)

    def _may_ask(self, origin: str, own: str) -> bool:
        if origin in self._origins:
            return True
        scheme, _, place = origin.partition("://")
        if scheme == "http" and place in self._loopback:
            return own in self._loopback
        return scheme in ("http", "https") and place == own


def _name(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
