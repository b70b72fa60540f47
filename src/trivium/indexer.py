"""The write spine: sync(), then remember() and embed().

list -> plan -> read -> mask -> parse -> chunk -> write -> publish. Each stage is a plain
function of values; this is the only module that knows their order. One bad file is
counted and the others go on. What `write` has returned for is safe.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from trivium.backends.base import (
    Arranging,
    Backend,
    Batch,
    FileContent,
    FileHistory,
    FileState,
    Seen,
    Writer,
)
from trivium.crew import Crew, digested
from trivium.errors import IndexRemoved
from trivium.feeding import SHARED_WAIT_S, Ended, conclude, writing
from trivium.filling import Filling, Turns, embed_now, publish
from trivium.models.base import Embedder, Remarking
from trivium.parsing.shelves import kind_in_memory
from trivium.sources.base import Listing, Raw, Reason, Skip, Source
from trivium.types import Kind, NodeId
from trivium.writing.digest import Cutting, digest, folders_of
from trivium.writing.feed import ALL, Feed
from trivium.writing.plan import Plan, all_skipped, plan

log = logging.getLogger(__name__)

# A batch is what is lost at most when the process dies: half a second of work.
_BATCH_CHARACTERS = 2_000_000
_BATCH_FILES = 256
_PUBLISH_EVERY_S = 5.0
# Sooner the first time: whoever asks while a first index is made is to find something.
_PUBLISH_FIRST_S = 1.0

# Why a file was read in vain that will be so again, as long as the file is the same.
_FOR_GOOD = frozenset({Reason.BINARY, Reason.UNDECODABLE, Reason.MINIFIED, Reason.TOO_LARGE})

Progress = Callable[[str, int, int], None]


def no_progress(stage: str, done: int, total: int) -> None:
    """Say nothing."""


def no_check(listing: Listing) -> None:
    """Refuse nothing."""


@dataclass(slots=True)
class Report:
    """What a sync did.

    `files` are those the index holds now, of all that were asked for; `in_vain` those that were
    read and hold no text. It brought the index from batch `since` to batch `seq`, and with that
    the paths that `came` and `went`.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    masked: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    kept: int = 0
    files: set[str] = field(default_factory=set)
    in_vain: dict[str, Seen] = field(default_factory=dict)
    came: frozenset[str] = frozenset()
    went: frozenset[str] = frozenset()
    since: str = ""
    seq: str = ""

    @property
    def said(self) -> str:
        """What it did, for people."""
        return f"{self.added:,} added, {self.changed:,} changed, {self.removed:,} removed"

    @property
    def wrote(self) -> bool:
        """Whether the index differs from before."""
        return bool(self.added or self.changed or self.removed)


def sync(
    source: Source,
    backend: Backend,
    *,
    cutting: Cutting,
    folders: frozenset[str] | None = None,
    feed: Feed = ALL,
    synced_ns: int | None = None,
    wait_s: float = 5.0,
    progress: Progress = no_progress,
    check: Callable[[Listing], None] = no_check,
    keeps_if_empty: bool = False,
    instant: Embedder | None = None,
    jobs: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Report:
    """Bring the index up to date with its source; only what changed costs anything.

    New text has a vector of the `instant` model when this returns. `folders` are those in which
    something may have changed, or files of memory; None is all. Where they are nothing but
    such files, nothing is gone through but these. `check` sees what was found before anything is
    done, and may refuse by raising. A source that is suddenly empty, as an unmounted disk is,
    keeps its index if `keeps_if_empty`. Where it is but a `feed` of the index, what others
    have brought is left alone, and they may write meanwhile. `jobs` is how many processes read
    files; None is one for each core.
    """
    with writing(backend, feed, wait_s=wait_s) as lent:
        # Listed under the lock: else a file that another process has just taken in is forgotten.
        progress("listing", 0, 0)
        meta = backend.meta()
        if not feed.synced_at(meta):
            # No sync has ended here yet, or another process has removed what it brought.
            folders = None
        is_alone = feed.is_all and folders and all(map(kind_in_memory, folders))
        alone = folders if is_alone else None
        with backend.snapshot() as snapshot:
            wanted = None if alone is None else alone | folders_of({*alone})
            known = feed.of(snapshot.files(wanted))
            passed_over, in_vain = feed.of(snapshot.skipped()), feed.of(snapshot.in_vain())
        listing = source.list(folders, known=() if folders is None else {*known, *passed_over})
        check(listing)
        files = {path for path in known if not path.endswith("/")}
        is_empty = listing.looked is None and not listing.entries and not listing.skipped
        if keeps_if_empty and files and is_empty:
            return Report(kept=len(files), files=files)
        todo = plan(
            listing.entries, known, synced_ns=synced_ns, looked=listing.looked, in_vain=in_vain
        )
        skipped = {skip.path: skip.reason.value for skip in listing.skipped}
        report = Report(skipped=all_skipped(passed_over, skipped, looked=listing.looked))
        report.in_vain = _still(in_vain, listing, todo)
        report.skipped |= {path: passed_over[path] for path in report.in_vain}
        report.files = files.difference(todo.forget)
        report.unchanged = len(listing.entries) - len(todo.read)
        published, due_s = clock(), _PUBLISH_EVERY_S if known else _PUBLISH_FIRST_S
        with Crew(size=jobs) as crew:
            claims = _Claims(backend, cutting, is_shared=not feed.is_all)

            def digesting(raws: Iterable[Raw]) -> Iterator[FileContent]:
                for raw, content in digested(raws, cutting, expected=len(todo.read), crew=crew):
                    yield claims.settle(raw, content)

            for batch in _batches(source, todo, known, report, digesting, progress):
                changes = batch.removed or any(one.state.path in known for one in batch.replaced)
                with lent() as writer:
                    writer.write(batch)
                    # Until publish, a changed file is in no text index: keep that short.
                    if changes or clock() - published > due_s:
                        writer.publish()
                        published, due_s = clock(), _PUBLISH_EVERY_S
        with lent() as writer:
            has_moved = listing.looked is None or bool(report.added or report.removed)
            kept = {path: one for path, one in report.in_vain.items() if path in report.skipped}
            ended = Ended(
                report.files if has_moved else None,
                report.skipped,
                kept,
                is_part=alone is not None,
            )
            conclude(backend, writer, feed, ended, known=known)
            if instant is not None:
                embed_now(backend, writer, instant, progress)
            writer.publish()
        report.came = frozenset(report.files.difference(known))
        report.went = frozenset(files - report.files)
        if feed.is_all:
            # Else others may have written between the two.
            report.since, report.seq = meta.get("seq", ""), backend.meta().get("seq", "")
    log.info("synced: %s", report.said)
    return report


def embed_instantly(backend: Backend, embedder: Embedder | None, *, wait_s: float = 5.0) -> None:
    """Give every text a vector of an instant model, as a sync does."""
    if embedder is not None:
        with backend.writer(wait_s=wait_s) as writer:
            embed_now(backend, writer, embedder, no_progress)
            writer.publish()


def _still(in_vain: Mapping[str, Seen], listing: Listing, todo: Plan) -> dict[str, Seen]:
    """Return the files once read in vain that are there as they were."""
    again = {entry.path for entry in todo.read}
    there = {entry.path for entry in listing.entries}
    return {
        path: one
        for path, one in in_vain.items()
        if path not in again
        and (
            path in there
            or (
                listing.looked is not None
                and listing.looked.isdisjoint((path, path.rpartition("/")[0]))
            )
        )
    }


class _Claims:
    """Sees to it that no two files claim one id: skills are named without their paths."""

    def __init__(self, backend: Backend, cutting: Cutting, *, is_shared: bool = False) -> None:
        self._backend = backend
        self._cutting = cutting
        self._is_shared = is_shared
        self._holders: dict[NodeId, str] = {}

    def settle(self, raw: Raw, content: FileContent) -> FileContent:
        """Return the content, with ids apart if another file's skill has the same."""
        path = raw.entry.path
        claimed = next((node.id for node in content.nodes if node.kind is Kind.SKILL), None)
        if claimed is None:
            return content
        if self._is_shared:
            # What others claim at this moment cannot be known.
            return digest(raw, self._cutting, is_apart=True)
        holder = self._holders.get(claimed)
        if holder is None:
            with self._backend.snapshot() as snapshot:
                node = snapshot.node(claimed)
            holder = path if node is None else node.source.file_path
        if holder != path:
            return digest(raw, self._cutting, is_apart=True)
        self._holders[claimed] = path
        return content


@dataclass(slots=True)
class _Changes:
    """What is to be written next."""

    replaced: list[FileContent] = field(default_factory=list)
    touched: list[FileState] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    characters: int = 0

    def is_full(self) -> bool:
        """Whether this is as much as one batch should hold."""
        return self.characters >= _BATCH_CHARACTERS or len(self.replaced) >= _BATCH_FILES

    def taken(self) -> Batch:
        """Return the batch, and begin the next."""
        batch = Batch(tuple(self.replaced), tuple(self.gone), tuple(self.touched))
        self.replaced, self.touched, self.gone, self.characters = [], [], [], 0
        return batch


def _batches(
    source: Source,
    todo: Plan,
    known: Mapping[str, FileState],
    report: Report,
    digesting: Callable[[Iterable[Raw]], Iterator[FileContent]],
    progress: Progress,
) -> Iterator[Batch]:
    """Yield what to write, in batches of bounded size; forgotten files go first."""
    report.removed = len(todo.forget)
    if todo.forget:
        yield Batch(removed=todo.forget)
    changes = _Changes()
    for content in digesting(_read(source, todo, known, report, changes, progress)):
        path = content.state.path
        if content.skipped:
            report.skipped[path] = content.skipped
            report.in_vain[path] = Seen(content.state.size_bytes, content.state.mtime_ns)
            if path in known:
                changes.gone.append(path)
                report.files.discard(path)
                report.removed += 1
            continue
        report.masked += content.state.masked
        report.chunks += len(content.chunks)
        if path in known:
            report.changed += 1
        else:
            report.added += 1
        report.files.add(path)
        changes.replaced.append(content)
        changes.characters += len(content.document.text)
        if changes.is_full():
            yield changes.taken()
    if changes.replaced or changes.touched or changes.gone:
        yield changes.taken()
    progress("reading", len(todo.read), len(todo.read))


def _read(
    source: Source,
    todo: Plan,
    known: Mapping[str, FileState],
    report: Report,
    changes: _Changes,
    progress: Progress,
) -> Iterator[Raw]:
    """Yield the files whose content is new; note those that are gone, or the same as before."""
    for done, entry in enumerate(todo.read):
        progress("reading", done, len(todo.read))
        before = known.get(entry.path)
        read = source.read(entry)
        if isinstance(read, Skip):
            report.skipped[read.path] = read.reason.value
            if read.reason in _FOR_GOOD:
                report.in_vain[read.path] = Seen(entry.size_bytes, entry.mtime_ns)
            if before is not None:
                changes.gone.append(entry.path)
                report.files.discard(entry.path)
                report.removed += 1
        elif before is not None and before.sha256 == read.sha256:
            size, mtime = read.entry.size_bytes, read.entry.mtime_ns
            # One that was read again only because it was so new is known as it is.
            if (size, mtime) != (before.size_bytes, before.mtime_ns):
                changes.touched.append(FileState(entry.path, size, mtime, read.sha256))
            report.unchanged += 1
        else:
            yield read


def remember(
    backend: Backend,
    root: Path,
    *,
    feed: Feed = ALL,
    wait_s: float = 5.0,
    should_stop: Callable[[], bool] = lambda: False,
) -> int:
    """Keep what the folder's repository knows of its files; return for how many that is new.

    Only commits since the last time are walked.
    """
    from trivium.sources.history import history

    backend = backend.as_it_is()
    with backend.snapshot() as snapshot:
        since = feed.head_of(snapshot.history_head())
        found = history(root, since=since or None, should_stop=should_stop)
        if found is None or (found.head == since and not found.rows):
            return 0
        rows = []
        for path, one in found.rows.items():
            before = feed.placed(one.formerly or path)
            known = None if found.is_whole else snapshot.history(before)
            churn = one.churn + (0 if known is None else known.churn)
            rows.append(FileHistory(feed.placed(path), one.author, one.modified, churn))
    with backend.writer(wait_s=wait_s if feed.is_all else SHARED_WAIT_S) as writer:
        with backend.snapshot() as snapshot:
            head = feed.with_head(snapshot.history_head(), found.head)
        writer.put_history(rows, head=head, forget=found.is_whole and feed.is_all)
    return len(rows)


def embed(
    backend: Backend,
    embedder: Embedder,
    *,
    wait_s: float = 5.0,
    progress: Progress = no_progress,
    say: Callable[[str], None] = log.info,
    first: Callable[[], Sequence[str]] = tuple,
    retries: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Give every chunk a vector of this model; return how many texts were embedded here.

    Files that `first` names come before the newest. Where another process embeds with the
    model, the two take turns, and no text is embedded twice; `say` tells of that. The writer
    lock is held only to look and to store, so that others can write in between. What was
    stored before an interruption is kept, and published; so is the pace, for those who ask
    how long it will take. With `retries`, texts for which the model gave zeros are given to it
    once more, after the others. Raises IndexRemoved, and writes no more, if the index is removed.
    """
    backend = backend.as_it_is()
    turns = Turns(backend, embedder, progress=progress, say=say)
    filling = Filling(backend, embedder, turns, wait_s=wait_s, progress=progress, clock=clock)
    try:
        filling.fill(first)
        if retries:
            filling.retry()
    except BaseException:
        # What ended it is to be heard of, not that there is nothing left to publish.
        with suppress(IndexRemoved):
            publish(backend, wait_s=wait_s)
        raise
    finally:
        for remark in embedder.remarks() if isinstance(embedder, Remarking) else ():
            say(remark)
    publish(backend, wait_s=wait_s)
    return filling.done


def arrange(backend: Backend, *, progress: Progress = no_progress) -> int:
    """Have a backend put very many vectors into lists, if it does; return of how many spaces.

    Takes up to a minute for a million, once, and some seconds for each tenth that comes later.
    Searches do not need it: where the disk has no room for it, they scan on.
    """
    backend = backend.as_it_is()
    if not isinstance(backend, Arranging):
        return 0
    return backend.arrange(lambda done, total: progress("lists", done, total))


def write_all(writer: Writer, contents: Iterable[FileContent]) -> None:
    """Write files in batches of bounded size."""
    batch: list[FileContent] = []
    for content in contents:
        batch.append(content)
        if len(batch) >= _BATCH_FILES:
            writer.write(Batch(tuple(batch)))
            batch = []
    if batch:
        writer.write(Batch(tuple(batch)))
