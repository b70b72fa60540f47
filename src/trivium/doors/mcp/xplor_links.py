"""The tools of `xplor` that go along links: context, impact, callers, callees and traverse.

What lies outside of the folder that is served is not shown. A walk keeps its budget by showing
less of each node. Offered by xplor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from trivium.doors import finding
from trivium.doors.answers import MAX_QUERY_CHARACTERS, Data, Strict
from trivium.doors.mcp import address
from trivium.doors.mcp.budget import Reply
from trivium.doors.mcp.levels import after, content, fitted, tokens
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, COUNTS, NUMBER, SOURCE, TEXT, TEXTS, keyed, listed
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.collection import Collection
    from trivium.doors.upkeep import Upkeep
    from trivium.results.pack import Disclosed
    from trivium.results.relations import Relations
    from trivium.traversal import Visit
    from trivium.types import EdgeType

_IMPACT_DEPTH = 5
_DEPTH = 3
_MOST_LEFT = 20

Text = Annotated[str, Field(max_length=MAX_QUERY_CHARACTERS, description="What to look for.")]
Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_QUERY_CHARACTERS,
        description="An id, a path, an address, or the name of a symbol that only one has.",
    ),
]
Depth = Annotated[int, Field(ge=1, le=10, description="How many links away.")]
Budget = Annotated[
    int | None, Field(ge=1, description="Most tokens of the result, at 1.3 for a word.")
]


class Symbol(Strict):
    """A node whose links are wanted."""

    symbol: Name
    max_tokens: Budget = None


class Target(Strict):
    """A node that is to be changed."""

    target: Name
    max_tokens: Budget = None


class Function(Strict):
    """A function, and how far to go from it."""

    function: Name
    depth: Depth = _DEPTH
    max_tokens: Budget = None


class Traverse(Strict):
    """Where a walk begins, what it looks for and how far it goes."""

    start_node: Name
    query: Text
    max_depth: Depth = _DEPTH
    max_nodes: Annotated[int, Field(ge=1, le=100, description="How many nodes to load.")] = 8
    max_tokens: Annotated[int, Field(ge=1, description="Most tokens, at 1.3 for a word.")] = 6000


def context(upkeep: Upkeep, request: Symbol) -> Reply:
    """Return a node and all that it is linked with."""
    return _related(
        upkeep,
        lambda collection: collection.neighbors(_named(collection, request.symbol)),
        max_tokens=request.max_tokens,
    )


def impact(upkeep: Upkeep, request: Target) -> Reply:
    """Return what may break when a node changes: what calls or imports it, five links far."""
    from trivium.types import EdgeType

    over: frozenset[EdgeType] = frozenset({EdgeType.CALLS, EdgeType.IMPORTS})
    return _related(
        upkeep,
        lambda collection: collection.impact(
            _named(collection, request.target), depth=_IMPACT_DEPTH, types=over
        ),
        max_tokens=request.max_tokens,
    )


def callers(upkeep: Upkeep, request: Function) -> Reply:
    """Return what calls a function, and what calls that."""
    return _related(
        upkeep,
        lambda collection: collection.callers(
            _named(collection, request.function), depth=request.depth
        ),
        max_tokens=request.max_tokens,
    )


def callees(upkeep: Upkeep, request: Function) -> Reply:
    """Return what a function calls, and what that calls."""
    return _related(
        upkeep,
        lambda collection: collection.callees(
            _named(collection, request.function), depth=request.depth
        ),
        max_tokens=request.max_tokens,
    )


def traverse(upkeep: Upkeep, request: Traverse) -> Reply:
    """Walk from a node to what deserves attention, and show as much of it as fits.

    Raises UsageError if not even the walk without any content fits.
    """
    room = request.max_tokens
    while True:
        reply = upkeep.look(partial(_walked, request=request, max_tokens=room))
        excess = tokens(reply) - request.max_tokens
        if excess <= 0:
            return reply
        if room == 1:
            raise UsageError(
                f"maxTokens is {request.max_tokens}; this walk takes {tokens(reply)} "
                "without any content."
            )
        # What is shown of a node stands in the text and in the data.
        room = max(1, room - (excess + 1) // 2)


def _walked(collection: Collection, *, request: Traverse, max_tokens: int) -> Reply:
    found = collection.traverse(
        _named(collection, request.start_node),
        request.query,
        max_depth=request.max_depth,
        max_nodes=request.max_nodes,
        max_tokens=max_tokens,
    )
    shown = {one.id: one for one in found.pack.nodes}

    def inside(visits: tuple[Visit, ...]) -> list[Visit]:
        return [one for one in visits if address.is_inside(collection, one.node.source.file_path)]

    taken, left = inside(found.path.taken), inside(found.path.left[:_MOST_LEFT])
    loaded = [visit for visit in taken if visit.node.id in shown]
    steps = [_step(visit, shown[visit.node.id]) for visit in loaded]
    data: Data = {
        "entryPoint": found.path.taken[0].node.id,
        "path": steps,
        "unloaded": [one.node.id for one in (*taken, *left) if one.node.id not in shown],
        "telemetry": {
            "nodesVisited": len(found.path.taken) + len(found.path.left),
            "nodesLoaded": len(steps),
            "nodesAtLevel": {str(int(one)): count for one, count in found.pack.at_level.items()},
            "tokensUsed": found.pack.tokens,
            "tokenBudget": request.max_tokens,
            "coveragePercent": round(found.pack.coverage, 1),
        },
    }
    blocks = [
        f"{step['name']}  {step['id']}  level {step['level']}, score {step['score']}, "
        f"{step['reason']}{after(chr(10), step['content'])}"
        for step in steps
    ]
    return Reply(data, "\n\n".join(blocks))


def _named(collection: Collection, wanted: str) -> str:
    """Return what a node is called here: of an address the id of what stands there."""
    is_address = wanted.startswith(address.SCHEME)
    return finding.node_id(collection, wanted) if is_address else wanted


def _step(visit: Visit, shown: Disclosed) -> Data:
    return {
        "id": visit.node.id,
        "name": visit.node.name,
        "level": int(shown.level),
        "content": content(shown),
        "score": round(visit.score, 2),
        "reason": visit.reason,
    }


def _related(
    upkeep: Upkeep, ask: Callable[[Collection], Relations], *, max_tokens: int | None
) -> Reply:
    """Return a node and what is linked with it, as data and as lines, deeper ones further in."""
    from trivium.results.relations import grouped, relations_data, relations_text

    def inside(collection: Collection) -> Relations:
        found = ask(collection)
        address.check_inside(collection, found.of.source.file_path)
        kept = [
            one for one in found.found if address.is_inside(collection, one.node.source.file_path)
        ]
        return replace(found, found=tuple(kept))

    found = upkeep.look(inside)
    of, place = found.of, found.of.source
    head = f"{of.name} ({of.type})  {of.id}  {place.file_path}:{place.start_line}"

    def told(shown: int) -> Reply:
        kept = replace(found, found=found.found[:shown])
        ordered = replace(kept, found=tuple(grouped(kept.found)))
        lines = relations_text(ordered) or "Nothing is linked with it this way."
        data = {
            "name": of.name,
            "type": of.type,
            "description": of.description,
            **relations_data(kept),
            "total": len(found.found),
        }
        return Reply(data, "\n".join((head, *filter(None, [of.description]), lines)))

    return fitted(told, len(found.found), max_tokens=max_tokens)


_RELATIONS = keyed(
    {
        "name": TEXT,
        "type": TEXT,
        "description": TEXT,
        "id": TEXT,
        "results": listed(
            keyed(
                {
                    "id": TEXT,
                    "kind": TEXT,
                    "type": TEXT,
                    "name": TEXT,
                    "description": TEXT,
                    "source": SOURCE,
                    "depth": COUNT,
                    "certainty": NUMBER,
                    "edge": {"type": "object"},
                }
            )
        ),
        "total": COUNT,
        "isCut": {"type": "boolean"},
        "unlinkedFiles": COUNT,
    },
    notes=TEXTS,
)
_STEP = keyed(
    {"id": TEXT, "name": TEXT, "level": COUNT, "content": TEXT, "score": NUMBER, "reason": TEXT}
)
_TELEMETRY = keyed(
    {
        "nodesVisited": COUNT,
        "nodesLoaded": COUNT,
        "nodesAtLevel": COUNTS,
        "tokensUsed": COUNT,
        "tokenBudget": COUNT,
        "coveragePercent": NUMBER,
    }
)

TOOLS = (
    Offer(
        "context",
        "See what a symbol is linked with",
        "Return a symbol or file and everything it is linked with.",
        Symbol,
        _RELATIONS,
        context,
        about="symbol",
    ),
    Offer(
        "impact",
        "See what a change may break",
        "Return what calls or imports something, up to five links away.",
        Target,
        _RELATIONS,
        impact,
        about="target",
    ),
    Offer(
        "callers",
        "See what calls a function",
        "Return what calls a function, and what calls that.",
        Function,
        _RELATIONS,
        callers,
        about="function",
    ),
    Offer(
        "callees",
        "See what a function calls",
        "Return what a function calls, and what that calls.",
        Function,
        _RELATIONS,
        callees,
        about="function",
    ),
    Offer(
        "traverse",
        "Walk from a node",
        "Walk from a node to what deserves attention for a question; each node says its level, "
        "score and reason.",
        Traverse,
        keyed(
            {
                "entryPoint": TEXT,
                "path": listed(_STEP),
                "unloaded": TEXTS,
                "telemetry": _TELEMETRY,
            }
        ),
        traverse,
        about="start_node",
    ),
)
