"""What a document names, by position -> the references of its sections.

Each thing once per section, in order, and not without end: a page of nothing but links is
someone's data. Called by assemble() with what links.py and mentions.py have found.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trivium.types import EdgeType, NodeId, Reference, Span, lines_of

NOWHERE = Span(0, 0)
_MOST = {EdgeType.MENTIONS: 200, EdgeType.REFERENCES: 1000}
_LONGEST = 500
_LONGEST_CONTEXT = 600

# What stands before the first word of a line: quotes, list marks, boxes to tick, heading marks.
_LEAD = re.compile(r"(?:\s|>|[-*+•|]\s|\d{1,9}[.)]\s|\[[ xX]\]\s|[#=]{1,6}\s|\.{1,5}\s)*+")
_QUOTE_MARKS = re.compile(r"\n[ \t]*+>[> \t]*+")


@dataclass(frozen=True, slots=True)
class Found:
    """A reference that does not know its section yet: `at` is where it stands.

    `around` is the sentence it stands in; an empty one gives no context.
    """

    at: int
    type: EdgeType
    name: str
    path: str = ""
    alias: str = ""
    of: str = ""
    around: Span = NOWHERE


def references(
    text: str, found: Iterable[Found], *, sources: Sequence[NodeId], starts: Sequence[int]
) -> tuple[Reference, ...]:
    """Give each thing found to the section it stands in.

    The second of `sources` starts at the first of `starts`; what is before belongs to the first.
    """
    counts: Counter[tuple[NodeId, EdgeType]] = Counter()
    kept: dict[tuple[NodeId, EdgeType, str, str, str, str], Found] = {}
    for one in sorted(found, key=lambda one: one.at):
        source = sources[bisect_right(starts, one.at)]
        key = (source, one.type, one.path, one.name, one.alias, one.of)
        is_short = max(len(one.name), len(one.path), len(one.alias)) <= _LONGEST
        if is_short and key not in kept and counts[source, one.type] < _MOST[one.type]:
            counts[source, one.type] += 1
            kept[key] = one
    lines = lines_of(text, [Span(one.at, one.at + 1) for one in kept.values()])
    return tuple(
        Reference(
            source=key[0],
            type=one.type,
            name=one.name,
            path=one.path,
            alias=one.alias,
            of=one.of,
            line=line,
            context=_context(text, one),
        )
        for (key, one), (line, _) in zip(kept.items(), lines, strict=True)
    )


def resolved(found: Iterable[Found], anchors: Mapping[str, str]) -> Iterator[Found]:
    """Let links to a place in the same document name the heading there, where it is known."""
    for one in found:
        is_here = one.type is EdgeType.REFERENCES and not one.path
        heading = anchors.get(one.name) if is_here else None
        yield one if heading is None else replace(one, name=heading)


def _context(text: str, found: Found) -> str:
    """Return the sentence on one line; of a very long one what is near."""
    start = max(found.around.start, found.at - _LONGEST_CONTEXT // 2)
    end = min(found.around.end, found.at + _LONGEST_CONTEXT)
    raw = _QUOTE_MARKS.sub("\n", text[start:end])
    lead = _LEAD.match(raw)
    words = raw[lead.end() if lead else 0 :].split()
    # The window may have cut through the words at its ends.
    first = 1 if start > found.around.start and len(words) > 1 else 0
    last = len(words) - 1 if end < found.around.end and len(words) > 1 else len(words)
    return " ".join(words[first:last])
