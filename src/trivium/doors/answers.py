"""What a JSON door was sent -> Asked, and what it sends back.

Bytes from outside are checked here, by pydantic, and become a frozen value at once. The
answer itself is made by `results.present`; only what the doors add to it stands here.
Imports neither numpy nor a backend: the MCP door answers its first request before those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from trivium.doors.failures import RequestInvalid
from trivium.errors import UsageError, nearest
from trivium.filtering.fields import FIELDS
from trivium.results import present

if TYPE_CHECKING:
    from trivium.collection import Collection, Item
    from trivium.federation import Together
    from trivium.results.context import Context
    from trivium.types import Answer

Data = dict[str, object]
Names = str | list[str]
FilterValue = str | bool | int | float | list[str | bool | int | float] | dict[str, object]

_FILTERS_ARE = (
    f'Filter name -> value or values, such as {{"lang": "python"}}. Names: {", ".join(FIELDS)}.'
)
MAX_QUERY_CHARACTERS = 10_000
LIMIT_NAMES = ("limit", "top", "n", "top_k", "maxResults")
# How many nodes a walk over the graph starts from, as seed 003 and as Python call it.
SEED_NAMES = ("topK", "seeds")
# Seed 000 calls a collection a graph.
COLLECTION_NAMES = ("collection", "graphId")
_OTHER_NAMES = {"limit": LIMIT_NAMES, "seeds": SEED_NAMES, "collection": COLLECTION_NAMES}
XPLOR_KEYS = ("id", "name", "type", "score", "description")
XPLOR_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """One search: its query, and what was said beside it, by the names of Collection.search.

    What was not said is left to the collection, so that its defaults stand in one place.
    """

    query: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, query: str, **options: object) -> Asked:
        """Return a search with the options that are not None."""
        return cls(query, {name: one for name, one in options.items() if one is not None})


# What a request may say that is not for the search itself.
_BESIDE = frozenset({"query", "collection", "collections", "domain", "max_tokens"})


class Strict(BaseModel):
    """What is checked to the letter: no other keys, no other types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=to_camel)


class SearchRequest(Strict):
    """The keys of a search that every JSON door takes."""

    query: Annotated[
        str,
        Field(
            max_length=MAX_QUERY_CHARACTERS,
            description='What to look for: words, a question, a name, "a phrase", lang:python.',
        ),
    ]
    limit: Annotated[int | None, Field(ge=1, description="How many hits; 1 or more.")] = None
    kind: Annotated[
        Names | None,
        Field(description="Only these kinds: code, doc, skill, note, task, file, record."),
    ] = None
    filters: Annotated[
        dict[str, FilterValue | None] | None,
        Field(description=_FILTERS_ARE),
    ] = None
    profile: Annotated[str | None, Field(description="Ranking profile.")] = None
    mode: Annotated[str, Field(description="code, prose, records or mixed.")] = "mixed"
    search_mode: Annotated[str, Field(description="hybrid, vector or keyword.")] = "hybrid"

    def asked(self) -> Asked:
        """Return the request as a plain value."""
        return Asked(self.query, self._given())

    def _given(self) -> dict[str, Any]:
        said = self.model_fields_set - _BESIDE
        given = {one: getattr(self, one) for one in type(self).model_fields if one in said}
        return {name: value for name, value in given.items() if value is not None}


class HttpSearch(SearchRequest):
    """A search over HTTP: seed 000's five keys and those of search().

    `collections` is `collection` for several, which may also be named there.
    """

    collection: Annotated[
        Names | None, Field(description="One, several (a list, or with commas), or * for all.")
    ] = None
    collections: Annotated[Names | None, Field(description="The same for several.")] = None
    domain: Names | None = None
    min_score: Annotated[float | None, Field(allow_inf_nan=False)] = None
    explain: bool = False
    deep_search: bool = False
    seeds: int | None = None
    bfs_depth: int | None = None
    bfs_decay: Annotated[float | None, Field(allow_inf_nan=False)] = None
    expand: str = "none"
    dedupe: bool = False
    group: str | None = None
    rerank: bool = True
    cursor: str | None = None
    sort: str = "relevance"
    min_confidence: Annotated[float | None, Field(allow_inf_nan=False)] = None
    as_you_type: bool = False
    typos: bool = True
    synonyms: bool | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """The collections that were named; none is the server's default."""
        given = (self.collection, self.collections)
        return tuple(
            name
            for one in given
            if one is not None
            for name in (one if isinstance(one, list) else [one])
        )

    def asked(self) -> Asked:
        """Return the request as a plain value; `domain` is one more filter."""
        if self.domain is None:
            return Asked(self.query, self._given())
        filters: dict[str, FilterValue | None] = dict(self.filters or {})
        if filters.get("domain") is not None:
            raise UsageError("domain is given twice: as a key and inside filters.")
        filters["domain"] = [*self.domain] if isinstance(self.domain, list) else self.domain
        return Asked(self.query, {**self._given(), "filters": filters})


class McpSearch(SearchRequest):
    """A search by an agent, which may say how much it wants to read."""

    max_tokens: Annotated[
        int | None,
        Field(ge=1, description="Most tokens of the result, text and data, at 4 characters each."),
    ] = None
    group: Annotated[
        str | None, Field(description="file: one hit for each file of code; node or none: all.")
    ] = None
    expand: Annotated[
        str, Field(description="context: also what links to a hit, such as notes about it.")
    ] = "none"
    cursor: Annotated[str | None, Field(description="The next of the page before.")] = None
    sort: Annotated[str, Field(description="relevance, newest or path.")] = "relevance"
    min_confidence: Annotated[
        float | None,
        Field(ge=0, le=1, description="Only hits that answer at least this likely, 0 to 1."),
    ] = None
    as_you_type: Annotated[
        bool, Field(description="The last word may go on; words alone, at once.")
    ] = False
    typos: Annotated[bool, Field(description="false: every word as it was typed.")] = True
    synonyms: Annotated[
        bool | None, Field(description="true: also what means the same, cfg for config.")
    ] = None


class ContextRequest(SearchRequest):
    """A search whose hits are packed into tokens; `limit` is how many there are to choose from."""

    max_tokens: Annotated[int, Field(ge=1, description="Most tokens, at 4 characters each.")] = 4000


class HttpContext(ContextRequest):
    """The same over HTTP, which may name the collection."""

    collection: str | None = None


class HttpCollection(Strict):
    """Which collection is meant, and nothing else."""

    collection: str | None = None


class RelatedRequest(Strict):
    """What is like one node, by its id."""

    id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUERY_CHARACTERS,
            description="The id or url of a hit, a path, path:line, or a name that only one has.",
        ),
    ]
    limit: Annotated[int, Field(ge=1, description="How many hits; 1 or more.")] = 10


class HttpRelated(RelatedRequest):
    """The same over HTTP, which may name the collection."""

    collection: str | None = None


class McpRelated(RelatedRequest):
    """The same by an agent, which may say how much it wants to read."""

    max_tokens: Annotated[
        int | None,
        Field(ge=1, description="Most tokens of the result, text and data, at 4 characters each."),
    ] = None


class McpFetch(Strict):
    """One node or chunk, by what it is called."""

    id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUERY_CHARACTERS,
            description="The id or url of a hit, a path, path:line, or a name that only one has.",
        ),
    ]


Request = TypeVar("Request", bound=Strict)


def read(model: type[Request], given: object, *, is_text: bool = False) -> Request:
    """Check what was sent against a model.

    `is_text` is for places where every value is text, as in a query string. Raises
    RequestInvalid that names the key.
    """
    if not isinstance(given, dict):
        raise RequestInvalid(f"The request must be a JSON object, not {_json_name(given)}.")
    others: tuple[str, ...] = ()
    plain = given
    for name, names in _OTHER_NAMES.items():
        if name in model.model_fields:
            others += names
            plain = _one_name(plain, name, names)
    _refuse_unknown(model, given, others=others)
    try:
        return model.model_validate(plain, strict=not is_text)
    except ValidationError as error:
        raise RequestInvalid(_first_fault(error), is_lack=_is_lack(error)) from error


def ask(collection: Collection | Together, asked: Asked, *, sync: bool = False) -> Answer:
    """Put a question to one collection or several.

    Raises UsageError for a profile that is a file's path.
    """
    _refuse_files(asked)
    return collection.search(asked.query, sync=sync, **asked.options)


def pack(collection: Collection, asked: Asked, *, max_tokens: int) -> Context:
    """Have a collection pack what answers a question. Raises UsageError as `ask` does."""
    _refuse_files(asked)
    return collection.context(asked.query, max_tokens=max_tokens, **asked.options)


def _refuse_files(asked: Asked) -> None:
    profile = asked.options.get("profile")
    if profile is not None and profile.endswith(".toml"):
        raise UsageError("Give a profile by its name; files are for who runs the server.")


def as_xplor(data: Mapping[str, object]) -> Data:
    """Return an answer's data with seed 000's keys only."""
    results = data["results"]
    hits = results if isinstance(results, list) else []
    return {
        "results": [_xplor_hit(hit) for hit in hits],
        "total": data["total"],
        "method": data["method"],
    }


def item_data(item: Item) -> Data:
    """Return a node with its text as plain data."""
    return present.item_data(
        item.node,
        text=item.text,
        chunks=item.chunks,
        edges=item.edges,
        sections=item.sections,
        history=item.history,
    )


def _xplor_hit(hit: Mapping[str, object]) -> Data:
    source = hit["source"]
    place = source if isinstance(source, dict) else {}
    kept: Data = {key: hit[key] for key in XPLOR_KEYS}
    kept["source"] = {"filePath": place["filePath"], "startLine": place["startLine"]}
    # What it says of itself, and nothing of its text.
    kept["level"] = XPLOR_LEVEL
    return kept


def _refuse_unknown(
    model: type[Strict], given: Mapping[str, object], *, others: tuple[str, ...]
) -> None:
    known = [field.alias or name for name, field in model.model_fields.items()]
    for key in given:
        if key not in known and key not in others:
            shown = str(key)[:60]
            hint = nearest(shown, [*known, *others])
            raise RequestInvalid(f"Unknown key {shown!r}.{hint} Keys: {', '.join(known)}.")


def _one_name(given: Mapping[str, object], own: str, names: tuple[str, ...]) -> Data:
    """Return what was given with a value of several names under its own only."""
    said = [name for name in names if given.get(name) is not None]
    for name in said[1:]:
        if given[name] != given[said[0]]:
            raise RequestInvalid(f"{said[0]} and {name} mean the same, and differ. Give one.")
    plain = {key: value for key, value in given.items() if key not in names}
    return {**plain, own: given[said[0]]} if said else plain


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"]) or "request"
    return f"{place}: {first['msg']}."


def _is_lack(error: ValidationError) -> bool:
    return bool(error.errors(include_url=False, include_input=False)[0]["type"] == "missing")


def _json_name(value: object) -> str:
    names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
