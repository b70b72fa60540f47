"""install: tells an agent of this program, in the file where it keeps its servers.

Shows what it writes; `--print` writes nothing. Registered by main.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from trivium.doors.cli.folder import FOLDER
from trivium.doors.cli.screen import say, show
from trivium.errors import UsageError


@click.command()
@click.argument("agent", metavar="AGENT")
@FOLDER
@click.option("--tools", multiple=True, metavar="SETS", help="As for trivium mcp.")
@click.option("--connect", is_flag=True, help="Share one server with other agents.")
@click.option("--name", default="trivium", show_default=True, help="What the agent calls it.")
@click.option("--replace", is_flag=True, help="Put it in the place of another of that name.")
@click.option("--print", "only_prints", is_flag=True, help="Show what would be written.")
def install(
    agent: str,
    folder: Path,
    *,
    tools: tuple[str, ...],
    connect: bool,
    name: str,
    replace: bool,
    only_prints: bool,
) -> None:
    """Have AGENT search FOLDER over MCP.

    AGENT is claude, claude-desktop, codex, cursor, gemini, vscode or windsurf.
    """
    from trivium.doors import installing
    from trivium.doors.mcp import sets

    known = installing.agent_named(agent)
    place = folder.expanduser().resolve()
    if not place.is_dir():
        raise UsageError(f"{place} is not a folder. Give the folder that is to be searched.")
    chosen = sets.named(tools)
    arguments = ["mcp", str(place)]
    arguments += ["--tools", ",".join(chosen)] if tools else []
    arguments += ["--connect"] if connect else []
    change = installing.planned(
        known,
        installing.entry_of(known, _own_command(), arguments),
        file=known.file(place, Path.home()),
        name=name,
        replaces=replace,
    )
    if not only_prints:
        installing.write(change)
    say(f"{'For' if only_prints else 'Written to'} {change.file}, for {known.title}:")
    show(change.added)
    if not only_prints:
        say(f"Start {known.title} again, or have it load its servers anew.")


def _own_command() -> str:
    """Return the command by its whole path: agents do not know every place that a shell knows."""
    beside = Path(sys.executable).with_name("trivium")
    if beside.exists():
        return str(beside)
    return shutil.which("trivium") or "trivium"
