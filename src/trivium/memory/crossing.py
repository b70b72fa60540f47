"""What importing and exporting have in common: the forms there are, and what is told of a crossing.

Every file that goes over is named, was there already, or is left out with the reason: nothing is
lost in silence.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trivium.errors import UsageError, unknown

JSON, VAULT, AGENTS = "json", "vault", "agents"
FORMATS = (VAULT, AGENTS, JSON)
# Says of a file of JSON that it is memory.
MARK = "trivium-memory"
SKILL = "SKILL.md"
GUIDES = ("AGENTS.md", "CLAUDE.md")


@dataclass(slots=True)
class Crossing:
    """How many were the same on the other side, and what was left out and why."""

    same: int = 0
    left_out: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Taken(Crossing):
    """What came in, by its ids."""

    ids: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Given(Crossing):
    """What was written, by its paths."""

    paths: list[str] = field(default_factory=list)


def checked_form(form: str) -> str:
    """Return a form that there is. Raises UsageError."""
    if form not in FORMATS:
        raise UsageError(unknown("format", form, FORMATS))
    return form
