"""Bytes -> a file that is replaced all at once: written aside, synced, renamed.

Used for every file of an index that has no transaction of its own.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path


def write_aside(path: Path, data: bytes) -> None:
    """Make `data` the content of `path`; a reader sees the old content or the new."""
    temporary = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
