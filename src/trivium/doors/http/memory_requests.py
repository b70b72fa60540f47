"""What the endpoints of memory take beside the fields of an item: lists, links, many at once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from trivium.doors.answers import MAX_QUERY_CHARACTERS, HttpCollection, HttpSearch, Strict
from trivium.doors.memory import (
    AnyStatus,
    Id,
    LinkGiven,
    NoteFields,
    Order,
    Priority,
    Several,
    SkillFields,
    Source,
    TaskFields,
    Title,
)
from trivium.memory.items import MOST_LISTED, PAGE

_LinkType = Annotated[str | None, Field(max_length=40, description="Only links of this type.")]


class HttpNote(NoteFields):
    """A new note."""

    title: Title


class HttpTask(TaskFields):
    """A new task, or an epic where that is its `type`."""

    title: Title


class HttpSkill(SkillFields):
    """A new skill."""

    title: Title


class HttpNoteChange(NoteFields):
    """What is to change of a note."""

    title: Title | None = None


class HttpTaskChange(TaskFields):
    """What is to change of a task."""

    title: Title | None = None


class HttpSkillChange(SkillFields):
    """What is to change of a skill."""

    title: Title | None = None


class HttpList(HttpCollection):
    """A page of a list."""

    filter: Annotated[str, Field(max_length=500, description="Part of the title or the id.")] = ""
    tag: Annotated[str | None, Field(max_length=100, description="Only with this tag.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED, description="How many.")] = PAGE
    offset: Annotated[int, Field(ge=0, le=2**31, description="How many to leave out first.")] = 0


class HttpNotes(HttpList):
    """A page of notes."""

    sort: Annotated[
        Literal["updated", "created", "title"], Field(description="In which order.")
    ] = "updated"


class HttpTasks(HttpList):
    """A page of tasks, or of epics."""

    sort: Annotated[
        Literal["priority", "due", "order", "updated", "created", "title"],
        Field(description="In which order; priority is also by due date."),
    ] = "priority"
    status: Annotated[AnyStatus | None, Field(description="Only this status.")] = None
    priority: Annotated[Priority | None, Field(description="Only this priority.")] = None
    assignee: Annotated[str | None, Field(max_length=200, description="Only who does it.")] = None
    epic: Annotated[str | None, Field(max_length=300, description="Only of this epic.")] = None
    type: Annotated[Literal["task", "epic"], Field(description="task or epic.")] = "task"
    due_before: Annotated[
        str | None, Field(max_length=40, description="Only what is due before this date.")
    ] = None


class HttpSkills(HttpList):
    """A page of skills."""

    sort: Annotated[
        Literal["updated", "created", "title", "usage", "confidence"],
        Field(description="In which order."),
    ] = "updated"
    source: Annotated[Source | None, Field(description="Only from here.")] = None


class HttpOfKind(HttpSearch):
    """A search of one kind, which the address names, in one collection."""

    kind: None = None
    collection: str | None = None


class HttpRecall(HttpCollection):
    """What someone is about to do."""

    context: Annotated[
        str,
        Field(max_length=MAX_QUERY_CHARACTERS, description="What is to be done, in a sentence."),
    ]
    limit: Annotated[int | None, Field(ge=1, le=500, description="How many skills.")] = None
    min_score: Annotated[
        float, Field(ge=0, le=1, allow_inf_nan=False, description="Least score.")
    ] = 0.3
    search_mode: Annotated[
        Literal["hybrid", "vector", "keyword"], Field(description="How to look.")
    ] = "hybrid"
    explain: bool = False


class HttpLink(LinkGiven):
    """A link to be made."""


class HttpUnlink(HttpCollection):
    """Links to be taken away: all to a target, or those of one type."""

    target: Annotated[Id, Field(description="What it leads to.")]
    type: _LinkType = None


class HttpLinked(HttpUnlink):
    """Whatever links to a node."""


class HttpReorder(Strict):
    """Where a task is to be: by a number, or beside another; without any, at the end."""

    order: Order | None = None
    before: Annotated[Id | None, Field(description="Before this task.")] = None
    after: Annotated[Id | None, Field(description="After this task.")] = None
    status: Annotated[AnyStatus | None, Field(description="In this column.")] = None


class HttpBulkMove(Strict):
    """Tasks to be given a status."""

    ids: Several
    status: AnyStatus


class HttpBulkPriority(Strict):
    """Tasks to be given a priority."""

    ids: Several
    priority: Priority


class HttpBulkDelete(Strict):
    """Tasks to be deleted."""

    ids: Several
