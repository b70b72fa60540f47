"""What each tool takes and gives, as JSON schemas.

Requests come from the models that check them. The schema of an answer names the keys of
`results.present`; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trivium.doors.answers import ContextRequest, McpFetch, McpRelated, McpSearch

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_COUNTS: Schema = {"type": "object", "additionalProperties": _COUNT}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def _object(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
    }


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_SOURCE = _object({"filePath": _TEXT, "startLine": _COUNT, "endLine": _COUNT})
_PASSAGE = _object({"id": _TEXT, "score": _NUMBER, "startLine": _COUNT, "endLine": _COUNT})
HIT = _object(
    {
        "id": _TEXT,
        "chunkId": _TEXT,
        "kind": _TEXT,
        "type": _TEXT,
        "name": _TEXT,
        "title": _TEXT,
        "description": _TEXT,
        "language": _TEXT,
        "score": _NUMBER,
        "scoreType": _TEXT,
        "confidence": {"type": ["number", "null"]},
        "weak": {"type": "boolean"},
        "source": _SOURCE,
        "snippet": _TEXT,
        "snippetLine": _COUNT,
        "highlights": _list_of(_list_of(_COUNT)),
        "reason": _TEXT,
        "passages": _list_of(_PASSAGE),
        "tags": _TEXTS,
        "context": {"type": ["object", "null"]},
    },
    scoreBreakdown={"type": "object"},
    duplicate={"type": "boolean"},
    evidence={"type": "object"},
)
ANSWER = _object(
    {
        "query": _TEXT,
        "profile": _TEXT,
        "method": _TEXT,
        "embedder": _TEXT,
        "collection": _TEXT,
        "results": _list_of(HIT),
        "total": _COUNT,
        "facets": {"type": "object", "additionalProperties": _COUNTS},
        "suggestions": _TEXTS,
        "didYouMean": _TEXT_OR_NULL,
        "coverage": _object(
            {"files": _COUNT, "skipped": _COUNTS, "embedded": _NUMBER, "maskedSecrets": _COUNT}
        ),
        "freshness": _object({"indexedAt": _TEXT, "dirtyFiles": _COUNT}),
        "degraded": _list_of(_object({"stage": _TEXT, "reason": _TEXT})),
        "notes": _TEXTS,
        "tookMs": _NUMBER,
        "next": _TEXT_OR_NULL,
    }
)
ITEM = _object(
    {
        "id": _TEXT,
        "kind": _TEXT,
        "type": _TEXT,
        "name": _TEXT,
        "title": _TEXT,
        "description": _TEXT,
        "domain": _TEXT,
        "language": _TEXT,
        "source": _SOURCE,
        "tags": _TEXTS,
        "metadata": {"type": "object"},
        "sections": _list_of(
            _object({"heading": _TEXT, "preview": _TEXT, "level": {"type": "integer"}})
        ),
        "chunks": _TEXTS,
        "edges": _list_of(
            _object(
                {
                    "source": _TEXT,
                    "target": _TEXT,
                    "type": _TEXT,
                    "weight": {"type": "number"},
                    "context": _TEXT,
                }
            )
        ),
        "text": _TEXT,
    }
)

CONTEXT = _object(
    {
        "query": _TEXT,
        "profile": _TEXT,
        "method": _TEXT,
        "embedder": _TEXT,
        "collection": _TEXT,
        "coverage": ANSWER["properties"]["coverage"],
        "freshness": ANSWER["properties"]["freshness"],
        "degraded": ANSWER["properties"]["degraded"],
        "notes": _TEXTS,
        "tookMs": _NUMBER,
        "maxTokens": _COUNT,
        "tokens": _COUNT,
        "pieces": _list_of(
            _object(
                {
                    "path": _TEXT,
                    "startLine": _COUNT,
                    "endLine": _COUNT,
                    "id": _TEXT,
                    "isCut": {"type": "boolean"},
                }
            )
        ),
        "leftOut": _object({"hits": _COUNT, "next": _TEXTS}),
    }
)


def search_input() -> Schema:
    """Return the schema of a search's arguments."""
    return McpSearch.model_json_schema(by_alias=True)


def fetch_input() -> Schema:
    """Return the schema of a fetch's arguments."""
    return McpFetch.model_json_schema(by_alias=True)


def related_input() -> Schema:
    """Return the schema of what `related` takes."""
    return McpRelated.model_json_schema(by_alias=True)


def context_input() -> Schema:
    """Return the schema of a context's arguments."""
    return ContextRequest.model_json_schema(by_alias=True)
