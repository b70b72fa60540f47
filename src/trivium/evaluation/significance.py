"""Two results of one set -> what the change is worth, with a paired bootstrap interval.

Percentile method (Efron, 1979), 2,000 draws, 95 %, the same seed every time. Queries are drawn
again, or whole repositories where there are several. Called by report and by tuning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from trivium.errors import UsageError
from trivium.evaluation.measure import Measure, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUNDS = 2000
_CONFIDENCE = 0.95
# Resamples are drawn a block at a time, to bound the memory that large sets need.
_BLOCK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one profile to another on a set; a positive difference is a gain.

    `name` is that of the set, "mean" for several. `low` and `high` bound the 95 % interval of
    the difference. Wins, losses and ties count queries.
    """

    name: str
    split: str
    before: str
    after: str
    measure: Measure
    difference: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int


def compare(
    before: Result,
    after: Result,
    *,
    measure: Measure = Measure.NDCG_10,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> Comparison:
    """Mean difference of two results of one set, with its interval.

    Where there are several repositories these are drawn whole: the question is then how it
    does on repositories not seen. Raises UsageError if the two did not answer the same queries.
    """
    pairs = [(before, after)]
    return _compared(pairs, after.name, after.split, measure=measure, rounds=rounds, seed=seed)


def compare_means(
    pairs: Sequence[tuple[Result, Result]],
    *,
    measure: Measure = Measure.NDCG_10,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> Comparison:
    """Difference in the mean of several sets, each of which is drawn anew on its own.

    The sets themselves are not drawn: the interval says nothing of sets not measured.
    """
    return _compared(pairs, "mean", "", measure=measure, rounds=rounds, seed=seed)


def interval(
    differences: Sequence[float], folds: Sequence[str], *, rounds: int = ROUNDS, seed: int = 0
) -> tuple[float, float]:
    """Bounds of the mean of paired differences, drawn by fold if there are several folds."""
    import numpy as np

    drawn = _drawn(_units(list(zip(folds, differences, strict=True))), rounds, _chance(seed))
    low, high = np.quantile(drawn, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    return float(low), float(high)


def _compared(
    pairs: Sequence[tuple[Result, Result]],
    name: str,
    split: str,
    *,
    measure: Measure,
    rounds: int,
    seed: int,
) -> Comparison:
    import numpy as np

    if not pairs:
        raise UsageError("There is no set that both profiles were measured on.")
    changes = [_differences(before, after, measure) for before, after in pairs]
    units = [_units(one) for one in changes]
    chance = _chance(seed)
    drawn = np.mean([_drawn(one, rounds, chance) for one in units], axis=0)
    low, high = np.quantile(drawn, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    every = [difference for one in changes for _, difference in one]
    wins, losses = sum(one > 0 for one in every), sum(one < 0 for one in every)
    return Comparison(
        name=name,
        split=split,
        before=pairs[0][0].profile,
        after=pairs[0][1].profile,
        measure=measure,
        difference=fmean(fmean(one) for one in units),
        low=float(low),
        high=float(high),
        wins=wins,
        losses=losses,
        ties=len(every) - wins - losses,
    )


def _chance(seed: int) -> np.random.Generator:
    import numpy as np

    return np.random.default_rng(seed)


def _units(changes: Sequence[tuple[str, float]]) -> list[float]:
    """Return what is drawn: the mean of each fold, or each query where there is but one fold."""
    folds: dict[str, list[float]] = {}
    for fold, difference in changes:
        folds.setdefault(fold, []).append(difference)
    if len(folds) == 1:
        return [difference for _, difference in changes]
    return [fmean(values) for values in folds.values()]


def _drawn(units: Sequence[float], rounds: int, chance: np.random.Generator) -> NDArray[np.float64]:
    """Return the means of `rounds` samples with replacement."""
    import numpy as np

    values = np.asarray(units, dtype=np.float64)
    count = len(values)
    block = max(1, _BLOCK_CELLS // count)
    return np.concatenate(
        [
            values[chance.integers(count, size=(min(block, rounds - done), count))].mean(axis=1)
            for done in range(0, rounds, block)
        ]
    )


def _differences(before: Result, after: Result, measure: Measure) -> list[tuple[str, float]]:
    """Fold and difference of every query, in the order of `after`."""
    first = {score.query_id: score for score in before.scores}
    same = (before.name, before.split) == (after.name, after.split)
    if not same or first.keys() != {score.query_id for score in after.scores}:
        raise UsageError(
            f"{before.name} {before.split} by {before.profile} and {after.name} {after.split} by "
            f"{after.profile} do not answer the same queries; compare results of one set and split"
        )
    both = [(first[score.query_id], score) for score in after.scores]
    if not both or any(measure not in score.values for pair in both for score in pair):
        raise UsageError(f"{after.name}: {measure} was not measured for every query")
    return [(new.fold, new.values[measure] - old.values[measure]) for old, new in both]
