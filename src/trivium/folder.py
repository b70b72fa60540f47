"""A folder -> an index that is up to date with it, and how far it is behind where it is not.

What it knows of the folder: its files and tables, how they are cut, which branch they are on.
Reading and writing are the indexer's.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from trivium import feeding, indexer, linker
from trivium.backends.base import Backend, Snapshot
from trivium.config import Settings
from trivium.errors import BackendError, IndexLocked, IndexUnusable, UsageError
from trivium.filling import is_embedded
from trivium.home import memory_places
from trivium.linking.world import Paths
from trivium.models.base import Embedder
from trivium.parsing.shelves import kind_in_memory
from trivium.sources.base import Listing, Source
from trivium.sources.files import FolderSource, own_ignores
from trivium.sources.joined import JoinedSource
from trivium.sources.memory import WithMemory
from trivium.sources.presence import is_folder_there, is_there
from trivium.sources.under import Under
from trivium.types import Degraded
from trivium.writing.digest import Cutting
from trivium.writing.feed import feed_under, refuse_mixed
from trivium.writing.plan import plan
from trivium.writing.unchanged import is_unchanged

# Raise when parsing, masking or cutting changes what is stored.
CONTENT_VERSION = 3
# About a quarter of a second of work; a search does not wait for more.
_LINKS_BEFORE_ANSWER = 100
_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Behind:
    """How many changed files the last sync could not take in, and why.

    A folder that `is_empty` may be an unmounted disk: its files are not gone for good.
    """

    files: int = 0
    degraded: tuple[Degraded, ...] = ()
    is_empty: bool = False


def cutting_of(settings: Settings) -> Cutting:
    """Return how texts are cut into chunks."""
    return Cutting(settings.number("chunking.size"), settings.number("chunking.overlap"))


def fingerprint(settings: Settings) -> str:
    """Return what an index must have been made with to be gone on with."""
    cutting = cutting_of(settings)
    return f"content {CONTENT_VERSION}, chunks {cutting.size}/{cutting.overlap}"


class Folder:
    """The folder of a collection, and the index that follows it."""

    def __init__(self, root: Path, *, settings: Settings, backend: Backend) -> None:
        self.root = root
        self.behind = Behind()
        self._settings = settings
        self._backend = backend
        self._paths: Paths | None = None
        is_here = settings.text("backend.kind") == "embedded"
        # One machine's index is of one folder.
        self.feed = feed_under("" if is_here else settings.text("backend.under"))
        self._paths_at = ""
        self._steps: dict[str, indexer.Report] = {}
        is_users = settings.text("memory.place") == "user"
        places = memory_places(root, settings.home, is_users=is_users)
        # The folder that memory lies in as it would in the project; None where it is that.
        self._memory = places[0].parent if len(places) > 1 else None
        self._check_made_alike()

    def _check_made_alike(self) -> None:
        made, wanted = self._backend.meta().get("fingerprint", ""), fingerprint(self._settings)
        if made != wanted:
            raise IndexUnusable(
                f"The index of {self.root} was made with other settings ({made}; now "
                f"{wanted}). Make it anew with: "
                f"trivium index --rebuild {shlex.quote(str(self.root))}"
            )

    def sync(
        self,
        *,
        progress: indexer.Progress = indexer.no_progress,
        yes: bool = False,
        wait_s: float = 5.0,
        keeps_if_empty: bool = False,
        folders: frozenset[str] | None = None,
        links: int | None = None,
        instant: Embedder | None = None,
        jobs: int | None = None,
    ) -> indexer.Report:
        """Bring the index up to date with the folder; only what changed costs anything.

        `folders` are those in which something may have changed; None is all. `links` is how
        many files are linked at most; the others wait for the next time. A folder that is
        suddenly empty, as an unmounted disk is, keeps its index if `keeps_if_empty`; the
        answers then say so. An index on a cluster whose folder is not on this machine is kept
        up to date by those who have it: nothing is done. `jobs` is how many processes read files.
        """
        if self._is_elsewhere():
            return indexer.Report()
        refuse_mixed(
            self.feed, self._backend.meta(), name=self._settings.text("backend.collection")
        )
        if self._has_all_of(folders, instant):
            seq = self._backend.meta().get("seq", "")
            return indexer.Report(unchanged=len(folders or ()), since=seq, seq=seq)
        try:
            report = indexer.sync(
                self._source(),
                self._backend,
                cutting=cutting_of(self._settings),
                feed=self.feed,
                synced_ns=self._synced_ns(),
                wait_s=wait_s,
                progress=progress,
                check=lambda listing: self._check_size(listing, yes=yes),
                keeps_if_empty=keeps_if_empty,
                folders=folders,
                instant=instant,
                jobs=jobs,
            )
            self._note_step(report)
            linker.link(
                self._backend,
                # Others may be at it: what they link is linked, and this comes after.
                wait_s=wait_s if self.feed.is_all else feeding.SHARED_WAIT_S,
                most=links,
                paths=self._paths_of,
                progress=progress,
            )
        except IndexLocked as error:
            self.behind = Behind(self.dirty_files(), (Degraded("sync", str(error)),))
            raise
        said = (
            f"{self.root} holds no files, but its index holds {report.kept:,}; they are kept. "
            f"To forget them: trivium index {shlex.quote(str(self.root))}"
        )
        self.behind = (
            Behind(report.kept, (Degraded("sync", said),), is_empty=True)
            if report.kept
            else Behind()
        )
        return report

    def _has_all_of(self, paths: frozenset[str] | None, instant: Embedder | None) -> bool:
        """Whether these are files of memory that the index has as they are, embedded and linked."""
        if not paths or not self.feed.is_all or not all(map(kind_in_memory, paths)):
            return False
        meta = self._backend.meta()
        if "indexed_at" not in meta or (instant is not None and not is_embedded(meta, instant)):
            return False
        with self._backend.snapshot() as snapshot:
            if snapshot.count_unlinked():
                return False
        return is_unchanged(self._source(), self._backend, paths, synced_ns=self._synced_ns())

    def _is_elsewhere(self) -> bool:
        """Whether both the index and the folder are on other machines."""
        is_on_cluster = self._settings.text("backend.kind") != "embedded"
        return is_on_cluster and not self.root.is_dir() and self.is_indexed()

    def _note_step(self, report: indexer.Report) -> None:
        """Keep which paths came and went with a sync, for those that linking goes by."""
        if len(self._steps) > _MOST_STEPS:
            self._steps.clear()
        if report.since != report.seq:
            self._steps[report.since] = report

    def _paths_of(self, snapshot: Snapshot) -> Paths:
        """Return the paths for linking: those of the last time, as syncs have changed them since.

        Asked by whoever holds the lock of the index: nobody else looks at them meanwhile. Where
        another process has written in between, they are made anew.
        """
        now = self._backend.meta().get("seq", "")
        while self._paths is not None and (step := self._steps.pop(self._paths_at, None)):
            self._paths.change(came=step.came, went=step.went)
            self._paths_at = step.seq
        if self._paths is None or not now or self._paths_at != now:
            self._paths, self._paths_at = linker.paths_of(snapshot), now
            self._steps.clear()
        return self._paths

    def refresh(
        self,
        *,
        progress: indexer.Progress = indexer.no_progress,
        yes: bool = False,
        instant: Embedder | None = None,
    ) -> None:
        """Take in what changed, without waiting; where that fails, the last state answers.

        The answers then say so, and how many files have changed. Only where there is no state
        yet is it worth waiting for the process that makes the first.
        """
        wait_s = 0.0 if self.is_indexed() else 5.0
        try:
            self.sync(
                progress=progress,
                yes=yes,
                wait_s=wait_s,
                keeps_if_empty=True,
                links=_LINKS_BEFORE_ANSWER,
                instant=instant,
            )
        except IndexLocked:
            # Noted by sync itself, with the number of changed files.
            return
        except BackendError as error:
            self.behind = Behind(self.dirty_files(), (Degraded("sync", str(error)),))

    def _check_size(self, listing: Listing, *, yes: bool) -> None:
        most = self._settings.number("files.ask_above")
        if len(listing.entries) > most and not yes and not self.is_indexed():
            raise UsageError(
                f"{self.root} holds {len(listing.entries):,} files, more than {most:,}. "
                "Index a smaller folder, add a .triviumignore, or say --yes."
            )

    def is_there(self, path: str) -> bool:
        """Whether a file or folder is where it was indexed; a table is where its database is.

        What other folders feed is there as far as this machine can tell.
        """
        local = self.feed.local(path)
        return (
            local is None
            or is_there(self.root, local)
            or (self._memory is not None and is_there(self._memory, local))
            or local in self._settings.texts("records.tables")
            or is_folder_there(self.root, local.removesuffix("/"))
        )

    def withdraw(self) -> int:
        """Take out of a collection that several folders feed what this one has brought."""
        return feeding.withdraw(self._backend, self.feed)

    def _source(self) -> Source:
        folder = FolderSource(
            self.root,
            max_file_bytes=self._settings.number("files.max_bytes"),
            extra_ignores=own_ignores(
                self.root, self._settings.home, self._settings.texts("files.ignore")
            ),
        )
        tables = self._settings.texts("records.tables")
        source: Source = JoinedSource(folder, tables=tables) if tables else folder
        if not self.feed.is_all:
            return Under(source, self.feed.under)
        return source if self._memory is None else WithMemory(source, place=self._memory)

    def is_indexed(self) -> bool:
        """Whether there is a state to answer from."""
        return "indexed_at" in self._backend.meta()

    def _synced_ns(self) -> int | None:
        at = self.feed.synced_at(self._backend.meta())
        return int(datetime.fromisoformat(at).timestamp() * 1e9) if at else None

    def dirty_files(self, backend: Backend | None = None) -> int:
        """Count the files that have changed since they were taken in."""
        listing = self._source().list()
        with (self._backend if backend is None else backend).snapshot() as snapshot:
            known, in_vain = self.feed.of(snapshot.files()), self.feed.of(snapshot.in_vain())
        return plan(listing.entries, known, in_vain=in_vain).changes
