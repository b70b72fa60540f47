"""A folder as it was given at the start, FOLDER or NAME=FOLDER -> the folder, and its name here.

Two folders may be called the same; requests name one of them, so one gets another name. Used by
`trivium serve` and `trivium mcp`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from trivium.errors import UsageError

# What a request can say: commas and stars stand between names and for all of them.
_NAME = re.compile(r"[^\s/\\=,*][^/\\=,*\x00-\x1f]{0,99}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A folder to answer for; without a name it is called after itself."""

    folder: Path
    name: str | None = None

    def __str__(self) -> str:
        return str(self.folder) if self.name is None else f"{self.name}={self.folder}"


def wanted(given: str | Path | Wanted) -> Wanted:
    """Return what was given, resolved. A folder that is there is never taken for a name."""
    if isinstance(given, Wanted):
        return given
    whole = Path(given).expanduser()
    name, equals, rest = str(given).partition("=")
    if equals and rest and _NAME.fullmatch(name) and not whole.is_dir():
        return Wanted(Path(rest).expanduser().resolve(), name)
    return Wanted(whole.resolve())


def named(folder: Path, name: str | None) -> Wanted:
    """Return a folder under a name. Raises UsageError for what can be none."""
    if name is not None and not _NAME.fullmatch(name):
        raise UsageError(
            f"{name[:100]!r} is no name. One has no slash, comma, star or equals sign."
        )
    return Wanted(folder.expanduser().resolve(), name)


def checked(given: str | Path | Wanted) -> Wanted:
    """Return what was given. Raises UsageError if it is no folder."""
    found = wanted(given)
    if not found.folder.is_dir():
        raise UsageError(f"{found.folder} is not a folder. Give the folder that is to be searched.")
    return found
