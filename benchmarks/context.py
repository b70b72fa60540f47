"""Recall@tokens: how many of the files that answer are shown within a number of tokens.

A query's recall at N tokens is the share of its targets of which some text is shown in the first N
tokens; the figure is the mean over all queries. Tokens are characters / 4, rounded up, of all that
is printed. `context` is packed anew for each N; for the others the hits (their chunks under the
same headings), the hits as `trivium search` prints them, and whole files by BM25 are taken in
order while they fit. Run: python -m benchmarks.context DATA --repos FOLDER [--tune]
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.measure import Row, arguments, report
from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.collection import Collection, open_collection
from trivium.config import load
from trivium.evaluation.datasets import RepositoryQuery, Target, load_repositories
from trivium.home import folder_of, store_of
from trivium.ranking.profile import profile
from trivium.results.context import WEIGHTS, pieces_of
from trivium.results.fill import Weights
from trivium.results.present import as_text, label
from trivium.results.sheet import Lines, Sheet, tokens_of
from trivium.results.steps import Steps, steps_of
from trivium.types import Answer, Hit, NodeId

BUDGETS = (250, 500, 1000, 2000, 4000, 8000)
_TUNED_ON = (250, 500, 1000, 2000)
_HITS = 50
_FOLDS = 6
# What may be lost of the best recall in favour of whole functions.
_LEEWAY = 0.005


@dataclass(frozen=True, slots=True)
class Unit:
    """A text that a reader is given as one, where it is from, and its tokens."""

    path: str
    lines: Lines
    tokens: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A query with all that the ways to show its answer need."""

    repository: str
    targets: tuple[Target, ...]
    answer: Answer
    steps: Steps
    units: Mapping[str, tuple[Unit, ...]]


def ask(collection: Collection, backend: Backend, name: str, query: RepositoryQuery) -> Asked:
    """Ask one query in every way."""
    answer = collection.search(query.text, limit=_HITS, expand="context")
    words = collection.search(query.text, limit=_HITS, search_mode="keyword")
    with backend.snapshot() as snapshot:
        steps = steps_of(snapshot, answer.results)
        files = dict.fromkeys(hit.node.source.file_path for hit in words.results)
        whole = [(path, snapshot.text_of(NodeId(f"file:{path}"))) for path in files]
    hits = [hit for hit in answer.results if hit.context is None]
    units = {
        "hits": tuple(_chunk_unit(hit, steps.sheets[hit.node.source.file_path]) for hit in hits),
        "printed": tuple(_printed_unit(answer, hit) for hit in hits),
        "files": tuple(
            Unit(path, Lines(1, text.count("\n") + 1), tokens_of(len(path) + len(text) + 3))
            for path, text in whole
        ),
    }
    return Asked(name, query.targets, answer, steps, units)


def _chunk_unit(hit: Hit, sheet: Sheet) -> Unit:
    first = hit.end_line - hit.text.rstrip("\n").count("\n")
    lines = sheet.trimmed(first, hit.end_line) or Lines(1, 1)
    path = hit.node.source.file_path
    return Unit(path, lines, sheet.tokens(lines, label(hit.node)))


def _printed_unit(answer: Answer, hit: Hit) -> Unit:
    text = as_text(replace(answer, results=(hit,)))
    lines = Lines(hit.start_line, hit.start_line + hit.snippet.count("\n"))
    return Unit(hit.node.source.file_path, lines, tokens_of(len(text) + 2))


def recall(targets: Sequence[Target], shown: Sequence[tuple[str, Lines]]) -> float:
    """Return the share of the targets of which something is shown."""
    found = sum(any(_is_in(target, path, lines) for path, lines in shown) for target in targets)
    return found / len(targets) if targets else 0.0


def _is_in(target: Target, path: str, lines: Lines) -> bool:
    if path != target.path or target.lines is None:
        return path == target.path
    return lines.first <= target.lines[1] and target.lines[0] <= lines.last


def in_order(units: Sequence[Unit], *, max_tokens: int) -> Iterator[tuple[str, Lines]]:
    """Yield the units that fit, up to the first that does not."""
    used = 0
    for unit in units:
        used += unit.tokens
        if used > max_tokens:
            return
        yield unit.path, unit.lines


@dataclass(frozen=True, slots=True)
class Packed:
    """How one query did: its recall, and whether its best hit is shown whole."""

    recall: float
    is_whole: bool


def packed(asked: Asked, weights: Weights, *, max_tokens: int) -> Packed:
    """Pack the answer of a query and look at what is shown."""
    pieces = pieces_of(asked.steps, asked.answer.results, max_tokens=max_tokens, weights=weights)
    shown = [(piece.path, Lines(piece.start_line, piece.end_line)) for piece in pieces]
    source = asked.answer.results[0].node.source if asked.answer.results else None
    is_whole = source is not None and any(
        path == source.file_path
        and lines.first <= source.start_line + 1
        and source.end_line - 1 <= lines.last
        for path, lines in shown
    )
    return Packed(recall(asked.targets, shown), is_whole)


def table(asked: Sequence[Asked], weights: Weights) -> list[Row]:
    """Return recall at each budget, a row for each way."""
    rows: list[Row] = []
    made = {
        budget: [packed(one, weights, max_tokens=budget) for one in asked] for budget in BUDGETS
    }
    rows.append({"way": "context", **_row({b: [p.recall for p in made[b]] for b in BUDGETS})})
    for way in ("hits", "printed", "files"):
        found = {
            budget: [
                recall(one.targets, list(in_order(one.units[way], max_tokens=budget)))
                for one in asked
            ]
            for budget in BUDGETS
        }
        rows.append({"way": way, **_row(found)})
    alone = replace(weights, head=0.0, around=0.0)
    found = {
        budget: [packed(one, alone, max_tokens=budget).recall for one in asked]
        for budget in BUDGETS
    }
    rows.append({"way": "context without heads", **_row(found)})
    whole = {budget: [float(one.is_whole) for one in made[budget]] for budget in BUDGETS}
    rows.append({"way": "best hit shown whole by context", **_row(whole)})
    return rows


def _row(values: Mapping[int, Sequence[float]]) -> dict[str, str]:
    return {str(budget): f"{statistics.fmean(found):.3f}" for budget, found in values.items()}


def grid() -> list[Weights]:
    """Return the weights to choose from."""
    return [
        replace(WEIGHTS, fall=fall, window=1.0, chunk=more, whole=more, again=again)
        for fall, more, again in itertools.product(
            (0.5, 1.0, 1.25, 1.5), (0.2, 0.3, 0.4), (0.1, 0.25)
        )
    ]


def tune(asked: Sequence[Asked]) -> list[Row]:
    """Choose weights without each sixth of the repositories, and measure them on it.

    Chosen is what shows the best hit whole most often, of all that lose no more than .005 of
    the best mean recall.
    """
    choices = grid()
    made = [
        [[packed(one, each, max_tokens=budget) for budget in _TUNED_ON] for one in asked]
        for each in choices
    ]
    names = sorted({one.repository for one in asked})
    rows: list[Row] = []
    for fold in [*range(_FOLDS), None]:
        kept_back = set() if fold is None else set(names[fold::_FOLDS])
        seen = [n for n, one in enumerate(asked) if one.repository not in kept_back]
        unseen = [n for n, one in enumerate(asked) if one.repository in kept_back]
        means = [_mean(results, seen) for results in made]
        best = max(means)
        near = [n for n, mean in enumerate(means) if mean >= best - _LEEWAY]
        chosen = max(near, key=lambda n: (_whole(made[n], seen), means[n], -n))
        weights = choices[chosen]
        rows.append(
            {
                "fold": "all" if fold is None else str(fold),
                "weights": f"fall {weights.fall} more {weights.chunk} again {weights.again}",
                "chosen on": f"{means[chosen]:.4f}",
                "best there": f"{best:.4f}",
                "whole": f"{_whole(made[chosen], seen):.3f}",
                "kept back": f"{_mean(made[chosen], unseen):.4f}" if unseen else "",
                "best kept back": f"{max(_mean(one, unseen) for one in made):.4f}"
                if unseen
                else "",
            }
        )
    for weights, results in zip(choices, made, strict=True):
        every = range(len(asked))
        rows.append(
            {
                "fold": "",
                "weights": f"fall {weights.fall} more {weights.chunk} again {weights.again}",
                "chosen on": f"{_mean(results, every):.4f}",
                "whole": f"{_whole(results, every):.3f}",
            }
        )
    return rows


def _mean(results: Sequence[Sequence[Packed]], at: Sequence[int]) -> float:
    return statistics.fmean(one.recall for n in at for one in results[n])


def _whole(results: Sequence[Sequence[Packed]], at: Sequence[int]) -> float:
    return statistics.fmean(one.is_whole for n in at for one in results[n])


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("data", type=Path, help="a folder with repos.json and annotations")
    parser.add_argument("--repos", type=Path, required=True, help="where the repositories are")
    parser.add_argument("--tune", action="store_true", help="choose weights by folds")
    given = parser.parse_args()
    asked: list[Asked] = []
    home = load().home
    for task in load_repositories(given.data, repositories=given.repos).tasks:
        folder, store = folder_of(task.root, home), store_of(task.root, home)
        backend = EmbeddedBackend(folder, store=store, views=(profile("best").view,))
        with open_collection(task.root, backend=backend) as collection:
            collection.sync(yes=True)
            asked += [ask(collection, backend, task.name, query) for query in task.queries]
    if given.tune:
        report("choosing weights", tune(asked), to=given.json)
    report(f"recall@tokens, {len(asked)} queries", table(asked, WEIGHTS), to=given.json)


if __name__ == "__main__":
    main()
