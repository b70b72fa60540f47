"""An Outcome -> tables for a person and plain data for a program.

Formats what others measured and compared. The command line prints what it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean

from trivium.evaluation.measure import Measure, Result
from trivium.evaluation.moves import Listed, Move, Moves, Side
from trivium.evaluation.run import Outcome
from trivium.evaluation.significance import Comparison


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


def details(results: Sequence[Result], *, measures: Sequence[Measure] = tuple(Measure)) -> str:
    """One row for each set and profile, with `measures` and the time of a query."""
    header = ["set", "split", "profile", "queries", *map(str, measures), "ms/query"]
    body = [
        [
            result.name,
            result.split,
            result.profile,
            str(result.queries),
            *(_number(result.means.get(measure)) for measure in measures),
            f"{result.seconds_per_query * 1000:.1f}",
        ]
        for result in results
    ]
    return _aligned([header, *body], texts=3)


def differences(comparisons: Sequence[Comparison], *, measure: Measure = Measure.NDCG_10) -> str:
    """One row for each set and profile: what it gains on the first, with its interval."""
    header = ["difference", "split", "profile", str(measure), "95 % interval", "won/tied/lost"]
    body = [
        [
            one.name,
            one.split,
            f"{one.after} - {one.before}",
            f"{one.difference:+.4f}",
            f"{one.low:+.4f} to {one.high:+.4f}",
            f"{one.wins}/{one.ties}/{one.losses}",
        ]
        for one in comparisons
        if one.measure is measure
    ]
    return _aligned([header, *body], texts=3)


def as_data(outcome: Outcome) -> dict[str, object]:
    """All that `outcome` holds, query by query, in values that JSON can write."""
    return {
        "results": [_result_as_data(result) for result in outcome.results],
        "comparisons": [_comparison_as_data(one) for one in outcome.comparisons],
        "moves": [_moves_as_data(one) for one in outcome.moves],
    }


def _comparison_as_data(one: Comparison) -> dict[str, object]:
    data = {key: value for key, value in asdict(one).items() if key != "name"}
    return {"set": one.name, **data, "measure": str(one.measure)}


def _moves_as_data(one: Moves) -> dict[str, object]:
    return {
        "set": one.name,
        "split": one.split,
        "before": one.before,
        "after": one.after,
        "worse": [_move_as_data(move) for move in one.worse],
        "better": [_move_as_data(move) for move in one.better],
    }


def _move_as_data(move: Move) -> dict[str, object]:
    return {
        "id": move.query_id,
        "query": move.text,
        "fold": move.fold,
        "difference": move.difference,
        "relevant": [{"name": name, "grade": grade} for name, grade in move.relevant],
        "before": _side_as_data(move.before),
        "after": _side_as_data(move.after),
    }


def _side_as_data(side: Side) -> dict[str, object]:
    return {
        "profile": side.profile,
        str(Measure.NDCG_10): side.value,
        "first": [_listed_as_data(one) for one in side.first],
        "relevant": [None if one is None else _listed_as_data(one) for one in side.relevant],
    }


def _listed_as_data(one: Listed) -> dict[str, object]:
    data = {key: value for key, value in asdict(one).items() if key not in {"finds", "parts"}}
    return {**data, "parts": [{"name": part.name, "value": part.value} for part in one.parts]}


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
