"""The tool set `graph`: seed 003's searches of documents, code, notes, tasks, skills and files.

Names, arguments, ranges and keys are those of SEMANTICS.md H3 and D1; each search is one kind
of node, ranked by the profiles `graph`, `graph-files` and `graph-recall`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from trivium.doors.answers import MAX_QUERY_CHARACTERS, Asked, Data, Strict
from trivium.doors.mcp.budget import Reply
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, NUMBER, TEXT, TEXTS, Schema, keyed, listed

if TYPE_CHECKING:
    from trivium.doors.upkeep import Upkeep
    from trivium.lookups import FileFacts
    from trivium.types import Hit

Shape = Callable[["Hit", str], Data]

Count = Annotated[int | None, Field(ge=1, le=500)]
Share = Annotated[float | None, Field(ge=0, le=1, allow_inf_nan=False)]
Mode = Literal["hybrid", "vector", "keyword"]
Text = Annotated[str, Field(max_length=MAX_QUERY_CHARACTERS, description="What to look for.")]
# What is ranked before it is known which files are of the kind that is asked for.
_ALL_FILES = 500


class Search(Strict):
    """A search of one kind of node; what is left out is as the profile has it."""

    query: Text
    top_k: Annotated[Count, Field(description="How many nodes the walk starts from; 5.")] = None
    bfs_depth: Annotated[
        int | None, Field(ge=0, le=10, description="How many links it goes; 1.")
    ] = None
    max_results: Annotated[Count, Field(description="How many results; 5.")] = None
    min_score: Annotated[Share, Field(description="Least score, 0 to 1.")] = None
    bfs_decay: Annotated[Share, Field(description="What each link leaves of a score.")] = None
    search_mode: Annotated[Mode, Field(description="hybrid, vector or keyword.")] = "hybrid"


class CodeSearch(Search):
    """A search of code, which may bring the whole text of each symbol."""

    include_body: Annotated[bool, Field(description="true: with the code itself.")] = False


class Recall(Strict):
    """Skills for a task that is described."""

    context: Annotated[
        str, Field(max_length=MAX_QUERY_CHARACTERS, description="What is to be done.")
    ]
    top_k: Annotated[Count, Field(description="How many skills the walk starts from; 5.")] = None
    min_score: Annotated[Share, Field(description="Least score, 0 to 1; 0.3.")] = None
    search_mode: Annotated[Mode, Field(description="hybrid, vector or keyword.")] = "hybrid"


class FileSearch(Strict):
    """A search of files by their paths and what they export."""

    query: Text
    limit: Annotated[int, Field(ge=1, le=500, description="How many results.")] = 10
    min_score: Annotated[Share, Field(description="Least score, 0 to 1; 0.3.")] = None


def _searched(kind: str, shape: Shape) -> Callable[[Upkeep, Search], Reply]:
    """Return what answers a search of one kind."""

    def search(upkeep: Upkeep, request: Search) -> Reply:
        answer = upkeep.search(
            Asked.of(
                request.query,
                limit=request.max_results,
                profile="graph",
                kind=kind,
                seeds=request.top_k,
                bfs_depth=request.bfs_depth,
                bfs_decay=request.bfs_decay,
                min_score=request.min_score,
                search_mode=request.search_mode,
            )
        )
        has_body = isinstance(request, CodeSearch) and request.include_body
        return _reply(_shaped(upkeep, answer.results, shape, has_body=has_body))

    return search


def _recall(upkeep: Upkeep, request: Recall) -> Reply:
    answer = upkeep.search(
        Asked.of(
            request.context,
            profile="graph-recall",
            seeds=request.top_k,
            min_score=request.min_score,
            search_mode=request.search_mode,
        )
    )
    return _reply(_shaped(upkeep, answer.results, _skill, has_body=False))


def _shaped(upkeep: Upkeep, hits: Sequence[Hit], shape: Shape, *, has_body: bool) -> list[Data]:
    texts = upkeep.look(lambda collection: collection.texts([hit.node.id for hit in hits]))
    shown = []
    for hit in hits:
        text = texts.get(hit.node.id, hit.text)
        shown.append({**shape(hit, text), **({"body": text} if has_body else {})})
    return shown


def _doc(hit: Hit, text: str) -> Data:
    return {
        "id": hit.id,
        "fileId": hit.source.file_path,
        "title": hit.node.name,
        "content": text,
        "level": hit.node.metadata.get("level", 0),
        "score": hit.score,
    }


def _code(hit: Hit, _: str) -> Data:
    metadata = hit.node.metadata
    return {
        "id": hit.id,
        "fileId": hit.source.file_path,
        "kind": hit.node.type,
        "name": hit.node.name,
        "signature": metadata.get("signature", ""),
        "docComment": metadata.get("doc", hit.node.description),
        "startLine": hit.source.start_line,
        "endLine": hit.source.end_line,
        "score": hit.score,
    }


def _note(hit: Hit, text: str) -> Data:
    return _titled(hit, content=text)


def task(hit: Hit, _: str = "") -> Data:
    """Return what is said of a task, or an epic, that was found."""
    metadata = hit.node.metadata
    return _titled(
        hit,
        description=hit.node.description,
        status=metadata.get("status", ""),
        priority=metadata.get("priority", ""),
    )


def _skill(hit: Hit, _: str) -> Data:
    metadata = hit.node.metadata
    return _titled(
        hit,
        description=hit.node.description,
        source=metadata.get("source", "user"),
        confidence=metadata.get("confidence", 1.0),
        usageCount=metadata.get("usageCount", 0),
    )


def _titled(hit: Hit, **facts: object) -> Data:
    """Return what somebody wrote: its title and tags, with what its kind has beside them."""
    title = hit.node.title or hit.node.name
    return {"id": hit.id, "title": title, **facts, "tags": list(hit.node.tags), "score": hit.score}


def _code_files(upkeep: Upkeep, request: FileSearch) -> Reply:
    found = _files(upkeep, request, limit=_ALL_FILES)
    return _reply(
        [
            {"fileId": path, "symbolCount": facts.symbols, "score": hit.score}
            for hit, path, facts in found
            if facts.is_code
        ][: request.limit]
    )


def _doc_files(upkeep: Upkeep, request: FileSearch) -> Reply:
    found = _files(upkeep, request, limit=_ALL_FILES)
    return _reply(
        [
            {
                "fileId": path,
                "title": hit.node.title or hit.node.name,
                "chunks": facts.sections,
                "score": hit.score,
            }
            for hit, path, facts in found
            if facts.is_doc
        ][: request.limit]
    )


def _any_files(upkeep: Upkeep, request: FileSearch) -> Reply:
    return _reply(
        [
            {
                "filePath": path,
                "fileName": PurePosixPath(path).name,
                "extension": PurePosixPath(path).suffix,
                "language": hit.node.language,
                "size": facts.size_bytes,
                "score": hit.score,
            }
            for hit, path, facts in _files(upkeep, request, limit=request.limit)
        ]
    )


def _files(upkeep: Upkeep, request: FileSearch, *, limit: int) -> list[tuple[Hit, str, FileFacts]]:
    answer = upkeep.search(
        Asked.of(request.query, limit=limit, profile="graph-files", min_score=request.min_score)
    )
    paths = [hit.source.file_path for hit in answer.results]
    facts: Mapping[str, FileFacts] = upkeep.look(lambda collection: collection.files(paths))
    return [
        (hit, path, facts[path])
        for hit, path in zip(answer.results, paths, strict=True)
        if path in facts
    ]


def _reply(results: list[Data]) -> Reply:
    """Return a list with the same as text, which is all that this seed's clients read."""
    return Reply({"results": results}, json.dumps(results, ensure_ascii=False))


def _results(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    return keyed({"results": listed(keyed(required, **optional))})


_DOC = {"id": TEXT, "fileId": TEXT, "title": TEXT, "content": TEXT, "level": COUNT, "score": NUMBER}
_CODE = {
    "id": TEXT,
    "fileId": TEXT,
    "kind": TEXT,
    "name": TEXT,
    "signature": TEXT,
    "docComment": TEXT,
    "startLine": COUNT,
    "endLine": COUNT,
    "score": NUMBER,
}
_NOTE = {"id": TEXT, "title": TEXT, "content": TEXT, "tags": TEXTS, "score": NUMBER}
FOUND_TASK = {
    "id": TEXT,
    "title": TEXT,
    "description": TEXT,
    "status": TEXT,
    "priority": TEXT,
    "tags": TEXTS,
    "score": NUMBER,
}
_SKILL = {
    "id": TEXT,
    "title": TEXT,
    "description": TEXT,
    "source": TEXT,
    "confidence": NUMBER,
    "usageCount": COUNT,
    "tags": TEXTS,
    "score": NUMBER,
}
_FILE = {
    "filePath": TEXT,
    "fileName": TEXT,
    "extension": TEXT,
    "language": TEXT,
    "size": COUNT,
    "score": NUMBER,
}

TOOLS = (
    Offer(
        "docs_search",
        "Search documents",
        "Find sections of documents by words, meaning and what they are linked with.",
        Search,
        _results(_DOC),
        _searched("doc", _doc),
    ),
    Offer(
        "code_search",
        "Search code",
        "Find functions, classes and other symbols by words, meaning and what they are linked "
        "with. includeBody brings the code itself.",
        CodeSearch,
        _results(_CODE, body=TEXT),
        _searched("code", _code),
    ),
    Offer(
        "notes_search",
        "Search notes",
        "Find notes by words, meaning and what they are linked with.",
        Search,
        _results(_NOTE),
        _searched("note", _note),
    ),
    Offer(
        "tasks_search",
        "Search tasks",
        "Find tasks by words, meaning and what they are linked with.",
        Search,
        _results(FOUND_TASK),
        _searched("task", task),
    ),
    Offer(
        "skills_search",
        "Search skills",
        "Find skills by words, meaning and what they are linked with.",
        Search,
        _results(_SKILL),
        _searched("skill", _skill),
    ),
    Offer(
        "skills_recall",
        "Recall skills for a task",
        "Find the skills that help with a task, by a description of it.",
        Recall,
        _results(_SKILL),
        _recall,
    ),
    Offer(
        "code_search_files",
        "Search files of code",
        "Find files of code by their paths and what they export.",
        FileSearch,
        _results({"fileId": TEXT, "symbolCount": COUNT, "score": NUMBER}),
        _code_files,
    ),
    Offer(
        "docs_search_files",
        "Search files of documents",
        "Find documents by their paths and titles.",
        FileSearch,
        _results({"fileId": TEXT, "title": TEXT, "chunks": COUNT, "score": NUMBER}),
        _doc_files,
    ),
    Offer(
        "files_search",
        "Search all files",
        "Find files of any kind by their paths.",
        FileSearch,
        _results(_FILE),
        _any_files,
    ),
)
