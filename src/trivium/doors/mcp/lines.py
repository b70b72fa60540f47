"""The SDK's streams of messages -> the same, where every request that was read is answered.

The SDK drops what is under way when its input ends, and says nothing of a line that is no
message. Here input ends once all is answered, or after a while; a broken line gets an error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from pydantic import ValidationError

if TYPE_CHECKING:
    import contextvars

    from mcp.shared._stream_protocols import ReadStream, WriteStream

LAST_ANSWERS_S = 30.0
_CANCELLED = "notifications/cancelled"


class _Owed:
    """The requests that were read and not answered yet."""

    def __init__(self) -> None:
        # Ids should differ; where a client uses one again too soon, each request gets its answer.
        self._ids: Counter[RequestId] = Counter()
        self._none = anyio.Event()

    def read(self, message: object) -> None:
        """Note a request, or that one is not waited for any more."""
        if isinstance(message, JSONRPCRequest):
            self._ids[message.id] += 1
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self._drop((message.params or {}).get("requestId"))

    def answered(self, message: object) -> None:
        """Note an answer."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._drop(message.id)

    async def settled(self) -> None:
        """Wait until nothing is owed, but not for ever."""
        with anyio.move_on_after(LAST_ANSWERS_S):
            while self._ids:
                self._none = anyio.Event()
                await self._none.wait()

    def _drop(self, key: RequestId | None) -> None:
        if key is not None:
            self._ids -= Counter({key: 1})
        if not self._ids:
            self._none.set()


class _Ended(ABC):
    """What is used in a block, and ends with it."""

    @abstractmethod
    async def aclose(self) -> None:
        """End."""

    async def __aenter__(self) -> Self:
        """Begin."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """End."""
        await self.aclose()
        return None


class Outgoing(_Ended):
    """What is sent to the client."""

    def __init__(self, inner: WriteStream[SessionMessage], owed: _Owed) -> None:
        self._inner = inner
        self._owed = owed

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        await self._inner.send(item)
        self._owed.answered(item.message)

    async def aclose(self) -> None:
        """End."""
        await self._inner.aclose()


class Incoming(_Ended):
    """What comes from the client; ends when all of it is answered."""

    def __init__(
        self, inner: ReadStream[SessionMessage | Exception], outgoing: Outgoing, owed: _Owed
    ) -> None:
        self._inner = inner
        self._outgoing = outgoing
        self._owed = owed

    @property
    def last_context(self) -> contextvars.Context | None:
        """What the SDK keeps beside a message."""
        found: contextvars.Context | None = getattr(self._inner, "last_context", None)
        return found

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message; what is none is answered here."""
        while True:
            try:
                item = await self._inner.receive()
            except anyio.EndOfStream:
                await self._owed.settled()
                raise
            if not isinstance(item, Exception):
                self._owed.read(item.message)
                return item
            fault = _fault(item)
            if fault is not None:
                error = JSONRPCError(jsonrpc="2.0", id=None, error=fault)
                await self._outgoing.send(SessionMessage(error))

    async def aclose(self) -> None:
        """End."""
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        """Go through what comes."""
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        """Return the next message."""
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


def answering(
    incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]
) -> tuple[Incoming, Outgoing]:
    """Return streams between which nothing that was read is left unanswered."""
    owed = _Owed()
    out = Outgoing(outgoing, owed)
    return Incoming(incoming, out, owed), out


def _fault(error: Exception) -> ErrorData | None:
    """Return what is wrong with a line; None for an empty one."""
    if not isinstance(error, ValidationError):
        return ErrorData(code=PARSE_ERROR, message="This line cannot be read.")
    first = error.errors(include_url=False)[0]
    if first["type"] != "json_invalid":
        return ErrorData(code=INVALID_REQUEST, message="This line is no JSON-RPC message.")
    if not str(first["input"]).strip():
        return None
    return ErrorData(code=PARSE_ERROR, message="This line is no JSON.")
