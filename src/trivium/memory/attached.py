"""Files that are kept beside a note, a task or a skill: a drawing, a log, a table.

They lie in `.trivium/attachments/<kind>/<slug>`, under their own names, and are not searched.
None is ever written over; what something is deleted with goes with it. Used by the desk.
"""

from __future__ import annotations

import builtins
import mimetypes
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from trivium.errors import NotFound, SourceError, UsageError
from trivium.memory import limits
from trivium.memory.files import Files, give_name, is_aside, read_file, scanned, sync_folder
from trivium.memory.reading import stamp
from trivium.parsing.shelves import FOLDERS
from trivium.sources.walk import is_utf8
from trivium.types import Kind

FOLDER = "attachments"
MOST_BYTES = 10_000_000
MOST = 20
_UNKNOWN = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file as it is listed."""

    name: str
    mime_type: str
    size_bytes: int
    added: str


class Attached:
    """The files beside what is in memory; only those of the first place.

    Who adds or removes any holds the lock of the folder.
    """

    def __init__(self, files: Files) -> None:
        self._files = files

    def list(self, kind: Kind, slug: str) -> builtins.list[Attachment]:
        """Return the files of one, by name."""
        found = []
        for entry in scanned(self._place(kind, slug)):
            if entry.name.startswith(".") or not is_utf8(entry.name):
                continue
            # Gone since.
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    found.append(_shown(entry.name, status.st_size, status.st_mtime))
        return sorted(found, key=lambda one: one.name)

    def read(self, kind: Kind, slug: str, name: str) -> bytes:
        """Return what a file holds. Raises NotFound."""
        kept = read_file(self._place(kind, slug) / limits.file_name(name))
        if kept is None:
            raise _missing(kind, slug, name)
        return kept.data

    def add(self, kind: Kind, slug: str, name: str, data: bytes) -> Attachment:
        """Keep a file; the same once more changes nothing. Raises UsageError."""
        wanted = limits.file_name(name)
        if len(data) > MOST_BYTES:
            raise UsageError(f"{wanted} has {len(data):,} bytes; at most {MOST_BYTES:,} are kept.")
        there = {one.name: one for one in self.list(kind, slug)}
        if wanted not in there and len(there) >= MOST:
            raise UsageError(f"{kind}:{slug} has {MOST} files, the most there may be.")
        folder = self._files.folder(FOLDER, FOLDERS[kind], slug)
        target = folder / wanted
        try:
            with self._files.aside(folder, data) as aside:
                give_name(aside, target)
                sync_folder(folder)
        except FileExistsError:
            if self.read(kind, slug, wanted) != data:
                raise UsageError(
                    f"{kind}:{slug} has another file {wanted}. Remove that first, or give "
                    "another name."
                ) from None
        status = target.lstat()
        return _shown(wanted, status.st_size, status.st_mtime)

    def remove(self, kind: Kind, slug: str, name: str) -> None:
        """Remove a file. Raises NotFound."""
        target = self._place(kind, slug) / limits.file_name(name)
        if read_file(target) is None:
            raise _missing(kind, slug, name)
        self._unlink([target])

    def remove_all(self, kind: Kind, slug: str) -> None:
        """Remove the files of something that is gone."""
        folder = self._place(kind, slug)
        # What is being written now is not: the process that wrote it has died.
        left = [one.name for one in scanned(folder) if is_aside(one.name)]
        names = [*left, *(one.name for one in self.list(kind, slug))]
        self._unlink([folder / name for name in names])

    def _unlink(self, targets: builtins.list[Path]) -> None:
        if not targets:
            return
        folder = targets[0].parent
        try:
            for one in targets:
                one.unlink(missing_ok=True)
            sync_folder(folder)
        except OSError as error:
            raise SourceError(f"{folder} cannot be written: {error.strerror}.") from error
        # Where something else lies in it, it stays.
        with suppress(OSError):
            folder.rmdir()

    def _place(self, kind: Kind, slug: str) -> Path:
        return self._files.own / FOLDER / FOLDERS[kind] / slug


def file_in(root: Path, given: str) -> tuple[PurePosixPath, bytes]:
    """Return a file of a folder, its path and what it holds, for someone who may be a program.

    Nothing outside the folder, nothing hidden, and nothing behind a link. Raises UsageError,
    NotFound.
    """
    path = Path(given)
    if path.is_absolute() and path.is_relative_to(root):
        path = path.relative_to(root)
    limits.file_name(path.name)
    is_plain = not path.is_absolute() and not any(one.startswith(".") for one in path.parts)
    try:
        if not is_plain or (root / path).resolve() != root.resolve() / path:
            raise UsageError(f"{given[:200]!r} is not a plain file of the folder {root.name}.")
        if (root / path).lstat().st_size > MOST_BYTES:
            raise UsageError(f"{path} is too large; at most {MOST_BYTES:,} bytes are kept.")
        kept = read_file(root / path)
    except (OSError, RuntimeError, ValueError, SourceError):
        kept = None
    if kept is None:
        raise NotFound(f"No file {given[:200]!r} can be read in the folder {root.name}.")
    return PurePosixPath(path.as_posix()), kept.data


def attachment_data(one: Attachment) -> dict[str, object]:
    """Return a file as JSON doors list it."""
    return {
        "filename": one.name,
        "mimeType": one.mime_type,
        "size": one.size_bytes,
        "addedAt": one.added,
    }


def _shown(name: str, size_bytes: int, mtime_s: float) -> Attachment:
    return Attachment(name, mimetypes.guess_type(name)[0] or _UNKNOWN, size_bytes, stamp(mtime_s))


def _missing(kind: Kind, slug: str, name: str) -> NotFound:
    return NotFound(f"{kind}:{slug} has no file {name[:100]!r}.")
