"""Which repository a folder belongs to, read from its .git alone; git is never run."""

from __future__ import annotations

from pathlib import Path

_LONGEST_POINTER = 4096


def repository_of(folder: Path) -> Path | None:
    """Return the folder that all worktrees of a repository share, or None outside one."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return git.resolve()
        if git.is_file():
            return _shared(place, git)
    return None


def _shared(place: Path, pointer: Path) -> Path | None:
    """Follow the pointer file of a worktree to what it shares with the others."""
    target = _read(pointer).removeprefix("gitdir:").strip()
    if not target:
        return None
    own = (place / target).resolve()
    common = _read(own / "commondir").strip()
    return (own / common).resolve() if common else own


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LONGEST_POINTER)
    except OSError:
        return ""
