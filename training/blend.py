"""What words and vectors said of judged queries -> what other weights of them would be worth.

    python -m training.blend gather DATA/SET ... --home HOME --model static --out POOLS
    python -m training.blend replay POOLS --model static
    python -m training.blend fit POOLS --model static

`gather` asks the product (training.pools) and writes a file for each set, split and model.
`replay` blends anew by the product's own functions: first as shipped, which must give what the
product gave, then by variants of its weights, each with what it gains and a paired bootstrap
interval. `fit` (training.forms) fits forms of the weight of words to all sets but one and asks
that one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from training.pools import Pool, gather, ndcg_of, read, write
from trivium.evaluation.bench import Bench, Contender
from trivium.evaluation.measure import Measure, Result, Score
from trivium.evaluation.report import table
from trivium.evaluation.sets import TO_FIT, TO_MEASURE, places
from trivium.evaluation.significance import Comparison, compare, compare_means
from trivium.models import registry
from trivium.query.intent import names_in
from trivium.ranking import boost, cut, fuse
from trivium.ranking.profile import Fusion, profile
from trivium.retrieval.gather import INSTANT
from trivium.retrieval.scope import as_read, candidates, names_of, weights_by

BEST = profile("best")
MOST_QUERIES = 1000
# The middle length of texts, in characters, from which on they are not short.
_LONG = 300

Weights = Mapping[str, float]
Weigh = Callable[[Pool], Weights]


def shipped(pool: Pool, fusion: Fusion = BEST.fusion) -> Weights:
    """Return the weights that the product gives the signals of a query."""
    found, query = pool.gathered, pool.query
    said = weights_by(found, fusion, query, view=BEST.view, code=pool.code)
    return as_read(said, found, fusion, query)


def replayed(pool: Pool, weights: Weights) -> float:
    """Return nDCG@10 of a query by these weights."""
    found = pool.gathered
    scored = fuse.zscore(candidates(found, weights), found.signals, weights=weights)
    if wanted := names_in(pool.meaning):
        names = names_of(scored)
        scored = boost.exact_names(scored, names=names, wanted=wanted, gain=BEST.boosts.name)
    nodes = [cut.node_of(group.best.chunk_id) for group in cut.by_node(scored)]
    return ndcg_of(nodes, pool.name, pool.gains)


def variants(fusion: Fusion, *, is_instant: bool) -> dict[str, Weigh]:
    """Return other ways to weigh, by name; some are for a transformer alone."""
    prose, code = ("weights", "code_weights")
    if is_instant:
        prose, code = ("instant_weights", "instant_code_weights")
    of_code: Weights = getattr(fusion, code)

    def changed(**values: object) -> Weigh:
        return partial(shipped, fusion=replace(fusion, **values))  # type: ignore[arg-type]

    made = {
        "words by sort alone": changed(match_usual=0.0),
        "power 1": changed(match_power=1.0),
        "power 2": changed(match_power=2.0),
        "half of words in code": changed(**{code: {**of_code, "text": of_code["text"] / 2}}),
        "twice words in code": changed(**{code: {**of_code, "text": of_code["text"] * 2}}),
        "words less in short texts": _by_length,
    }
    if is_instant:
        return made
    without = {"text": 0.13, "vectors": 0.87}
    of_prose: Weights = getattr(fusion, prose)
    return {
        **made,
        "no static in code": changed(**{code: without}),
        **{
            f"static {share} in prose": changed(**{prose: _shared(of_prose, share)})
            for share in (0.1, 0.2)
        },
        **{
            f"static {share} in code": changed(**{code: _shared(without, share)})
            for share in (0.1, 0.3)
        },
    }


def _shared(weights: Weights, share: float) -> Weights:
    """Give the instant model a share of what the others have."""
    return {**{name: (1 - share) * one for name, one in weights.items()}, INSTANT: share}


def _by_length(pool: Pool) -> Weights:
    """Weigh words in code by the length of texts: of single lines they say less."""
    factor = 1 - pool.code * (1 - min(1.0, pool.length / _LONG))
    return {name: one * (factor if name == "text" else 1.0) for name, one in shipped(pool).items()}


def as_result(pools: Sequence[Pool], label: str, values: Sequence[float]) -> Result:
    """Return the scores of one set as `trivium eval` has them."""
    scores = tuple(
        Score(pool.id, pool.meaning, {Measure.NDCG_10: value}, 0.0)
        for pool, value in zip(pools, values, strict=True)
    )
    return Result(pools[0].name, label, pools[0].split, scores)


def measured(pools: Sequence[Pool], label: str, weigh: Weigh) -> Result:
    """Rank one set by other weights."""
    return as_result(pools, label, [replayed(one, weigh(one)) for one in pools])


def compared(before: Sequence[Result], after: Sequence[Result]) -> list[Comparison]:
    """Compare two ways to weigh, set by set and in the mean."""
    pairs = list(zip(before, after, strict=True))
    return [*(compare(*pair) for pair in pairs), compare_means(pairs)]


def as_line(label: str, changes: Sequence[Comparison]) -> str:
    """Say what a variant gains; a star: zero lies outside the 95 % interval."""
    cells = [f"{one.difference:+.4f}{'*' if one.low * one.high > 0 else ' '}" for one in changes]
    mean = changes[-1]
    return f"{label:<26}{''.join(map('{:>9}'.format, cells))} {mean.low:+.4f} to {mean.high:+.4f}"


def sets_of(folder: Path, model: str, splits: Sequence[str]) -> list[list[Pool]]:
    """Return the queries of every set that was gathered, of the first split it has."""
    found: dict[str, dict[str, Path]] = {}
    for path in sorted(folder.glob(file_name("*", "*", model))):
        name, split, *_ = path.name.split(".")
        found.setdefault(name, {})[split] = path
    chosen = [
        next(by_split[one] for one in (*splits, *by_split) if one in by_split)
        for by_split in found.values()
    ]
    return [read(path) for path in chosen]


def file_name(name: str, split: str, model: str) -> str:
    """Return what the file of a set is called; of a model that is a folder, by its last part."""
    return f"{name}.{split}.{Path(model).name}.jsonl.gz"


def show_replay(folder: Path, model: str) -> None:
    """Print the shipped blend replayed, then what each variant of it changes."""
    for title, splits in (("splits to choose by", TO_FIT), ("splits to measure", TO_MEASURE)):
        sets = sets_of(folder, model, splits)
        asked = [as_result(pools, "asked", [one.ndcg for one in pools]) for pools in sets]
        best = [measured(pools, "replayed", shipped) for pools in sets]
        print(f"\n{model}, {title}\n\n{table([*asked, *best])}\n")
        names = [*(pools[0].name[:8] for pools in sets), "mean"]
        print(f"{'variant - shipped':<26}{''.join(map('{:>8} '.format, names))} 95 % of the mean")
        is_instant = sets[0][0].gathered.is_instant
        for label, weigh in variants(BEST.fusion, is_instant=is_instant).items():
            other = [measured(pools, label, weigh) for pools in sets]
            print(as_line(label, compared(best, other)), flush=True)


def gather_all(given: argparse.Namespace) -> None:
    """Write what was said of every query of the sets."""
    embedder = registry.load(given.model, threads=given.threads)
    contender = Contender("best", BEST, embedder)
    given.out.mkdir(parents=True, exist_ok=True)
    splits = TO_FIT if given.to_fit else TO_MEASURE
    bench = Bench(given.home, [contender], limit=MOST_QUERIES if given.to_fit else None)
    for place in places(
        given.data, split=None, has_repositories=False, say=print, preferred=(*splits, *TO_MEASURE)
    ):
        name = file_name(place.path.name, place.split, given.model)
        count = write(gather(bench, place), given.out / name)
        print(f"{name}: {count} queries", flush=True)


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    does = parser.add_subparsers(dest="does", required=True)
    one = does.add_parser("gather")
    one.add_argument("data", type=Path, nargs="+")
    one.add_argument("--home", type=Path, required=True)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--to-fit", action="store_true", help="The splits to choose by.")
    one.add_argument("--threads", type=int, default=1)
    for name in ("replay", "fit"):
        does.add_parser(name).add_argument("pools", type=Path)
    for each in does.choices.values():
        each.add_argument("--model", default="static")
    given = parser.parse_args()
    if given.does == "gather":
        gather_all(given)
    elif given.does == "replay":
        show_replay(given.pools, given.model)
    else:
        # It is made of what stands here.
        from training.forms import show_forms

        show_forms(sets_of(given.pools, given.model, TO_FIT))


if __name__ == "__main__":
    main()
