"""trivium: the command line.

Each command parses, calls a Collection once, prints and sets the exit status: 0 found,
1 nothing found, 2 error. Answers go to stdout, everything else to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium import __version__
from trivium.doors.cli.screen import Progress, say, styled
from trivium.errors import TriviumError

if TYPE_CHECKING:
    from trivium.collection import Collection

FOUND, NOTHING_FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130

FOLDER = click.argument("folder", default=".", type=click.Path(path_type=Path))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="trivium")
@click.option("-v", "--verbose", is_flag=True, help="Log what happens to stderr.")
def trivium(*, verbose: bool) -> None:
    """Search a folder by words, meaning and structure, offline.

    \b
      trivium search "how are vectors stored" .     ask; the index is made on first use
      trivium index .                               embed everything: adds meaning
      trivium status .                              what is indexed, what was passed over
    """  # noqa: D301 - click takes the backspace as "leave these lines alone"
    if verbose:
        import logging

        logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s")


@trivium.command()
@click.argument("query")
@FOLDER
@click.option("-n", "--limit", type=int, help="Most hits to show (default: the profile's, 10).")
@click.option("--profile", help="Ranking profile: best, rag.")
@click.option("--kind", multiple=True, help="Only this kind: code, doc, file. Repeat for more.")
@click.option("--type", "type_", multiple=True, help="Only this type: function, class, section...")
@click.option("--lang", multiple=True, help="Only this language.")
@click.option("--ext", multiple=True, help="Only files with this ending.")
@click.option("--path", multiple=True, help="Only paths that contain this.")
@click.option("--file", "file_", multiple=True, help="The same as --path.")
@click.option("--name", multiple=True, help="Only nodes whose name contains this.")
@click.option("--tag", multiple=True, help="Only nodes with this tag.")
@click.option("--domain", multiple=True, help="Only this domain (front matter or first folder).")
@click.option("--mode", default="mixed", help="mixed, code, prose or records.", show_default=True)
@click.option(
    "--search-mode", default="hybrid", help="hybrid, keyword or vector.", show_default=True
)
@click.option("--min-score", type=float, help="Drop hits below this score.")
@click.option("--explain", "--why", is_flag=True, help="Show the parts that add up to each score.")
@click.option("--no-sync", is_flag=True, help="Do not look for changed files first.")
@click.option("--yes", is_flag=True, help="Index very large folders without asking.")
@AS_JSON
def search(
    query: str,
    folder: Path,
    *,
    limit: int | None,
    profile: str | None,
    kind: tuple[str, ...],
    type_: tuple[str, ...],
    lang: tuple[str, ...],
    ext: tuple[str, ...],
    path: tuple[str, ...],
    file_: tuple[str, ...],
    name: tuple[str, ...],
    tag: tuple[str, ...],
    domain: tuple[str, ...],
    mode: str,
    search_mode: str,
    min_score: float | None,
    explain: bool,
    no_sync: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Search FOLDER (default: here) and print the best hits.

    Builds the index on first use and takes in what changed; never runs a slow model first.

    Exit status: 0 found, 1 nothing found, 2 error.
    """
    from trivium.errors import UsageError
    from trivium.results import present

    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; give at least 1.")
    given = {
        "type": type_,
        "lang": lang,
        "ext": ext,
        "path": (*path, *file_),
        "name": name,
        "tag": tag,
        "domain": domain,
    }
    with _open(folder) as collection:
        if not no_sync:
            _sync_or_say_why_not(collection, yes=yes)
        answer = collection.search(
            query,
            limit=limit,
            profile=profile,
            kind=kind or None,
            filters={field: values for field, values in given.items() if values},
            mode=mode,
            search_mode=search_mode,
            min_score=min_score,
            explain=explain,
        )
    if as_json:
        _print_json(present.as_data(answer))
    else:
        if answer.results:
            click.echo(present.as_text(answer, style=styled, explain=explain))
        else:
            say("Nothing found.")
        for line in present.footer(answer):
            say(click.style(line, dim=True))
    raise click.exceptions.Exit(FOUND if answer.results else NOTHING_FOUND)


@trivium.command()
@FOLDER
@click.option("--rebuild", is_flag=True, help="Throw the index away and make it anew.")
@click.option("--no-embed", is_flag=True, help="Words only: leave the slow model out.")
@click.option("--yes", is_flag=True, help="Index very large folders without asking.")
@AS_JSON
def index(folder: Path, *, rebuild: bool, no_embed: bool, yes: bool, as_json: bool) -> None:
    """Bring the index of FOLDER up to date, meaning included, to the end.

    Can be interrupted at any time (Ctrl-C); the next run goes on where it stopped.
    """
    from trivium.errors import MissingExtra, ModelError

    if rebuild:
        _remove(folder)
    embedded = 0
    problem = ""
    with _open(folder) as collection:
        with Progress() as progress:
            report = collection.sync(progress=progress, yes=yes)
            if not no_embed:
                try:
                    embedded = collection.embed(progress=progress)
                except (ModelError, MissingExtra) as error:
                    problem = str(error)
        status = collection.status()
    if as_json:
        _print_json(
            {
                "root": status.root,
                "added": report.added,
                "changed": report.changed,
                "removed": report.removed,
                "unchanged": report.unchanged,
                "embeddedTexts": embedded,
                "embedded": status.embedded,
                "problem": problem or None,
            }
        )
    else:
        click.echo(
            f"{status.root}: {report.added} added, {report.changed} changed, "
            f"{report.removed} removed, {report.unchanged} unchanged; "
            f"{status.contents.chunks:,} chunks, {status.embedded:.0%} embedded"
        )
    if problem:
        say(f"Words only: {problem}")


@trivium.command()
@FOLDER
@AS_JSON
def status(folder: Path, *, as_json: bool) -> None:
    """Say what the index of FOLDER holds, what was passed over, and how fresh it is."""
    with _open(folder, create=False) as collection:
        now = collection.status()
    contents = now.contents
    data = {
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
    if as_json:
        _print_json(data)
        return
    skipped = ", ".join(f"{count} {why}" for why, count in sorted(contents.skipped.items()))
    meaning = ", ".join(f"{one.model_id} {one.coverage:.0%}" for one in now.spaces)
    click.echo(
        f"{now.root}\n"
        f"  files     {contents.files:,}, of which {now.dirty_files} changed since\n"
        f"  skipped   {skipped or 'none'}\n"
        f"  nodes     {contents.nodes:,} in {contents.chunks:,} chunks, {contents.edges:,} edges\n"
        f"  meaning   {meaning or 'none yet: run trivium index'}\n"
        f"  secrets   {contents.masked} masked\n"
        f"  views     {', '.join(now.views)}\n"
        f"  indexed   {contents.indexed_at}\n"
        f"  kept in   {now.folder}"
    )


@trivium.command()
@click.argument("wanted", metavar="ID")
@FOLDER
@AS_JSON
def get(wanted: str, folder: Path, *, as_json: bool) -> None:
    """Print the whole text of a node or chunk of FOLDER, by its id."""
    from trivium.results.present import printable, source_data

    with _open(folder, create=False) as collection:
        item = collection.get(wanted)
    if as_json:
        _print_json(
            {
                "id": item.node.id,
                "kind": item.node.kind.value,
                "type": item.node.type,
                "name": item.node.name,
                "title": item.node.title,
                "description": item.node.description,
                "source": source_data(item.node),
                "tags": list(item.node.tags),
                "metadata": dict(item.node.metadata),
                "chunks": [one.id for one in item.chunks],
                "edges": [
                    {"source": one.source, "target": one.target, "type": one.type.value}
                    for one in item.edges
                ],
                "text": item.text,
            }
        )
        return
    source = item.node.source
    say(click.style(f"{source.file_path}:{source.start_line}-{source.end_line}", dim=True))
    click.echo(printable(item.text))


@trivium.command()
@FOLDER
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(folder: Path, *, yes: bool) -> None:
    """Remove the index of FOLDER. The folder itself is not touched."""
    from trivium.errors import IndexUnusable

    if not yes and not click.confirm(f"Remove the index of {folder.resolve()}?", err=True):
        raise click.exceptions.Exit(NOTHING_FOUND)
    try:
        with _open(folder, create=False) as collection:
            collection.reset()
    except IndexUnusable:
        # One that cannot be opened is just what people want to be rid of.
        _remove(folder)
    say("Removed.")


@trivium.command()
@AS_JSON
def collections(*, as_json: bool) -> None:
    """List the folders that are indexed."""
    from trivium.config import load
    from trivium.home import listed

    found = listed(load().home)
    if as_json:
        _print_json([{"name": one.name, "root": one.root, "folder": one.folder} for one in found])
    else:
        for one in found:
            click.echo(f"{one.name}\t{one.root}")
    raise click.exceptions.Exit(FOUND if found else NOTHING_FOUND)


@trivium.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@FOLDER
def export(file: Path, folder: Path) -> None:
    """Write the whole index of FOLDER, texts and vectors, to FILE."""
    with _open(folder, create=False) as collection:
        count = collection.export(file)
    say(f"Wrote {count:,} files to {file}.")


@trivium.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@FOLDER
def import_(file: Path, folder: Path) -> None:
    """Replace the index of FOLDER by one that was exported; needs no model."""
    with _open(folder) as collection:
        count = collection.import_(file)
    say(f"Read {count:,} files from {file}.")


@trivium.command()
@FOLDER
@AS_JSON
def doctor(folder: Path, *, as_json: bool) -> None:
    """Check this installation and print every setting with where it came from."""
    from trivium.doors.cli.doctor import examine

    findings = examine(folder.expanduser().resolve())
    if as_json:
        _print_json(findings.as_data())
    else:
        click.echo(findings.as_text())
    raise click.exceptions.Exit(FOUND if findings.is_well else FAILED)


@trivium.command("eval")
@click.argument("data", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--split", default="test", show_default=True, help="Which judgements to use.")
@click.option("--profile", multiple=True, default=("best",), show_default=True)
@click.option("--repos", type=click.Path(path_type=Path), help="Where repositories are laid out.")
@click.option("--collection", type=click.Path(path_type=Path), help="Folder the queries ask.")
@click.option("--search-mode", default="hybrid", show_default=True)
@AS_JSON
def evaluate(
    data: tuple[Path, ...],
    *,
    split: str,
    profile: tuple[str, ...],
    repos: Path | None,
    collection: Path | None,
    search_mode: str,
    as_json: bool,
) -> None:
    """Measure ranking quality on judged queries: nDCG@10, MRR, recall.

    DATA is a BEIR folder, a folder with repos.json (with --repos), or a CSV or JSONL file of
    judged queries (with --collection).
    """
    from trivium.config import load
    from trivium.evaluation import report
    from trivium.evaluation.run import Bench, run
    from trivium.models.registry import load as load_model
    from trivium.ranking.profile import profile as profile_named

    settings = load()
    model = "none" if search_mode == "keyword" else settings.text("embedding.model")
    with Progress() as progress:
        bench = Bench(
            home=settings.home,
            profiles=[profile_named(name) for name in profile],
            embedder=load_model(model, api_key=settings.openai_key),
            search_mode=search_mode,
            progress=progress,
            say=say,
        )
        results = run(bench, data, split=split, repositories=repos, collection=collection)
    if as_json:
        _print_json(report.as_data(results))
    else:
        click.echo(report.table(results))


@trivium.command()
@FOLDER
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=7700, show_default=True, type=int)
def serve(folder: Path, *, host: str, port: int) -> None:
    """Answer HTTP requests about FOLDER on this machine."""
    from trivium.doors.http.serve import run

    run(folder=folder, host=host, port=port)


@trivium.command()
@FOLDER
def mcp(folder: Path) -> None:
    """Answer an agent over MCP on standard input and output."""
    from trivium.doors.mcp.serve import run

    run(folder=folder)


def _open(folder: Path, *, create: bool = True) -> Collection:
    from trivium.collection import open_collection

    return open_collection(folder, create=create)


def _sync_or_say_why_not(collection: Collection, *, yes: bool) -> None:
    from trivium.errors import IndexLocked

    try:
        with Progress() as progress:
            collection.sync(progress=progress, yes=yes, wait_s=0.0)
    except IndexLocked as error:
        say(f"{error} Answering from the last state.")


def _remove(folder: Path) -> None:
    from trivium.config import load
    from trivium.home import find_root, remove

    home = load().home
    root = find_root(folder.expanduser().resolve(), home)
    if root is not None:
        remove(root, home)


def _print_json(data: object) -> None:
    import json

    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error raised on purpose becomes one line on stderr."""
    try:
        status = trivium.main(args=arguments, prog_name="trivium", standalone_mode=False)
    except click.exceptions.Exit as done:
        status = done.exit_code
    except click.Abort:
        say("Interrupted. What was finished is kept.")
        status = INTERRUPTED
    except click.ClickException as error:
        error.show()
        status = FAILED
    except TriviumError as error:
        say(f"trivium: {error}")
        status = FAILED
    except BrokenPipeError:
        # The reader of our answer has gone, as with `| head`: that is no failure.
        sys.stderr.close()
        status = FOUND
    sys.exit(status or FOUND)
