"""trivium memory import and export: notes, tasks and skills from elsewhere, and to elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from trivium.doors.cli.folder import FOLDER, open_folder
from trivium.doors.cli.screen import AS_JSON, FOUND, NOTHING_FOUND, say, show, show_json
from trivium.results.present import counted, one_line

_MOST_SAID = 20


@click.group()
def memory() -> None:
    """Take notes, tasks and skills in from elsewhere, or write them all out."""


@memory.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@FOLDER
@click.option(
    "--format", "form", help="vault, agents or json; otherwise it is seen by what is there."
)
@click.option(
    "--replace", is_flag=True, help="Replace what is there and differs; it is kept as a conflict."
)
@AS_JSON
def import_(source: Path, folder: Path, *, form: str | None, replace: bool, as_json: bool) -> None:
    """Take in an Obsidian vault, a folder of AGENTS.md, CLAUDE.md and SKILL.md, or JSON.

    Prints the ids. Exit status: 0 something came in, 1 nothing did, 2 error.
    """
    with open_folder(folder) as collection:
        taken = collection.memory.import_from(source, form=form, replace=replace)
    if as_json:
        show_json({"ids": taken.ids, "same": taken.same, "leftOut": taken.left_out})
    else:
        for one in taken.ids:
            show(one_line(one))
        say(f"{counted(len(taken.ids), 'file')} came in; {taken.same:,} were there already.")
        _say_left_out(taken.left_out)
    raise click.exceptions.Exit(FOUND if taken.ids or taken.same else NOTHING_FOUND)


@memory.command("export")
@click.argument("target", type=click.Path(path_type=Path))
@FOLDER
@click.option(
    "--format",
    "form",
    help="json (a file), vault (Markdown), agents (SKILL.md files).  [default: by the target]",
)
@click.option("--replace", is_flag=True, help="Replace files that are there and differ.")
@AS_JSON
def export(target: Path, folder: Path, *, form: str | None, replace: bool, as_json: bool) -> None:
    """Write all notes, tasks and skills of FOLDER to TARGET.

    Without --format, a TARGET that ends in .json is a file and any other a vault. What was
    imported goes to where it came from. Exit status: 0 written, 1 nothing to write, 2 error.
    """
    chosen = form or ("json" if target.suffix.lower() == ".json" else "vault")
    with open_folder(folder) as collection:
        given = collection.memory.export_to(target, form=chosen, replace=replace)
    if as_json:
        show_json({"paths": given.paths, "same": given.same, "leftOut": given.left_out})
    else:
        said = f"Wrote {counted(len(given.paths), 'file')} to {target}"
        say(one_line(f"{said}; {given.same:,} were so already."))
        _say_left_out(given.left_out)
    raise click.exceptions.Exit(FOUND if given.paths or given.same else NOTHING_FOUND)


def _say_left_out(left_out: Mapping[str, str]) -> None:
    for path, reason in list(left_out.items())[:_MOST_SAID]:
        say(one_line(f"left out: {path}: {reason}"))
    if len(left_out) > _MOST_SAID:
        say(f"... and {len(left_out) - _MOST_SAID:,} more; --json names all.")
