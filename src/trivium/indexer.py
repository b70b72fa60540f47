"""The write spine: sync(), then link() and embed().

list -> plan -> read -> mask -> parse -> chunk -> write -> publish -> link. Each stage is a
plain function of values; this is the only module that knows their order. One bad file is
counted and the others go on. What `write` has returned for is safe.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.backends.base import (
    Backend,
    Batch,
    FileContent,
    FileHistory,
    FileState,
    Linked,
    Pending,
    Seen,
    Snapshot,
    Unlinked,
    Writer,
)
from trivium.crew import Crew, digested
from trivium.errors import IndexLocked, IndexRemoved, MissingExtra, ModelError
from trivium.linking.projects import Projects, gathered
from trivium.linking.world import Known, Paths, World
from trivium.models.base import Embedder, Remarking
from trivium.parsing.projects import PROJECT_STEMS, is_project_file
from trivium.sources.base import Listing, Raw, Reason, Skip, Source
from trivium.types import EdgeType, Kind, NodeId, Reference
from trivium.writing.digest import Cutting, digest, folder_at, folder_content, folders_of
from trivium.writing.plan import Plan, all_skipped, plan

if TYPE_CHECKING:
    from trivium.graph.quality import BrokenLink

log = logging.getLogger(__name__)

# A batch is what is lost at most when the process dies: half a second of work.
_BATCH_CHARACTERS = 2_000_000
_BATCH_FILES = 256
# What is newest is asked for again after as many: ten seconds of a transformer.
_PENDING = 512
_PUBLISH_EVERY_S = 5.0
_EMBED_AT_ONCE = 64
# So often is it shown how far another process is with the same model.
_FOLLOW_EVERY_S = 1.0
# Vectors may have been paid for: they wait as long for the lock, which a first sync may hold.
_STORE_WAIT_S = 600.0
# An instant model is done with as many in the time a transaction takes.
_INSTANT_AT_ONCE = 20_000
_LINK_AT_ONCE = 128
# The lock is let go after as many files, so that others can write in between.
_LINK_UNDER_LOCK = 2048

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

    `files` are those the index holds now, `in_vain` those that were read and hold no text.
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
    synced_ns: int | None = None,
    wait_s: float = 5.0,
    progress: Progress = no_progress,
    check: Callable[[Listing], None] = no_check,
    keeps_if_empty: bool = False,
    instant: Embedder | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Report:
    """Bring the index up to date with its source; only what changed costs anything.

    New text has a vector of the `instant` model when this returns. `folders` are those in which
    something may have changed; None is all. `check` sees what was found before anything is
    done, and may refuse by raising. A source that is suddenly empty, as an unmounted disk is,
    keeps its index if `keeps_if_empty`.
    """
    with backend.writer(wait_s=wait_s) as writer:
        # Listed under the lock: else a file that another process has just taken in is forgotten.
        progress("listing", 0, 0)
        with backend.snapshot() as snapshot:
            known = snapshot.files()
            passed_over, in_vain = snapshot.skipped(), dict(snapshot.in_vain())
        if "indexed_at" not in backend.meta():
            # No sync has ended here yet, or another process has removed what it brought.
            folders = None
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
        published = clock()
        with Crew() as crew:
            claims = _Claims(backend, cutting)

            def digesting(raws: Iterable[Raw]) -> Iterator[FileContent]:
                for raw, content in digested(raws, cutting, expected=len(todo.read), crew=crew):
                    yield claims.settle(raw, content)

            for batch in _batches(source, todo, known, report, digesting, progress):
                writer.write(batch)
                # Between write and publish a changed file is in no text index: keep that short.
                changes = batch.removed or any(one.state.path in known for one in batch.replaced)
                if changes or clock() - published > _PUBLISH_EVERY_S:
                    writer.publish()
                    published = clock()
        if listing.looked is None or report.added or report.removed:
            _write_folders(writer, known, report.files)
        kept = {path: one for path, one in report.in_vain.items() if path in report.skipped}
        writer.record(skipped=report.skipped, in_vain=kept)
        if instant is not None:
            _embed_now(backend, writer, instant, progress)
        writer.publish()
    log.info(
        "synced: %s added, %s changed, %s removed", report.added, report.changed, report.removed
    )
    return report


def _embed_now(backend: Backend, writer: Writer, embedder: Embedder, progress: Progress) -> None:
    """Embed what has no vector, under the lock of the sync that brought it.

    Up to which batch that is done is remembered, so that a sync without changes need not count.
    A model that fails leaves the texts to words.
    """
    try:
        model = embedder.model_id
        meta = backend.meta()
        if meta.get(f"embedded {model}") == meta.get("seq"):
            return
        left = writer.count_pending(model)
        done = 0
        while pending := writer.pending(model, limit=_INSTANT_AT_ONCE) if left else ():
            vectors = embedder.embed_documents([one.text for one in pending])
            writer.put_vectors(model, [one.key for one in pending], vectors)
            done += len(pending)
            progress("meaning", done, max(done, left))
        writer.note({f"embedded {model}": meta.get("seq", "")})
    except (ModelError, MissingExtra) as error:
        # Each answer says so, too: the model cannot embed its query either.
        log.warning("no vectors of %s: %s", embedder.name, error)


def embed_instantly(backend: Backend, embedder: Embedder | None, *, wait_s: float = 5.0) -> None:
    """Give every text a vector of an instant model, as a sync does."""
    if embedder is not None:
        with backend.writer(wait_s=wait_s) as writer:
            _embed_now(backend, writer, embedder, no_progress)
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
            or (listing.looked is not None and path.rpartition("/")[0] not in listing.looked)
        )
    }


def _write_folders(writer: Writer, known: Iterable[str], files: set[str]) -> None:
    """Give every folder that holds a file its node, and take it from those that hold none."""
    before = {path for path in known if path.endswith("/")}
    wanted = folders_of(files)
    if wanted == before:
        return
    new = [folder_content(folder_at(path)) for path in sorted(wanted - before)]
    writer.write(Batch(tuple(new), removed=tuple(sorted(before - wanted))))


class _Claims:
    """Sees to it that no two files claim one id: skills are named without their paths."""

    def __init__(self, backend: Backend, cutting: Cutting) -> None:
        self._backend = backend
        self._cutting = cutting
        self._holders: dict[NodeId, str] = {}

    def settle(self, raw: Raw, content: FileContent) -> FileContent:
        """Return the content, with ids apart if another file's skill has the same."""
        path = raw.entry.path
        claimed = next((node.id for node in content.nodes if node.kind is Kind.SKILL), None)
        if claimed is None:
            return content
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
            changes.touched.append(FileState(entry.path, size, mtime, read.sha256))
            report.unchanged += 1
        else:
            yield read


def link(
    backend: Backend,
    *,
    wait_s: float = 5.0,
    most: int | None = None,
    paths: Callable[[Iterable[str]], Paths] = Paths,
    progress: Progress = no_progress,
) -> int:
    """Lead the references of files that wait to their targets; return how many files were linked.

    `most` ends it early: what waits is counted, and goes on next time. Each batch is kept.
    `paths` makes those of the index ready; a caller may have them from before.
    """
    backend = backend.as_it_is()
    done = 0
    while most is None or done < most:
        with backend.writer(wait_s=wait_s) as writer:
            left = writer.count_unlinked()
            if not left:
                break
            total = done + left
            room = _LINK_UNDER_LOCK if most is None else min(_LINK_UNDER_LOCK, most - done)
            with backend.snapshot() as snapshot:
                found = paths(snapshot.paths())
                world = World(snapshot, found, projects=project_facts_of(snapshot, found))
                until = done + min(room, left)
                while done < until and (
                    waiting := writer.unlinked(limit=min(_LINK_AT_ONCE, until - done))
                ):
                    progress("linking", done, total)
                    writer.link(_linked(waiting, world))
                    done += len(waiting)
    if done:
        progress("linking", done, done)
    return done


def _linked(waiting: Sequence[Unlinked], world: World) -> list[Linked]:
    # Off the way to a fast start: most searches find nothing to link.
    from trivium.linking.resolve import link as link_file

    world.prefetch(
        one.name
        for file in waiting
        for one in file.references
        if one.type not in _BY_PATH and one.name
    )
    made = []
    for file in waiting:
        try:
            links = link_file(file.path, file.references, world=world)
        except Exception:
            # One file that cannot be linked must not keep the others from it, now and ever after.
            log.exception("%s could not be linked", file.path)
            made.append(Linked(file.path, ()))
        else:
            made.append(Linked(file.path, links.edges, links.keys))
    return made


_BY_PATH = frozenset({EdgeType.IMPORTS, EdgeType.EXPORTS, EdgeType.REFERENCES, EdgeType.CLUSTERS})


def project_facts_of(known: Known, paths: Paths) -> Projects:
    """Return what the project files among `paths` say, from their nodes."""
    ids = [
        NodeId(f"{Kind.FILE}:{path}")
        for stem in PROJECT_STEMS
        for path in paths.by_stem.get(stem, ())
        if is_project_file(path)
    ]
    facts = []
    for node in known.nodes(ids).values():
        said = node.metadata.get("project", ())
        facts.append((node.source.file_path, said if isinstance(said, tuple) else ()))
    return gathered(facts)


def broken_links(snapshot: Snapshot) -> list[tuple[str, BrokenLink]]:
    """Return the links of documents that lead nowhere, with the path of the file each is in."""
    from trivium.graph.quality import BrokenLink
    from trivium.linking.documents import document_targets

    paths = Paths(snapshot.files())
    world = World(snapshot, paths, projects=project_facts_of(snapshot, paths))
    found = []
    for path in sorted(paths.all):
        for one in snapshot.references(path):
            is_link = one.type in (EdgeType.REFERENCES, EdgeType.CLUSTERS)
            if is_link and not document_targets(one, path=path, world=world):
                found.append((path, BrokenLink(one.source, _as_written(one))))
    return found


def _as_written(link: Reference) -> str:
    if link.of == "wikilink":
        return f"[[{link.name}{link.path}]]"
    return f"{link.path}#{link.name}" if link.name else link.path


def remember(
    backend: Backend,
    root: Path,
    *,
    wait_s: float = 5.0,
    should_stop: Callable[[], bool] = lambda: False,
) -> int:
    """Keep what the folder's repository knows of its files; return for how many that is new.

    Only commits since the last time are walked.
    """
    from trivium.sources.history import history

    backend = backend.as_it_is()
    with backend.snapshot() as snapshot:
        since = snapshot.history_head()
        found = history(root, since=since or None, should_stop=should_stop)
        if found is None or (found.head == since and not found.rows):
            return 0
        rows = []
        for path, one in found.rows.items():
            known = None if found.is_whole else snapshot.history(one.formerly or path)
            churn = one.churn + (0 if known is None else known.churn)
            rows.append(FileHistory(path, one.author, one.modified, churn))
    with backend.writer(wait_s=wait_s) as writer:
        writer.put_history(rows, head=found.head, forget=found.is_whole)
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
    turns = _Turns(backend, embedder, progress=progress, say=say)
    embedding = _Embedding(backend, embedder, turns, wait_s=wait_s, progress=progress, clock=clock)
    try:
        embedding.fill(first)
        if retries:
            embedding.retry()
    except BaseException:
        # What ended it is to be heard of, not that there is nothing left to publish.
        with suppress(IndexRemoved):
            _publish(backend, wait_s=wait_s)
        raise
    finally:
        for remark in embedder.remarks() if isinstance(embedder, Remarking) else ():
            say(remark)
    _publish(backend, wait_s=wait_s)
    return embedding.done


class _Embedding:
    """Gives texts to a model, one turn after the other, and keeps their vectors."""

    def __init__(
        self,
        backend: Backend,
        embedder: Embedder,
        turns: _Turns,
        *,
        wait_s: float,
        progress: Progress,
        clock: Callable[[], float],
    ) -> None:
        self._backend = backend
        self._embedder = embedder
        self._turns = turns
        self._wait_s = wait_s
        self._progress = progress
        self._clock = clock
        self._blank_now: set[bytes] = set()
        self.done = 0

    def fill(self, first: Callable[[], Sequence[str]]) -> None:
        """Embed every text without a vector."""
        model = self._embedder.model_id
        while True:
            with self._turns.next(lambda snapshot: snapshot.unembedded(model)) as is_ours:
                if not is_ours:
                    return
                with self._backend.writer(wait_s=self._wait_s) as writer:
                    left = writer.count_pending(model)
                    pending = writer.pending(model, limit=_PENDING, first=first()) if left else ()
                if not pending:
                    return
                for some, is_blank in self._given(pending, total=self.done + left, done=self.done):
                    self.done += len(some)
                    self._blank_now.update(
                        one.key for one, is_so in zip(some, is_blank, strict=True) if is_so
                    )

    def retry(self) -> None:
        """Embed every text with a vector of zeros once more; counts those that get another.

        Those that `fill` has just brought are not asked for again.
        """
        model = self._embedder.model_id
        total, tried, last = 0, 0, b""
        while True:
            with self._turns.next(lambda snapshot: len(snapshot.blank(model))) as is_ours:
                if not is_ours:
                    return
                with self._backend.writer(wait_s=self._wait_s) as writer:
                    total = total or writer.count_blank(model) - len(self._blank_now)
                    blank = writer.blank(model, limit=_PENDING, after=last)
                if not blank:
                    return
                last = blank[-1].key
                again = [one for one in blank if one.key not in self._blank_now]
                for some, is_blank in self._given(again, total=total, done=tried):
                    tried += len(some)
                    self.done += is_blank.count(False)

    def _given(
        self, texts: Sequence[Pending], *, total: int, done: int
    ) -> Iterator[tuple[Sequence[Pending], list[bool]]]:
        """Embed and keep some texts after the other; yield them, and which are of zeros."""
        model = self._embedder.model_id
        self._progress("embedding", done, total)
        began = self._clock()
        for start in range(0, len(texts), _EMBED_AT_ONCE):
            some = texts[start : start + _EMBED_AT_ONCE]
            vectors = self._embedder.embed_documents([one.text for one in some])
            took = max(self._clock() - began, 1e-6)
            given = start + len(some)
            with self._backend.writer(wait_s=max(self._wait_s, _STORE_WAIT_S)) as writer:
                writer.put_vectors(model, [one.key for one in some], vectors)
                writer.note({pace_key(model): f"{given / took:.4g}"})
            yield some, [not row.any() for row in vectors]
            self._progress("embedding", done + given, total)


class _Turns:
    """Waits for the turn to embed with a model, and shows how far the other one is until then."""

    def __init__(
        self,
        backend: Backend,
        embedder: Embedder,
        *,
        progress: Progress,
        say: Callable[[str], None],
    ) -> None:
        self._backend = backend
        self._embedder = embedder
        self._progress = progress
        self._say = say
        self._most = 0

    @contextmanager
    def next(self, waiting: Callable[[Snapshot], int]) -> Iterator[bool]:
        """Have the turn; False if none is `waiting`. Who is to stop raises in `progress`."""
        model = self._embedder.model_id
        with ExitStack() as turn:
            while left := self._left(waiting):
                try:
                    turn.enter_context(self._backend.turn(model, wait_s=_FOLLOW_EVERY_S))
                    break
                except IndexLocked as error:
                    self._follow(error.holder, left)
            yield left > 0

    def _left(self, waiting: Callable[[Snapshot], int]) -> int:
        with self._backend.snapshot() as snapshot:
            return waiting(snapshot)

    def _follow(self, holder: str, left: int) -> None:
        if not self._most:
            self._say(
                f"{self._embedder.name} is at work in {holder} as well: what is embedded there "
                "is not embedded again here."
            )
        self._most = max(self._most, left)
        self._progress("waiting", self._most - left, self._most)


def pace_key(model_id: str) -> str:
    """Return under which name an index remembers how many texts a second a model embeds."""
    return f"pace {model_id}"


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
