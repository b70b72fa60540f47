"""Where the index of a folder is kept, if `trivium move` has put it elsewhere.

A small file beside the folder that the index would have on this machine says it, in the words of
the settings; names and addresses alone, no password. What the environment or a flag says goes
before it, the user's file does not: moving one collection is more particular than a rule for all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from trivium.aside import write_aside
from trivium.config import KNOWN, Setting, Settings, Value, checked
from trivium.errors import ConfigError

SUFFIX = ".backend.json"
# Where it is; the others say how it is reached.
_PLACE = ("backend.kind", "backend.urls", "backend.collection")
_KEYS = tuple(key for key in KNOWN if key.startswith("backend."))


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What is remembered of a collection that was moved; `values` are settings of its backend."""

    name: str
    root: str
    values: Mapping[str, Value]


def file_of(folder: Path) -> Path:
    """Return the file that says where the index of `folder` is; what removes that leaves it."""
    return folder.with_name(f"{folder.name}{SUFFIX}")


def read(folder: Path) -> Whereabouts | None:
    """Return where the index that `folder` stands for is kept; None if it was never moved.

    Raises ConfigError if the file says nothing that can be understood.
    """
    path = file_of(folder)
    try:
        said = json.loads(path.read_bytes())
        values = {
            key: checked(key, value, str(path))
            for key, value in said["backend"].items()
            if key in _KEYS
        }
        return Whereabouts(str(said["name"]), str(said["root"]), values)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path} does not say where the index is kept: {error}. "
            "Remove it to search what this machine holds."
        ) from error


def remember(folder: Path, name: str, root: Path, settings: Settings) -> None:
    """Say from now on where the index is kept; a reader sees this or what was said before."""
    is_here = settings.text("backend.kind") == "embedded"
    keys = ("backend.kind",) if is_here else _KEYS
    said = {
        "name": name,
        "root": str(root),
        "backend": {key: settings.values[key].value for key in keys},
    }
    path = file_of(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_aside(path, json.dumps(said, indent=1).encode())


def place(settings: Settings) -> tuple[Value, ...]:
    """Return what tells one place of an index from another."""
    if settings.text("backend.kind") == "embedded":
        return ("embedded",)
    return tuple(settings.values[key].value for key in _PLACE)


def settled(settings: Settings, folder: Path) -> Settings:
    """Return the settings with what is remembered of the collection's backend."""
    found = read(folder)
    if found is None:
        return settings
    origin = str(file_of(folder))
    own = str(settings.user_file)
    kept = {
        key: Setting(value, origin)
        for key, value in found.values.items()
        if settings.values[key].origin in ("default", own)
    }
    # What is asked for by hand is asked for whole: an address goes with its kind.
    if "backend.kind" not in kept:
        return settings
    return replace(settings, values={**settings.values, **kept})


def forget(folder: Path) -> None:
    """Let the index be where the settings say."""
    file_of(folder).unlink(missing_ok=True)
