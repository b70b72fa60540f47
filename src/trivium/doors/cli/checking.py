"""doctor, check and eval: what is here, how well it is kept, and how good the ranking is.

Registered by main.
"""

from __future__ import annotations

from pathlib import Path

import click

from trivium.doors.cli.folder import FOLDER, open_folder, places
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
@click.option("--split", default="test", show_default=True, help="Which judgements to use.")
@click.option("--profile", multiple=True, default=("best",), show_default=True)
@click.option("--repos", type=click.Path(path_type=Path), help="Where repositories are laid out.")
@click.option("--collection", type=click.Path(path_type=Path), help="Folder the queries ask.")
@click.option("--search-mode", default="hybrid", show_default=True)
@click.option("--model", help="What gives meaning; else what is set.")
@AS_JSON
def evaluate(
    data: tuple[Path, ...],
    *,
    split: str,
    profile: tuple[str, ...],
    repos: Path | None,
    collection: Path | None,
    search_mode: str,
    model: str | None,
    as_json: bool,
) -> None:
    """Measure ranking quality on judged queries: nDCG@10, MRR, recall.

    DATA is a BEIR folder, a folder with repos.json (with --repos), or a CSV or JSONL file of
    judged queries (with --collection).
    """
    from trivium import profiles
    from trivium.config import load
    from trivium.evaluation import report
    from trivium.evaluation.run import Bench, run
    from trivium.models.registry import load_from

    # Those of the folder that is asked, as a search in it has.
    settings = load(folder=collection)
    tokenizer = settings.text("text.tokenizer")
    named = [profiles.load(name, home=settings.home) for name in profile]
    ranked_by = [profiles.tokenized(one, tokenizer) for one in named]
    for one in ranked_by:
        profiles.check_dictionaries(one)
    model = "none" if search_mode == "keyword" else model
    with Progress() as progress:
        bench = Bench(
            home=settings.home,
            profiles=ranked_by,
            embedder=load_from(settings, model),
            search_mode=search_mode,
            progress=progress,
            say=say,
        )
        results = run(bench, data, split=split, repositories=repos, collection=collection)
    if as_json:
        show_json(report.as_data(results))
    else:
        show(report.table(results))
