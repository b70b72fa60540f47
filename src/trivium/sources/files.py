"""A folder -> its documents, without what the ignore rules leave out.

Nothing outside the folder is ever read: links are not followed, and `read` opens one name at a
time, so that a link put in the way after the listing is refused too. Called by the indexer.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from trivium.errors import NotFound, UsageError
from trivium.sources.base import Entry, Listing, Raw, Reason, Skip
from trivium.sources.decode import decode, is_binary
from trivium.sources.ignore import Rules, Verdict, bytewise, defaults

MAX_FILE_BYTES = 1_000_000
_MAX_IGNORE_BYTES = 1_000_000
_LONGEST_MEAN_LINE = 5000
# Not every system has these. O_NONBLOCK: opening a pipe must not wait for a writer.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_HAS_OPENAT = os.open in os.supports_dir_fd


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder of the walk: its path below the root, the same in bytes below the repository."""

    path: str
    bytewise: str
    rules: Rules


class FolderSource:
    """The documents below a folder.

    A folder that is asked for is listed even where its own parents' ignore files leave it out.
    Raises NotFound where there is nothing, and UsageError where there is a file.
    """

    def __init__(
        self,
        root: str | Path,
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
        extra_ignores: tuple[str, ...] = (),
    ) -> None:
        self.root = Path(root).resolve()
        if not self.root.exists():
            raise NotFound(f"No folder at {root}. Check the path.")
        if not self.root.is_dir():
            raise UsageError(f"{root} is a file. Give the folder that holds it.")
        self._max_file_bytes = max_file_bytes
        self._extra_ignores = extra_ignores

    def list(self) -> Listing:
        """Walk the folder. Takes one look at each file and opens none but ignore files."""
        entries: list[Entry] = []
        skipped: list[Skip] = []
        waiting = [self._top()]
        while waiting:
            for found in self._scan(waiting.pop()):
                if isinstance(found, Entry):
                    entries.append(found)
                elif isinstance(found, Skip):
                    skipped.append(found)
                else:
                    waiting.append(found)
        return Listing(
            entries=tuple(sorted(entries, key=lambda entry: entry.path)),
            skipped=tuple(sorted(skipped, key=lambda skip: skip.path)),
        )

    def read(self, entry: Entry) -> Raw | Skip:
        """Return the text of one entry, or why there is none, such as a file now gone."""
        try:
            file = _open_beneath(self.root, entry.path)
        except OSError as error:
            return Skip(entry.path, _reason(error))
        try:
            return self._read(entry, file)
        except OSError as error:
            return Skip(entry.path, _reason(error))
        finally:
            os.close(file)

    def _read(self, entry: Entry, file: int) -> Raw | Skip:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            return Skip(entry.path, Reason.SPECIAL)
        data = _read_all(file, limit=self._max_file_bytes) if self._fits(status.st_size) else None
        if data is None:
            return Skip(entry.path, Reason.TOO_LARGE)
        text = decode(data)
        if text is None:
            return Skip(entry.path, Reason.BINARY if is_binary(data) else Reason.UNDECODABLE)
        if len(text) > _LONGEST_MEAN_LINE * (text.rstrip("\n").count("\n") + 1):
            return Skip(entry.path, Reason.MINIFIED)
        return Raw(
            entry=Entry(entry.path, status.st_size, status.st_mtime_ns),
            text=text,
            sha256=hashlib.sha256(data).hexdigest(),
        )

    def _fits(self, size_bytes: int) -> bool:
        return size_bytes <= self._max_file_bytes

    def _top(self) -> _Folder:
        """Return the root, with what the ignore files above it in its repository say."""
        repository = _repository(self.root)
        way = [self.root] if repository is None else _way(repository, self.root)
        has_gitignore = any((folder / ".gitignore").is_file() for folder in way)
        known = defaults()
        rules = Rules(known.always if has_gitignore else known.without_gitignore)
        if repository is not None:
            rules = rules.below(offset=0, trivium=None, git=_exclude_file(repository))
        prefix = ""
        for folder in way[:-1]:
            rules = rules.below(
                offset=len(prefix),
                trivium=_ignore_file(folder, ".triviumignore"),
                git=_ignore_file(folder, ".gitignore"),
            )
            prefix += bytewise(way[way.index(folder) + 1].name) + "/"
        rules = rules.above(offset=len(prefix), patterns=self._extra_ignores)
        return _Folder(path="", bytewise=prefix, rules=rules)

    def _scan(self, folder: _Folder) -> Iterator[Entry | Skip | _Folder]:
        try:
            with os.scandir(f"{self.root}/{folder.path}") as scan:
                found = [*scan]
        except OSError as error:
            yield Skip(folder.path.removesuffix("/"), _reason(error))
            return
        names = {entry.name for entry in found}
        rules = folder.rules
        if ".gitignore" in names or ".triviumignore" in names:
            here = self.root / folder.path
            rules = rules.below(
                offset=len(folder.bytewise),
                trivium=_ignore_file(here, ".triviumignore"),
                git=_ignore_file(here, ".gitignore"),
            )
        for entry in found:
            one = self._judge(entry, folder=folder, rules=rules)
            if one is not None:
                yield one

    def _judge(
        self, entry: os.DirEntry[str], *, folder: _Folder, rules: Rules
    ) -> Entry | Skip | _Folder | None:
        """Return what one name in a folder is, or None where it is not to be counted."""
        name, raw = entry.name, bytewise(entry.name)
        path, raw_path = folder.path + name, folder.bytewise + raw
        try:
            is_directory = entry.is_dir(follow_symlinks=False)
            verdict = rules.judge(raw_path, name=raw, is_directory=is_directory)
            if verdict is Verdict.IGNORED:
                return None
            if not _is_utf8(name):
                return Skip(_printable(path), Reason.ODD_NAME)
            if is_directory:
                return _Folder(path=path + "/", bytewise=raw_path + "/", rules=rules)
            return self._file(entry, path, is_wanted=verdict is Verdict.WANTED)
        except OSError as error:
            return Skip(_printable(path), _reason(error))

    def _file(self, entry: os.DirEntry[str], path: str, *, is_wanted: bool) -> Entry | Skip | None:
        if not entry.is_file(follow_symlinks=False):
            return self._not_a_file(entry, path)
        reason = None if is_wanted else _reason_by_name(entry.name)
        if reason is not None:
            return Skip(path, reason)
        status = entry.stat(follow_symlinks=False)
        if not self._fits(status.st_size):
            return Skip(path, Reason.TOO_LARGE)
        return Entry(path=path, size_bytes=status.st_size, mtime_ns=status.st_mtime_ns)

    def _not_a_file(self, entry: os.DirEntry[str], path: str) -> Skip | None:
        if not entry.is_symlink():
            return Skip(path, Reason.SPECIAL)
        # What a link inside the root leads to is listed under its own name.
        inside = _is_inside(self.root, path)
        return None if inside else Skip(path, Reason.SYMLINK_OUTSIDE)


def _reason_by_name(name: str) -> Reason | None:
    known = defaults()
    lower = name.lower()
    if lower in known.locks:
        return Reason.LOCK_FILE
    if lower.endswith(known.minified):
        return Reason.MINIFIED
    # A name that is nothing but an extension, such as .bin, has none.
    dot = lower.rfind(".")
    return Reason.BINARY if dot > 0 and lower[dot:] in known.binary else None


def _reason(error: OSError) -> Reason:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Reason.VANISHED
    if error.errno in (errno.ELOOP, errno.EMLINK, errno.EXDEV):
        return Reason.SYMLINK_OUTSIDE
    return Reason.SPECIAL if error.errno == errno.ENXIO else Reason.UNREADABLE


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def _is_inside(root: Path, path: str) -> bool:
    try:
        return (root / path).resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        # Before Python 3.13 a link to itself raises; it leads nowhere, so not outside.
        return True


def _open_beneath(root: Path, path: str) -> int:
    """Open a file below the root without following a link at any step.

    Raises OSError: EXDEV where the path leads out of the root.
    """
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or "\0" in path or path.startswith("/") or Path(path).anchor:
        raise OSError(errno.EXDEV, "leads out of the folder", path)
    if not _HAS_OPENAT:
        if (root / path).resolve() != root.joinpath(*parts):
            raise OSError(errno.EXDEV, "leads out of the folder", path)
        return os.open(root / path, _FLAGS)
    at = os.open(root, _FLAGS)
    for part in parts:
        try:
            deeper = os.open(part, _FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = deeper
    return at


def _read_all(file: int, *, limit: int) -> bytes | None:
    """Read to the end; None if the file grew past the limit meanwhile."""
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(file, limit + 1 - size):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            return None
    return b"".join(pieces)


def _ignore_file(folder: Path, name: str) -> bytes | None:
    """Return an ignore file's bytes; like git, none of one that is a link or cannot be read."""
    try:
        file = os.open(folder / name, _FLAGS)
    except OSError:
        return None
    try:
        return _read_all(file, limit=_MAX_IGNORE_BYTES)
    except OSError:
        return None
    finally:
        os.close(file)


def _repository(root: Path) -> Path | None:
    return next((one for one in (root, *root.parents) if (one / ".git").exists()), None)


def _way(top: Path, root: Path) -> list[Path]:
    """Return every folder from one down to another, both included."""
    parts = root.relative_to(top).parts
    return [top.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]


def _exclude_file(repository: Path) -> bytes | None:
    """Return the excludes that a repository keeps for itself; worktrees share them."""
    git = repository / ".git"
    try:
        if git.is_file():
            git = repository / git.read_text("utf-8").removeprefix("gitdir:").strip()
        common = git / "commondir"
        if common.is_file():
            git = git / common.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return _ignore_file(git / "info", "exclude")
