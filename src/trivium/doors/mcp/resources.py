"""Files of a collection -> MCP resources: a list in pages, and the text of one.

Texts are those of the index, with secrets masked as in every answer; nothing is read from the
disk by a path that a client gives. Called by the server.
"""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from trivium.doors.failures import RequestInvalid
from trivium.doors.mcp import address
from trivium.errors import ChunkNotFound, NotFound

if TYPE_CHECKING:
    from trivium.collection import Collection
    from trivium.doors.mcp.desk import Desk, Notice

PAGE = 200
_TEXT = "text/plain"


def templates() -> ListResourceTemplatesResult:
    """Return how addresses are made."""
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                name="file",
                title="A file of a collection",
                uri_template=address.TEMPLATE,
                description="The text of an indexed file; #L3-L9 at the end gives those lines.",
                mime_type=_TEXT,
            )
        ]
    )


def listed(
    desk: Desk, *, only: str | None, cursor: str | None, notice: Notice
) -> ListResourcesResult:
    """Return a page of the files there are, collection by collection.

    A cursor is the collection and the path after which the page begins.
    """
    names = desk.names(only=only)
    name, after = (names[0], "") if cursor is None else _after(cursor, names)
    upkeep = desk.ready(name, only=only, notice=notice)
    paths = upkeep.look(lambda collection: _paths(collection, after=after))
    following = names.index(name) + 1
    next_cursor = None
    if len(paths) > PAGE:
        next_cursor = address.written(name, paths[PAGE - 1])
    elif following < len(names):
        next_cursor = address.written(names[following], "")
    return ListResourcesResult(
        resources=[_resource(name, path) for path in paths[:PAGE]], next_cursor=next_cursor
    )


def read(desk: Desk, uri: str, *, only: str | None, notice: Notice) -> ReadResourceResult:
    """Return the text of a file, or the lines of it that are asked for. Raises NotFound."""
    wanted = address.read(str(uri))
    upkeep = desk.ready(wanted.collection, only=only, notice=notice)

    def text_of(collection: Collection) -> str:
        path = wanted.path or collection.below or "."
        if wanted.path:
            address.check_inside(collection, path)
        try:
            item = collection.get(f"file:{path}")
        except ChunkNotFound as error:
            raise NotFound(f"{path[:200]!r} is not in {collection.name}.") from error
        return "\n".join(collection.paths(path)) if item.node.type == "directory" else item.text

    text = upkeep.look(text_of)
    if wanted.lines is not None:
        text = address.cut(text, wanted.path, wanted.lines)
    contents = TextResourceContents(uri=str(uri), mime_type=_type_of(wanted.path), text=text)
    return ReadResourceResult(contents=[contents])


def _paths(collection: Collection, *, after: str) -> list[str]:
    """Return the first paths after another, one more than a page."""
    found = [path for path in collection.paths(collection.below) if path > after]
    return sorted(found)[: PAGE + 1]


def _after(cursor: str, names: tuple[str, ...]) -> tuple[str, str]:
    try:
        place = address.read(cursor)
    except NotFound as error:
        raise RequestInvalid("The cursor is damaged: give it as it came, or none.") from error
    if place.collection not in names:
        raise RequestInvalid("The cursor is of a collection that is not here any more.")
    return place.collection, place.path


def _resource(collection: str, path: str) -> Resource:
    return Resource(
        uri=address.written(collection, path),
        name=path,
        title=path.rpartition("/")[2],
        mime_type=_type_of(path),
    )


def _type_of(path: str) -> str:
    guessed = mimetypes.guess_type(path)[0]
    return guessed if guessed is not None and guessed.startswith("text/") else _TEXT
