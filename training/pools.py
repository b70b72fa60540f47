"""Judged sets -> what words and vectors said of every candidate of every query, one per line.

Each query goes through the product up to the blend; training.blend then weighs what is written
here in other ways, without an index.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from trivium.backends.base import Snapshot
from trivium.engine.ranking import entries, ranked
from trivium.engine.understanding import understood
from trivium.evaluation.bench import Bench, Contender, asking
from trivium.evaluation.measure import Measure, Question, Shown, values_of
from trivium.evaluation.sets import Place
from trivium.query.grammar import NOTHING, Query
from trivium.ranking import cut
from trivium.retrieval.gather import Asking, with_instant
from trivium.retrieval.scope import share_of_code
from trivium.types import ChunkId, Gathered, NodeId, Ranking


@dataclass(frozen=True, slots=True)
class Pool:
    """One query of the set `name`: all that was said of its candidates, and what is relevant.

    `code` is how much of the best found is code, `length` the middle length of the candidates'
    texts, `chunks` how many the index has, `ndcg` what the product's own ranking has.
    """

    name: str
    split: str
    id: str
    meaning: str
    gains: Mapping[str, float]
    code: float
    length: float
    chunks: int
    ndcg: float
    gathered: Gathered

    @property
    def query(self) -> Query:
        """The query as far as weights depend on it."""
        return Query(self.meaning, root=NOTHING, meaning=self.meaning)


def gather(bench: Bench, place: Place) -> Iterator[Pool]:
    """Ask all questions of a set by the one contender of the bench."""
    (contender,) = bench.contenders
    with bench.prepared(place) as prepared:
        for question in prepared.questions:
            with prepared.backends[question.fold].snapshot() as snapshot:
                yield _pool(snapshot, (prepared.name, place.split), question, contender)


def _pool(
    snapshot: Snapshot, of: tuple[str, str], question: Question, contender: Contender
) -> Pool:
    options, given = asking(question, contender)
    asked = understood(snapshot, question.text, options=options, given=given)
    made, query = ranked(snapshot, asked.query, asked.where, asked.options, given)
    (one,) = made
    retrieval = contender.profile.retrieval
    # In prose the product does not ask the instant model.
    told = Asking(one.view, asked.where, retrieval, embedders=given.embedders)
    gathered = with_instant(snapshot, query, one.gathered, asking=told)
    texts = snapshot.fetch(gathered.pool)
    nodes = [cut.node_of(group.best.chunk_id) for group in entries(made, asked.options)]
    return Pool(
        *of,
        question.id,
        query.meaning,
        question.gains,
        code=share_of_code(snapshot, gathered),
        length=median(len(found.chunk.text) for found in texts) if texts else 0.0,
        chunks=snapshot.text(one.view).documents,
        ndcg=ndcg_of(nodes, of[0], question.gains),
        gathered=gathered,
    )


def ndcg_of(nodes: Sequence[str], name: str, gains: Mapping[str, float]) -> float:
    """Return nDCG@10 of the records of a set in this order."""
    before = len(f"record:{name}#")
    return values_of([Shown((one[before:],)) for one in nodes[:10]], gains)[Measure.NDCG_10]


def write(pools: Iterator[Pool], path: Path) -> int:
    """Write the queries of one set, and return how many there are."""
    count = 0
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as file:
        for count, one in enumerate(pools, 1):  # noqa: B007
            file.write(json.dumps(_as_json(one)) + "\n")
    return count


def read(path: Path) -> list[Pool]:
    """Return the queries that were written."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [_as_pool(json.loads(line)) for line in file]


def _as_json(pool: Pool) -> dict[str, Any]:
    found = pool.gathered
    return {
        **{key: getattr(pool, key) for key in ("name", "split", "id", "meaning", "code")},
        **{key: getattr(pool, key) for key in ("length", "chunks", "ndcg")},
        "gains": dict(pool.gains),
        "embedder": found.embedder,
        "is_instant": found.is_instant,
        "called": sorted(found.called),
        "rankings": {one.name: one.ids for one in found.rankings},
        "pool": found.pool,
        # In the order of the pool; None: not scored.
        "signals": {
            name: [scores.get(one) for one in found.pool] for name, scores in found.signals.items()
        },
    }


def _as_pool(said: dict[str, Any]) -> Pool:
    pool = tuple(ChunkId(one) for one in said.pop("pool"))
    signals = {
        name: {one: score for one, score in zip(pool, scores, strict=True) if score is not None}
        for name, scores in said.pop("signals").items()
    }
    rankings = tuple(
        Ranking(name, tuple(map(ChunkId, ids)), tuple(signals[name][ChunkId(one)] for one in ids))
        for name, ids in said.pop("rankings").items()
    )
    gathered = Gathered(
        rankings,
        pool,
        signals,
        said.pop("embedder"),
        (),
        is_instant=said.pop("is_instant"),
        called=frozenset(map(NodeId, said.pop("called"))),
    )
    return Pool(**said, gathered=gathered)
