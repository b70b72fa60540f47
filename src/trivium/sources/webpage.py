"""HTML -> Markdown-like text with as many lines as it has, so that line numbers stay true.

Headings become "# Heading" on the line where they start, links [text](href), code fences and
code spans; scripts, styles, navigation and footers become blank. Where a heading or a fence
needs a line that is taken, what follows moves down until there is room again. Called by
convert(), whose text parsing/html.py reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from trivium.sources.tags import Tag, Text, decoded, tokens

_LONGEST_HEADING = 1000
_LONGEST_HREF = 2000
_MOST_ROOM = 20_000

_SKIPPED = frozenset(
    {"button", "canvas", "footer", "iframe", "nav", "noscript", "object", "script", "select"}
    | {"style", "svg", "template", "textarea"}
)
# Elements that are worth the look whether they are marked as hidden or as navigation.
_MAY_HIDE = frozenset({"a", "aside", "div", "li", "p", "section", "span", "ul"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "div"}
    | {"dl", "dt", "fieldset", "figcaption", "figure", "form", "head", "header", "hr", "html", "li"}
    | {"main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th"}
    | {"thead", "title", "tr", "ul"}
)
_END_HEADINGS = frozenset(
    {"article", "blockquote", "body", "dl", "hr", "html", "li", "main", "ol", "p", "pre", "section"}
    | {"table", "ul"}
)
_CODE = frozenset({"code", "kbd", "samp", "tt"})
# What links to themselves are made of, at the end of headings.
_PERMALINKS = frozenset({"", "#", "¶", "§", "🔗"})

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight|brush:?\s?|sourceCode )-?([\w+#]+)")
_TICKS = re.compile(r"`+")
_NEEDS_LINES = re.compile(r"<(?:h[1-6]|title|pre)[\s>]", re.IGNORECASE)
_HAS_H1 = re.compile(r"<h1[\s>]", re.IGNORECASE)
_NO_LINK = re.compile(r"(?:javascript|data|vbscript|blob):", re.IGNORECASE)
# A line of text that Markdown would take for a heading or a fence.
_LOOKS_LIKE_MARKUP = re.compile(r"#{1,6}(?:\s|$)|```|~~~")


def readable(source: str) -> str:
    """Return the text of a page, one line for each of its lines. Never raises."""
    page = _Page(source)
    for token in tokens(source):
        if isinstance(token, Tag):
            page.tag(token)
        else:
            page.text(token)
    return page.finished()


def escaped(line: str) -> str:
    """Return a line of plain text so that it is not read as a heading or a fence."""
    return "\\" + line if _LOOKS_LIKE_MARKUP.match(line) else line


def fence_for(lines: Sequence[str]) -> str:
    """Return the ticks for a fence around some lines: more than any of them has."""
    return "`" * max(3, _longest_run(lines) + 1)


def _longest_run(lines: Sequence[str]) -> int:
    return max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)


def code_span(code: str) -> str:
    """Return a code span around a text, "" around nothing."""
    code = " ".join(code.split())
    if not code:
        return ""
    ticks = "`" * (_longest_run([code]) + 1)
    return f"{ticks} {code} {ticks}" if "`" in code else f"{ticks}{code}{ticks}"


@dataclass(slots=True)
class _Heading:
    level: int
    line: int
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Link:
    # "" for a heading's link to itself, of which only the words stay.
    href: str
    line: int
    pieces: list[str] = field(default_factory=list)
    has_words: bool = False


@dataclass(slots=True)
class _Pre:
    line: int
    language: str
    # Each line of the code with the line of the page it stands on.
    lines: list[tuple[int, list[str]]]


class _Page:
    """The lines of one page as they are filled."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._lines = source.count("\n") + 1
        # Pages without line ends have no room for headings and fences: they get lines below.
        room = min(_MOST_ROOM, 4 * sum(1 for _ in _NEEDS_LINES.finditer(source)))
        self._pieces: list[list[str] | None] = [None] * (self._lines + room)
        self._verbatim: dict[int, str] = {}
        # Text is not put above this line: those before it are taken by a heading or a fence.
        self._floor = 0
        self._line = 0
        self._is_title_heading = _HAS_H1.search(source) is None
        self._skip = ""
        self._depth = 0
        self._last_ends: dict[str, int] = {}
        self._heading: _Heading | None = None
        self._link: _Link | None = None
        self._code: list[str] | None = None
        self._pre: _Pre | None = None
        self._language = ""
        self._prefix = ""
        self._cells = 0

    def tag(self, tag: Tag) -> None:
        """Take one tag."""
        self._line = tag.line
        if self._skip:
            self._skipped(tag)
        elif not tag.is_end and self._is_skipped(tag):
            self._skip, self._depth = tag.name, 1
        elif self._pre is not None and tag.name != "pre":
            self._in_pre(tag)
        else:
            self._structure(tag)

    def text(self, text: Text) -> None:
        """Take the text between two tags."""
        self._line = text.line
        if self._skip or not text.text:
            return
        if self._pre is not None:
            self._pre_text(text)
            return
        if self._code is not None:
            self._code.append(decoded(text.text))
            return
        is_collecting = self._link is not None or self._heading is not None
        if is_collecting and self._is_collected(decoded(text.text)):
            return
        for number, line in enumerate(text.text.split("\n")):
            said = decoded(line)
            if said and not said.isspace():
                self._put(said, text.line + number)
            elif said:
                self._space(text.line + number)

    def finished(self) -> str:
        """Return the text, as many lines as the page had, or more if it had no room."""
        self._end_pre()
        self._flush_code()
        self._flush_link()
        self._end_heading()
        lines: list[str] = []
        for number, pieces in enumerate(self._pieces):
            words = " ".join("".join(pieces).split()) if pieces else ""
            if number in self._verbatim:
                # On the last line of a page there may be no other room.
                lines.append(
                    f"{self._verbatim[number]} {words}" if words else self._verbatim[number]
                )
            else:
                lines.append(escaped(words))
        while len(lines) > self._lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines)

    # What is left out.

    def _is_skipped(self, tag: Tag) -> bool:
        if tag.name not in _SKIPPED and not (tag.name in _MAY_HIDE and _is_hidden(tag)):
            return False
        return tag.at < self._last_end(tag.name) and not tag.raw.endswith("/")

    def _last_end(self, name: str) -> int:
        if name not in self._last_ends:
            pattern = re.compile(rf"</{name}(?=[\s/>]|\Z)", re.IGNORECASE)
            ends = [match.start() for match in pattern.finditer(self._source)]
            self._last_ends[name] = ends[-1] if ends else -1
        return self._last_ends[name]

    def _skipped(self, tag: Tag) -> None:
        if tag.name != self._skip:
            return
        if tag.is_end:
            self._depth -= 1
        elif not tag.raw.endswith("/"):
            self._depth += 1
        # Nothing closes what is still open after the last end: it was a slip.
        if self._depth == 0 or tag.at >= self._last_end(tag.name):
            self._skip = ""

    # What tags mean.

    def _structure(self, tag: Tag) -> None:
        name = tag.name
        if name in _HEADINGS or (name == "title" and self._is_title_heading):
            self._break()
            self._end_heading()
            if not tag.is_end:
                self._heading = _Heading(_HEADINGS.get(name, 1), tag.line)
        elif name == "pre":
            self._break()
            self._end_heading()
            self._pre_tag(tag)
        elif name == "a":
            self._a(tag)
        elif name in _CODE:
            self._flush_code()
            if not tag.is_end:
                self._code = []
        elif name == "img":
            self._append(f" {tag.value('alt')} ")
        elif name in _BLOCKS:
            self._block(tag)

    def _block(self, tag: Tag) -> None:
        self._break()
        if tag.name in _END_HEADINGS:
            self._end_heading()
        self._append(" ")
        if tag.name == "div" and not tag.is_end and (found := _LANGUAGE.search(tag.value("class"))):
            self._language = found[1]
        elif tag.name == "li":
            self._prefix = "" if tag.is_end else "- "
        elif tag.name == "tr":
            self._cells = 0
        elif tag.name in ("td", "th") and not tag.is_end:
            if self._cells:
                self._append(" | ")
            self._cells += 1

    def _a(self, tag: Tag) -> None:
        if self._code is not None:
            return
        self._flush_link()
        href = "" if tag.is_end else " ".join(tag.value("href").split())
        if href and len(href) <= _LONGEST_HREF and not _NO_LINK.match(href):
            is_own = self._heading is not None and href.startswith("#")
            self._link = _Link("" if is_own else href, tag.line)

    # Where text goes.

    def _is_collected(self, text: str) -> bool:
        """Take a text that belongs to a link or a heading; say whether it does."""
        if self._link is not None:
            self._link.pieces.append(text)
            self._link.has_words |= text.strip() != ""
        elif self._heading is not None:
            self._heading.pieces.append(text)
        else:
            return False
        return True

    def _append(self, text: str, line: int | None = None) -> None:
        if self._is_collected(text):
            return
        if not text or text.isspace():
            self._space(self._line if line is None else line)
        else:
            self._put(text, self._line if line is None else line)

    def _put(self, text: str, line: int) -> None:
        number = min(max(line, self._floor), len(self._pieces) - 1)
        pieces = self._pieces[number]
        if pieces is None:
            pieces = self._pieces[number] = []
        prefix, self._prefix = self._prefix, ""
        pieces.append(prefix + text)

    def _space(self, line: int) -> None:
        pieces = self._pieces[min(max(line, self._floor), len(self._pieces) - 1)]
        if pieces is not None:
            pieces.append(" ")

    def _break(self) -> None:
        """End what does not reach over a block: a code span, and a link that has words."""
        self._flush_code()
        if self._link is not None and self._link.has_words:
            self._flush_link()

    def _flush_code(self) -> None:
        code, self._code = self._code, None
        if code:
            self._append(code_span("".join(code)))

    def _flush_link(self) -> None:
        link, self._link = self._link, None
        if link is None:
            return
        said = "".join(link.pieces)
        words = " ".join(said.split())
        if words in _PERMALINKS:
            self._append(" ")
            return
        before = " " if said[:1].isspace() else ""
        after = " " if said[-1:].isspace() else ""
        if link.href:
            words = words.replace("[", "(").replace("]", ")") if "](" in words else words
            words = f"[{words}]({_target(link.href)})"
        self._append(f"{before}{words}{after}", link.line)

    def _end_heading(self) -> None:
        heading, self._heading = self._heading, None
        if heading is None:
            return
        words = " ".join("".join(heading.pieces).split())[:_LONGEST_HEADING]
        if words in _PERMALINKS:
            return
        self._prefix = ""
        number = self._free(heading.line)
        if number is None:
            self._put(f" {words} ", heading.line)
            return
        self._verbatim[number] = f"{'#' * heading.level} {words}"
        self._floor = number + 1

    def _free(self, line: int) -> int | None:
        """Return the first line from here on that holds nothing, None if there is none."""
        number = max(line, self._floor)
        while number < len(self._pieces) and not self._is_free(number):
            number += 1
        return number if number < len(self._pieces) else None

    def _is_free(self, number: int) -> bool:
        pieces = self._pieces[number]
        is_blank = pieces is None or not any(piece.strip() for piece in pieces)
        return number >= self._floor and is_blank and number not in self._verbatim

    # Code.

    def _pre_tag(self, tag: Tag) -> None:
        self._end_pre()
        if not tag.is_end:
            found = _LANGUAGE.search(tag.value("class"))
            language = found[1] if found else tag.value("data-lang") or self._language
            self._pre = _Pre(tag.line, language, [(tag.line, [])])
            self._language = ""

    def _in_pre(self, tag: Tag) -> None:
        if self._pre is None or tag.is_end:
            return
        if tag.name == "br":
            self._pre.lines.append((tag.line, []))
        elif tag.name == "code" and not self._pre.language:
            found = _LANGUAGE.search(tag.value("class"))
            self._pre.language = found[1] if found else tag.value("data-lang")

    def _pre_text(self, text: Text) -> None:
        if self._pre is None:
            return
        first, *others = text.text.split("\n")
        self._pre.lines[-1][1].append(decoded(first))
        for number, line in enumerate(others, start=1):
            self._pre.lines.append((text.line + number, [decoded(line)]))

    def _end_pre(self) -> None:
        pre, self._pre = self._pre, None
        if pre is None:
            return
        lines = [(number, "".join(pieces).rstrip()) for number, pieces in pre.lines]
        has_first = bool(lines[0][1])
        while lines and not lines[0][1]:
            lines.pop(0)
        while lines and not lines[-1][1]:
            lines.pop()
        if len(lines) <= 1:
            for number, code in lines:
                self._put(f" {code_span(code)} ", number)
            return
        places = self._places(pre, lines, has_first=has_first)
        if places is None:
            for number, code in lines:
                self._put(f" {code} ", number)
            return
        fence = fence_for([code for _, code in lines])
        language = pre.language if re.fullmatch(r"[\w+#-]{1,40}", pre.language) else ""
        written = [fence + language, *(code for _, code in lines), fence]
        self._verbatim.update(zip(places, written, strict=True))
        self._floor = places[-1] + 1

    def _places(
        self, pre: _Pre, lines: Sequence[tuple[int, str]], *, has_first: bool
    ) -> list[int] | None:
        """Return the lines for a fence, its code and its end; None if the page is too short."""
        first = lines[0][0]
        if not has_first and self._is_free(pre.line):
            opening: int | None = pre.line
        elif first > 0 and self._is_free(first - 1):
            opening = first - 1
        else:
            opening = self._free(first)
        if opening is None:
            return None
        places = [opening]
        for wanted in (*(number for number, _ in lines), self._line):
            free = max(wanted, places[-1] + 1)
            while free < len(self._pieces) and not self._is_free(free):
                free += 1
            places.append(free)
        return places if places[-1] < len(self._pieces) else None


def _is_hidden(tag: Tag) -> bool:
    return tag.raw != "" and (
        tag.value("role") in ("navigation", "search")
        or tag.value("aria-hidden") == "true"
        or tag.value("style").replace(" ", "").startswith("display:none")
        or re.search(r"(?:^|\s)hidden(?=[\s/]|$)", tag.raw) is not None
    )


def _target(href: str) -> str:
    href = href.replace("<", "%3C").replace(">", "%3E")
    return f"<{href}>" if re.search(r"[\s()]", href) else href
