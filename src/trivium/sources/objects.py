"""The object store of a repository -> its commits and trees.

Only the store is opened, never the repository: no configuration, hook, filter, attribute or index
is read, so nothing in it can act, and whose it is does not matter. What is missing, damaged or
larger than any real one raises Unreadable. Called by history.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pygit2 import Odb

_LARGEST_COMMIT = 1_000_000
_LARGEST_TREE = 32_000_000
_LARGEST_BLOB = 4_000_000
_MOST_PARENTS = 100
# Of tree entries: the Linux kernel has 90,000 files, and this many take about two seconds.
_MOST_VISITED_AT_ONCE = 2_000_000
_MOST_STORES = 20
_LONGEST_ALTERNATES = 65_536
_LONGEST_NAME = 200
_LONGEST_PATH = 4096
# One entry of a tree takes about 250 bytes, a commit 500.
_MOST_ENTRIES_HELD = 200_000
_MOST_BYTES_HELD = 32_000_000
_MOST_COMMITS_HELD = 20_000
# libgit2 keeps what it read, up to 256 MB, for as long as a store is open; only a setting of the
# whole process would stop it. Measured on 50,000 commits of Rails: 330 MB without, 88 MB with it.
_READS_BETWEEN_OPENINGS = 20_000
# As git numbers them.
_COMMITS, _TREES, _BLOBS = 1, 2, 3
_FOLDER = b"40000"
_SUBMODULE = b"160000"
_LAST_SECOND = 253_402_300_799

_ENTRY = re.compile(rb"[0-7]{5,6} [^\0]+\0.{20}", re.DOTALL)
# The mode before a name; after a space it would itself be part of a name.
_MODE = re.compile(rb"(?<! )(?:1[026]0[0-7]{3}|40000)\Z")
_COMMIT = re.compile(
    rb"tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*+)author ([^\n]*)\ncommitter ([^\n]*)"
)
_TIME = re.compile(rb"> (\d{1,12})(?: |\Z)")
_ENCODING = re.compile(rb"\nencoding ([\w.:-]{1,40})\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")

# The entries of a folder as they stand in its object, so that two folders compare at once.
Tree = frozenset[bytes]
_NOTHING: Tree = frozenset()


class Unreadable(Exception):
    """An object is missing, as beyond the edge of a shallow clone, damaged or too large."""


@dataclass(frozen=True, slots=True)
class Commit:
    """What one commit says: its tree, what it follows, who wrote it and when it was made."""

    id: bytes
    tree: bytes
    parents: tuple[bytes, ...]
    author: str
    time: int


class Entry(NamedTuple):
    """One name in a folder: what it is (a mode as git writes it) and the id of its content.

    A tuple: it is made four times faster than a dataclass, and hundreds of thousands are.
    """

    mode: bytes
    name: bytes
    id: bytes

    @property
    def is_folder(self) -> bool:
        """Whether it is a tree of its own."""
        return self.mode == _FOLDER

    @property
    def is_file(self) -> bool:
        """Whether its content is in this repository: a submodule's is in another."""
        return self.mode not in (_FOLDER, _SUBMODULE)


class Change(NamedTuple):
    """A file that differs. `is_new` says that its path was not there before."""

    path: bytes
    blob: bytes
    is_new: bool


def open_store(folder: Path) -> Store | None:
    """Open a folder of objects; None if it is not one.

    One that holds anything but files and folders is refused: opening a pipe waits for ever.
    Raises ImportError where pygit2 is not installed, or is older than the look at a size before
    reading that this relies on.
    """
    import pygit2

    if not hasattr(pygit2.Odb, "read_header"):
        raise ImportError("pygit2 is too old")
    if not _is_plain(folder):
        return None
    failures = (OSError, ValueError, KeyError, pygit2.GitError)
    try:
        return Store(lambda: pygit2.Odb(os.fspath(folder)), failures=failures)
    except failures:
        return None


class Store:
    """Commits, trees and blobs by id, with those met lately kept at hand.

    `visited` counts the tree entries that were compared: the measure of work done.
    """

    def __init__(
        self, open_odb: Callable[[], Odb], *, failures: tuple[type[Exception], ...]
    ) -> None:
        self._open_odb = open_odb
        self._odb = open_odb()
        self._reads = 0
        self._failures = failures
        self._commits: dict[bytes, Commit] = {}
        self._trees: dict[bytes, Tree] = {}
        self._entries_held = 0
        self._raw: dict[bytes, bytes] = {}
        self._bytes_held = 0
        self.visited = 0

    def commit(self, id_: bytes) -> Commit:
        """Return a commit."""
        known = self._commits.get(id_)
        if known is not None:
            return known
        if len(self._commits) >= _MOST_COMMITS_HELD:
            self._commits.clear()
        made = _commit(id_, self._read(id_, _COMMITS, limit=_LARGEST_COMMIT))
        self._commits[id_] = made
        return made

    def blob(self, id_: bytes) -> bytes:
        """Return the content of a file."""
        return self._read(id_, _BLOBS, limit=_LARGEST_BLOB)

    def folder(self, tree: bytes, parts: Sequence[bytes]) -> bytes | None:
        """Return the id of a folder below a tree, or None if there is none."""
        at = tree
        for part in parts:
            found = self._find(at, part)
            if found is None or not found.is_folder:
                return None
            at = found.id
        return at

    def file(self, tree: bytes | None, path: bytes) -> bytes | None:
        """Return the id of a file's content below a tree, or None if there is no file."""
        *parts, name = path.split(b"/")
        folder = None if tree is None else self.folder(tree, parts)
        found = None if folder is None else self._find(folder, name)
        return None if found is None or not found.is_file else found.id

    def files(self, tree: bytes | None) -> frozenset[bytes]:
        """Return the names of the files in a folder, without those in folders of its own."""
        return frozenset(entry.name for entry in map(_entry, self._tree(tree)) if entry.is_file)

    def changes(self, tree: bytes | None, olds: Sequence[bytes | None]) -> Iterator[Change]:
        """Compare a tree with others: each file that differs from its like in all of them.

        Raises Unreadable after more folders than any commit changes: trees can be made endless.
        """
        most = self.visited + _MOST_VISITED_AT_ONCE
        waiting: list[tuple[bytes, bytes | None, Sequence[bytes | None]]] = [(b"", tree, olds)]
        while waiting:
            if self.visited > most:
                raise Unreadable("too many changes in one commit")
            prefix, id_, old_ids = waiting.pop()
            entries = self._tree(id_)
            before = [self._tree(old) for old in old_ids]
            self.visited += 1 + len(entries) + sum(map(len, before))
            changed = entries.difference(*before)
            if not changed:
                continue
            replaced = [{one.name: one for one in map(_entry, old - entries)} for old in before]
            for entry in map(_entry, changed):
                like = [names.get(entry.name) for names in replaced]
                if entry.is_folder and len(prefix) < _LONGEST_PATH:
                    below = [one.id if one and one.is_folder else None for one in like]
                    waiting.append((prefix + entry.name + b"/", entry.id, below))
                elif entry.is_file:
                    yield Change(prefix + entry.name, entry.id, not any(like))

    def _tree(self, id_: bytes | None) -> Tree:
        """Return what a folder holds; nothing for None, the folder that is not there."""
        if id_ is None:
            return _NOTHING
        known = self._trees.get(id_)
        if known is not None:
            return known
        made = frozenset(_ENTRY.findall(self._read(id_, _TREES, limit=_LARGEST_TREE)))
        if self._entries_held + len(made) > _MOST_ENTRIES_HELD:
            self._trees.clear()
            self._entries_held = 0
        self._trees[id_] = made
        self._entries_held += len(made)
        return made

    def _find(self, id_: bytes, name: bytes) -> Entry | None:
        """Return one entry of a folder without reading the others."""
        raw = self._raw.get(id_)
        if raw is None:
            raw = self._read(id_, _TREES, limit=_LARGEST_TREE)
            if self._bytes_held + len(raw) > _MOST_BYTES_HELD:
                self._raw.clear()
                self._bytes_held = 0
            self._raw[id_] = raw
            self._bytes_held += len(raw)
        at = raw.find(b" " + name + b"\0")
        if at < 0:
            return None
        mode = _MODE.search(raw[max(0, at - 7) : at])
        end = at + len(name) + 22
        if mode is not None:
            return _entry(mode[0] + raw[at:end])
        # The end of another name, or of an id that reads like this one.
        entries = map(_entry, self._tree(id_))
        return next((entry for entry in entries if entry.name == name), None)

    def _read(self, id_: bytes, kind: int, *, limit: int) -> bytes:
        """Return an object's bytes; its size is looked at before it is unpacked."""
        try:
            self._reads += 1
            if self._reads % _READS_BETWEEN_OPENINGS == 0:
                self._odb = self._open_odb()
            found, size = self._odb.read_header(id_.hex())
            if int(found) != kind or size > limit:
                raise Unreadable(id_.hex())
            return self._odb.read(id_.hex())[1]
        except self._failures as error:
            raise Unreadable(id_.hex()) from error


def _entry(raw: bytes) -> Entry:
    mode, _, name = raw[:-21].partition(b" ")
    # Some tools of old wrote the mode of a folder with a zero in front.
    return Entry(mode.lstrip(b"0"), name, raw[-20:])


def _commit(id_: bytes, data: bytes) -> Commit:
    found = _COMMIT.match(data)
    if found is None:
        raise Unreadable(id_.hex())
    tree, parents, author, committer = found.groups()
    ids = [line[7:].decode() for line in parents.splitlines()]
    if len(ids) > _MOST_PARENTS:
        raise Unreadable(id_.hex())
    time = _TIME.search(committer)
    return Commit(
        id=id_,
        tree=bytes.fromhex(tree.decode()),
        parents=tuple(map(bytes.fromhex, ids)),
        author=_name(author.partition(b" <")[0], rest=data[found.end() : found.end() + 100]),
        time=0 if time is None else min(int(time[1]), _LAST_SECOND),
    )


def _name(raw: bytes, *, rest: bytes) -> str:
    """Decode a name: UTF-8 unless the commit says otherwise, without control characters."""
    encoding = _ENCODING.match(rest)
    try:
        name = raw.decode("utf-8" if encoding is None else encoding[1].decode())
    except (LookupError, ValueError):
        name = raw.decode("utf-8", "replace")
    return _CONTROL.sub(" ", name).strip()[:_LONGEST_NAME]


def _is_plain(folder: Path) -> bool:
    """Whether a store, and those it borrows from, hold nothing but files and folders."""
    stores, seen = [folder], {folder}
    try:
        while stores:
            store = stores.pop()
            if not _holds_files_only(store):
                return False
            borrowed = {one for one in _alternates(store) if one.is_dir()} - seen
            seen |= borrowed
            stores.extend(borrowed)
            if len(seen) > _MOST_STORES:
                return False
    except (OSError, ValueError):
        return False
    return True


def _holds_files_only(folder: Path) -> bool:
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif not entry.is_file():
                    return False
    return True


def _alternates(folder: Path) -> Iterator[Path]:
    """Yield the stores that a store borrows from."""
    path = folder / "info" / "alternates"
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="surrogateescape") as file:
        for line in file.read(_LONGEST_ALTERNATES).splitlines():
            if line and not line.startswith("#"):
                yield (folder / line).resolve()
