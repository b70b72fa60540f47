"""Files that may have changed -> whether the index has them as they are.

Who writes a note has it taken in, and is then told by the system that it has changed. Asks for no
lock, since nothing is written. Called by the folder before a sync of single files.
"""

from __future__ import annotations

from trivium.backends.base import Backend
from trivium.sources.base import Skip, Source
from trivium.writing.plan import plan


def is_unchanged(
    source: Source, backend: Backend, paths: frozenset[str], *, synced_ns: int | None
) -> bool:
    """Whether the index lacks nothing of these files, also of those that are gone."""
    with backend.snapshot() as snapshot:
        known = snapshot.files(paths)
    listing = source.list(paths)
    if listing.skipped or {one.path for one in listing.entries} != known.keys():
        return False
    for entry in plan(listing.entries, known, synced_ns=synced_ns).read:
        read, before = source.read(entry), known[entry.path]
        if isinstance(read, Skip) or read.sha256 != before.sha256:
            return False
        if (read.entry.size_bytes, read.entry.mtime_ns) != (before.size_bytes, before.mtime_ns):
            return False
    return True
