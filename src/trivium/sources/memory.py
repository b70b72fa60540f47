"""A folder, and memory that is kept elsewhere -> one source.

Notes, tasks and skills may lie in the user's folder instead of the project's; they are listed
under the paths they would have there, and hide files of the same path. Made by the folder.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from trivium.parsing.shelves import FOLDER, FOLDERS, kind_in_memory
from trivium.sources.base import Entry, Listing, Raw, Skip, Source
from trivium.sources.files import FolderSource
from trivium.sources.presence import is_there

_FOLDERS = frozenset(f"{FOLDER}/{name}" for name in FOLDERS.values())


class WithMemory:
    """A source with the memory that lies below `place`, which may not be there yet."""

    def __init__(self, source: Source, *, place: Path) -> None:
        self._source = source
        self._place = place

    def list(
        self, folders: frozenset[str] | None = None, *, known: Collection[str] = ()
    ) -> Listing:
        """List the source, or some folders of it, and the memory in those."""
        listing = self._source.list(folders, known=known)
        looked = listing.looked
        is_empty = looked is None and not listing.entries and not listing.skipped
        memory = self._memory()
        if memory is None or is_empty:
            # An empty folder may be an unmounted disk, which memory must not hide.
            return listing
        if looked is None:
            wanted = _FOLDERS
        else:
            asked = looked | (folders or frozenset())
            wanted = frozenset(one for one in asked if one in _FOLDERS or kind_in_memory(one))
        found = {
            entry.path: entry
            for entry in memory.list(wanted).entries
            if not wanted.isdisjoint((entry.path, entry.path.rpartition("/")[0]))
        }
        others = {entry.path: entry for entry in listing.entries}
        return Listing(
            entries=tuple(entry for _, entry in sorted((others | found).items())),
            skipped=listing.skipped,
            looked=None if looked is None else looked | wanted,
        )

    def read(self, entry: Entry) -> Raw | Skip:
        """Return the text of a file, from where memory is kept if it is there."""
        memory = self._memory() if kind_in_memory(entry.path) is not None else None
        if memory is not None and is_there(self._place, entry.path):
            return memory.read(entry)
        return self._source.read(entry)

    def _memory(self) -> FolderSource | None:
        return FolderSource(self._place) if self._place.is_dir() else None
