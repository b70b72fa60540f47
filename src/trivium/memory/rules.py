"""What the API last saw, what the file says now, what is asked for -> what is written.

The three-way rule: the file is the truth, and a change is made to what it says now, field by
field. Where it was edited by hand in a field that the change replaces, and the API has not
shown that edit to anyone, the edit is kept as a copy of its own. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from trivium.memory.items import Values


@dataclass(frozen=True, slots=True)
class Base:
    """What the API last saw of a file: the hash of its bytes, its version and its values."""

    sha256: str
    version: int
    updated: str
    text: str


def version_of(base: Base | None, *, sha256: str, written: int) -> int:
    """Return the version of a file that has `written` one in it.

    Whoever edits by hand does not count up: a file that differs from what was last seen is at
    least the next version, also one that an older state was put back into.
    """
    if base is None:
        return written
    if base.sha256 == sha256:
        return base.version
    return max(written, base.version + 1)


@dataclass(frozen=True, slots=True)
class Merged:
    """The values to write, and the fields of the file that they replace unseen."""

    changes: Values
    unseen: tuple[str, ...]


def merged(base: Values, now: Values, changes: Values) -> Merged:
    """Apply changes to what a file says now; `base` is what the API last saw it say.

    A field that both sides made the same is no conflict.
    """
    real = {
        name: value for name, value in changes.items() if _said(now, name) != _said(changes, name)
    }
    unseen = tuple(
        name
        for name in real
        if _said(now, name) != _said(base, name) and _said(now, name) is not None
    )
    return Merged(real, unseen)


def _said(values: Values, name: str) -> object:
    """Return a value; what is empty is not there. Zero is a value."""
    value = values.get(name)
    return None if value in ("", ()) else value
