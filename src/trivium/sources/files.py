"""A folder -> its documents, without what the ignore rules leave out.

Nothing outside the folder is ever read: links are not followed, and `read` opens one name at a
time, so that a link put in the way after the listing is refused too. Called by the indexer.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from trivium.errors import NotFound, UsageError
from trivium.parsing import shelves
from trivium.sources.base import Entry, Listing, Raw, Reason, Skip
from trivium.sources.convert import convert, is_office, is_readable, limit_of
from trivium.sources.decode import decode, is_binary
from trivium.sources.ignore import Rules, Verdict, bytewise, defaults
from trivium.sources.minified import is_minified
from trivium.sources.walk import READ_FLAGS, Folder, Walk, is_utf8, read_all, steps_of

MAX_FILE_BYTES = 1_000_000
_HAS_OPENAT = os.open in os.supports_dir_fd


@dataclass(slots=True)
class _Found:
    """What a walk has found so far. `looked` maps a folder to those that lie in it."""

    entries: list[Entry] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    looked: dict[str, set[str]] = field(default_factory=dict)

    def is_nothing(self) -> bool:
        """Whether the root was looked at and holds nothing at all."""
        return not (self.entries or self.skipped) and self.looked.get("") == set()

    def listing(self, looked: Iterable[str] | None) -> Listing:
        """Return what was found, in order."""
        return Listing(
            entries=tuple(sorted(self.entries, key=lambda entry: entry.path)),
            skipped=tuple(sorted(self.skipped, key=lambda skip: skip.path)),
            looked=None if looked is None else frozenset(looked),
        )


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

    def list(
        self, folders: frozenset[str] | None = None, *, known: Collection[str] = ()
    ) -> Listing:
        """Walk the folder. Takes one look at each file and opens none but ignore files.

        With `folders` only those are looked at, and what is new below them: a folder that
        holds one of the `known` paths is left alone unless it is asked for. Of a file of memory
        among them, nothing but itself is looked at. Raises NotFound or UsageError where the root
        itself cannot be listed, which does not make it empty.
        """
        walk = Walk(self.root, extra_ignores=self._extra_ignores)
        if folders is None:
            return self._look(walk, [walk.top], known=frozenset()).listing(None)
        places = {path: walk.at(path) for path in folders}
        alone = {path for path, folder in places.items() if folder is None and _is_lone(path)}
        places = {path: folder for path, folder in places.items() if path not in alone}
        places_known = _folders_of(known)
        there = [folder for folder in places.values() if folder is not None]
        found = self._look(walk, there, known=places_known)
        self._look_alone(walk, alone, found)
        if found.is_nothing():
            # Perhaps an unmounted disk: whoever asked for a part should know that it is all.
            return found.listing(None)
        gone = {_topmost_gone(walk, path) for path, folder in places.items() if folder is None}
        return found.listing({*found.looked, *_gone(places_known, found.looked, gone), *alone})

    def _look(self, walk: Walk, folders: Iterable[Folder], *, known: Collection[str]) -> _Found:
        """Look at folders and at every one below them that is not known."""
        found = _Found()
        waiting = [*folders]
        while waiting:
            folder = waiting.pop()
            if folder.name in found.looked:
                continue
            inner = found.looked[folder.name] = set()
            for one in self._scan(walk, folder):
                if isinstance(one, Entry):
                    found.entries.append(one)
                elif isinstance(one, Skip):
                    found.skipped.append(one)
                else:
                    inner.add(one.name)
                    if one.name not in known:
                        waiting.append(one)
        return found

    def _look_alone(self, walk: Walk, paths: Iterable[str], found: _Found) -> None:
        """Look at single files, unless their folders were looked at."""
        for path in paths:
            above = path.rpartition("/")[0]
            if above in found.looked or walk.at(above) is None or walk.is_hidden(path):
                continue
            try:
                one = self._lone(path, os.lstat(self.root / path))
            except OSError as error:
                reason = _reason(error)
                one = None if reason is Reason.VANISHED else Skip(path, reason)
            if isinstance(one, Entry):
                found.entries.append(one)
            elif one is not None:
                found.skipped.append(one)

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
        limit = self._limit(entry.path)
        data = read_all(file, limit=limit) if status.st_size <= limit else None
        if data is None:
            return Skip(entry.path, Reason.TOO_LARGE)
        seen = Entry(entry.path, status.st_size, status.st_mtime_ns)
        sha256 = hashlib.sha256(data).hexdigest()
        if is_office(entry.path):
            return Raw(seen, "", sha256, data)
        text = text_of(entry.path, data)
        return text if isinstance(text, Skip) else Raw(seen, text, sha256)

    def _limit(self, path: str) -> int:
        """Return how many bytes a file may have; formats with much beside their text, more."""
        if shelves.kind_in_memory(path) is not None:
            return shelves.MOST_BYTES
        own = limit_of(path)
        # Who allows less than usual means it for these, too.
        if own is None or self._max_file_bytes < MAX_FILE_BYTES:
            return self._max_file_bytes
        return max(own, self._max_file_bytes)

    def _scan(self, walk: Walk, folder: Folder) -> Iterator[Entry | Skip | Folder]:
        try:
            scan = walk.scan(folder)
        except OSError as error:
            if not folder.path:
                raise _cannot_list(self.root, error) from error
            yield Skip(folder.name, _reason(error))
            return
        for entry in scan.entries:
            one = self._judge(entry, folder=folder, rules=scan.rules)
            if one is not None:
                yield one

    def _judge(
        self, entry: os.DirEntry[str], *, folder: Folder, rules: Rules
    ) -> Entry | Skip | Folder | None:
        """Return what one name in a folder is, or None where it is not to be counted."""
        name, raw = entry.name, bytewise(entry.name)
        path, raw_path = folder.path + name, folder.bytewise + raw
        try:
            is_directory = entry.is_dir(follow_symlinks=False)
            verdict = rules.judge(raw_path, name=raw, is_directory=is_directory)
            if verdict is Verdict.IGNORED:
                return None
            if not is_utf8(name):
                return Skip(_printable(path), Reason.ODD_NAME)
            if is_directory:
                return Folder(path=path + "/", bytewise=raw_path + "/", rules=rules)
            return self._file(entry, path, is_wanted=verdict is Verdict.WANTED)
        except OSError as error:
            return Skip(_printable(path), _reason(error))

    def _file(self, entry: os.DirEntry[str], path: str, *, is_wanted: bool) -> Entry | Skip | None:
        if not entry.is_file(follow_symlinks=False):
            return self._not_a_file(path, is_link=entry.is_symlink())
        reason = _reason_by_name(entry.name, is_wanted=is_wanted)
        if reason is not None:
            return Skip(path, reason)
        return self._sized(path, entry.stat(follow_symlinks=False))

    def _lone(self, path: str, status: os.stat_result) -> Entry | Skip | None:
        if not stat.S_ISREG(status.st_mode):
            return self._not_a_file(path, is_link=stat.S_ISLNK(status.st_mode))
        return self._sized(path, status)

    def _sized(self, path: str, status: os.stat_result) -> Entry | Skip:
        if status.st_size > self._limit(path):
            return Skip(path, Reason.TOO_LARGE)
        return Entry(path=path, size_bytes=status.st_size, mtime_ns=status.st_mtime_ns)

    def _not_a_file(self, path: str, *, is_link: bool) -> Skip | None:
        if not is_link:
            return Skip(path, Reason.SPECIAL)
        # What a link inside the root leads to is listed under its own name.
        inside = _is_inside(self.root, path)
        return None if inside else Skip(path, Reason.SYMLINK_OUTSIDE)


def own_ignores(root: Path, home: Path, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the patterns, and one for our own files where they lie below the root.

    Those are nobody's documents, and change with every sync.
    """
    home = home.resolve()
    if home == root or not home.is_relative_to(root):
        return patterns
    return (*patterns, f"/{home.relative_to(root).as_posix()}/")


def _is_lone(path: str) -> bool:
    return shelves.kind_in_memory(path) is not None


def _folders_of(paths: Iterable[str]) -> set[str]:
    """Return every folder on the way to these paths; one that ends in a slash is itself one."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    # The root may be known by its own name.
    found.discard(".")
    return found


def _topmost_gone(walk: Walk, path: str) -> str:
    """Return the first folder on the way to a missing one that is missing too."""
    above = path.rpartition("/")[0]
    while above and walk.at(above) is None:
        path, above = above, above.rpartition("/")[0]
    return path


def _gone(known: Iterable[str], looked: dict[str, set[str]], gone: set[str]) -> set[str]:
    """Return the folders that are not there any more, and all that were known below them."""
    all_gone = set(gone)
    # A folder comes before those in it, so that one pass reaches every depth.
    for folder in sorted(known):
        above = folder.rpartition("/")[0]
        was_seen = above not in looked or folder in looked[above]
        if folder and (not was_seen or above in all_gone):
            all_gone.add(folder)
    return all_gone


def _cannot_list(root: Path, error: OSError) -> NotFound | UsageError:
    if _reason(error) is Reason.VANISHED:
        return NotFound(f"No folder at {root}. Check the path.")
    return UsageError(f"{root} cannot be listed: {error.strerror}. Check who may read it.")


def text_of(path: str, data: bytes) -> str | Skip:
    """Return the text of a file's bytes, or why there is none."""
    converted = convert(path, data)
    if converted is not None:
        if converted.text is None:
            return Skip(path, Reason(converted.reason))
        return converted.text
    text = decode(data)
    if text is None:
        return Skip(path, Reason.BINARY if is_binary(data) else Reason.UNDECODABLE)
    return Skip(path, Reason.MINIFIED) if is_minified(path, text) else text


def _reason_by_name(name: str, *, is_wanted: bool) -> Reason | None:
    if is_office(name):
        return None if is_readable(name) else Reason.OFFICE_EXTRA
    if is_wanted:
        return None
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
    steps = steps_of(path)
    if steps is None:
        raise OSError(errno.EXDEV, "leads out of the folder", path)
    if not _HAS_OPENAT:
        if (root / path).resolve() != root.joinpath(*steps):
            raise OSError(errno.EXDEV, "leads out of the folder", path)
        return os.open(root / path, READ_FLAGS)
    at = os.open(root, READ_FLAGS)
    for step in steps:
        try:
            deeper = os.open(step, READ_FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = deeper
    return at
