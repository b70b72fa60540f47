"""One index, several sources: who may write when, and what each keeps beside the others.

Who has all of an index holds its lock for a whole sync. Who has a feed of it holds a lock of the
feed, and that of the index for a batch at a time: others write in between. Called by the indexer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from trivium.backends.base import Backend, Batch, FileState, Seen, Writer
from trivium.writing.feed import BEGUN, WITHDRAWN, Feed
from trivium.writing.folders import folder_changes

# So long does one wait for the others to store a batch of theirs.
SHARED_WAIT_S = 600.0
_FILES_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Ended:
    """What a sync has seen of its feed; no `files` where none has come or gone.

    They are but a part of those it holds if it `is_part`.
    """

    files: set[str] | None
    skipped: Mapping[str, str]
    in_vain: Mapping[str, Seen]
    is_part: bool = False


@contextmanager
def writing(
    backend: Backend, feed: Feed, *, wait_s: float
) -> Iterator[Callable[[], AbstractContextManager[Writer]]]:
    """Be the only one who syncs this feed; yield what lends the writer for a batch."""
    if feed.is_all:
        with backend.writer(wait_s=wait_s) as writer:
            yield lambda: nullcontext(writer)
        return
    with backend.writer(wait_s=max(wait_s, SHARED_WAIT_S)) as writer:
        if feed.synced_key not in backend.meta():
            writer.note({feed.synced_key: BEGUN})
    with backend.turn(feed.synced_key, wait_s=wait_s):
        yield lambda: backend.writer(wait_s=SHARED_WAIT_S)


def conclude(
    backend: Backend,
    writer: Writer,
    feed: Feed,
    ended: Ended,
    *,
    known: Mapping[str, FileState],
) -> None:
    """Keep what a sync has seen, beside what others have: folders, files passed over, the time.

    `known` is what the feed held before.
    """
    if feed.is_all:
        if ended.files is not None:
            with backend.snapshot() as snapshot:
                others = snapshot.has_files if ended.is_part else None
                changes = folder_changes(known, ended.files, has_files=others)
            _write_folders(writer, changes)
        writer.record(skipped=ended.skipped, in_vain=ended.in_vain)
        return
    with backend.snapshot() as snapshot:
        # Others may have written since: what is theirs now is kept.
        known = snapshot.files()
        skipped = {**feed.beside(snapshot.skipped()), **ended.skipped}
        in_vain = {**feed.beside(snapshot.in_vain()), **ended.in_vain}
    if ended.files is not None:
        beside = {path for path in feed.beside(known) if not path.endswith("/")}
        _write_folders(writer, folder_changes(known, beside | ended.files))
    writer.record(skipped=skipped, in_vain=in_vain)
    writer.note({feed.synced_key: datetime.now(UTC).isoformat(timespec="seconds")})


def withdraw(backend: Backend, feed: Feed, *, wait_s: float = 5.0) -> int:
    """Take out of an index what a source has brought; return how many files that were."""
    with writing(backend, feed, wait_s=wait_s) as lent, lent() as writer:
        with backend.snapshot() as snapshot:
            known = snapshot.files()
        gone = tuple(path for path in feed.of(known) if not path.endswith("/"))
        for first in range(0, len(gone), _FILES_AT_ONCE):
            writer.write(Batch(removed=gone[first : first + _FILES_AT_ONCE]))
        conclude(backend, writer, feed, Ended(set(), {}, {}), known=known)
        writer.note({feed.synced_key: WITHDRAWN})
        writer.publish()
    return len(gone)


def _write_folders(writer: Writer, changes: Batch | None) -> None:
    """Give every folder that holds a file its node, and take it from those that hold none."""
    if changes is not None:
        writer.write(changes)
