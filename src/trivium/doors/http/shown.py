"""The shapes of what the server answers, as JSON schemas."""

from __future__ import annotations

from trivium.doors.mcp.schema import ANSWER, CONTEXT, ITEM, Schema

__all__ = [
    "ANSWER",
    "CONTEXT",
    "ITEM",
    "XPLOR",
    "FILE",
    "GRAPH",
    "STATUS",
    "PROFILES",
    "COLLECTION",
    "COLLECTIONS",
    "REMOVED",
    "JUDGEMENT",
    "JUDGEMENTS",
    "HEALTH",
    "ERROR",
]

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_YES_OR_NO: Schema = {"type": "boolean"}
_COUNTS: Schema = {"type": "object", "additionalProperties": _COUNT}


def _object(required: Schema, **optional: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_SOURCE = _object({"filePath": _TEXT, "startLine": _COUNT, "endLine": _COUNT})
XPLOR = _object(
    {
        "results": _list_of(
            _object(
                {
                    "id": _TEXT,
                    "name": _TEXT,
                    "type": _TEXT,
                    "score": _NUMBER,
                    "description": _TEXT,
                    "source": _object({"filePath": _TEXT, "startLine": _COUNT}),
                    "level": _COUNT,
                }
            )
        ),
        "total": _COUNT,
        "method": _TEXT,
    }
)
FILE = _object(
    {
        "path": _TEXT,
        "language": _TEXT,
        "startLine": _COUNT,
        "endLine": _COUNT,
        "totalLines": _COUNT,
        "text": _TEXT,
        "masked": _COUNT,
    }
)
GRAPH = _object(
    {
        "nodes": _list_of(
            _object(
                {
                    "id": _TEXT,
                    "kind": _TEXT,
                    "type": _TEXT,
                    "name": _TEXT,
                    "source": _SOURCE,
                    "depth": _COUNT,
                }
            )
        ),
        "edges": _list_of(
            _object({"source": _TEXT, "target": _TEXT, "type": _TEXT, "weight": _NUMBER})
        ),
        "total": _COUNT,
        "truncated": _YES_OR_NO,
    }
)
STATUS = _object(
    {
        "name": _TEXT,
        "root": _TEXT,
        "folder": _TEXT,
        "files": _COUNT,
        "nodes": _COUNT,
        "edges": _COUNT,
        "chunks": _COUNT,
        "skipped": _COUNTS,
        "maskedSecrets": _COUNT,
        "indexedAt": _TEXT,
        "dirtyFiles": _COUNT,
        "model": _TEXT,
        "modelProblem": _TEXT_OR_NULL,
        "queriesKept": _COUNT,
        "spaces": _list_of(
            _object(
                {
                    "model": _TEXT,
                    "dimension": _COUNT,
                    "coverage": _NUMBER,
                    "listed": _or_null(
                        _object({"lists": _COUNT, "vectors": _COUNT, "scannedInFull": _COUNT})
                    ),
                }
            )
        ),
        "filling": _or_null(
            _object(
                {
                    "model": _TEXT,
                    "embedded": _NUMBER,
                    "texts": _COUNT,
                    "secondsLeft": _or_null(_COUNT),
                }
            )
        ),
        "views": _list_of(_TEXT),
        "seq": _COUNT,
        "branch": _TEXT,
        "kinds": _COUNTS,
        "types": _COUNTS,
        "languages": _COUNTS,
        "edgeTypes": _COUNTS,
        "marks": _COUNTS,
        "references": _COUNT,
        "linkedEdges": _COUNT,
        "unlinkedFiles": _COUNT,
        "readAsPlainText": _COUNT,
        "blankChunks": _COUNT,
        "skippedFiles": _list_of(_object({"path": _TEXT, "reason": _TEXT})),
        "progress": _or_null(_object({"stage": _TEXT, "done": _COUNT, "total": _COUNT})),
        "mayWrite": {"type": "boolean"},
    },
    slowQueries=_list_of(_object({"tookMs": _NUMBER, "query": _TEXT, "at": _TEXT})),
)
PROFILES = _object(
    {"profiles": _list_of(_object({"name": _TEXT, "description": _TEXT})), "default": _TEXT}
)
COLLECTION = _object(
    {
        "name": _TEXT,
        "folder": _TEXT,
        "files": _COUNT,
        "chunks": _COUNT,
        "indexedAt": _TEXT_OR_NULL,
        "isDefault": _YES_OR_NO,
    }
)
COLLECTIONS = _object({"collections": _list_of(COLLECTION)})
REMOVED = _object({"removed": _TEXT})
_RELEVANCE: Schema = {"type": ["integer", "null"], "enum": [0, 1, None]}
JUDGEMENT = _object({"query": _TEXT, "id": _TEXT, "relevance": _RELEVANCE})
JUDGEMENTS = _object(
    {
        "judgements": _list_of(
            _object({"query": _TEXT, "id": _TEXT, "relevance": {"enum": [0, 1]}, "at": _TEXT})
        )
    }
)
HEALTH = _object({"status": {"enum": ["ok", "indexing"]}, "version": _TEXT}, collection=_TEXT)
ERROR = _object({"error": _object({"type": _TEXT, "message": _TEXT})})
