"""AsciiDoc -> one node for the document, one per section and one per block of code.

A heading inside a delimited block is text, not a heading; a delimiter that is never closed is
text too. Files that a document includes are not read. Called by parse().
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import accumulate

from trivium.parsing.blocks import Block
from trivium.parsing.detect import FileType
from trivium.parsing.plain import LONGEST_SUMMARY, summary_of
from trivium.parsing.sections import LONGEST_NAME, UNTITLED, Heading, Outline, assemble, title_from
from trivium.parsing.xrefs import read, without_markup
from trivium.types import Document, MetaValue, Parsed, Span

_LONGEST_VALUE = 10_000
_MOST_IDS = 10

_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
# The older way to write headings: a row below, about as long, whose mark tells the level.
_UNDERLINE = re.compile(r"(=+|-+|~+|\^+|\++)[ \t]*")
_LEVELS = "=-~^+"
_DELIMITER = re.compile(
    r"(?:-{4,}|={4,}|\.{4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|~{4,}|--|`{3,}[\w+#,-]{0,40}|[|,:!]={3,})"
    r"[ \t]*"
)
# Blocks whose text is not read as markup, and those of them that hold code.
_VERBATIM = ("----", "....", "++++", "////", "```")
_CODE = ("----", "....", "```")
_ENTRY = re.compile(r":(!?\w[\w-]*!?):(?:[ \t]+(.*))?")
_ATTRIBUTES = re.compile(r"\[(?:[\w#.,%\"'\[{].*|)\][ \t]*")
_BLOCK_TITLE = re.compile(r"\.[^\s.].*")
_ID = re.compile(r"\[\[([^\[\],]{1,200})|#([\w:.-]{1,200})|\bid=[\"']?([\w:.-]{1,200})")
_MACRO = re.compile(r"[A-Za-z][\w-]*::[^\s\[\]]*\[.*\][ \t]*")
_ITEM = re.compile(
    r"[ \t]*(?:(?:[-*]{1,5}|\.{1,5}|\d{1,9}\.|[A-Za-z]\.|<[\d.]{1,3}>)[ \t]+\S"
    r"|[^\s:][^:\n]{0,200}::(?:[ \t]|$))"
)
_REFERENCE = re.compile(r"\{(\w[\w-]{0,80})\}")
_OF_CODE = frozenset({"", "source", "listing", "literal"})
_NO_SECTION = frozenset({"discrete", "float"})


@dataclass(frozen=True, slots=True)
class _About:
    """What the lines in brackets before a block say about it."""

    style: str = ""
    language: str = ""
    ids: tuple[str, ...] = ()


def asciidoc(document: Document, file_type: FileType) -> Parsed:
    """Return the document node, then its sections and code blocks in order, and what links them."""
    text = document.text
    scan = _Scan(text)
    ids = {anchor for one in scan.headings for anchor in one.anchors}
    return assemble(
        document,
        file_type,
        Outline(
            title=title_from(document, scan.prose, bare=without_markup),
            describe=_describe,
            headings=scan.headings,
            blocks=scan.blocks,
            found=[one for span in scan.prose for one in read(text, span, ids)],
            front=scan.front,
            body=scan.body,
        ),
    )


def _describe(text: str) -> str:
    """Summarise the first paragraph that is prose: no block, table, macro or attribute."""
    for paragraph in re.split(r"\n[ \t]*\n", text[: 4 * LONGEST_SUMMARY].strip("\n")):
        lines = paragraph.split("\n")
        while lines and _is_about(lines[0]):
            lines.pop(0)
        if lines and lines[0][:1].strip() and not _DELIMITER.fullmatch(lines[0]):
            return summary_of(without_markup("\n".join(lines)))
    return ""


def _is_about(line: str) -> bool:
    """Whether a line is no text of its own: it says something about a block, or pulls one in."""
    return line.startswith(("//", "'''", "<<<", "|")) or any(
        pattern.fullmatch(line) for pattern in (_ENTRY, _ATTRIBUTES, _BLOCK_TITLE, _MACRO)
    )


class _Scan:
    """One pass over the lines of a text: its sections, its blocks of code and its prose."""

    def __init__(self, text: str) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.prose: list[Span] = []
        self.front: dict[str, MetaValue] = {}
        self.body = 0
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        self._length = len(text)
        self._marks: defaultdict[str, list[int]] = defaultdict(list)
        for index, line in enumerate(self._lines):
            if _DELIMITER.fullmatch(line):
                self._marks[line.rstrip()].append(index)
        self._open: list[str] = []
        self._about = _About()
        self._in_list = False
        self._run = -1
        self._at = 0
        self._header()
        while self._at < len(self._lines):
            self._step(self._lines[self._at])
        self._end_run()

    def _position(self, index: int) -> int:
        return min(self._starts[index], self._length)

    def _line(self, index: int) -> str:
        return self._lines[index].rstrip() if index < len(self._lines) else ""

    def _end_run(self) -> None:
        if 0 <= self._run < self._at:
            self.prose.append(Span(self._position(self._run), self._position(self._at)))
        self._run = -1

    def _header(self) -> None:
        """Read what stands before the text: comments, attributes, the title and its lines."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            entry = _ENTRY.fullmatch(line)
            if entry is not None:
                self._entry(entry)
            elif line.startswith("////") and self._delimited(line.rstrip()):
                pass
            elif (not line.strip() and not self.headings) or _is_comment(line):
                self._at += 1
            elif line.strip() and self.headings:
                # The lines below a title name the authors and the revision.
                self._at += 1
            elif not (self._is_title(line) and self._title(line)):
                break
        end = self._position(self._at)
        if self.headings:
            self.headings[-1] = replace(self.headings[-1], end=end)
        else:
            self.body = end

    def _is_title(self, line: str) -> bool:
        is_row = self._line(self._at + 1).startswith("==")
        is_below = bool(line.strip()) and is_row and self._is_underlined(line)
        return line.startswith(("= ", "# ")) or is_below

    def _entry(self, entry: re.Match[str]) -> None:
        """Take an attribute, whose value goes on over lines that end in a backslash."""
        value = entry[2] or ""
        self._at += 1
        is_open = self._at < len(self._lines)
        while is_open and value.endswith(" \\") and len(value) < _LONGEST_VALUE:
            value = value[:-1].rstrip() + " " + self._lines[self._at].strip()
            self._at += 1
            is_open = self._at < len(self._lines)
        name = entry[1].lower()
        if "!" not in name and value.strip():
            self.front.setdefault(name, value.strip())

    def _step(self, line: str) -> None:
        if not line.strip():
            self._end_run()
            self._at += 1
        elif self._is_block_or_title(line):
            pass
        elif self._is_apart(line):
            self._end_run()
            self._at += 1
        elif self._is_source(line):
            self._source_paragraph()
        elif line[0].isspace() and self._run < 0 and not self._in_list and not _ITEM.match(line):
            self._skip_paragraph()
        else:
            self._text(line)

    def _is_block_or_title(self, line: str) -> bool:
        """Take a delimited block or a heading that starts here, if one does."""
        if _DELIMITER.fullmatch(line) and self._delimited(line.rstrip()):
            return True
        return self._run < 0 and not self._open and self._title(line)

    def _is_apart(self, line: str) -> bool:
        """Whether a line is no prose; what it says about the next block is remembered."""
        if _is_comment(line):
            return True
        if self._run < 0 and _ATTRIBUTES.fullmatch(line):
            self._about = _said(line, self._about)
            return True
        is_entry = self._run < 0 and _ENTRY.fullmatch(line) is not None
        return is_entry or line.rstrip() == "+" or _MACRO.fullmatch(line) is not None

    def _text(self, line: str) -> None:
        is_item = _ITEM.match(line) is not None
        if is_item or line.lstrip().startswith("|"):
            self._end_run()
        is_first = self._run < 0
        if is_first:
            self._in_list = is_item or (self._in_list and line[0].isspace())
            self._run = self._at
        self._at += 1
        if is_first and _BLOCK_TITLE.fullmatch(line):
            self._end_run()
        else:
            self._about = _About()

    def _is_underlined(self, line: str) -> bool:
        below = self._line(self._at + 1)
        said = line.rstrip()
        return (
            len(below) > 1
            and abs(len(below) - len(said)) <= 1
            and _UNDERLINE.fullmatch(below) is not None
            and said[0] not in ".[|:/*-<+="
            and not said[0].isspace()
            and any(map(str.isalnum, said))
        )

    def _title(self, line: str) -> bool:
        """Take a heading that starts here, if one does."""
        found = _TITLE.fullmatch(line)
        if found is not None:
            level, said, count = len(found[1]), found[2].removesuffix(" " + found[1]), 1
        elif self._is_underlined(line):
            level, said, count = _LEVELS.index(self._line(self._at + 1)[0]) + 1, line, 2
        else:
            return False
        about, self._about = self._about, _About()
        self._in_list = False
        start, end = self._position(self._at), self._position(self._at + count)
        self.prose.append(Span(start, end))
        self._at += count
        if about.style not in _NO_SECTION:
            ids = tuple(dict.fromkeys([*about.ids, *_ids(said)]))
            self.headings.append(Heading(level, start, end, self._name(said), ids))
        return True

    def _name(self, said: str) -> str:
        filled = _REFERENCE.sub(self._filled, said[: 4 * LONGEST_NAME])
        name = " ".join(without_markup(filled[: 4 * LONGEST_NAME]).split())
        return name[:LONGEST_NAME] or UNTITLED

    def _filled(self, match: re.Match[str]) -> str:
        return str(self.front.get(match[1].lower(), match[0]))

    def _delimited(self, mark: str) -> bool:
        """Open or close the block of a delimiter; say whether it is one."""
        if mark in self._open:
            self._end_run()
            del self._open[self._open.index(mark) :]
            self._at += 1
            return True
        closing = "```" if mark.startswith("```") else mark
        indexes = self._marks.get(closing, [])
        after = bisect_right(indexes, self._at)
        if after >= len(indexes):
            return False
        self._end_run()
        about, self._about = self._about, _About()
        if not mark.startswith(_VERBATIM):
            self._open.append(mark)
            self._at += 1
            return True
        first, end = self._at, indexes[after]
        self._at = end + 1
        if mark.startswith(_CODE):
            tag = mark.strip("`") if mark[0] == "`" else about.language
            if about.style not in _OF_CODE:
                tag = about.style
            elif about.style == "source" and not tag:
                tag = str(self.front.get("source-language", ""))
            self._block(first, first + 1, end, end + 1, tag)
        return True

    def _block(self, first: int, code: int, code_end: int, end: int, tag: str) -> None:
        span = Span(self._position(first), self._starts[end] - 1)
        self.blocks.append(Block(span, Span(self._position(code), self._position(code_end)), tag))

    def _is_source(self, line: str) -> bool:
        is_first = self._run < 0 and not _BLOCK_TITLE.fullmatch(line)
        return is_first and self._about.style == "source"

    def _source_paragraph(self) -> None:
        first, tag = self._at, self._about.language
        self._about = _About()
        self._skip_paragraph()
        self._block(
            first, first, self._at, self._at, tag or str(self.front.get("source-language", ""))
        )

    def _skip_paragraph(self) -> None:
        self._at += 1
        while self._line(self._at) and not _DELIMITER.fullmatch(self._line(self._at)):
            self._at += 1


def _is_comment(line: str) -> bool:
    return line.startswith("//") and not line.startswith("///")


def _said(line: str, before: _About) -> _About:
    """Add what one line in brackets says to what those before it have said."""
    inner = line.strip()[1:-1]
    parts = [part.strip() for part in inner.split(",")[:4]]
    style = re.split(r"[#.%]", parts[0], maxsplit=1)[0].strip("\"'").lower() if parts else ""
    language = parts[1] if len(parts) > 1 and style in ("", "source") else ""
    language = language.removeprefix("lang=").removeprefix("language=").strip("\"'")
    if "=" in language or inner.startswith("["):
        language = ""
    if style == "" and language:
        style = "source"
    is_style = re.fullmatch(r"[a-z][\w-]*", style) is not None
    return _About(
        style=style if is_style else before.style,
        language=language or before.language,
        ids=(*before.ids, *_ids(line.strip()))[-_MOST_IDS:],
    )


def _ids(said: str) -> tuple[str, ...]:
    """Return the ids in a line of attributes, or at the end of a heading."""
    if not said.endswith("]"):
        return ()
    return tuple(match[1] or match[2] or match[3] for match in _ID.finditer(said[-600:]))[
        :_MOST_IDS
    ]
