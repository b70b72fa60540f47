"""epics_create, epics_link_task and the like: tasks that other tasks belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from trivium.doors.answers import Asked
from trivium.doors.mcp.graph import FOUND_TASK, Count, Mode, Share, Text, task
from trivium.doors.mcp.memory_shelf import YES, InCollection, Tools, Version, replied, results
from trivium.doors.mcp.memory_tasks import ROW, TASK, TaskId, row
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, TEXT, TEXTS, keyed, listed
from trivium.doors.memory import (
    Description,
    EpicStatus,
    Id,
    Priority,
    Tags,
    Title,
    fields_of,
    said,
)
from trivium.errors import NotFound
from trivium.memory.items import EPIC, MOST_LISTED, PAGE
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.doors.mcp.budget import Reply
    from trivium.doors.upkeep import Upkeep
    from trivium.memory.items import Task
    from trivium.memory.tasks import Tasks

EpicId = Annotated[Id, Field(description="The id of an epic.")]
_Status = Annotated[EpicStatus | None, Field(description="How far it is.")]
_KEYS = frozenset({"epic_id", "version", "collection"})
_TOOLS = Tools(Kind.TASK, "epicId", "epic_id", "epics")


class Create(InCollection):
    """A new epic."""

    title: Title
    description: Description
    status: _Status = None
    priority: Annotated[Priority | None, Field(description="How urgent it is.")] = None
    tags: Tags | None = None


class One(InCollection):
    """An epic."""

    epic_id: EpicId


class Update(One):
    """What is to change of an epic."""

    title: Title | None = None
    description: Description | None = None
    status: _Status = None
    priority: Annotated[Priority | None, Field(description="How urgent it is.")] = None
    tags: Tags | None = None
    version: Version = None


class EpicPage(InCollection):
    """A page of epics."""

    status: _Status = None
    priority: Annotated[Priority | None, Field(description="Only this priority.")] = None
    tag: Annotated[str | None, Field(max_length=100, description="Only with this tag.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED, description="How many.")] = PAGE
    offset: Annotated[int, Field(ge=0, le=2**31, description="How many to leave out first.")] = 0


class Search(InCollection):
    """A search of epics."""

    query: Text
    top_k: Annotated[Count, Field(description="How many nodes the walk starts from; 5.")] = None
    min_score: Annotated[Share, Field(description="Least score, 0 to 1; 0.5.")] = None
    search_mode: Annotated[Mode, Field(description="hybrid, vector or keyword.")] = "hybrid"


class Belonging(One):
    """A task and its epic."""

    task_id: TaskId


def _epic(upkeep: Upkeep, wanted: str) -> Task:
    """Return an epic, and no other task. Raises NotFound."""
    found: Task = _shelf(upkeep).peek(wanted)
    if found.type != EPIC:
        raise NotFound(f"{found.id} is a task and no epic. List them with: epics_list")
    return found


def _shelf(upkeep: Upkeep) -> Tasks:
    shelf: Tasks = _TOOLS.shelf(upkeep)
    return shelf


def _create(upkeep: Upkeep, request: Create) -> Reply:
    fields = said(fields_of(request, leaving=_KEYS))
    return _TOOLS.written(_shelf(upkeep).create(**fields, type=EPIC))


def _update(upkeep: Upkeep, request: Update) -> Reply:
    epic = _epic(upkeep, request.epic_id)
    fields = said(fields_of(request, leaving=_KEYS))
    made = _shelf(upkeep).update(epic.slug, expected_version=request.version, **fields)
    return _TOOLS.written(made, updated=True)


def _delete(upkeep: Upkeep, request: One) -> Reply:
    epic = _epic(upkeep, request.epic_id)
    _shelf(upkeep).delete(epic.slug)
    return replied({"epicId": epic.id, "deleted": True})


def _get(upkeep: Upkeep, request: One) -> Reply:
    from trivium.memory.items import as_data

    epic, shelf = _epic(upkeep, request.epic_id), _shelf(upkeep)
    tasks = shelf.list(epic=epic.slug, sort="order", limit=MOST_LISTED)
    shown = [row(one) for one in tasks.items]
    return replied({**as_data(shelf.get(epic.slug)), "tasks": shown, "taskCount": tasks.total})


def _list(upkeep: Upkeep, request: EpicPage) -> Reply:
    shelf = _shelf(upkeep)
    page = shelf.list(**said(fields_of(request, leaving=_KEYS)), type=EPIC)
    rows = [{**row(one), "taskCount": shelf.count(epic=one.slug)} for one in page.items]
    return results(rows, total=page.total)


def _search(upkeep: Upkeep, request: Search) -> Reply:
    answer = upkeep.search(
        Asked.of(
            request.query,
            profile="graph",
            kind=Kind.TASK.value,
            filters={"type": EPIC},
            seeds=request.top_k,
            min_score=request.min_score,
            search_mode=request.search_mode,
        )
    )
    return results([task(hit) for hit in answer.results])


def _link_task(upkeep: Upkeep, request: Belonging) -> Reply:
    epic = _epic(upkeep, request.epic_id)
    made = _shelf(upkeep).update(request.task_id, epic=epic.slug)
    return replied({"epicId": epic.id, "taskId": made.id, "linked": True})


def _unlink_task(upkeep: Upkeep, request: Belonging) -> Reply:
    epic, shelf = _epic(upkeep, request.epic_id), _shelf(upkeep)
    task = shelf.peek(request.task_id)
    if task.epic != epic.slug:
        raise NotFound(f"{task.id} does not belong to {epic.id}.")
    shelf.update(task.slug, epic=None)
    return replied({"epicId": epic.id, "taskId": task.id, "unlinked": True})


EPICS = (
    Offer(
        "epics_create",
        "Write down an epic",
        "Write down something large that several tasks belong to.",
        Create,
        keyed({"epicId": TEXT, "version": COUNT}),
        _create,
        writes=True,
    ),
    Offer(
        "epics_update",
        "Change an epic",
        "Change fields of an epic. What is left out stays.",
        Update,
        keyed({"epicId": TEXT, "updated": YES, "version": COUNT}, problems=TEXTS),
        _update,
        writes=True,
        replaces=True,
    ),
    Offer(
        "epics_delete",
        "Delete an epic",
        "Delete an epic and its file, for good; its tasks stay.",
        One,
        keyed({"epicId": TEXT, "deleted": YES}),
        _delete,
        writes=True,
        replaces=True,
    ),
    Offer(
        "epics_get",
        "Read an epic",
        "Read an epic and the tasks that belong to it.",
        One,
        keyed({**TASK, "tasks": listed(keyed(ROW)), "taskCount": COUNT}),
        _get,
    ),
    Offer(
        "epics_list",
        "List epics",
        "List epics, and how many tasks belong to each.",
        EpicPage,
        keyed({"results": listed(keyed({**ROW, "taskCount": COUNT})), "total": COUNT}),
        _list,
    ),
    Offer(
        "epics_search",
        "Search epics",
        "Find epics by words, meaning and what they are linked with.",
        Search,
        keyed({"results": listed(keyed(FOUND_TASK))}),
        _search,
    ),
    Offer(
        "epics_link_task",
        "Put a task into an epic",
        "Say that a task belongs to an epic.",
        Belonging,
        keyed({"epicId": TEXT, "taskId": TEXT, "linked": YES}),
        _link_task,
        writes=True,
    ),
    Offer(
        "epics_unlink_task",
        "Take a task out of an epic",
        "Say that a task belongs to an epic no more.",
        Belonging,
        keyed({"epicId": TEXT, "taskId": TEXT, "unlinked": YES}),
        _unlink_task,
        writes=True,
        replaces=True,
    ),
)
