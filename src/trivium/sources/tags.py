"""HTML -> its tags and the text between them, each with the line it starts on.

Reads any text, broken or hostile, from front to back in linear time. The parser of the standard
library is not used: it takes the square of the length for input such as "<a <a <a". Called by
webpage.py and office.py.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_START = re.compile(r"<(?=[A-Za-z!?/])")
_NAME = re.compile(r"[A-Za-z][^\s/>]*+")
# Quotes hide ">" only behind "=": an apostrophe elsewhere is an apostrophe.
_REST = re.compile(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
_VALUE = re.compile(
    r"(?<![\w:.-])([A-Za-z_:][\w:.-]*+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))"
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_LINE_BREAKS = re.compile("[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Elements whose text holds no tags, up to their own end.
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>]|\Z)", re.IGNORECASE) for name in _RAW}


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its name in lower case, whether it closes, and its attributes as they are written."""

    name: str
    is_end: bool
    raw: str
    at: int
    line: int

    def value(self, attribute: str) -> str:
        """Return an attribute's value with its entities decoded, or ""."""
        if attribute not in self.raw.lower():
            return ""
        for match in _VALUE.finditer(self.raw):
            if match[1].lower() == attribute:
                return decoded(match[2] or match[3] or match[4] or "")
        return ""


@dataclass(frozen=True, slots=True)
class Text:
    """Text between tags, with its entities as they are written."""

    text: str
    line: int


def decoded(text: str) -> str:
    """Return a text with its entities decoded; one that means a line break becomes a space."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    return _LINE_BREAKS.sub(" ", html.unescape(match[0]))


def tokens(source: str) -> Iterator[Tag | Text]:
    """Yield tags and texts in order; comments, declarations and what cannot be read are left out.

    The text of a script or another element without tags comes as one Text after its tag.
    """
    return _Reader(source).tokens()


class _Reader:
    """One reading of a source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._line = 0
        # Set once quotes turn out not to match: from then on the first ">" ends a tag.
        self._has_bad_quotes = False
        self._raw = set(_RAW)
        self._last_comment_end = source.rfind("-->")
        self._last_end = source.rfind(">")

    def tokens(self) -> Iterator[Tag | Text]:
        source = self._source
        while self._at < len(source):
            found = _START.search(source, self._at, self._last_end + 1)
            start = len(source) if found is None else found.start()
            if start > self._at:
                yield self._text(start)
            if start < len(source):
                yield from self._markup(start)

    def _text(self, end: int) -> Text:
        text = Text(self._source[self._at : end], self._line)
        self._move(end)
        return text

    def _move(self, end: int) -> None:
        self._line += self._source.count("\n", self._at, end)
        self._at = end

    def _markup(self, start: int) -> Iterator[Tag | Text]:
        source = self._source
        follows = source[start + 1 : start + 4]
        is_end = follows[:1] == "/"
        name = _NAME.match(source, start + 1 + is_end)
        if name is not None:
            yield from self._tag(name, is_end=is_end)
        elif follows == "!--" and start < self._last_comment_end:
            # <!--> is a whole comment too.
            self._move(source.find("-->", start + 2) + 3)
        else:
            self._move(source.find(">", start) + 1)

    def _tag(self, name: re.Match[str], *, is_end: bool) -> Iterator[Tag | Text]:
        source = self._source
        at, line = self._at, self._line
        rest = None
        if not (is_end or self._has_bad_quotes):
            rest = _REST.match(source, name.end())
            self._has_bad_quotes = rest is None
        end = source.find(">", name.end()) + 1 if rest is None else rest.end()
        raw = source[name.end() : end - 1]
        lower = name[0].lower()
        self._move(end)
        yield Tag(lower, is_end, raw, at, line)
        if lower in self._raw and not is_end and not raw.endswith("/"):
            close = _RAW_END[lower].search(source, end)
            if close is not None:
                yield self._text(close.start())
            elif lower in ("script", "style"):
                yield self._text(len(source))
            else:
                # Never closed from here on: read as any other element, and not looked for again.
                self._raw.discard(lower)
