"""The write spine: sync(), then embed().

list -> plan -> read -> mask -> parse -> chunk -> write -> publish. Each stage is a plain
function of values; this is the only module that knows their order. One bad file is
counted and the others go on. What `write` has returned for is safe.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from trivium.backends.base import Backend, Batch, FileContent, FileState, Writer
from trivium.chunking.chunk import chunk
from trivium.errors import IndexLocked
from trivium.models.base import Embedder
from trivium.parsing.parse import parse
from trivium.parsing.secrets import mask
from trivium.sources.base import Listing, Raw, Skip, Source
from trivium.types import Document
from trivium.writing.plan import Plan, plan

log = logging.getLogger(__name__)

# A batch is what is lost at most when the process dies: half a second of work.
_BATCH_CHARACTERS = 2_000_000
_BATCH_FILES = 256
_PENDING = 2048
_PUBLISH_EVERY_S = 5.0
_EMBED_AT_ONCE = 64

Progress = Callable[[str, int, int], None]


def no_progress(stage: str, done: int, total: int) -> None:
    """Say nothing."""


def no_check(listing: Listing) -> None:
    """Refuse nothing."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """How prose is cut into chunks."""

    size: int = 1000
    overlap: int = 200


@dataclass(slots=True)
class Report:
    """What a sync did."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    masked: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    kept: int = 0

    @property
    def wrote(self) -> bool:
        """Whether the index differs from before."""
        return bool(self.added or self.changed or self.removed)


def sync(
    source: Source,
    backend: Backend,
    *,
    cutting: Cutting,
    synced_ns: int | None = None,
    wait_s: float = 5.0,
    progress: Progress = no_progress,
    check: Callable[[Listing], None] = no_check,
    keeps_if_empty: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Report:
    """Bring the index up to date with its source; only what changed costs anything.

    `check` sees what was found before anything is done, and may refuse by raising. A source
    that is suddenly empty, as an unmounted disk is, keeps its index if `keeps_if_empty`.
    """
    with backend.writer(wait_s=wait_s) as writer:
        # Listed under the lock: else a file that another process has just taken in is forgotten.
        progress("listing", 0, 0)
        listing = source.list()
        check(listing)
        with backend.snapshot() as snapshot:
            known = snapshot.files()
        if keeps_if_empty and known and not listing.entries and not listing.skipped:
            return Report(kept=len(known))
        todo = plan(listing.entries, known, synced_ns=synced_ns)
        report = Report(skipped={skip.path: skip.reason.value for skip in listing.skipped})
        report.unchanged = len(listing.entries) - len(todo.read)
        published = clock()
        for batch in _batches(source, todo, known, report, cutting, progress):
            writer.write(batch)
            # Between write and publish a changed file is in no text index: keep that short.
            changes = batch.removed or any(one.state.path in known for one in batch.replaced)
            if changes or clock() - published > _PUBLISH_EVERY_S:
                writer.publish()
                published = clock()
        writer.record(skipped=report.skipped)
        writer.publish()
    log.info(
        "synced: %s added, %s changed, %s removed", report.added, report.changed, report.removed
    )
    return report


def _batches(
    source: Source,
    todo: Plan,
    known: Mapping[str, FileState],
    report: Report,
    cutting: Cutting,
    progress: Progress,
) -> Iterator[Batch]:
    """Yield what to write, in batches of bounded size; forgotten files go first."""
    report.removed = len(todo.forget)
    if todo.forget:
        yield Batch(removed=todo.forget)
    replaced: list[FileContent] = []
    touched: list[FileState] = []
    gone: list[str] = []
    characters = 0
    for done, entry in enumerate(todo.read):
        progress("reading", done, len(todo.read))
        before = known.get(entry.path)
        read = source.read(entry)
        if isinstance(read, Skip):
            report.skipped[read.path] = read.reason.value
            if before is not None:
                gone.append(entry.path)
                report.removed += 1
            continue
        state = FileState(entry.path, read.entry.size_bytes, read.entry.mtime_ns, read.sha256)
        if before is not None and before.sha256 == read.sha256:
            touched.append(state)
            report.unchanged += 1
            continue
        content = digest(read, cutting)
        report.masked += content.state.masked
        report.chunks += len(content.chunks)
        if before is None:
            report.added += 1
        else:
            report.changed += 1
        replaced.append(content)
        characters += len(content.document.text)
        if characters >= _BATCH_CHARACTERS or len(replaced) >= _BATCH_FILES:
            yield Batch(tuple(replaced), tuple(gone), tuple(touched))
            replaced, touched, gone, characters = [], [], [], 0
    if replaced or touched or gone:
        yield Batch(tuple(replaced), tuple(gone), tuple(touched))
    progress("reading", len(todo.read), len(todo.read))


def digest(raw: Raw, cutting: Cutting) -> FileContent:
    """Turn one file that was read into what is written: mask, parse, cut."""
    masked = mask(raw.text, path=raw.entry.path)
    document = Document(raw.entry.path, masked.text)
    parsed = parse(document)
    chunks = chunk(document, parsed.nodes, size=cutting.size, overlap=cutting.overlap)
    state = FileState(
        raw.entry.path,
        raw.entry.size_bytes,
        raw.entry.mtime_ns,
        raw.sha256,
        masked.count,
        parsed.failure,
    )
    return FileContent(state, document, parsed.nodes, parsed.edges, tuple(chunks))


def embed(
    backend: Backend, embedder: Embedder, *, wait_s: float = 5.0, progress: Progress = no_progress
) -> int:
    """Give every chunk a vector of this model; return how many texts were embedded.

    The lock is held only to look and to store, so that others can write in between.
    What was stored before an interruption is kept, and published.
    """
    done = 0
    try:
        while True:
            with backend.writer(wait_s=wait_s) as writer:
                left = writer.count_pending(embedder.model_id)
                pending = writer.pending(embedder.model_id, limit=_PENDING) if left else ()
            if not pending:
                break
            total = done + left
            progress("embedding", done, total)
            for start in range(0, len(pending), _EMBED_AT_ONCE):
                some = pending[start : start + _EMBED_AT_ONCE]
                vectors = embedder.embed_documents([one.text for one in some])
                with backend.writer(wait_s=wait_s) as writer:
                    writer.put_vectors(embedder.model_id, [one.key for one in some], vectors)
                done += len(some)
                progress("embedding", done, total)
    finally:
        _publish(backend, wait_s=wait_s)
    return done


def _publish(backend: Backend, *, wait_s: float) -> None:
    try:
        with backend.writer(wait_s=wait_s) as writer:
            writer.publish()
    except IndexLocked:
        # Whoever holds the lock publishes when it is done.
        log.info("left publishing to the process that holds the lock")


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
