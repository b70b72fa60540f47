"""What a note, a task and a skill are: their fields, the limits of each, and their values.

One table says how a field is called in Python, in a file and in JSON, what it takes and how
long it may be (seed 003's limits). Values are frozen. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from trivium.types import EdgeType, Kind, NodeId

STATUSES = ("backlog", "todo", "in_progress", "review", "done", "cancelled")
EPIC_STATUSES = ("open", "in_progress", "done", "cancelled")
# A task or an epic that is one of these is over.
CLOSED = frozenset({"done", "cancelled"})
PRIORITIES = ("critical", "high", "medium", "low")
SOURCES = ("user", "learned")
TASK, EPIC = "task", "epic"

LONGEST_TITLE = 500
LONGEST_CONTENT = 1_000_000
LONGEST_DESCRIPTION = 500_000
MOST_LINKS = 1000
# How many a list shows unless more are asked for, and at most.
PAGE = 25
MOST_LISTED = 500
# Orders are this far apart, so that another task fits between two without moving others.
GAP = 1000


class Sort(StrEnum):
    """What a field takes."""

    LINE = "one line of text"
    BODY = "text"
    LIST = "a list of texts"
    CHOICE = "one of a few words"
    DATE = "a date such as 2026-01-31"
    NUMBER = "a number"
    COUNT = "a whole number"
    SHARE = "a number from 0 to 1"
    NAME = "the slug of an epic"
    LINKS = "links"


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `keys` are those it is read from in a file, bare; `key` is the one written.

    `longest` is in characters, of a list's entries where it is a list, of which there are at
    most `most`. `data` is its name in JSON.
    """

    name: str
    key: str
    sort: Sort
    longest: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    data: str = ""
    keys: tuple[str, ...] = ()
    is_stamp: bool = False

    @property
    def read_from(self) -> tuple[str, ...]:
        """The bare keys it may stand under."""
        return (self.key.lower(), *self.keys)

    @property
    def json(self) -> str:
        """Its name in JSON."""
        return self.data or self.key


def _tags() -> Field:
    return Field("tags", "tags", Sort.LIST, longest=100, most=100, keys=("keywords",))


_TITLE = Field("title", "title", Sort.LINE, longest=LONGEST_TITLE, keys=("name",))
_LINKS = Field("links", "links", Sort.LINKS, longest=1000, most=MOST_LINKS)
_STAMPS = (
    Field("created", "created", Sort.DATE, data="createdAt", keys=("createdat",), is_stamp=True),
    Field("updated", "updated", Sort.DATE, data="updatedAt", keys=("updatedat",), is_stamp=True),
)
_DESCRIPTION = Field("description", "description", Sort.BODY, longest=LONGEST_DESCRIPTION)

# In the order in which a new file has them.
FIELDS: Mapping[Kind, tuple[Field, ...]] = {
    Kind.NOTE: (
        _TITLE,
        _tags(),
        _LINKS,
        *_STAMPS,
        Field("content", "content", Sort.BODY, longest=LONGEST_CONTENT),
    ),
    Kind.TASK: (
        _TITLE,
        Field("type", "type", Sort.CHOICE, choices=(TASK, EPIC)),
        Field("status", "status", Sort.CHOICE, choices=STATUSES),
        Field("priority", "priority", Sort.CHOICE, choices=PRIORITIES),
        Field("due", "due", Sort.DATE, data="dueDate", keys=("duedate",)),
        Field("estimate", "estimate", Sort.NUMBER),
        Field("assignee", "assignee", Sort.LINE, longest=200),
        Field("epic", "epic", Sort.NAME, longest=200),
        Field("order", "order", Sort.NUMBER),
        _tags(),
        _LINKS,
        *_STAMPS,
        Field(
            "completed",
            "completed",
            Sort.DATE,
            data="completedAt",
            keys=("completedat",),
            is_stamp=True,
        ),
        _DESCRIPTION,
    ),
    Kind.SKILL: (
        _TITLE,
        Field(
            "triggers",
            "triggers",
            Sort.LIST,
            longest=500,
            most=50,
            keys=("trigger", "whentouse", "usewhen"),
        ),
        Field("steps", "steps", Sort.LIST, longest=10_000, most=100),
        Field("input_hints", "inputHints", Sort.LIST, longest=500, most=50, keys=("inputs",)),
        Field("file_patterns", "filePatterns", Sort.LIST, longest=500, most=50, keys=("globs",)),
        Field("source", "source", Sort.CHOICE, choices=SOURCES),
        Field("confidence", "confidence", Sort.SHARE),
        Field("usage_count", "usageCount", Sort.COUNT, keys=("usecount",)),
        _tags(),
        _LINKS,
        *_STAMPS,
        Field(
            "last_used",
            "lastUsed",
            Sort.DATE,
            data="lastUsedAt",
            keys=("lastusedat",),
            is_stamp=True,
        ),
        _DESCRIPTION,
    ),
}

VERSION = Field("version", "version", Sort.COUNT)


@dataclass(frozen=True, slots=True)
class Link:
    """A typed link to a node of this collection, or to a proxy: `@shop::code:src/auth.py`."""

    type: EdgeType
    target: str

    def __str__(self) -> str:
        """Return it as front matter lists it."""
        return f"{self.type} {self.target}"


Value = str | int | float | tuple[str, ...] | tuple[Link, ...] | None
Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What every thing in memory has.

    `problems` say what of its file could not be read; `broken` are the targets of its links that
    are gone, where it was read by itself.
    """

    slug: str
    title: str
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    version: int = 1
    created: str = ""
    updated: str = ""
    problems: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Item):
    """Something to be remembered."""

    content: str = ""

    @property
    def id(self) -> NodeId:
        """Its id in the index."""
        return NodeId(f"{Kind.NOTE}:{self.slug}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Item):
    """Something to be done; or an epic, which other tasks belong to.

    `order` is its place in its column; `completed` is when it was done or cancelled.
    """

    type: str = TASK
    description: str = ""
    status: str = STATUSES[0]
    priority: str = "medium"
    due: str = ""
    estimate: float | None = None
    assignee: str = ""
    epic: str = ""
    order: float | None = None
    completed: str = ""

    @property
    def id(self) -> NodeId:
        """Its id in the index."""
        return NodeId(f"{Kind.TASK}:{self.slug}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill(Item):
    """How something is done: when to do it, its steps, and how well that went so far."""

    description: str = ""
    steps: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    input_hints: tuple[str, ...] = ()
    file_patterns: tuple[str, ...] = ()
    source: str = SOURCES[0]
    confidence: float = 1.0
    usage_count: int = 0
    last_used: str = ""

    @property
    def id(self) -> NodeId:
        """Its id in the index."""
        return NodeId(f"{Kind.SKILL}:{self.slug}")


AnyItem = Note | Task | Skill


def field_of(kind: Kind, name: str) -> Field | None:
    """Return the field of a kind by its name in Python."""
    return next((one for one in FIELDS[kind] if one.name == name), None)


def as_data(item: AnyItem, *, text: bool = True) -> dict[str, object]:
    """Return an item as JSON doors send it; without its `text` where many are listed."""
    kind = Kind(item.id.partition(":")[0])
    data: dict[str, object] = {"id": item.id, "slug": item.slug, "kind": kind.value}
    for field in FIELDS[kind]:
        if field.sort is Sort.BODY and not text:
            continue
        value = getattr(item, field.name)
        if field.sort is Sort.LINKS:
            value = [{"type": one.type.value, "target": one.target} for one in value]
        elif field.sort is Sort.LIST:
            value = list(value)
        elif value == "" and field.sort is not Sort.BODY:
            value = None
        data[field.json] = value
    data["version"] = item.version
    if item.problems:
        data["problems"] = list(item.problems)
    if item.broken:
        data["brokenLinks"] = list(item.broken)
    return data
