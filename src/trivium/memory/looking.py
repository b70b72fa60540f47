"""The files of memory -> the catalog that lists go by, kept up to date at the least cost.

A folder whose names are as they were is not looked into; what the API writes is put down at
once. Used by the desk.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from trivium.errors import SourceError
from trivium.memory.catalog import Catalog, Row, Wanted
from trivium.memory.files import Files
from trivium.memory.items import Values
from trivium.memory.reading import item_of, now_of, values_of
from trivium.types import Kind

# A file written again within one tick of the clock keeps its time.
_RACY_NS = 2_000_000_000
# Asking the disk about as many takes some 20 milliseconds.
_FEW = 2000


class Looking:
    """Keeps a catalog up to date with files."""

    def __init__(self, files: Files, catalog: Catalog) -> None:
        self._files = files
        self._catalog = catalog

    def look(self, kind: Kind, *, whole: bool = False) -> None:
        """Bring what lists go by up to date with the files.

        Where there are very many, those that were edited in place are noticed only if `whole`,
        or with any file that came or went.
        """
        stamps = self._files.stamps(kind)
        written = _written(stamps)
        is_many = not whole and self._catalog.count(kind, Wanted()) > _FEW
        if is_many and self._is_settled(kind, stamps):
            return
        looked = time.time_ns()
        # In this order: what another process writes after the listing must not seem gone.
        rows = self._catalog.rows(kind)
        listing = self._files.listed(kind)
        changed = [
            slug
            for slug, one in listing.items()
            if (row := rows.get(slug)) is None
            or (row.size_bytes, row.mtime_ns) != (one.size_bytes, one.mtime_ns)
            or one.mtime_ns > row.looked_ns - _RACY_NS
        ]
        gone = [slug for slug in rows if slug not in listing and self._is_gone(kind, slug)]
        self._catalog.take_in(
            kind, self._rows(kind, changed, looked), gone=gone, stamps=(written, looked)
        )
        self._files.tidy(kind, now=looked / 1e9)

    def _is_gone(self, kind: Kind, slug: str) -> bool:
        try:
            return self._files.read(kind, slug) is None
        except SourceError:
            return True

    def _rows(
        self, kind: Kind, slugs: Sequence[str], looked: int
    ) -> Iterator[tuple[Row, Values, Sequence[str]]]:
        bases = self._catalog.bases(kind, slugs if len(slugs) < _FEW else None)
        for slug in slugs:
            try:
                kept = self._files.read(kind, slug)
            except SourceError as error:
                yield Row(slug, 0, 0, 0), {"title": slug}, (str(error),)
                continue
            if kept is not None:
                now = now_of(kind, slug, kept, bases.get(slug))
                item = item_of(kind, slug, now.reading, now.version, now.updated)
                row = Row(slug, kept.size_bytes, kept.mtime_ns, looked)
                yield row, values_of(kind, item), item.problems

    @contextmanager
    def noting(self, kind: Kind, slug: str) -> Iterator[None]:
        """Put down what happens to one file here, which is held by the lock of the folder.

        So that the next list need not look at all files; where others have changed, it must.
        """
        before = self._files.stamps(kind)
        is_settled = self._is_settled(kind, before)
        yield
        if is_settled:
            stamps = self._files.stamps(kind)
            looked = time.time_ns()
            rows = list(self._rows(kind, [slug], looked))
            # As if looked at later: our own change is no sign that others were made with it.
            settled = max(*stamps, looked) + _RACY_NS + 1
            gone = [] if rows else [slug]
            self._catalog.take_in(kind, rows, gone=gone, stamps=(_written(stamps), settled))

    def _is_settled(self, kind: Kind, stamps: Sequence[int]) -> bool:
        """Whether nothing came or went since the last look."""
        known = self._catalog.looked(kind)
        return (
            known is not None and known[0] == _written(stamps) and max(stamps) < known[1] - _RACY_NS
        )


def _written(stamps: Sequence[int]) -> str:
    return " ".join(map(str, stamps))
