"""What tools give, as JSON schemas.

The schema of an answer names the keys of `results.present`, a test holds the two together; what
tools take comes from the models that check it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
COUNT_OR_NULL: Schema = {"type": ["integer", "null"], "minimum": 0}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def keyed(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    """Return the schema of an object; other keys may come with a later release."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
    }


def listed(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


SOURCE = keyed({"filePath": TEXT, "startLine": COUNT, "endLine": COUNT})
_PASSAGE = keyed({"id": TEXT, "score": NUMBER, "startLine": COUNT, "endLine": COUNT})
HIT = keyed(
    {
        "id": TEXT,
        "chunkId": TEXT,
        "kind": TEXT,
        "type": TEXT,
        "name": TEXT,
        "title": TEXT,
        "description": TEXT,
        "language": TEXT,
        "score": NUMBER,
        "scoreType": TEXT,
        "confidence": {"type": ["number", "null"]},
        "weak": {"type": "boolean"},
        "source": SOURCE,
        "snippet": TEXT,
        "snippetLine": COUNT,
        "highlights": listed(listed(COUNT)),
        "reason": TEXT,
        "passages": listed(_PASSAGE),
        "tags": TEXTS,
        "context": {"type": ["object", "null"]},
    },
    scoreBreakdown={"type": "object"},
    duplicate={"type": "boolean"},
    evidence={"type": "object"},
)
ANSWER = keyed(
    {
        "query": TEXT,
        "profile": TEXT,
        "method": TEXT,
        "embedder": TEXT,
        "collection": TEXT,
        "results": listed(HIT),
        "total": COUNT,
        "facets": {"type": "object", "additionalProperties": COUNTS},
        "suggestions": TEXTS,
        "didYouMean": TEXT_OR_NULL,
        "coverage": keyed(
            {"files": COUNT, "skipped": COUNTS, "embedded": NUMBER, "maskedSecrets": COUNT}
        ),
        "freshness": keyed({"indexedAt": TEXT, "dirtyFiles": COUNT}),
        "degraded": listed(keyed({"stage": TEXT, "reason": TEXT})),
        "notes": TEXTS,
        "tookMs": NUMBER,
        "next": TEXT_OR_NULL,
    },
    matching=COUNT_OR_NULL,
)
ITEM = keyed(
    {
        "id": TEXT,
        "kind": TEXT,
        "type": TEXT,
        "name": TEXT,
        "title": TEXT,
        "description": TEXT,
        "domain": TEXT,
        "language": TEXT,
        "source": SOURCE,
        "tags": TEXTS,
        "metadata": {"type": "object"},
        "sections": listed(keyed({"heading": TEXT, "preview": TEXT, "level": {"type": "integer"}})),
        "chunks": TEXTS,
        "edges": listed(
            keyed(
                {
                    "source": TEXT,
                    "target": TEXT,
                    "type": TEXT,
                    "weight": {"type": "number"},
                    "context": TEXT,
                }
            )
        ),
        "text": TEXT,
    }
)

CONTEXT = keyed(
    {
        "query": TEXT,
        "profile": TEXT,
        "method": TEXT,
        "embedder": TEXT,
        "collection": TEXT,
        "coverage": ANSWER["properties"]["coverage"],
        "freshness": ANSWER["properties"]["freshness"],
        "degraded": ANSWER["properties"]["degraded"],
        "notes": TEXTS,
        "tookMs": NUMBER,
        "maxTokens": COUNT,
        "tokens": COUNT,
        "pieces": listed(
            keyed(
                {
                    "path": TEXT,
                    "startLine": COUNT,
                    "endLine": COUNT,
                    "id": TEXT,
                    "isCut": {"type": "boolean"},
                }
            )
        ),
        "leftOut": keyed({"hits": COUNT, "next": TEXTS}),
    }
)


def _with(schema: Schema, **more: Schema) -> Schema:
    """Return the schema of an object with more keys, all of them always there."""
    return {
        **schema,
        "properties": {**schema["properties"], **more},
        "required": [*schema["required"], *more],
    }


# As agents get them: each can be cited, and a long text read in parts.
CITED_HIT = _with(HIT, url=TEXT)
CITED_ANSWER = {
    **ANSWER,
    "properties": {**ANSWER["properties"], "results": listed(CITED_HIT)},
}
CITED_ITEM = _with(ITEM, url=TEXT, notes=TEXTS, next=TEXT_OR_NULL)

STATUS = keyed(
    {
        "name": TEXT,
        "files": COUNT,
        "nodes": COUNT,
        "edges": COUNT,
        "chunks": COUNT,
        "skipped": COUNTS,
        "indexedAt": TEXT,
        "dirtyFiles": COUNT,
        "model": TEXT,
        "kinds": COUNTS,
        "languages": COUNTS,
        "branch": TEXT,
        "isReady": {"type": "boolean"},
        "progress": {"type": ["object", "null"]},
        "collections": TEXTS,
    }
)
