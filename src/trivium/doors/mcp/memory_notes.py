"""notes_create, notes_update and the like: what agents and people want to remember."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from trivium.doors.mcp.memory_shelf import (
    Attaching,
    Detaching,
    InCollection,
    Page,
    Project,
    Target,
    TargetGraph,
    Tools,
    Version,
    replied,
    results,
)
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, TEXT, TEXTS, keyed, listed
from trivium.doors.memory import Content, Id, Tags, Title
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.doors.answers import Data
    from trivium.doors.mcp.budget import Reply
    from trivium.doors.upkeep import Upkeep
    from trivium.memory.items import Note

NoteId = Annotated[Id, Field(description="The id of a note.")]
_Between = Literal["references", "related_to", "depends_on", "variant_of", "contradicts"]
_TOOLS = Tools(Kind.NOTE, "noteId", "note_id", "notes")


class Create(InCollection):
    """A new note."""

    title: Title
    content: Content
    tags: Tags | None = None


class One(InCollection):
    """A note."""

    note_id: NoteId


class Update(One):
    """What is to change of a note."""

    title: Title | None = None
    content: Content | None = None
    tags: Tags | None = None
    expected_version: Version = None


class Unlink(InCollection):
    """A link that is to go."""

    from_id: NoteId
    to_id: Target
    target_graph: TargetGraph = None
    project_id: Project = None


class Link(Unlink):
    """A link that is to be made."""

    kind: Annotated[
        _Between,
        Field(description="To other things than notes: references or related_to."),
    ]


class Attach(One, Attaching):
    """A file for a note."""


class Detach(One, Detaching):
    """A file of a note."""


def _get(upkeep: Upkeep, request: One) -> Reply:
    from trivium.memory.ground import links_data
    from trivium.memory.items import as_data

    shelf = _TOOLS.fresh(upkeep)
    relations = links_data(shelf.links(request.note_id))
    return replied({**as_data(shelf.get(request.note_id)), "relations": relations})


def _list(upkeep: Upkeep, request: Page) -> Reply:
    return _TOOLS.page(upkeep, request, _row)


def _row(note: Note) -> Data:
    return {
        "id": note.id,
        "title": note.title,
        "tags": list(note.tags),
        "updatedAt": note.updated,
    }


def _links(upkeep: Upkeep, request: One) -> Reply:
    from trivium.memory.ground import links_data

    return results(links_data(_TOOLS.fresh(upkeep).links(request.note_id)))


def _found(note: Note) -> Data:
    return {"noteId": note.id, "title": note.title, "tags": list(note.tags)}


LINK = keyed(
    {"type": TEXT, "direction": TEXT, "broken": {"type": ["boolean", "null"]}},
    target=TEXT,
    source=TEXT,
)
_NOTE = {"id": TEXT, "title": TEXT, "content": TEXT, "tags": TEXTS, "version": COUNT}
_ROW = keyed({"id": TEXT, "title": TEXT, "tags": TEXTS, "updatedAt": TEXT})
_ENDS = ("from_id", "to_id")

NOTES = (
    _TOOLS.creating(
        Create,
        "Write a note",
        "Remember something: a decision and its reasons, a fact, a finding. It is kept as a file "
        "of the project and found by every search.",
    ),
    _TOOLS.updating(
        Update,
        "Change the title, content or tags of a note. What is left out stays.",
    ),
    _TOOLS.delete(One),
    Offer(
        "notes_get",
        "Read a note",
        "Read a note, and what it is linked with.",
        One,
        keyed({**_NOTE, "relations": listed(LINK)}),
        _get,
    ),
    Offer(
        "notes_list",
        "List notes",
        "List notes, those that changed last first.",
        Page,
        keyed({"results": listed(_ROW), "total": COUNT}),
        _list,
    ),
    _TOOLS.link(
        "notes_create_link",
        Link,
        _ENDS,
        description="Link a note to another, or to the code, document, file, task or skill that "
        "it is about.",
    ),
    _TOOLS.unlink(Unlink, _ENDS),
    Offer(
        "notes_list_links",
        "List links of a note",
        "List what leads from a note and to it, and what of that is gone.",
        One,
        keyed({"results": listed(LINK)}),
        _links,
    ),
    _TOOLS.find_linked(_found, {}),
    _TOOLS.attach(Attach),
    _TOOLS.detach(Detach),
)
