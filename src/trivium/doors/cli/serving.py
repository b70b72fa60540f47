"""serve and mcp: the other doors, started from the command line. Registered by main."""

from __future__ import annotations

from pathlib import Path

import click

from trivium.doors.cli.folder import FOLDER


@click.command()
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=7700, show_default=True, type=int)
def serve(folders: tuple[Path, ...], *, host: str, port: int) -> None:
    """Answer HTTP requests about one folder or several on this machine."""
    from trivium.doors.http.serve import run

    run(folders=folders or (Path(),), host=host, port=port)


@click.command()
@FOLDER
def mcp(folder: Path) -> None:
    """Answer an agent over MCP on standard input and output."""
    from trivium.doors.mcp.serve import run

    run(folder=folder)
