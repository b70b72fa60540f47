"""search, context and get: a question or an id -> hits or texts on stdout.

Each calls a Collection once, prints, and sets the exit status. Registered by main.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trivium.doors.cli.filters import (
    CommandWithFilters,
    filter_options,
    given_filters,
)
from trivium.doors.cli.folder import FOLDER, NO_SYNC, indexed_root, open_folder, places
from trivium.doors.cli.screen import (
    AS_JSON,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show,
    show_answer,
    show_json,
    styled,
)
from trivium.errors import UsageError
from trivium.results import present
from trivium.results.present import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trivium.collection import Collection
    from trivium.types import Answer

# Options that a search takes as they are given.
_PASSED_ON = (
    *("mode", "search_mode", "min_score", "dedupe", "group", "expand", "deep_search"),
    *("seeds", "bfs_depth", "bfs_decay", "cursor", "sort", "min_confidence", "as_you_type"),
    "synonyms",
)

_PROFILE = click.option(
    "--profile", help="Ranking profile, by name or file (see: trivium profiles list)."
)
_MODE = click.option(
    "--mode", default="mixed", help="mixed, code, prose or records.", show_default=True
)
_SEARCH_MODE = click.option(
    "--search-mode", default="hybrid", help="hybrid, keyword or vector.", show_default=True
)
_NO_RERANK = click.option(
    "--no-rerank", is_flag=True, help="Leave out the model that reads hits again."
)
_YES = click.option("--yes", is_flag=True, help="Index very large folders without asking.")


@click.command(cls=CommandWithFilters)
@click.argument("query")
@FOLDER
@click.option("-n", "--limit", type=int, help="Most hits to show (default: the profile's, 10).")
@_PROFILE
@_MODE
@_SEARCH_MODE
@click.option("--min-score", type=float, help="Drop hits below this score.")
@click.option("--min-confidence", type=float, help="Drop hits less likely to answer, 0 to 1.")
@click.option("--explain", "--why", is_flag=True, help="Show the parts that add up to each score.")
@click.option("--facets", "shows_facets", is_flag=True, help="Count kinds, languages, folders...")
@click.option("--dedupe", is_flag=True, help="Leave out what repeats a better hit.")
@click.option("--group", help="What is one hit: file (of code), node or none (each chunk).")
@click.option(
    "--expand",
    default="none",
    show_default=True,
    help="context: add what the hits call and import after them.",
)
@click.option("--deep-search", is_flag=True, help="Also look at whole contents (profile xplor).")
@click.option("--seeds", type=int, help="Hits that a graph profile spreads from.")
@click.option("--bfs-depth", type=int, help="How many links a graph profile follows.")
@click.option("--bfs-decay", type=float, help="What is left of a score behind every link.")
@click.option("--cursor", help="The page that follows another, by the cursor shown below that.")
@click.option("--sort", default="relevance", show_default=True, help="relevance, newest or path.")
@_NO_RERANK
@click.option(
    "--as-you-type", is_flag=True, help="The last word may go on; words alone, at every key."
)
@click.option("--no-typos", is_flag=True, help="Take every word as it was typed.")
@click.option(
    "--synonyms/--no-synonyms",
    default=None,
    help="Also what means the same, as cfg and config (default: the profile's).",
)
@click.option(
    "--with",
    "others",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Search this folder too and fuse by rank. Repeat for more.",
)
@NO_SYNC
@_YES
@filter_options
@AS_JSON
def search(
    query: str,
    folder: Path,
    *,
    limit: int | None,
    profile: str | None,
    explain: bool,
    shows_facets: bool,
    no_rerank: bool,
    no_typos: bool,
    others: tuple[Path, ...],
    no_sync: bool,
    yes: bool,
    as_json: bool,
    **given: object,
) -> None:
    """Search FOLDER (default: here) and print the best hits.

    Builds the index on first use and takes in what changed; never runs a slow model first.
    FOLDER may be one file of an indexed folder. A query that starts with a dash stands
    after two: trivium search -- '-draft plan'.

    Exit status: 0 found, 1 nothing found, 2 error.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; give at least 1.")
    searched = _folder_of(folder)
    options = {name: given.pop(name) for name in _PASSED_ON}
    options |= {
        "limit": limit,
        "profile": profile,
        "explain": explain,
        "filters": given_filters(given),
        "rerank": not no_rerank,
        "typos": not no_typos,
    }
    with ExitStack() as opened:
        file = folder.name if searched != folder else ""
        collection = opened.enter_context(open_folder(searched, file=file))
        more = [opened.enter_context(open_folder(other)) for other in others]
        for one in () if no_sync else (collection, *more):
            with Progress("looking for files") as progress:
                one.refresh(progress=progress, yes=yes)
        place = places(collection, searched)
        answer = _answered(query, [collection, *more], options)
    lines = present.facets_lines(answer) if shows_facets else []
    if answer.next is not None:
        lines = [*lines, f"next page: --cursor {answer.next}"]
    show_answer(answer, place, as_json=as_json, explain=explain, more=lines)


def _answered(query: str, asked: Sequence[Collection], options: Mapping[str, Any]) -> Answer:
    if len(asked) == 1:
        return asked[0].search(query, **options)
    from trivium.federation import Together

    return Together(asked).search(query, **options)


@click.command(cls=CommandWithFilters)
@click.argument("query")
@FOLDER
@click.option(
    "--max-tokens",
    type=int,
    default=4000,
    show_default=True,
    help="Most tokens of the text, at 4 characters each.",
)
@click.option("-n", "--limit", type=int, help="How many hits to choose from (default: 50).")
@_PROFILE
@_MODE
@_SEARCH_MODE
@_NO_RERANK
@NO_SYNC
@_YES
@filter_options
@AS_JSON
def context(
    query: str,
    folder: Path,
    *,
    max_tokens: int,
    limit: int | None,
    profile: str | None,
    mode: str,
    search_mode: str,
    no_rerank: bool,
    no_sync: bool,
    yes: bool,
    as_json: bool,
    **given: object,
) -> None:
    """Print the most useful text of FOLDER (default: here) that fits into some tokens.

    Made for coding agents: lines that match, whole functions where they are cheap, heads of what
    they lie in and call, each under a heading with its path and lines.

    Exit status: 0 found, 1 nothing found, 2 error.
    """
    from trivium.results.present_context import context_data, context_footer, context_text

    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; give at least 1.")
    searched = _folder_of(folder)
    with open_folder(searched, file=folder.name if searched != folder else "") as collection:
        if not no_sync:
            with Progress("looking for files") as progress:
                collection.refresh(progress=progress, yes=yes)
        packed = collection.context(
            query,
            max_tokens=max_tokens,
            limit=limit,
            profile=profile,
            filters=given_filters(given),
            mode=mode,
            search_mode=search_mode,
            rerank=not no_rerank,
            place=places(collection, searched),
        )
    if as_json:
        show_json(context_data(packed))
    else:
        if packed.pieces:
            click.echo(context_text(packed, style=styled))
        else:
            is_found = bool(packed.answer.results)
            say("Nothing fits: give more tokens." if is_found else "Nothing found.")
        for line in context_footer(packed):
            say(line, dim=True)
    raise click.exceptions.Exit(FOUND if packed.pieces else NOTHING_FOUND)


@click.command()
@click.argument("wanted", metavar="ID")
@FOLDER
@click.option("--authors", "by", is_flag=True, help="Also say who wrote its lines (from git).")
@AS_JSON
def get(wanted: str, folder: Path, *, by: bool, as_json: bool) -> None:
    """Print the whole text of a node or chunk of FOLDER, by the id that a search shows.

    A path, path:line, a name that only one has, and the url that an agent was given do as well.
    """
    from trivium.doors import finding

    with open_folder(folder, create=False) as collection:
        item = finding.item(collection, wanted, is_bounded=False)
        place = places(collection, folder)
        shares = collection.authors(item.node.id) if by else []
    if as_json:
        data = present.item_data(
            item.node,
            text=item.text,
            chunks=item.chunks,
            edges=item.edges,
            sections=item.sections,
            history=item.history,
        )
        written = [{"author": one.author, "lines": one.lines} for one in shares]
        show_json({**data, "authors": written} if by else data)
        return
    source = item.node.source
    where = present.one_line(place(source.file_path))
    say(f"{where}:{source.start_line}-{source.end_line}", dim=True)
    for one in shares:
        say(f"{counted(one.lines, 'line')} by {present.one_line(one.author)}", dim=True)
    show(item.text)


def _folder_of(given: Path) -> Path:
    """Return the folder to search: that of a file, if it is indexed.

    Where it is not, asking about one file must not index all that lies beside it.
    """
    whole = given.expanduser()
    if whole.is_file() and indexed_root(whole.parent.resolve()) is not None:
        return given.parent
    return given
