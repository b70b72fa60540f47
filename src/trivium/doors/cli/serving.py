"""serve and mcp: the other doors, started from the command line. Registered by main."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=7700, show_default=True, type=int)
def serve(folders: tuple[Path, ...], *, host: str, port: int) -> None:
    """Answer HTTP requests about one folder or several on this machine."""
    from trivium.doors.http.serve import run

    run(folders=folders or (Path(),), host=host, port=port)


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--tools",
    multiple=True,
    metavar="SETS",
    help="core (default), xplor or rag, and graph beside it: --tools core,graph.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    help="Seconds that a first call waits for the index; then what is there answers. [default: 5]",
)
def mcp(folders: tuple[Path, ...], *, tools: tuple[str, ...], patience: float | None) -> None:
    """Answer an agent over MCP on standard input and output, about FOLDERS or this one."""
    from trivium.doors.mcp.serve import run

    run(folders=folders or (Path(),), tools=tools, patience_s=patience)
