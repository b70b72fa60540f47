"""Lists of names -> what metadata may hold of them: distinct, in order, not too many or too long.

Used by the reader's parts.
"""

from __future__ import annotations

from collections.abc import Iterable

MOST_ENTRIES = 100
MOST_CALLS = 200
LONGEST_ENTRY = 200


def distinct(entries: Iterable[str]) -> tuple[str, ...]:
    """Return entries without repeats, cut to what metadata may hold."""
    kept = dict.fromkeys(entry[:LONGEST_ENTRY] for entry in entries if entry)
    return tuple(kept)[:MOST_ENTRIES]


def first(entries: dict[str, None]) -> dict[str, None]:
    """Return as many entries as metadata may hold."""
    return entries if len(entries) <= MOST_ENTRIES else dict.fromkeys([*entries][:MOST_ENTRIES])
