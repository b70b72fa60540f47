"""A question and the collections of a server -> one answer from all of them, fused by rank.

What each of them lacks is said with its name. Used by the HTTP and the MCP door.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trivium.doors import answers
from trivium.types import Degraded

if TYPE_CHECKING:
    from trivium.doors.answers import Asked
    from trivium.doors.upkeep import Upkeep
    from trivium.types import Answer


def search(kept: Sequence[Upkeep], asked: Asked) -> Answer:
    """Answer from one collection as it does itself, from several by the ranks in each."""
    if len(kept) == 1:
        return kept[0].search(asked)
    from trivium.federation import Together

    together = Together([one.look(lambda collection: collection) for one in kept])
    answer = answers.ask(together, asked)
    lacking = [Degraded("sync", f"{one.name}: {one.behind}") for one in kept if one.behind]
    told = kept[0].told
    return replace(
        answer,
        degraded=(*lacking, *(replace(one, reason=told(one.reason)) for one in answer.degraded)),
        notes=tuple(map(told, answer.notes)),
    )
