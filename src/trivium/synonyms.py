"""The setting search.synonyms -> the user's words that mean the same.

A folder's own file is untrusted: a list that it names must lie inside the folder, so that it
can make nobody read another file. Called by the collection.
"""

from __future__ import annotations

import stat
from functools import lru_cache
from pathlib import Path

from trivium.config import Settings
from trivium.errors import ConfigError
from trivium.query.synonyms import NO_SYNONYMS, Synonyms, read

KEY = "search.synonyms"
_MOST_BYTES = 1_000_000


def load(settings: Settings, *, root: Path) -> Synonyms:
    """Return the words of the list that is set; none if none is.

    Raises ConfigError that names the file, and the line of a mistake in it.
    """
    setting = settings.values[KEY]
    if not setting.value:
        return NO_SYNONYMS
    file = _file(str(setting.value), setting.origin, root)
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):
            # Reading a pipe would wait for ever.
            raise ConfigError(f"{setting.origin}: {KEY}: {file} is no file.")
        return _read(file, found.st_mtime_ns, found.st_size)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{setting.origin}: {KEY}: {file}: {error}") from error


def _file(value: str, origin: str, root: Path) -> Path:
    """Return the file; a relative path is one beside the file that says it."""
    try:
        given = Path(value).expanduser()
        beside = Path(origin).parent if origin.endswith(".toml") else Path.cwd()
        file = (beside / given).resolve()
        is_folders = origin == str(root / "trivium.toml")
        if is_folders and (given.is_absolute() or not file.is_relative_to(root.resolve())):
            raise ConfigError(
                f"{origin}: {KEY}: {value} is not inside the folder. "
                "Set it in your user file or the environment."
            )
    except (OSError, RuntimeError, ValueError) as error:
        # Too long, of a user who does not exist, or with a NUL in it.
        raise ConfigError(f"{origin}: {KEY}: {value[:60]!r}: {error}") from error
    return file


@lru_cache(8)
def _read(file: Path, mtime_ns: int, size_bytes: int) -> Synonyms:
    """Read a list once for each state of its file, which the last two tell apart."""
    del mtime_ns
    if size_bytes > _MOST_BYTES:
        raise ConfigError(f"{file}: {size_bytes:,} bytes; the most is {_MOST_BYTES:,}.")
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: it is not UTF-8 ({error}). Save it as UTF-8.") from error
    return read(text, origin=str(file))
