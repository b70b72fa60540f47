"""Questions and what answers them -> a Result, with every query's score kept.

Knows nothing of indexes: what answers is passed in, and so is the clock. The means of a
set of repositories are taken over each repository's queries, then over repositories.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from types import MappingProxyType

from trivium.evaluation.datasets import Dataset, Repositories, Target
from trivium.evaluation.metrics import (
    ndcg,
    recall,
    recall_in_tokens,
    reciprocal_rank,
    success,
    tokens_of,
)
from trivium.types import Location

Clock = Callable[[], float]

# What is looked at of an answer: the deepest measure is recall@100.
DEPTH = 100


class Measure(StrEnum):
    """The numbers taken of every query."""

    NDCG_10 = "nDCG@10"
    MRR_10 = "MRR@10"
    RECALL_10 = "recall@10"
    RECALL_100 = "recall@100"
    SUCCESS_1 = "success@1"
    SUCCESS_5 = "success@5"
    SUCCESS_10 = "success@10"
    RECALL_500_TOKENS = "recall@500tokens"
    RECALL_1000_TOKENS = "recall@1000tokens"
    RECALL_2000_TOKENS = "recall@2000tokens"
    RECALL_4000_TOKENS = "recall@4000tokens"


_IN_TOKENS = {
    Measure.RECALL_500_TOKENS: 500,
    Measure.RECALL_1000_TOKENS: 1000,
    Measure.RECALL_2000_TOKENS: 2000,
    Measure.RECALL_4000_TOKENS: 4000,
}


# The two halves of a table that would be too wide for a screen.
BY_RANK = tuple(one for one in Measure if one not in _IN_TOKENS)
BY_TOKENS = tuple(_IN_TOKENS)


@dataclass(frozen=True, slots=True)
class Question:
    """A judged query as it is asked, whatever the set it is of.

    `gains` are by name: a document's id, a path, or the number of one of the `targets`.
    `within`, if not None, is the scope a search is to be kept inside. `fold` is the
    repository it is asked of, empty elsewhere; `group` the sort of query.
    """

    id: str
    text: str
    gains: Mapping[str, float]
    group: str = ""
    fold: str = ""
    within: str | None = None
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as a judge sees it: all the names it may be known by, and the text that is shown.

    One that `is_repeat` shows a document again: it costs its text and takes up no rank.
    """

    names: tuple[str, ...]
    text: str = ""
    is_repeat: bool = False


Ask = Callable[[Question], Sequence[Shown]]


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
    """How one profile did on one set; `profile` also names the model where several are asked."""

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


def questions_of(dataset: Dataset) -> tuple[Question, ...]:
    """Make questions of the queries of a corpus or of one's own collection."""
    return tuple(
        Question(one.id, one.text, one.relevant, one.group, within=one.within)
        for one in dataset.queries
    )


def questions_to(repositories: Repositories) -> tuple[Question, ...]:
    """Make questions of the queries to repositories; all targets have gain 1."""
    return tuple(
        Question(
            query.id,
            query.text,
            MappingProxyType({str(number): 1.0 for number in range(len(query.targets))}),
            query.group,
            fold=task.name,
            targets=query.targets,
        )
        for task in repositories.tasks
        for query in task.queries
    )


def targets_at(place: Location, targets: Sequence[Target]) -> tuple[str, ...]:
    """Return the numbers of the targets whose file a place lies in and whose lines it overlaps."""
    return tuple(str(number) for number, one in enumerate(targets) if _lies_in(place, one))


def measure(
    questions: Sequence[Question],
    ask: Ask,
    *,
    name: str,
    profile: str,
    split: str = "",
    clock: Clock = time.perf_counter,
) -> Result:
    """Ask every question and score what comes back."""
    scores = []
    for question in questions:
        started = clock()
        shown = ask(question)
        seconds = clock() - started
        values = values_of(shown, question.gains)
        scores.append(
            Score(question.id, question.text, values, seconds, question.group, question.fold)
        )
    return Result(name, profile, split, tuple(scores))


def values_of(shown: Sequence[Shown], gains: Mapping[str, float]) -> Mapping[Measure, float]:
    """Take every measure of one answer."""
    ranked = first_bearers([one.names for one in shown if not one.is_repeat], gains)
    costs = [(one.names, tokens_of(one.text)) for one in shown]
    return MappingProxyType(
        {
            Measure.NDCG_10: ndcg(ranked, gains=gains, k=10),
            Measure.MRR_10: reciprocal_rank(ranked, gains=gains, k=10),
            Measure.RECALL_10: recall(ranked, gains=gains, k=10),
            Measure.RECALL_100: recall(ranked, gains=gains, k=DEPTH),
            Measure.SUCCESS_1: success(ranked, gains=gains, k=1),
            Measure.SUCCESS_5: success(ranked, gains=gains, k=5),
            Measure.SUCCESS_10: success(ranked, gains=gains, k=10),
            **{
                one: recall_in_tokens(costs, gains=gains, tokens=tokens)
                for one, tokens in _IN_TOKENS.items()
            },
        }
    )


def first_bearers(hits: Sequence[Sequence[str]], gains: Mapping[str, float]) -> list[str]:
    """One name per hit: the best graded it bears that no hit before it has found, or none.

    A hit finds one thing, so that no list scores more than the ideal one.
    """
    ranked: list[str] = []
    found: set[str] = set()
    for names in hits:
        new = [name for name in names if name in gains and name not in found]
        ranked.append(max(new, key=lambda name: gains[name], default=""))
        found.add(ranked[-1])
    return ranked


def _lies_in(place: Location, target: Target) -> bool:
    if place.file_path != target.path:
        return False
    if target.lines is None:
        return True
    start, end = target.lines
    return place.start_line <= end and start <= place.end_line
