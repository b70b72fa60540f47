"""A source -> the same, as one of several that feed a collection: below a folder of its own.

What it lists and reads has the paths of the collection; `folders` that may have changed are named
as the source names them. Made by the folder where settings say so.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from trivium.sources.base import Entry, Listing, Raw, Skip, Source


class Under:
    """A source whose documents stand below the folder `under` of the collection."""

    def __init__(self, source: Source, under: str) -> None:
        self._source = source
        self._prefix = f"{under}/"

    def list(
        self, folders: frozenset[str] | None = None, *, known: Collection[str] = ()
    ) -> Listing:
        """List the source; of what is `known`, what stands elsewhere is not looked for."""
        prefix = self._prefix
        own = {one.removeprefix(prefix) for one in known if one.startswith(prefix)}
        found = self._source.list(folders, known=own)
        looked = None if found.looked is None else frozenset(map(self._placed, found.looked))
        return Listing(
            tuple(replace(one, path=prefix + one.path) for one in found.entries),
            tuple(replace(one, path=prefix + one.path) for one in found.skipped),
            looked,
        )

    def _placed(self, folder: str) -> str:
        return (self._prefix + folder).removesuffix("/")

    def read(self, entry: Entry) -> Raw | Skip:
        """Return the text of one entry, or why there is none."""
        read = self._source.read(replace(entry, path=entry.path.removeprefix(self._prefix)))
        if isinstance(read, Skip):
            return replace(read, path=self._prefix + read.path)
        return replace(read, entry=replace(read.entry, path=self._prefix + read.entry.path))
