"""A collection on any backend -> its MCP tools, called by the SDK's own client in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from trivium.collection import Collection
from trivium.doors.hosting import Hosting
from trivium.doors.mcp.desk import Desk
from trivium.doors.mcp.server import Scope, Service
from trivium.doors.mcp.sets import named
from trivium.doors.upkeep import Upkeep


@dataclass(frozen=True, slots=True)
class Only:
    """What a server needs of its collections, for the one that a test has opened."""

    kept: Upkeep

    @property
    def names(self) -> tuple[str, ...]:
        return (self.kept.name,)

    def upkeep(self, _: str | None = None) -> Upkeep:
        return self.kept


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool sent: its data, its text, and whether that is an error.

    `code` is that of an error of the protocol.
    """

    data: Mapping[str, Any]
    text: str
    is_error: bool
    code: int | None = None

    @property
    def results(self) -> list[dict[str, Any]]:
        return list(self.data["results"])


def call(collection: Collection, sets: str, tool: str, **arguments: object) -> Said:
    """Call one tool of the sets, and end."""
    only = Only(Upkeep(collection))
    service = Service(
        Desk(cast("Hosting", only), patience_s=60), scope_of=lambda _: Scope(named([sets]))
    )

    async def called() -> CallToolResult | MCPError:
        async with Client(service.server()) as client:
            try:
                return await client.call_tool(tool, arguments)
            except MCPError as error:
                return error

    try:
        result = asyncio.run(called())
    finally:
        service.close()
        only.kept.close()
    if isinstance(result, MCPError):
        return Said({}, str(result), is_error=True, code=result.code)
    (text,) = result.content
    assert isinstance(text, TextContent)
    return Said(result.structured_content or {}, text.text, bool(result.is_error))
