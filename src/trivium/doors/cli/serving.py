"""serve, token and mcp: the other doors, started from the command line, and who may use them.

Registered by main.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.reaching import reached, reached_by
from trivium.doors.cli.screen import AS_JSON, FOUND, NOTHING_FOUND, say, show, show_json
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.config import Value
    from trivium.doors.tokens import Tokens


@click.command()
@click.argument("folders", nargs=-1, metavar="[[NAME=]FOLDER]...", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Others need a token.")
@click.option("--port", default=7700, show_default=True, type=int, help="0 is any free one.")
@click.option("--allow-host", "hosts", multiple=True, help="A name this server is called by.")
@click.option("--allow-origin", "origins", multiple=True, help="Pages from there may ask.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folders below it may be added while the server runs.",
)
@click.option(
    "--backend",
    type=click.Choice(["embedded", "opensearch"]),
    help="Where the indexes of the folders are, if not where they were put.",
)
@reached
@click.option(
    "--collection",
    "names",
    multiple=True,
    help="One of a cluster, by its name there; its folder need not be on this machine.",
)
@click.option("--rate", type=click.FloatRange(min=0), help="Requests a second of a client; 0 any.")
@click.option(
    "--timeout", default=30.0, show_default=True, type=float, help="Seconds a request may take."
)
@click.option("--require-token", is_flag=True, help="Also on this machine.")
@click.option(
    "--idle", type=click.FloatRange(min=1), help="End after so many seconds without a request."
)
@click.option(
    "--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def serve(
    folders: tuple[Path, ...],
    *,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    roots: tuple[Path, ...],
    backend: str | None,
    urls: tuple[str, ...],
    user: str | None,
    certificates: str | None,
    names: tuple[str, ...],
    rate: float | None,
    timeout: float,
    require_token: bool,
    idle: float | None,
    log_format: str,
) -> None:
    """Answer HTTP requests about one folder or several, and show the web page.

    Two folders of one name: give one of them another, as in notes=/a/notes work=/b/notes. Many
    servers may answer for one collection of a cluster: --url ADDRESS --collection NAME.
    """
    from trivium.doors.http.serve import Serving, run

    serving = Serving(
        host=host,
        port=port,
        allow_hosts=hosts,
        allow_origins=origins,
        roots=roots,
        rate=rate,
        timeout_s=timeout,
        require_token=require_token,
        idle_s=idle,
        log_format=log_format,
    )
    reach = reached_by(urls, user, certificates)
    if names:
        if folders or backend == "embedded":
            raise UsageError("--collection names what is on a cluster. Give folders, or names.")
        run(folders=_on_cluster(names, reach), serving=serving)
        return
    if reach and backend is None:
        raise UsageError("--url, --user and --certificates go with --backend or --collection.")
    settings = None
    if backend is not None:
        from trivium.config import load

        settings = load().flagged({"backend.kind": backend, **reach})
    run(folders=folders or (Path(),), serving=serving, settings=settings)


def _on_cluster(names: Sequence[str], reach: Mapping[str, Value]) -> list[Path]:
    """Return the folders that collections of a cluster stand for."""
    from trivium.collection import adopt
    from trivium.config import load

    settings = load().flagged({"backend.kind": "opensearch", **reach})
    return [adopt(name, settings=settings) for name in names]


@click.group()
def token() -> None:
    """Say who may use a server that others can reach, and for what."""


@token.command("add")
@click.argument("name")
@click.option(
    "--scope",
    type=click.Choice(["read", "write", "admin"]),
    default="read",
    show_default=True,
    help="What it lets do: read; also sync and judge; also add and remove folders.",
)
def add(name: str, *, scope: str) -> None:
    """Make a token and print it, this once."""
    from trivium.doors.tokens import right_of

    made = _tokens().add(name, right_of(scope))
    say("Keep it well: it is not shown again.")
    show(made)


@token.command("list")
@AS_JSON
def list_(*, as_json: bool) -> None:
    """List the tokens by name; what they are is not kept."""
    found = _tokens().all()
    if as_json:
        show_json([{"name": one.name, "scope": one.right.word, "made": one.made} for one in found])
    else:
        for one in found:
            show(f"{one.name}\t{one.right.word}\t{one.made}")
    raise click.exceptions.Exit(FOUND if found else NOTHING_FOUND)


@token.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Have a token let in nobody any more, also while a server runs."""
    _tokens().remove(name)
    say("Removed.")


def _tokens() -> Tokens:
    from trivium.config import load
    from trivium.doors.tokens import Tokens

    return Tokens(load().home)


@click.command()
@click.argument("folders", nargs=-1, metavar="[[NAME=]FOLDER]...", type=click.Path(path_type=Path))
@click.option(
    "--tools",
    multiple=True,
    metavar="SETS",
    help="core (default), xplor or rag, and graph, memory or memory-read beside it.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    help="Seconds that a first call waits for the index; then what is there answers. [default: 5]",
)
@click.option(
    "--connect",
    is_flag=True,
    help="Share one server with other agents: the one that runs for FOLDERS, or a new one.",
)
def mcp(
    folders: tuple[Path, ...], *, tools: tuple[str, ...], patience: float | None, connect: bool
) -> None:
    """Answer an agent over MCP on standard input and output, about FOLDERS or this one.

    Two folders of one name: give one of them another, as in notes=/a/notes work=/b/notes.
    """
    wanted = folders or (Path(),)
    if connect:
        from trivium.doors.mcp.connect import run as run_connected

        run_connected(wanted, tools=tools)
        return
    from trivium.doors.mcp.serve import run

    run(folders=wanted, tools=tools, patience_s=patience)
