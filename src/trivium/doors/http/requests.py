"""What the endpoints beside the search take: which file, which node, which judgement.

Checked like every request of a JSON door; the keys of a search itself stand in `doors.answers`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from trivium.doors.answers import MAX_QUERY_CHARACTERS, HttpCollection

Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY_CHARACTERS)]
MOST_LINES = 2000
MOST_NEIGHBORS = 500


class HttpFile(HttpCollection):
    """Lines of a file; without `end`, 2,000 of them at most."""

    path: Annotated[Id, Field(description="From the folder's root, as a hit shows it.")]
    start: Annotated[int, Field(ge=1, description="The first line.")] = 1
    end: Annotated[int | None, Field(ge=1, description="The last line.")] = None


class HttpNeighbors(HttpCollection):
    """A node and what is linked with it."""

    id: Annotated[Id, Field(description="An id, a path, or a name that only one symbol has.")]
    depth: Annotated[int, Field(ge=1, le=2, description="How many links away.")] = 1
    types: Annotated[
        str | None, Field(description="Only these types of links, with commas between.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=MOST_NEIGHBORS, description="Most nodes.")] = 200


class HttpJudgement(HttpCollection):
    """Whether a hit answers a query; null takes back what was said before."""

    query: Annotated[Id, Field(description="What was asked.")]
    id: Annotated[Id, Field(description="The id of the hit.")]
    relevance: Annotated[
        int | None, Field(ge=0, le=1, description="1 it does, 0 it does not, null nothing.")
    ]


class HttpJudgements(HttpCollection):
    """The judgements of a query, or all."""

    query: Annotated[str | None, Field(max_length=MAX_QUERY_CHARACTERS)] = None


class HttpFolder(HttpCollection):
    """A folder to answer for; `collection` has no meaning here and must be left out."""

    folder: Annotated[Id, Field(description="The path of a folder on the server's machine.")]
    name: Annotated[
        str | None, Field(min_length=1, description="What to call it, if not after itself.")
    ] = None
    collection: None = None


class HttpName(HttpCollection):
    """A collection, by its name."""

    name: Annotated[Id, Field(description="The name of a collection.")]
    collection: None = None
