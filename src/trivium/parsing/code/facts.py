"""One symbol's syntax node -> its name, signature, parameters and description.

Reads only what the language's table points to, and copies text from the document, never from
the tree. Used by the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trivium.parsing.code.offsets import Offsets
from trivium.parsing.code.symbol import CALLABLE, Symbol, is_open
from trivium.parsing.code.table import Table, follow
from trivium.parsing.plain import LONGEST_SUMMARY, summary_of
from trivium.types import MetaValue, Span

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

DEFAULT_NAME = "default"
PUBLIC = "public"
PRIVATE = "private"
_LONGEST_NAME = 200
_LONGEST_SIGNATURE = 300
_MOST_PARAMETERS = 100
_MOST_MODIFIERS = 12

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_DESTRUCTURED = re.compile(r"(?:^|[{\[(,])\s*(?:\.\.\.)?([^\W\d][\w$]*)")
_PARAMETER_MODIFIER = re.compile(r"(?:(?:mut|ref|final)\s+)+")
_PARAMETER_NODES = re.compile(r"identifier|variable_declarator|.*_pattern")
_CHAIN = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_SIGNATURE_END = " {([:="
_SEPARATOR = re.compile(r"\s*(?:::|[:$@\\.])\s*")
_NAME = (("name",),)
_TYPE = (("type",),)
_BODY = (("body",),)
_PARAMETERS = (("parameters",),)

_STRING_PREFIX = re.compile(r"[A-Za-z]{0,2}(\"\"\"|'''|\"|')")
_COMMENT_MARK = re.compile(
    r"[ \t]*(?:/\*+!?|//[/!]*|#+[!']?|--+(?:\[=*\[)?(?:[ ]?[|^](?=\s|$))?|\{-+(?:[ ]?[|^](?=\s|$))?"
    r"|\*+(?!/))?[ \t]?"
)
_COMMENT_END = re.compile(r"\s*(?:\*/|-\}|--\]=*\]|\]=*\])$")
_COMMENT_NOISE = re.compile(
    r"(?:noqa|type:|eslint|prettier|jshint|@ts-|go:|nolint|pylint|pragma|mypy|ruff|-\*-"
    r"|frozen_string_literal|(?:en)?coding:|rubocop|NOLINT|clang-format|swiftlint|swift-tools)|\W*$"
)
_LEGAL = re.compile(r"copyright|licen[cs]e|spdx-|all rights reserved", re.IGNORECASE)


class Facts:
    """Reads the facts of one document's symbols."""

    def __init__(self, text: str, data: bytes, offsets: Offsets, table: Table) -> None:
        self._text = text
        self._data = data
        self._offsets = offsets
        self._table = table
        self._is_ascii = len(text) == len(data)

    def span_of(self, syntax: SyntaxNode) -> Span:
        """Return where a syntax node stands, in code points."""
        if self._is_ascii:
            return Span(syntax.start_byte, syntax.end_byte)
        return Span(self._offsets.at(syntax.start_byte), self._offsets.at(syntax.end_byte))

    def text_of(self, syntax: SyntaxNode, *, longest: int = _LONGEST_NAME) -> str:
        """Return a syntax node's text on one line."""
        start, end = syntax.start_byte, syntax.end_byte
        # A code point has four bytes at the most.
        raw = self._data[start : min(end, start + 4 * longest)].decode("utf-8", "replace")
        return " ".join(raw[:longest].split())

    def is_blank(self, start: int, end: int) -> bool:
        """Tell whether a part of the text is nothing but white space."""
        return not self._text[start:end].strip()

    def name_of(self, syntax: SyntaxNode, given: SyntaxNode | None = None) -> str:
        """Return the symbol's name, dotted if it was assigned to a property; never empty."""
        found = given or follow(syntax, self._table.names.get(syntax.type, _NAME))
        raw = _unquoted(self.text_of(found)) if found is not None else ""
        if found is not None and found.type == "operator_cast":
            raw = raw.partition("(")[0].strip()
        if found is not None and found.type in self._table.dotted:
            return _SEPARATOR.sub(".", raw) or DEFAULT_NAME
        if found is None or found.type != "member_expression":
            return (raw if self._table.dotted else _dotted(raw)) or DEFAULT_NAME
        parts = [part for part in raw.split(".") if part not in self._table.name_noise]
        return ".".join(part.strip() for part in parts) or DEFAULT_NAME

    def is_dotted(self, syntax: SyntaxNode, name: str) -> bool:
        """Tell whether the parts of a symbol's name are names of what it belongs to."""
        if "[" in name or not any(map(str.isalnum, name)):
            return False
        if not self._table.dotted:
            return True
        found = follow(syntax, self._table.names.get(syntax.type, _NAME))
        return found is not None and found.type in self._table.dotted

    def type_name_of(self, syntax: SyntaxNode) -> str:
        """Return the bare name of the type an impl block is for."""
        found = follow(syntax, self._table.names.get(syntax.type, _TYPE))
        return "" if found is None else _bare(self.text_of(found))

    def owner_of(self, syntax: SyntaxNode, given: Sequence[SyntaxNode]) -> str:
        """Return the type a method names itself by, such as Go's receiver; "" if none."""
        if given:
            return ".".join(filter(None, (_bare(self.text_of(one)) for one in given)))
        if syntax.type not in self._table.owners:
            return ""
        found = follow(syntax, self._table.owners[syntax.type])
        return "" if found is None else _bare(self.text_of(found))

    def body_of(self, syntax: SyntaxNode) -> SyntaxNode | None:
        """Return what follows the header of a declaration; None if nothing does."""
        return follow(syntax, self._table.bodies.get(syntax.type, _BODY))

    def signature_of(self, *, start: int, end_byte: int, is_in_full: bool) -> str:
        """Return the declaration on one line, without its body; its first line if not in full."""
        end = self._offsets.at(end_byte)
        raw = self._text[start : min(end, start + 2 * _LONGEST_SIGNATURE)]
        if not is_in_full:
            raw = raw.partition("\n")[0]
        line = " ".join(raw.split())[:_LONGEST_SIGNATURE].rstrip(_SIGNATURE_END)
        while line.endswith("=>"):
            line = line[:-2].rstrip(_SIGNATURE_END)
        if self._table.signature_end is not None:
            line = self._table.signature_end.sub("", line)
        return line.rstrip(" ;")

    def parameters_of(self, syntax: SyntaxNode) -> tuple[str, ...]:
        """Return the names of the parameters, those of a destructured one each on its own."""
        found = follow(syntax, self._table.parameters.get(syntax.type, _PARAMETERS))
        if found is None:
            return ()
        return self.named_parameters(
            [found] if found.type == "identifier" else found.named_children
        )

    def named_parameters(self, nodes: Sequence[SyntaxNode]) -> tuple[str, ...]:
        """Return the names of parameters, without that of the object itself."""
        names: list[str] = []
        for node in nodes[:_MOST_PARAMETERS]:
            if node.type == "identifier":
                names.append(self.text_of(node))
            else:
                names.extend(self._parameter(node))
        return tuple(name for name in names if name not in self._table.receivers)

    def modifiers_of(
        self, symbol: Symbol, parent: Symbol | None, decorators: Iterable[str]
    ) -> Mapping[str, MetaValue]:
        """Return what the words before the name say: modifiers, visibility, async, generator."""
        table, signature = self._table, symbol.signature
        facts: dict[str, MetaValue] = {}
        words = _words_before(symbol.name, signature)
        modifiers = [one for one in (*words, *decorators) if one in table.modifiers]
        if modifiers:
            facts["modifiers"] = tuple(dict.fromkeys(modifiers))
        visibility = self._visibility_of(words) or symbol.section
        if not visibility and parent is not None and is_open(symbol, parent):
            around = _words_before(parent.name, parent.signature)
            is_enum = parent.type == "enum"
            visibility = self._visibility_of(around) if is_enum else PUBLIC
        if not visibility and table.private_name is not None:
            is_private = table.private_name.search(symbol.name) is not None
            visibility = table.private_visibility if is_private else ""
        visibility = visibility or table.default_visibility
        if table.default_visibility and visibility:
            facts["visibility"] = visibility
        if symbol.type not in CALLABLE:
            return facts
        if table.async_signature is not None and table.async_signature.search(signature):
            facts["async"] = True
        if table.generator_signature is not None and table.generator_signature.search(signature):
            facts["generator"] = True
        return facts

    def _visibility_of(self, words: Iterable[str]) -> str:
        known = self._table.visibility
        for one in words if known else ():
            if one in known:
                return known[one]
        return ""

    def inner_doc(self, found: Sequence[SyntaxNode]) -> str:
        """Return what strings or comments inside a symbol, in order, say of it."""
        if found and found[0].type.endswith("comment"):
            return self.comment(map(self.span_of, found))
        return self._docstring(found[0]) if found else ""

    def _docstring(self, syntax: SyntaxNode) -> str:
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
        if syntax.type.endswith("comment") or syntax.type in self._table.not_parameters:
            return
        if syntax.type == "self_parameter":
            yield "self"
            return
        if syntax.type in self._table.parameter_names:
            found = follow(syntax, self._table.parameter_names[syntax.type])
            identifier = None if found is None else _IDENTIFIER.search(self.text_of(found))
            if identifier is not None:
                yield identifier[0]
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


def _words_before(name: str, signature: str) -> list[str]:
    """Return the words of a declaration up to its name."""
    words = signature.split(None, _MOST_MODIFIERS)[:_MOST_MODIFIERS]
    for number, word in enumerate(words):
        if word.startswith(name) and not word[len(name) : len(name) + 1].isalnum():
            return words[:number]
    return words


def _bare(raw: str) -> str:
    """Return a type's own name: `(s *Server[T])` -> Server, `&'a fmt::Wrapper<T>` -> Wrapper."""
    head = re.split(r"[<\[]", raw.strip("()"))[0]
    names = _CHAIN.findall(head) or _CHAIN.findall(raw)
    return names[-1] if names else ""


def _unquoted(raw: str) -> str:
    """Return a name without the quotes around it; the prime of modify' is none."""
    is_quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'`"
    return raw[1:-1] if is_quoted else raw


def _dotted(raw: str) -> str:
    r"""Return a name with dots between its parts: a::B and a\B are a.B; an operator stays."""
    if not re.search(r"\w", raw):
        return raw
    return raw.replace("::", ".").replace("\\", ".").strip(".").lstrip(":")


def _comment_lines(comment: str) -> Iterator[str]:
    for line in _COMMENT_END.sub("", comment).splitlines():
        if line.startswith("#!/"):
            continue
        mark = _COMMENT_MARK.match(line)
        text = line[mark.end() :].rstrip() if mark is not None else line
        text = re.sub(r"</?(?:summary|para|remarks|returns|c|see)\b[^>]*>", "", text)
        # A tag such as @param ends what the paragraph before it has to say.
        if text.startswith(
            (
                "@param",
                "@return",
                "@throws",
                "@see",
                "@template",
                "- Parameter",
                "- Returns",
                "- Throws",
            )
        ):
            yield ""
        elif not text or not _COMMENT_NOISE.match(text):
            yield text
