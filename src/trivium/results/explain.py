"""The parts of a score -> words and the breakdown every door shows.

Nothing is computed again: the parts are what ranking added up. The breakdown always has
the same keys, null where a signal was not used. Called by results.fetch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.types import Gathered, Scored

_MOST_WORDS = 5

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


def breakdown(
    scored: Scored, gathered: Gathered, *, score_type: str, k: int
) -> Mapping[str, object]:
    """Return how `scored` came to its score, with every key present."""
    shown: dict[str, object] = dict.fromkeys(BREAKDOWN_KEYS)
    chunk_id = scored.chunk_id
    ranks = {
        ranking.name: ranking.ids.index(chunk_id) + 1
        for ranking in gathered.rankings
        if chunk_id in ranking.ids
    }
    raw = {name: scores.get(chunk_id) for name, scores in gathered.signals.items()}
    shown["selected"] = {"type": score_type, "score": scored.score}
    if raw.get("text") is not None:
        shown["sparse"] = {"type": "bm25", "score": raw["text"], "k1": 1.2, "b": 0.75}
    if raw.get("vectors") is not None:
        shown["ann"] = {"score": raw["vectors"], "source": gathered.embedder}
    values = {part.name: part.value for part in scored.parts}
    if score_type == "rrf":
        text, vectors = ranks.get("text"), ranks.get("vectors")
        shown["rrf"] = {
            "k": k,
            "sparseRank": text,
            "annRank": vectors,
            "sparseRrf": values.get(f"text rank {text}"),
            "annRrf": values.get(f"vectors rank {vectors}"),
            "score": scored.score,
        }
    if score_type == "blend":
        shown["blend"] = {
            "score": scored.score,
            "sparsePart": values.get("text", 0.0),
            "annPart": values.get("vectors", 0.0),
        }
    if "name is the query" in values:
        shown["symbol"] = {"name": True, "boost": values["name is the query"]}
    shown["parts"] = [{"name": part.name, "value": part.value} for part in scored.parts]
    return shown


def reason(scored: Scored, gathered: Gathered, *, words: Sequence[str]) -> str:
    """Say in one line why this was found."""
    said = []
    if any(part.name == "name is the query" for part in scored.parts):
        said.append("its name is asked for")
    if gathered.signals.get("text", {}).get(scored.chunk_id):
        some = ", ".join(words[:_MOST_WORDS])
        said.append(f"has {some}" if some else "its name or path matches")
    cosine = gathered.signals.get("vectors", {}).get(scored.chunk_id)
    if cosine is not None and any(part.name.startswith("vectors") for part in scored.parts):
        said.append(f"means something similar ({cosine:.2f})")
    return "; ".join(said) or "nearest of the rest"
