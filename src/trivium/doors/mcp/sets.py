"""The names of tool sets -> the tools they offer, always in the same order.

`core`, `xplor` and `rag` each have a tool called search, so there is one of them; `graph` and
`memory` go beside any. Only the sets that were asked for are imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from trivium.errors import UsageError, unknown

if TYPE_CHECKING:
    from trivium.doors.mcp.offer import Offer

DEFAULT = "core"
_ALONE = (DEFAULT, "xplor", "rag")
# Of `memory` those that only read are a set of their own, for agents that are to write nothing.
_MEMORY, _MEMORY_READ = "memory", "memory-read"
_BESIDE = ("graph", _MEMORY, _MEMORY_READ)


def named(given: Iterable[str]) -> tuple[str, ...]:
    """Return the sets that are meant, in their own order; without one of the first three, core.

    Each text may be several names with commas. Raises UsageError.
    """
    wanted = [name.strip() for text in given for name in text.split(",") if name.strip()]
    known = (*_ALONE, *_BESIDE)
    for name in wanted:
        if name not in known:
            raise UsageError(unknown("tool set", name, known))
    first = [name for name in _ALONE if name in wanted] or [DEFAULT]
    if len(first) > 1:
        raise UsageError(
            f"{' and '.join(first)} both have a tool called search. Give one of "
            f"{', '.join(_ALONE)}, and {', '.join(_BESIDE)} beside it if wanted."
        )
    if _MEMORY in wanted and _MEMORY_READ in wanted:
        raise UsageError(f"{_MEMORY_READ} is a part of {_MEMORY}. Give one of them.")
    return (*first, *(name for name in _BESIDE if name in wanted))


def offers(names: Iterable[str]) -> tuple[Offer, ...]:
    """Return the tools of sets, in order."""
    found: list[Offer] = []
    for name in names:
        module = _MEMORY if name == _MEMORY_READ else name
        tools: tuple[Offer, ...] = import_module(f"trivium.doors.mcp.{module}").TOOLS
        found += [one for one in tools if not one.writes or name != _MEMORY_READ]
    return tuple(found)
