"""Markdown -> one node for the document, one per heading section and one per fence.

A heading inside a fence, an HTML block or indented code is text, not a heading. Called by
parse(), and by html() for text that was made from other formats.
"""

from __future__ import annotations

import re

from trivium.parsing.blocks import Block
from trivium.parsing.detect import FileType
from trivium.parsing.front import front_matter
from trivium.parsing.inline import Flavour, Inline, wikilinks_in
from trivium.parsing.plain import (
    LONGEST_SUMMARY,
    file_name_of,
    heading_of,
    summary_of,
    title_of,
)
from trivium.parsing.sections import LONGEST_NAME, UNTITLED, Heading, Outline, assemble, title_in
from trivium.types import Document, Parsed, Span

# Pairing backticks takes the square of a line's length; longer lines are data, not prose.
_LONGEST_PROSE_LINE = 5000

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r"([ \t]*)(?:(`{3,})([^`]*)|(~{3,})(.*))")
_QUOTE = re.compile(r"[ \t]{0,3}>[> \t]*")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
# Lines that cannot be the text of an underlined heading: lists, quotes, tables, rules.
_NOT_PARAGRAPH = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||(?:[-*_][ \t]*){3,}$)")
_ROW = re.compile(r"[ \t>]*\|")
_RAW_HTML = re.compile(r" {0,3}<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_CODE_SPAN = re.compile(r"(`+).*?\1")
_ANCHOR = re.compile(r"\{#([^}\s]{1,200})[^}\n]{0,200}\}[ \t]*$")
_ANCHOR_TAG = re.compile(
    r"<a[ \t]+(?:name|id)[ \t]*=[ \t]*[\"']([^\"'<>\n]{1,200})[\"'][^<>]{0,80}>"
)
# In MDX a paragraph of these is program: imports, exports and expressions.
_MDX_PROGRAM = re.compile(
    r"(?:import\s+[\w*{'\"]|export\s+(?:default|const|let|function|\{|\*)|\{)"
)

# What markup cannot do without, the markup, and what is left of it.
_MARKUP = (
    ("![", re.compile(r"!\[([^\[\]]*)\]\([^()]*\)"), r"\1"),
    ("[", re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])"), r"\1"),
    ("{#", re.compile(r"[ \t]*\{#[^}]*\}[ \t]*$"), ""),
    ("<", re.compile(r"</?[A-Za-z][^<>]*>"), ""),
    ("`", re.compile(r"(`+)[ ]?(.+?)[ ]?\1"), r"\2"),
    ("*", re.compile(r"(?<!\\)(\*{1,3})(?=\S)(.+?)(?<=[^\s\\])\1"), r"\2"),
    ("~~", re.compile(r"(?<!\\)(~~)(?=\S)(.+?)(?<=[^\s\\])\1"), r"\2"),
    ("_", re.compile(r"(?<![\w\\])(_{1,3})(?=\S)(.+?)(?<=[^\s\\])\1(?!\w)"), r"\2"),
    ("\\", re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def markdown(document: Document, file_type: FileType) -> Parsed:
    """Return the document node, then its sections and code blocks in order, and what links them."""
    flavour = Flavour(is_mdx=document.path.lower().endswith(".mdx"))
    return read(document, file_type, flavour=flavour)


def read(document: Document, file_type: FileType, *, flavour: Flavour) -> Parsed:
    """Read a document in one flavour of Markdown."""
    text = document.text
    front, body = ({}, 0) if flavour.is_converted else front_matter(text)
    scan = _Scan(text, body, flavour)
    inline = Inline(text, scan.prose, flavour=flavour)
    found = [*wikilinks_in(text, body)]
    for span in scan.prose:
        found.extend(inline.read(span))
    title = ""
    if not title_in(front, scan.headings):
        visible = _without_program(text[body:]) if flavour.is_mdx else text[body:]
        title = title_of(visible, file_name_of(document.path))
    return assemble(
        document,
        file_type,
        Outline(
            title=title,
            describe=_describe_mdx if flavour.is_mdx else _describe,
            headings=scan.headings,
            blocks=scan.blocks,
            found=found,
            front=front,
            body=body,
        ),
    )


def _describe(text: str) -> str:
    """Summarise the first paragraph that is prose: no fence, HTML, table, image or rule."""
    for paragraph in re.split(r"\n[ \t]*\n", text[: 4 * LONGEST_SUMMARY].strip()):
        start = paragraph.lstrip()
        if start and not start.startswith(
            ("```", "~~~", "<", "|", "![", "[![", "---", "***", ":::")
        ):
            return summary_of(without_markup(paragraph))
    return ""


def _describe_mdx(text: str) -> str:
    return _describe(_without_program(text[: 8 * LONGEST_SUMMARY]))


def _without_program(text: str) -> str:
    """Return the paragraphs of MDX that are prose."""
    paragraphs = re.split(r"\n[ \t]*\n", text.strip())
    return "\n\n".join(one for one in paragraphs if not _MDX_PROGRAM.match(one.lstrip()))


def without_markup(text: str) -> str:
    """Return the words of inline Markdown: links as their text, no emphasis, no tags."""
    for trace, pattern, replacement in _MARKUP:
        if trace in text:
            text = pattern.sub(replacement, text)
    return text.strip()


def _name(raw: str) -> str:
    name = " ".join(without_markup(raw[: 4 * LONGEST_NAME]).split())
    return name[:LONGEST_NAME] or UNTITLED


class _Scan:
    """One pass over the lines of a text: its headings, its fences, and its prose.

    Prose comes in runs that no sentence and no code span reaches across.
    """

    def __init__(self, text: str, start: int, flavour: Flavour) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.prose: list[Span] = []
        self._text = text
        self._flavour = flavour
        self._hidden = _Hidden(text, flavour)
        self._paragraph = -1
        self._run = -1
        self._is_quote = False
        self._fence = _Fence(self.blocks)
        self._quoted = _Fence(self.blocks)
        self._anchors: tuple[str, ...] = ()
        at = start
        for line in _LINE.findall(text[start:] if start else text):
            self._take(line.rstrip("\n"), at, at + len(line))
            at += len(line)
        self._end_run(at)
        self._fence.close(at, at)
        self._quoted.close(at, at)

    def _take(self, line: str, at: int, end: int) -> None:
        hidden = self._hidden
        was_fence = bool(hidden.fence)
        if hidden.takes(line, at, in_paragraph=self._paragraph >= 0):
            self._paragraph = -1
            self._end_run(at)
            if was_fence and not hidden.fence:
                self._fence.close(at, at + len(line))
            elif hidden.fence and not was_fence:
                self._fence.open(at, end, hidden.info)
        elif self._is_quoted_code(line, at, end):
            self._paragraph = -1
            self._end_run(at)
        elif atx := heading_of(line):
            self._end_run(at)
            self._heading(atx.level, at, end, atx.text, line)
        elif self._paragraph >= 0 and (underline := self._underline(line)):
            self._heading(underline, self._paragraph, end, self._text[self._paragraph : at], "")
            self._end_run(end)
        else:
            self._text_line(line, at)

    def _text_line(self, line: str, at: int) -> None:
        is_blank = not line.strip()
        if is_blank or _NOT_PARAGRAPH.match(line):
            self._paragraph = -1
        elif self._paragraph < 0 and not self._hidden.in_list:
            self._paragraph = at
        if is_blank:
            self._end_run(at)
            return
        is_quote = _QUOTE.match(line) is not None
        if _LIST_ITEM.match(line) or _ROW.match(line) or (is_quote and not self._is_quote):
            self._end_run(at)
        if self._run < 0:
            self._run, self._is_quote = at, is_quote
        tag = _ANCHOR_TAG.match(line.strip())
        self._anchors = (tag[1],) if tag is not None else ()

    def _underline(self, line: str) -> int:
        found = None if self._flavour.is_converted else _SETEXT.fullmatch(line)
        return 0 if found is None else 1 if found[1][0] == "=" else 2

    def _heading(self, level: int, at: int, end: int, raw: str, line: str) -> None:
        said = (line or raw)[: 4 * LONGEST_NAME]
        here = [one[1] for one in (_ANCHOR.search(said), _ANCHOR_TAG.search(said)) if one]
        anchors = tuple(dict.fromkeys([*self._anchors, *here]))
        self.headings.append(Heading(level, at, end, _name(raw), anchors))
        self._paragraph = -1
        self._anchors = ()
        if self._run < 0:
            self.prose.append(Span(at, end))

    def _end_run(self, end: int) -> None:
        if 0 <= self._run < end and not (self._flavour.is_mdx and self._is_program(end)):
            self.prose.append(Span(self._run, end))
        self._run = -1

    def _is_program(self, end: int) -> bool:
        return _MDX_PROGRAM.match(self._text, self._run, end) is not None

    def _is_quoted_code(self, line: str, at: int, end: int) -> bool:
        """Whether the line lies in a fence inside a quote; it ends with the quote at the latest."""
        quote = None if self._flavour.is_converted else _QUOTE.match(line)
        if quote is None:
            self._quoted.close(at, at)
            return False
        inner = line[quote.end() :]
        if self._quoted.mark:
            if _closes(inner, self._quoted.mark):
                self._quoted.close(at, at + len(line))
            return True
        fence = _FENCE.fullmatch(inner)
        if fence is None:
            return False
        self._quoted.open(at, end, fence[3] or fence[5] or "", mark=fence[2] or fence[4])
        return True


class _Fence:
    """A fence that is being read."""

    def __init__(self, blocks: list[Block]) -> None:
        self._blocks = blocks
        self._start = -1
        self._code = 0
        self._tag = ""
        self.mark = ""

    def open(self, start: int, code: int, tag: str, *, mark: str = "") -> None:
        self._start, self._code, self._tag, self.mark = start, code, tag, mark

    def close(self, code_end: int, end: int) -> None:
        """Put down the block, if there is one."""
        if self._start >= 0:
            code = Span(self._code, max(self._code, code_end))
            self._blocks.append(Block(Span(self._start, max(end, code.end)), code, self._tag))
        self._start, self.mark = -1, ""


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and set(mark) == {fence[0]}


class _Hidden:
    """Which lines lie in a fence, an HTML block or indented code, told line by line."""

    def __init__(self, text: str, flavour: Flavour) -> None:
        self.in_list = False
        self.fence = ""
        self.info = ""
        self._flavour = flavour
        self._last_comment_end = text.rfind("-->")
        self._until = ""

    def takes(self, line: str, at: int, *, in_paragraph: bool) -> bool:
        """Say whether this line is hidden, and remember what it opens or closes."""
        if self.fence:
            if _closes(line, self.fence):
                self.fence = ""
            return True
        if self._until:
            if self._until in line.lower():
                self._until = ""
            return True
        if self._flavour.is_converted:
            return line.startswith(("```", "~~~")) and self._opens_fence(line)
        return self._opens(line, at, in_paragraph=in_paragraph)

    def _opens_fence(self, line: str) -> bool:
        fence = _FENCE.fullmatch(line)
        if fence is not None:
            self.fence = fence[2] or fence[4]
            self.info = fence[3] or fence[5] or ""
        return fence is not None

    def _opens(self, line: str, at: int, *, in_paragraph: bool) -> bool:
        is_indented = line.startswith(("    ", "\t"))
        if _LIST_ITEM.match(line) and not (is_indented and not self.in_list):
            self.in_list = True
        elif line.strip() and not line[0].isspace() and not in_paragraph:
            self.in_list = False
        if is_indented and not self.in_list:
            return not in_paragraph
        if self._opens_fence(line):
            return True
        if raw := _RAW_HTML.match(line):
            close = f"</{raw[1].lower()}"
            if close not in line.lower():
                self._until = close
            return True
        return self._opens_comment(line, at)

    def _opens_comment(self, line: str, at: int) -> bool:
        if "<!--" not in line or len(line) > _LONGEST_PROSE_LINE:
            return False
        visible = _CODE_SPAN.sub(lambda code: " " * len(code[0]), line)
        before, mark, after = visible.rpartition("<!--")
        if not mark or "-->" in after:
            return False
        # One that starts in the middle of a line and never ends is a slip of the pen.
        if before.strip() and at > self._last_comment_end:
            return False
        self._until = "-->"
        return not before.strip()
