"""A path of a folder -> whether it lies in memory, what kind of thing it holds, and its id.

Memory lies in `.trivium/notes`, `tasks` and `skills` at the top of a folder, one file for each
thing; the name of the file is its slug. Pure. Used by all who list, read or write them.
"""

from __future__ import annotations

from collections.abc import Mapping
from unicodedata import normalize

from trivium.types import Kind

FOLDER = ".trivium"
FOLDERS: Mapping[Kind, str] = {Kind.NOTE: "notes", Kind.TASK: "tasks", Kind.SKILL: "skills"}
ENDING = ".md"
# Larger than any file that the limits of memory allow: a million letters of four bytes, and more.
MOST_BYTES = 12_000_000

_KINDS = {name: kind for kind, name in FOLDERS.items()}


def kind_in_memory(path: str) -> Kind | None:
    """Return the kind of what a path of the folder holds, if it lies in memory."""
    folder, _, rest = path.partition("/")
    name, _, file = rest.partition("/")
    if folder != FOLDER or "/" in file or not file.endswith(ENDING) or file.startswith("."):
        return None
    return _KINDS.get(name)


def path_in_memory(kind: Kind, slug: str) -> str:
    """Return the path of the file that holds this."""
    return f"{FOLDER}/{FOLDERS[kind]}/{slug}{ENDING}"


def slug_in_memory(path: str) -> str:
    """Return what a file is called in ids; some systems take accents in names apart."""
    name = path.rpartition("/")[2].removesuffix(ENDING)
    return name if name.isascii() else normalize("NFC", name)
