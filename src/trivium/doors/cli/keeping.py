"""index, status, reset, collections, export and import: an index is made, looked at, removed.

Each calls a Collection once, prints, and sets the exit status. Registered by main.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.folder import (
    FILE,
    FOLDER,
    open_folder,
    own_root,
    places,
    remembered_model,
    remove,
)
from trivium.doors.cli.reaching import kept_by, reached, reached_by
from trivium.doors.cli.screen import (
    AS_JSON,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show,
    show_json,
)
from trivium.doors.standing import status_data
from trivium.errors import (
    IndexLocked,
    IndexNotFound,
    IndexUnusable,
    MissingExtra,
    ModelError,
    UsageError,
)
from trivium.results.present import counted, embedded, filling, in_lists, one_line, printable

if TYPE_CHECKING:
    from trivium.collection import Collection, Status
    from trivium.config import Value
    from trivium.models.bill import Bill, Renewal


@click.command()
@FOLDER
@click.option("--rebuild", is_flag=True, help="Throw the index away and make it anew.")
@click.option(
    "--model",
    help="What gives meaning from now on: static, static:FILE, minilm, onnx:FOLDER, openai:MODEL "
    "(a service, such as Ollama, whose address is the setting embedding.base_url), none.",
)
@click.option("--no-embed", is_flag=True, help="Leave a slow model for later.")
@click.option("--yes", is_flag=True, help="Do not ask: very large folders, costly services.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="How many processes read files; by default one for each core, at most 8.",
)
@click.option("--watch", is_flag=True, help="Go on taking in what changes, until Ctrl-C.")
@reached
@click.option("--collection", "name", help="Keep it on a cluster, under this name there.")
@click.option("--under", help="Where it stands in a collection that several folders feed.")
@AS_JSON
def index(
    folder: Path,
    *,
    rebuild: bool,
    model: str | None,
    no_embed: bool,
    yes: bool,
    jobs: int | None,
    watch: bool,
    urls: tuple[str, ...],
    user: str | None,
    certificates: str | None,
    name: str | None,
    under: str | None,
    as_json: bool,
) -> None:
    """Bring the index of FOLDER up to date, meaning included, to the end.

    Can be interrupted at any time (Ctrl-C); the next run goes on where it stopped. On a cluster,
    folders of several machines may feed one collection, each --under a folder of its own.
    """
    if watch and as_json:
        raise UsageError("--watch has no end, and so no JSON document. Leave out one of them.")
    kept = kept_by(reached_by(urls, user, certificates), name=name, under=under)
    if watch and jobs is not None:
        raise UsageError("--jobs is for one run; --watch reads few files at a time. Leave out one.")
    root = own_root(folder, command="index --rebuild") if rebuild else None
    if root is not None:
        model = model or remembered_model(root)
        remove(root)
    if watch:
        _watch(folder, kept=kept, model=model, renews=rebuild, embeds=not no_embed, yes=yes)
        return
    texts = 0
    problem = ""
    with open_folder(folder, kept=kept) as collection:
        if model is not None:
            collection.use(model)
        with Progress("looking for files") as progress:
            report = collection.sync(progress=progress, yes=yes, jobs=jobs)
            collection.remember()
        if not no_embed:
            try:
                texts = _embed(collection, yes=yes, renews=rebuild)
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
        say(f"Not embedded: {problem}")


def _embed(collection: Collection, *, yes: bool, renews: bool) -> int:
    """Embed what has no vector; say first what a service would be sent, and ask if it is much."""
    due = collection.bill(renews=renews, retries=True)
    if not _is_agreed(due, yes=yes):
        say("Nothing was sent; the instant model answers.")
        return 0
    is_agreed = yes or (due is not None and due.is_large)
    if renews:
        # Asks the service for one word, and so only once what is to be sent was agreed to.
        everything = collection.renewal()
        if not _is_agreed(everything, yes=yes):
            say("No text was sent; the vectors are kept.")
            return 0
        if everything is not None:
            collection.renew(yes=True)
            is_agreed = True
    with Progress() as progress:
        return collection.embed(progress=progress, say=progress.say, yes=is_agreed, retries=True)


def _is_agreed(due: Bill | Renewal | None, *, yes: bool) -> bool:
    """Say what would be sent, and whether it may be: a person is asked if it is much.

    Where nobody sits at a terminal, a large run needs --yes. Raises UsageError without it.
    """
    if due is None:
        return True
    say(str(due))
    if yes or not due.is_large:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(due.refusal())
    return click.confirm("Send them?", err=True)


def _watch(
    folder: Path,
    *,
    kept: Mapping[str, Value],
    model: str | None,
    renews: bool,
    embeds: bool,
    yes: bool,
) -> None:
    """Take in what changes until Ctrl-C, with a line about each change."""
    from trivium.doors.following import follow

    with (
        open_folder(folder, kept=kept) as collection,
        Progress("looking for files") as progress,
    ):
        if model is not None:
            collection.use(model)
        follow(collection, say=say, progress=progress, yes=yes, embeds=embeds, renews=renews)


@click.command()
@FOLDER
@click.option("--skipped", is_flag=True, help="List the files that were passed over, and why.")
@click.option("--failed", is_flag=True, help="List the files not read whole, and why.")
@click.option("--blank", is_flag=True, help="List the files with text a service has no vector for.")
@AS_JSON
def status(folder: Path, *, skipped: bool, failed: bool, blank: bool, as_json: bool) -> None:
    """Say what the index of FOLDER holds, what was passed over, and how fresh it is."""
    with open_folder(folder, create=False) as collection:
        now = collection.status()
        passed_over = dict(sorted(collection.skipped().items())) if skipped else {}
        place = places(collection, folder)
        failures = _failures(collection, now) if failed else {}
    without = dict(now.blank) if blank else {}
    if as_json:
        more: dict[str, object] = {"skippedFiles": passed_over} if skipped else {}
        more |= {"failures": failures} if failed else {}
        show_json(status_data(now) | more | ({"blankFiles": without} if blank else {}))
    elif skipped or failed or blank:
        for path, reason in [*passed_over.items(), *failures.items()]:
            show(f"{one_line(place(path))}\t{one_line(reason)}")
        for path, chunks in without.items():
            show(f"{one_line(place(path))}\t{counted(chunks, 'chunk')} without a vector")
    else:
        show(_status_text(now))


def _failures(collection: Collection, now: Status) -> dict[str, str]:
    """Return which files could not be read whole, and why; of memory also single fields."""
    # Where several folders feed a collection, it has none of its own.
    memory = collection.memory.problems() if collection.feed.is_all else {}
    return dict(sorted({**memory, **now.census.failures}.items()))


def _status_text(now: Status) -> str:
    contents = now.contents
    skipped = ", ".join(f"{count} {why}" for why, count in sorted(contents.skipped.items()))
    census = now.census
    waiting = f"; {counted(census.unlinked, 'file')} to link" if census.unlinked else ""
    marks = f"  marked    {_counts(census.marks)}\n" if census.marks else ""
    failed = (
        f"  plain     {counted(len(census.failures), 'file')} read as plain text "
        "(--failed lists them)\n"
        if census.failures
        else ""
    )
    means = [
        f"{one.model_id} {embedded(one.coverage, chunks=contents.chunks)}{in_lists(one.listed)}"
        for one in now.spaces
        if now.filling is None or one.model_id != now.filling.model_id
    ]
    if now.filling is not None:
        behind = now.filling
        means.append(filling(behind.model_id, behind.embedded, behind.texts, behind.seconds))
    return (
        f"{one_line(now.root)}\n"
        f"  files     {contents.files:,}, of which {now.dirty_files} changed since\n"
        f"  skipped   {f'{skipped} (--skipped lists them)' if skipped else 'none'}\n"
        f"  nodes     {contents.nodes:,} in {contents.chunks:,} chunks: {_counts(census.types)}\n"
        f"  edges     {contents.edges:,}: {_counts(census.edges)}{waiting}\n"
        f"  languages {_counts(census.languages) or 'none'}\n"
        f"{marks}{failed}"
        f"  meaning   {'; '.join(means) or _no_meaning(now)}\n"
        f"{_blank(now)}"
        f"  model     {one_line(_model(now))}\n"
        f"  queries   {counted(now.queries, 'vector')} kept\n"
        f"  secrets   {contents.masked} masked\n"
        f"  views     {', '.join(now.views)}\n"
        f"  branch    {one_line(now.branch) or 'none'}\n"
        f"  indexed   {contents.indexed_at}\n"
        f"  kept in   {one_line(now.folder)}"
    )


def _blank(now: Status) -> str:
    """Say how much a service gave no vector for, and how to ask it again."""
    if not now.blank:
        return ""
    chunks, files = counted(sum(now.blank.values()), "chunk"), counted(len(now.blank), "file")
    return (
        f"  blank     {chunks} in {files} that {one_line(now.model)} gave no vector for: found by "
        "words alone (--blank lists them); to ask again: "
        f"trivium index {shlex.quote(now.root)}\n"
    )


def _model(now: Status) -> str:
    """Say which model is to give meaning, and why it does not."""
    if now.model == "none":
        return "none: searches go by words alone"
    return f"{now.model} cannot be used: {now.problem}" if now.problem else now.model


def _no_meaning(now: Status) -> str:
    if now.model == "none":
        return "none (embedding.model is none)"
    return f"none yet; run: trivium index {shlex.quote(now.root)}"


_MOST_COUNTS = 8


def _counts(found: Mapping[str, int]) -> str:
    """Return the largest counts on one line: 12 function, 3 class, 7 others."""
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [f"{number:,} {one_line(name)}" for name, number in ordered[:_MOST_COUNTS]]
    rest = sum(number for _, number in ordered[_MOST_COUNTS:])
    return ", ".join([*shown, f"{rest:,} others"] if rest else shown)


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
        fields = ("name", "root", "folder", "backend")
        show_json([{name: getattr(one, name) for name in fields} for one in found])
    else:
        for one in found:
            elsewhere = "" if one.backend == "embedded" else f"\t{one.backend}"
            show(f"{one_line(one.name)}\t{one_line(one.root)}{elsewhere}")
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
