"""tasks_create, tasks_move and the like: what is to be done, in columns, one or many at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from trivium.doors.mcp.memory_notes import LINK
from trivium.doors.mcp.memory_shelf import (
    Attaching,
    Detaching,
    InCollection,
    Nothing,
    Page,
    Project,
    Relation,
    Target,
    TargetGraph,
    Tools,
    Version,
    replied,
)
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, TEXT, TEXT_OR_NULL, TEXTS, keyed, listed
from trivium.doors.memory import (
    Assignee,
    Description,
    DueDate,
    Estimate,
    Id,
    Order,
    Priority,
    Several,
    Status,
    Tags,
    Title,
)
from trivium.types import EdgeType, Kind

if TYPE_CHECKING:
    from trivium.doors.answers import Data
    from trivium.doors.mcp.budget import Reply
    from trivium.doors.upkeep import Upkeep
    from trivium.memory.items import Task

TaskId = Annotated[Id, Field(description="The id of a task.")]
_Column = Annotated[Status, Field(description="Its column.")]
_TOOLS = Tools(Kind.TASK, "taskId", "task_id", "tasks")


class Create(InCollection):
    """A new task."""

    title: Title
    description: Description
    priority: Annotated[Priority, Field(description="How urgent it is.")]
    status: _Column | None = None
    tags: Tags | None = None
    due_date: DueDate | None = None
    estimate: Estimate | None = None
    assignee: Assignee | None = None
    order: Order | None = None


class One(InCollection):
    """A task."""

    task_id: TaskId


class Update(One):
    """What is to change of a task."""

    title: Title | None = None
    description: Description | None = None
    priority: Annotated[Priority | None, Field(description="How urgent it is.")] = None
    status: _Column | None = None
    tags: Tags | None = None
    due_date: DueDate | None = None
    estimate: Estimate | Nothing | None = None
    assignee: Assignee | None = None
    order: Order | Nothing | None = None
    expected_version: Version = None


class Move(One):
    """A task that goes to another column."""

    status: _Column
    expected_version: Version = None


class TaskPage(Page):
    """A page of tasks."""

    status: Annotated[Status | None, Field(description="Only this status.")] = None
    priority: Annotated[Priority | None, Field(description="Only this priority.")] = None
    assignee: Annotated[str | None, Field(max_length=200, description="Only who does it.")] = None


class Between(InCollection):
    """A link between two tasks."""

    from_id: TaskId
    to_id: TaskId
    kind: Annotated[
        Literal["subtask_of", "blocks", "related_to"],
        Field(description="What the first is to the second."),
    ]


class Unlink(InCollection):
    """A link that is to go."""

    task_id: TaskId
    target_id: Target
    target_graph: TargetGraph = None
    project_id: Project = None


class Link(Unlink):
    """A link that is to be made."""

    kind: Annotated[
        Literal["references", "related_to", "subtask_of", "blocks"],
        Field(description="To other things than tasks: references or related_to."),
    ]


class Reorder(One):
    """Where a task is to be in its column; without more, at the end."""

    order: Order | None = None
    status: _Column | None = None
    before_id: Annotated[Id | None, Field(description="Before this task.")] = None
    after_id: Annotated[Id | None, Field(description="After this task.")] = None


class Many(InCollection):
    """Several tasks."""

    task_ids: Several


class ManyMove(Many):
    """Several tasks that go to another column."""

    status: _Column


class ManyPriority(Many):
    """Several tasks that become more or less urgent."""

    priority: Annotated[Priority, Field(description="How urgent they are.")]


class Attach(One, Attaching):
    """A file for a task."""


class Detach(One, Detaching):
    """A file of a task."""


def _move(upkeep: Upkeep, request: Move) -> Reply:
    made = _TOOLS.shelf(upkeep).move(
        request.task_id, request.status, expected_version=request.expected_version
    )
    return _TOOLS.written(made, status=made.status, completedAt=made.completed or None)


def _get(upkeep: Upkeep, request: One) -> Reply:
    return _TOOLS.got(upkeep, request, _RELATIONS)


_RELATIONS: Mapping[Relation, str] = {
    (EdgeType.SUBTASK_OF, "in"): "subtasks",
    (EdgeType.BLOCKS, "in"): "blockedBy",
    (EdgeType.BLOCKS, "out"): "blocks",
    (EdgeType.RELATED_TO, "in"): "related",
    (EdgeType.RELATED_TO, "out"): "related",
}


def _list(upkeep: Upkeep, request: TaskPage) -> Reply:
    return _TOOLS.page(upkeep, request, row)


def row(task: Task) -> Data:
    """Return a task as lists have it."""
    return {
        "id": task.id,
        "title": task.title,
        "status": task.status,
        "priority": task.priority,
        "tags": list(task.tags),
        "dueDate": task.due or None,
        "assignee": task.assignee or None,
        "updatedAt": task.updated,
    }


def _reorder(upkeep: Upkeep, request: Reorder) -> Reply:
    made = _TOOLS.shelf(upkeep).reorder(
        request.task_id,
        order=request.order,
        before=request.before_id,
        after=request.after_id,
        status=request.status,
    )
    return _TOOLS.written(made, order=made.order)


def _bulk_move(upkeep: Upkeep, request: ManyMove) -> Reply:
    return replied({"moved": _TOOLS.shelf(upkeep).bulk_move(request.task_ids, request.status)})


def _bulk_priority(upkeep: Upkeep, request: ManyPriority) -> Reply:
    shelf = _TOOLS.shelf(upkeep)
    return replied({"updated": shelf.bulk_priority(request.task_ids, request.priority)})


def _bulk_delete(upkeep: Upkeep, request: Many) -> Reply:
    return replied({"deleted": _TOOLS.shelf(upkeep).bulk_delete(request.task_ids)})


def _found(task: Task) -> Data:
    return {
        "taskId": task.id,
        "title": task.title,
        "status": task.status,
        "priority": task.priority,
        "tags": list(task.tags),
    }


TASK = {
    "id": TEXT,
    "title": TEXT,
    "description": TEXT,
    "status": TEXT,
    "priority": TEXT,
    "tags": TEXTS,
    "version": COUNT,
}
_GOT = keyed(
    {
        **TASK,
        "subtasks": TEXTS,
        "blockedBy": TEXTS,
        "blocks": TEXTS,
        "related": TEXTS,
        "crossLinks": listed(LINK),
    }
)
ROW = {
    "id": TEXT,
    "title": TEXT,
    "status": TEXT,
    "priority": TEXT,
    "tags": TEXTS,
    "dueDate": TEXT_OR_NULL,
    "assignee": TEXT_OR_NULL,
    "updatedAt": TEXT,
}
_NUMBER_OR_NULL = {"type": ["number", "null"]}
_ENDS = ("task_id", "target_id")

TASKS = (
    _TOOLS.creating(
        Create,
        "Write down a task",
        "Write down something that is to be done.",
    ),
    _TOOLS.updating(
        Update,
        "Change fields of a task. What is left out stays; an empty text clears dueDate, estimate, "
        "assignee and order.",
    ),
    _TOOLS.delete(One),
    Offer(
        "tasks_get",
        "Read a task",
        "Read a task with its subtasks, what blocks it, what it blocks and what it is about.",
        One,
        _GOT,
        _get,
    ),
    Offer(
        "tasks_list",
        "List tasks",
        "List tasks by priority and then due date, those without one last.",
        TaskPage,
        keyed({"results": listed(keyed(ROW)), "total": COUNT}),
        _list,
    ),
    Offer(
        "tasks_move",
        "Move a task",
        "Give a task another status. One that is done or cancelled gets the time of that.",
        Move,
        keyed({"taskId": TEXT, "status": TEXT, "completedAt": TEXT_OR_NULL, "version": COUNT}),
        _move,
        writes=True,
        replaces=True,
    ),
    _TOOLS.link(
        "tasks_link",
        Between,
        ("from_id", "to_id"),
        description="Say that a task is a subtask of another, blocks it, or is related to it.",
    ),
    _TOOLS.link(
        "tasks_create_link",
        Link,
        _ENDS,
        description="Link a task to the code, document, file, note or skill that it is about.",
    ),
    _TOOLS.unlink(Unlink, _ENDS),
    _TOOLS.find_linked(_found, {"status": TEXT, "priority": TEXT}),
    Offer(
        "tasks_reorder",
        "Put a task elsewhere",
        "Put a task elsewhere in its column: by a number, before or after another, or at the end.",
        Reorder,
        keyed({"taskId": TEXT, "order": _NUMBER_OR_NULL, "version": COUNT}),
        _reorder,
        writes=True,
        replaces=True,
    ),
    Offer(
        "tasks_bulk_move",
        "Move many tasks",
        "Give up to 100 tasks a status. One that is not there, and none is moved.",
        ManyMove,
        keyed({"moved": COUNT}),
        _bulk_move,
        writes=True,
        replaces=True,
    ),
    Offer(
        "tasks_bulk_priority",
        "Give many tasks a priority",
        "Give up to 100 tasks a priority. One that is not there, and none is changed.",
        ManyPriority,
        keyed({"updated": COUNT}),
        _bulk_priority,
        writes=True,
        replaces=True,
    ),
    Offer(
        "tasks_bulk_delete",
        "Delete many tasks",
        "Delete up to 100 tasks, for good. One that is not there, and none is deleted.",
        Many,
        keyed({"deleted": COUNT}),
        _bulk_delete,
        writes=True,
        replaces=True,
    ),
    _TOOLS.attach(Attach),
    _TOOLS.detach(Detach),
)
