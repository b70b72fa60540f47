"""Nodes of seed 000 -> data and text within a budget, at 1.3 tokens for a word.

A level shows nothing that belongs to a higher one. Lists are cut from the end, and say so.
Used by the tool set `xplor`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trivium.doors.answers import Data
from trivium.doors.mcp.budget import Reply
from trivium.doors.mcp.schema import COUNT, TEXT, TEXTS, keyed, listed
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.results.pack import Disclosed

SCAN = 1
NOTHING = "No matching nodes found."

# How many items of a list to show -> the reply that shows them.
Told = Callable[[int], Reply]


def fitted(told: Told, count: int, *, max_tokens: int | None) -> Reply:
    """Return the longest list that keeps the budget, and says what it left out.

    Raises UsageError if not even the head of it fits.
    """
    whole = told(count)
    if max_tokens is None or tokens(whole) <= max_tokens:
        return whole
    least = _cut(told(0), 0, count)
    if tokens(least) > max_tokens:
        raise UsageError(
            f"maxTokens is {max_tokens}; this answer takes {tokens(least)} without any nodes."
        )
    low, high = 0, count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(_cut(told(middle), middle, count)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return _cut(told(low), low, count)


def _cut(reply: Reply, shown: int, count: int) -> Reply:
    note = f"Truncated to maxTokens: {shown} of {count} nodes."
    return Reply({**reply.data, "notes": [note]}, f"{reply.text}\n{note}")


def tokens(reply: Reply) -> int:
    """Estimate what a reply costs its reader, text and data."""
    from trivium.results import pack

    return pack.tokens(f"{reply.text}\n{json.dumps(reply.data, ensure_ascii=False)}")


def node_data(one: Disclosed) -> Data:
    """Return what a level shows of a node as plain data."""
    from trivium.results.present import edge_data

    data: Data = {
        "id": one.id,
        "name": one.name,
        "type": one.type,
        "domain": one.domain,
        "description": one.description,
        "tags": list(one.tags),
        "level": int(one.level),
    }
    if one.level > SCAN:
        data["links"] = [edge_data(edge) for edge in one.links]
        data["sections"] = [
            {"heading": part.heading, "preview": part.preview} for part in one.sections
        ]
    return data


def node_text(one: Disclosed) -> str:
    """Return a node as text, under its name."""
    head = f"{one.name} ({one.type})  {one.id}  level {int(one.level)}"
    return f"{head}{after(chr(10), content(one))}"


def content(one: Disclosed) -> str:
    """Return what a level shows of a node as text."""
    links = [f"{edge.type.value}: {edge.source} -> {edge.target}" for edge in one.links]
    sections = [f"{part.heading}: {part.preview}" for part in one.sections]
    return "\n".join(filter(None, [one.description, *_parts(links, sections), one.text]))


def _parts(*parts: Sequence[str]) -> list[str]:
    return [line for part in parts for line in part]


def after(mark: str, text: object) -> str:
    """Return a text behind a mark; of no text, nothing."""
    return f"{mark}{text}" if text else ""


NODE = keyed(
    {
        "id": TEXT,
        "name": TEXT,
        "type": TEXT,
        "domain": TEXT,
        "description": TEXT,
        "tags": TEXTS,
        "level": COUNT,
    },
    links=listed({"type": "object"}),
    sections=listed(keyed({"heading": TEXT, "preview": TEXT})),
)
