"""FOLDER, as a person gave it -> the collection that answers for it, and places they can open.

A folder below an indexed one uses that index; what would throw an index away is refused
there, since it would take the folders beside it along. Called by the commands.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.collection import Collection
    from trivium.config import Value
    from trivium.results.present import Place

FOLDER = click.argument("folder", default=".", type=click.Path(path_type=Path))
NO_SYNC = click.option("--no-sync", is_flag=True, help="Do not look for changed files first.")
FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


def open_folder(
    folder: Path, *, create: bool = True, file: str = "", kept: Mapping[str, Value] | None = None
) -> Collection:
    """Return the collection of a folder, or of one file in it; `kept` are settings of where."""
    from trivium.collection import open_collection
    from trivium.config import load

    settings = load(folder=folder).flagged(kept) if kept else None
    return open_collection(folder, create=create, file=file, settings=settings)


def own_root(folder: Path, *, command: str) -> Path | None:
    """Return the folder, resolved, if it has an index of its own; None if it has none at all.

    Raises UsageError that gives the `command` to run instead if the index is one above.
    """
    resolved = folder.expanduser().resolve()
    root = indexed_root(resolved)
    if root is not None and root != resolved:
        raise UsageError(
            f"{resolved} has no index of its own: it is in the index of {root}. "
            f"For all of that run: trivium {command} {shlex.quote(str(root))}"
        )
    return root


def indexed_root(folder: Path) -> Path | None:
    """Return `folder`, which must be resolved, or the nearest one above that has an index."""
    from trivium.config import load
    from trivium.home import find_root

    return find_root(folder, load().home)


def named_root(given: str) -> Path:
    """Return the folder that was given by its path, or by the name of its collection.

    Raises UsageError that names the collections there are.
    """
    from trivium.config import load
    from trivium.errors import unknown
    from trivium.home import listed

    place = Path(given).expanduser()
    if place.is_dir():
        return place.resolve()
    known = listed(load().home)
    found = [Path(one.root) for one in known if one.name == given]
    if not found:
        raise UsageError(unknown("folder or collection", given, [one.name for one in known]))
    if len(found) > 1:
        both = " and ".join(map(str, found))
        raise UsageError(f"{both} are both called {given!r}. Give the folder.")
    return found[0]


def remembered_model(root: Path) -> str | None:
    """Return the model that the index of `root` remembers, even one that cannot be opened."""
    from trivium import home
    from trivium.config import load

    settings = load()
    if not _is_elsewhere(root):
        return home.remembered(root, settings.home).get("model")
    with open_folder(root) as collection:
        return collection.remembered_model


def _is_elsewhere(root: Path) -> bool:
    """Whether the index of `root` is not on this machine."""
    from trivium import home
    from trivium.config import load
    from trivium.whereabouts import settled

    settings = load()
    kept = settled(settings, home.folder_of(root, settings.home))
    return kept.text("backend.kind") != "embedded"


def remove(root: Path) -> None:
    """Remove the index of `root`, even one that cannot be opened; it is made where it was."""
    from trivium import home
    from trivium.config import load

    if not _is_elsewhere(root):
        home.remove(root, load().home)
        return
    with open_folder(root) as collection:
        collection.reset(keeps_place=True)


def places(collection: Collection, folder: Path) -> Place:
    """Return how to write a path of the index so that it opens from where the person stands.

    That is the folder as it was given, and what comes below it.
    """
    given = folder.expanduser()
    below = collection.feed.local(f"{collection.below}/") if collection.below else ""

    def place(path: str) -> str:
        local = collection.feed.local(path)
        if local is None:
            # Another machine has it.
            return path
        if below is not None and local.startswith(below):
            return str(given / local.removeprefix(below))
        return str(collection.root / local)

    return place
