"""move: a collection goes to a cluster, or comes back. Registered by main."""

from __future__ import annotations

import click

from trivium.doors.cli.folder import named_root, open_folder
from trivium.doors.cli.reaching import reached, reached_by
from trivium.doors.cli.screen import AS_JSON, Progress, say, show, show_json
from trivium.errors import UsageError
from trivium.results.present import counted, printable


@click.command()
@click.argument("collection", default=".")
@click.option("--to", required=True, type=click.Choice(["opensearch", "embedded"]))
@reached
@click.option("--as", "name", help="Its name on the cluster, the same for every machine.")
@click.option("--shards", type=click.IntRange(1, 1024), help="Shards of each of its indexes.")
@click.option("--keep", is_flag=True, help="Leave the old index where it is, unused.")
@click.option("--replace", is_flag=True, help="Take the place of an index that is there already.")
@click.option("--yes", is_flag=True, help="Do not ask before an index on a cluster is removed.")
@AS_JSON
def move(
    collection: str,
    *,
    to: str,
    urls: tuple[str, ...],
    name: str | None,
    user: str | None,
    certificates: str | None,
    shards: int | None,
    keep: bool,
    replace: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Move the index of COLLECTION, a folder or a name, to a cluster or back to this machine.

    No file is read and nothing is embedded again. All commands find it where it is from then on.
    """
    wanted = reached_by(urls, user, certificates)
    if name is not None:
        wanted["backend.collection"] = name
    if shards is not None:
        wanted["backend.shards"] = shards
    if to == "embedded" and wanted:
        raise UsageError("--url, --as, --user, --certificates and --shards are for a cluster.")
    root = named_root(collection)
    with open_folder(root, create=False) as opened:
        is_on_cluster = opened.settings.text("backend.kind") != "embedded"
        if is_on_cluster and not keep and not yes:
            keep = not click.confirm(
                "Remove it from the cluster afterwards? Other machines may be using it.", err=True
            )
        with Progress("moving") as progress:
            moved = opened.move(
                {"backend.kind": to, **wanted}, keeps=keep, replaces=replace, progress=progress
            )
    with open_folder(root, create=False) as opened:
        where = " ".join(opened.settings.texts("backend.urls")) if to != "embedded" else ""
    if as_json:
        counts = {"files": moved.files, "chunks": moved.chunks, "vectors": moved.vectors}
        show_json({"root": str(root), "to": to, "urls": where.split(), **counts, "kept": keep})
        return
    show(
        f"Moved {printable(str(root))} to {where or 'this machine'}: "
        f"{counted(moved.files, 'file')}, {counted(moved.chunks, 'chunk')}, "
        f"{counted(moved.vectors, 'vector')}."
    )
    say("The old index was kept." if keep else "The old index was removed.", dim=True)
