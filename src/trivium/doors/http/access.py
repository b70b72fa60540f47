"""A request's token -> what it may do: read, write or administer.

Whoever listens on this machine alone need not show one, unless it is asked for. A token is
compared with all that are kept, in constant time. Used by every endpoint.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.doors.failures import Forbidden
from trivium.doors.http.reply import failed
from trivium.doors.tokens import Right, Tokens
from trivium.errors import ConfigError

log = logging.getLogger(__name__)

_UNAUTHORIZED = 401
_FAILED = 500
_KEY = "trivium.access"
_MADE = "Whoever runs the server makes one: trivium token add NAME"
_NO_TOKEN = f"This needs a token, in the header Authorization: Bearer TOKEN. {_MADE}"
_WRONG_TOKEN = f"This token is none of this server's, or was removed. {_MADE}"


@dataclass(frozen=True, slots=True)
class Access:
    """Who asks, and the most they may do; None is nothing that needs a token.

    `has_shown` says that they gave a token, though perhaps none of ours.
    """

    name: str
    right: Right | None
    has_shown: bool = False

    def may(self, right: Right) -> bool:
        """Whether they may do this."""
        return self.right is not None and right <= self.right


EVERYONE = Access("", Right.ADMIN)
NOBODY = Access("", None)
STRANGER = Access("", None, has_shown=True)


class Door:
    """Finds out who asks; endpoints say what they need. Without tokens everyone may do all."""

    def __init__(self, app: ASGIApp, *, tokens: Tokens | None) -> None:
        self._app = app
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note who asks, and pass on."""
        if scope["type"] == "http":
            try:
                scope[_KEY] = self._who(Headers(scope=scope))
            except ConfigError as error:
                # A damaged file of tokens lets in nobody.
                log.error("%s", error)  # noqa: TRY400
                message = "The tokens of this server cannot be read; its log says why."
                refusal = failed("ConfigError", message, status=_FAILED)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _who(self, headers: Headers) -> Access:
        if self._tokens is None:
            return EVERYONE
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not given.strip():
            return NOBODY
        found = self._tokens.find(given.strip())
        return STRANGER if found is None else Access(found.name, found.right, has_shown=True)


def access_of(request: Request) -> Access:
    """Return who asks."""
    found: Access = request.scope.get(_KEY, NOBODY)
    return found


def require(request: Request, right: Right) -> None:
    """Refuse who may not do this. Raises HTTPException 401 without a token, else Forbidden."""
    access = access_of(request)
    if access.right is None:
        fault = ', error="invalid_token"' if access.has_shown else ""
        raise HTTPException(
            _UNAUTHORIZED,
            _WRONG_TOKEN if access.has_shown else _NO_TOKEN,
            headers={"WWW-Authenticate": f'Bearer realm="trivium"{fault}'},
        )
    if not access.may(right):
        raise Forbidden(
            f"The token {access.name!r} may {access.right.word}; this needs {right.word}."
        )
