"""Chunks with their nodes -> the counted terms of one view.

Holds, for each field that is scored on its own, what BM25 has to know: who has a term
how often, how long each document is, and its words in order for phrases. Called by score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

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

    weight: float
    postings: Mapping[str, Mapping[ChunkId, int]]
    lengths: Mapping[ChunkId, int]
    values: Mapping[ChunkId, tuple[Value, ...]]
    average_length: float


@dataclass(frozen=True, slots=True)
class Inverted:
    """All that a view can be asked: its analyser, its documents, its scored fields.

    `operators` are those that only operators are looked for in, one at most.
    """

    analyser: Analyser
    documents: Mapping[ChunkId, Found]
    fields: tuple[Field, ...]
    operators: tuple[Field, ...] = ()


def invert(found: Iterable[tuple[Found, str]], *, view: View) -> Inverted:
    """Count the terms of every unit of a view; beside each chunk comes its document's text.

    Raises ConfigError for a field that does not exist, BackendRefused for a unit or a
    way to combine that this backend does not have.
    """
    fields.check(view)
    if view.unit not in ("chunk", "node") or view.combine not in ("repeat", "sum"):
        raise BackendRefused(
            f"The view {view.name!r} asks for unit {view.unit!r} and combine {view.combine!r}. "
            "Use unit 'chunk' or 'node' and combine 'repeat' or 'sum'."
        )
    words_of = analyser(view.analyser)
    splits = {name: fields.split_of(name, words_of) for name, _ in fields.every_field(view)}
    units: dict[ChunkId, list[_Text]] = {}
    documents: dict[ChunkId, Found] = {}
    for one, whole in found:
        if not fields.is_unit(view, one.node, one.chunk):
            continue
        texts = [
            _Text(name, weight, *splits[name](text))
            for name, weight, text in fields.texts_of(view, one.node, one.chunk, whole)
        ]
        # One without a term can never be found: it is not in the index, and not counted.
        if any(text.words or text.wholes for text in texts):
            units[one.chunk.id] = texts
            documents[one.chunk.id] = one
    if view.combine == "repeat":
        return Inverted(words_of, documents, (_field(units, weight=1.0),))
    scored = {
        name: _field(_only(units, name), weight=weight) for name, weight in fields.every_field(view)
    }
    operators = tuple(one for name, one in scored.items() if name == fields.OPERATOR)
    worded = tuple(one for name, one in scored.items() if name != fields.OPERATOR)
    return Inverted(words_of, documents, worded, operators)


@dataclass(frozen=True, slots=True)
class _Text:
    """The terms of one field of a unit."""

    name: str
    weight: float
    words: list[str]
    wholes: list[str]


def _only(units: Mapping[ChunkId, list[_Text]], name: str) -> dict[ChunkId, list[_Text]]:
    """Return one field of each unit, as it stands."""
    return {
        one: [replace(text, weight=1.0) for text in texts if text.name == name]
        for one, texts in units.items()
    }


def _field(units: Mapping[ChunkId, list[_Text]], *, weight: float) -> Field:
    """Count one scored field, made of texts that are each repeated by their weight."""
    postings: dict[str, dict[ChunkId, int]] = {}
    lengths: dict[ChunkId, int] = {}
    values: dict[ChunkId, tuple[Value, ...]] = {}
    for chunk_id, texts in units.items():
        counts: Counter[str] = Counter()
        kept: list[Value] = []
        for text in texts:
            times = int(text.weight)
            for term in (*text.words, *text.wholes):
                counts[term] += times
            kept.append(Value(tuple(text.words), times))
        for term, count in counts.items():
            postings.setdefault(term, {})[chunk_id] = count
        lengths[chunk_id] = counts.total()
        values[chunk_id] = tuple(kept)
    average_length = sum(lengths.values()) / max(len(lengths), 1)
    return Field(weight, postings, lengths, values, average_length)
