"""Results -> tables for a person, plain data for a program, and what a change is worth.

Formats and compares; measures nothing itself. The command line prints what it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from trivium.errors import UsageError
from trivium.evaluation.measure import Measure, Result

_CONFIDENCE = 0.95
# Resamples are drawn a block at a time, to bound the memory that large sets need.
_BLOCK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one result to another; a positive difference is a gain.

    `low` and `high` bound the 95 % interval of the difference. Wins, losses and ties
    count queries.
    """

    name: str
    measure: Measure
    difference: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int


def table(results: Sequence[Result], *, measure: Measure = Measure.NDCG_10) -> str:
    """Lay out sets as rows and profiles as columns, with the mean of the sets all profiles have."""
    profiles = list(dict.fromkeys(result.profile for result in results))
    rows: dict[tuple[str, str], dict[str, Result]] = {}
    for result in results:
        rows.setdefault((result.name, result.split), {})[result.profile] = result
    body = []
    complete: list[list[float]] = []
    for (name, split), by_profile in rows.items():
        values = [_mean(by_profile.get(profile), measure) for profile in profiles]
        queries = max(result.queries for result in by_profile.values())
        body.append([name, split, str(queries), *map(_number, values)])
        whole = [value for value in values if value is not None]
        if len(whole) == len(profiles):
            complete.append(whole)
    means = [_number(fmean(column)) for column in zip(*complete, strict=True)]
    label = "mean" if len(complete) == len(rows) else f"mean of {len(complete)}"
    foot = [label, "", "", *(means or ["-"] * len(profiles))]
    return _aligned([[str(measure), "split", "queries", *profiles], *body, foot])


def details(results: Sequence[Result]) -> str:
    """One row for each set and profile, with every measure and the time of a query."""
    header = ["set", "split", "profile", "queries", *map(str, Measure), "ms/query"]
    body = [
        [
            result.name,
            result.split,
            result.profile,
            str(result.queries),
            *(_number(result.means.get(measure)) for measure in Measure),
            f"{result.seconds_per_query * 1000:.1f}",
        ]
        for result in results
    ]
    return _aligned([header, *body], texts=3)


def as_data(results: Sequence[Result]) -> dict[str, object]:
    """All that `results` hold, query by query, in values that JSON can write."""
    return {"results": [_result_as_data(result) for result in results]}


def compare(
    before: Result,
    after: Result,
    *,
    measure: Measure = Measure.NDCG_10,
    rounds: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Mean difference of two results of one set, with a paired bootstrap interval.

    Queries are drawn again, or whole repositories where there are several: the question
    is then how it does on repositories not seen. Percentile method (Efron, 1979).
    Raises UsageError if the two did not answer the same queries.
    """
    import numpy as np

    pairs = _pairs(before, after, measure)
    folds: dict[str, list[float]] = {}
    for fold, difference in pairs:
        folds.setdefault(fold, []).append(difference)
    units = [fmean(values) for values in folds.values()]
    if len(folds) == 1:
        units = [difference for _, difference in pairs]
    drawn = np.asarray(units)
    chance = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // len(units))
    means = np.concatenate(
        [
            drawn[chance.integers(len(units), size=(min(block, rounds - done), len(units)))].mean(1)
            for done in range(0, rounds, block)
        ]
    )
    low, high = np.quantile(means, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    wins = sum(difference > 0 for _, difference in pairs)
    losses = sum(difference < 0 for _, difference in pairs)
    return Comparison(
        name=after.name,
        measure=measure,
        difference=fmean(units),
        low=float(low),
        high=float(high),
        wins=wins,
        losses=losses,
        ties=len(pairs) - wins - losses,
    )


def _pairs(before: Result, after: Result, measure: Measure) -> list[tuple[str, float]]:
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


def _result_as_data(result: Result) -> dict[str, object]:
    data: dict[str, object] = {
        "set": result.name,
        "profile": result.profile,
        "split": result.split,
        "queries": result.queries,
        "seconds_per_query": result.seconds_per_query,
        "means": {str(measure): value for measure, value in result.means.items()},
        "scores": [
            {
                "id": score.query_id,
                "query": score.text,
                "group": score.group,
                "fold": score.fold,
                "seconds": score.seconds,
                **{str(measure): value for measure, value in score.values.items()},
            }
            for score in result.scores
        ],
    }
    if any(score.fold for score in result.scores):
        data["folds"] = {
            fold: {str(measure): result.by_fold(measure)[fold] for measure in result.means}
            for fold in dict.fromkeys(score.fold for score in result.scores)
        }
    return data


def _mean(result: Result | None, measure: Measure) -> float | None:
    return None if result is None else result.means.get(measure)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _aligned(rows: Sequence[Sequence[str]], *, texts: int = 2) -> str:
    """Columns two spaces apart; the first `texts` flush left, the others flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if index < texts else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
