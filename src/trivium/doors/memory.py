"""What JSON doors take for notes, tasks and skills, and how they find the shelf that keeps them.

Checked like every request of a JSON door: no other keys, no other types. Keys are those of the
JSON an item is sent as; what is not given is left as it is. Used by the HTTP and the MCP door.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StringConstraints

from trivium.doors.answers import MAX_QUERY_CHARACTERS, Data, Strict
from trivium.memory.items import (
    LONGEST_CONTENT,
    LONGEST_DESCRIPTION,
    LONGEST_TITLE,
    MOST_LINKS,
)
from trivium.parsing.shelves import FOLDERS
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.collection import Collection

Status = Literal["backlog", "todo", "in_progress", "review", "done", "cancelled"]
EpicStatus = Literal["open", "in_progress", "done", "cancelled"]
AnyStatus = Literal["backlog", "todo", "in_progress", "review", "done", "cancelled", "open"]
Priority = Literal["critical", "high", "medium", "low"]
Source = Literal["user", "learned"]

Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY_CHARACTERS)]
_Tag = Annotated[str, StringConstraints(max_length=100)]
_Step = Annotated[str, StringConstraints(max_length=10_000)]
_Phrase = Annotated[str, StringConstraints(max_length=500)]

Title = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_TITLE, description="One line; its id is made of it."),
]
Content = Annotated[str, Field(max_length=LONGEST_CONTENT, description="Its text, in Markdown.")]
Description = Annotated[
    str, Field(max_length=LONGEST_DESCRIPTION, description="What it is about, in Markdown.")
]
Tags = Annotated[list[_Tag], Field(max_length=100, description="Tags.")]
DueDate = Annotated[
    str, Field(max_length=40, description="A date such as 2026-01-31, or a time in UTC.")
]
Estimate = Annotated[
    float, Field(ge=0, le=2**53, allow_inf_nan=False, description="How much work it is, a number.")
]
Assignee = Annotated[str, Field(max_length=200, description="Who does it.")]
Order = Annotated[
    float,
    Field(
        ge=-(2**53),
        le=2**53,
        allow_inf_nan=False,
        description="Its place in its column; tasks are 1000 apart.",
    ),
]
Steps = Annotated[list[_Step], Field(max_length=100, description="What to do, in order.")]
Triggers = Annotated[
    list[_Phrase], Field(max_length=50, description="When it is to be used, in words.")
]
InputHints = Annotated[list[_Phrase], Field(max_length=50, description="What it needs to know.")]
FilePatterns = Annotated[
    list[_Phrase], Field(max_length=50, description="Files it is about, such as src/*.py.")
]
Confidence = Annotated[
    float, Field(ge=0, le=1, allow_inf_nan=False, description="How sure it is, 0 to 1.")
]
Several = Annotated[list[Id], Field(min_length=1, max_length=100, description="1 to 100 of them.")]


class LinkGiven(Strict):
    """A link: its type, and the id of what it leads to."""

    type: Annotated[
        Literal[
            "references",
            "related_to",
            "depends_on",
            "variant_of",
            "contradicts",
            "subtask_of",
            "blocks",
        ],
        Field(description="What the one is to the other."),
    ]
    target: Annotated[Id, Field(description="An id, or @name::id of another collection.")]


Links = Annotated[list[LinkGiven], Field(max_length=MOST_LINKS, description="What it leads to.")]


class NoteFields(Strict):
    """What a note says; null clears a field."""

    content: Content | None = None
    tags: Tags | None = None
    links: Links | None = None


class TaskFields(Strict):
    """What a task says; null clears a field."""

    description: Description | None = None
    status: Annotated[AnyStatus | None, Field(description="Its column.")] = None
    priority: Annotated[Priority | None, Field(description="How urgent it is.")] = None
    tags: Tags | None = None
    due_date: DueDate | None = None
    estimate: Estimate | None = None
    assignee: Assignee | None = None
    order: Order | None = None
    epic: Annotated[str | None, Field(max_length=300, description="What it belongs to.")] = None
    type: Annotated[Literal["task", "epic"] | None, Field(description="task or epic.")] = None
    links: Links | None = None


class SkillFields(Strict):
    """What a skill says; null clears a field."""

    description: Description | None = None
    steps: Steps | None = None
    triggers: Triggers | None = None
    input_hints: InputHints | None = None
    file_patterns: FilePatterns | None = None
    tags: Tags | None = None
    source: Annotated[Source | None, Field(description="Who says so.")] = None
    confidence: Confidence | None = None
    links: Links | None = None


# As Python calls what JSON has another name for.
_NAMES = {"due_date": "due"}


def fields_of(request: Strict, *, leaving: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the fields that were given, by their names in Python; None clears one."""
    given: dict[str, Any] = {}
    for name in type(request).model_fields:
        if name not in request.model_fields_set or name in leaving:
            continue
        value = getattr(request, name)
        if name == "links" and value is not None:
            value = [(one.type, one.target) for one in value]
        given[_NAMES.get(name, name)] = value
    return given


def said(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields for something new: what is null is as if it were not given."""
    return {name: value for name, value in fields.items() if value is not None}


def shelf_of(collection: Collection, kind: Kind) -> Any:  # noqa: ANN401 - one of three, by its name
    """Return what keeps a kind."""
    return getattr(collection, FOLDERS[kind])


def for_readers(data: Data) -> Data:
    """Return what is told of memory to who may only read: secrets are masked, as in searches.

    Who may write gets files as they are: a masked text that is sent back would replace them.
    """
    return {name: _masked(value) for name, value in data.items()}


def _masked(value: object) -> object:
    # Off the way to the first reply of an agent's server.
    from trivium.parsing.secrets import mask

    if isinstance(value, str):
        return mask(value).text
    if isinstance(value, dict):
        return for_readers(value)
    return [_masked(one) for one in value] if isinstance(value, list) else value


def has_secrets(data: bytes) -> bool:
    """Whether a file is text with secrets in it."""
    from trivium.parsing.secrets import mask
    from trivium.sources.decode import decode

    text = decode(data)
    return text is not None and mask(text).count > 0
