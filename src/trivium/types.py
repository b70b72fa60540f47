"""The values every stage shares.

Plain frozen data: no input or output, no settings, and no imports from other
stages. A word defined here has this meaning in the whole program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from types import MappingProxyType
from typing import NewType

NodeId = NewType("NodeId", str)
ChunkId = NewType("ChunkId", str)

MetaValue = str | int | float | bool | tuple[str, ...]
Metadata = Mapping[str, MetaValue]
NO_METADATA: Metadata = MappingProxyType({})


class Kind(StrEnum):
    """What sort of thing a node is."""

    CODE = "code"
    DOC = "doc"
    SKILL = "skill"
    NOTE = "note"
    TASK = "task"
    FILE = "file"
    RECORD = "record"


# Kinds that are written in sentences.
PROSE = frozenset({Kind.DOC, Kind.SKILL, Kind.NOTE, Kind.TASK})


class EdgeType(StrEnum):
    """How one node is linked to another."""

    CONTAINS = "contains"
    IMPORTS = "imports"
    EXTENDS = "extends"
    IMPLEMENTS = "implements"
    CALLS = "calls"
    USES = "uses"
    EXPORTS = "exports"
    REFERENCES = "references"
    CLUSTERS = "clusters"
    MENTIONS = "mentions"
    RELATED_TO = "related_to"
    DEPENDS_ON = "depends_on"
    VARIANT_OF = "variant_of"
    SUBTASK_OF = "subtask_of"
    BLOCKS = "blocks"
    CONTRADICTS = "contradicts"
    CROSS_DOMAIN = "cross_domain"


@dataclass(frozen=True, slots=True)
class Document:
    """One file as it came in, decoded, with its secrets already masked.

    `path` is relative to the root of its source, with forward slashes.
    """

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """The code points `start` up to, not including, `end` of a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Location:
    """Where a node stands. Lines count from 1 and both ends belong to it."""

    file_path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Node:
    """A thing with an identity: a function, a section, a note, a record, a file.

    `span` is its whole text; `own` are the parts of that text that lie in no child
    node, in order. All `own` parts of a document's nodes together cover its text.
    """

    id: NodeId
    kind: Kind
    type: str
    name: str
    source: Location
    span: Span
    own: tuple[Span, ...]
    description: str = ""
    tags: tuple[str, ...] = ()
    domain: str = ""
    language: str = ""
    title: str = ""
    metadata: Metadata = field(default_factory=lambda: NO_METADATA)


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed link between two nodes."""

    source: NodeId
    target: NodeId
    type: EdgeType
    weight: float = 1.0
    context: str = ""


# What `alias` of a call says where its receiver is a variable of the function it stands in.
LOCAL = "local"
# What `of` of a link says whose `path` is the id of its target.
BY_ID = "id"
# What ids of nodes in another collection begin with: `@shop::code:src/auth.py`. Never a hit.
PROXY = "@"


@dataclass(frozen=True, slots=True)
class Reference:
    """Something a node names, before anyone knows what it is: an edge that has no target yet.

    `name` is what to look for, `path` what stands before it: the module of an import, the
    receiver of a call, the file of a link. `alias` is the name an import binds; `of` the type
    of a receiver, where the text around it shows one. `line` counts from 1, `context` is the
    sentence around a link.
    """

    source: NodeId
    type: EdgeType
    name: str
    path: str = ""
    alias: str = ""
    of: str = ""
    line: int = 0
    context: str = ""


_BEFORE_PATH = len(f"{Kind.CODE}:")


@dataclass(frozen=True, slots=True)
class Symbol:
    """Just enough of a node of code to lead a reference to it, and the file it stands in."""

    id: NodeId
    type: str
    language: str
    path: str

    @property
    def qualified(self) -> str:
        """Its name with those it lies in, such as Class.method; empty for a module."""
        # Not what follows the first #: a folder may be called C#.
        return self.id[_BEFORE_PATH + len(self.path) + len("#") :]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a document is made of. `failure` says why a parser fell back to plain text."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    references: tuple[Reference, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The slice of a node that is ranked and embedded; `text` is document.text[start:end].

    A node without text of its own has one empty chunk, so that it can be found by its name.
    """

    id: ChunkId
    node_id: NodeId
    text: str
    span: Span
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class View:
    """What one text index holds: which unit, made into terms how, from which fields.

    `combine` "repeat" puts all fields into one, each repeated by its weight (BM25F at no
    query cost); "sum" keeps them apart and adds their BM25 scores. `by_kind` are fields that
    only nodes of one kind have; `most` says how many characters of a field count. `unit`
    "node" indexes each node once, whole, under its first chunk; "chunk" each chunk that has
    text. `kinds` are those that share term statistics; None is all of them.
    """

    name: str
    analyser: str
    fields: tuple[tuple[str, float], ...]
    combine: str = "repeat"
    unit: str = "chunk"
    kinds: tuple[str, ...] | None = None
    by_kind: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    most: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one retriever found: ids best first, without repeats, each with its score."""

    name: str
    ids: tuple[ChunkId, ...]
    scores: tuple[float, ...]


Scores = Mapping[ChunkId, float]


@dataclass(frozen=True, slots=True)
class Part:
    """One named share of a score, such as ("bm25 rank 3", 0.0159)."""

    name: str
    value: float


@dataclass(frozen=True, slots=True, init=False)
class Scored:
    """A chunk id and the parts whose sum is its score.

    Parts are kept as names and values: a query scores hundreds of chunks and shows ten.
    """

    chunk_id: ChunkId
    names: tuple[str, ...]
    values: tuple[float, ...]
    score: float

    def __init__(self, chunk_id: ChunkId, parts: Sequence[Part]) -> None:
        """Add the parts up once: sorting asks for the score many times."""
        _set_chunk_id(self, chunk_id)
        _set_names(self, tuple([part.name for part in parts]))
        _set_values(self, tuple([part.value for part in parts]))
        _set_score(self, math.fsum(self.values))

    @classmethod
    def summed(cls, chunk_id: ChunkId, names: tuple[str, ...], values: tuple[float, ...]) -> Scored:
        """Return a chunk with parts of these names and values."""
        made = _new_scored(cls)
        _set_chunk_id(made, chunk_id)
        _set_names(made, names)
        _set_values(made, values)
        _set_score(made, math.fsum(values))
        return made

    @property
    def parts(self) -> tuple[Part, ...]:
        """The named shares of the score."""
        return tuple(map(Part, self.names, self.values))


# Not by the slow way of frozen ones.
_new_scored = object.__new__
_set_chunk_id = vars(Scored)["chunk_id"].__set__
_set_names = vars(Scored)["names"].__set__
_set_values = vars(Scored)["values"].__set__
_set_score = vars(Scored)["score"].__set__


def best_first(scored: Iterable[Scored]) -> list[Scored]:
    """Order by score, highest first, and equal scores by chunk id."""
    by_id = sorted(scored, key=attrgetter("chunk_id"))
    return sorted(by_id, key=attrgetter("score"), reverse=True)


@dataclass(frozen=True, slots=True)
class Degraded:
    """A stage that could not do its work, and why."""

    stage: str
    reason: str


# So many chunks tell how near a query is to anything in a collection.
SAMPLED = 1000


@dataclass(frozen=True, slots=True)
class Background:
    """The mean of a query's cosines with the chunks of a collection, their deviation and number."""

    mean: float
    deviation: float
    count: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """Rankings, and the scores of the whole pool in each signal.

    `is_instant` says that the vectors are of an instant model. `points` are the keyword points
    of chunks, where a profile gives such. `background` is that of the vectors. `called` are
    the nodes that are called what the query is; `cosines` tells those of any chunks.
    """

    rankings: tuple[Ranking, ...]
    pool: tuple[ChunkId, ...]
    signals: Mapping[str, Scores]
    embedder: str
    degraded: tuple[Degraded, ...]
    has_all_scores: bool = True
    is_instant: bool = False
    points: Mapping[ChunkId, tuple[Part, ...]] = field(default_factory=dict)
    background: Background | None = None
    called: frozenset[NodeId] = frozenset()
    cosines: Callable[[Sequence[ChunkId]], Scores] | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was searched: files read, files passed over by reason, share embedded."""

    files: int
    skipped: Mapping[str, int]
    embedded: float
    masked: int = 0


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old the index is. `dirty_files` changed on disk and are not in it yet."""

    indexed_at: str
    dirty_files: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Another chunk of a hit's node that matched."""

    id: ChunkId
    score: float
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one hit; nothing in it depends on what else was found or is shown.

    `sort` is what there is to go by: words, an instant model or a transformer. `coverage` is how
    much of the query its text, name and path hold, by what the terms tell; `named` is what its
    name, title and path hold, in terms that are nowhere in the collection, and `strength` what
    all of it holds, terms that stand there often counting more. `known` is how much of the query
    stands anywhere in the collection. `exact` is 1 where the query is its name, or says it and
    nothing else that it does not hold, 0.5 where it names it among other words. `cosine` is how
    near it is in meaning, as far as the model reads the query; `nearness` that in deviations above
    what is usual for this query here, None without a model.
    """

    sort: str
    coverage: float
    named: float
    strength: float
    known: float
    exact: float
    cosine: float = 0.0
    nearness: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: a node, shown through its best chunk, its score and why it has that score.

    `text` is that of the chunk; `context` says which hit another one is shown for;
    `collection` where it is from, if several were searched; `is_duplicate` that its text is
    nearly that of the node it is like; `confidence` is how likely it answers the query, 0 to 1,
    None where nothing was asked, and `evidence` what it is made of.
    """

    id: str
    chunk_id: ChunkId
    node: Node
    score: float
    score_type: str
    parts: tuple[Part, ...]
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    start_line: int
    end_line: int
    passages: tuple[Passage, ...] = ()
    reason: str = ""
    breakdown: Mapping[str, object] | None = None
    context: Mapping[str, object] | None = None
    text: str = ""
    collection: str = ""
    is_duplicate: bool = False
    confidence: float | None = None
    evidence: Evidence | None = None

    @property
    def source(self) -> Location:
        """Where the hit stands in its file."""
        return self.node.source


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search gives back, the same on every door.

    `better` is the query as it was probably meant, and then the first of the suggestions.
    `matching` is how many of the total have a word of the query or one that stands for it; None
    where no words were looked for. `counts` are the facets with all their values, so that those of
    several answers add up.
    """

    query: str
    profile: str
    method: str
    embedder: str
    collection: str
    results: tuple[Hit, ...]
    total: int
    facets: Mapping[str, Mapping[str, int]]
    coverage: Coverage
    freshness: Freshness
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    took_ms: float = 0.0
    next: str | None = None
    better: str = ""
    matching: int | None = None
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def lines_of(text: str, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """First and last line (from 1) of each span; spans may come in any order."""
    marks = sorted({m for s in spans for m in (s.start, max(s.start, s.end - 1))})
    line_at: dict[int, int] = {}
    line, seen = 1, 0
    for mark in marks:
        line += text.count("\n", seen, mark)
        seen = mark
        line_at[mark] = line
    return [(line_at[s.start], line_at[max(s.start, s.end - 1)]) for s in spans]
