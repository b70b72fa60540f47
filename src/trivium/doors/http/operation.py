"""One endpoint as /openapi.json describes it: what it is for, takes and gives."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from trivium.doors.mcp.schema import Schema


@dataclass(frozen=True, slots=True)
class Operation:
    """An endpoint. `path` names what stands in its address, with spaces between.

    `has_etag` says that it may be asked again at less cost, `is_versioned` that the ETag is a
    version, `takes_version` that a change can be made for that version only, and `takes_bytes`
    that the body is a file.
    """

    said: str
    gives: Schema | None = None
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    path: str = ""
    kind: str = "application/json"
    status: str = "200"
    has_etag: bool = False
    is_open: bool = False
    is_versioned: bool = False
    takes_version: bool = False
    takes_bytes: bool = False
