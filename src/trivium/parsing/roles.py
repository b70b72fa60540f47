"""A run of reStructuredText prose -> its links and the names of code in it.

Reads roles such as :func:`~a.b` and :doc:`guide`, hyperlinks and literals, in time linear in
the length of the run. Called by rst().
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trivium.parsing.links import Sentences, blanked, link
from trivium.parsing.mentions import exact, in_code, in_text
from trivium.parsing.references import Found
from trivium.types import EdgeType, Span

_LITERAL = re.compile(r"``((?:[^`]|`(?!`))++)``")
_MARKED = re.compile(r"(?::([A-Za-z][\w+.:-]{0,40}):)?`([^`]{1,500})`(_{0,2})")
_WORD_LINK = re.compile(r"(?<![\w.+`:-])\w[\w.+-]*+")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>`]++")
_SUBSTITUTION = re.compile(r"\|[^|\s][^|\n]{0,80}\|")
_MARKUP = re.compile(r"[`*|_\\]")
_TITLED = re.compile(r"([^<]*+)<([^<>]++)>\s*+")
# Roles whose text names code; those of other domains carry a prefix, as in :py:func:.
_OF_CODE = frozenset(
    {"any", "attr", "class", "cls", "const", "data", "deco", "enum", "exc", "func", "macro"}
    | {"member", "meth", "mod", "obj", "struct", "type", "var"}
)
_OF_LABELS = frozenset({"ref", "numref"})
_OF_FILES = frozenset({"doc", "download", "file"})


@dataclass(frozen=True, slots=True)
class Places:
    """What the names in links lead to: `targets` as written, and the headings of this document.

    An empty target is a label that stands in this document.
    """

    targets: Mapping[str, str]
    headings: Mapping[str, str]


def folded(name: str) -> str:
    """Return a link's name as it is compared: in lower case, with single spaces."""
    return " ".join(name.replace("\\", "").lower().split())


def without_roles(text: str) -> str:
    """Return the words of inline markup: links as their text, roles as what they name."""
    if not _MARKUP.search(text):
        return text.strip()
    text = _LITERAL.sub(r"\1", text)
    text = _MARKED.sub(_shown, text)
    text = re.sub(r"(?<![\w*])(\*{1,2})(?=\S)(.+?)(?<=\S)\1(?![\w*])", r"\2", text, flags=re.DOTALL)
    text = re.sub(r"\|([^|\s][^|\n]{0,80})\|_{0,2}", r"\1", text)
    text = re.sub(r"(?<=[A-Za-z0-9])_{1,2}(?=[\s.,;:!?)]|$)", "", text)
    return re.sub(r"\\(.)", r"\1", text).strip()


def _shown(match: re.Match[str]) -> str:
    titled = _TITLED.fullmatch(match[2])
    if titled is not None and titled[1].strip():
        return titled[1].strip()
    target = titled[2] if titled is not None else match[2]
    return target.rpartition(".")[2] if target.startswith("~") else target.lstrip("!")


def read(text: str, span: Span, places: Places) -> Iterator[Found]:
    """Yield what one run of prose names: its links and roles, then its names of code."""
    raw = text[span.start : span.end]
    codes = [(match.start(1), match[1], match.span()) for match in _LITERAL.finditer(raw)]
    prose = blanked(raw, [covered for _, _, covered in codes])
    if "`" in prose or "_" in prose:
        sentences = Sentences(prose, offset=span.start)
        marked = [*_MARKED.finditer(prose)]
        for match in marked:
            around = sentences.around(*match.span())
            yield from _marked(match, span.start + match.start(), around, places)
        prose = blanked(prose, [match.span() for match in marked])
        words = [match for match in _WORD_LINK.finditer(prose) if match[0].endswith("_")]
        for match in words:
            around = sentences.around(*match.span())
            name = match[0].rstrip("_")
            yield from _named(name, span.start + match.start(), around, places)
        prose = blanked(prose, [match.span() for match in words])
    hidden = [match.span() for match in _SUBSTITUTION.finditer(prose)] if "|" in prose else []
    if "://" in prose:
        hidden += [match.span() for match in _ADDRESS.finditer(prose)]
    yield from in_text(blanked(prose, hidden), offset=span.start)
    for start, code, _ in codes:
        yield from in_code(code, offset=span.start + start)


def _marked(match: re.Match[str], at: int, around: Span, places: Places) -> Iterator[Found]:
    role = (match[1] or "").rpartition(":")[2].lower()
    titled = _TITLED.fullmatch(match[2])
    target = titled[2].strip() if titled is not None else match[2].strip()
    if role in _OF_CODE:
        yield from exact(target, at=at)
    elif role in _OF_FILES:
        found = link(target, at=at, of="doc" if role == "doc" else "link", around=around)
        if found is not None and role != "file":
            yield found
    elif role in _OF_LABELS:
        yield from _label(target, at, around, places)
    elif role:
        return
    elif match[3] and titled is not None:
        found = None if target.endswith("_") else link(target, at=at, around=around)
        if found is not None:
            yield found
        else:
            yield from _named(target.rstrip("_"), at, around, places)
    elif match[3]:
        yield from _named(target, at, around, places)
    else:
        yield from in_code(match[2], offset=at)


def _label(label: str, at: int, around: Span, places: Places) -> Iterator[Found]:
    """Yield a label: of this document as its anchor, of another as if it were a file's name."""
    name = folded(label)
    if name in places.targets or name in places.headings:
        yield from _named(name, at, around, places)
    elif name:
        yield Found(at, EdgeType.REFERENCES, "", path=name, of="ref", around=around)


def _named(name: str, at: int, around: Span, places: Places) -> Iterator[Found]:
    """Yield what a link by name leads to, through the other names it may stand for."""
    key = folded(name)
    for _ in range(4):
        target = places.targets.get(key)
        if target is None or not target.endswith("_"):
            break
        key = folded(target.strip("`_"))
    if target and not target.endswith("_"):
        found = link(target, at=at, around=around)
        if found is not None:
            yield found
    elif target == "":
        yield Found(at, EdgeType.REFERENCES, key, of="link", around=around)
    elif key in places.headings:
        yield Found(at, EdgeType.REFERENCES, places.headings[key], of="link", around=around)
