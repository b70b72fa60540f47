"""Where a reference may lead, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from trivium.types import NodeId

# Found where the language itself looks; through the type of a variable; as the only one of
# its name; as one of several overloads of what is meant; as one of a few of its name.
SURE = 1.0
BY_TYPE = 0.9
BY_NAME = 0.6
OVERLOAD = 0.5
AMBIGUOUS = 0.3


@dataclass(frozen=True, slots=True)
class Target:
    """A node that a reference may lead to; `note` says what makes it less than sure."""

    id: NodeId
    weight: float
    note: str = ""
