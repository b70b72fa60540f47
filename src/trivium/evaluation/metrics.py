"""A ranked list and the gains of what is relevant -> one number between 0 and 1.

Pure, and equal to trec_eval's measures where it has them. A gain of 0 or less means not
relevant. An id that comes again takes up its rank and earns nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

_CHARACTERS_PER_TOKEN = 4


def ndcg(ranked: Sequence[str], *, gains: Mapping[str, float], k: int) -> float:
    """Discounted gain of the first `k` over that of the best possible order.

    The gain is the grade itself over log2(rank + 1) (Jarvelin and Kekalainen, 2002, as in
    trec_eval). Without anything relevant it is 0.
    """
    ideal = sorted((gain for gain in gains.values() if gain > 0), reverse=True)[:k]
    return _discounted(_earned(ranked[:k], gains)) / _discounted(ideal) if ideal else 0.0


def reciprocal_rank(ranked: Sequence[str], *, gains: Mapping[str, float], k: int) -> float:
    """One over the rank of the first relevant id among the first `k`, or 0."""
    earned = _earned(ranked[:k], gains)
    return next((1 / rank for rank, gain in enumerate(earned, start=1) if gain > 0), 0.0)


def recall(ranked: Sequence[str], *, gains: Mapping[str, float], k: int) -> float:
    """Share of what is relevant that stands among the first `k`, or 0 if nothing is."""
    relevant = {one for one, gain in gains.items() if gain > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def success(ranked: Sequence[str], *, gains: Mapping[str, float], k: int) -> float:
    """1 if anything relevant stands among the first `k`, else 0."""
    return 1.0 if any(gain > 0 for gain in _earned(ranked[:k], gains)) else 0.0


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: its code points over 4, rounded up, at least 1."""
    return max(1, math.ceil(len(text) / _CHARACTERS_PER_TOKEN))


def recall_in_tokens(
    shown: Sequence[tuple[Sequence[str], int]], *, gains: Mapping[str, float], tokens: int
) -> float:
    """Share of what is relevant that is shown, whole, within the first `tokens`.

    `shown` are results in order, each as the names it bears and the tokens it takes up. The
    first that does not fit ends the list: a reader with that much room would stop there.
    """
    relevant = {one for one, gain in gains.items() if gain > 0}
    seen: set[str] = set()
    left = tokens
    for names, cost in shown:
        left -= cost
        if left < 0:
            break
        seen.update(names)
    return len(relevant & seen) / len(relevant) if relevant else 0.0


def _earned(ranked: Sequence[str], gains: Mapping[str, float]) -> list[float]:
    seen: set[str] = set()
    earned = []
    for one in ranked:
        earned.append(0.0 if one in seen else max(0.0, gains.get(one, 0.0)))
        seen.add(one)
    return earned


def _discounted(gains: Iterable[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
