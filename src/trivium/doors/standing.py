"""What a collection says of itself -> plain data, the same on every door."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivium.collection import Status


def status_data(now: Status) -> dict[str, object]:
    """Return a status with camelCase keys."""
    contents = now.contents
    return {
        "name": now.name,
        "root": now.root,
        "folder": now.folder,
        "files": contents.files,
        "nodes": contents.nodes,
        "edges": contents.edges,
        "chunks": contents.chunks,
        "skipped": dict(contents.skipped),
        "maskedSecrets": contents.masked,
        "indexedAt": contents.indexed_at,
        "dirtyFiles": now.dirty_files,
        "model": now.model,
        "modelProblem": now.problem or None,
        "queriesKept": now.queries,
        "spaces": [
            {
                "model": one.model_id,
                "dimension": one.dimension,
                "coverage": round(one.coverage, 4),
                "listed": one.listed
                and {
                    "lists": one.listed.lists,
                    "vectors": one.listed.vectors,
                    "scannedInFull": one.listed.scanned,
                },
            }
            for one in now.spaces
        ],
        "filling": now.filling
        and {
            "model": now.filling.model,
            "embedded": round(now.filling.embedded, 4),
            "texts": now.filling.texts,
            "secondsLeft": None if now.filling.seconds is None else round(now.filling.seconds),
        },
        "views": list(now.views),
        "seq": contents.seq,
        "branch": now.branch,
        "kinds": dict(now.census.kinds),
        "types": dict(now.census.types),
        "languages": dict(now.census.languages),
        "edgeTypes": dict(now.census.edges),
        "marks": dict(now.census.marks),
        "references": now.census.references,
        "linkedEdges": now.census.resolved,
        "unlinkedFiles": now.census.unlinked,
        "readAsPlainText": len(now.census.failures),
        "blankChunks": sum(now.blank.values()),
    }
