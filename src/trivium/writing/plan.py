"""What is there and what the index knows -> what to read and what to forget.

Compares by size and time; whether a changed file really differs is settled by its hash
when it is read. Pure. Called first on the write spine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trivium.backends.base import FileState
from trivium.sources.base import Entry

# A file written again within one tick of the clock keeps its time. One that is as young
# as the last sync is therefore read again.
_RACY_NS = 2_000_000_000


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
    entries: Iterable[Entry], known: Mapping[str, FileState], *, synced_ns: int | None = None
) -> Plan:
    """Plan a sync. `synced_ns` is when the last one ended."""
    listed: set[str] = set()
    read: list[Entry] = []
    for entry in entries:
        listed.add(entry.path)
        state = known.get(entry.path)
        if state is None or _may_differ(entry, state, synced_ns):
            read.append(entry)
    forget = tuple(path for path in known if path not in listed)
    return Plan(tuple(read), forget)


def _may_differ(entry: Entry, state: FileState, synced_ns: int | None) -> bool:
    if entry.size_bytes != state.size_bytes or entry.mtime_ns != state.mtime_ns:
        return True
    return synced_ns is not None and entry.mtime_ns > synced_ns - _RACY_NS
