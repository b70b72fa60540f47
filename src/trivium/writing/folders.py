"""The files of an index -> which folders it is to have a node of, as a batch.

Every folder that holds a file has one, the root among them. Pure. Called by the indexer after
files came or went.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from trivium.backends.base import Batch
from trivium.writing.digest import folder_at, folder_content, folders_of


def folder_changes(
    known: Iterable[str], files: set[str], *, has_files: Callable[[str], bool] | None = None
) -> Batch | None:
    """Return the folders that come and go; None if none does.

    `known` are paths of the manifest as it was. Where `files` are only some of what the index
    holds, `has_files` tells of a folder whether there are others in it.
    """
    before = {path for path in known if path.endswith("/")}
    wanted = folders_of(files)
    if has_files is not None:
        wanted |= {path for path in before - wanted if has_files(folder_at(path))}
    if wanted == before:
        return None
    new = tuple(folder_content(folder_at(path)) for path in sorted(wanted - before))
    return Batch(new, removed=tuple(sorted(before - wanted)))
