"""The front matter of a document -> flat keys with their values, and where the text begins.

Reads the part of YAML that people write by hand: texts, lists, and maps one level deep, as
`a.b`. A line it cannot read is passed over, and nothing is ever executed. Called by markdown().
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trivium.types import MetaValue

_LONGEST_VALUE = 10_000
_MOST_VALUES = 1000

_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_KEY = re.compile(r"([ \t]*+)(?:\"([^\"]++)\"|'([^']++)'|([^\W\d][\w .-]*+)):(?:[ \t]++(.*)|)")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(.*)|)")
_BLOCK = re.compile(r"([|>])[+-]?\d?[+-]?[ \t]*(?:#.*)?")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")
_WIKILINK = re.compile(r"\[\[[^\[\]]*\]\]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\n", "0": ""}
_CLOSERS = {"[": "]", "{": "}", '"': '"', "'": "'"}


def front_matter(text: str) -> tuple[Mapping[str, MetaValue], int]:
    """Return the keys of the front matter in lower case, and where the text after it starts."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, 0
    return _Reader(found[1].splitlines()).values(), found.end()


def text_start(text: str) -> int:
    """Return where the text after the front matter starts; 0 where there is none."""
    found = _FRONT_MATTER.match(text)
    return 0 if found is None else found.end()


def words(value: MetaValue) -> tuple[str, ...]:
    """Return a list as it is, and a text cut at its commas."""
    if isinstance(value, tuple):
        return value
    parts = (unquoted(part.strip()) for part in str(value).split(","))
    return tuple(part for part in parts if part)


def first_text(front: Mapping[str, MetaValue], *keys: str) -> str:
    """Return the first of these keys that has a text, or ""."""
    found = (value for key in keys if isinstance(value := front.get(key, ""), str) and value)
    return next(found, "")


def unquoted(raw: str) -> str:
    """Return a text without the quotes around it, its escapes undone."""
    if len(raw) < 2 or raw[0] != raw[-1] or raw[0] not in "\"'":  # noqa: PLR2004 - two quotes
        return raw
    inner = raw[1:-1]
    return inner.replace("''", "'") if raw[0] == "'" else _ESCAPE.sub(_unescaped, inner)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        character = chr(int(code, 16))
        return "\ufffd" if "\ud800" <= character <= "\udfff" or character == "\0" else character
    return _ESCAPED.get(found[3], found[3])


class _Reader:
    """The lines of one front matter, read from the first to the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0
        self._values: dict[str, MetaValue] = {}

    def values(self) -> Mapping[str, MetaValue]:
        key = outer = ""
        while self._at < len(self._lines) and len(self._values) < _MOST_VALUES:
            line = self._lines[self._at]
            self._at += 1
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            item = _ITEM.fullmatch(line)
            pair = None if item else _KEY.fullmatch(line)
            if item is not None:
                if key:
                    self._append(key, self._scalar(item[1] or "", indent=_indent(line)))
            elif pair is not None and not pair[1]:
                outer = key = _key_of(pair)
                self._set(key, pair[5] or "", indent=0)
            elif pair is not None and self._values.get(outer, "") == "":
                key = f"{outer}.{_key_of(pair)}" if outer else ""
                if key:
                    self._set(key, pair[5] or "", indent=len(pair[1]))
            elif line[0].strip():
                key = outer = ""
        return {key: value for key, value in self._values.items() if not self._is_map(key)}

    def _is_map(self, key: str) -> bool:
        return self._values[key] == "" and any(one.startswith(key + ".") for one in self._values)

    def _set(self, key: str, raw: str, *, indent: int) -> None:
        raw = raw.strip()
        if raw.startswith("{"):
            self._values[key] = ""
            for part in _parts(self._closed(raw)[1:-1]):
                name, _, value = part.partition(":")
                self._values[f"{key}.{unquoted(name.strip()).lower()}"] = _plain(value)
        elif raw.startswith("[") and not _WIKILINK.match(raw):
            self._values[key] = tuple(map(_plain, _parts(self._closed(raw)[1:-1])))
        else:
            self._values[key] = self._scalar(raw, indent=indent)

    def _append(self, key: str, item: str) -> None:
        before = self._values[key]
        if item and len(before if isinstance(before, tuple) else ()) < _MOST_VALUES:
            self._values[key] = (*words(before), item)

    def _scalar(self, raw: str, *, indent: int) -> str:
        """Read a text that may go on over the lines below, which are then taken."""
        raw = raw.strip()
        if block := _BLOCK.fullmatch(raw):
            return self._block(indent, is_folded=block[1] == ">")
        if raw[:1] in ('"', "'"):
            return unquoted(self._closed(raw))[:_LONGEST_VALUE]
        text = _plain(raw)
        if text:
            text = " ".join([text, *map(_plain, self._deeper(indent, is_plain=True))])
        return text[:_LONGEST_VALUE]

    def _block(self, indent: int, *, is_folded: bool) -> str:
        lines = list(self._deeper(indent, is_plain=False))
        margin = min((_indent(line) for line in lines if line.strip()), default=0)
        text = "\n".join(line[margin:].rstrip() for line in lines).strip("\n")
        if is_folded:
            text = "\n".join(" ".join(part.split("\n")) for part in text.split("\n\n"))
        return text[:_LONGEST_VALUE]

    def _deeper(self, indent: int, *, is_plain: bool) -> Iterator[str]:
        """Take the lines below that lie deeper; those of a plain text end at a list or a gap."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            is_blank = not line.strip()
            if is_plain and (is_blank or _ITEM.fullmatch(line)):
                return
            if not is_blank and _indent(line) <= indent:
                return
            self._at += 1
            yield line

    def _closed(self, raw: str) -> str:
        """Take lines until the bracket or quote that opens `raw` is closed, and close it."""
        closer = _CLOSERS[raw[0]]
        pieces = [raw]
        rest = _end_of(raw, closer)
        while rest < 0 and self._at < len(self._lines) and len(pieces) < _MOST_VALUES:
            line = self._lines[self._at].strip()
            if _KEY.fullmatch(self._lines[self._at]) and _indent(self._lines[self._at]) == 0:
                break
            self._at += 1
            pieces.append(line)
            rest = _end_of(raw[0] + line, closer)
            if rest > 0:
                pieces[-1] = line[:rest]
                return " ".join(pieces)
        return raw[: rest + 1] if rest >= 0 else " ".join(pieces) + closer


def _end_of(raw: str, closer: str) -> int:
    """Return where the opening character of a raw value is closed, -1 if it is not."""
    if closer == "'":
        end = 1 + raw[1:].replace("''", "\0\0").find("'")
    elif closer == '"':
        end = 1 + re.sub(r"\\.", "\0\0", raw[1:]).find('"')
    else:
        end = _COMMENT.sub("", raw).rfind(closer)
    return end or -1


def _key_of(pair: re.Match[str]) -> str:
    return (pair[2] or pair[3] or pair[4]).strip().lower()


def _plain(raw: str) -> str:
    raw = raw.strip()
    quoted = raw[:1] in ('"', "'") and _end_of(raw, raw[0])
    if quoted and quoted > 0:
        return unquoted(raw[: quoted + 1])
    return _COMMENT.sub("", raw).strip()[:_LONGEST_VALUE]


def _parts(raw: str) -> list[str]:
    """Cut at the commas that stand in no quotes and no brackets; empty parts are left out."""
    found: list[str] = []
    start = depth = 0
    quote = ""
    before = ","
    for at, character in enumerate(raw[:_LONGEST_VALUE]):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and before in ",:[":
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and depth <= 0:
            found.append(raw[start:at])
            start = at + 1
        before = before if character.isspace() else character
    found.append(raw[start:_LONGEST_VALUE])
    return [part for part in found if part.strip()][:_MOST_VALUES]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
