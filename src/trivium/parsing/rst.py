"""reStructuredText -> one node for the document, one per section and one per literal block.

A section is a line above, or between, rows of marks; which row means which level is told by the
order in which they appear. Indented text never splits a section. Called by parse().
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from itertools import accumulate

from trivium.parsing.blocks import Block
from trivium.parsing.detect import FileType
from trivium.parsing.links import link
from trivium.parsing.mentions import exact
from trivium.parsing.plain import LONGEST_SUMMARY, summary_of
from trivium.parsing.references import Found
from trivium.parsing.roles import Places, folded, read, without_roles
from trivium.parsing.sections import LONGEST_NAME, UNTITLED, Heading, Outline, assemble, title_from
from trivium.types import Document, MetaValue, Parsed, Span

_TAB = 8
_MOST_LABELS = 10
# A row shorter than this is a heading's only if it is as long as the heading.
_SURE_ROW = 4

_ROW = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")
_EXPLICIT = re.compile(r"([ \t]*)\.\.(?:[ \t]+(.*))?")
_DIRECTIVE = re.compile(r"(\w+(?:[-.+:]\w+)*)[ ]?::(?:[ \t]+(.*))?")
_TARGET = re.compile(r"_(`[^`]+`|[^:`][^:]*):(?:[ \t]+(.*))?")
_FIELD = re.compile(r"[ \t]*:([^\s:`][^:\n]{0,100}):(?:[ \t]+(.*))?")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?(?:\d{1,9}|[A-Za-z]|#)[.)])[ \t]+(?=\S)")
_BULLET = re.compile(r"[-*+•][ \t]")
_TABLE = re.compile(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*")
_TABLE_ROW = re.compile(r"[ \t]*[|+]")
_DOCTEST = re.compile(r"[ \t]*>>>(?:[ \t]|$)")
_TITLED = re.compile(r"[^<]*<([^<>]+)>")

_CODE = frozenset(
    {"code", "code-block", "code-cell", "doctest", "ipython", "jupyter-execute", "parsed-literal"}
    | {"prompt", "sourcecode", "testcode"}
)
_HIDDEN = frozenset(
    {"contents", "csv-table", "date", "default-role", "digraph", "graph", "graphviz", "highlight"}
    | {"image", "include", "index", "literalinclude", "math", "mermaid", "meta", "plantuml", "raw"}
    | {"replace", "role", "sectnum", "testcleanup", "testoutput", "testsetup", "toctree", "uml"}
    | {"unicode"}
)
_FILES = frozenset({"include", "literalinclude"})
# Directives that document code name it; those of a domain carry a prefix, as in py:function.
_OF_CODE = frozenset(
    {"attribute", "class", "classmethod", "data", "decorator", "enum", "exception", "function"}
    | {"macro", "member", "method", "module", "staticmethod", "struct", "type", "var"}
)


def rst(document: Document, file_type: FileType) -> Parsed:
    """Return the document node, then its sections and code blocks in order, and what links them."""
    text = document.text
    scan = _Scan(text)
    places = Places(
        targets=scan.targets,
        headings={folded(one.name): one.name for one in reversed(scan.headings)},
    )
    found = list(scan.found)
    for span in scan.prose:
        found.extend(read(text, span, places))
    return assemble(
        document,
        file_type,
        Outline(
            title=title_from(document, scan.prose, bare=without_roles),
            describe=_describe,
            headings=scan.headings,
            blocks=scan.blocks,
            found=found,
            front=scan.front,
            body=scan.body,
        ),
    )


def _describe(text: str) -> str:
    """Summarise the first paragraph that is prose: no directive, field, table or quotation."""
    for paragraph in re.split(r"\n[ \t]*\n", text[: 4 * LONGEST_SUMMARY].strip("\n")):
        if paragraph[:1].strip() and not paragraph.startswith(
            ("..", ":", "|", "+-", "==", "--", ">>>")
        ):
            words = without_roles(paragraph)
            return summary_of(words[:-1] if words.endswith("::") else words)
    return ""


def _name(raw: str) -> str:
    name = " ".join(without_roles(raw.strip()[: 4 * LONGEST_NAME]).split())
    return name[:LONGEST_NAME] or UNTITLED


class _Scan:
    """One pass over the lines of a text: its sections, literal blocks, link targets and prose."""

    def __init__(self, text: str) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.prose: list[Span] = []
        self.found: list[Found] = []
        self.targets: dict[str, str] = {}
        self.front: dict[str, MetaValue] = {}
        self.body = 0
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        self._length = len(text)
        self._borders = [
            index
            for index, line in enumerate(self._lines)
            if line.lstrip()[:1] == "=" and _TABLE.fullmatch(line)
        ]
        self._styles: list[tuple[str, bool]] = []
        self._labels: list[str] = []
        self._language = ""
        self._may_have_fields = True
        self._run = -1
        self._at = 0
        while self._at < len(self._lines):
            self._step(self._lines[self._at])
        self._end_run()

    def _step(self, line: str) -> None:
        if not line.strip():
            self._end_run()
            self._at += 1
        elif (explicit := _EXPLICIT.fullmatch(line)) is not None:
            self._end_run()
            self._explicit(_indent(line), (explicit[2] or "").strip())
        elif _DOCTEST.match(line) and self._run < 0:
            self._doctest()
        elif self._title(line):
            pass
        elif self._may_have_fields and _FIELD.fullmatch(line) and line[0] == ":":
            self._fields()
        elif _TABLE.fullmatch(line) and self._run < 0:
            self._table()
        else:
            self._text(line)

    def _position(self, index: int) -> int:
        return min(self._starts[index], self._length)

    def _end_run(self) -> None:
        if 0 <= self._run < self._at:
            span = Span(self._position(self._run), self._position(self._at))
            self.prose.append(span)
        self._run = -1

    def _text(self, line: str) -> None:
        self._may_have_fields = False
        self._labels = []
        item = _ITEM.match(line)
        if item is not None or _TABLE_ROW.match(line):
            self._end_run()
        if self._run < 0:
            self._run = self._at
        self._at += 1
        is_last = self._at >= len(self._lines) or not self._lines[self._at].strip()
        if line.rstrip().endswith("::") and is_last:
            self._end_run()
            self._literal(len(item[0].expandtabs(_TAB)) if item else _indent(line))
        elif is_last or _indent(self._lines[self._at]) == 0 < _indent(line):
            self._end_run()

    def _title(self, line: str) -> bool:
        """Take a heading that starts here, or a row that is none; say whether there was one."""
        if line[0].isspace() or self._run >= 0 or _BULLET.match(line):
            return False
        is_row = _ROW.fullmatch(line) is not None
        if is_row:
            said, below, count = self._line(self._at + 1), self._line(self._at + 2), 3
            is_title = said.strip() and below == line.rstrip() and not _ROW.fullmatch(said)
        else:
            said, below, count = line.rstrip(), self._line(self._at + 1), 2
            is_title = below not in ("::", "..") and _ROW.fullmatch(below) is not None
        width = len(said.strip())
        if is_title and (len(below) >= _SURE_ROW or len(below) >= width):
            self._heading(said, (below[0], is_row), count)
            return True
        if is_row and len(line.rstrip()) >= _SURE_ROW and not self._line(self._at + 1).strip():
            self._at += 1
            return True
        return False

    def _line(self, index: int) -> str:
        return self._lines[index].rstrip() if index < len(self._lines) else ""

    def _heading(self, said: str, style: tuple[str, bool], count: int) -> None:
        if style not in self._styles:
            self._styles.append(style)
        start, end = self._position(self._at), self._position(self._at + count)
        level = self._styles.index(style) + 1
        anchors = tuple(dict.fromkeys(self._labels[-_MOST_LABELS:]))
        self.headings.append(Heading(level, start, end, _name(said), anchors))
        self._labels = []
        self._may_have_fields = len(self.headings) == 1
        first = self._at + count - 2
        self.prose.append(Span(self._position(first), self._position(first + 1)))
        self._at += count

    def _fields(self) -> None:
        """Take the field list at the top, or under the title: it is about the document."""
        while self._at < len(self._lines):
            field = _FIELD.fullmatch(self._lines[self._at])
            if field is None or self._lines[self._at][0] != ":":
                break
            self._at += 1
            value = [field[2] or ""]
            while self._line(self._at)[:1].isspace() and self._line(self._at).strip():
                value.append(self._lines[self._at])
                self._at += 1
            self.front.setdefault(field[1].lower(), " ".join(" ".join(value).split()))
        self._may_have_fields = False
        end = self._position(self._at)
        if self.headings:
            self.headings[-1] = replace(self.headings[-1], end=end)
        else:
            self.body = end

    def _table(self) -> None:
        """Take a table: rows in it look like headings."""
        first = bisect_left(self._borders, self._at + 1)
        below = self._borders[first : first + 2]
        # The first border below ends the table's head, or the table if it has none.
        is_headless = len(below) > 1 and not self._line(below[0] + 1)
        end = below[0] if is_headless else below[-1] if below else self._at
        for index in range(self._at, end + 1):
            if not _TABLE.fullmatch(self._lines[index]):
                self.prose.append(Span(self._position(index), self._position(index + 1)))
        self._at = end + 1

    def _doctest(self) -> None:
        first = self._at
        while self._line(self._at):
            self._at += 1
        self._block(first, first, self._at, "python")

    def _literal(self, base: int) -> None:
        """Take the literal block that `::` announces, indented or with a mark on every line."""
        first = self._at
        while first < len(self._lines) and not self._lines[first].strip():
            first += 1
        if first >= len(self._lines):
            return
        line = self._lines[first]
        if _indent(line) > base:
            self._at = self._body_end(first, base)
        elif _indent(line) == base and _ROW.match(line.lstrip()):
            mark = line.lstrip()[0]
            self._at = first
            while self._line(self._at).lstrip().startswith(mark):
                self._at += 1
        else:
            return
        self._block(first, first, self._at, self._language)

    def _block(self, first: int, code: int, end: int, tag: str) -> None:
        while end > code and not self._line(end - 1).strip():
            end -= 1
        if end > code:
            stop = self._starts[end] - 1
            span = Span(self._position(first), stop)
            self.blocks.append(Block(span, Span(self._position(code), stop), tag))

    def _body_end(self, first: int, base: int) -> int:
        """Return the line after those from `first` on that are blank or lie deeper than `base`."""
        end = first
        while end < len(self._lines):
            if self._lines[end].strip() and _indent(self._lines[end]) <= base:
                break
            end += 1
        return end

    def _explicit(self, base: int, said: str) -> None:
        directive = _DIRECTIVE.fullmatch(said)
        target = _TARGET.fullmatch(said)
        if directive is not None:
            self._directive(base, directive[1].lower(), (directive[2] or "").strip())
        elif target is not None:
            self._target(base, target[1].strip("`"), (target[2] or "").strip())
        elif said.startswith("[") and "]" in said:
            self._run = self._at
            self._at += 1
        elif said or self._line(self._at + 1):
            self._at = self._body_end(self._at + 1, base)
        else:
            self._at += 1

    def _target(self, base: int, name: str, target: str) -> None:
        self._at += 1
        if not target and self._line(self._at) and _indent(self._lines[self._at]) > base:
            target = self._line(self._at).strip()
            self._at += 1
        self.targets.setdefault(folded(name), target)
        if not target:
            self._labels.append(folded(name))

    def _directive(self, base: int, name: str, argument: str) -> None:
        first = self._at
        at = self._position(first)
        plain = name.rpartition(":")[2]
        self._may_have_fields = False
        self._at += 1
        while _FIELD.fullmatch(self._line(self._at)) and _indent(self._lines[self._at]) > base:
            self._at += 1
        if name in _CODE:
            code = self._at
            self._at = self._body_end(code, base)
            default = "python" if name in ("doctest", "testcode", "ipython") else self._language
            self._block(first, code, self._at, argument or default)
        elif name in _HIDDEN:
            body = self._at
            self._at = self._body_end(body, base)
            self._hidden(name, argument, body, at)
        elif plain.removeprefix("auto") in _OF_CODE:
            self.found.extend(exact(argument.partition("(")[0], at=at))
        elif argument:
            self.prose.append(Span(at, self._position(first + 1)))

    def _hidden(self, name: str, argument: str, body: int, at: int) -> None:
        if name == "highlight":
            self._language = argument
        elif name in _FILES:
            self._add(argument, at, of="link")
        elif name == "toctree":
            for index in range(body, self._at):
                entry = self._line(index).strip()
                titled = _TITLED.fullmatch(entry)
                if entry not in ("", "self") and "*" not in entry:
                    target = titled[1] if titled else entry
                    self._add(target, self._position(index), of="doc")

    def _add(self, target: str, at: int, *, of: str) -> None:
        found = link(target, at=at, of=of)
        if found is not None:
            self.found.append(found)


def _indent(line: str) -> int:
    expanded = line.expandtabs(_TAB) if "\t" in line else line
    return len(expanded) - len(expanded.lstrip(" "))
