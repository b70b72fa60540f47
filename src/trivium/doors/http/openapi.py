"""The request models and the shapes of answers -> /openapi.json.

What an endpoint takes comes from the model that checks it, so that the two cannot differ; what it
gives is written here, and a test holds it to the answers of a running server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel

from trivium import __version__
from trivium.asked import MODES
from trivium.doors.answers import HttpCollection, HttpContext, HttpRelated, HttpSearch
from trivium.doors.http.memory_paths import MEMORY
from trivium.doors.http.operation import Operation
from trivium.doors.http.requests import (
    HttpFile,
    HttpFolder,
    HttpJudgement,
    HttpJudgements,
    HttpName,
    HttpNeighbors,
)
from trivium.doors.http.shown import (
    ANSWER,
    COLLECTION,
    COLLECTIONS,
    CONTEXT,
    ERROR,
    FILE,
    GRAPH,
    HEALTH,
    ITEM,
    JUDGEMENT,
    JUDGEMENTS,
    PROFILES,
    REMOVED,
    STATUS,
    XPLOR,
)
from trivium.filtering.fields import FIELDS
from trivium.types import EdgeType, Kind

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NULL: Schema = {"type": "null"}
# What a model says in words only, because other doors share it.
_CHOICES: Mapping[str, Sequence[str]] = {
    "mode": tuple(MODES),
    "searchMode": ("hybrid", "vector", "keyword"),
    "sort": ("relevance", "newest", "path"),
    "expand": ("none", "context"),
    "group": ("file", "node", "none"),
}
_LINK = "|".join(one.value for one in EdgeType)
_LINKS = f"^({_LINK})(,({_LINK}))*$"
_KINDS: Schema = {"type": "string", "enum": [one.value for one in Kind]}
_STATUSES: Mapping[str, str] = {
    "400": "The request cannot be met as it was made.",
    "401": "A token is needed.",
    "403": "The token may not do this, or the Host or Origin is refused.",
    "404": "There is no such thing.",
    "408": "The body did not come in time.",
    "409": "The index cannot be used as it is, or others changed what the change was for.",
    "413": "The body is larger than 1,000,000 bytes, of a file 10,000,000.",
    "422": "A key is unknown, or has a wrong type or value.",
    "429": "Too many requests.",
    "500": "Something unexpected happened; the log says where.",
    "502": "The store or the model failed.",
    "503": "Too much is asked at once; see Retry-After.",
    "504": "It took too long and was ended.",
}
_OF_BODIES = ("408", "413")
_IF_MATCH: Schema = {
    "name": "If-Match",
    "in": "header",
    "description": "The version that the change is for.",
    "schema": {"type": "string", "pattern": r'^("[0-9]{1,9}"|\*)$'},
}


_PATHS: Mapping[str, Mapping[str, Operation]] = {
    "/api/search": {
        "get": Operation("Search.", ANSWER, query=HttpSearch, has_etag=True),
        "post": Operation("Search, the question in a body.", ANSWER, body=HttpSearch),
    },
    "/api/context": {
        "post": Operation("The text that answers, within tokens.", CONTEXT, body=HttpContext)
    },
    "/api/related": {
        "get": Operation("What is like a node.", ANSWER, query=HttpRelated, has_etag=True)
    },
    "/api/nodes/{id}": {
        "get": Operation(
            "A node or chunk with its text.", ITEM, query=HttpCollection, path="id", has_etag=True
        )
    },
    "/api/file": {"get": Operation("Lines of a file.", FILE, query=HttpFile, has_etag=True)},
    "/api/neighbors": {
        "get": Operation("What is linked with a node.", GRAPH, query=HttpNeighbors, has_etag=True)
    },
    "/api/status": {"get": Operation("What is indexed.", STATUS, query=HttpCollection)},
    "/api/profiles": {"get": Operation("The ways to rank.", PROFILES, query=HttpCollection)},
    "/api/collections": {
        "get": Operation("The collections of this server.", COLLECTIONS),
        "post": Operation("Serve one more folder.", COLLECTION, body=HttpFolder, status="201"),
        "delete": Operation("Serve a collection no more.", REMOVED, query=HttpName),
    },
    "/api/collections/{name}/sync": {
        "post": Operation(
            "Go through a folder; progress comes as events.", path="name", kind="text/event-stream"
        )
    },
    **MEMORY,
    "/api/judgements": {
        "get": Operation("What was said of hits.", JUDGEMENTS, query=HttpJudgements),
        "post": Operation("Say whether a hit answers.", JUDGEMENT, body=HttpJudgement),
    },
    "/health": {"get": Operation("Whether the server is up.", HEALTH, is_open=True)},
    "/metrics": {"get": Operation("Figures for Prometheus.", kind="text/plain")},
    "/openapi.json": {"get": Operation("This document.", {"type": "object"})},
}


@cache
def document() -> Schema:
    """Return the description of every endpoint."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Trivium", "version": __version__},
        "paths": {
            path: {method: _operation(one) for method, one in methods.items()}
            for path, methods in _PATHS.items()
        },
        "components": {
            "schemas": {"Error": ERROR},
            "responses": {
                status: {"description": said, "content": _content("#/components/schemas/Error")}
                for status, said in _STATUSES.items()
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Operation) -> Schema:
    shown: Schema = {"summary": one.said, "responses": _responses(one)}
    # Without a token where the server listens on its own machine alone.
    shown["security"] = [] if one.is_open else [{}, {"token": []}]
    parameters = [] if one.query is None else _parameters(one.query)
    parameters += [
        {"name": name, "in": "path", "required": True, "schema": _TEXT | {"minLength": 1}}
        for name in one.path.split()
    ]
    if one.takes_version:
        parameters.append(_IF_MATCH)
    if _is_search(one):
        parameters.append(
            {"name": "fields", "in": "query", "schema": {"type": "string", "enum": ["xplor"]}}
        )
    if parameters:
        shown["parameters"] = parameters
    if one.body is not None:
        content = {"application/json": {"schema": _body(one.body)}}
        shown["requestBody"] = {"required": True, "content": content}
    if one.takes_bytes:
        shown["requestBody"] = {"required": True, "content": {"application/octet-stream": {}}}
    return shown


def _responses(one: Operation) -> Schema:
    gives = one.gives
    if _is_search(one):
        gives = {"anyOf": [ANSWER, XPLOR]}
    content: Schema = {} if gives is None else {"schema": gives}
    well: Schema = {"description": "Well.", "content": {one.kind: content}}
    if one.has_etag or one.is_versioned:
        well["headers"] = {"ETag": {"schema": _TEXT}}
    found: Schema = {one.status: well}
    if one.has_etag:
        found["304"] = {"description": "What the client has is right."}
    for status in _STATUSES:
        if one.body is not None or one.takes_bytes or status not in _OF_BODIES:
            found[status] = {"$ref": f"#/components/responses/{status}"}
    return found


def _is_search(one: Operation) -> bool:
    return HttpSearch in (one.query, one.body)


def _content(reference: str) -> Schema:
    return {"application/json": {"schema": {"$ref": reference}}}


def _body(model: type[BaseModel]) -> Schema:
    schema = _schema(model)
    shown = {name: _with_choices(name, one) for name, one in schema["properties"].items()}
    return {**schema, "properties": shown}


def _parameters(model: type[BaseModel]) -> list[Schema]:
    """Return what a model takes as it stands in a query string: no null, `q` for the query."""
    schema = _schema(model)
    required = schema.get("required", ())
    found: list[Schema] = []
    for name, one in schema["properties"].items():
        shown = _with_choices(name, _without_null(one))
        parameter: Schema = {
            "name": "q" if name == "query" else name,
            "in": "query",
            "required": name in required,
        }
        if name == "filters":
            parameter["content"] = {"application/json": {"schema": shown}}
        else:
            parameter["schema"] = shown
        if "description" in shown:
            parameter["description"] = shown.pop("description")
        found.append(parameter)
    return found


def _schema(model: type[BaseModel]) -> Schema:
    schema = model.model_json_schema(by_alias=True)
    named = {f"#/$defs/{name}": one for name, one in schema.get("$defs", {}).items()}
    properties = {
        name: {key: value for key, value in _inlined(one, named).items() if key != "title"}
        for name, one in schema["properties"].items()
        if one.get("type") != "null"
    }
    kept = {"type": "object", "additionalProperties": False, "properties": properties}
    return kept | ({"required": schema["required"]} if "required" in schema else {})


def _inlined(schema: Any, named: Mapping[str, Schema]) -> Any:  # noqa: ANN401 - any part of one
    """Return a schema that refers to no other: what it is taken out of has none beside it."""
    if isinstance(schema, list):
        return [_inlined(one, named) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(named[schema["$ref"]], named)
    return {key: _inlined(one, named) for key, one in schema.items()}


def _without_null(one: Schema) -> Schema:
    choices = [choice for choice in one.get("anyOf", ()) if choice.get("type") != "null"]
    rest = {key: value for key, value in one.items() if key not in ("anyOf", "default")}
    if "default" in one and one["default"] is not None:
        rest["default"] = one["default"]
    if not choices:
        return rest
    return rest | (choices[0] if len(choices) == 1 else {"anyOf": choices})


def _with_choices(name: str, one: Schema) -> Schema:
    """Return what a key takes, with what its model says in words only."""
    if name == "kind":
        return _kinds(one)
    if name == "filters":
        return _filters(one)
    if name == "types":
        return one | {"pattern": _LINKS}
    if name not in _CHOICES or "enum" in one:
        return one
    choices = list(_CHOICES[name])
    if "anyOf" in one:
        return {**one, "anyOf": [{"type": "string", "enum": choices}, _NULL]}
    return {**one, "enum": choices}


def _kinds(one: Schema) -> Schema:
    many: Schema = {"type": "array", "items": _KINDS}
    null = [_NULL] if _NULL in one.get("anyOf", ()) else []
    return {**one, "anyOf": [_KINDS, many, *null]}


def _filters(one: Schema) -> Schema:
    names = {"propertyNames": {"enum": list(FIELDS)}}
    if "anyOf" not in one:
        return one | names
    return {
        **one,
        "anyOf": [choice if choice == _NULL else choice | names for choice in one["anyOf"]],
    }
