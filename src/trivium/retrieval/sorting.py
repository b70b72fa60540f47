"""Entries in the order of their scores -> the same entries, newest first or by their places.

Nothing comes or goes, and scores stay as they are. Called by the engine, where another order
than that of relevance is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trivium.backends.base import Snapshot, Traits
from trivium.ranking.cut import Group, node_of

SORTS = ("relevance", "newest", "path")
_NOWHERE = Traits("", "", "", (), "", 0)


def by_sort(snapshot: Snapshot, groups: Sequence[Group], *, sort: str) -> list[Group]:
    """Order the entries as asked; equal ones by id.

    "newest" goes by when a file was changed last, unknown ones last; "path" by path and line.
    """
    if sort == "relevance" or not groups:
        return list(groups)
    known = snapshot.traits([group.best.chunk_id for group in groups])
    paths = sorted({one.path for one in known.values()})
    changed = snapshot.changed(paths) if sort == "newest" else {}

    def place(group: Group) -> tuple[float, str, int, str, str]:
        chunk_id = group.best.chunk_id
        traits = known.get(chunk_id, _NOWHERE)
        ids = (node_of(chunk_id), chunk_id)
        if sort == "newest":
            return (-changed.get(traits.path, -math.inf), "", 0, *ids)
        return (float(traits is _NOWHERE), traits.path, traits.line, *ids)

    return sorted(groups, key=place)
