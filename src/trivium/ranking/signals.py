"""What retrievers found -> scores on the scale a profile fuses.

Cosines and BM25 share no scale; a profile says how each is brought to one. Called by the
engine, between retrieval and fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trivium.ranking import fuse
from trivium.ranking.profile import Fusion, Retrieval
from trivium.types import ChunkId, Scores

# Beyond this many edges a node is no better linked.
MOST_LINKED = 20

_MEANINGS: Mapping[str, Callable[[float], float]] = {
    "positive": lambda cosine: max(0.0, cosine),
    "half": lambda cosine: (min(1.0, max(-1.0, cosine)) + 1) / 2,
    "hundred": lambda cosine: 100 * cosine,
}
_NORMALISED: Mapping[str, Callable[[Scores], dict[ChunkId, float]]] = {
    "max": fuse.by_best,
    "minmax": fuse.by_range,
    "zscore": fuse.by_deviation,
}


def prepared(
    signals: Mapping[str, Scores], *, retrieval: Retrieval, fusion: Fusion
) -> dict[str, Scores]:
    """Return the signals as they are fused.

    "max" is for words only, since a cosine has a scale of its own; "minmax" and "zscore" are
    for every signal.
    """
    made: dict[str, Scores] = {}
    for name, scores in signals.items():
        found: Scores = scores
        # Of "raw" nothing is made.
        meaning = _MEANINGS.get(retrieval.meaning)
        if name in ("vectors", "instant") and meaning is not None:
            found = {one: meaning(cosine) for one, cosine in scores.items()}
        normalise = _NORMALISED.get(fusion.normalise)
        if normalise is not None and (name == "text" or fusion.normalise != "max"):
            found = normalise(found)
        made[name] = found
    return made


def linked(degree: int) -> float:
    """Return how well linked a node is, 0 to 1: seed 000's degree boost."""
    return min(1.0, degree / MOST_LINKED)
