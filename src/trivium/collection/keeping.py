"""What changes an index: syncs, models, links, export and import.

Each call is handed to the folder, the model's work or the indexer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trivium import indexer, linker, whereabouts
from trivium.collection.held import Held
from trivium.config import Value
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.models.bill import Bill, Renewal
    from trivium.writing.moving import Moved

log = logging.getLogger(__name__)


class Keeping(Held):
    """What changes the index."""

    def sync(
        self,
        *,
        progress: indexer.Progress = indexer.no_progress,
        yes: bool = False,
        wait_s: float = 5.0,
        keeps_if_empty: bool = False,
        folders: frozenset[str] | None = None,
        links: int | None = None,
        jobs: int | None = None,
    ) -> indexer.Report:
        """Bring the index up to date with the folder; only what changed costs anything.

        `folders` are those in which something may have changed; None is all. `links` is how
        many files are linked at most; the others wait for the next time. A folder that is
        suddenly empty, as an unmounted disk is, keeps its index if `keeps_if_empty`; the
        answers then say so. `jobs` is how many processes read files; None is one for each
        core, at most eight.
        """
        # What is missing is said before anything is done.
        self.profile("best")
        report = self._kept.sync(
            progress=progress,
            yes=yes,
            wait_s=wait_s,
            keeps_if_empty=keeps_if_empty,
            folders=folders,
            links=links,
            jobs=jobs,
            instant=self._meaning.chosen.instant,
        )
        self._tell_where()
        return report

    def _tell_where(self) -> None:
        """Have every command find an index that is not on this machine, without its settings."""
        is_here = self.settings.text("backend.kind") == "embedded"
        if not is_here and whereabouts.read(self._folder) is None:
            whereabouts.remember(self._folder, self.name, self.root, self.settings)

    def refresh(
        self, *, progress: indexer.Progress = indexer.no_progress, yes: bool = False
    ) -> None:
        """Take in what changed, without waiting; where that fails, the last state answers.

        The answers then say so, and how many files have changed.
        """
        self.profile("best")
        self._kept.refresh(progress=progress, yes=yes, instant=self._meaning.chosen.instant)
        self._tell_where()

    def remember(self, *, should_stop: Callable[[], bool] = lambda: False) -> int:
        """Take in what the folder's repository knows of its files; return for how many."""
        if not self.root.is_dir():
            return 0
        return indexer.remember(self._backend, self.root, feed=self.feed, should_stop=should_stop)

    def use(self, model: str) -> None:
        """Have a model give meaning from now on; the collection remembers it.

        A setting of the user goes before what is remembered. Raises ConfigError for an unknown
        name, MissingExtra or ModelError if it cannot be had.
        """
        self._meaning.use(model)

    def embed(
        self,
        *,
        progress: indexer.Progress = indexer.no_progress,
        say: Callable[[str], None] = log.info,
        yes: bool = False,
        retries: bool = False,
    ) -> int:
        """Give every chunk a vector of the set model; return how many texts were embedded.

        What was opened most goes first, then the newest files. Can be interrupted and goes on
        where it stopped; feeds the work with other processes that do the same, and embeds
        nothing that they do. `say` gets what a person should know of it, a line each. With
        `retries`, a service is given the texts again for which it had no vector before. Raises
        ModelError or MissingExtra if the model cannot be had, and
        UsageError before anything is sent to a service if that is more than settings allow and
        not `yes`.
        """
        done = self._meaning.embed(progress, say=say, yes=yes, retries=retries)
        # Only once all is said and done: it takes longest where most was embedded.
        indexer.arrange(self._backend, progress=progress)
        return done

    def renewal(self) -> Renewal | None:
        """Say whether the set model gives vectors of another length now; forgets nothing.

        Asks a service for the vector of one word, unless it has made none here yet. Raises
        ModelError or MissingExtra if the model cannot be had.
        """
        return self._meaning.renewal()

    def renew(self, *, yes: bool = False) -> None:
        """Forget the vectors of the set model if it gives others now, of another length.

        Raises as `embed` does, and then forgets nothing.
        """
        self._meaning.renew(yes=yes)

    def bill(self, *, renews: bool = False, retries: bool = False) -> Bill | None:
        """Return what embedding now would send to a service; None if nothing. Sends nothing.

        With `renews`, the word that `renew` sends is counted too; with `retries`, the texts
        that `embed` sends again.
        """
        return self._meaning.bill(renews=renews, retries=retries)

    def link(self, *, progress: indexer.Progress = indexer.no_progress) -> int:
        """Lead what waits to be linked to its targets; return how many files that were."""
        return linker.link(self._backend, progress=progress)

    def export(self, path: str | Path) -> int:
        """Write the whole index to one file; return how many files it holds."""
        from trivium.writing.archive import write_archive

        with self._backend.snapshot() as snapshot:
            return write_archive(snapshot, Path(path), header={"name": self.name})

    def import_(self, path: str | Path) -> int:
        """Replace the index by an exported one; needs neither the files nor a model."""
        from trivium.writing.archive import read_archive

        with self._backend.writer(wait_s=5.0) as writer:
            with self._backend.snapshot() as snapshot:
                known = snapshot.files()
            count = read_archive(Path(path), writer, known=known)
        indexer.embed_instantly(self._backend, self._meaning.chosen.instant)
        linker.link(self._backend)
        return count

    def move(
        self,
        to: Mapping[str, Value],
        *,
        keeps: bool = False,
        replaces: bool = False,
        progress: indexer.Progress = indexer.no_progress,
    ) -> Moved:
        """Move the index to the store that the settings `to` name, and find it there from now on.

        Nothing is read from the folder or embedded again. The old index goes once the new one
        was counted, unless `keeps`; a crash leaves one of the two, or both. Close this and open
        the folder again to use it. Raises UsageError if it is there already, or if another index
        is and not `replaces`, IndexLocked while another process writes, BackendError; the old
        index is then as it was.
        """
        from trivium.writing.moving import move_index

        wanted = self.settings.flagged(to)
        if whereabouts.place(wanted) == whereabouts.place(self.settings):
            raise UsageError(f"The index of {self.root} is there already.")
        target = self._store(wanted)
        try:
            before = target.meta()
            if before.get("indexed_at") and not replaces:
                raise UsageError(
                    f"There is one already, of {before.get('root')}, indexed at "
                    f"{before['indexed_at']}. Give another name, or have it replaced."
                )
            # Nobody writes meanwhile what would then be left behind.
            with self._backend.writer(wait_s=5.0):
                moved = move_index(self._backend, target, progress=progress)
                linker.link(target, progress=progress)
                whereabouts.remember(self._folder, self.name, self.root, wanted)
        finally:
            target.close()
        if not keeps:
            self._backend.destroy(wait_s=5.0)
        return moved
