"""A run of Markdown prose -> its links, its wikilinks and the names of code in it.

Works on one paragraph, list item or table row at a time, in time linear in its length: what
code spans and comments hide is blanked first, so that nothing is found in it. Called by
markdown() for what is no fence, no HTML block and no front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trivium.parsing.detect import detect
from trivium.parsing.links import Sentences, blanked, link
from trivium.parsing.mentions import in_code, in_text
from trivium.parsing.plain import file_name_of
from trivium.parsing.references import Found
from trivium.types import EdgeType, Kind, Span

# A label may have 200 characters, and stands in brackets.
_LONGEST_LABEL = 202

_TICKS = re.compile(r"(\\*)(`+)")
_COMMENTS = (("<!--", "-->"), ("{/*", "*/}"))
_WIKILINK = re.compile(
    r"(!?)(?<!\\)\[\[([^\[\]|#\n]{0,300})(#[^\[\]|\n]{0,300})?(?:\|([^\[\]\n]{0,300}))?\]\](?!\()"
)
# An embedded file of these endings is shown, not linked.
_SHOWN = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".mp3", ".mp4", ".pdf")
_BRACKET = re.compile(r"\\.|!?\[|\]", re.DOTALL)
_TARGET = re.compile(
    r"""\(\s*+(?:<([^<>\n]{0,2000}+)>|((?:[^\s()\\<]|\\.|\((?:[^\s()\\]|\\.)*+\))*+))
    (?:\s++(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?+\s*+\)""",
    re.VERBOSE | re.DOTALL,
)
_LABEL = re.compile(r"\[([^\[\]]{0,200})\]")
_DEFINITION = re.compile(
    r"^[ \t>]*\[(?!\^)([^\[\]\n]{1,200})\]:[ \t]*+\n?[ \t]*+(?:<([^<>\n]*+)>|(\S++))[^\n]*+",
    re.MULTILINE,
)
_AUTOLINK = re.compile(r"<([^\s<>\"'=]{1,500})>")
_ANCHOR_TAG = re.compile(
    r"<(?:a|Link)\s[^<>]{0,500}?\b(?:href|to)\s{0,5}=\s{0,5}[\"'{]{1,2}([^\"'<>]{1,2000})[\"']"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"')\]]++|\bwww\.[^\s<>\"')\]]++")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Flavour:
    """Which parts of Markdown a text is written in.

    One that was converted from another format has headings, fences, code spans and links only:
    what looks like the rest is what the text says.
    """

    is_converted: bool = False
    is_mdx: bool = False


@dataclass(frozen=True, slots=True)
class _Link:
    """A link in a run of prose: all of it, the part that is no prose, and what it names."""

    start: int
    end: int
    hidden: tuple[int, int]
    found: Found | None


class Inline:
    """Reads the runs of prose of one document, whose link definitions may stand anywhere."""

    def __init__(self, text: str, prose: Sequence[Span], *, flavour: Flavour) -> None:
        self._text = text
        self._flavour = flavour
        self._last_comment_end = text.rfind("-->")
        self._definitions = _definitions(text, prose)

    def read(self, span: Span) -> Iterator[Found]:
        """Yield what one run of prose names: its links, then its names of code."""
        raw = self._text[span.start : span.end]
        codes = code_spans(raw)
        prose = blanked(raw, [(start, end) for start, end, _ in codes])
        if not self._flavour.is_converted:
            prose = blanked(prose, self._comments(prose, span.start))
        if self._definitions and "]:" in prose:
            prose = blanked(prose, [match.span() for match in _DEFINITION.finditer(prose)])
        if "[" in prose or "<" in prose:
            links = [*self._links(prose)]
            sentences = Sentences(prose if links else "", offset=span.start)
            for one in links:
                if one.found is not None:
                    around = sentences.around(one.start, one.end)
                    yield _moved(one.found, span.start, around)
            prose = blanked(prose, [one.hidden for one in links])
        if not self._flavour.is_converted and "<" in prose:
            prose = blanked(prose, [match.span() for match in _TAG.finditer(prose)])
        if "://" in prose or "www." in prose:
            prose = blanked(prose, [match.span() for match in _ADDRESS.finditer(prose)])
        yield from in_text(prose, offset=span.start)
        for start, end, ticks in codes:
            code = raw[start + ticks : end - ticks]
            yield from in_code(code, offset=span.start + start + ticks)

    def _comments(self, prose: str, offset: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for opening, closing in _COMMENTS:
            start = prose.find(opening)
            while start >= 0:
                end = prose.find(closing, start)
                if end < 0:
                    # What is left open here is closed below, in lines that are no prose.
                    if opening == "<!--" and self._last_comment_end > offset + start:
                        found.append((start, len(prose)))
                    break
                found.append((start, end + len(closing)))
                start = prose.find(opening, end)
        return found

    def _links(self, prose: str) -> Iterator[_Link]:
        if "[[" in prose and not self._flavour.is_converted:
            wikilinks = [*_wikilinks(prose)]
            yield from wikilinks
            prose = blanked(prose, [one.hidden for one in wikilinks])
        if "[" in prose:
            yield from self._bracketed(prose)
        if "<" in prose and not self._flavour.is_converted:
            yield from _in_angles(prose)

    def _bracketed(self, prose: str) -> Iterator[_Link]:
        """Pair the brackets, innermost first, and see what follows each pair."""
        open_: list[tuple[int, bool]] = []
        is_inner = False
        skip = 0
        for match in _BRACKET.finditer(prose):
            if match.start() < skip:
                continue
            if match[0] != "]":
                if match[0][0] != "\\":
                    open_.append((match.start(), match[0] == "!["))
                    is_inner = True
            elif open_:
                start, is_image = open_.pop()
                found = self._after(prose, start, match.end(), is_inner=is_inner)
                is_inner = False
                if found is not None:
                    skip, target = found
                    hidden = (match.end(), skip)
                    named = None if is_image else link(target, at=start)
                    yield _Link(start, skip, hidden, named)

    def _after(self, prose: str, start: int, end: int, *, is_inner: bool) -> tuple[int, str] | None:
        """Return where a link whose text stands in start to end ends itself, and its target."""
        follows = prose[end : end + 1]
        if follows == "(" and (match := _TARGET.match(prose, end)):
            return match.end(), _ESCAPE.sub(r"\1", match[1] or match[2] or "")
        if not self._definitions:
            return None
        label = _LABEL.match(prose, end) if follows == "[" else None
        if label is not None and label[1].strip():
            target = self._definitions.get(_folded(label[1]))
        elif is_inner and end - start <= _LONGEST_LABEL:
            target = self._definitions.get(_folded(prose[start : end - 1].lstrip("!")[1:]))
        else:
            target = None
        return None if target is None else (label.end() if label else end, target)


def code_spans(prose: str) -> list[tuple[int, int, int]]:
    """Return start, end and number of ticks of each code span; ticks without a mate are text."""
    if "`" not in prose:
        return []
    runs = [(match.start(2), match.end(2), len(match[1]) % 2) for match in _TICKS.finditer(prose)]
    # The last run of each length: one that starts behind it has no mate.
    last = {end - start: start for start, end, _ in runs}
    found: list[tuple[int, int, int]] = []
    opened, ticks = -1, 0
    for start, end, is_escaped in runs:
        if opened < 0:
            ticks = end - start - is_escaped
            first = start + is_escaped
            opened = first if ticks and last.get(ticks, -1) > first else -1
        elif end - start == ticks:
            found.append((opened, end, ticks))
            opened = -1
    return found


def wikilinks_in(text: str, end: int) -> Iterator[Found]:
    """Yield the wikilinks of a front matter, each with its line as context."""
    if text.find("[[", 0, end) < 0:
        return
    at = 0
    for line in text[:end].splitlines(keepends=True):
        for one in _wikilinks(line):
            if one.found is not None:
                yield _moved(one.found, at, Span(at, at + len(line)))
        at += len(line)


def _definitions(text: str, prose: Sequence[Span]) -> Mapping[str, str]:
    """Return the targets that `[label]: target` lines give, by label; the first one counts."""
    found: dict[str, str] = {}
    if "]:" in text:
        for span in prose:
            for match in _DEFINITION.finditer(text, span.start, span.end):
                found.setdefault(_folded(match[1]), match[2] or match[3] or "")
    return found


def _folded(label: str) -> str:
    return " ".join(label.casefold().split())


def _wikilinks(prose: str) -> Iterator[_Link]:
    for match in _WIKILINK.finditer(prose):
        # In a table the bar before the alias is escaped.
        name, anchor = (match[2] or "").rstrip("\\").strip(), (match[3] or "").rstrip("\\").strip()
        found = None
        is_shown = match[1] == "!" and name.lower().endswith(_SHOWN)
        if (name or len(anchor) > 1) and not is_shown:
            alias = (match[4] or "").strip()
            found = Found(
                match.start(),
                EdgeType.REFERENCES,
                name,
                path=anchor if len(anchor) > 1 else "",
                alias=alias,
                of="wikilink",
            )
        yield _Link(match.start(), match.end(), match.span(), found)


def _in_angles(prose: str) -> Iterator[_Link]:
    for match in _AUTOLINK.finditer(prose):
        if _is_file(match[1]):
            yield _Link(*match.span(), match.span(), link(match[1], at=match.start()))
    for match in _ANCHOR_TAG.finditer(prose):
        yield _Link(*match.span(), match.span(), link(match[1], at=match.start()))


def _is_file(target: str) -> bool:
    """Whether <target> is a file and no tag such as <br/> or <Menu.Item>."""
    path = target.partition("#")[0]
    if "." not in file_name_of(path).lstrip(".") or path.startswith("/"):
        return False
    kind = detect(path, "").kind
    return kind is Kind.DOC or (kind is Kind.CODE and "/" in path)


def _moved(found: Found, offset: int, around: Span) -> Found:
    return replace(found, at=offset + found.at, around=around)
