"""A place that holds documents -> what is in it, what was passed over and why, and the text.

Every place (a folder, a repository, records) answers to `Source`. One bad document never stops
the others: it comes back as a `Skip` with its reason. Called by the indexer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Reason(StrEnum):
    """Why a document was passed over. What the ignore rules leave out is not counted."""

    BINARY = "binary"
    TOO_LARGE = "too-large"
    UNDECODABLE = "undecodable"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"
    SYMLINK_OUTSIDE = "symlink-outside"
    ODD_NAME = "odd-name"
    SPECIAL = "special"
    MINIFIED = "minified"
    LOCK_FILE = "lock-file"
    OFFICE_EXTRA = "office-extra"
    DAMAGED = "damaged"
    ENCRYPTED = "encrypted"
    UNSAFE = "unsafe"
    NO_TEXT = "no-text"


@dataclass(frozen=True, slots=True)
class Entry:
    """One document before it is read. `path` is relative to the source, with forward slashes."""

    path: str
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skip:
    """A document that was passed over. The path can be printed, whatever its name was."""

    path: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Listing:
    """What a source holds, both parts in the order of their paths.

    `looked` are the folders whose files this is all there is of, the root being ""; a folder
    that is gone is one of them. So are single files that were looked at alone. None is all.
    """

    entries: tuple[Entry, ...]
    skipped: tuple[Skip, ...]
    looked: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """A document as it was read: `sha256` is of the bytes, `text` what they decode to.

    The entry holds size and time as they were when the reading began, which may be newer
    than those in the listing. `data` are the bytes of a file that is yet to be turned into
    text, which may take long.
    """

    entry: Entry
    text: str
    sha256: str
    data: bytes | None = None


class Source(Protocol):
    """Where documents come from."""

    def list(
        self, folders: frozenset[str] | None = None, *, known: Collection[str] = ()
    ) -> Listing:
        """Find everything there is to read now, or what there is in some folders.

        Among these may be files of memory, of which there may be very many in one folder: each
        is looked at alone. `known` are the paths seen before, those passed over among them and
        those of folders ending in a slash: a folder that holds none of them is new, and looked
        at as well.
        """

    def read(self, entry: Entry) -> Raw | Skip:
        """Return the text of one entry, or why there is none."""
