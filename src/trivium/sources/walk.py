"""A root -> the folders below it that the ignore rules leave in, each with its rules.

Follows no link and opens no file but ignore files. A Walk is one moment: it keeps the rules it
has read, so that every listing makes its own. Called by files.py and watch.py.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from trivium.parsing import shelves
from trivium.sources.ignore import Rules, Verdict, bytewise, defaults

GIT_IGNORE, TRIVIUM_IGNORE = ".gitignore", ".triviumignore"
IGNORE_FILES = frozenset({GIT_IGNORE, TRIVIUM_IGNORE})
# Not every system has these. O_NONBLOCK: opening a pipe must not wait for a writer.
READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# Memory is looked for whatever other rules say, and nothing but it in its folder.
_MEMORY = (
    f"!/{shelves.FOLDER}/",
    f"/{shelves.FOLDER}/*",
    *(
        f"{negation}/{shelves.FOLDER}/{name}/{pattern}"
        for name in shelves.FOLDERS.values()
        # Files that are being written and such begin with a dot.
        for negation, pattern in (("!", ""), ("", "*"), ("!", f"*{shelves.ENDING}"), ("", ".*"))
    ),
)
_MAX_IGNORE_BYTES = 1_000_000
_LONGEST_POINTER = 4096


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the walk. `rules` are those from above it, without its own ignore files.

    `path` is relative to the root and ends in a slash, save for the root itself, which is
    empty; `bytewise` is the same below the repository, one character per byte.
    """

    path: str
    bytewise: str
    rules: Rules

    @property
    def name(self) -> str:
        """The path without the slash: what callers know the folder by."""
        return self.path.removesuffix("/")


@dataclass(frozen=True, slots=True)
class Scan:
    """The names in one folder, and the rules that judge them."""

    entries: tuple[os.DirEntry[str], ...]
    rules: Rules


class Walk:
    """The folders below a root that are not ignored, as its ignore files say now.

    The root is one of them even where the ignore files above it leave it out.
    """

    def __init__(self, root: Path, *, extra_ignores: tuple[str, ...] = ()) -> None:
        self.root = root
        self.repository = next((p for p in (root, *root.parents) if (p / ".git").exists()), None)
        self.top = self._top(extra_ignores)
        self._ways: dict[str, Folder | None] = {"": self.top}
        self._rules: dict[str, Rules] = {}
        self._are_there: dict[str, bool] = {"": True}

    def scan(self, folder: Folder) -> Scan:
        """List the names in a folder. Raises OSError."""
        with os.scandir(f"{self.root}/{folder.path}") as scan:
            entries = tuple(scan)
        has_rules = any(entry.name in IGNORE_FILES for entry in entries)
        return Scan(entries, self._rules_in(folder) if has_rules else folder.rules)

    def deeper(self, folder: Folder, name: str, rules: Rules) -> Folder | None:
        """Return a folder in another, or None where the rules leave it out."""
        raw = bytewise(name)
        raw_path = folder.bytewise + raw
        if rules.judge(raw_path, name=raw, is_directory=True) is Verdict.IGNORED:
            return None
        return Folder(f"{folder.path}{name}/", f"{raw_path}/", rules)

    def at(self, path: str) -> Folder | None:
        """Return a folder by its path; None where it is ignored, no folder, or gone."""
        folder = self._way(path)
        return folder if folder is not None and self._is_there(path) else None

    def is_hidden(self, path: str) -> bool:
        """Whether the rules leave a path out, be it a file or a folder, there or gone."""
        above, _, name = path.rpartition("/")
        folder = self._way(above)
        if folder is None:
            return True
        raw = bytewise(name)
        rules = self._rules_in(folder)
        # Nobody knows what a path that is gone was, and a rule may be for folders alone.
        verdicts = (
            rules.judge(folder.bytewise + raw, name=raw, is_directory=is_directory)
            for is_directory in (False, True)
        )
        return all(verdict is Verdict.IGNORED for verdict in verdicts)

    def folders(self, below: Iterable[str] = ("",)) -> set[str]:
        """Return these folders and all those below them; what is not there is left out."""
        found: set[str] = set()
        waiting = [folder for folder in map(self.at, below) if folder is not None]
        while waiting:
            folder = waiting.pop()
            if folder.name in found:
                continue
            try:
                scan = self.scan(folder)
            except OSError:
                continue
            found.add(folder.name)
            for entry in scan.entries:
                if _is_folder(entry) and is_utf8(entry.name):
                    inner = self.deeper(folder, entry.name, scan.rules)
                    if inner is not None:
                        waiting.append(inner)
        return found

    def governing(self) -> frozenset[Path]:
        """Return the files outside the walk that, if they change, may change all of it."""
        repository = self.repository
        if repository is None:
            return frozenset()
        above = way_between(repository, self.root)[:-1]
        git, common = _git_folders(repository)
        return frozenset(
            {
                _resolved(git) / "HEAD",
                _resolved(common) / "info" / "exclude",
                *(folder / name for folder in above for name in IGNORE_FILES),
            }
        )

    def _top(self, extra_ignores: tuple[str, ...]) -> Folder:
        """Return the root, with what the ignore files above it in its repository say."""
        repository = self.repository
        way = [self.root] if repository is None else way_between(repository, self.root)
        has_gitignore = any((folder / GIT_IGNORE).is_file() for folder in way)
        known = defaults()
        rules = Rules(known.always if has_gitignore else known.without_gitignore)
        if repository is not None:
            _, common = _git_folders(repository)
            exclude = _ignore_file(common / "info", "exclude")
            rules = rules.below(offset=0, trivium=None, git=exclude)
        prefix = ""
        for folder, deeper in pairwise(way):
            rules = rules.below(
                offset=len(prefix),
                trivium=_ignore_file(folder, TRIVIUM_IGNORE),
                git=_ignore_file(folder, GIT_IGNORE),
            )
            prefix += bytewise(deeper.name) + "/"
        rules = rules.above(offset=len(prefix), patterns=(*extra_ignores, *_MEMORY))
        return Folder(path="", bytewise=prefix, rules=rules)

    def _rules_in(self, folder: Folder) -> Rules:
        """Return the rules that judge the names in a folder, its own ignore files included."""
        rules = self._rules.get(folder.path)
        if rules is None:
            here = self.root / folder.path
            rules = folder.rules.below(
                offset=len(folder.bytewise),
                trivium=_ignore_file(here, TRIVIUM_IGNORE),
                git=_ignore_file(here, GIT_IGNORE),
            )
            self._rules[folder.path] = rules
        return rules

    def _way(self, path: str) -> Folder | None:
        """Return a folder by its path, there or not, unless the rules leave part of it out."""
        if path.startswith("/") or path.endswith("/") or "//" in path:
            return None
        folder: Folder | None = self.top
        for so_far, name in _steps(path):
            if so_far in self._ways:
                folder = self._ways[so_far]
            elif folder is not None:
                folder = self._ways[so_far] = self._next(folder, name)
        return folder

    def _next(self, folder: Folder, name: str) -> Folder | None:
        if name in (".", "..") or "\0" in name or not is_utf8(name):
            return None
        return self.deeper(folder, name, self._rules_in(folder))

    def _is_there(self, path: str) -> bool:
        """Whether every step of a path is a folder and no link."""
        is_there = True
        for so_far, _ in _steps(path):
            known = self._are_there.get(so_far)
            if known is None:
                known = is_there and is_real_folder(f"{self.root}/{so_far}")
                self._are_there[so_far] = known
            is_there = known
        return is_there


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Yield every folder on the way to one, itself included, each with its last name."""
    so_far = ""
    for name in path.split("/") if path else ():
        so_far = f"{so_far}/{name}" if so_far else name
        yield so_far, name


def is_real_folder(path: str) -> bool:
    """Whether there is a folder at a path, and not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_utf8(name: str) -> bool:
    """Whether a file name can be written down."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def way_between(top: Path, root: Path) -> list[Path]:
    """Return every folder from one down to another, both included."""
    parts = root.relative_to(top).parts
    return [top.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]


def steps_of(path: str) -> tuple[str, ...] | None:
    """Return the names a relative path is made of; None where it leads out of its root."""
    parts = PurePosixPath(path).parts
    is_odd = ".." in parts or "\0" in path or path.startswith("/") or bool(Path(path).anchor)
    return None if not parts or is_odd else parts


def read_all(file: int, *, limit: int) -> bytes | None:
    """Read to the end; None if the file grew past the limit meanwhile."""
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(file, limit + 1 - size):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            return None
    return b"".join(pieces)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _ignore_file(folder: Path, name: str) -> bytes | None:
    """Return an ignore file's bytes; like git, none of one that is a link or cannot be read."""
    try:
        file = os.open(folder / name, READ_FLAGS)
    except OSError:
        return None
    try:
        return read_all(file, limit=_MAX_IGNORE_BYTES)
    except OSError:
        return None
    finally:
        os.close(file)


def _git_folders(repository: Path) -> tuple[Path, Path]:
    """Return the git folder of a working tree, and the one that all its worktrees share."""
    git = repository / ".git"
    own = git if git.is_dir() else repository / _pointer(git).removeprefix("gitdir:").strip()
    shared = _pointer(own / "commondir").strip()
    return own, own / shared if shared else own


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        # Before Python 3.13 a link to itself raises.
        return path


def _pointer(file: Path) -> str:
    """Return what a small file of git says; empty where there is none."""
    try:
        if not file.is_file():
            return ""
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_LONGEST_POINTER).replace("\0", "")
    except OSError:
        return ""
