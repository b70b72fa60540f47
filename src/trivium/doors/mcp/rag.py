"""The tool set `rag`: seed 004's search, get and get_project_info, by its own names.

A hit is a chunk. Names, keys and errors are those of SEMANTICS.md E2; nothing is added to them.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from trivium.doors.answers import MAX_QUERY_CHARACTERS, Asked, Data, Strict
from trivium.doors.mcp import address
from trivium.doors.mcp.budget import Reply
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, NUMBER, TEXT, keyed, listed
from trivium.errors import ChunkNotFound

if TYPE_CHECKING:
    from trivium.collection import Collection, Item, Status
    from trivium.doors.upkeep import Upkeep
    from trivium.types import Hit, Node

_PROFILE = "rag"
_LOCAL = "local"
_NONE = "none"


class Filters(Strict):
    """Which files are searched."""

    source_type: Annotated[
        str | None, Field(alias="source_type", description="The ending of the file: md.")
    ] = None
    path_prefix: Annotated[
        str | None, Field(alias="path_prefix", description="How the path begins: docs/.")
    ] = None


class Search(Strict):
    """A question to all chunks."""

    query: Annotated[str, Field(max_length=MAX_QUERY_CHARACTERS, description="What to look for.")]
    top_k: Annotated[int, Field(alias="top_k", ge=1, le=100, description="How many results.")] = 10
    filters: Annotated[Filters | None, Field(description="Which files to search.")] = None


class Get(Strict):
    """One chunk."""

    chunk_id: Annotated[
        str, Field(alias="chunk_id", min_length=1, description="The id of a result.")
    ]


class Nothing(Strict):
    """No arguments at all."""


def search(upkeep: Upkeep, request: Search) -> Reply:
    """Return the best chunks."""
    given = {} if request.filters is None else request.filters.model_dump(by_alias=True)
    filters = {name: value for name, value in given.items() if value is not None}
    answer = upkeep.search(
        Asked.of(request.query, limit=request.top_k, profile=_PROFILE, filters=filters)
    )
    return _as_text({"results": [_hit(one) for one in answer.results]})


def get(upkeep: Upkeep, request: Get) -> Reply:
    """Return the text of a chunk. Raises ChunkNotFound."""
    wanted = request.chunk_id

    def chunk_of(collection: Collection) -> Item:
        item = collection.get(wanted)
        is_chunk = len(item.chunks) == 1 and item.chunks[0].id == wanted
        if not is_chunk or not address.is_inside(collection, item.node.source.file_path):
            raise ChunkNotFound(wanted)
        return item

    item = upkeep.look(chunk_of)
    metadata = _place(item.node) | {"chunk_index": int(wanted.rpartition("@")[2])}
    return _as_text({"chunk_id": wanted, "text": item.text, "metadata": metadata})


def get_project_info(upkeep: Upkeep, _: Nothing) -> Reply:
    """Say what the index is and what embeds its texts."""
    now = upkeep.look(lambda collection: collection.status())
    provider, model = _embedding(now.model)
    return _as_text(
        {
            "collection_name": now.name,
            "document_count": now.contents.files,
            "tantivy_index_dir": str(Path(now.folder) / "text"),
            "embedding_provider": provider,
            "embedding_model": model,
            "embedding_dimension": _dimension(now),
        }
    )


def _hit(hit: Hit) -> Data:
    return {
        "chunk_id": hit.chunk_id,
        "score": hit.score,
        **_place(hit.node),
        "snippet": hit.snippet,
    }


def _place(node: Node) -> Data:
    path = PurePosixPath(node.source.file_path)
    return {
        "title": node.title or path.name,
        "source_path": str(path),
        "source_type": path.suffix.removeprefix("."),
    }


def _embedding(model: str) -> tuple[str, str]:
    """Return who embeds and by what: openai:text-embedding-3-small has both in its name."""
    provider, colon, name = model.partition(":")
    if colon and provider == "openai":
        return provider, name
    return (_NONE, _NONE) if model == _NONE else (_LOCAL, model)


def _dimension(now: Status) -> int:
    """Return the length of the vectors that cover most; 0 without any."""
    best = max(now.spaces, key=lambda one: (one.coverage, one.model_id), default=None)
    return 0 if best is None else best.dimension


def _as_text(data: Data) -> Reply:
    """Return data with the same as text, which is all that this seed's clients read."""
    return Reply(data, json.dumps(data, ensure_ascii=False))


_PLACE = {"title": TEXT, "source_path": TEXT, "source_type": TEXT}
_METADATA = keyed({**_PLACE, "chunk_index": COUNT})

TOOLS = (
    Offer(
        "search",
        "Search the chunks",
        "Search documents by words and meaning. Each result has a chunk_id for get.",
        Search,
        keyed(
            {
                "results": listed(
                    keyed({"chunk_id": TEXT, "score": NUMBER, **_PLACE, "snippet": TEXT})
                )
            }
        ),
        search,
        is_strict=True,
    ),
    Offer(
        "get",
        "Read one chunk",
        "Return the whole text of a chunk, by its chunk_id.",
        Get,
        keyed(
            {"chunk_id": TEXT, "text": TEXT, "metadata": keyed({**_PLACE, "chunk_index": COUNT})}
        ),
        get,
        is_strict=True,
    ),
    Offer(
        "get_project_info",
        "Say what is indexed",
        "Return the name of the collection, how many documents it has and what embeds them.",
        Nothing,
        keyed(
            {
                "collection_name": TEXT,
                "document_count": COUNT,
                "tantivy_index_dir": TEXT,
                "embedding_provider": TEXT,
                "embedding_model": TEXT,
                "embedding_dimension": COUNT,
            }
        ),
        get_project_info,
        is_strict=True,
    ),
)
