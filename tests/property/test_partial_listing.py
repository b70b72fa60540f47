"""Looking only where something changed ends where looking everywhere does.

First with changes that the test itself keeps account of, then with those a watch tells of. Files
of memory are named one by one, all others by their folders.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.backends.base import FileState
from trivium.parsing.shelves import kind_in_memory
from trivium.sources.files import FolderSource
from trivium.sources.watch import Watch
from trivium.writing.plan import all_skipped, plan

NOTES = ".trivium/notes"
FOLDERS = ("", "a", "b", "a/a", "a/b", "a/b/c", "b/c", "build", "a-b", "b/node_modules", NOTES)
NAMES = ("x.py", "y.md", "z.png", "t.log", "a", "c", "keep.log")
RULES = ("", "*.log", "b/", "/a/b", "*\n!*/\n!*.py", "c", "*.log\n!keep.log", "!build/", "a*")

folders = st.sampled_from(FOLDERS)
names = st.sampled_from(NAMES)
changes = st.one_of(
    st.tuples(st.just("write"), folders, names),
    st.tuples(st.just("write"), folders, names),
    st.tuples(st.just("remove"), folders, names),
    st.tuples(st.just("drop"), folders, names),
    st.tuples(st.just("move"), folders, folders),
    st.tuples(st.just("link"), folders, names),
    st.tuples(st.just("rules"), folders, st.sampled_from(RULES)),
    st.tuples(st.just("trivium"), folders, st.sampled_from(RULES)),
)


@dataclass
class Tree:
    """A folder on disk, and where in it something changed: None is everywhere."""

    root: Path
    touched: set[str] | None = field(default_factory=set)
    ticks: int = 0

    def touch(self, path: str) -> None:
        if self.touched is not None:
            self.touched.add(path if kind_in_memory(path) else path.rpartition("/")[0])

    def appeared(self, path: str) -> None:
        """A folder is here that was not: with it, all that lies in it."""
        self.touch(path)
        if self.touched is not None:
            for place, _, _ in os.walk(self.root / path):
                self.touched.add(Path(place).relative_to(self.root).as_posix())

    def make(self, folder: str) -> bool:
        made = ""
        for name in folder.split("/") if folder else ():
            made = f"{made}/{name}" if made else name
            place = self.root / made
            if place.is_symlink() or place.is_file():
                return False
            if not place.exists():
                place.mkdir()
                self.appeared(made)
        return True

    def write(self, folder: str, name: str, text: str = "") -> None:
        path = f"{folder}/{name}" if folder else name
        if not self.make(folder) or (self.root / path).is_dir():
            return
        self.ticks += 1
        (self.root / path).unlink(missing_ok=True)
        (self.root / path).write_text(text + "x" * self.ticks, encoding="utf-8")
        os.utime(self.root / path, ns=(self.ticks, self.ticks))
        self.touch(path)

    def remove(self, folder: str, name: str) -> None:
        path = f"{folder}/{name}" if folder else name
        place = self.root / path
        if self.is_real(folder) and (place.is_file() or place.is_symlink()):
            place.unlink()
            self.touch(path)

    def drop(self, folder: str, _: str) -> None:
        if folder and self.is_real(folder):
            shutil.rmtree(self.root / folder)
            self.touch(folder)

    def move(self, source: str, target: str) -> None:
        if not source or not target or target.startswith(source) or not self.is_real(source):
            return
        above = target.rpartition("/")[0]
        if not self.is_real(above) or os.path.lexists(self.root / target):
            return
        (self.root / source).rename(self.root / target)
        self.touch(source)
        self.appeared(target)

    def link(self, folder: str, name: str) -> None:
        path = f"{folder}/{name}" if folder else name
        if self.make(folder) and not os.path.lexists(self.root / path):
            (self.root / path).symlink_to(self.root.parent)
            self.touch(path)

    def rules(self, folder: str, text: str) -> None:
        self.write(folder, ".gitignore", text + "\n#")
        self.touched = None

    def trivium(self, folder: str, text: str) -> None:
        self.write(folder, ".triviumignore", text + "\n#")
        self.touched = None

    def is_real(self, folder: str) -> bool:
        place = self.root
        for name in folder.split("/") if folder else ():
            place /= name
            if place.is_symlink():
                return False
        return place.is_dir()


@dataclass
class Index:
    """What an index would remember: the manifest and the files passed over."""

    files: dict[str, FileState] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def sync(self, root: Path, touched: set[str] | None, *, stores_folders: bool) -> None:
        folders = None if touched is None else frozenset(touched)
        listing = FolderSource(root).list(folders, known={*self.files, *self.skipped})
        todo = plan(listing.entries, self.files, looked=listing.looked)
        for path in todo.forget:
            del self.files[path]
        for entry in todo.read:
            self.files[entry.path] = FileState(entry.path, entry.size_bytes, entry.mtime_ns, "hash")
        if stores_folders:
            self._store_folders()
        now = {skip.path: skip.reason.value for skip in listing.skipped}
        self.skipped = all_skipped(self.skipped, now, looked=listing.looked)

    def _store_folders(self) -> None:
        """As the write spine does: a folder that holds a file is in the manifest."""
        paths = [path for path in self.files if not path.endswith("/")]
        self.files = {path: self.files[path] for path in paths}
        for path in ["./", *(f"{place}/" for one in paths for place in _above(one))]:
            self.files[path] = FileState(path, 0, 0, "")

    def documents(self) -> dict[str, FileState]:
        return {path: state for path, state in self.files.items() if not path.endswith("/")}


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


@given(
    st.lists(st.lists(changes, min_size=1, max_size=5), min_size=1, max_size=6),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_look_where_something_changed_ends_where_a_look_everywhere_does(
    rounds: list[list[tuple[str, str, str]]], stores_folders: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place) / "root")
        tree.root.mkdir()
        tree.write("a/b", "x.py")
        tree.write("b", "y.md")
        in_parts = Index()
        in_parts.sync(tree.root, None, stores_folders=stores_folders)
        for one in rounds:
            tree.touched = set()
            for name, first, second in one:
                change: Callable[[str, str], None] = getattr(tree, name)
                change(first, second)
            in_parts.sync(tree.root, tree.touched, stores_folders=stores_folders)
            at_once = Index()
            at_once.sync(tree.root, None, stores_folders=stores_folders)

            assert in_parts.documents() == at_once.documents()
            assert in_parts.skipped == at_once.skipped


@given(st.lists(st.lists(changes, min_size=1, max_size=4), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_look_where_the_watch_says_so_ends_where_a_look_everywhere_does(
    rounds: list[list[tuple[str, str, str]]],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place).resolve() / "root")
        tree.root.mkdir()
        tree.write("a/b", "x.py")
        tree.write("b", "y.md")
        watch = Watch(tree.root)
        watch.start()
        watched = Index()
        try:
            for one in [[], *rounds]:
                for name, first, second in one:
                    change: Callable[[str, str], None] = getattr(tree, name)
                    change(first, second)
                folders = watch.changed(0)
                touched = None if folders is None else set(folders)
                watched.sync(tree.root, touched, stores_folders=True)
                at_once = Index()
                at_once.sync(tree.root, None, stores_folders=True)

                assert not watch.is_blind
                assert watched.documents() == at_once.documents()
                assert watched.skipped == at_once.skipped
        finally:
            watch.stop()
