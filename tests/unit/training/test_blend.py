"""Weighing words and meaning anew: the replay is the product's own, and a fit finds what pays."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from training.blend import BEST, measured, replayed, sets_of, shipped, variants
from training.forms import FORMS, Curves, curve, fit, left_out
from training.pools import Pool, gather, read, write

from trivium.evaluation.bench import Bench, Contender
from trivium.evaluation.measure import Measure
from trivium.evaluation.run import run
from trivium.evaluation.sets import Place, Sort
from trivium.models.static import static
from trivium.types import ChunkId, Gathered, Ranking

THINGS = ("engine", "river", "letter", "garden", "violin", "bridge", "winter", "doctor")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A set in which a question shares words with two texts, and one of them is right."""
    folder = tmp_path_factory.mktemp("data") / "things"
    (folder / "qrels").mkdir(parents=True)
    texts = [
        {"_id": f"{one}-{other}", "title": one, "text": f"A {one} and a {other}, told at length."}
        for one in THINGS
        for other in THINGS
        if one != other
    ]
    queries = [{"_id": one, "text": f"what is told of a {one} and music"} for one in THINGS]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, texts)), encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    # Meaning can tell music from a violin, and nothing a bridge.
    judged = [f"{one}\t{one}-violin\t1" for one in THINGS[:4]]
    judged += [f"{one}\t{one}-bridge\t1" for one in THINGS[6:]]
    table = "\n".join(["query-id\tcorpus-id\tscore", *judged])
    (folder / "qrels" / "test.tsv").write_text(table, encoding="utf-8")
    return Place(folder, Sort.RECORDS, "test")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("home"), [Contender("best", BEST, static())])


def test_the_shipped_weights_replayed_give_what_the_product_gave(
    bench: Bench, place: Place
) -> None:
    pools = list(gather(bench, place))
    (asked,) = run(bench, [place]).results

    again = [replayed(pool, shipped(pool)) for pool in pools]

    assert again == pytest.approx([one.values[Measure.NDCG_10] for one in asked.scores])
    assert again == pytest.approx([pool.ndcg for pool in pools])
    assert 0 < sum(again) < len(again)


def test_what_is_written_is_read_again(bench: Bench, place: Place, tmp_path: Path) -> None:
    file = tmp_path / "things.test.static.jsonl.gz"
    pools = list(gather(bench, place))

    assert write(iter(pools), file) == len(pools)
    found = read(file)

    assert [shipped(one) for one in found] == [shipped(one) for one in pools]
    assert [one.gathered.signals for one in found] == [one.gathered.signals for one in pools]
    assert [one.length for one in found] == [one.length for one in pools]
    assert sets_of(tmp_path, "static", ["dev"]) == [found]


def test_a_variant_that_changes_code_alone_leaves_prose_as_it_is(
    bench: Bench, place: Place
) -> None:
    pools = list(gather(bench, place))
    ways = variants(BEST.fusion, is_instant=True)

    before = measured(pools, "shipped", shipped)
    halved = measured(pools, "halved", ways["half of words in code"])

    assert [one.values for one in halved.scores] == [one.values for one in before.scores]


def disagreeing(name: str, number: int, *, code: float, words_right: bool) -> Pool:
    """A query of which words put one record first and meaning another; one of them is right."""
    ids = tuple(ChunkId(f"record:{name}#{one}@0") for one in ("said", "meant", "else"))
    signals = {"text": dict(zip(ids, (9.0, 1.0, 0.0), strict=True))}
    signals["vectors"] = dict(zip(ids, (0.1, 0.9, 0.0), strict=True))
    rankings = tuple(
        Ranking(one, tuple(sorted(ids, key=lambda two: -signals[one][two])), (9.0, 1.0, 0.0))
        for one in ("text", "vectors")
    )
    gathered = Gathered(rankings, ids, signals, "static", (), is_instant=True)
    right = "said" if words_right else "meant"
    return Pool(name, "dev", str(number), "a b c", {right: 1.0}, code, 100, 1000, 0.0, gathered)


def test_a_fit_gives_words_more_where_words_are_right() -> None:
    sets = [
        [disagreeing(name, at, code=0.0, words_right=True) for at in range(3)]
        + [disagreeing(name, at + 3, code=1.0, words_right=False) for at in range(3)]
        for name in ("one", "two")
    ]
    pools = [pool for each in sets for pool in each]
    curves = Curves(np.array([one.code for one in pools]), np.array([*map(curve, pools)]))
    nothing, by_sort = FORMS[:2]

    prose, code, _ = fit(curves, np.zeros(12), np.full(12, 1 / 12), by_sort.moved)

    assert prose > code
    assert [one.means[Measure.NDCG_10] for one in left_out(by_sort, sets, curves)] == [1.0, 1.0]
    assert all(one.means[Measure.NDCG_10] < 1 for one in left_out(nothing, sets, curves))


def test_a_name_is_ranked_alike_at_all_odds() -> None:
    pool = replace(disagreeing("one", 0, code=1.0, words_right=True), meaning="feed_cat")

    assert len(set(curve(pool))) == 1
