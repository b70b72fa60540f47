"""A path in the index -> whether the file behind it is still there, and still the same.

A link at any step makes it absent, as it does for `read`. One look at each folder of the way
and one at the file, opening nothing: cheap enough for every hit. Called by the collection.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trivium.sources.walk import steps_of


def is_there(root: Path, path: str) -> bool:
    """Whether a path below the root is a regular file now."""
    status = _status(root, path)
    return status is not None and stat.S_ISREG(status.st_mode)


def is_folder_there(root: Path, path: str) -> bool:
    """Whether a path below the root is a folder now; the root itself is "" or "."."""
    if path in ("", "."):
        return root.is_dir()
    status = _status(root, path)
    return status is not None and stat.S_ISDIR(status.st_mode)


def is_same(root: Path, path: str, *, size_bytes: int, mtime_ns: int) -> bool:
    """Whether a path is a regular file of this size and time, as it was when it was read."""
    status = _status(root, path)
    return (
        status is not None
        and stat.S_ISREG(status.st_mode)
        and status.st_size == size_bytes
        and status.st_mtime_ns == mtime_ns
    )


def _status(root: Path, path: str) -> os.stat_result | None:
    """Look at a path without following a link; None where it is not there or leads outside."""
    steps = steps_of(path)
    if steps is None:
        return None
    at = str(root)
    try:
        for step in steps[:-1]:
            at = f"{at}/{step}"
            if not stat.S_ISDIR(os.lstat(at).st_mode):
                return None
        return os.lstat(f"{at}/{steps[-1]}")
    except (OSError, ValueError):
        return None
