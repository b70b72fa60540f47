"""A code block in a document -> the language it is in and the names it defines.

Cheap on purpose: a block in prose is often a fragment that no grammar reads. Called by
assemble() for every block of a document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trivium.parsing.detect import UNKNOWN, detect
from trivium.types import Kind, Span

_MOST_SYMBOLS = 100
_LONGEST_SYMBOL = 200
_LONGEST_CODE = 20_000
_LONGEST_TAG = 40

# What people write that is neither the name of a language nor one of its extensions.
_ALIASES = {
    "console": "shell",
    "csharp": "c#",
    "elisp": "emacs lisp",
    "fsharp": "f#",
    "golang": "go",
    "ipython": "python",
    "ipython3": "python",
    "none": "text",
    "objc": "objective-c",
    "objectivec": "objective-c",
    "plain": "text",
    "plaintext": "text",
    "protobuf": "protocol buffers",
    "py3": "python",
    "pycon": "python",
    "shell-session": "shell",
    "terminal": "shell",
    "viml": "vim script",
}
_DEFINE_NOTHING = frozenset(
    {"asciidoc", "css", "csv", "diff", "html", "ini", "json", "jsonl", "log", "markdown"}
    | {"mermaid", "output", "restructuredtext", "text", "toml", "xml", "yaml"}
)

# ```python title=x, ```{.python .wide}, ```{python}, ```js{1,3}, ```rust,no_run
_TAG = re.compile(r"[{.\s]*([A-Za-z][\w+#-]*)")
_DIRECTIVE = re.compile(r"\{(?:code|code-block|code-cell|sourcecode)\}\s*([A-Za-z][\w+#-]*)?")

_NAME = r"([^\W\d][\w$]*)"
_PROMPT = r"^[ \t>]*(?:>>>[ \t]|\.\.\.[ \t])?"
_SYMBOL = re.compile(
    rf"""{_PROMPT}
    (?:(?:export|default|pub(?:\([a-z ]{{1,20}}\))?|public|private|protected|internal|static|final
      |abstract|async|unsafe|extern|inline|open|override|sealed|data|declare|partial|local)
      [ \t]+){{0,5}}
    (?:
      (?:def|defp|defmodule|defmacro|class|interface|struct|enum|trait|type|union|record|object
        |protocol|module|namespace|mod|fn|fun|function\*?|sub|proc|const|let|var|val
        |macro_rules!)
      [ \t]+(?:self\.|mut[ \t]+|class[ \t]+)?
      |func[ \t]+(?:\([^()\n]{{0,80}}\)[ \t]*)?
    ){_NAME}""",
    re.MULTILINE | re.VERBOSE,
)
_MORE = {
    "python": re.compile(rf"^(?:>>>[ \t])?{_NAME}[ \t]*(?::[^=\n]{{1,60}})?=(?!=)", re.MULTILINE),
    "shell": re.compile(rf"^[ \t]*{_NAME}[ \t]*\(\)[ \t]*\{{", re.MULTILINE),
    "sql": re.compile(
        r"^[ \t]*create[ \t]+(?:(?:or|replace|temp|temporary|unique|materialized)[ \t]+){0,3}"
        r"(?:table|view|function|procedure|index|type|trigger)[ \t]+"
        rf"(?:if[ \t]+not[ \t]+exists[ \t]+)?[\"`\[]?(?:\w{{1,60}}\.)?{_NAME}",
        re.MULTILINE | re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True)
class Block:
    """A code block: all of it, the code in it, and the language as it is written there."""

    span: Span
    code: Span
    tag: str


def language_of(tag: str) -> str:
    """Return the usual name of a language: "python" for py; what is not known stays as it is."""
    found = _DIRECTIVE.match(tag) or _TAG.match(tag)
    name = ((found[1] if found else "") or "").lower()[:_LONGEST_TAG]
    if not name or name in _ALIASES:
        return _ALIASES.get(name, "")
    by_extension = detect(f"x.{name}", "")
    if by_extension is not UNKNOWN:
        return by_extension.language
    for by_name in (detect(name, ""), detect("x", f"#!{name}")):
        if by_name is not UNKNOWN and by_name.kind is not Kind.DOC:
            return by_name.language
    return name


def symbols_in(code: str, *, language: str) -> tuple[str, ...]:
    """Return the names a block defines, in order; none in what is known to define nothing."""
    if language in _DEFINE_NOTHING:
        return ()
    head = code[:_LONGEST_CODE]
    found = {match.start(): match[1] for match in _SYMBOL.finditer(head)}
    if more := _MORE.get(language):
        found |= {match.start(): match[1] for match in more.finditer(head)}
    names = dict.fromkeys(found[start] for start in sorted(found))
    return tuple(name for name in names if len(name) <= _LONGEST_SYMBOL)[:_MOST_SYMBOLS]
