"""How well `related` finds the other files that answer a question, asked for what is like one.

Of each question with several right files, every right file is asked for in turn, and the others
should come first: the figure is the mean nDCG@10 over all these files, with the instant model. The
weights are chosen without each sixth of the repositories and measured on it.
Run: python -m benchmarks.related DATA --repos FOLDER
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, arguments, cpu_ms, middle, report
from trivium.alike import WEIGHTS, Weights, alike
from trivium.backends.base import Snapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.collection import open_collection
from trivium.config import load
from trivium.evaluation.datasets import RepositoryTask, load_repositories
from trivium.evaluation.metrics import ndcg
from trivium.evaluation.significance import interval
from trivium.home import folder_of, store_of
from trivium.lookups import find
from trivium.models.static import static
from trivium.ranking.profile import profile
from trivium.types import Node

_K = 10
_FOLDS = 6
_DIGITS = 2
# Shown in the docs: each part alone, pairs of them, and what is set.
SHOWN = tuple(
    Weights(*one)
    for one in (
        (1, 0, 0),
        (0, 0, 1),
        (0.85, 0.15, 0),
        (0.85, 0, 0.15),
        (0.7, 0, 0.3),
        (0.6, 0, 0.4),
        (0.6, 0.05, 0.35),
        (0.5, 0, 0.5),
        (0.5, 0.05, 0.45),
        (0.4, 0, 0.6),
        (0.3, 0.35, 0.35),
    )
)


@dataclass(frozen=True, slots=True)
class Case:
    """One right file of a question: its node, and the other right files."""

    repository: str
    question: str
    node: Node
    others: frozenset[str]


def cases_of(snapshot: Snapshot, task: RepositoryTask) -> list[Case]:
    """Return the right files of questions that have several, as far as they are indexed."""
    known = set(snapshot.paths())
    cases = []
    for query in task.queries:
        paths = [one for one in dict.fromkeys(t.path for t in query.targets) if one in known]
        if len(paths) > 1:
            cases += [
                Case(task.name, query.id, find(snapshot, one), frozenset(paths) - {one})
                for one in paths
            ]
    return cases


def found(snapshot: Snapshot, case: Case, weights: Weights) -> float:
    """Return the nDCG@10 of what is like one file."""
    answer = alike(
        snapshot,
        case.node,
        view=profile("best").view,
        embedders=[static()],
        limit=_K,
        weights=weights,
    )
    ranked = [hit.source.file_path for hit in answer.results]
    return ndcg(ranked, gains=dict.fromkeys(case.others, 1.0), k=_K)


def grid() -> list[Weights]:
    """Return the weights to choose from; they add up to 1."""
    return [
        Weights(meaning / 10, linked, round(1 - linked - meaning / 10, _DIGITS))
        for linked in (0.0, 0.05, 0.1)
        for meaning in range(2, 9)
    ]


def table(scores: Mapping[Weights, Sequence[float]], cases: Sequence[Case]) -> list[Row]:
    """Return the mean of each, and by how much it differs from what is set."""
    rows: list[Row] = []
    for weights in SHOWN:
        changes = [
            after - before for before, after in zip(scores[WEIGHTS], scores[weights], strict=True)
        ]
        low, high = interval(changes, [case.repository for case in cases])
        rows.append(
            {
                "meaning / linked / in common": _named(weights),
                "nDCG@10": f"{statistics.fmean(scores[weights]):.3f}",
                "against what is set": "" if weights == WEIGHTS else f"{low:+.3f} to {high:+.3f}",
            }
        )
    return rows


def chosen(scores: Mapping[Weights, Sequence[float]], cases: Sequence[Case]) -> list[Row]:
    """Choose weights without each sixth of the repositories, and measure them on it."""
    names = sorted({one.repository for one in cases})
    rows: list[Row] = []
    for fold in [*range(_FOLDS), None]:
        kept_back = set() if fold is None else set(names[fold::_FOLDS])
        seen = [at for at, one in enumerate(cases) if one.repository not in kept_back]
        unseen = [at for at, one in enumerate(cases) if one.repository in kept_back]
        best = max(scores, key=lambda one: statistics.fmean(scores[one][at] for at in seen))
        rows.append(
            {
                "fold": "all" if fold is None else str(fold),
                "chosen": _named(best),
                "there": f"{statistics.fmean(scores[best][at] for at in seen):.3f}",
                "kept back": _mean(scores[best], unseen),
                "what is set, kept back": _mean(scores[WEIGHTS], unseen),
            }
        )
    return rows


def _mean(values: Sequence[float], at: Sequence[int]) -> str:
    return f"{statistics.fmean(values[one] for one in at):.3f}" if at else ""


def _named(weights: Weights) -> str:
    return f"{weights.meaning:g} / {weights.linked:g} / {weights.shared:g}"


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("data", type=Path, help="a folder with repos.json and annotations")
    parser.add_argument("--repos", type=Path, required=True, help="where the repositories are")
    given = parser.parse_args()
    home = load().home
    asked = list(dict.fromkeys([*SHOWN, WEIGHTS, *grid()]))
    scores: dict[Weights, list[float]] = {one: [] for one in asked}
    cases: list[Case] = []
    took: list[float] = []
    for task in load_repositories(given.data, repositories=given.repos).tasks:
        folder, store = folder_of(task.root, home), store_of(task.root, home)
        backend = EmbeddedBackend(folder, store=store, views=(profile("best").view,))
        with open_collection(task.root, backend=backend) as collection:
            collection.sync(yes=True)
            collection.link()
            with backend.snapshot() as snapshot:
                own = cases_of(snapshot, task)
                cases += own
                for case in own:
                    took.append(cpu_ms(partial(found, snapshot, case, WEIGHTS)))
                    for weights, values in scores.items():
                        values.append(found(snapshot, case, weights))
        print(f"{task.name}: {len(own)} files", flush=True)
    questions = len({(one.repository, one.question) for one in cases})
    title = f"related, {questions} questions, {len(cases)} files, {middle(took):.0f} ms each"
    report(title, table(scores, cases), to=given.json)
    report("related, chosen by folds", chosen(scores, cases), to=given.json)


if __name__ == "__main__":
    main()
