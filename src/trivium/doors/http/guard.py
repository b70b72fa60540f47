"""A request -> the same request, or 403 before any work is done.

A page from elsewhere may make a browser call this machine, under its own name for the
address (DNS rebinding) or across origins. A request must name this server by a loopback
name and its port, and an Origin, where there is one, must be this server's own.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.doors.http.reply import failed

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_FORBIDDEN = 403
_DEFAULT_PORT = 80


class Guard:
    """Lets through what was sent to this server by its own name."""

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        self._app = app
        hosts = {f"{name}:{port}" for name in LOOPBACK_NAMES}
        if port == _DEFAULT_PORT:
            hosts |= set(LOOPBACK_NAMES)
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in hosts)

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
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "HostRefused", "This server answers to localhost, 127.0.0.1 and [::1] only."
        if any(origin.lower() not in self._origins for origin in headers.getlist("origin")):
            return "OriginRefused", "Pages of another origin may not use this server."
        return None
