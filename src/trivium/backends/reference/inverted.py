"""Chunks with their nodes -> the counted terms of one view.

Holds, for each field that is scored on its own, what BM25 has to know: who has a term
how often, how long each document is, and its words in order for phrases. Called by score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trivium.analysis import fields
from trivium.analysis.words import Analyser, analyser
from trivium.backends.base import Found
from trivium.errors import BackendRefused
from trivium.types import ChunkId, View


@dataclass(frozen=True, slots=True)
class Value:
    """The words of one field value in order, and how many times the value stands there."""

    words: tuple[str, ...]
    times: int


@dataclass(frozen=True, slots=True)
class Field:
    """One scored field over all documents of a view; `postings` is term -> chunk -> count.

    Documents without the field count as length 0 in `average_length`.
    """

    weight: int
    postings: Mapping[str, Mapping[ChunkId, int]]
    lengths: Mapping[ChunkId, int]
    values: Mapping[ChunkId, tuple[Value, ...]]
    average_length: float


@dataclass(frozen=True, slots=True)
class Inverted:
    """All that a view can be asked: its analyser, its documents, its scored fields."""

    analyser: Analyser
    documents: Mapping[ChunkId, Found]
    fields: tuple[Field, ...]


def invert(found: Iterable[Found], *, view: View) -> Inverted:
    """Count the terms of every chunk whose node is of one of the view's kinds.

    Raises ConfigError for a field that does not exist, BackendRefused for a unit or a
    way to combine that this backend does not have.
    """
    fields.check(view)
    if view.unit != "chunk" or view.combine not in ("repeat", "sum"):
        raise BackendRefused(
            f"The view {view.name!r} asks for unit {view.unit!r} and combine {view.combine!r}. "
            "Use unit 'chunk' and combine 'repeat' or 'sum'."
        )
    split = analyser(view.analyser)
    # A chunk without a term can never be found: it is not in the index, and not counted.
    documents = {
        one.chunk.id: one
        for one in found
        if (view.kinds is None or one.node.kind in view.kinds) and _has_terms(one, view, split)
    }
    if view.combine == "repeat":
        scored: tuple[Field, ...] = (_field(documents, view.fields, weight=1, split=split),)
    else:
        scored = tuple(
            _field(documents, ((name, 1),), weight=weight, split=split)
            for name, weight in view.fields
        )
    return Inverted(split, documents, scored)


def _has_terms(found: Found, view: View, split: Analyser) -> bool:
    return any(
        split.terms(fields.text_of(name, found.node, found.chunk)) for name, _ in view.fields
    )


def _field(
    documents: Mapping[ChunkId, Found],
    sources: Iterable[tuple[str, int]],
    *,
    weight: int,
    split: Analyser,
) -> Field:
    """Count one scored field, made of the node's fields `sources`, each repeated."""
    sources = tuple(sources)
    postings: dict[str, dict[ChunkId, int]] = {}
    lengths: dict[ChunkId, int] = {}
    values: dict[ChunkId, tuple[Value, ...]] = {}
    for chunk_id, one in documents.items():
        counts: Counter[str] = Counter()
        kept: list[Value] = []
        for name, times in sources:
            words, wholes = split.split(fields.text_of(name, one.node, one.chunk))
            for term in (*words, *wholes):
                counts[term] += times
            kept.append(Value(tuple(words), times))
        for term, count in counts.items():
            postings.setdefault(term, {})[chunk_id] = count
        lengths[chunk_id] = counts.total()
        values[chunk_id] = tuple(kept)
    average_length = sum(lengths.values()) / max(len(lengths), 1)
    return Field(weight, postings, lengths, values, average_length)
