"""Judged repositories -> the [learned] table of the profile `best`, with its score by folds.

Asks the engine for the candidates of every query, fits the weights of the signs of
trivium.ranking.features by listwise softmax, and shows how weights that never saw a repository
rank it. One command, the same result every time:

    python -m training.ranker DATA/semble-dev --repos REPOSITORIES --home FOLDER
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from trivium.backends.base import Snapshot
from trivium.evaluation.bench import Bench, Contender, Prepared
from trivium.evaluation.measure import Measure, Question, Shown, targets_at, values_of
from trivium.evaluation.sets import Place, Sort
from trivium.filtering.conditions import EVERYTHING
from trivium.models.static import static
from trivium.query.parse import parse
from trivium.ranking import cut
from trivium.ranking.features import SIGNS, Wanted, wanted
from trivium.ranking.learned import signs_of, with_signs
from trivium.ranking.profile import Learned, Profile, profile
from trivium.retrieval.files import files_of
from trivium.retrieval.gather import Asking
from trivium.retrieval.scope import rank_scope
from trivium.retrieval.spreading import Seeding
from trivium.types import ChunkId, Location, NodeId, Scored

_KEYS = tuple(SIGNS)
_PAGE = 10
_STEPS = 400
_RATE = 0.2
# Of .0003, .001, .003, .01 and .03 by folds.
_SHRINK = 0.001

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One query: its candidates before learning, their files and places, and what is wanted."""

    question: Question
    wanted: Wanted
    scored: tuple[Scored, ...]
    files: Mapping[ChunkId, str]
    places: Mapping[str, Location]

    @property
    def repository(self) -> str:
        """The repository that is asked."""
        return self.question.fold

    def lists(self) -> tuple[Floats, Floats]:
        """Return a row for each file of code, the blend before its signs, and which are right."""
        of_file: dict[str, list[Scored]] = {}
        for one in self.scored:
            if one.chunk_id in self.files:
                of_file.setdefault(self.files[one.chunk_id], []).append(one)
        every = Learned(dict.fromkeys(_KEYS, 1.0))
        rows = [
            [max(one.score for one in members)]
            + [value for _, _, value in signs_of(path, members, self.wanted, every)]
            for path, members in of_file.items()
        ]
        targets = {target.path for target in self.question.targets}
        right = [float(path in targets) for path in of_file]
        return np.array(rows).reshape(-1, 1 + len(_KEYS)), np.array(right)


def gather_all(prepared: Prepared, plain: Profile) -> list[Asked]:
    """Ask every question without learning."""
    made = []
    asking = Asking(plain.view, EVERYTHING, plain.retrieval, embedders=(static(),))
    for question in prepared.questions:
        with prepared.backends[question.fold].snapshot() as snapshot:
            made.append(_asked(snapshot, question, plain, asking))
    return made


def _asked(snapshot: Snapshot, question: Question, plain: Profile, asking: Asking) -> Asked:
    query = parse(question.text, dialect=plain.dialect)
    ranked = rank_scope(
        snapshot,
        query,
        scope=plain.scopes[0],
        asking=asking,
        profile=plain,
        seeding=Seeding(plain.expansion, seeds=1, depth=0, decay=None),
        least=None,
    )
    scored = tuple(group.best for group in ranked.groups)
    ids = [one.chunk_id for one in scored]
    nodes = snapshot.nodes([NodeId(cut.node_of(one)) for one in ids])
    return Asked(
        question,
        wanted(query.meaning),
        scored,
        files_of(snapshot, ids),
        {str(node): found.source for node, found in nodes.items()},
    )


def fit(queries: Sequence[Asked], lists: Mapping[int, tuple[Floats, Floats]]) -> Floats:
    """Return the weights of the blend and of the signs, none below 0, by projected Adam.

    Each repository counts alike. The chance of a file is the softmax of its score; the loss is
    the mean surprise at the right ones, and a little of the squares of the weights.
    """
    counts: dict[str, int] = {}
    for one in queries:
        counts[one.repository] = counts.get(one.repository, 0) + 1
    parts = [(*lists[id(one)], 1 / counts[one.repository] / len(counts)) for one in queries]
    parts = [part for part in parts if part[1].any()]
    rows = np.concatenate([part[0] for part in parts])
    starts = np.cumsum([0] + [len(part[1]) for part in parts])[:-1]
    owner = np.repeat(np.arange(len(parts)), [len(part[1]) for part in parts])
    goal = np.concatenate([part[1] / part[1].sum() for part in parts])
    share = np.array([part[2] for part in parts])[owner]
    weights = np.full(rows.shape[1], 0.5)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        score = rows @ weights
        chance = np.exp(score - np.maximum.reduceat(score, starts)[owner])
        chance /= np.add.reduceat(chance, starts)[owner]
        slope = rows.T @ ((chance - goal) * share) + _SHRINK * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        size = _RATE * (1 - step / (_STEPS + 1)) / (1 - 0.9**step)
        weights = weights - size * mean / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        weights = np.maximum(weights, 0.0)
    return weights


def learned(weights: Floats, *, lift: float) -> Learned:
    """Return the weights of the signs, counted in scores of the blend."""
    shares = weights[1:] / weights[0]
    return Learned(
        {key: round(float(one), 3) for key, one in zip(_KEYS, shares, strict=True)}, lift
    )


def ndcg_of(asked: Asked, learned: Learned) -> float:
    """Return nDCG@10 of one query, ranked as the engine does, by these weights."""
    scored = with_signs(asked.scored, files=asked.files, asked=asked.wanted, learned=learned)
    groups = cut.by_file(cut.by_node(scored), files=asked.files)
    places = [asked.places[cut.node_of(group.best.chunk_id)] for group in groups[:_PAGE]]
    shown = [Shown(targets_at(place, asked.question.targets), "") for place in places]
    return values_of(shown, asked.question.gains)[Measure.NDCG_10]


def by_repository(asked: Sequence[Asked], weights: Callable[[Asked], Learned]) -> dict[str, float]:
    """Return the mean nDCG@10 of each repository, with weights chosen for each query."""
    found: dict[str, list[float]] = {}
    for one in asked:
        found.setdefault(one.repository, []).append(ndcg_of(one, weights(one)))
    return {name: fmean(values) for name, values in found.items()}


def difference(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    """Say how much better the second is, with the standard error over repositories."""
    gains = [after[name] - before[name] for name in before]
    return f"{fmean(gains):+.4f} ± {stdev(gains) / math.sqrt(len(gains)):.4f}"


def main() -> None:
    """Fit, show the folds, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--without", action="store_true", help="Also leave each sign out in turn.")
    given = parser.parse_args()
    best = profile("best")
    plain = replace(best, learned=Learned(), group="none")
    bench = Bench(given.home, [Contender("best", best, static())], repositories=given.repos)
    with bench.prepared(Place(given.data, Sort.REPOSITORIES)) as prepared:
        asked = gather_all(prepared, plain)
    lists = {id(one): one.lists() for one in asked}
    names = list(dict.fromkeys(one.repository for one in asked))
    lift = best.learned.lift

    def folded(kept: Sequence[int], folds: Sequence[Sequence[str]]) -> dict[str, float]:
        """Rank the repositories of each fold by weights fitted on those of the others."""
        chosen = [0, *(1 + at for at in kept)]
        some = {key: (rows[:, chosen], right) for key, (rows, right) in lists.items()}
        of: dict[str, Learned] = {}
        for held in folds:
            whole = np.zeros(1 + len(_KEYS))
            whole[chosen] = fit([one for one in asked if one.repository not in held], some)
            of |= dict.fromkeys(held, learned(whole, lift=lift))
        return by_repository(asked, lambda one: of[one.repository])

    nothing = by_repository(asked, lambda _: Learned({}, lift))
    every = list(range(len(_KEYS)))
    each = [[name] for name in names]
    folds = folded(every, each)
    final = learned(fit(asked, lists), lift=lift)
    fitted = by_repository(asked, lambda _: final)
    print(f"{'repository':<22}{'no signs':>9}{'folds':>9}{'fitted':>9}")
    for name in names:
        print(f"{name:<22}{nothing[name]:9.3f}{folds[name]:9.3f}{fitted[name]:9.3f}")
    means = [fmean(one.values()) for one in (nothing, folds, fitted)]
    print(f"{'mean':<22}{means[0]:9.4f}{means[1]:9.4f}{means[2]:9.4f}")
    print(f"folds against no signs: {difference(nothing, folds)}")
    for seed in range(3):
        order = [names[at] for at in np.random.default_rng(seed).permutation(len(names))]
        half = folded(every, [order[::2], order[1::2]])
        print(f"fitted on the other half, {seed + 1}: {fmean(half.values()):.4f}")
    if given.without:
        for at, key in enumerate(_KEYS):
            less = folded([one for one in every if one != at], each)
            print(f"without {key:<14}{fmean(less.values()):.4f}  {difference(folds, less)}")
    print("\n[learned]")
    print(f"lift = {lift}\n\n[learned.weights]")
    for key, weight in final.weights.items():
        print(f"{key} = {weight}")


if __name__ == "__main__":
    main()
