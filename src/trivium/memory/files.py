"""A folder of memory on disk: files are read, written whole or not at all, and never lost.

A file is written aside, synced and renamed, and its folder synced, before anyone is told. What
another program has put there meanwhile is never written over: it is refused, or kept as a copy
in `conflicts`. Follows no links. Used by the desk.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from trivium.backends.embedded.lock import writer_lock
from trivium.errors import IndexLocked, SourceError
from trivium.parsing.shelves import ENDING, FOLDERS, MOST_BYTES, slug_in_memory
from trivium.sources.walk import READ_FLAGS, is_utf8
from trivium.types import Kind

CONFLICTS = "conflicts"
_ASIDE = ".tmp"
_POLL_S = 0.01
# What a process that died has left; one that writes takes less.
_STALE_S = 3600
_DIGEST = 12
_IS_WINDOWS = os.name == "nt"
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})

Step = Callable[[str], None]


def no_step(name: str) -> None:
    """Go on."""


class Changed(Exception):
    """A file is not what it was when the change to it was made up."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it was read, and where it lies. `text` is None where it is not UTF-8."""

    path: Path
    data: bytes
    size_bytes: int
    mtime_ns: int

    @property
    def sha256(self) -> str:
        """The hash of its bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def text(self) -> str | None:
        """What its bytes say."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


class Listed(NamedTuple):
    """One file of a folder, not opened; there may be very many."""

    slug: str
    size_bytes: int
    mtime_ns: int


class Files:
    """The files of memory. What is in the first place hides the same in those after it.

    Only the first is written to. `step` is called before each thing that is done to the disk,
    for tests of what a crash leaves.
    """

    def __init__(self, places: Sequence[Path], *, step: Step = no_step) -> None:
        self.places = tuple(places)
        self._step = step
        self._count = 0

    @property
    def own(self) -> Path:
        """Where is written."""
        return self.places[0]

    def folders(self, kind: Kind) -> list[Path]:
        """Return the folders that hold a kind, the one that is written to first."""
        return [place / FOLDERS[kind] for place in self.places]

    def stamps(self, kind: Kind) -> tuple[int, ...]:
        """Return when names in the folders of a kind last came or went; 0 for one not there."""
        found = []
        for folder in self.folders(kind):
            try:
                found.append(os.lstat(folder).st_mtime_ns)
            except OSError:
                found.append(0)
        return tuple(found)

    def listed(self, kind: Kind) -> dict[str, Listed]:
        """Return all files of a kind by their slugs, without opening any."""
        found: dict[str, Listed] = {}
        for folder in reversed(self.folders(kind)):
            for entry in scanned(folder):
                name = entry.name
                if not name.endswith(ENDING) or name.startswith(".") or not is_utf8(name):
                    continue
                # Gone since, or a name that no system call takes: no file to be listed.
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        slug = slug_in_memory(name)
                        found[slug] = Listed(slug, status.st_size, status.st_mtime_ns)
        return found

    def read(self, kind: Kind, slug: str) -> Kept | None:
        """Return a file; None if there is none. Raises SourceError if it cannot be read."""
        for folder in self.folders(kind):
            for name in dict.fromkeys((slug, normalize("NFD", slug))):
                kept = read_file(folder / f"{name}{ENDING}")
                if kept is not None:
                    return kept
        return None

    def create(self, kind: Kind, slug: str, text: str) -> None:
        """Write a file that is not there yet. Raises FileExistsError."""
        if any((place / f"{slug}{ENDING}").exists() for place in self.folders(kind)[1:]):
            raise FileExistsError(slug)
        target = self._target(kind, slug)
        with self.aside(target.parent, text) as aside:
            self._step("link")
            give_name(aside, target)
            self._step("sync folder")
            sync_folder(target.parent)

    def replace(self, kind: Kind, slug: str, text: str, *, before: Kept) -> Path | None:
        """Write a file in the place of what it was `before`. Raises Changed if it is not that.

        What an editor writes into the old file while it is replaced is kept as a conflict, whose
        path is returned.
        """
        target = self._target(kind, slug)
        if before.path.parent == target.parent:
            target = before.path
        with self.aside(target.parent, text) as aside:
            late = before.data
            with _unchanged(before) as file:
                aside.chmod(stat.S_IMODE(os.fstat(file).st_mode))
                self._step("rename")
                if not _IS_WINDOWS:
                    aside.replace(target)
                    late = _all(file)
            if _IS_WINDOWS:
                # What is open cannot be replaced there.
                aside.replace(target)
            copy = None if late == before.data else self.conflict(kind, slug, late)
            self._step("sync folder")
            sync_folder(target.parent)
        return copy

    def remove(self, kind: Kind, *, before: Kept) -> None:
        """Remove a file that is still what it was `before`. Raises Changed if it is not."""
        if before.path.parent != self.folders(kind)[0]:
            raise SourceError(f"{before.path} lies in a folder that is only read. Remove it there.")
        with _unchanged(before):
            self._step("unlink")
        before.path.unlink(missing_ok=True)
        self._step("sync folder")
        sync_folder(before.path.parent)

    def conflict(self, kind: Kind, slug: str, data: bytes) -> Path:
        """Keep a text beside the others; its name is its hash, so that none is written over."""
        folder = self.folder(CONFLICTS)
        mark = hashlib.sha256(data).hexdigest()[:_DIGEST]
        target = folder / f"{FOLDERS[kind]}-{slug}.{mark}{ENDING}"
        with suppress(FileExistsError), self.aside(folder, data) as aside:
            self._step("keep copy")
            give_name(aside, target)
            sync_folder(folder)
        return target

    def conflicts(self) -> list[Path]:
        """Return the copies that are kept, by name."""
        names = [one.name for one in scanned(self.own / CONFLICTS) if one.name.endswith(ENDING)]
        return [self.own / CONFLICTS / name for name in sorted(names) if not name.startswith(".")]

    def tidy(self, kind: Kind, *, now: float) -> None:
        """Remove what processes that died while writing have left."""
        for entry in scanned(self.folders(kind)[0]):
            if is_aside(entry.name):
                with suppress(OSError):
                    if now - entry.stat(follow_symlinks=False).st_mtime > _STALE_S:
                        Path(entry.path).unlink()

    @contextmanager
    def lock(self, *, wait_s: float) -> Iterator[None]:
        """Keep other writers out, in this process and in others. Raises IndexLocked.

        The lock is on the folder itself and ends with the process; editors know nothing of it.
        """
        folder = self.folder()
        if _IS_WINDOWS:
            # Folders cannot be opened there.
            with writer_lock(folder, wait_s=wait_s):
                yield
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            _acquire(handle, folder, wait_s=wait_s)
            yield
        finally:
            os.close(handle)

    def _target(self, kind: Kind, slug: str) -> Path:
        return self.folder(FOLDERS[kind]) / f"{slug}{ENDING}"

    def folder(self, *names: str) -> Path:
        """Return a folder of the first place, made if need be. Raises SourceError."""
        found = self.own
        for name in ("", *filter(None, names)):
            found = found / name
            try:
                found.mkdir(parents=not name)
                self._step("sync new folder")
                sync_folder(found.parent)
            except FileExistsError:
                if found.is_symlink() or not found.is_dir():
                    raise SourceError(f"{found} is no folder of its own. Put it right.") from None
            except OSError as error:
                raise SourceError(f"{found} cannot be made: {error.strerror}.") from error
        return found

    @contextmanager
    def aside(self, folder: Path, text: str | bytes) -> Iterator[Path]:
        """Give a file with this text on the disk, under a name nobody looks for."""
        self._count += 1
        aside = folder / f".{os.getpid()}-{id(self):x}-{self._count}{_ASIDE}"
        data = text.encode() if isinstance(text, str) else text
        try:
            self._step("write aside")
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            try:
                with os.fdopen(handle, "wb", closefd=False) as file:
                    file.write(data)
                self._step("sync")
                os.fsync(handle)
            finally:
                os.close(handle)
            yield aside
        except OSError as error:
            if isinstance(error, FileExistsError):
                raise
            raise SourceError(f"{folder} cannot be written: {error.strerror}.") from error
        finally:
            with suppress(OSError):
                aside.unlink(missing_ok=True)


def is_aside(name: str) -> bool:
    """Whether a file is one that is being written, or was when a process died."""
    return name.startswith(".") and name.endswith(_ASIDE)


def scanned(folder: Path) -> list[os.DirEntry[str]]:
    """Return what a folder holds; nothing of one that is not there, or is a link."""
    if folder.is_symlink():
        return []
    try:
        with os.scandir(folder) as scan:
            return list(scan)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SourceError(f"{folder} cannot be listed: {error.strerror}.") from error


def read_file(path: Path) -> Kept | None:
    """Return a file; None if there is none. Raises SourceError if it cannot be read."""
    if path.parent.is_symlink() or path.parent.parent.is_symlink():
        return None
    try:
        with _opened(path) as file:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise SourceError(f"{path} is no regular file.")
            if status.st_size > MOST_BYTES:
                raise SourceError(f"{path} is larger than {MOST_BYTES:,} bytes.")
            return Kept(path, _all(file), status.st_size, status.st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    file = os.open(path, READ_FLAGS)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def _unchanged(before: Kept) -> Iterator[int]:
    """Open a file that is still what it was. Raises Changed if it is not, or is gone."""
    try:
        file = os.open(before.path, READ_FLAGS)
    except FileNotFoundError as error:
        raise Changed from error
    try:
        if _all(file) != before.data:
            raise Changed
        yield file
    finally:
        os.close(file)


def _all(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    pieces = []
    while piece := os.read(file, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def give_name(aside: Path, target: Path) -> None:
    """Give a file its name, which nobody has yet. Raises FileExistsError."""
    try:
        os.link(aside, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Some file systems have no links: take the name first, then put the file there.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        aside.replace(target)


def sync_folder(folder: Path) -> None:
    """Have the names of a folder on the disk."""
    if _IS_WINDOWS:
        # Folders cannot be opened there; renames are journalled.
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _acquire(handle: int, folder: Path, *, wait_s: float) -> None:
    import fcntl

    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if time.monotonic() >= until:
                raise IndexLocked(str(folder), holder="another process") from error
            time.sleep(_POLL_S)
        else:
            return
