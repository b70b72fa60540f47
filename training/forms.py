"""Pools of judged queries -> what the weight of words should depend on.

The odds of words beside the rest are two to the power of a number of prose, one of code, and one
times a sign of the query, this part at most four times or a fourth, as in the product. Fitted to
all sets but one, each counting alike, and asked of that one. Called by training.blend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, pstdev

import numpy as np
from numpy.typing import NDArray

from training.blend import BEST, as_result, compared, measured, replayed, shipped
from training.pools import Pool
from trivium.evaluation.measure import Measure, Result
from trivium.query.intent import is_name
from trivium.retrieval.scope import terms_of

# Odds of words, as powers of two, at which every query is ranked; between them a straight line.
_LOWEST, _STEP, _COUNT = -6.0, 0.5, 21
_MOST_BY_SIGN = 2.0
_START = (-1.0, -1.0, 0.0)
_STEPS = (2.0, 1.0, 0.5, 0.25, 0.125)
_LEAST_GAIN = 1e-6

Floats = NDArray[np.float64]
Sign = Callable[[Pool], float]
# Which of the three numbers are moved, each alone or together with others.
Moved = Sequence[tuple[int, ...]]


def best_per_term(pool: Pool) -> float:
    """Return the best score of words for each term of the query, by logarithm."""
    scores = _found(pool, "text")
    return float(np.log(max(scores, default=0.1) / max(1, terms_of(pool.query, BEST.view))))


def _found(pool: Pool, name: str) -> list[float]:
    return list(pool.gathered.signals.get(name, {}).values())


def _spread(pool: Pool, name: str) -> float:
    scores = _found(pool, name)
    return float(np.log(max(1e-3, pstdev(scores)))) if scores else 0.0


def _highest(pool: Pool, name: str) -> float:
    scores = _found(pool, name)
    return (max(scores) - fmean(scores)) / (pstdev(scores) or 1.0) if scores else 0.0


def _likeness(pool: Pool) -> float:
    lists = [set(one.ids) for one in pool.gathered.rankings]
    return len(set.intersection(*lists)) / max(1, len(set.union(*lists)))


SIGNS: dict[str, Sign] = {
    "number of terms": lambda pool: float(np.log(max(1, terms_of(pool.query, BEST.view)))),
    "spread of BM25": lambda pool: _spread(pool, "text"),
    "spread of cosines": lambda pool: _spread(pool, "vectors"),
    "best z-score of words": lambda pool: _highest(pool, "text"),
    "best z-score of meaning": lambda pool: _highest(pool, "vectors"),
    "best cosine": lambda pool: max(_found(pool, "vectors"), default=0.0),
    "likeness of both lists": _likeness,
    "best BM25 score for each term": best_per_term,
    "the same over the logarithm of chunks": lambda pool: (
        best_per_term(pool) - float(np.log(np.log(max(3, pool.chunks))))
    ),
}


@dataclass(frozen=True, slots=True)
class Curves:
    """Of every query: how much of it is code, and its nDCG@10 at each of the odds."""

    code: Floats
    ndcg: Floats

    def at(self, numbers: Sequence[float], sign: Floats) -> Floats:
        """Return nDCG@10 of every query by the three numbers of a form."""
        prose, code, slope = numbers
        said = np.clip(slope * sign, -_MOST_BY_SIGN, _MOST_BY_SIGN)
        odds = (1 - self.code) * prose + self.code * code + said
        place = np.clip((odds - _LOWEST) / _STEP, 0, _COUNT - 1.001)
        left = place.astype(int)
        part = place - left
        rows = np.arange(len(left))
        found: Floats = (1 - part) * self.ndcg[rows, left] + part * self.ndcg[rows, left + 1]
        return found


def curve(pool: Pool) -> list[float]:
    """Rank one query at each of the odds; a name has its own weights at all of them."""
    weights = dict(shipped(pool))
    text = weights.pop("text", 0.0)
    rest = sum(weights.values())
    if not text or not rest or is_name(pool.meaning) or pool.gathered.called:
        return [replayed(pool, shipped(pool))] * _COUNT
    others = {name: one / rest for name, one in weights.items()}
    odds = [2 ** (_LOWEST + at * _STEP) for at in range(_COUNT)]
    return [replayed(pool, {"text": one, **others}) for one in odds]


def fit(curves: Curves, sign: Floats, share: Floats, moved: Moved) -> list[float]:
    """Return the numbers that rank best, each moved in turn by ever smaller steps."""
    numbers = list(_START)
    best = float(share @ curves.at(numbers, sign))
    for step in _STEPS:
        has_moved = True
        while has_moved:
            has_moved = False
            for together, by in product(moved, (step, -step)):
                other = [one + by * (at in together) for at, one in enumerate(numbers)]
                found = float(share @ curves.at(other, sign))
                if found > best + _LEAST_GAIN:
                    numbers, best, has_moved = other, found, True
    return numbers


@dataclass(frozen=True, slots=True)
class Form:
    """What the weight of words depends on: which of the three numbers are free, and the sign."""

    label: str
    moved: Moved
    sign: Sign = lambda _: 0.0


FORMS = (
    Form("nothing", ((0, 1),)),
    Form("whether it is code", ((0,), (1,))),
    *(Form(f"code and {label}", ((0,), (1,), (2,)), sign) for label, sign in SIGNS.items()),
)


def left_out(form: Form, sets: Sequence[Sequence[Pool]], curves: Curves) -> list[Result]:
    """Fit a form to all sets but each in turn, and rank that one by it."""
    sizes = np.array([len(pools) for pools in sets])
    owner = np.repeat(np.arange(len(sets)), sizes)
    raw = np.array([form.sign(pool) for pools in sets for pool in pools])
    sign = (raw - raw.mean()) / (raw.std() or 1.0)
    made = []
    for at, pools in enumerate(sets):
        share = np.where(owner == at, 0.0, 1 / sizes[owner])
        numbers = fit(curves, sign, share, form.moved)
        values = curves.at(numbers, sign)[owner == at]
        made.append(as_result(pools, form.label, values.tolist()))
    return made


def show_forms(sets: Sequence[Sequence[Pool]]) -> None:
    """Print how each form ranks sets it was not fitted to, and what that is beside sort alone."""
    pools = [pool for each in sets for pool in each]
    curves = Curves(np.array([pool.code for pool in pools]), np.array([*map(curve, pools)]))
    found = {form.label: left_out(form, sets, curves) for form in FORMS}
    found["as shipped, not left out"] = [measured(each, "as shipped", shipped) for each in sets]
    before = found["whether it is code"]
    print(f"{'the weight of words depends on':<50}{'mean':>7}  against code alone, 95 % interval")
    for label, results in found.items():
        mean = fmean(one.means[Measure.NDCG_10] for one in results)
        change = compared(before, results)[-1]
        interval = f"{change.difference:+.4f} ({change.low:+.4f} to {change.high:+.4f})"
        print(f"{label:<50}{mean:7.4f}  {interval}")
