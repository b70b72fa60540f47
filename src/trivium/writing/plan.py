"""What is there and what the index knows -> what to read and what to forget.

Compares by size and time; whether a changed file really differs is settled by its hash
when it is read. Pure. Called first on the write spine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trivium.backends.base import FileState, Seen
from trivium.sources.base import Entry

# A file written again within one tick of the clock keeps its time. One that is as young
# as the last sync is therefore read again.
_RACY_NS = 2_000_000_000


_NOTHING: Mapping[str, Seen] = {}


@dataclass(frozen=True, slots=True)
class Plan:
    """Files to read again and paths to forget."""

    read: tuple[Entry, ...]
    forget: tuple[str, ...]

    @property
    def changes(self) -> int:
        """How many files may differ from the index."""
        return len(self.read) + len(self.forget)


def plan(
    entries: Iterable[Entry],
    known: Mapping[str, FileState],
    *,
    synced_ns: int | None = None,
    looked: frozenset[str] | None = None,
    in_vain: Mapping[str, Seen] = _NOTHING,
) -> Plan:
    """Plan a sync. `synced_ns` is when the last one ended.

    Files that were read `in_vain` are left alone as long as they are what they were then.

    Where only some folders or files were `looked` at, all others are left as they are. A known
    path that ends in a slash is a folder, and none of this plan's business.
    """
    listed: set[str] = set()
    read: list[Entry] = []
    for entry in entries:
        listed.add(entry.path)
        state = known.get(entry.path) or in_vain.get(entry.path)
        if state is None or _may_differ(entry, state, synced_ns):
            read.append(entry)
    forget = tuple(
        path
        for path in known
        if path not in listed and not path.endswith("/") and _was_looked_for(path, looked)
    )
    return Plan(tuple(read), forget)


def all_skipped(
    before: Mapping[str, str], now: Mapping[str, str], *, looked: frozenset[str] | None
) -> dict[str, str]:
    """Return every file passed over, path -> reason: as before where nobody looked now."""
    kept = {path: reason for path, reason in before.items() if not _was_looked_for(path, looked)}
    return kept | dict(now)


def _was_looked_for(path: str, looked: frozenset[str] | None) -> bool:
    return looked is None or path in looked or path.rpartition("/")[0] in looked


def _may_differ(entry: Entry, state: FileState | Seen, synced_ns: int | None) -> bool:
    if entry.size_bytes != state.size_bytes or entry.mtime_ns != state.mtime_ns:
        return True
    return synced_ns is not None and entry.mtime_ns > synced_ns - _RACY_NS
