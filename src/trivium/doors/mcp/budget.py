"""An answer's data, or a context -> what an agent is sent: data and text, within a budget.

A token is estimated as four characters of text and data together, rounded up; the budget
is never exceeded. Facets and suggestions go first, then whole hits, from the end, then the last
one's snippet is cut; a cursor leads to the rest. Nothing is looked up here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivium.analysis.graphemes import boundary
from trivium.doors.answers import Data
from trivium.doors.failures import without_commands
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.results.context import Context

CHARACTERS_PER_TOKEN = 4
_LINE_CHARACTERS = 160
# As long as every cursor is, so that one can take its place.
_SOME_CURSOR = "." * 40
_NOTHING_MORE: Mapping[str, str] = {}
# The text of a piece is sent once, as text.
_PIECE = ("path", "startLine", "endLine", "id", "isCut")


def _no_cursor(after: int) -> None:
    del after


@dataclass(frozen=True, slots=True)
class Reply:
    """The two forms of one result; a host shows its model the one or the other."""

    data: Data
    text: str


def tokens(reply: Reply) -> int:
    """Estimate what a reply costs its reader."""
    written = json.dumps(reply.data, ensure_ascii=False, separators=(",", ":"))
    return math.ceil((len(written) + len(reply.text)) / CHARACTERS_PER_TOKEN)


def fit(
    data: Data,
    *,
    max_tokens: int | None,
    next_after: Callable[[int], str | None] = _no_cursor,
    more: Mapping[str, str] = _NOTHING_MORE,
) -> Reply:
    """Return the largest reply that keeps the budget; None is no budget.

    `next_after` gives the cursor of what comes after so many hits, `more` a line of text for
    hits by their ids. Raises UsageError if not even one hit without its snippet fits.
    """
    whole = _reply(data, more)
    if max_tokens is None or tokens(whole) <= max_tokens:
        return whole
    # Whoever has little room wants hits, not what else to ask for.
    fewer: Data = {"facets": {}, "suggestions": []}
    data = {**data, **{key: fewer[key] for key in fewer if key in data}}
    # That nothing has a word of the query is worth its room; how many have one is not.
    if data.get("matching") != 0:
        data.pop("matching", None)
    plain = _reply(data, more)
    if tokens(plain) <= max_tokens:
        return plain
    # A hit without the places of its other passages is still a hit.
    hits = [{**hit, "passages": []} if hit.get("passages") else hit for hit in _hits(data)]
    data = {**data, "results": hits}
    bare = _reply(data, more)
    if tokens(bare) <= max_tokens:
        return bare
    cut = _fewer_hits(data, more, max_tokens=max_tokens)
    shown, found = len(_hits(cut.data)), len(_hits(data))
    if shown == found or not shown:
        return cut
    return _reply({**cut.data, "next": next_after(shown)}, more)


def _fewer_hits(data: Data, more: Mapping[str, str], *, max_tokens: int) -> Reply:
    """Return the most hits that fit, or the first with its snippet cut. Raises UsageError."""
    hits = _hits(data)
    for kept in range(len(hits) - 1, 0, -1):
        reply = _truncated(data, hits[:kept], more)
        if tokens(reply) <= max_tokens:
            return reply
    shortened = _with_cut_snippet(data, more, max_tokens=max_tokens) if hits else None
    if shortened is not None:
        return shortened
    # An answer that hides all it found would read as one that found nothing.
    least = _truncated(data, [_cut(hit, 0) for hit in hits[:1]], more)
    what = "with one hit" if hits else "without any hits"
    raise UsageError(
        f"maxTokens is {max_tokens}; this answer takes {tokens(least)} {what}. Give more."
    )


def fit_text(data: Data, text: str, *, head: str, max_tokens: int | None, start: int) -> Reply:
    """Return a node's data with as much of its text, from `start` on, as the budget allows.

    What links it, and its sections and chunks, are left out first. The `next` of what is cut is
    where it goes on. Raises UsageError if not one character fits.
    """
    whole = _text_reply(data, text, head, start=start, end=len(text))
    if max_tokens is None or tokens(whole) <= max_tokens:
        return whole
    fewer: Data = {"edges": [], "sections": [], "chunks": []}
    data = {**data, **fewer}
    low, high = start, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(_text_reply(data, text, head, start=start, end=middle)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    end = start + boundary(text[start : low + 1], low - start) if low < len(text) else low
    reply = _text_reply(data, text, head, start=start, end=end)
    if tokens(reply) > max_tokens or (end == start < len(text)):
        raise UsageError(
            f"maxTokens is {max_tokens}; this takes more than {tokens(reply)} for any text."
        )
    return reply


def _text_reply(data: Data, text: str, head: str, *, start: int, end: int) -> Reply:
    shown, is_cut = text[start:end], end < len(text)
    notes = []
    if is_cut or start:
        notes.append(f"Characters {start:,} to {end:,} of {len(text):,}.")
    if is_cut:
        notes.append(f"Truncated to maxTokens; for the rest give cursor {end}.")
    sent: Data = {**data, "text": shown, "notes": notes, "next": str(end) if is_cut else None}
    return Reply(sent, "\n\n".join((head, shown, *notes)))


def fit_context(pack: Callable[[int], Context], *, max_tokens: int) -> Reply:
    """Return as much packed text as keeps the budget with its data, which names places alone.

    `pack` fits the text itself into a number of tokens. Raises UsageError if the data alone
    takes more.
    """
    room = max_tokens
    while True:
        packed = pack(room)
        reply = _context_reply(packed, max_tokens)
        bare = tokens(_context_reply(replace(packed, pieces=()), max_tokens))
        excess = tokens(reply) - max_tokens
        if excess <= 0 and (packed.pieces or not packed.left_out):
            return reply
        if not packed.pieces or bare >= max_tokens:
            raise UsageError(
                f"maxTokens is {max_tokens}; this answer takes {bare} without any text, and no "
                "piece of text fits beside that. Give more."
            )
        # Fewer pieces take less data, too. Not bit by bit: every packing is a search.
        share = (max_tokens - bare) / (tokens(reply) - bare)
        room = max(1, min(int(packed.tokens * share), packed.tokens - 1))


def _context_reply(context: Context, max_tokens: int) -> Reply:
    from trivium.results.present_context import context_data, context_footer, context_text

    data = context_data(context)
    pieces = data["pieces"]
    listed = pieces if isinstance(pieces, list) else []
    data["pieces"] = [{key: piece[key] for key in _PIECE} for piece in listed]
    data["maxTokens"] = max_tokens
    text = "\n\n".join(
        filter(
            None, (context_text(context), "\n".join(map(without_commands, context_footer(context))))
        )
    )
    return Reply(data, text)


def _with_cut_snippet(data: Data, more: Mapping[str, str], *, max_tokens: int) -> Reply | None:
    """Return the first hit alone with as much of its snippet as fits, if that is any."""
    first = _hits(data)[0]
    fitting: Reply | None = None
    low, high = 0, len(str(first["snippet"])) - 1
    while low <= high:
        length = (low + high) // 2
        reply = _truncated(data, [_cut(first, length)], more)
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


def _truncated(data: Data, hits: list[Data], more: Mapping[str, str]) -> Reply:
    found = len(_hits(data))
    what = f"{len(hits)} of {found} hits" if len(hits) < found else "the snippet is cut"
    notes = data["notes"]
    said = [*notes] if isinstance(notes, list) else []
    said.append(f"Truncated to maxTokens: {what}.")
    cut: Data = {**data, "results": hits, "notes": said}
    # The next page begins after all hits of this one; what is left out here would be skipped.
    following = None if not hits else _SOME_CURSOR
    return _reply({**cut, "next": following} if len(hits) < found else cut, more)


def _hits(data: Mapping[str, object]) -> list[Data]:
    results = data["results"]
    return results if isinstance(results, list) else []


def _reply(data: Data, more: Mapping[str, str]) -> Reply:
    hits = _hits(data)
    lines = [f"{len(hits)} of {data['total']} results by {data['method']}."]
    if data.get("matching") == 0:
        lines = [f"No word of the query was found; {len(hits)} of {data['total']} nearest results."]
    if not data["total"]:
        asked = str(data.get("query", ""))
        so_far = " so far" if _is_partial(data) else ""
        lines = [f"No results found{so_far}{f' for {_shown(asked)}' if asked.strip() else ''}."]
    for number, hit in enumerate(hits, start=1):
        # Several collections may have this id; its address is of one.
        url = f"  {hit['url']}" if hit.get("collection") else ""
        lines.append(f"{number}. {_place(hit)}  {hit['id']}{url}{_likely(hit)}")
        if str(hit["id"]) in more:
            lines.append(f"   {more[str(hit['id'])]}")
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


def _is_partial(data: Mapping[str, object]) -> bool:
    """Whether the folder holds more than was searched, as while a first index is made."""
    degraded = data["degraded"]
    return isinstance(degraded, list) and any(one["stage"] == "sync" for one in degraded)


def _shown(query: str) -> str:
    line = " ".join(query.split())
    cut = line[: boundary(line, _LINE_CHARACTERS)]
    return f'"{cut}"' if cut == line else f'"{cut}..."'


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
