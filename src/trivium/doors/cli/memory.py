"""note, task, skill and recall: what people and agents write down, on the command line.

One set of commands for each kind, its options made from the table of fields. Each calls a
Collection, prints, and sets the exit status. Registered by main.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trivium.doors.cli.folder import FOLDER, NO_SYNC, open_folder, places
from trivium.doors.cli.memory_fields import LISTED, given_fields, option, with_fields
from trivium.doors.cli.screen import (
    AS_JSON,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show,
    show_answer,
    show_json,
)
from trivium.errors import UsageError
from trivium.results.present import counted, one_line
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.collection import Collection

_ID = click.argument("wanted", metavar="ID")
_LIMIT = click.option(
    "-n", "--limit", type=int, default=25, show_default=True, help="Most to show."
)
_VERSION = click.option(
    "--version", "expected", type=int, help="Refuse if it is not at this version any more."
)
Command = Callable[..., None]

_PLURAL = {Kind.NOTE: "notes", Kind.TASK: "tasks", Kind.SKILL: "skills"}


def _group(kind: Kind, does: str) -> click.Group:
    made = click.Group(kind.value, help=does)
    for make in (_add, _list, _show, _edit, _delete, _link, _attach, _search):
        make(made, kind)
    return made


def _add(group: click.Group, kind: Kind) -> None:
    @click.command("add", help=f"Write down a {kind}; prints its id.")
    @click.argument("title")
    @FOLDER
    @click.option("--link", "links", nargs=2, multiple=True, metavar="TYPE ID", help="A link.")
    @AS_JSON
    def add(
        title: str,
        folder: Path,
        *,
        links: tuple[tuple[str, str], ...],
        as_json: bool,
        **fields: object,
    ) -> None:
        with open_folder(folder) as collection:
            if links:
                _refresh(collection)
            made = _shelf(collection, kind).create(title, links=links, **given_fields(kind, fields))
            _say_where(collection, folder, made.slug, kind)
        _show_one(made, as_json=as_json, brief=True)

    with_fields(add, kind)
    group.add_command(add)


def _list(group: click.Group, kind: Kind) -> None:
    @click.command("list", help=f"List the {_PLURAL[kind]} of FOLDER.")
    @FOLDER
    @click.option("--filter", "filter", help="Only those whose title or id contains this.")
    @click.option("--tag", help="Only those with this tag.")
    @click.option("--sort", help="In which order; an unknown one names them all.")
    @_LIMIT
    @click.option("--offset", type=int, default=0, help="How many to leave out first.")
    @AS_JSON
    def listing(folder: Path, *, as_json: bool, **wanted: object) -> None:
        from trivium.doors.cli.memory_text import line_of
        from trivium.memory.items import as_data

        asked = {name: value for name, value in wanted.items() if value is not None}
        with open_folder(folder) as collection:
            page = _shelf(collection, kind).list(**asked)
            copies = collection.memory.desk.files.conflicts()
        if as_json:
            data = [as_data(one, text=False) for one in page.items]
            show_json(
                {"results": data, "total": page.total, "limit": page.limit, "offset": page.offset}
            )
        else:
            for one in page.items:
                show(line_of(one))
            _say_the_rest(page)
            own = [path for path in copies if path.name.startswith(f"{_PLURAL[kind]}-")]
            if own:
                said = counted(len(own), "edit")
                say(f"{said} by hand that a change has replaced: {one_line(str(own[0].parent))}")
        raise click.exceptions.Exit(FOUND if page.items else NOTHING_FOUND)

    for name, said in LISTED[kind].items():
        listing.params.insert(-3, option(name, said, repeated=False))
    group.add_command(listing)


def _say_the_rest(page: Any) -> None:  # noqa: ANN401 - a page of any kind
    if not page.total:
        say("Nothing found.")
        return
    last = page.offset + len(page.items)
    if last < page.total:
        say(f"{page.offset + 1} to {last} of {page.total:,}; more: --offset {last}", dim=True)
    for one in page.items:
        for problem in one.problems:
            say(f"{one_line(one.id)}: {one_line(problem)}")


def _show(group: click.Group, kind: Kind) -> None:
    @click.command("show", help=f"Show a {kind}, and what it is linked with.")
    @_ID
    @FOLDER
    @NO_SYNC
    @AS_JSON
    def showing(wanted: str, folder: Path, *, no_sync: bool, as_json: bool) -> None:
        with open_folder(folder) as collection:
            if not no_sync and collection.is_indexed:
                _refresh(collection)
            shelf = _shelf(collection, kind)
            item, links = shelf.get(wanted), shelf.links(wanted)
        _show_one(item, links=links, as_json=as_json)

    group.add_command(showing)


def _edit(group: click.Group, kind: Kind) -> None:
    @click.command(
        "edit",
        help=f"Change fields of a {kind}; without any, open its file in your editor.",
    )
    @_ID
    @FOLDER
    @click.option("--title", help="Another title; the id stays.")
    @_VERSION
    @AS_JSON
    def editing(
        wanted: str,
        folder: Path,
        *,
        title: str | None,
        expected: int | None,
        as_json: bool,
        **more: object,
    ) -> None:
        places_ = {name: more.pop(name) for name in ("order", "before", "after") if name in more}
        is_used = bool(more.pop("used", False))
        fields = given_fields(kind, {"title": title, **more})
        is_moved = any(value is not None for value in places_.values())
        with open_folder(folder) as collection:
            shelf = _shelf(collection, kind)
            if not (fields or is_used or is_moved):
                _open_editor(collection, kind, shelf.get(wanted).slug)
            # Not read before it is changed: what the person has not seen is not lost by that.
            if fields:
                shelf.update(wanted, expected_version=expected, **fields)
            if is_moved:
                shelf.reorder(wanted, **places_)
            if is_used:
                shelf.bump(wanted)
            item = shelf.get(wanted)
        _show_one(item, as_json=as_json, brief=True)

    with_fields(editing, kind)
    if kind is Kind.TASK:
        editing.params[-1:-1] = [
            click.Option(["--order"], type=float, help="Its place in its column, as a number."),
            click.Option(["--before"], help="Put it before this task of its column."),
            click.Option(["--after"], help="Put it after this task of its column."),
        ]
    if kind is Kind.SKILL:
        used = click.Option(["--used"], is_flag=True, help="Count that it was used now.")
        editing.params.insert(-1, used)
    group.add_command(editing)


def _open_editor(collection: Collection, kind: Kind, slug: str) -> None:
    """Let a person edit the file. Raises UsageError where nobody sits at a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(f"Say what to change; see: trivium {kind} edit --help")
    kept = collection.memory.desk.files.read(kind, slug)
    if kept is not None:
        click.edit(filename=str(kept.path))
    if collection.is_indexed:
        collection.memory.ground.take_in(kind, [slug])


def _delete(group: click.Group, kind: Kind) -> None:
    @click.command("delete", help=f"Delete a {kind} and its file, for good.")
    @_ID
    @FOLDER
    @click.option("--yes", is_flag=True, help="Do not ask.")
    @_VERSION
    @AS_JSON
    def deleting(
        wanted: str, folder: Path, *, yes: bool, expected: int | None, as_json: bool
    ) -> None:
        with open_folder(folder) as collection:
            shelf = _shelf(collection, kind)
            item = shelf.peek(wanted)
            asks = not yes and sys.stdin.isatty()
            if asks and not click.confirm(f"Delete {one_line(item.title)}?", err=True):
                raise click.exceptions.Exit(NOTHING_FOUND)
            shelf.delete(item.slug, expected_version=expected)
        if as_json:
            show_json({"id": item.id, "deleted": True})
        else:
            say(f"Deleted {item.id}.")

    group.add_command(deleting)


def _link(group: click.Group, kind: Kind) -> None:
    @click.command("link", help=f"Link a {kind} to a node, by its id.")
    @_ID
    @click.argument("link_type", metavar="TYPE")
    @click.argument("target", metavar="TARGET")
    @FOLDER
    @click.option("--remove", is_flag=True, help="Take the link away.")
    @NO_SYNC
    @AS_JSON
    def linking(
        wanted: str,
        link_type: str,
        target: str,
        folder: Path,
        *,
        remove: bool,
        no_sync: bool,
        as_json: bool,
    ) -> None:
        with open_folder(folder) as collection:
            if not no_sync:
                _refresh(collection)
            shelf = _shelf(collection, kind)
            if remove:
                item = shelf.unlink(wanted, target, type_=link_type)
            else:
                item = shelf.link(wanted, link_type, target)
        _show_one(item, as_json=as_json, brief=True)

    group.add_command(linking)


def _attach(group: click.Group, kind: Kind) -> None:
    @click.command("attach", help=f"Keep a copy of a file beside a {kind}.")
    @_ID
    @click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
    @FOLDER
    @click.option("--remove", is_flag=True, help="Remove the copy of that name.")
    @AS_JSON
    def attaching(wanted: str, file: Path, folder: Path, *, remove: bool, as_json: bool) -> None:
        from trivium.memory.attached import attachment_data

        with open_folder(folder) as collection:
            shelf = _shelf(collection, kind)
            if remove:
                shelf.detach(wanted, file.name)
            else:
                shelf.attach(wanted, file.name, _bytes_of(file))
            found = shelf.attachments(wanted)
        if as_json:
            show_json({"attachments": [attachment_data(one) for one in found]})
        else:
            for one in found:
                show(f"{one_line(one.name)}\t{one.mime_type}\t{one.size_bytes:,}")

    group.add_command(attaching)


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error


def _search(group: click.Group, kind: Kind) -> None:
    @click.command("search", help=f"Search the {_PLURAL[kind]} of FOLDER.")
    @click.argument("query")
    @FOLDER
    @click.option("-n", "--limit", type=int, help="Most to show.")
    @click.option("--profile", help="How to rank.")
    @NO_SYNC
    @AS_JSON
    def searching(
        query: str,
        folder: Path,
        *,
        limit: int | None,
        profile: str | None,
        no_sync: bool,
        as_json: bool,
    ) -> None:
        with open_folder(folder) as collection:
            if not no_sync:
                _refresh(collection)
            answer = _shelf(collection, kind).search(query, limit=limit, profile=profile)
            place = places(collection, folder)
        show_answer(answer, place, as_json=as_json)

    group.add_command(searching)


@click.command()
@click.argument("context")
@FOLDER
@click.option("-n", "--limit", type=int, help="Most to show.")
@click.option(
    "--min-score", type=float, default=0.3, show_default=True, help="Least score, 0 to 1."
)
@NO_SYNC
@AS_JSON
def recall(
    context: str, folder: Path, *, limit: int | None, min_score: float, no_sync: bool, as_json: bool
) -> None:
    """Find the skills for what you are about to do, told in a sentence or two.

    Exit status: 0 found, 1 nothing found, 2 error.
    """
    with open_folder(folder) as collection:
        if not no_sync:
            _refresh(collection)
        answer = collection.recall(context, limit=limit, min_score=min_score)
        place = places(collection, folder)
    show_answer(answer, place, as_json=as_json)


def _shelf(collection: Collection, kind: Kind) -> Any:  # noqa: ANN401 - one of three, by its name
    return getattr(collection, _PLURAL[kind])


def _refresh(collection: Collection) -> None:
    with Progress("looking for files") as progress:
        collection.refresh(progress=progress)


def _say_where(collection: Collection, folder: Path, slug: str, kind: Kind) -> None:
    kept = collection.memory.desk.files.read(kind, slug)
    if kept is not None:
        inside = kept.path.is_relative_to(collection.root)
        path = kept.path.relative_to(collection.root).as_posix() if inside else str(kept.path)
        say(one_line(places(collection, folder)(path) if inside else path), dim=True)


def _show_one(
    item: Any,  # noqa: ANN401 - a note, a task or a skill
    *,
    as_json: bool,
    links: Any = (),  # noqa: ANN401
    brief: bool = False,
) -> None:
    from trivium.doors.cli.memory_text import text_of
    from trivium.memory.ground import links_data
    from trivium.memory.items import as_data

    if as_json:
        show_json(as_data(item) if brief else {**as_data(item), "links": links_data(links)})
        return
    show(item.id if brief else text_of(item, links))
    for problem in item.problems:
        say(one_line(problem))


note = _group(Kind.NOTE, "Write down, change and find notes: Markdown files in .trivium/notes.")
task = _group(Kind.TASK, "Write down, change and find tasks: Markdown files in .trivium/tasks.")
skill = _group(Kind.SKILL, "Write down, change and find skills: Markdown files in .trivium/skills.")
