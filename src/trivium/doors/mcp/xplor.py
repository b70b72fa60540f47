"""The tool set `xplor`: seed 000's searches, look-ups in the graph and walks over it.

Names and arguments are those of SEMANTICS.md H1; a word is 1.3 tokens here. Each node says the
level at which it is shown, 0 to 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from trivium.doors.answers import Asked, Data, Strict, as_xplor
from trivium.doors.mcp import xplor_links
from trivium.doors.mcp.budget import Reply
from trivium.doors.mcp.levels import NODE, NOTHING, SCAN, after, fitted, node_data, node_text
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, NUMBER, TEXT, TEXTS, keyed, listed
from trivium.doors.mcp.xplor_links import Budget, Text

if TYPE_CHECKING:
    from trivium.collection import Collection
    from trivium.doors.upkeep import Upkeep
    from trivium.results.pack import Disclosed

_PROFILE = "xplor"
_SCANNED = 20


class Search(Strict):
    """A search of nodes."""

    query: Text
    limit: Annotated[int, Field(ge=1, le=100, description="How many nodes.")] = 10
    deep_search: Annotated[bool, Field(description="true: also in whole contents.")] = False


class Query(Strict):
    """A question."""

    question: Text
    max_tokens: Budget = None


class Scan(Strict):
    """A cheap look round."""

    query: Text
    domain: Annotated[str | None, Field(description="Only nodes of this domain.")] = None
    max_tokens: Budget = None


def search(upkeep: Upkeep, request: Search) -> Reply:
    """Return the best nodes with what they say of themselves."""
    from trivium.results import present

    answer = upkeep.search(
        Asked.of(
            request.query,
            limit=request.limit,
            profile=_PROFILE,
            deep_search=request.deep_search,
        )
    )
    data = as_xplor(present.as_data(answer))
    results = data["results"]
    found = results if isinstance(results, list) else []
    lines = [
        f"{number}. {hit['name']} ({hit['type']}) {hit['score']:.2f}  {hit['id']}"
        f"{after(': ', hit['description'])}"
        for number, hit in enumerate(found, start=1)
    ]
    return Reply(data, "\n".join(lines or [NOTHING]))


def query(upkeep: Upkeep, request: Query) -> Reply:
    """Return what matches a question, the best of it with its links and sections."""
    answer = upkeep.search(Asked.of(request.question, limit=10, profile=_PROFILE))

    def shown(collection: Collection) -> list[Disclosed]:
        from trivium.results.pack import Level, Material, disclosed

        found = [disclosed(Material(hit.node), Level.SCAN) for hit in answer.results]
        if found:
            best = collection.get(answer.results[0].node.id)
            material = Material(best.node, best.edges, best.sections)
            found[0] = disclosed(material, Level.SECTIONS)
        return found

    found = upkeep.look(shown)

    def told(shown: int) -> Reply:
        kept = found[:shown]
        data: Data = {
            "results": [node_data(one) for one in kept],
            "total": answer.total,
            "method": answer.method,
        }
        return Reply(data, "\n\n".join(map(node_text, kept)) or NOTHING)

    return fitted(told, len(found), max_tokens=request.max_tokens)


def scan(upkeep: Upkeep, request: Scan) -> Reply:
    """Return what matches by what it says of itself, a line each."""
    packed = upkeep.look(
        lambda collection: collection.scan(request.query, domain=request.domain, limit=_SCANNED)
    )

    def told(shown: int) -> Reply:
        kept = packed.nodes[:shown]
        data: Data = {
            "results": [node_data(one) for one in kept],
            "total": len(packed.nodes),
            "level": SCAN,
        }
        lines = [f"- **{one.name}** ({one.type}): {one.description}".rstrip() for one in kept]
        return Reply(data, "\n".join(lines or [NOTHING]))

    return fitted(told, len(packed.nodes), max_tokens=request.max_tokens)


_FOUND = keyed(
    {
        "id": TEXT,
        "name": TEXT,
        "type": TEXT,
        "score": NUMBER,
        "description": TEXT,
        "source": keyed({"filePath": TEXT, "startLine": COUNT}),
        "level": COUNT,
    }
)

TOOLS = (
    Offer(
        "search",
        "Search nodes",
        "Find nodes of code, documents and skills by words, meaning and how well they are "
        "linked, best first.",
        Search,
        keyed({"results": listed(_FOUND), "total": COUNT, "method": TEXT}),
        search,
    ),
    Offer(
        "query",
        "Ask a question",
        "Return the nodes that match a question, the best with its links and sections.",
        Query,
        keyed({"results": listed(NODE), "total": COUNT, "method": TEXT}, notes=TEXTS),
        query,
    ),
    *xplor_links.TOOLS,
    Offer(
        "scan",
        "Look round",
        "Return the names and descriptions of what matches, never its text.",
        Scan,
        keyed({"results": listed(NODE), "total": COUNT, "level": COUNT}, notes=TEXTS),
        scan,
    ),
)
