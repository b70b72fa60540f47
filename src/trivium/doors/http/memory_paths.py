"""The endpoints of memory as /openapi.json describes them, made from the table of fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from trivium.doors.answers import HttpCollection, Strict
from trivium.doors.http import memory_requests as takes
from trivium.doors.http.memory import TAKEN
from trivium.doors.http.operation import Operation
from trivium.doors.mcp.schema import ANSWER, Schema
from trivium.memory.items import FIELDS, Field, Sort
from trivium.parsing.shelves import FOLDERS
from trivium.types import Kind

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_LIST: Schema = {"type": "array", "items": _TEXT}
_NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
_YES_OR_NO: Schema = {"type": "boolean"}


def _object(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


_LINKS: Schema = {"type": "array", "items": _object({"type": _TEXT, "target": _TEXT})}
_OF_SORTS: Mapping[Sort, Schema] = {
    Sort.BODY: _TEXT,
    Sort.LIST: _LIST,
    Sort.LINKS: _LINKS,
    Sort.NUMBER: _NUMBER_OR_NULL,
    Sort.SHARE: {"type": "number"},
    Sort.COUNT: _COUNT,
}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def _schema_of(field: Field) -> Schema:
    return _TEXT if field.name == "title" else _OF_SORTS.get(field.sort, _TEXT_OR_NULL)


def _item(kind: Kind, *, text: bool = True, **more: Schema) -> Schema:
    """Return the schema of an item as JSON doors send it."""
    fields = {
        one.json: _schema_of(one) for one in FIELDS[kind] if text or one.sort is not Sort.BODY
    }
    about = {"id": _TEXT, "slug": _TEXT, "kind": {"enum": [kind.value]}}
    return _object(
        {**about, **fields, "version": _COUNT, **more}, problems=_LIST, brokenLinks=_LIST
    )


def _listed(rows: Schema, **more: Schema) -> Schema:
    return _object({"results": {"type": "array", "items": rows}, "total": _COUNT, **more})


_LINK_STATES = _object(
    {
        "links": {
            "type": "array",
            "items": _object(
                {
                    "type": _TEXT,
                    "direction": {"enum": ["out", "in"]},
                    "broken": {"type": ["boolean", "null"]},
                },
                target=_TEXT,
                source=_TEXT,
            ),
        }
    }
)
_ATTACHMENT = _object({"filename": _TEXT, "mimeType": _TEXT, "size": _COUNT, "addedAt": _TEXT})
_FILE = Operation("", query=HttpCollection, path="slug name")
_FILE_DELETED = _object({"filename": _TEXT, "deleted": {"enum": [True]}})
_DELETED = _object({"id": _TEXT, "deleted": {"enum": [True]}})


def _paths(kind: Kind) -> dict[str, Mapping[str, Operation]]:
    plural, taken, shown = FOLDERS[kind], TAKEN[kind], _item(kind)
    one, links = f"/api/{plural}/{{slug}}", f"/api/{plural}/{{slug}}/links"

    change = Operation(
        "", shown, query=HttpCollection, path="slug", is_versioned=True, takes_version=True
    )
    return {
        f"/api/{plural}": {
            "get": Operation(
                f"A page of {plural}.",
                _listed(_item(kind, text=False), limit=_COUNT, offset=_COUNT),
                query=taken.page,
            ),
            "post": Operation(
                f"Write down a {kind}.",
                shown,
                query=HttpCollection,
                body=taken.new,
                status="201",
                is_versioned=True,
            ),
        },
        f"/api/{plural}/search": {
            "get": Operation(f"Search {plural}.", ANSWER, query=takes.HttpOfKind)
        },
        f"/api/{plural}/linked": {
            "get": Operation(
                f"The {plural} that link to a node.",
                _listed(_item(kind, text=False, linkType=_TEXT)),
                query=takes.HttpLinked,
            )
        },
        one: {
            "get": replace(change, said=f"A {kind}, as its file says now.", takes_version=False),
            "patch": replace(change, said=f"Change fields of a {kind}.", body=taken.change),
            "delete": Operation(
                f"Remove a {kind} for good.",
                _DELETED,
                query=HttpCollection,
                path="slug",
                takes_version=True,
            ),
        },
        links: {
            "get": Operation(
                f"What a {kind} is linked with.", _LINK_STATES, query=HttpCollection, path="slug"
            ),
            "post": replace(change, said=f"Link a {kind} to a node.", body=takes.HttpLink),
            "delete": replace(change, said="Take links away.", query=takes.HttpUnlink),
        },
        f"{one}/attachments": {
            "get": Operation(
                f"The files beside a {kind}.",
                _object({"results": {"type": "array", "items": _ATTACHMENT}}),
                query=HttpCollection,
                path="slug",
            )
        },
        f"{one}/attachments/{{name}}": {
            "get": replace(_FILE, said="A file.", kind="*/*"),
            "put": replace(
                _FILE, said="Keep a file.", gives=_ATTACHMENT, status="201", takes_bytes=True
            ),
            "delete": replace(_FILE, said="Remove a file.", gives=_FILE_DELETED),
        },
        **(
            {
                f"{one}/reorder": {
                    "post": replace(change, said="Put a task elsewhere.", body=takes.HttpReorder)
                }
            }
            if kind is Kind.TASK
            else {}
        ),
        **(
            {f"{one}/bump": {"post": replace(change, said="Count a use.", takes_version=False)}}
            if kind is Kind.SKILL
            else {}
        ),
    }


def _bulk(said: str, counted: str, body: type[Strict]) -> Mapping[str, Operation]:
    return {"post": Operation(said, _object({counted: _COUNT}), query=HttpCollection, body=body)}


MEMORY: Mapping[str, Mapping[str, Operation]] = {
    **_paths(Kind.NOTE),
    **_paths(Kind.TASK),
    **_paths(Kind.SKILL),
    "/api/skills/recall": {
        "get": Operation("Skills for what is to be done.", ANSWER, query=takes.HttpRecall)
    },
    "/api/tasks/bulk/move": _bulk("Give tasks a status.", "moved", takes.HttpBulkMove),
    "/api/tasks/bulk/priority": _bulk("Give tasks a priority.", "updated", takes.HttpBulkPriority),
    "/api/tasks/bulk/delete": _bulk("Remove tasks.", "deleted", takes.HttpBulkDelete),
}
