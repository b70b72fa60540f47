"""One symbol's syntax node -> its name, signature, parameters and description.

Reads only what the language's table points to, and copies text from the document, never from
the tree. Used by the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trivium.parsing.code.offsets import Offsets
from trivium.parsing.code.table import Paths, Table
from trivium.parsing.plain import LONGEST_SUMMARY, summary_of
from trivium.types import Span

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

DEFAULT_NAME = "default"
_LONGEST_NAME = 200
_LONGEST_SIGNATURE = 300
_MOST_PARAMETERS = 100

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_DESTRUCTURED = re.compile(r"(?:^|[{\[(,])\s*(?:\.\.\.)?([^\W\d][\w$]*)")
_PARAMETER_MODIFIER = re.compile(r"(?:(?:mut|ref|final)\s+)+")
_PARAMETER_NODES = re.compile(r"identifier|variable_declarator|.*_pattern")
_SIGNATURE_END = re.compile(r"(?:\s|=>|[{(\[:=])+$")

_STRING_PREFIX = re.compile(r"[A-Za-z]{0,2}(\"\"\"|'''|\"|')")
_COMMENT_MARK = re.compile(r"[ \t]*(?:/\*+!?|//[/!]*|#+!?|\*+(?!/))?[ \t]?")
_COMMENT_NOISE = re.compile(
    r"(?:noqa|type:|eslint|prettier|jshint|@ts-|go:|nolint|pylint|pragma|mypy|ruff|-\*-)|\W*$"
)
_LEGAL = re.compile(r"copyright|licen[cs]e|spdx-|all rights reserved", re.IGNORECASE)


class Facts:
    """Reads the facts of one document's symbols."""

    def __init__(self, text: str, offsets: Offsets, table: Table) -> None:
        self._text = text
        self._offsets = offsets
        self._table = table

    def span_of(self, syntax: SyntaxNode) -> Span:
        """Return where a syntax node stands, in code points."""
        return Span(self._offsets.at(syntax.start_byte), self._offsets.at(syntax.end_byte))

    def text_of(self, syntax: SyntaxNode, *, longest: int = _LONGEST_NAME) -> str:
        """Return a syntax node's text on one line."""
        span = self.span_of(syntax)
        return " ".join(self._text[span.start : min(span.end, span.start + longest)].split())

    def name_of(self, syntax: SyntaxNode) -> str:
        """Return the symbol's name, dotted if it was assigned to a property; never empty."""
        found = _follow(syntax, self._table.names, default="name")
        raw = self.text_of(found).strip("\"'`") if found is not None else ""
        if found is None or found.type != "member_expression":
            return raw or DEFAULT_NAME
        parts = [part for part in raw.split(".") if part not in self._table.name_noise]
        return ".".join(part.strip() for part in parts) or DEFAULT_NAME

    def type_name_of(self, syntax: SyntaxNode) -> str:
        """Return the bare name of the type an impl block is for."""
        found = _follow(syntax, self._table.names, default="type")
        return "" if found is None else _bare(self.text_of(found))

    def owner_of(self, syntax: SyntaxNode) -> str:
        """Return the type a method names itself by, such as Go's receiver; "" if none."""
        if syntax.type not in self._table.owners:
            return ""
        found = _follow(syntax, self._table.owners, default="")
        return "" if found is None else _bare(self.text_of(found))

    def signature_of(self, syntax: SyntaxNode, *, start: int, is_callable: bool) -> str:
        """Return the declaration on one line, without its body.

        Of what has no body, only a function is shown in full; of the rest the first line.
        """
        body = _follow(syntax, self._table.bodies, default="body")
        end = self._offsets.at(syntax.end_byte if body is None else body.start_byte)
        raw = self._text[start : min(end, start + 2 * _LONGEST_SIGNATURE)]
        if body is None and not is_callable:
            raw = raw.partition("\n")[0]
        line = " ".join(raw.split())[:_LONGEST_SIGNATURE]
        return _SIGNATURE_END.sub("", line).rstrip(" ;")

    def parameters_of(self, syntax: SyntaxNode) -> tuple[str, ...]:
        """Return the names of the parameters, those of a destructured one each on its own."""
        found = _follow(syntax, self._table.parameters, default="parameters")
        if found is None:
            return ()
        nodes = [found] if found.type == "identifier" else found.named_children
        names = (name for node in nodes[:_MOST_PARAMETERS] for name in self._parameter(node))
        return tuple(name for name in names if name not in self._table.receivers)

    def docstring(self, syntax: SyntaxNode) -> str:
        """Return the first paragraph of a docstring."""
        span = self.span_of(syntax)
        raw = self._text[span.start : span.end]
        quote = _STRING_PREFIX.match(raw)
        if quote is not None:
            raw = raw[quote.end() :].removesuffix(quote[1])
        return summary_of(raw)

    def comment(self, comments: Iterable[Span]) -> str:
        """Return the first paragraph of comments that stand together; none of a licence."""
        lines: list[str] = []
        for span in comments:
            lines.extend(_comment_lines(self._text[span.start : span.end][: 8 * LONGEST_SUMMARY]))
        summary = summary_of("\n".join(lines))
        return "" if _LEGAL.search(summary) else summary

    def _parameter(self, syntax: SyntaxNode) -> Iterator[str]:
        if syntax.type.endswith("comment"):
            return
        if syntax.type == "self_parameter":
            yield "self"
            return
        named = syntax.children_by_field_name("name") or syntax.children_by_field_name("pattern")
        for one in named or _parameter_names(syntax):
            text = _PARAMETER_MODIFIER.sub("", self.text_of(one))
            if text[:1] in ("{", "[", "("):
                yield from _DESTRUCTURED.findall(text)
            elif identifier := _IDENTIFIER.search(text):
                yield identifier[0]


def _parameter_names(syntax: SyntaxNode) -> list[SyntaxNode]:
    """Return the parts that name a parameter whose grammar gives no field for it."""
    type_node = syntax.child_by_field_name("type")
    parts = [one for one in syntax.named_children if _PARAMETER_NODES.fullmatch(one.type)]
    if parts:
        return parts[:1]
    return [syntax] if type_node is None else []


def _follow(syntax: SyntaxNode, paths: Paths, *, default: str) -> SyntaxNode | None:
    """Return the first node found under one of the paths, such as `value.body`."""
    for path in paths.get(syntax.type, (default,)):
        found: SyntaxNode | None = syntax
        for field in path.split("."):
            found = None if found is None else found.child_by_field_name(field)
        if found is not None:
            return found
    return None


def _bare(raw: str) -> str:
    """Return a type's own name: `(s *Server[T])` -> Server, `&'a fmt::Wrapper<T>` -> Wrapper."""
    head = re.split(r"[<\[]", raw.strip("()"))[0]
    names = _IDENTIFIER.findall(head) or _IDENTIFIER.findall(raw)
    return names[-1] if names else ""


def _comment_lines(comment: str) -> Iterator[str]:
    for line in comment.removesuffix("*/").splitlines():
        mark = _COMMENT_MARK.match(line)
        text = line[mark.end() :].rstrip() if mark is not None else line
        # A tag such as @param ends what the paragraph before it has to say.
        if text.startswith(("@param", "@return", "@throws", "@see")):
            yield ""
        elif not text or not _COMMENT_NOISE.match(text):
            yield text
