"""related, and graph callers, callees, impact, neighbors: a node -> what it has to do with.

Each calls a Collection once, prints, and sets the exit status. Registered by main.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.folder import FOLDER, NO_SYNC, open_folder, places
from trivium.doors.cli.screen import (
    AS_JSON,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show_answer,
    show_json,
    styled,
)
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.collection import Collection
    from trivium.results.relations import Relations
    from trivium.types import EdgeType

_NODE = click.argument("wanted", metavar="ID")


def _depth(default: int) -> Callable[[click.decorators.FC], click.decorators.FC]:
    return click.option(
        "--depth", type=int, default=default, show_default=True, help="How many links away."
    )


@click.command()
@_NODE
@FOLDER
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="Most to show.")
@click.option("--explain", "--why", is_flag=True, help="Show the parts that add up to each score.")
@NO_SYNC
@AS_JSON
def related(
    wanted: str, folder: Path, *, limit: int, explain: bool, no_sync: bool, as_json: bool
) -> None:
    """Show what is like ID: near in meaning, linked with it or with the same.

    ID is an id or url that a search shows, a path, path:line, or a name that only one has. What is
    like a file are other files, each once. Nearly the same text is marked as such.
    """
    with open_folder(folder) as collection:
        if not no_sync:
            with Progress("looking for files") as progress:
                collection.refresh(progress=progress)
        answer = collection.related(_id_of(collection, wanted), limit=limit)
        place = places(collection, folder)
    show_answer(answer, place, as_json=as_json, explain=explain)


@click.group()
def graph() -> None:
    """Ask what calls, uses, imports, contains or mentions what.

    ID is an id or url that a search shows, a path, path:line, or a name that only one has.
    """


# What a walk is called here and in a Collection, how far it goes by itself, and what it shows.
_WALKS = (
    ("callers", 3, "Show what calls ID, and what calls that."),
    ("callees", 3, "Show what ID calls, and what that calls."),
    ("impact", 5, "Show what may break when ID changes: all that calls, imports or uses it."),
)


def _add(name: str, depth: int, shows: str) -> None:
    @graph.command(name, help=shows)
    @_NODE
    @FOLDER
    @_depth(depth)
    @NO_SYNC
    @AS_JSON
    def walk(wanted: str, folder: Path, *, depth: int, no_sync: bool, as_json: bool) -> None:
        def ask(collection: Collection) -> Relations:
            found: Relations = getattr(collection, name)(_id_of(collection, wanted), depth=depth)
            return found

        _answer(folder, ask, no_sync=no_sync, as_json=as_json)


for _walk in _WALKS:
    _add(*_walk)


@graph.command()
@_NODE
@FOLDER
@_depth(1)
@click.option("--type", "types", multiple=True, help="Only links of this type. Repeat for more.")
@click.option(
    "--direction",
    type=click.Choice(["in", "out", "both"]),
    default="both",
    show_default=True,
    help="Links to ID, from ID, or both.",
)
@NO_SYNC
@AS_JSON
def neighbors(
    wanted: str,
    folder: Path,
    *,
    depth: int,
    types: tuple[str, ...],
    direction: str,
    no_sync: bool,
    as_json: bool,
) -> None:
    """Show everything ID is linked with."""
    wanted_types = _types(types)
    _answer(
        folder,
        lambda one: one.neighbors(
            _id_of(one, wanted), depth=depth, types=wanted_types, direction=direction
        ),
        no_sync=no_sync,
        as_json=as_json,
    )


def _id_of(collection: Collection, wanted: str) -> str:
    """Return the id of what is called so, wherever in the index it lies. Raises NotFound."""
    from trivium.doors import finding

    return finding.node_id(collection, wanted, is_bounded=False)


def _types(given: tuple[str, ...]) -> frozenset[EdgeType] | None:
    """Return the link types that were asked for. Raises UsageError that names the nearest."""
    import difflib

    from trivium.types import EdgeType

    known = [one.value for one in EdgeType]
    for one in given:
        if one not in known:
            near = difflib.get_close_matches(one[:60], known, n=1, cutoff=0.5)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"Unknown link type {one[:60]!r}.{meant} Types: {', '.join(known)}.")
    return frozenset(map(EdgeType, given)) if given else None


def _answer(
    folder: Path, ask: Callable[[Collection], Relations], *, no_sync: bool, as_json: bool
) -> None:
    """Bring the index and its links up to date, ask, and print."""
    from dataclasses import replace

    from trivium.results.relations import grouped, relations_data, relations_text

    with open_folder(folder) as collection:
        if not no_sync:
            with Progress("looking for files") as progress:
                collection.refresh(progress=progress)
                collection.link(progress=progress)
        found = ask(collection)
        place = places(collection, folder)
    if as_json:
        show_json(relations_data(found))
    else:
        source = found.of.source
        say(
            f"{found.of.id}  {found.of.type}, {place(source.file_path)}:{source.start_line}",
            dim=True,
        )
        if found.found:
            ordered = replace(found, found=tuple(grouped(found.found)))
            click.echo(relations_text(ordered, style=styled, place=place))
        else:
            say("Nothing found.")
        if found.is_cut:
            say(f"The first {len(found.found)} are shown; there are more.", dim=True)
        if found.unlinked:
            say(f"{found.unlinked:,} files are not linked yet: trivium index", dim=True)
    raise click.exceptions.Exit(FOUND if found.found else NOTHING_FOUND)
