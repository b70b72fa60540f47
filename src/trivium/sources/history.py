"""A folder in a repository -> who last changed each of its files, when, and how often.

Commits are walked from the newest back, each compared with what it follows. Reads the object
store alone (objects.py) and never raises: a repository that cannot be read has no history. Called
by the indexer, in the background.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from trivium.sources.git import branch_at, checkout_of, head_at
from trivium.sources.objects import Change, Commit, Store, Unreadable, open_store

# Of tree entries compared: minutes of work. Only a repository made to be endless has more.
_MOST_WORK = 200_000_000
_MOST_FILES = 500_000
# A commit that adds more files than this is an import, not a rename.
_MOST_RENAMES = 20_000
_ID_DIGITS = 40
_INSTALL = "Facts from git need an optional part. Install it with: pip install -U 'trivium[git]'"

_FROM_HEAD, _FROM_SINCE = 1, 2


@dataclass(frozen=True, slots=True)
class FileHistory:
    """Who last changed a file, when (ISO 8601, UTC), and in how many commits it changed.

    `formerly` is the path under which its older changes stand, where it was renamed.
    """

    author: str
    modified: str
    churn: int
    formerly: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The history of a folder's files, by path below the folder.

    `is_whole` rows replace all that was known; others add to what was known at `since`: churn is
    added to that of the path or of `formerly`. `is_cut` says that commits are missing from it,
    as in a shallow clone: churn is then the least it can be.
    """

    head: str
    branch: str
    is_whole: bool
    is_cut: bool
    rows: Mapping[str, FileHistory]


@dataclass(frozen=True, slots=True)
class Opened:
    """A folder's repository: objects, newest commit, branch, and the folders down to the folder."""

    store: Store
    head: bytes
    branch: str
    parts: tuple[bytes, ...]


@dataclass(slots=True)
class _Row:
    """A row in the making."""

    author: str
    time: int
    churn: int = 0
    formerly: str = ""


@dataclass(slots=True)
class _Walk:
    """What was found so far, by present path, and which older paths are present files."""

    store: Store
    parts: tuple[bytes, ...]
    top: bytes | None
    rows: dict[bytes, _Row] = field(default_factory=dict)
    known_as: dict[bytes, bytes | None] = field(default_factory=dict)
    files: dict[bytes, frozenset[bytes]] = field(default_factory=dict)
    is_cut: bool = False

    def add(self, commit: Commit) -> None:
        """Count one commit for every file that it, and no commit it follows, gave this content.

        The edge of a shallow clone is left out: without what it follows it would seem to have
        written every file.
        """
        try:
            parents = [self.store.commit(parent) for parent in commit.parents]
            tree = self.store.folder(commit.tree, self.parts)
            olds = [self.store.folder(parent.tree, self.parts) for parent in parents]
            if tree is None or tree in olds:
                return
            added: list[tuple[Change, bytes]] = []
            for change in self.store.changes(tree, olds):
                present = self._present(change.path)
                if present is None or not self._count(present, commit):
                    continue
                if change.is_new and len(added) < _MOST_RENAMES:
                    added.append((change, present))
            if 0 < len(added) < _MOST_RENAMES and len(olds) == 1:
                self._follow(added, tree=tree, old=olds[0])
        except Unreadable:
            self.is_cut = True

    def _count(self, present: bytes, commit: Commit) -> bool:
        row = self.rows.get(present)
        if row is None:
            if len(self.rows) >= _MOST_FILES:
                self.is_cut = True
                return False
            row = self.rows[present] = _Row(commit.author, commit.time)
        row.churn += 1
        return True

    def _present(self, path: bytes) -> bytes | None:
        """Return the present path of a file once known by this one; None if it is no more."""
        if path not in self.known_as:
            if len(self.known_as) >= _MOST_FILES:
                self.is_cut = True
                return None
            folder, _, name = path.rpartition(b"/")
            if folder not in self.files:
                self.files[folder] = self._files(folder)
            self.known_as[path] = path if name in self.files[folder] else None
        return self.known_as[path]

    def _files(self, folder: bytes) -> frozenset[bytes]:
        """Return the names of the files in a folder as it is now."""
        parts = folder.split(b"/") if folder else []
        return self.store.files(None if self.top is None else self.store.folder(self.top, parts))

    def _follow(
        self, added: list[tuple[Change, bytes]], *, tree: bytes | None, old: bytes | None
    ) -> None:
        """Join files that came with the history of files that went with the same content.

        Of several, one with the same name is taken, then the first by path: any order would do,
        but it must be the same every time.
        """
        gone: dict[bytes, dict[bytes, list[bytes]]] = {}
        for path, blob, is_gone in sorted(self.store.changes(old, [tree]), reverse=True):
            if is_gone and self._present(path) is None:
                gone.setdefault(blob, {}).setdefault(_name(path), []).append(path)
        for change, present in sorted(added):
            names = gone.get(change.blob)
            if not names:
                continue
            name = _name(change.path)
            name = name if name in names else next(reversed(names))
            older = names[name].pop()
            if not names[name]:
                del names[name]
            self.known_as[older] = present
            self.rows[present].formerly = _text(older)


def history(
    root: Path,
    *,
    since: str | None = None,
    most_commits: int = 50_000,
    should_stop: Callable[[], bool] = lambda: False,
) -> History | None:
    """Return the history of the files below a folder, or None if there is none to read.

    With `since`, the head of an earlier answer, only newer commits are walked, if it still is
    part of the history. None, too, when told to stop.
    """
    opened = open_checkout(root)
    if isinstance(opened, str):
        return None
    store, head, parts = opened.store, opened.head, opened.parts
    if since == head.hex():
        return History(since, opened.branch, is_whole=False, is_cut=False, rows={})
    try:
        newer = _newer(store, head, since=since, most=most_commits)
        walk = _Walk(store, parts, top=store.folder(store.commit(head).tree, parts))
    except Unreadable:
        return None
    commits = _all(walk, head) if newer is None else iter(newer)
    for count, commit in enumerate(commits):
        if should_stop():
            return None
        if count >= most_commits or store.visited > _MOST_WORK:
            walk.is_cut = True
            break
        walk.add(commit)
    rows = {_text(path): _row(row) for path, row in walk.rows.items() if _is_utf8(path)}
    return History(head.hex(), opened.branch, newer is None, walk.is_cut, rows)


def unavailable(root: Path) -> str:
    """Return why a folder has no history, as a sentence for people; "" if it has one."""
    opened = open_checkout(root)
    return opened if isinstance(opened, str) else ""


def open_checkout(root: Path) -> Opened | str:
    """Open the repository of a folder, or return why that cannot be done."""
    try:
        folder = root.resolve()
        checkout = checkout_of(folder)
    except (OSError, RuntimeError) as error:
        return f"{root} cannot be read: {error}"
    if checkout is None:
        return f"{root} is not in a git repository."
    try:
        store = open_store(checkout.shared / "objects")
    except ImportError:
        return _INSTALL
    if store is None:
        return f"The repository at {checkout.top} has no objects that can be read."
    head = head_at(checkout)
    reason = _fault(store, head)
    if reason:
        return f"The repository at {checkout.top} {reason}."
    parts = folder.relative_to(checkout.top).parts
    return Opened(
        store=store,
        head=bytes.fromhex(head),
        branch=branch_at(checkout),
        parts=tuple(part.encode("utf-8", "surrogateescape") for part in parts),
    )


def _fault(store: Store, head: str) -> str:
    """Return why a history cannot begin at its newest commit, or ""."""
    if not head:
        return "has no commit checked out"
    if len(head) != _ID_DIGITS:
        return "uses SHA-256 ids, which are not read yet"
    try:
        store.commit(bytes.fromhex(head))
    except Unreadable:
        return f"is damaged: commit {head} cannot be read"
    return ""


def _all(walk: _Walk, head: bytes) -> Iterator[Commit]:
    """Yield every commit once, newest first, a commit before those it follows."""
    seen = {head}
    heap = [(-walk.store.commit(head).time, 0, head)]
    while heap:
        try:
            commit = walk.store.commit(heapq.heappop(heap)[2])
        except Unreadable:
            # It was there a moment ago: the repository is being packed anew.
            walk.is_cut = True
            continue
        yield commit
        for parent in commit.parents:
            if parent in seen:
                continue
            seen.add(parent)
            time = _time(walk.store, parent)
            if time is None:
                walk.is_cut = True
            else:
                heapq.heappush(heap, (-time, len(seen), parent))


def _time(store: Store, id_: bytes) -> int | None:
    """Return when a commit was made; None if it is not there, as in a shallow clone."""
    try:
        return store.commit(id_).time
    except Unreadable:
        return None


def _newer(store: Store, head: bytes, *, since: str | None, most: int) -> list[Commit] | None:
    """Return the commits that lead from `since` to the head, newest first.

    None if none do, if there are too many, or if it cannot be told: then all are to be walked.
    """
    start = _id(since)
    if start is None:
        return None
    marks = {head: _FROM_HEAD, start: _FROM_SINCE}
    found: list[bytes] = []
    waiting = {head}
    try:
        heap = [(-store.commit(one).time, one) for one in marks]
        heapq.heapify(heap)
        while waiting and len(marks) <= most:
            id_ = heapq.heappop(heap)[1]
            waiting.discard(id_)
            if marks[id_] == _FROM_HEAD:
                found.append(id_)
            for parent in store.commit(id_).parents:
                before = marks.get(parent, 0)
                marks[parent] = before | marks[id_]
                time = _time(store, parent)
                if marks[parent] == before or time is None:
                    continue
                # One passed already, by a clock that was wrong, must tell its own parents.
                heapq.heappush(heap, (-time, parent))
                if marks[parent] == _FROM_HEAD:
                    waiting.add(parent)
                else:
                    waiting.discard(parent)
        if marks[start] == _FROM_SINCE or len(marks) > most:
            return None
        return [store.commit(one) for one in found if marks[one] == _FROM_HEAD]
    except Unreadable:
        return None


def _id(since: str | None) -> bytes | None:
    try:
        return None if since is None else bytes.fromhex(since)
    except ValueError:
        return None


def _row(row: _Row) -> FileHistory:
    modified = datetime.fromtimestamp(row.time, UTC).isoformat(timespec="seconds")
    return FileHistory(row.author, modified, row.churn, row.formerly)


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")


def _is_utf8(path: bytes) -> bool:
    """Whether a path can be a document's: sources leave out names that are not UTF-8."""
    return _text(path).encode() == path
