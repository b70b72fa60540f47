"""The parts of a score -> words and the breakdown every door shows.

Nothing is computed again: the parts are what ranking added up. The breakdown always has
the same keys, null where a signal was not used. Called by results.fetch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trivium.analysis.words import Analyser
from trivium.ranking.confidence import NOTHING_RARE, Rarity
from trivium.types import ChunkId, Gathered, Scored

# Looked for, because they carry meaning in code; named only where nothing else was found.
_TELLS_LITTLE = frozenset(
    {"for", "if", "not", "is", "has", "have", "can", "do", "all", "no", "in", "from", "with"}
    | {"as", "this", "out", "up"}
)
_MOST_WORDS = 5
_LONGEST_NAME = 200
_SIGNALS = ("text", "vectors", "instant", "degree")
_RANK_KEYS = ("k", "sparseRank", "annRank", "sparseRrf", "annRrf", "score")

BREAKDOWN_KEYS = (
    "selected",
    "sparse",
    "ann",
    "rrf",
    "blend",
    "symbol",
    "phrase",
    "relation",
    "graph",
    "degree",
    "parts",
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the score of a hit came from: what was gathered, how it was fused, what boosts saw.

    `fused` are the scores of its scope in order, before several scopes were merged;
    `score_type` is how these were made. `modes` are the scopes that were merged by rank, with
    their weights, and `mode` the one it is of; there are none where nothing was merged so.
    `weights` are those of fields that are scored apart, `operators` the ones a query has.
    `asked` is the query without its filters, `names` what it asks for by name; `rarity` is what
    its terms tell, `trust` how far the model of the vectors reads it; `unit` is that of the view.
    `near` are the words looked for beside those that were typed;
    `is_one_letter` says that the query is one letter that may go on: no name yet.
    """

    gathered: Gathered
    score_type: str
    k: int
    words_of: Analyser
    wanted: frozenset[str] = frozenset()
    sparse_type: str = "bm25"
    details: Mapping[ChunkId, Mapping[str, object]] = field(default_factory=dict)
    fused: Mapping[ChunkId, Scored] = field(default_factory=dict)
    mode: str = ""
    modes: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    operators: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    asked: str = ""
    names: frozenset[str] = frozenset()
    rarity: Rarity = NOTHING_RARE
    trust: float = 1.0
    unit: str = "chunk"
    near: tuple[str, ...] = ()
    is_one_letter: bool = False

    @property
    def last_type(self) -> str:
        """How the score that is shown was made."""
        return "rrf" if self.modes else self.score_type


def breakdown(
    scored: Scored, origin: Origin, details: Mapping[str, object]
) -> Mapping[str, object]:
    """Return how `scored` came to its score, with every key present."""
    shown: dict[str, Any] = dict.fromkeys(BREAKDOWN_KEYS)
    chunk_id, gathered = scored.chunk_id, origin.gathered
    raw = {name: scores.get(chunk_id) for name, scores in gathered.signals.items()}
    shown["selected"] = {"type": origin.last_type, "score": scored.score}
    if raw.get("text") is not None:
        shown["sparse"] = _sparse(raw["text"], chunk_id, origin)
    if raw.get("vectors") is not None:
        shown["ann"] = {"score": raw["vectors"], "source": gathered.embedder}
    fused = origin.fused.get(chunk_id, scored)
    values = dict(zip(fused.names, fused.values, strict=True))
    if origin.score_type == "rrf":
        shown["rrf"] = _ranks(scored, origin, values)
    if origin.modes:
        ranks = shown["rrf"] or {**dict.fromkeys(_RANK_KEYS), "k": origin.k}
        shown["rrf"] = {**ranks, **_by_mode(chunk_id, origin)}
    if origin.score_type in ("blend", "weighted"):
        shown["blend"] = {
            "score": math.fsum(values.get(name, 0.0) for name in _SIGNALS),
            "sparsePart": values.get("text", 0.0),
            "annPart": values.get("vectors", 0.0),
        }
        if "instant" in gathered.signals:
            shown["blend"]["instantPart"] = values.get("instant", 0.0)
    if "name is the query" in values:
        shown["symbol"] = {"name": True, "boost": values["name is the query"]}
    shown.update({key: value for key, value in details.items() if key in shown})
    shown["parts"] = _listed(scored)
    return shown


def _listed(scored: Scored) -> list[dict[str, object]]:
    return [{"name": _cut(part.name), "value": part.value} for part in scored.parts]


def _by_mode(chunk_id: ChunkId, origin: Origin) -> dict[str, object]:
    """Return the rank and the share in each mode, and what put it there in its own."""
    in_mode = origin.fused.get(chunk_id)
    rank = list(origin.fused).index(chunk_id) + 1 if in_mode is not None else None
    modes: dict[str, object] = {}
    for name, weight in origin.modes.items():
        of_it = rank if name == origin.mode else None
        share = 0.0 if of_it is None else weight / (origin.k + of_it)
        modes[name] = {"rank": of_it, "weight": weight, "rrf": share}
    if in_mode is None:
        return {"modes": modes}
    own = {"mode": origin.mode, "score": in_mode.score, "parts": _listed(in_mode)}
    return {"modes": modes, "inMode": own}


def _sparse(score: float | None, chunk_id: ChunkId, origin: Origin) -> dict[str, object]:
    points = origin.gathered.points.get(chunk_id)
    if points is not None:
        gained = {part.name: part.value for part in points}
        return {"type": "points", "score": score, "points": gained}
    shown: dict[str, object] = {"type": origin.sparse_type, "score": score, "k1": 1.2, "b": 0.75}
    if origin.weights:
        shown["weights"] = dict(origin.weights)
    if origin.near:
        shown["near"] = list(origin.near)
    return shown


def _ranks(scored: Scored, origin: Origin, values: Mapping[str, float]) -> dict[str, object]:
    ranks = {
        ranking.name: ranking.ids.index(scored.chunk_id) + 1
        for ranking in origin.gathered.rankings
        if scored.chunk_id in ranking.ids
    }
    text, vectors = ranks.get("text"), ranks.get("vectors")
    return {
        "k": origin.k,
        "sparseRank": text,
        "annRank": vectors,
        "sparseRrf": values.get(f"text rank {text}"),
        "annRrf": values.get(f"vectors rank {vectors}"),
        "score": math.fsum(value for name, value in values.items() if name.partition(" rank ")[1]),
    }


def _cut(name: str) -> str:
    """Keep the name of a part short: an id in it may be as long as a path can be."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def reason(
    scored: Scored,
    gathered: Gathered,
    *,
    words: Sequence[str],
    details: Mapping[str, object] | None = None,
) -> str:
    """Say in one line why this was found."""
    said = []
    graph = (details or {}).get("graph")
    if isinstance(graph, dict) and "via" in graph and graph["score"] == scored.score:
        return f"{' and '.join(graph['via'])} of {graph['seed']}"
    if "name is the query" in scored.names:
        said.append("its name is asked for")
    if gathered.signals.get("text", {}).get(scored.chunk_id):
        # That it has "is" and "out" says nothing, unless it has nothing else.
        telling = [one for one in words if one.lower() not in _TELLS_LITTLE] or words
        some = ", ".join(telling[:_MOST_WORDS])
        said.append(f"has {some}" if some else "its name or path matches")
    degree = (details or {}).get("degree")
    if isinstance(degree, dict) and "degree" in gathered.signals:
        said.append(f"linked {degree['degree']} times")
    cosine = gathered.signals.get("vectors", {}).get(scored.chunk_id)
    if cosine is not None and any(one.startswith("vectors") for one in scored.names):
        said.append(f"means something similar ({cosine:.2f})")
    return "; ".join(said) or "nearest of the rest"
