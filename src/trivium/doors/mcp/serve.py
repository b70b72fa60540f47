"""A folder -> an MCP server on standard input and output, until input ends.

Standard output is the wire; everything else goes to standard error. Called by `trivium mcp`.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from trivium.doors.mcp.tools import Tools


def run(*, folder: str | Path) -> None:
    """Serve `folder` until standard input ends.

    Raises UsageError if it is no folder, MissingExtra without the `mcp` extra.
    """
    place = Path(folder).expanduser().resolve()
    if not place.is_dir():
        raise UsageError(f"{place} is not a folder. Give the folder that is to be searched.")
    try:
        from trivium.doors.mcp.tools import Tools
    except ModuleNotFoundError as error:
        raise MissingExtra("trivium mcp", extra="mcp") from error
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s"
    )
    # A thread waits for input and cannot be called back: Ctrl-C ends the process as it is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    tools = Tools(place)
    try:
        asyncio.run(_serve(tools))
    finally:
        tools.close()


async def _serve(tools: Tools) -> None:
    from mcp.server.stdio import stdio_server

    server = tools.server()
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        tools.stop()
