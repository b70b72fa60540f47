"""Lines of a file -> who wrote them, and how many lines each.

Follows the file from its newest commit back and hands every line to the commit that brought it.
Lines changed since the newest commit have no author yet. Never raises. Called on request: it may
read the whole history of a file.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from trivium.errors import TriviumError
from trivium.sources.base import Entry, Raw
from trivium.sources.decode import decode
from trivium.sources.files import FolderSource
from trivium.sources.history import open_checkout
from trivium.sources.objects import Commit, Store, Unreadable


class Share(NamedTuple):
    """How many of the lines an author wrote."""

    author: str
    lines: int


@dataclass(slots=True)
class _Blame:
    """Lines on their way back: by commit and path, where they stand in that version."""

    store: Store
    parts: tuple[bytes, ...]
    heap: list[tuple[int, bytes, bytes]] = field(default_factory=list)
    lines: dict[tuple[bytes, bytes], list[int]] = field(default_factory=dict)
    written: Counter[str] = field(default_factory=Counter)

    def hand(self, commit: Commit, path: bytes, lines: list[int]) -> None:
        """Pass lines to a commit, to be looked at when its time comes."""
        if not lines:
            return
        key = (commit.id, path)
        if key not in self.lines:
            heapq.heappush(self.heap, (-commit.time, *key))
            self.lines[key] = []
        self.lines[key] += lines

    def step(self) -> None:
        """Take the newest commit: its lines go to commits it follows, or stay with its author."""
        _, id_, path = heapq.heappop(self.heap)
        lines = self.lines.pop((id_, path))
        commit = self.store.commit(id_)
        try:
            lines = self._hand_back(commit, path, lines)
        except Unreadable:
            # Beyond the edge of a shallow clone nobody can tell.
            return
        self.written[commit.author] += len(lines)

    def _hand_back(self, commit: Commit, path: bytes, lines: list[int]) -> list[int]:
        """Return the lines that none of the commits before had."""
        blob = self._blob(commit, path)
        parents = [self.store.commit(parent) for parent in commit.parents]
        before = [(parent, path, self._blob(parent, path)) for parent in parents]
        if len(parents) == 1 and before[0][2] is None:
            older = self._renamed(commit, parents[0], blob)
            before = [] if older is None else [(parents[0], older, blob)]
        same = next((one for one in before if one[2] == blob), None)
        if same is not None:
            self.hand(same[0], same[1], lines)
            return []
        for parent, older, old_blob in before:
            if blob is not None and old_blob is not None and lines:
                text, old_text = self.store.blob(blob), self.store.blob(old_blob)
                kept = carried(_text(old_text), _text(text), lines)
                self.hand(parent, older, [kept[line] for line in lines if line in kept])
                lines = [line for line in lines if line not in kept]
        return lines

    def _blob(self, commit: Commit, path: bytes) -> bytes | None:
        return self.store.file(commit.tree, b"/".join((*self.parts, path)))

    def _renamed(self, commit: Commit, parent: Commit, blob: bytes | None) -> bytes | None:
        """Return the path of a file that went when one with the same content came."""
        trees = [self.store.folder(one.tree, self.parts) for one in (parent, commit)]
        gone = self.store.changes(trees[0], trees[1:])
        return next((one.path for one in gone if one.is_new and one.blob == blob), None)


def authors(
    root: Path,
    path: str,
    *,
    first_line: int,
    last_line: int,
    most_commits: int = 100_000,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[Share]:
    """Return who wrote the lines from one to another (from 1, both included), most lines first.

    `path` is below the root. The lines count in the file as it is on disk. Empty when nobody can
    tell, and when told to stop.
    """
    opened = open_checkout(root)
    text = _on_disk(root, path)
    if isinstance(opened, str) or text is None:
        return []
    blame = _Blame(opened.store, opened.parts)
    name = path.encode("utf-8", "surrogateescape")
    try:
        head = opened.store.commit(opened.head)
        blob = opened.store.file(head.tree, b"/".join((*opened.parts, name)))
        committed = None if blob is None else _text(opened.store.blob(blob))
        if committed is None:
            return []
        last = min(last_line, text.count("\n") + (not text.endswith("\n")))
        kept = carried(committed, text, range(max(1, first_line), last + 1))
        blame.hand(head, name, list(kept.values()))
        for _ in range(most_commits):
            if not blame.heap:
                break
            if should_stop():
                return []
            blame.step()
    except Unreadable:
        return []
    shares = [Share(author, lines) for author, lines in blame.written.items() if lines]
    return sorted(shares, key=lambda share: (-share.lines, share.author))


def carried(old: str, new: str, lines: Iterable[int]) -> dict[int, int]:
    """Return where lines of a text stood in an older one; those that are new are left out."""
    from pygit2 import Patch
    from pygit2.enums import DiffOption

    if old == new:
        return {line: line for line in lines}
    patch = Patch.create_from(
        old.encode("utf-8", "surrogateescape"),
        new.encode("utf-8", "surrogateescape"),
        flag=DiffOption.FORCE_TEXT,
        context_lines=0,
    )
    found: dict[int, int] = {}
    shift = 0
    hunks = iter([(hunk.new_start, hunk.new_lines, hunk.old_lines) for hunk in patch.hunks])
    hunk = next(hunks, None)
    for line in sorted(lines):
        # Without new lines a hunk stands after the line it names.
        while hunk is not None and line >= hunk[0] + max(hunk[1], 1):
            shift += hunk[2] - hunk[1]
            hunk = next(hunks, None)
        if hunk is None or hunk[1] == 0 or line < hunk[0]:
            found[line] = line + shift
    return found


def _on_disk(root: Path, path: str) -> str | None:
    try:
        read = FolderSource(root).read(Entry(path, 0, 0))
    except (OSError, TriviumError):
        return None
    return read.text if isinstance(read, Raw) else None


def _text(data: bytes) -> str:
    text = decode(data)
    if text is None:
        raise Unreadable("not text")
    return text
