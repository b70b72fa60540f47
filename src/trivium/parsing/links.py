"""Link targets and the prose around them -> what is found there, with the sentence it stands in.

Knows nothing of any one markup; inline.py, rst.py and asciidoc.py do. Links that leave the
folder are found by nobody.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from urllib.parse import unquote

from trivium.parsing.references import NOWHERE, Found
from trivium.types import EdgeType, Span

_LONGEST_TARGET = 2000

# `app.py:12` names a line, not a scheme.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d+\Z)|//|\\\\")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Written as escapes: the full-width marks look like the ones of ASCII. A small letter after the
# space is the middle of a sentence, as in "e.g. this".
_SENTENCE_END = re.compile("[.!?][\"')\\]*_]*\\s+(?=[^\\sa-z])|[\u3002\uff01\uff1f]")


def local(target: str) -> tuple[str, str] | None:
    """Split a link's target into its file and its anchor; None if it leaves the folder.

    An empty file is the document itself. Per cent signs are decoded, a query is cut off.
    """
    target = target.strip()
    if not target or len(target) > _LONGEST_TARGET or _SCHEME.match(target):
        return None
    file, _, anchor = target.partition("#")
    path = unquote(file.partition("?")[0])
    name = unquote(anchor)
    if not (path or name) or _CONTROL.search(path + name):
        return None
    return path, name


def link(target: str, *, at: int, of: str = "link", around: Span = NOWHERE) -> Found | None:
    """Return what a link names; None if it leads nowhere inside."""
    place = local(target)
    if place is None:
        return None
    path, name = place
    return Found(at, EdgeType.REFERENCES, name, path=path, of=of, around=around)


class Sentences:
    """Where the sentences of one run of prose begin and end."""

    def __init__(self, prose: str, *, offset: int) -> None:
        self._offset = offset
        self._length = len(prose)
        self._ends = [match.end() for match in _SENTENCE_END.finditer(prose)]

    def around(self, start: int, end: int) -> Span:
        """Return the sentence that holds start to end; marks inside of these do not end it."""
        before = bisect_right(self._ends, start)
        after = bisect_left(self._ends, end)
        first = self._ends[before - 1] if before else 0
        last = self._ends[after] if after < len(self._ends) else self._length
        return Span(self._offset + first, self._offset + last)


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text of the same length with spaces in place of the spans, which may overlap."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            pieces.append(text[at:start])
            pieces.append(" " * (end - max(start, at)))
            at = end
    pieces.append(text[at:])
    return "".join(pieces)
