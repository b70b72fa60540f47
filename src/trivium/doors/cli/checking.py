"""doctor, check and eval: what is here, how well it is kept, and how good the ranking is.

Registered by main.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.folder import FOLDER, open_folder, places
from trivium.doors.cli.judged import (
    COLLECTION,
    LIMIT_QUERIES,
    REPOSITORIES,
    SPLIT,
    check_can_write,
    load_profiles,
    write_text,
)
from trivium.doors.cli.screen import (
    AS_JSON,
    FAILED,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show,
    show_json,
)
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.evaluation.bench import Contender


@click.command()
@FOLDER
@AS_JSON
def doctor(folder: Path, *, as_json: bool) -> None:
    """Check this installation and print every setting with where it came from."""
    from trivium.doors.cli.doctor import examine

    findings = examine(folder.expanduser().resolve())
    if as_json:
        show_json(findings.as_data())
    else:
        show(findings.as_text())
    raise click.exceptions.Exit(FOUND if findings.is_well else FAILED)


@click.command()
@FOLDER
@AS_JSON
def check(folder: Path, *, as_json: bool) -> None:
    """Find links of FOLDER that lead nowhere, and say how well its skills are kept.

    Exit status: 0 all is well, 1 something leads nowhere or costs points, 2 error.
    """
    from trivium.results.checks import checked_data, checked_text

    with open_folder(folder) as collection:
        with Progress("looking for files") as progress:
            collection.refresh(progress=progress)
        found = collection.check()
        place = places(collection, folder)
    if as_json:
        show_json(checked_data(found.broken, found.skills))
    else:
        show(checked_text(found.broken, found.skills, place=place))
    is_well = not found.broken and (found.skills is None or not found.skills.issues)
    raise click.exceptions.Exit(FOUND if is_well else NOTHING_FOUND)


@click.command("eval")
@click.argument("data", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@SPLIT
@click.option(
    "--profile",
    "profile_names",
    multiple=True,
    default=("best",),
    show_default=True,
    help="Repeatable; each is compared with the first.",
)
@REPOSITORIES
@COLLECTION
@click.option("--search-mode", default="hybrid", show_default=True, help="hybrid, keyword, vector.")
@click.option(
    "--model",
    "models",
    multiple=True,
    help="What gives meaning; else what is set. Repeatable; each is compared with the first.",
)
@click.option("--parts", is_flag=True, help="Also words alone and meaning alone.")
@LIMIT_QUERIES
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write an HTML page with the queries that moved most, and why.",
)
@AS_JSON
def evaluate(
    data: tuple[Path, ...],
    *,
    split: str | None,
    profile_names: tuple[str, ...],
    repos: Path | None,
    collection: Path | None,
    search_mode: str,
    models: tuple[str, ...],
    parts: bool,
    limit_queries: int | None,
    report_file: Path | None,
    as_json: bool,
) -> None:
    """Measure ranking quality on judged queries: nDCG@10, MRR, recall, success.

    DATA is a BEIR folder, a folder with repos.json (with --repos), a folder of such sets, or a
    CSV or JSONL file of judged queries (with --collection). Several profiles or models are
    compared with the first, with an interval.
    """
    from trivium.evaluation import report
    from trivium.evaluation.bench import Bench
    from trivium.evaluation.measure import BY_RANK, BY_TOKENS
    from trivium.evaluation.page import page
    from trivium.evaluation.run import run
    from trivium.evaluation.sets import places as places_of

    if report_file is not None:
        check_can_write(report_file)
    entrants = _entrants(profile_names, models, search_mode, parts=parts, folder=collection)
    sets = places_of(data, split=split, has_repositories=repos is not None, say=say)
    with Progress() as progress:
        bench = Bench(
            home=entrants.home,
            contenders=entrants.contenders,
            repositories=repos,
            collection=collection,
            limit=limit_queries,
            progress=progress,
            say=say,
        )
        outcome = run(bench, sets)
    if report_file is not None:
        write_text(report_file, page(outcome))
        say(f"The report is in {report_file}.")
    if as_json:
        show_json(report.as_data(outcome))
        return
    show(report.table(outcome.results))
    if outcome.comparisons:
        show("\n" + report.differences(outcome.comparisons))
    for measures in (BY_RANK, BY_TOKENS):
        show("\n" + report.details(outcome.results, measures=measures))


@dataclass(frozen=True, slots=True)
class _Entrants:
    home: Path
    contenders: tuple[Contender, ...]


def _entrants(
    profile_names: Sequence[str],
    models: Sequence[str],
    search_mode: str,
    *,
    parts: bool,
    folder: Path | None,
) -> _Entrants:
    """Return every profile with every model, and the parts of the first if they are asked for."""
    from trivium.config import load
    from trivium.evaluation.bench import Contender
    from trivium.models.registry import load_from

    # Those of the folder that is asked, as a search in it has.
    settings = load(folder=folder)
    ranked_by = load_profiles(profile_names, settings)
    asked: Sequence[str | None] = list(dict.fromkeys(models)) or [None]
    if search_mode == "keyword":
        asked = ["none"]
    embedders = [(model, load_from(settings, model)) for model in asked]
    contenders = [
        Contender(
            one.name if len(embedders) == 1 else f"{one.name} {model}", one, embedder, search_mode
        )
        for one in ranked_by
        for model, embedder in embedders
    ]
    if parts:
        first = contenders[0]
        if first.embedder is None or search_mode != "hybrid":
            raise UsageError("--parts takes a hybrid search apart, with a model: leave it out.")
        contenders += [
            replace(first, name=f"{first.name}, words alone", search_mode="keyword"),
            replace(first, name=f"{first.name}, meaning alone", search_mode="vector"),
        ]
    return _Entrants(settings.home, tuple(contenders))
