"""An answer's data, or a context -> what an agent is sent: data and text, within a budget.

A token is estimated as four characters of text and data together, rounded up; the budget
is never exceeded. Facets and suggestions go first, then whole hits, from the end, then the last
one's snippet is cut.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivium.analysis.graphemes import boundary
from trivium.doors.answers import Data
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.results.context import Context

CHARACTERS_PER_TOKEN = 4
_LINE_CHARACTERS = 160
# The text of a piece is sent once, as text.
_PIECE = ("path", "startLine", "endLine", "id", "isCut")


@dataclass(frozen=True, slots=True)
class Reply:
    """The two forms of one result; a host shows its model the one or the other."""

    data: Data
    text: str


def tokens(reply: Reply) -> int:
    """Estimate what a reply costs its reader."""
    written = json.dumps(reply.data, ensure_ascii=False, separators=(",", ":"))
    return math.ceil((len(written) + len(reply.text)) / CHARACTERS_PER_TOKEN)


def fit(data: Data, *, max_tokens: int | None) -> Reply:
    """Return the largest reply that keeps the budget; None is no budget.

    Raises UsageError if not even an answer without hits fits.
    """
    whole = _reply(data)
    if max_tokens is None or tokens(whole) <= max_tokens:
        return whole
    # Whoever has little room wants hits, not what else to ask for.
    fewer: Data = {"facets": {}, "suggestions": []}
    data = {**data, **{key: fewer[key] for key in fewer if key in data}}
    plain = _reply(data)
    if tokens(plain) <= max_tokens:
        return plain
    hits = _hits(data)
    for kept in range(len(hits) - 1, 0, -1):
        reply = _truncated(data, hits[:kept])
        if tokens(reply) <= max_tokens:
            return reply
    shortened = _with_cut_snippet(data, max_tokens=max_tokens) if hits else None
    if shortened is not None:
        return shortened
    empty = _truncated(data, [])
    if tokens(empty) > max_tokens:
        raise UsageError(
            f"maxTokens is {max_tokens}; this answer takes {tokens(empty)} without any hits."
        )
    return empty


def fit_context(pack: Callable[[int], Context], *, max_tokens: int) -> Reply:
    """Return as much packed text as keeps the budget with its data, which names places alone.

    `pack` fits the text itself into a number of tokens. Raises UsageError if the data alone
    takes more.
    """
    room = max_tokens
    while True:
        packed = pack(room)
        reply = _context_reply(packed, max_tokens)
        excess = tokens(reply) - max_tokens
        if excess <= 0:
            return reply
        if room == 1:
            raise UsageError(
                f"maxTokens is {max_tokens}; this answer takes {tokens(reply)} without any text."
            )
        # Room that nothing takes is not to be given up bit by bit: every packing is a search.
        room = max(1, min(room - excess, packed.tokens - 1))


def _context_reply(context: Context, max_tokens: int) -> Reply:
    from trivium.results.present_context import context_data, context_footer, context_text

    data = context_data(context)
    pieces = data["pieces"]
    listed = pieces if isinstance(pieces, list) else []
    data["pieces"] = [{key: piece[key] for key in _PIECE} for piece in listed]
    data["maxTokens"] = max_tokens
    text = "\n\n".join(filter(None, (context_text(context), "\n".join(context_footer(context)))))
    return Reply(data, text)


def _with_cut_snippet(data: Data, *, max_tokens: int) -> Reply | None:
    """Return the first hit alone with as much of its snippet as fits, if that is any."""
    first = _hits(data)[0]
    fitting: Reply | None = None
    low, high = 0, len(str(first["snippet"])) - 1
    while low <= high:
        length = (low + high) // 2
        reply = _truncated(data, [_cut(first, length)])
        if tokens(reply) <= max_tokens:
            fitting, low = reply, length + 1
        else:
            high = length - 1
    return fitting


def _cut(hit: Mapping[str, object], length: int) -> Data:
    marks = hit["highlights"]
    snippet = str(hit["snippet"])
    end = boundary(snippet, length)
    kept = [mark for mark in marks if mark[1] <= end] if isinstance(marks, list) else []
    return {**hit, "snippet": snippet[:end], "highlights": kept}


def _truncated(data: Data, hits: list[Data]) -> Reply:
    found = len(_hits(data))
    what = f"{len(hits)} of {found} hits" if len(hits) < found else "the snippet is cut"
    notes = data["notes"]
    said = [*notes] if isinstance(notes, list) else []
    said.append(f"Truncated to maxTokens: {what}.")
    cut: Data = {**data, "results": hits, "notes": said}
    # The next page begins after all hits of this one; what is left out here would be skipped.
    return _reply({**cut, "next": None} if len(hits) < found else cut)


def _hits(data: Mapping[str, object]) -> list[Data]:
    results = data["results"]
    return results if isinstance(results, list) else []


def _reply(data: Data) -> Reply:
    hits = _hits(data)
    lines = [f"{len(hits)} of {data['total']} results by {data['method']}."]
    for number, hit in enumerate(hits, start=1):
        lines.append(f"{number}. {_place(hit)}  {hit['id']}{_likely(hit)}")
        line = _best_line(hit)
        if line:
            lines.append(f"   {line}")
    degraded, notes = data["degraded"], data["notes"]
    lines += (
        [f"{one['stage']}: {one['reason']}" for one in degraded]
        if isinstance(degraded, list)
        else []
    )
    if data.get("didYouMean"):
        lines.append(f"Did you mean: {data['didYouMean']}")
    lines += [str(note) for note in notes] if isinstance(notes, list) else []
    if data.get("next"):
        lines.append(f"Next page: cursor {data['next']}")
    return Reply(data, "\n".join(lines))


def _likely(hit: Mapping[str, object]) -> str:
    """Return the confidence of a hit in percent, and whether it is weak."""
    given = hit.get("confidence")
    if not isinstance(given, float):
        return ""
    return f"  {given:.0%}, weak" if hit.get("weak") else f"  {given:.0%}"


def _place(hit: Mapping[str, object]) -> str:
    source = hit["source"]
    path = source["filePath"] if isinstance(source, dict) else ""
    return f"{path}:{hit['snippetLine']}"


def _best_line(hit: Mapping[str, object]) -> str:
    """Return the first line of the snippet that has a word that was asked for."""
    snippet, marks = str(hit["snippet"]), hit["highlights"]
    at = int(marks[0][0]) if isinstance(marks, list) and marks else 0
    start = snippet.rfind("\n", 0, at) + 1
    line = snippet[start:].partition("\n")[0].strip()
    return line[: boundary(line, _LINE_CHARACTERS)]
