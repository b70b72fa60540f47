"""A run of AsciiDoc prose -> its links and the names of code in it.

Reads xref:, link: and <<...>>, in time linear in the length of the run. Called by asciidoc().
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from trivium.parsing.inline import code_spans
from trivium.parsing.links import Sentences, blanked, link
from trivium.parsing.mentions import in_code, in_text
from trivium.parsing.references import Found
from trivium.types import Span

_CROSS = re.compile(
    r"(?<![\w:])(?:xref|link):([^\s\[\]]{1,500})\[|<<([^<>,\n]{1,300})(?:,[^<>]{0,300})?>>"
)
_FILE = re.compile(r".*\.[A-Za-z]\w{0,7}", re.DOTALL)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\[\]]++")
_HAS_MARKUP = re.compile(r"[<\[`*_#]")
_MARKUP = (
    (re.compile(r"<<[^<>,]*,([^<>]*)>>"), r"\1"),
    (re.compile(r"<<([^<>]*)>>"), r"\1"),
    (re.compile(r"(?:link|xref|mailto):[^\s\[\]]*\[([^\[\]]*)\]"), r"\1"),
    (re.compile(r"[a-z]{2,10}://[^\s\[\]]*\[([^\[\]]*)\]"), r"\1"),
    (re.compile(r"\[\[[^\[\]]*\]\]|footnote:\w*\[[^\[\]]*\]"), ""),
    (re.compile(r"(?<!\w)(`{1,2})(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(?<!\w)(\*{1,2}|_{1,2}|#{1,2})(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
)


def without_markup(text: str) -> str:
    """Return the words of inline AsciiDoc: links as their text, no emphasis."""
    if _HAS_MARKUP.search(text):
        for pattern, replacement in _MARKUP:
            text = pattern.sub(replacement, text)
    return text.strip()


def read(text: str, span: Span, anchors: AbstractSet[str]) -> Iterator[Found]:
    """Yield what one run of prose names: its links, then its names of code.

    `anchors` are the ids that the text itself gives to places.
    """
    raw = text[span.start : span.end]
    codes = code_spans(raw)
    prose = blanked(raw, [(start, end) for start, end, _ in codes])
    hidden: list[tuple[int, int]] = []
    if "<<" in prose or ":" in prose:
        links = [*_CROSS.finditer(prose)]
        sentences = Sentences(prose if links else "", offset=span.start)
        for match in links:
            around = sentences.around(*match.span())
            found = _link(match, span.start + match.start(), around, anchors)
            hidden.append(match.span())
            if found is not None:
                yield found
        hidden += [match.span() for match in _ADDRESS.finditer(prose)]
    yield from in_text(blanked(prose, hidden), offset=span.start)
    for start, end, ticks in codes:
        code = raw[start + ticks : end - ticks]
        yield from in_code(code, offset=span.start + start + ticks)


def _link(match: re.Match[str], at: int, around: Span, anchors: AbstractSet[str]) -> Found | None:
    """Return what a cross reference names: an id alone is a place in the same document."""
    target = (match[1] or match[2]).strip()
    is_cross = not match[0].startswith("link:")
    if is_cross and "#" not in target and not _FILE.fullmatch(target):
        target = "#" + target
    found = link(target, at=at, around=around)
    if found is None or found.name in anchors or not found.name.startswith("_"):
        return found
    # An id that nobody gave is made of the heading: _install_from_source.
    return replace(found, name=found.name.strip("_").replace("_", " "))
