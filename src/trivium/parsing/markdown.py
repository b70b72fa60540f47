"""Markdown -> one node for the document and one per heading section.

A heading inside a fence, an HTML block or indented code is text, not a heading. Front matter
is read by hand, flat keys only: nothing in a document is ever executed. Called by parse().
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trivium.parsing.detect import FileType
from trivium.parsing.plain import (
    LONGEST_SUMMARY,
    Names,
    domain_of,
    file_name_of,
    heading_of,
    summary_of,
    title_of,
)
from trivium.types import (
    Document,
    Edge,
    EdgeType,
    Location,
    MetaValue,
    Node,
    NodeId,
    Parsed,
    Span,
    lines_of,
)

_LONGEST_NAME = 200
_UNTITLED = "untitled"
# Pairing backticks takes the square of a line's length; longer lines are data, not prose.
_LONGEST_PROSE_LINE = 5000

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r"([ \t]*)(?:(`{3,})([^`]*)|(~{3,})(.*))")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
# Lines that cannot be the text of an underlined heading: lists, quotes, tables, rules.
_NOT_PARAGRAPH = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||(?:[-*_][ \t]*){3,}$)")
_RAW_HTML = re.compile(r" {0,3}<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_CODE_SPAN = re.compile(r"(`+).*?\1")

_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_KEY = re.compile(r"([A-Za-z_][\w-]*):(?:[ \t](.*))?")
_FRONT_ITEM = re.compile(r"[ \t]*-[ \t](.+)")

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


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading: where its first line starts, where its text ends, and what it says."""

    level: int
    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading with its place in the tree; `parent` is an index, -1 for the document."""

    heading: _Heading
    path: str
    parent: int
    own: Span
    end: int


def markdown(document: Document, file_type: FileType) -> Parsed:
    """Return the document node, then its sections in order, and what contains what."""
    text = document.text
    front, body_start = front_matter(text)
    headings = list(_headings(text, body_start))
    sections = _tree(headings, len(text))
    title = _title(front, headings) or title_of(text[body_start:], file_name_of(document.path))
    whole = Span(0, len(text))
    preamble = Span(0, headings[0].start if headings else len(text))
    spans = [whole, *(Span(one.heading.start, one.end) for one in sections)]
    lines = lines_of(text, spans)
    domain = _first(front, "domain", "category") or domain_of(document.path)
    tags = _words(front.get("tags", ()))
    document_id = NodeId(f"{file_type.kind}:{document.path}")
    nodes = [
        Node(
            id=document_id,
            kind=file_type.kind,
            type="document",
            name=title,
            source=Location(document.path, *lines[0]),
            span=whole,
            own=_visible(text, preamble),
            description=summary_of(_first(front, "description", "summary"))
            or _description(text[body_start : preamble.end])
            or (_description(text[headings[0].end : sections[0].own.end]) if headings else ""),
            tags=tags,
            domain=domain,
            language=file_type.language,
            title=title,
            metadata=front,
        )
    ]
    nodes += [
        Node(
            id=NodeId(f"{document_id}#{section.path}"),
            kind=file_type.kind,
            type="section",
            name=section.heading.name,
            source=Location(document.path, *place),
            span=span,
            own=_visible(text, section.own),
            description=_description(text[section.heading.end : section.own.end]),
            tags=tags,
            domain=domain,
            language=file_type.language,
            title=title,
            metadata={"level": section.heading.level},
        )
        for section, span, place in zip(sections, spans[1:], lines[1:], strict=True)
    ]
    edges = tuple(
        Edge(nodes[section.parent + 1].id, node.id, EdgeType.CONTAINS)
        for section, node in zip(sections, nodes[1:], strict=True)
    )
    return Parsed(tuple(nodes), edges)


def front_matter(text: str) -> tuple[Mapping[str, MetaValue], int]:
    """Return the flat keys of the front matter, lower case, and where the text after it starts."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, 0
    values: dict[str, MetaValue] = {}
    key = ""
    for line in found[1].splitlines():
        if pair := _FRONT_KEY.fullmatch(line):
            key = pair[1].lower()
            values[key] = _value((pair[2] or "").strip())
        elif key and (item := _FRONT_ITEM.fullmatch(line)):
            values[key] = (*_words(values[key]), _unquoted(item[1].strip()))
        elif line[:1].strip() and not line.startswith("#"):
            key = ""
    return values, found.end()


def _value(raw: str) -> MetaValue:
    if raw.startswith("[") and raw.endswith("]"):
        return _words(raw[1:-1])
    return _unquoted(raw)


def _words(value: MetaValue) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    parts = (_unquoted(part.strip()) for part in str(value).split(","))
    return tuple(part for part in parts if part)


def _unquoted(raw: str) -> str:
    is_quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'"
    return raw[1:-1] if is_quoted else raw


def _first(front: Mapping[str, MetaValue], *keys: str) -> str:
    found = (value for key in keys if isinstance(value := front.get(key, ""), str) and value)
    return next(found, "")


def _title(front: Mapping[str, MetaValue], headings: Sequence[_Heading]) -> str:
    first = next((one.name for one in headings if one.name != _UNTITLED), "")
    return first or _first(front, "title")


def _description(text: str) -> str:
    """Summarise the first paragraph that is prose: no fence, HTML, table, image or rule."""
    for paragraph in re.split(r"\n[ \t]*\n", text[: 4 * LONGEST_SUMMARY].strip()):
        start = paragraph.lstrip()
        if start and not start.startswith(
            ("```", "~~~", "<", "|", "![", "[![", "---", "***", ":::")
        ):
            return summary_of(without_markup(paragraph))
    return ""


def without_markup(text: str) -> str:
    """Return the words of inline Markdown: links as their text, no emphasis, no tags."""
    for trace, pattern, replacement in _MARKUP:
        if trace in text:
            text = pattern.sub(replacement, text)
    return text.strip()


def _visible(text: str, span: Span) -> tuple[Span, ...]:
    return (span,) if text[span.start : span.end].strip() else ()


def _tree(headings: Sequence[_Heading], end: int) -> list[_Section]:
    """Give each heading its parent, its path and its extent."""
    names = Names()
    has_one_title = bool(headings) and [h.level for h in headings if h.level == 1] == [1]
    root = 0 if has_one_title and headings[0].level == 1 else -1
    parents: list[int] = []
    paths: list[str] = []
    ends = [end] * len(headings)
    open_: list[int] = []
    for index, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.start
        parent = open_[-1] if open_ else -1
        prefix = "" if parent in (-1, root) else paths[parent] + "/"
        parents.append(parent)
        paths.append(prefix + heading.name)
        open_.append(index)
    starts = [*(heading.start for heading in headings), end]
    return [
        _Section(heading, names.unique(path), parent, Span(*own), section_end)
        for heading, path, parent, own, section_end in zip(
            headings, paths, parents, pairwise(starts), ends, strict=True
        )
    ]


def _headings(text: str, start: int) -> Iterator[_Heading]:
    """Find the headings, line by line, as CommonMark does."""
    position = start
    paragraph = -1
    hidden = _Hidden(text)
    for line in _LINE.findall(text[start:] if start else text):
        at, position = position, position + len(line)
        content = line.rstrip("\n")
        if hidden.takes(content, at, in_paragraph=paragraph >= 0):
            paragraph = -1
        elif atx := heading_of(content):
            yield _Heading(atx.level, at, position, _name(atx.text))
            paragraph = -1
        elif paragraph >= 0 and (underline := _SETEXT.fullmatch(content)):
            level = 1 if underline[1][0] == "=" else 2
            yield _Heading(level, paragraph, position, _name(text[paragraph:at]))
            paragraph = -1
        elif not content.strip() or _NOT_PARAGRAPH.match(content):
            paragraph = -1
        elif paragraph < 0 and not hidden.in_list:
            paragraph = at


def _name(raw: str) -> str:
    name = " ".join(without_markup(raw[: 4 * _LONGEST_NAME]).split())
    return name[:_LONGEST_NAME] or _UNTITLED


class _Hidden:
    """Which lines lie in a fence, an HTML block or indented code, told line by line."""

    def __init__(self, text: str) -> None:
        self.in_list = False
        self._last_comment_end = text.rfind("-->")
        self._fence = ""
        self._until = ""

    def takes(self, line: str, at: int, *, in_paragraph: bool) -> bool:
        """Say whether this line is hidden, and remember what it opens or closes."""
        if self._fence:
            mark = line.strip()
            if len(mark) >= len(self._fence) and set(mark) == {self._fence[0]}:
                self._fence = ""
            return True
        if self._until:
            if self._until in line.lower():
                self._until = ""
            return True
        return self._opens(line, at, in_paragraph=in_paragraph)

    def _opens(self, line: str, at: int, *, in_paragraph: bool) -> bool:
        is_indented = line.startswith(("    ", "\t"))
        if _LIST_ITEM.match(line) and not (is_indented and not self.in_list):
            self.in_list = True
        elif line.strip() and not line[0].isspace() and not in_paragraph:
            self.in_list = False
        if is_indented and not self.in_list:
            return not in_paragraph
        if fence := _FENCE.fullmatch(line):
            self._fence = fence[2] or fence[4]
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
