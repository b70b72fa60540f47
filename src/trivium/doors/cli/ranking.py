"""profiles and compare: the ways to rank, one by one and side by side, on stdout.

Each prints and sets the exit status. Registered by main.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.folder import FOLDER, NO_SYNC, open_folder
from trivium.doors.cli.screen import (
    AS_JSON,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show,
    show_json,
    styled,
)
from trivium.errors import ConfigError, UsageError
from trivium.results import present

if TYPE_CHECKING:
    from trivium.types import Answer

_NARROWEST = 24
_WIDEST = 60
_GAP = 2


@click.group()
def profiles() -> None:
    """List, print and check ranking profiles: the shipped ones and your own.

    Yours are TOML files in $TRIVIUM_HOME/profiles; any file can be given by its path.
    """


@profiles.command("list")
@AS_JSON
def list_(*, as_json: bool) -> None:
    """Name every profile and say what it does."""
    from trivium import profiles as ways
    from trivium.config import load

    home = load().home
    found: dict[str, str] = {}
    for name in ways.names(home):
        try:
            found[name] = ways.load(name, home=home).description
        except ConfigError as error:
            # One file with a mistake does not hide the others.
            found[name] = f"cannot be used: {error}"
    if as_json:
        show_json([{"name": name, "description": said} for name, said in found.items()])
        return
    width = max(map(len, found))
    for name, said in found.items():
        click.echo(f"{styled(name.ljust(width), 'name')}  {present.one_line(said)}")


@profiles.command("show")
@click.argument("name")
def show_(name: str) -> None:
    """Print the file of a profile, as a start for your own."""
    from trivium import profiles as ways
    from trivium.config import load

    show(ways.text_of(name, home=load().home))


@profiles.command()
@click.argument("name")
@AS_JSON
def check(name: str, *, as_json: bool) -> None:
    """Say whether a profile, by name or path, can be used; a mistake names file, line and key."""
    from trivium import profiles as ways
    from trivium.config import load

    found = ways.load(name, home=load().home)
    if as_json:
        show_json({"name": found.name, "description": found.description, "ok": True})
    else:
        say(f"{name} is a profile called {found.name}: {found.description}")


@click.command()
@click.argument("query")
@FOLDER
@click.option(
    "--profiles",
    "names",
    default="best,xplor,graph,rag",
    show_default=True,
    help="Profiles to put side by side, with commas between.",
)
@click.option("-n", "--limit", type=int, default=5, show_default=True, help="Hits of each.")
@click.option("--search-mode", default="hybrid", show_default=True, help="hybrid, keyword, vector.")
@NO_SYNC
@AS_JSON
def compare(
    query: str,
    folder: Path,
    *,
    names: str,
    limit: int,
    search_mode: str,
    no_sync: bool,
    as_json: bool,
) -> None:
    """Ask FOLDER the same of several profiles and print their hits side by side.

    A hit that the first profile has too is marked with its place there.
    """
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if not wanted:
        raise UsageError("Give at least one profile: --profiles best,rag.")
    if limit < 1:
        raise UsageError(f"limit is {limit}; give at least 1.")
    with open_folder(folder) as collection:
        if not no_sync:
            with Progress("looking for files") as progress:
                collection.refresh(progress=progress)
        answers = [
            collection.search(
                query, profile=name, limit=limit, search_mode=search_mode, explain=as_json
            )
            for name in wanted
        ]
    if as_json:
        show_json([present.as_data(answer) for answer in answers])
    else:
        show(_side_by_side(answers, width=shutil.get_terminal_size().columns))
        for line in dict.fromkeys(line for one in answers for line in _said(one)):
            say(line, dim=True)
    found = any(answer.results for answer in answers)
    raise click.exceptions.Exit(FOUND if found else NOTHING_FOUND)


def _said(answer: Answer) -> list[str]:
    return [f"{one.stage}: {one.reason}" for one in answer.degraded] + list(answer.notes)


def _side_by_side(answers: Sequence[Answer], *, width: int) -> str:
    """Return a column for each answer; as many beside each other as there is room for."""
    most = max(1, width // (_NARROWEST + _GAP))
    rows = [answers[at : at + most] for at in range(0, len(answers), most)]
    size = min(_WIDEST, max(_NARROWEST, width // min(most, len(answers)) - _GAP))
    first: dict[str, int] = {hit.node.id: place for place, hit in enumerate(answers[0].results, 1)}
    blocks = []
    for some in rows:
        columns = [_column(one, first if one is not answers[0] else {}, size) for one in some]
        height = max(map(len, columns))
        lines = [
            (" " * _GAP)
            .join((column[at] if at < len(column) else "").ljust(size) for column in columns)
            .rstrip()
            for at in range(height)
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _column(answer: Answer, first: dict[str, int], size: int) -> list[str]:
    lines = [f"{answer.profile} ({answer.method}, {answer.total})"[:size], "-" * size]
    for place, hit in enumerate(answer.results, 1):
        where = f"{hit.node.source.file_path}:{hit.start_line}"
        also = f"  [{first[hit.node.id]}]" if hit.node.id in first else ""
        lines.append(f"{place}. {hit.score:.4f}{also}"[:size])
        lines += [
            f"   {textwrap.shorten(present.one_line(text), size - 3, placeholder='…')}"
            for text in (present.label(hit.node), where)
        ]
    if not answer.results:
        lines.append("nothing found")
    return lines
