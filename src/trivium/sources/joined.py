"""A folder and tables of databases in it -> one source.

The tables are those a person has named; all other documents are the folder's. Made by the
collection where there are any.
"""

from __future__ import annotations

from collections.abc import Collection

from trivium.sources.base import Entry, Listing, Raw, Skip
from trivium.sources.files import FolderSource
from trivium.sources.tables import list_tables, read_table


class JoinedSource:
    """A folder's files, and tables of SQLite files below it."""

    def __init__(self, folder: FolderSource, *, tables: tuple[str, ...]) -> None:
        self._folder = folder
        self._tables = frozenset(tables)

    def list(
        self, folders: frozenset[str] | None = None, *, known: Collection[str] = ()
    ) -> Listing:
        """List the folder, or some folders of it, and the tables that lie in those."""
        listing = self._folder.list(folders, known=known)
        looked = listing.looked
        wanted = (
            self._tables
            if looked is None
            else {name for name in self._tables if name.rpartition("/")[0] in looked}
        )
        tables = list_tables(self._folder.root, wanted)
        return Listing(
            entries=tuple(
                sorted((*listing.entries, *tables.entries), key=lambda entry: entry.path)
            ),
            skipped=tuple(sorted((*listing.skipped, *tables.skipped), key=lambda skip: skip.path)),
            looked=looked,
        )

    def read(self, entry: Entry) -> Raw | Skip:
        """Return the text of a file, or the rows of a table as JSON lines."""
        if entry.path in self._tables:
            return read_table(self._folder.root, entry)
        return self._folder.read(entry)
