"""The tool set `core`: search, fetch, related, context and status.

Hits and items carry `title` and `url` as well, so that hosts which know the two tools search
and fetch alone can cite them. Each call reads one collection once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from trivium.doors import answers, together
from trivium.doors.answers import Asked, ContextRequest, Data, McpFetch, McpRelated, McpSearch
from trivium.doors.failures import RequestInvalid
from trivium.doors.mcp import address, schema
from trivium.doors.mcp.budget import Reply, fit, fit_context, fit_text
from trivium.doors.mcp.offer import Offer

if TYPE_CHECKING:
    from trivium.collection import Item
    from trivium.doors.upkeep import Upkeep
    from trivium.types import Answer, Hit

Collected = Annotated[
    str | None, Field(description="The collection to ask, if there are several; see status.")
]
_EMBER = "ember"


class Search(McpSearch):
    """A search, which may name its collection, or several."""

    collection: Annotated[
        str | None,
        Field(description="The collection to search, several with commas, or * for all."),
    ] = None


class Related(McpRelated):
    """The same for what is like a node."""

    collection: Collected = None


class Context(ContextRequest):
    """The same for packed text."""

    collection: Collected = None


class Fetch(McpFetch):
    """One node or chunk by its id, perhaps in parts."""

    collection: Collected = None
    max_tokens: Annotated[
        int | None,
        Field(ge=1, description="Most tokens of the result, text and data, at 4 characters each."),
    ] = None
    cursor: Annotated[
        str | None, Field(description="The next of the part before.", pattern=r"^\d{1,12}$")
    ] = None


class Status(answers.Strict):
    """Which collection is meant, if there are several."""

    collection: Collected = None


def search(kept: Sequence[Upkeep], request: Search) -> Reply:
    """Answer a query; what a budget cuts off can be had with a cursor."""
    asked = request.asked()
    answer = together.search(kept, asked)

    def next_after(shown: int) -> str | None:
        # Only a page that ends there has the cursor that goes on there.
        page = together.search(kept, replace(asked, options={**asked.options, "limit": shown}))
        same = [hit.id for hit in answer.results[:shown]] == [hit.id for hit in page.results]
        return page.next if same else None

    more = _in_seed_002(answer, asked) if answer.profile == _EMBER else _deprecated(answer)
    return fit(answer_data(answer), max_tokens=request.max_tokens, next_after=next_after, more=more)


def related(upkeep: Upkeep, request: Related) -> Reply:
    """Answer with what is like a node."""
    answer = upkeep.related(request.id, limit=request.limit)
    return fit(answer_data(answer), max_tokens=request.max_tokens)


def context(upkeep: Upkeep, request: Context) -> Reply:
    """Pack the lines that answer a question."""
    asked = request.asked()
    return fit_context(
        lambda most: upkeep.context(asked, max_tokens=most), max_tokens=request.max_tokens
    )


def fetch(upkeep: Upkeep, request: Fetch) -> Reply:
    """Return the text of a hit. Raises NotFound, also for what lies outside the folder."""
    item = upkeep.get(request.id)
    start = 0 if request.cursor is None else int(request.cursor)
    if start and start >= len(item.text):
        raise RequestInvalid(f"cursor: {start} is past the end; there are {len(item.text)}.")
    source = item.node.source
    head = f"{source.file_path}:{source.start_line}-{source.end_line}  {item.node.id}"
    return fit_text(
        item_data(upkeep.name, item),
        item.text,
        head=head,
        max_tokens=request.max_tokens,
        start=start,
    )


def status(upkeep: Upkeep, _: Status) -> Reply:
    """Say what a collection holds and how fresh it is."""
    from trivium.doors.standing import status_data

    now = upkeep.look(lambda collection: collection.status())
    contents, going = now.contents, upkeep.going
    progress: Data | None = None
    if going is not None:
        progress = {"stage": going.stage, "done": going.done, "total": going.total}
    data = {**status_data(now), "isReady": upkeep.is_ready, "progress": progress}
    ready = "ready" if upkeep.is_ready else "being indexed"
    lines = [
        f"{now.name}: {ready}, {contents.files:,} files, {contents.chunks:,} chunks, "
        f"{now.dirty_files:,} changed since.",
        ", ".join(f"{count:,} {name}" for name, count in now.census.kinds.items()),
        f"Meaning by {now.model}, {now.embedded:.0%} embedded.",
    ]
    if going is not None:
        lines.append(f"{going.stage}: {going.done:,} of {going.total:,}")
    return Reply(data, "\n".join(filter(None, lines)))


def answer_data(answer: Answer) -> Data:
    """Return an answer as every door gives it; each hit has a title and an address as well."""
    from trivium.results import present

    data = present.as_data(answer)
    data["results"] = [_cited(answer.collection, hit) for hit in answer.results]
    return data


def _cited(collection: str, hit: Hit) -> Data:
    from trivium.results.present import hit_data, label

    source = hit.node.source
    url = address.written(
        hit.collection or collection,
        source.file_path,
        start_line=source.start_line,
        end_line=source.end_line,
    )
    return {**hit_data(hit), "title": hit.node.title or label(hit.node), "url": url}


def item_data(collection: str, item: Item) -> Data:
    """Return a node with its text, a title that is never empty, and its address."""
    from trivium.results.present import label

    source = item.node.source
    url = address.written(
        collection, source.file_path, start_line=source.start_line, end_line=source.end_line
    )
    data = answers.item_data(item)
    return {**data, "title": item.node.title or label(item.node), "url": url}


def _deprecated(answer: Answer) -> dict[str, str]:
    return {hit.id: "deprecated" for hit in answer.results if is_deprecated(hit)}


def _in_seed_002(answer: Answer, asked: Asked) -> dict[str, str]:
    """Return what seed 002 shows of each hit: its category, the terms found, a link, a warning."""
    from trivium.ranking.points import points

    lines = {}
    for hit in answer.results:
        found = points(asked.query, title=hit.node.name, content=hit.text)
        said = [
            f"category {hit.node.domain or 'none'}",
            f"matched {found.matched}/{found.total}",
            str(_cited(answer.collection, hit)["url"]),
        ]
        lines[hit.id] = ", ".join([*said, "deprecated"] if is_deprecated(hit) else said)
    return lines


def is_deprecated(hit: Hit) -> bool:
    """Say whether its author wrote that it is not to be used any more."""
    decorators = hit.node.metadata.get("decorators", ())
    named = decorators if isinstance(decorators, tuple) else ()
    if any(one.rpartition(".")[2].partition("(")[0].lower() == "deprecated" for one in named):
        return True
    words = f"{hit.node.description}\n{hit.text}".lower()
    return "deprecated" in hit.node.tags or any(mark in words for mark in _DEPRECATIONS)


# As documentation tools write it, so that a text about deprecation is none.
_DEPRECATIONS = ("@deprecated", ".. deprecated::", "deprecated:", "#[deprecated", "[obsolete")


TOOLS = (
    Offer(
        "search",
        "Search the folder",
        "Find code, documents and files by words and meaning, best first. Each hit has an id "
        "for fetch, its place and the lines that matched.",
        Search,
        schema.CITED_ANSWER,
        search,
        is_of_many=True,
    ),
    Offer(
        "fetch",
        "Read one result",
        "Return the whole text of a hit, by its id or url; a path, or a name that only one symbol "
        "has, does as well.",
        Fetch,
        schema.CITED_ITEM,
        fetch,
        is_about_one=True,
    ),
    Offer(
        "related",
        "Find what is like a result",
        "Return what is like a hit, by its id: near in meaning, linked with it (calls, "
        "imports, mentions) or with the same. Nearly the same text is marked duplicate.",
        Related,
        schema.CITED_ANSWER,
        related,
        is_about_one=True,
    ),
    Offer(
        "context",
        "Read about a question",
        "Return the most useful lines about a question that fit into maxTokens, from several "
        "files at once: whole functions and sections where they fit, and the heads of what "
        "they call. Each piece says its path and lines.",
        Context,
        schema.CONTEXT,
        context,
    ),
    Offer(
        "status",
        "Say what is indexed",
        "Return what the collection holds, how fresh it is, what was skipped, and whether it is "
        "still being indexed.",
        Status,
        schema.STATUS,
        status,
        waits=False,
        names_all=True,
    ),
)
