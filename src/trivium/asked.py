"""What is asked for beside a query -> one filter: kinds, filters, a mode, a place in the folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trivium.errors import UsageError, unknown
from trivium.filtering.conditions import (
    EVERYTHING,
    Condition,
    Filter,
    Given,
    Test,
    build,
    check_kinds,
    fold,
    for_records,
    on_branch,
    with_types,
)
from trivium.sources.git import branch_of

MODES: Mapping[str, tuple[str, ...] | None] = {
    "mixed": None,
    "code": ("code", "file"),
    "prose": ("doc", "note", "task", "skill"),
    "records": ("record",),
}
FilterValues = Mapping[str, Given]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a root is searched: `below` a folder or in one `file`; empty is all of it."""

    root: Path
    below: str = ""
    file: str = ""

    @property
    def where(self) -> Filter:
        """What lies there."""
        if self.file:
            return Filter((Condition("path", Test.EQUALS, frozenset({fold(self.file)})),))
        if self.below:
            return Filter((Condition("path", Test.STARTS, frozenset({fold(self.below) + "/"})),))
        return EVERYTHING


def where_of(
    place: Place,
    *,
    kind: str | Sequence[str] | None,
    filters: FilterValues | None,
    mode: str,
    dialect: str,
) -> Filter:
    """Return one filter. Raises UsageError for a kind, filter or mode that there is not."""
    if mode not in MODES:
        raise UsageError(unknown("mode", mode, tuple(MODES)))
    where = build(filters or {}) & build({"kind": kind})
    if dialect == "contract":
        # Seed 001's --kind is our type.
        where = with_types(where)
    else:
        check_kinds(where)
    if any(one.field == "branch" for one in where.conditions):
        where = on_branch(where, branch_of(place.root))
    if mode == "records":
        # Records are not left out for lacking what only code has.
        where = for_records(where)
    return where & within_of(place, mode=mode)


def within_of(place: Place, *, mode: str) -> Filter:
    """Return what is searched at all, before anything is filtered: a mode, in a place."""
    kinds = MODES.get(mode)
    if kinds is None:
        return place.where
    return place.where & Filter((Condition("kind", Test.EQUALS, frozenset(kinds)),))


def other_branch(place: Place, filters: FilterValues | None) -> tuple[str, ...]:
    """Return what to say where another branch is asked for than the folder is on."""
    asked = [one for one in build(filters or {}).conditions if one.field == "branch"]
    here = branch_of(place.root) if asked else ""
    wanted = sorted({value for one in asked if here not in one.values for value in one.values})
    if not wanted:
        return ()
    is_on = f"is on branch {here!r}" if here else "is on no branch of git"
    return (f"the folder {is_on}, not on {', '.join(map(repr, wanted))}",)
