r"""Judged repositories -> the [learned] tables of the profile `best`, with its score by folds.

Asks the engine for the candidates of every query, fits the weights of the signs of
trivium.ranking.features by listwise softmax, and shows how weights that never saw a repository
rank it. Questions whose answer is a page (training.pages) are fitted beside those that want code;
without them a list that holds both would bury its pages. One command, the same result every time:

    python -m training.ranker DATA/semble-dev --repos REPOSITORIES --home FOLDER \
      --pages headings.csv=CHECKOUT --report ray-test.csv=CHECKOUT
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
from trivium.engine.ranking import ranked
from trivium.engine.understanding import understood
from trivium.errors import UsageError
from trivium.evaluation.bench import Bench, Contender, asking
from trivium.evaluation.measure import Measure, Question, Shown, targets_at, values_of
from trivium.evaluation.sets import Place, Sort
from trivium.models import registry
from trivium.ranking import cut
from trivium.ranking.features import PAGE_SIGNS, SIGNS, Wanted, wanted
from trivium.ranking.learned import page_signs_of, signs_of, with_signs
from trivium.ranking.profile import Learned, profile
from trivium.retrieval.files import files_of
from trivium.retrieval.scope import is_by_slower
from trivium.types import ChunkId, Location, NodeId, Scored

_KEYS = tuple(SIGNS)
_PAGE_KEYS = tuple(PAGE_SIGNS)
_COLUMNS = 1 + len(_KEYS) + len(_PAGE_KEYS)
_EVERY = tuple(range(1, _COLUMNS))
_PAGE = 10
_STEPS = 400
_RATE = 0.2
# How much a table of questions about pages counts beside a repository: 1 had .022 more on pages
# and .002 less on code.
_OF_PAGES = 0.5
_SHARES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
# Of .0003, .001, .003, .01 and .03 by folds.
_SHRINK = 0.001

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """One query: its candidates before learning, their files and places, and what is wanted.

    `source` is the repository or the table of questions it is of, `shipped` what the product
    would have added.
    """

    source: str
    question: Question
    wanted: Wanted
    scored: tuple[Scored, ...]
    files: Mapping[ChunkId, str]
    places: Mapping[str, Location]
    shipped: Learned

    def lists(self) -> tuple[Floats, Floats]:
        """Return a row for each file of code and each other node, and which of them are right.

        A row has the blend before its signs, then those of code, then those of pages.
        """
        of_file: dict[str, list[Scored]] = {}
        of_page: dict[str, list[Scored]] = {}
        for one in self.scored:
            path = self.files.get(one.chunk_id)
            if path is None:
                of_page.setdefault(cut.node_of(one.chunk_id), []).append(one)
            else:
                of_file.setdefault(path, []).append(one)
        every = Learned(dict.fromkeys(_KEYS, 1.0), dict.fromkeys(_PAGE_KEYS, 1.0))
        none, no_page = [0.0] * len(_KEYS), [0.0] * len(_PAGE_KEYS)
        rows, right = [], []
        wanted = self.right()
        signs = signs_of(of_file, self.wanted, every)
        for (path, members), values in zip(of_file.items(), signs, strict=True):
            rows.append([max(one.score for one in members), *values, *no_page])
            right.append(float(path in wanted))
        signs = page_signs_of(of_page, self.wanted, every)
        for (node, members), values in zip(of_page.items(), signs, strict=True):
            rows.append([max(one.score for one in members), *none, *values])
            right.append(float(self.places[node].file_path in wanted))
        return np.array(rows).reshape(-1, _COLUMNS), np.array(right)

    @property
    def share(self) -> float:
        """How much its source counts."""
        return 1.0 if self.question.targets else _OF_PAGES

    def right(self) -> set[str]:
        """Return the paths that answer."""
        targets = {target.path for target in self.question.targets}
        return targets or set(self.question.gains)

    def shown(self, place: Location) -> Shown:
        """Return a hit as the judge of this query sees it."""
        if self.question.targets:
            return Shown(targets_at(place, self.question.targets), "")
        return Shown((place.file_path,), "")


def gather_all(bench: Bench, place: Place) -> list[Asked]:
    """Ask every question of a set without learning."""
    (contender,) = bench.contenders
    best = contender.profile
    plain = replace(contender, profile=replace(best, learned=Learned(), group="none"))
    made = []
    with bench.prepared(place) as prepared:
        for question in prepared.questions:
            with prepared.backends[question.fold].snapshot() as snapshot:
                source = question.fold or prepared.name
                made.append(_asked(snapshot, source, question, plain, best.learned))
    return made


def _asked(
    snapshot: Snapshot, source: str, question: Question, plain: Contender, shipped: Learned
) -> Asked:
    options, given = asking(question, plain)
    asked = understood(snapshot, question.text, options=options, given=given)
    (found,), query = ranked(snapshot, asked.query, asked.where, asked.options, given)
    scored = tuple(group.best for group in found.groups)
    ids = [one.chunk_id for one in scored]
    nodes = snapshot.nodes([NodeId(cut.node_of(one)) for one in ids])
    return Asked(
        source,
        question,
        wanted(query.meaning),
        scored,
        files_of(snapshot, ids),
        {str(node): one.source for node, one in nodes.items()},
        shipped.times(shipped.slower) if is_by_slower(found.gathered) else shipped,
    )


def fit(queries: Sequence[Asked], lists: Mapping[int, tuple[Floats, Floats]]) -> Floats:
    """Return the weights of the blend and of the signs, none below 0, by projected Adam.

    Each repository counts alike, and half of that each table of questions about pages. The
    chance of a row is the softmax of its score; the loss is the mean surprise at the right ones,
    and a little of the squares of the weights.
    """
    counts: dict[str, int] = {}
    for one in queries:
        counts[one.source] = counts.get(one.source, 0) + 1
    parts = [(*lists[id(one)], one.share / counts[one.source] / len(counts)) for one in queries]
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


def learned(weights: Floats) -> Learned:
    """Return the weights of the signs, counted in scores of the blend."""
    shares = [round(float(one), 3) for one in weights[1:] / weights[0]]
    return Learned(
        dict(zip(_KEYS, shares, strict=False)),
        dict(zip(_PAGE_KEYS, shares[len(_KEYS) :], strict=True)),
    )


def ndcg_of(asked: Asked, learned: Learned) -> float:
    """Return nDCG@10 of one query, ranked as the engine does, by these weights."""
    scored = with_signs(asked.scored, files=asked.files, asked=asked.wanted, learned=learned)
    groups = cut.by_file(cut.by_node(scored), files=asked.files)
    places = [asked.places[cut.node_of(group.best.chunk_id)] for group in groups[:_PAGE]]
    shown = [asked.shown(place) for place in places]
    return values_of(shown, asked.question.gains)[Measure.NDCG_10]


def by_source(asked: Sequence[Asked], weights: Callable[[Asked], Learned]) -> dict[str, float]:
    """Return the mean nDCG@10 of each repository and table, with weights chosen for each query."""
    found: dict[str, list[float]] = {}
    for one in asked:
        found.setdefault(one.source, []).append(ndcg_of(one, weights(one)))
    return {name: fmean(values) for name, values in found.items()}


def difference(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    """Say how much better the second is, with the standard error over repositories."""
    gains = [after[name] - before[name] for name in before]
    return f"{fmean(gains):+.4f} ± {stdev(gains) / math.sqrt(len(gains)):.4f}"


@dataclass(frozen=True, slots=True)
class Study:
    """All queries, their rows, and which sources may not have seen each other.

    `folders` are those of sources, by name: pages and code of one folder are kin. `told` are
    sources that are reported and never fitted.
    """

    asked: Sequence[Asked]
    folders: Mapping[str, str]
    told: frozenset[str]
    lists: Mapping[int, tuple[Floats, Floats]]

    @property
    def names(self) -> list[str]:
        """The sources in order."""
        return list(dict.fromkeys(one.source for one in self.asked))

    @property
    def code(self) -> list[str]:
        """Those that want code."""
        return list(dict.fromkeys(one.source for one in self.asked if one.question.targets))

    def fitted(self, *, without: Sequence[str] = (), kept: Sequence[int] = _EVERY) -> Learned:
        """Fit the weights of some signs on all sources but these and their kin."""
        away = {self.folders[name] for name in without}
        queries = [
            one
            for one in self.asked
            if one.source not in self.told and self.folders[one.source] not in away
        ]
        chosen = [0, *kept]
        some = {key: (rows[:, chosen], right) for key, (rows, right) in self.lists.items()}
        whole = np.zeros(_COLUMNS)
        whole[chosen] = fit(queries, some)
        return learned(whole)

    def folded(
        self, folds: Sequence[Sequence[str]], *, kept: Sequence[int] = _EVERY
    ) -> dict[str, float]:
        """Rank the sources of each fold by weights that saw none of them."""
        of = {
            name: weights
            for held in folds
            for weights in (self.fitted(without=held, kept=kept),)
            for name in held
        }
        some = [one for one in self.asked if one.source in of]
        return by_source(some, lambda one: of[one.source])


def gathered(given: argparse.Namespace) -> Study:
    """Ask everything that is to be fitted or reported. Raises UsageError for a name twice."""
    contender = Contender("best", profile("best"), registry.load(given.model))
    bench = Bench(given.home, [contender], repositories=given.repos)
    asked = gather_all(bench, Place(given.data, Sort.REPOSITORIES))
    folders = {one.source: one.source for one in asked}
    for table, folder in given.pages + given.report:
        if table.stem in folders:
            raise UsageError(f"{table}: something else is called {table.stem} already.")
        folders[table.stem] = folder.resolve().name
        asked += gather_all(replace(bench, collection=folder), Place(table, Sort.OWN))
    told = frozenset(table.stem for table, _ in given.report)
    return Study(asked, folders, told, {id(one): one.lists() for one in asked})


def show_folds(study: Study, final: Learned) -> dict[str, float]:
    """Print every source without signs, by weights that never saw it, as fitted, as shipped."""
    nothing = by_source(study.asked, lambda _: Learned())
    folds = study.folded([[name] for name in study.names])
    fitted = by_source(study.asked, lambda _: final)
    shipped = by_source(study.asked, lambda one: one.shipped)
    columns = {"no signs": nothing, "folds": folds, "fitted": fitted, "shipped": shipped}
    print(f"{'repository':<22}{''.join(map('{:>9}'.format, columns))}")
    for name in study.names:
        print(f"{name:<22}{''.join(f'{one[name]:9.3f}' for one in columns.values())}")
    pages = [name for name in study.names if name not in study.code]
    for label, some in (("code", study.code), ("pages", pages)):
        if some:
            means = [fmean(one[name] for name in some) for one in columns.values()]
            print(f"{f'mean of {label}':<22}{''.join(map('{:9.4f}'.format, means))}")
            gain = difference({name: nothing[name] for name in some}, folds)
            print(f"folds against no signs: {gain}")
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(study.code))
        names = [study.code[at] for at in order]
        half = study.folded([names[::2], names[1::2]])
        print(f"code, fitted on the other half, {seed + 1}: {fmean(half.values()):.4f}")
    return folds


def show_shares(study: Study) -> None:
    """Print code by the shipped signs, each times one number, and by that chosen without it."""
    learned = profile("best").learned
    found = {
        share: by_source(study.asked, lambda _, by=share: learned.times(by))  # type: ignore[misc]
        for share in _SHARES
    }

    def mean(share: float, names: Sequence[str]) -> float:
        return fmean(found[share][name] for name in names)

    for share in _SHARES:
        print(f"signs times {share:<12}code {mean(share, study.code):.4f}")
    chosen = {
        name: max(_SHARES, key=lambda by: mean(by, [one for one in study.code if one != name]))
        for name in study.code
    }
    folds = fmean(found[share][name] for name, share in chosen.items())
    print(f"chosen without each       code {folds:.4f}  {sorted(set(chosen.values()))}")


def show_without(study: Study, folds: Mapping[str, float]) -> None:
    """Print what is lost when each sign in turn is left out."""
    for at, key in zip(_EVERY, (*_KEYS, *_PAGE_KEYS), strict=True):
        less = study.folded(
            [[name] for name in study.names], kept=[one for one in _EVERY if one != at]
        )
        losses: dict[bool, list[float]] = {True: [], False: [0.0]}
        for name in study.names:
            losses[name in study.code].append(less[name] - folds[name])
        pages = losses[False][1:] or losses[False]
        print(f"without {key:<14}code {fmean(losses[True]):+.4f}  pages {fmean(pages):+.4f}")


def _table(given: str) -> tuple[Path, Path]:
    table, _, folder = given.partition("=")
    if not folder:
        raise argparse.ArgumentTypeError(f"{given!r} is not TABLE=FOLDER")
    return Path(table), Path(folder)


def main() -> None:
    """Fit, show the folds, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--pages", type=_table, action="append", default=[], help="TABLE=FOLDER")
    parser.add_argument("--report", type=_table, action="append", default=[], help="Not fitted.")
    parser.add_argument("--without", action="store_true", help="Also leave each sign out in turn.")
    parser.add_argument("--shares", action="store_true", help="Also all signs times a number.")
    parser.add_argument("--model", default="static", help="What gives meaning.")
    given = parser.parse_args()
    study = gathered(given)
    final = study.fitted()
    folds = show_folds(study, final)
    if given.shares:
        show_shares(study)
    if given.without:
        show_without(study, folds)
    for title, weights in (("weights", final.weights), ("pages", final.pages)):
        print(f"\n[learned.{title}]")
        for key, weight in weights.items():
            print(f"{key} = {weight}")


if __name__ == "__main__":
    main()
