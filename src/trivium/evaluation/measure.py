"""A search function and judged queries -> a Result, with every query's score kept.

Knows nothing of indexes: what searches is passed in, and so is the clock. The means of a
set of repositories are taken over each repository's queries, then over repositories.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from types import MappingProxyType
from typing import Protocol

from trivium.evaluation.datasets import Dataset, Judged, Repositories, RepositoryTask, Target
from trivium.evaluation.metrics import ndcg, recall, reciprocal_rank
from trivium.types import Location

Clock = Callable[[], float]

_PAGE = 10
_DEPTH = 100


class Measure(StrEnum):
    """The numbers taken of every query."""

    NDCG_10 = "nDCG@10"
    MRR_10 = "MRR@10"
    RECALL_10 = "recall@10"
    RECALL_100 = "recall@100"


class Search(Protocol):
    """Finds documents, best first, each at most once, as ids."""

    def __call__(self, query: str, *, limit: int, within: str | None) -> Sequence[str]:
        """Give at most `limit` ids; only of documents whose scope is `within`, if not None."""
        ...


class NameSearch(Protocol):
    """Finds hits, best first, each as all the names a judge may know it by."""

    def __call__(self, query: str, *, limit: int) -> Sequence[Sequence[str]]:
        """Give at most `limit` hits, each as its id, its path and so on."""
        ...


class PlaceSearch(Protocol):
    """Finds places in a repository, best first; paths are relative to the indexed folder."""

    def __call__(self, query: str, *, limit: int) -> Sequence[Location]:
        """Give at most `limit` places."""
        ...


@dataclass(frozen=True, slots=True)
class Score:
    """How one query did. `fold` is the repository it was asked of, empty elsewhere."""

    query_id: str
    text: str
    values: Mapping[Measure, float]
    seconds: float
    group: str = ""
    fold: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """How one profile did on one set."""

    name: str
    profile: str
    split: str
    scores: tuple[Score, ...]

    @property
    def queries(self) -> int:
        """How many queries were asked."""
        return len(self.scores)

    @property
    def seconds_per_query(self) -> float:
        """Mean time of a query, 0 if none was asked."""
        return fmean(score.seconds for score in self.scores) if self.scores else 0.0

    @property
    def means(self) -> Mapping[Measure, float]:
        """Each measure that every query has: mean over a fold's queries, then over folds."""
        taken = [one for one in Measure if all(one in score.values for score in self.scores)]
        return {one: fmean(self.by_fold(one).values()) for one in taken} if self.scores else {}

    def by_fold(self, measure: Measure) -> Mapping[str, float]:
        """Mean of `measure` over the queries of each fold."""
        folds: dict[str, list[float]] = {}
        for score in self.scores:
            folds.setdefault(score.fold, []).append(score.values[measure])
        return {fold: fmean(values) for fold, values in folds.items()}


def measure(
    dataset: Dataset, search: Search, *, profile: str, clock: Clock = time.perf_counter
) -> Result:
    """Ask every query of `dataset` inside its scope and score the ids that come back."""
    scores = []
    for query in dataset.queries:
        started = clock()
        ranked = search(query.text, limit=_DEPTH, within=query.within)
        scores.append(_score_of(query, ranked, clock() - started))
    return Result(dataset.name, profile, dataset.split, tuple(scores))


def measure_names(
    dataset: Dataset, search: NameSearch, *, profile: str, clock: Clock = time.perf_counter
) -> Result:
    """Ask every query of `dataset`, whose judges named documents by id or by path.

    What was judged is found at the rank of the first hit that bears its name.
    """
    scores = []
    for query in dataset.queries:
        started = clock()
        hits = search(query.text, limit=_DEPTH)
        seconds = clock() - started
        scores.append(_score_of(query, _first_bearers(hits, query.relevant), seconds))
    return Result(dataset.name, profile, dataset.split, tuple(scores))


def measure_repositories(
    repositories: Repositories,
    search_in: Callable[[RepositoryTask], PlaceSearch],
    *,
    profile: str,
    clock: Clock = time.perf_counter,
) -> Result:
    """Ask the queries of every repository of the search that `search_in` gives for it."""
    scores = [
        score
        for task in repositories.tasks
        for score in score_repository(task, search_in(task), clock=clock)
    ]
    return Result(repositories.name, profile, "", tuple(scores))


def score_repository(
    task: RepositoryTask, search: PlaceSearch, *, clock: Clock = time.perf_counter
) -> tuple[Score, ...]:
    """Score the queries of one repository.

    A target is found at the rank of the first place that lies in its file and, where it
    has lines, overlaps them. All targets have gain 1.
    """
    scores = []
    for query in task.queries:
        started = clock()
        places = search(query.text, limit=_PAGE)
        seconds = clock() - started
        hits = [_targets_at(place, query.targets) for place in places]
        gains = {str(index): 1.0 for index in range(len(query.targets))}
        values = _values(_first_bearers(hits, gains), gains, depth=_PAGE)
        scores.append(Score(query.id, query.text, values, seconds, query.group, task.name))
    return tuple(scores)


def _score_of(query: Judged, ranked: Sequence[str], seconds: float) -> Score:
    values = _values(ranked, query.relevant, depth=_DEPTH)
    return Score(query.id, query.text, values, seconds, query.group)


def _values(
    ranked: Sequence[str], gains: Mapping[str, float], *, depth: int
) -> Mapping[Measure, float]:
    values = {
        Measure.NDCG_10: ndcg(ranked, gains=gains, k=10),
        Measure.MRR_10: reciprocal_rank(ranked, gains=gains, k=10),
        Measure.RECALL_10: recall(ranked, gains=gains, k=10),
    }
    if depth >= _DEPTH:
        values[Measure.RECALL_100] = recall(ranked, gains=gains, k=100)
    return MappingProxyType(values)


def _first_bearers(hits: Sequence[Sequence[str]], gains: Mapping[str, float]) -> list[str]:
    """One name per hit: the best graded it bears that no hit before it has found, or none.

    A hit finds one thing, so that no list scores more than the ideal one.
    """
    ranked: list[str] = []
    for names in hits:
        new = [name for name in names if name in gains and name not in ranked]
        ranked.append(max(new, key=lambda name: gains[name], default=""))
    return ranked


def _targets_at(place: Location, targets: Sequence[Target]) -> list[str]:
    return [str(index) for index, target in enumerate(targets) if _lies_in(place, target)]


def _lies_in(place: Location, target: Target) -> bool:
    if place.file_path != target.path:
        return False
    if target.lines is None:
        return True
    start, end = target.lines
    return place.start_line <= end and start <= place.end_line
