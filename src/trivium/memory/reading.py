"""A file as it was read, and what the API last saw of it -> a note, a task or a skill.

Says which version it is at, and when it was last changed. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from trivium.memory import front, rules
from trivium.memory.files import Kept
from trivium.memory.items import (
    EPIC,
    EPIC_STATUSES,
    FIELDS,
    AnyItem,
    Note,
    Skill,
    Task,
    Value,
    Values,
)
from trivium.memory.rules import Base
from trivium.types import Kind


@dataclass(frozen=True, slots=True)
class Now:
    """A file with what it says, at which version, and what the API last saw of it."""

    kept: Kept
    reading: front.Reading
    version: int
    updated: str
    base: Base | None

    @property
    def is_seen(self) -> bool:
        """Whether the API has shown or written just this."""
        return self.base is not None and self.base.sha256 == self.kept.sha256


def stamp(seconds: float) -> str:
    """Return a time as files and JSON have it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def item_of(kind: Kind, slug: str, reading: front.Reading, version: int, updated: str) -> AnyItem:
    """Return the note, task or skill that a file holds; what it does not say is as usual."""
    made: dict[Kind, Callable[..., AnyItem]] = {
        Kind.NOTE: Note,
        Kind.TASK: Task,
        Kind.SKILL: Skill,
    }
    values: dict[str, Value] = {
        name: value for name, value in reading.values.items() if value is not None
    }
    if values.get("type") == EPIC:
        values.setdefault("status", EPIC_STATUSES[0])
    values.setdefault("created", updated)
    more = {"version": version, "updated": updated, "problems": reading.problems}
    return made[kind](slug=slug, **{**values, **more})


def now_of(kind: Kind, slug: str, kept: Kept, base: Base | None) -> Now:
    """Read a file."""
    reading = _reading(kind, slug, kept)
    sha256 = kept.sha256
    version = rules.version_of(base, sha256=sha256, written=reading.version)
    if base is not None and base.sha256 == sha256:
        updated = base.updated
    else:
        said = reading.values.get("updated")
        is_by_hand = base is not None and reading.version <= base.version
        updated = str(said) if said and not is_by_hand else stamp(kept.mtime_ns / 1e9)
    return Now(kept, reading, version, updated, base)


def _reading(kind: Kind, slug: str, kept: Kept) -> front.Reading:
    text = kept.text
    if text is not None:
        return front.read(kind, slug, text)
    found = front.read(kind, slug, kept.data.decode("utf-8", "replace"))
    return front.Reading(found.values, found.version, ("The file is not UTF-8.", *found.problems))


def values_of(kind: Kind, item: AnyItem) -> Values:
    """Return the fields of an item by their names."""
    return {field.name: getattr(item, field.name) for field in FIELDS[kind]}
