"""Lines of .gitignore syntax -> whether a path is left out, exactly as git decides it.

The last matching line of the nearest file wins; a .triviumignore stands above the defaults
(ignore.toml), and those above .gitignore. Opens no ignore file itself. Called by files.py.

Paths and patterns are compared byte by byte, as git does: both come as one character per byte
(see `bytewise`), so that "?" is one byte of a name and not one letter.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache
from importlib import resources

_SPECIAL = re.compile(r"[*?\[\\]")
_ESCAPED_SLASH = re.compile(r"((?<!\\)(?:\\\\)*)\\/")
_EXTENSION = re.compile(r"\*(\.[^*?\[\\./]*)")
_TOKENS = re.compile(
    r"\\(?P<escaped>.)|(?P<stars>\*+)|(?P<one>\?)|(?P<open>\[)|(?P<other>[^*?\[\\])", re.DOTALL
)
_NAMED_CLASS = re.compile(r"\[:([a-z]*):\]")
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class Verdict(Enum):
    """What the rules say about a path."""

    IGNORED = auto()
    LISTED = auto()
    # A .triviumignore asks for it by name, so no default may pass it over.
    WANTED = auto()


@dataclass(frozen=True, slots=True)
class _Line:
    """One pattern. `on_path` ones are compared with the path below their file, others by name."""

    order: int
    negated: bool
    directory_only: bool
    on_path: bool
    literal: str | None
    regex: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Patterns:
    """One ignore file. Plain names and extensions are looked up; only the rest is matched."""

    names: dict[str, list[_Line]] = field(default_factory=dict)
    extensions: dict[str, list[_Line]] = field(default_factory=dict)
    paths: dict[str, list[_Line]] = field(default_factory=dict)
    others: tuple[_Line, ...] = ()

    def verdict(self, path: str, *, name: str, is_directory: bool) -> bool | None:
        """Return True where the last matching line ignores the path, False where it keeps it."""
        best: _Line | None = None
        for table, key in (
            (self.names, name),
            (self.extensions, name[name.rfind(".") :]),
            (self.paths, path),
        ):
            for line in table.get(key, ()):
                if (is_directory or not line.directory_only) and (
                    best is None or line.order > best.order
                ):
                    best = line
        for line in self.others:
            if best is not None and line.order < best.order:
                break
            if (is_directory or not line.directory_only) and _matches(line, path, name):
                best = line
                break
        return None if best is None else not best.negated


def _matches(line: _Line, path: str, name: str) -> bool:
    return line.regex is not None and line.regex.match(path if line.on_path else name) is not None


@dataclass(frozen=True, slots=True)
class _Scope:
    """An ignore file and how many characters of a path lead to its folder."""

    patterns: Patterns
    offset: int


@dataclass(frozen=True, slots=True)
class Rules:
    """Every ignore file that speaks about one folder, the nearest first."""

    defaults: Patterns
    first: tuple[_Scope, ...] = ()
    trivium: tuple[_Scope, ...] = ()
    git: tuple[_Scope, ...] = ()

    def below(self, *, offset: int, trivium: bytes | None, git: bytes | None) -> Rules:
        """Add the ignore files of a folder further down."""
        rules = self
        if trivium is not None:
            scope = _Scope(parse(trivium), offset)
            rules = replace(rules, trivium=(scope, *rules.trivium))
        if git is not None:
            scope = _Scope(parse(git), offset)
            rules = replace(rules, git=(scope, *rules.git))
        return rules

    def above(self, *, offset: int, patterns: Iterable[str]) -> Rules:
        """Add patterns that stand above every file."""
        lines = "\n".join(patterns).encode("utf-8", "surrogateescape")
        return replace(self, first=(_Scope(parse(lines), offset), *self.first))

    def judge(self, path: str, *, name: str, is_directory: bool) -> Verdict:
        """Whether one path is listed, given that its folder is."""
        if name in defaults().never:
            return Verdict.IGNORED
        said = _first_word(self.first + self.trivium, path, name=name, is_directory=is_directory)
        if said is not None:
            return Verdict.IGNORED if said else Verdict.WANTED
        if self.defaults.verdict(path, name=name, is_directory=is_directory):
            return Verdict.IGNORED
        said = _first_word(self.git, path, name=name, is_directory=is_directory)
        return Verdict.IGNORED if said else Verdict.LISTED


def _first_word(
    scopes: tuple[_Scope, ...], path: str, *, name: str, is_directory: bool
) -> bool | None:
    for scope in scopes:
        below = path[scope.offset :]
        said = scope.patterns.verdict(below, name=name, is_directory=is_directory)
        if said is not None:
            return said
    return None


@dataclass(frozen=True, slots=True)
class Defaults:
    """ignore.toml, compiled."""

    never: frozenset[str]
    always: Patterns
    without_gitignore: Patterns
    locks: frozenset[str]
    minified: tuple[str, ...]
    binary: frozenset[str]


@lru_cache(maxsize=1)
def defaults() -> Defaults:
    """Read the default excludes on first use."""
    file = resources.files("trivium.sources").joinpath("ignore.toml")
    data = tomllib.loads(file.read_text("utf-8"))
    always: list[str] = data["always"]
    both: list[str] = [*always, *data["without_gitignore"]]
    return Defaults(
        never=frozenset(data["never"]),
        always=parse("\n".join(always).encode()),
        without_gitignore=parse("\n".join(both).encode()),
        locks=frozenset(data["locks"]),
        minified=tuple(pattern.removeprefix("*") for pattern in data["minified"]),
        binary=frozenset(f".{extension}" for extension in data["binary"]),
    )


def bytewise(name: str) -> str:
    """Return a file name with one character per byte of it."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


@lru_cache(maxsize=64)
def parse(data: bytes) -> Patterns:
    """Compile an ignore file. A line that git cannot match matches nothing here either.

    Kept, since a server compiles the same few for every change in its folder.
    """
    patterns = Patterns()
    others: list[_Line] = []
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    for order, raw in enumerate(text.split("\n")):
        line = _line(raw.removesuffix("\r"), order=order)
        if line is None:
            continue
        if line.literal is None:
            others.append(line)
            continue
        table = patterns.paths if line.on_path else patterns.names
        if line.literal.startswith("*"):
            table = patterns.extensions
        table.setdefault(line.literal.removeprefix("*"), []).append(line)
    return replace(patterns, others=tuple(reversed(others)))


def _line(raw: str, *, order: int) -> _Line | None:
    text = _without_trailing_spaces(raw)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text[negated:]
    directory_only = text.endswith("/")
    text = text[: len(text) - directory_only]
    on_path = "/" in text
    text = _ESCAPED_SLASH.sub(r"\1/", text.removeprefix("/"))
    is_plain = _SPECIAL.search(text) is None
    is_extension = not on_path and _EXTENSION.fullmatch(text) is not None
    regex = None if is_plain or is_extension else _compile(text, on_path=on_path)
    if not text or (regex is None and not is_plain and not is_extension):
        return None
    return _Line(
        order=order,
        negated=negated,
        directory_only=directory_only,
        on_path=on_path,
        literal=text if is_plain or is_extension else None,
        regex=regex,
    )


def _without_trailing_spaces(raw: str) -> str:
    """Drop spaces at the end, save those after a backslash."""
    stripped = raw.rstrip(" ")
    if len(stripped) == len(raw):
        return raw
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 == 1 else stripped


def _compile(text: str, *, on_path: bool) -> re.Pattern[str] | None:
    """Turn a glob into a regular expression that cannot blow up; None if it is broken.

    Between two stars the leftmost match of what lies there is as good as any other, so that
    each such piece stands in an atomic group. The same holds for folders between two "**".
    """
    if not on_path:
        body = _segment(text)
        return None if body is None else re.compile(body + r"\Z")
    pieces: list[str] = []
    segments = _segments(text)
    if segments is None:
        return None
    last = len(segments) - 1
    group: list[str] = []
    any_depth = False
    for index, segment in enumerate(segments):
        is_deep = len(segment) > 1 and set(segment) == {"*"}
        if not is_deep:
            body = _segment(segment)
            if body is None:
                return None
            group.append(body + (r"\Z" if index == last else "/"))
            continue
        pieces.append(_group(group, any_depth=any_depth))
        group, any_depth = ([r"[^/][\s\S]*\Z"], False) if index == last else ([], True)
    pieces.append(_group(group, any_depth=any_depth))
    return re.compile("".join(pieces))


def _segments(text: str) -> list[str] | None:
    """Cut a glob at its slashes, save those in sets; None where a set is never closed."""
    segments: list[str] = []
    at = start = 0
    while at < len(text):
        if text[at] == "[":
            bracket = _bracket(text, at + 1)
            if bracket is None:
                return None
            at = bracket.end
            continue
        if text[at] == "/":
            segments.append(text[start:at])
            start = at + 1
        at += 2 if text[at] == "\\" else 1
    return [*segments, text[start:]]


def _group(segments: list[str], *, any_depth: bool) -> str:
    body = "".join(segments)
    return f"(?>(?:[^/]*+/)*?{body})" if any_depth else body


def _segment(text: str) -> str | None:
    """One name of a glob as a regular expression, or None where it can match nothing."""
    pieces: list[str] = [""]
    at = 0
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None:
            return None
        at = match.end()
        if match["stars"] is not None:
            pieces.append("")
        elif match["one"] is not None:
            pieces[-1] += "[^/]"
        elif match["open"] is not None:
            bracket = _bracket(text, at)
            if bracket is None:
                return None
            pieces[-1] += bracket.regex
            at = bracket.end
        else:
            pieces[-1] += re.escape(match["escaped"] or match["other"])
    head, *between = pieces
    if not between:
        return head
    *middle, tail = between
    return head + "".join(f"(?>[^/]*?{piece})" for piece in middle if piece) + f"[^/]*{tail}"


@dataclass(frozen=True, slots=True)
class _Bracket:
    regex: str
    end: int


def _bracket(text: str, at: int) -> _Bracket | None:
    """Read the set of characters that begins after "[" at `at`; None if it is never closed."""
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    is_first = True
    while at < len(text):
        if text[at] == "]" and not is_first:
            return _Bracket(_set(members, negated=negated), at + 1)
        is_first = False
        named = _NAMED_CLASS.match(text, at)
        if named is not None:
            if named[1] not in _CLASSES:
                return None
            members.append(_CLASSES[named[1]])
            at = named.end()
            continue
        at += text[at] == "\\"
        low = text[at : at + 1]
        at += 1
        high = low
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            at += 1 + (text[at + 1] == "\\")
            high = text[at : at + 1]
            at += 1
        if not low or not high:
            return None
        if low <= high:
            members.append(f"\\x{ord(low):02x}-\\x{ord(high):02x}")
    return None


def _set(members: list[str], *, negated: bool) -> str:
    if not members:
        return "[^/]" if negated else r"(?!)"
    body = "".join(members)
    return f"(?!/)[{'^' if negated else ''}{body}]"
