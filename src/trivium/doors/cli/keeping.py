"""index, status, reset, collections, export and import: an index is made, looked at, removed.

Each calls a Collection once, prints, and sets the exit status. Registered by main.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.folder import FILE, FOLDER, open_folder, own_root, places, remove
from trivium.doors.cli.screen import (
    AS_JSON,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show,
    show_json,
)
from trivium.errors import IndexLocked, IndexNotFound, IndexUnusable, MissingExtra, ModelError
from trivium.results.present import counted, embedded, one_line, printable

if TYPE_CHECKING:
    from trivium.collection import Status


@click.command()
@FOLDER
@click.option("--rebuild", is_flag=True, help="Throw the index away and make it anew.")
@click.option("--no-embed", is_flag=True, help="Words only: leave the slow model out.")
@click.option("--yes", is_flag=True, help="Index very large folders without asking.")
@AS_JSON
def index(folder: Path, *, rebuild: bool, no_embed: bool, yes: bool, as_json: bool) -> None:
    """Bring the index of FOLDER up to date, meaning included, to the end.

    Can be interrupted at any time (Ctrl-C); the next run goes on where it stopped.
    """
    root = own_root(folder, command="index --rebuild") if rebuild else None
    if root is not None:
        remove(root)
    texts = 0
    problem = ""
    with open_folder(folder) as collection:
        with Progress("looking for files") as progress:
            report = collection.sync(progress=progress, yes=yes)
            if not no_embed:
                try:
                    texts = collection.embed(progress=progress)
                except (ModelError, MissingExtra) as error:
                    problem = str(error)
        now = collection.status()
    if as_json:
        show_json(
            {
                "root": now.root,
                "added": report.added,
                "changed": report.changed,
                "removed": report.removed,
                "unchanged": report.unchanged,
                "embeddedTexts": texts,
                "embedded": now.embedded,
                "problem": problem or None,
            }
        )
    else:
        show(
            f"{one_line(now.root)}: {report.added} added, {report.changed} changed, "
            f"{report.removed} removed, {report.unchanged} unchanged; "
            f"{counted(now.contents.chunks, 'chunk')}, embedded: "
            f"{embedded(now.embedded, chunks=now.contents.chunks)}"
            + (f" ({counted(texts, 'text')} just now)" if texts else "")
        )
    if problem:
        say(f"Words only: {problem}")


@click.command()
@FOLDER
@click.option("--skipped", is_flag=True, help="List the files that were passed over, and why.")
@AS_JSON
def status(folder: Path, *, skipped: bool, as_json: bool) -> None:
    """Say what the index of FOLDER holds, what was passed over, and how fresh it is."""
    with open_folder(folder, create=False) as collection:
        now = collection.status()
        passed_over = dict(sorted(collection.skipped().items())) if skipped else {}
        place = places(collection, folder)
    if as_json:
        show_json(_status_data(now) | ({"skippedFiles": passed_over} if skipped else {}))
    elif skipped:
        for path, reason in passed_over.items():
            show(f"{one_line(place(path))}\t{reason}")
    else:
        show(_status_text(now))


def _status_data(now: Status) -> dict[str, object]:
    contents = now.contents
    return {
        "name": now.name,
        "root": now.root,
        "folder": now.folder,
        "files": contents.files,
        "nodes": contents.nodes,
        "edges": contents.edges,
        "chunks": contents.chunks,
        "skipped": dict(contents.skipped),
        "maskedSecrets": contents.masked,
        "indexedAt": contents.indexed_at,
        "dirtyFiles": now.dirty_files,
        "model": now.model,
        "spaces": [
            {"model": one.model_id, "dimension": one.dimension, "coverage": round(one.coverage, 4)}
            for one in now.spaces
        ],
        "views": list(now.views),
        "seq": contents.seq,
    }


def _status_text(now: Status) -> str:
    contents = now.contents
    skipped = ", ".join(f"{count} {why}" for why, count in sorted(contents.skipped.items()))
    meaning = "; ".join(
        f"{one.model_id} {embedded(one.coverage, chunks=contents.chunks)}" for one in now.spaces
    )
    return (
        f"{one_line(now.root)}\n"
        f"  files     {contents.files:,}, of which {now.dirty_files} changed since\n"
        f"  skipped   {f'{skipped} (--skipped lists them)' if skipped else 'none'}\n"
        f"  nodes     {contents.nodes:,} in {contents.chunks:,} chunks, {contents.edges:,} edges\n"
        f"  meaning   {meaning or f'none yet; run: trivium index {shlex.quote(now.root)}'}\n"
        f"  secrets   {contents.masked} masked\n"
        f"  views     {', '.join(now.views)}\n"
        f"  indexed   {contents.indexed_at}\n"
        f"  kept in   {one_line(now.folder)}"
    )


@click.command()
@FOLDER
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(folder: Path, *, yes: bool) -> None:
    """Remove the index of FOLDER. The folder itself is not touched."""
    root = own_root(folder, command="reset")
    if root is None:
        raise IndexNotFound(str(folder.expanduser().resolve()))
    if not yes and not click.confirm(f"Remove the index of {printable(str(root))}?", err=True):
        raise click.exceptions.Exit(NOTHING_FOUND)
    try:
        with open_folder(root, create=False) as collection:
            collection.reset()
    except IndexLocked:
        # An index that is being written is well: removing it otherwise would wait once more.
        raise
    except IndexUnusable:
        # One that cannot be opened is just what people want to be rid of.
        remove(root)
    say("Removed.")


@click.command()
@AS_JSON
def collections(*, as_json: bool) -> None:
    """List the folders that are indexed."""
    from trivium.config import load
    from trivium.home import listed

    found = listed(load().home)
    if as_json:
        show_json([{"name": one.name, "root": one.root, "folder": one.folder} for one in found])
    else:
        for one in found:
            show(f"{one_line(one.name)}\t{one_line(one.root)}")
    raise click.exceptions.Exit(FOUND if found else NOTHING_FOUND)


@click.command()
@FILE
@FOLDER
def export(file: Path, folder: Path) -> None:
    """Write the whole index of FOLDER, texts and vectors, to FILE."""
    with open_folder(folder, create=False) as collection:
        count = collection.export(file)
    say(f"Wrote {count:,} files to {file}.")


@click.command("import")
@FILE
@FOLDER
def import_(file: Path, folder: Path) -> None:
    """Replace the index of FOLDER by one that was exported; needs no model."""
    own_root(folder, command=f"import {shlex.quote(str(file))}")
    with open_folder(folder) as collection:
        count = collection.import_(file)
    say(f"Read {count:,} files from {file}.")
