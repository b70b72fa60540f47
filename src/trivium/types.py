"""The values every stage shares.

Plain frozen data: no input or output, no settings, and no imports from other
stages. A word defined here has this meaning in the whole program.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
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


@dataclass(frozen=True, slots=True, init=False)
class Part:
    """One named share of a score, such as ("bm25 rank 3", 0.0159)."""

    name: str
    value: float

    def __init__(self, name: str, value: float) -> None:
        """Set both; a query makes a thousand of these, so not by the slow way of frozen ones."""
        _set_name(self, name)
        _set_value(self, value)


_set_name = vars(Part)["name"].__set__
_set_value = vars(Part)["value"].__set__


@dataclass(frozen=True, slots=True, init=False)
class Scored:
    """A chunk id and the parts whose sum is its score."""

    chunk_id: ChunkId
    parts: tuple[Part, ...]
    score: float = field(init=False)

    def __init__(self, chunk_id: ChunkId, parts: tuple[Part, ...]) -> None:
        """Add the parts up once: sorting asks for the score many times."""
        _set_chunk_id(self, chunk_id)
        _set_parts(self, parts)
        _set_score(self, math.fsum([part.value for part in parts]))


_set_chunk_id = vars(Scored)["chunk_id"].__set__
_set_parts = vars(Scored)["parts"].__set__
_set_score = vars(Scored)["score"].__set__


def best_first(scored: Iterable[Scored]) -> list[Scored]:
    """Order by score, highest first, and equal scores by chunk id."""
    return sorted(scored, key=lambda one: (-one.score, one.chunk_id))


@dataclass(frozen=True, slots=True)
class Degraded:
    """A stage that could not do its work, and why."""

    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gathered:
    """Rankings, and the scores of the whole pool in each signal.

    `is_instant` says that the vectors are of an instant model. `points` are the keyword points
    of chunks, where a profile gives such.
    """

    rankings: tuple[Ranking, ...]
    pool: tuple[ChunkId, ...]
    signals: Mapping[str, Scores]
    embedder: str
    degraded: tuple[Degraded, ...]
    has_all_scores: bool = True
    is_instant: bool = False
    points: Mapping[ChunkId, tuple[Part, ...]] = field(default_factory=dict)


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
class Hit:
    """One result: a node, shown through its best chunk, its score and why it has that score.

    `text` is that of the chunk; `context` says which hit another one is shown for;
    `collection` where it is from, if several were searched.
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

    @property
    def source(self) -> Location:
        """Where the hit stands in its file."""
        return self.node.source


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search gives back, the same on every door.

    `better` is the query as it was probably meant, and then the first of the suggestions.
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
