"""Folders -> an MCP server on standard input and output, until input ends.

Standard output is the wire; everything else goes to standard error. Called by `trivium mcp`.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.doors.hosting import Hosting
from trivium.doors.wanted import checked
from trivium.errors import MissingExtra

if TYPE_CHECKING:
    from trivium.doors.mcp.server import Service


def run(
    *, folders: Sequence[str | Path], tools: Sequence[str] = (), patience_s: float | None = None
) -> None:
    """Serve `folders` until standard input ends.

    Raises UsageError if one is no folder or a tool set is unknown, MissingExtra without the
    `mcp` extra.
    """
    places = [checked(folder) for folder in folders]
    try:
        from trivium.doors.mcp import sets
        from trivium.doors.mcp.desk import PATIENCE_S, Desk
        from trivium.doors.mcp.server import Scope, Service
    except ModuleNotFoundError as error:
        raise MissingExtra("trivium mcp", extra="mcp") from error
    scope = Scope(sets.named(tools))
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(message)s",
        datefmt="%Y-%m-%dT%H:%M:%S%z",
    )
    # A thread waits for input and cannot be called back: Ctrl-C ends the process as it is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    hosting = Hosting(places)
    desk = Desk(hosting, PATIENCE_S if patience_s is None else patience_s)
    service = Service(desk, scope_of=lambda _: scope)
    try:
        asyncio.run(_serve(service, hosting))
    finally:
        hosting.stop()
        service.close()
        hosting.close()


async def _serve(service: Service, hosting: Hosting) -> None:
    from mcp.server.stdio import stdio_server

    from trivium.doors.mcp.lines import answering

    server = service.server()
    try:
        async with stdio_server() as streams:
            incoming, outgoing = answering(*streams)
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        hosting.stop()
