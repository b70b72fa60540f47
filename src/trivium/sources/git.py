"""Which repository a folder belongs to and what it has checked out, read from its .git alone.

Only the files that point somewhere are opened: .git itself, HEAD and references. git is never
run and no configuration is read, so nothing in a repository can act.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_LONGEST_POINTER = 4096
_MOST_HOPS = 5
_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_BRANCHES = "refs/heads/"
# What HEAD holds where references are kept in a table instead of files.
_NO_BRANCH = ".invalid"


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working folder: its top, its own part of .git, and the part all worktrees share."""

    top: Path
    own: Path
    shared: Path


def checkout_of(folder: Path) -> Checkout | None:
    """Return the checkout a folder stands in, or None outside one."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            own = git.resolve()
            return Checkout(top=place, own=own, shared=own)
        if git.is_file():
            target = _read(git).removeprefix("gitdir:").strip()
            own = (place / target).resolve()
            return Checkout(top=place, own=own, shared=_shared(own)) if target else None
    return None


def repository_of(folder: Path) -> Path | None:
    """Return the folder that all worktrees of a repository share, or None outside one."""
    checkout = checkout_of(folder)
    return None if checkout is None else checkout.shared


def branch_of(folder: Path) -> str:
    """Return the name of the branch checked out; "" on none, as on a single commit."""
    checkout = checkout_of(folder)
    return "" if checkout is None else branch_at(checkout)


def branch_at(checkout: Checkout) -> str:
    """Return the name of a checkout's branch, or ""."""
    reference = _target(_read(checkout.own / "HEAD"))
    name = reference.removeprefix(_BRANCHES)
    return "" if name in (reference, _NO_BRANCH) else name


def head_at(checkout: Checkout) -> str:
    """Return the id of the commit checked out; "" before the first one or if it cannot be read."""
    name, content = "HEAD", _read(checkout.own / "HEAD")
    for _ in range(_MOST_HOPS):
        if _ID.match(content.strip()) is not None:
            return content.strip()
        name = _target(content)
        if not name:
            return ""
        content = (
            _read(checkout.own / name) or _read(checkout.shared / name) or _packed(checkout, name)
        )
    return ""


def _target(content: str) -> str:
    """Return the reference that HEAD or another reference points to; "" if it leads outside."""
    if not content.startswith("ref:"):
        return ""
    name = content.removeprefix("ref:").strip()
    is_inside = name.startswith("refs/") and ".." not in name and "\0" not in name
    return name if is_inside else ""


def _packed(checkout: Checkout, name: str) -> str:
    """Return the id packed-refs gives a reference. The file is read by lines: it may be long."""
    path = checkout.shared / "packed-refs"
    wanted = name.encode("utf-8", "surrogateescape")
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            while line := file.readline(_LONGEST_POINTER):
                commit, _, packed = line.strip().partition(b" ")
                if packed == wanted:
                    return commit.decode("ascii", "replace")
    except OSError:
        pass
    return ""


def _shared(own: Path) -> Path:
    """Follow a worktree's own folder to what it shares with the others."""
    common = _read(own / "commondir").strip()
    return (own / common).resolve() if common else own


def _read(path: Path) -> str:
    """Return the start of a file; "" for none, and for a pipe, which could wait for ever."""
    try:
        if not path.is_file():
            return ""
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_LONGEST_POINTER)
    except (OSError, ValueError):
        return ""
    # No path holds a zero.
    return "" if "\0" in text else text
