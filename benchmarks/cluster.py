"""The same judged sets asked on this machine and on a cluster: the same answers, at what price?

Each set is indexed here, moved to the cluster as `trivium move` does, and asked on both in turn:
words alone, vectors alone, and `best`. Times are of the clock, since a cluster works elsewhere.
Run: python -m benchmarks.cluster DATA... --url URL [--limit 100] [--shards 1]
With `--nodes N` it starts so many nodes of its own, as `make test-cluster` does.
"""

from __future__ import annotations

import statistics
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from cluster.nodes import started

from benchmarks.measure import Row, arguments, middle, report
from trivium.backends.opensearch.client import Access, Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.evaluation.bench import Bench, Contender, Prepared
from trivium.evaluation.measure import Measure, values_of
from trivium.evaluation.sets import places
from trivium.linker import link
from trivium.models.static import static
from trivium.ranking.profile import profile
from trivium.types import Answer
from trivium.writing.moving import move_index

_SHOWN = 10
_HEAP = "2g"
_MODES = (("words", "keyword"), ("vectors", "vector"), ("best", "hybrid"))


@dataclass(slots=True)
class Compared:
    """What two stores answered to the same questions."""

    overlaps: list[float] = field(default_factory=list)
    ndcg: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    seconds: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    other_parts: int = 0
    degraded: int = 0

    def row(self, name: str, mode: str) -> Row:
        """Return the figures of one way to ask one set."""
        here, there = self.seconds
        return {
            "set": name,
            "asked": mode,
            "queries": len(self.overlaps),
            f"overlap@{_SHOWN}": statistics.fmean(self.overlaps),
            "nDCG here": round(statistics.fmean(self.ndcg[0]), 4),
            "nDCG there": round(statistics.fmean(self.ndcg[1]), 4),
            "with other parts": self.other_parts,
            "degraded otherwise": self.degraded,
            "here p50 ms": 1000 * middle(here),
            "p99": 1000 * _p99(here),
            "there p50 ms": 1000 * middle(there),
            "p99 there": 1000 * _p99(there),
        }


def main() -> None:
    """Print what both answered, and how long moving took."""
    parser = arguments(__doc__ or "")
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--url", dest="urls", action="append", default=[])
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--repos", type=Path)
    chosen = parser.parse_args()
    contenders = tuple(
        Contender(name, profile("best"), static(), search_mode=mode) for name, mode in _MODES
    )
    bench = Bench(
        home=chosen.cache,
        contenders=contenders,
        repositories=chosen.repos,
        limit=chosen.limit,
    )
    sets = places(chosen.data, split=None, has_repositories=chosen.repos is not None, say=print)
    rows: list[Row] = []
    costs: list[Row] = []
    with nullcontext() if chosen.urls else started(chosen.nodes, heap=_HEAP) as own:
        client = Client(
            chosen.urls if own is None else own.urls, access=Access(read_s=120.0, write_s=300.0)
        )
        for place in sets:
            with (
                bench.prepared(place) as here,
                _moved(here, client, shards=chosen.shards, costs=costs) as there,
            ):
                for one in contenders:
                    rows.append(_compared(here, there, one).row(here.name, one.name))
                    report(f"{here.name}, {one.name}", rows[-1:], to=None)
        client.close()
    report("moving to the cluster", costs, to=chosen.json)
    report("here and on the cluster", rows, to=chosen.json)


@contextmanager
def _moved(here: Prepared, client: Client, *, shards: int, costs: list[Row]) -> Iterator[Prepared]:
    """Give the same set on the cluster; it is removed at the end."""
    made: Mapping[str, OpenSearchBackend] = {
        fold: OpenSearchBackend(uuid.uuid4().hex, client=client, shards=shards)
        for fold in here.backends
    }
    try:
        chunks, vectors, begun = 0, 0, time.perf_counter()
        for fold, backend in made.items():
            moved = move_index(here.backends[fold], backend, wait_s=60.0)
            link(backend)
            chunks, vectors = chunks + moved.chunks, vectors + moved.vectors
        seconds = time.perf_counter() - begun
        costs.append(
            {
                "set": here.name,
                "chunks": chunks,
                "vectors": vectors,
                "seconds": seconds,
                "chunks/s": chunks / seconds,
            }
        )
        yield replace(here, backends=made)
    finally:
        for one in made.values():
            one.close()
            one.destroy(wait_s=0)


def _compared(here: Prepared, there: Prepared, contender: Contender) -> Compared:
    """Ask every question here and there, in turn, so that both meet the same machine."""
    found = Compared()
    for question in here.questions:
        answers = []
        for at, prepared in enumerate((here, there)):
            begun = time.perf_counter()
            answer = prepared.ask(question, contender, limit=_SHOWN)
            found.seconds[at].append(time.perf_counter() - begun)
            shown = prepared.shown(question, answer)
            found.ndcg[at].append(values_of(shown, question.gains)[Measure.NDCG_10])
            answers.append(answer)
        one, other = answers
        ids = [{hit.id for hit in answer.results} for answer in answers]
        most = max(map(len, ids))
        found.overlaps.append(len(ids[0] & ids[1]) / most if most else 1.0)
        both = ids[0] & ids[1]
        found.other_parts += any(_parts(one)[name] != _parts(other)[name] for name in both)
        found.degraded += other.degraded != one.degraded
    return found


def _parts(answer: Answer) -> Mapping[str, Sequence[str]]:
    """Return the names of the parts of each score."""
    return {hit.id: [part.name for part in hit.parts] for hit in answer.results}


def _p99(seconds: Sequence[float]) -> float:
    return sorted(seconds)[max(0, round(0.99 * len(seconds)) - 1)]


if __name__ == "__main__":
    main()
