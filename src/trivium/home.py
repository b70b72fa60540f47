"""Where on this machine a folder's index lives, and which folders have one.

One folder of indexes for each person: $TRIVIUM_HOME. An index is named after its folder and
the hash of its path; texts and vectors after the repository, which worktrees share.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from trivium import whereabouts
from trivium.backends.embedded.database import is_sound, read_meta_of
from trivium.backends.embedded.lock import writer_lock
from trivium.errors import BackendError, ConfigError, IndexLocked, IndexUnusable
from trivium.parsing.shelves import FOLDER
from trivium.sources.git import repository_of


def find_root(folder: Path, home: Path) -> Path | None:
    """Return `folder` or the nearest folder above it that has an index."""
    for place in (folder, *folder.parents):
        kept = folder_of(place, home)
        if (kept / "collection.db").exists() or whereabouts.file_of(kept).exists():
            return place
    return None


def folder_of(root: Path, home: Path) -> Path:
    """Return where the index of `root` lives."""
    return home / "collections" / _named(root)


def store_of(root: Path, home: Path) -> Path:
    """Return where the texts and vectors of `root` live: with its repository, if it has one."""
    repository = repository_of(root)
    if repository is None:
        return home / "store" / _named(root)
    name = repository.parent.name if repository.name == ".git" else repository.name
    return home / "store" / f"{_safe(name)}-{_hash(repository)}"


def memory_places(root: Path, home: Path, *, is_users: bool) -> tuple[Path, ...]:
    """Return where the notes, tasks and skills of `root` lie, the place to write to first.

    That is the project, or the user's folder where it is so set or the project cannot be
    written to; what the project holds is then read all the same.
    """
    project = root / FOLDER
    nearest = project if project.is_dir() else root
    if is_users or not os.access(nearest, os.W_OK):
        return (home / "memory" / _named(root) / FOLDER, project)
    return (project,)


def _named(root: Path) -> str:
    return f"{_safe(root.name)}-{_hash(root)}"


def _hash(path: Path) -> str:
    return hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _safe(name: str) -> str:
    """Make a file name of a folder's name."""
    return re.sub(r"[^\w.-]+", "_", name)[:60].strip(".") or "root"


def remove(root: Path, home: Path) -> None:
    """Remove the index of `root`, even one that cannot be opened, and a damaged store.

    Raises IndexLocked while another process writes to it.
    """
    folder, store = folder_of(root, home), store_of(root, home)
    try:
        with writer_lock(folder, wait_s=5.0):
            shutil.rmtree(folder, ignore_errors=True)
    except IndexLocked as error:
        raise IndexLocked(str(root), holder=error.holder) from error
    if not is_sound(store / "store.db"):
        shutil.rmtree(store, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Listed:
    """A collection of this machine; `backend` is where its index is kept."""

    name: str
    root: str
    folder: str
    backend: str = "embedded"


def remembered(root: Path, home: Path) -> dict[str, str]:
    """Return what the index of `root` remembers of itself; nothing if it cannot be read."""
    try:
        return read_meta_of(folder_of(root, home))
    except (IndexUnusable, BackendError):
        return {}


def listed(home: Path) -> list[Listed]:
    """Return the collections of `home` by root; ones that cannot be read are left out."""
    places = home / "collections"
    moved = {
        one.name.removesuffix(whereabouts.SUFFIX) for one in places.glob(f"*{whereabouts.SUFFIX}")
    }
    here = {one.parent.name for one in places.glob("*/collection.db")}
    found = (_listed(places / name) for name in sorted(here | moved))
    return sorted((one for one in found if one is not None), key=lambda one: one.root)


def _listed(folder: Path) -> Listed | None:
    try:
        moved = whereabouts.read(folder)
        kind = "embedded" if moved is None else str(moved.values["backend.kind"])
        if moved is not None and kind != "embedded":
            return Listed(moved.name, moved.root, str(folder), kind)
        meta = read_meta_of(folder)
    except (IndexUnusable, BackendError, ConfigError):
        # Damaged, or half made by a process that died: opening it says so or finishes it.
        return None
    root = meta.get("root", "")
    return Listed(meta.get("name", root), root, str(folder))
