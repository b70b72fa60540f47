"""What questions are answered with while nodes of a cluster are lost, and when all is well again.

A corpus of the other benchmarks is moved to nodes that this starts. Several threads ask it all the
time; then something is broken, and later mended. An answer is whole, or says what it lacks
(degraded), or is an error that is told; whole ones are held against those before.
Run: python -m benchmarks.faults [--nodes 3] [--chunks 3000] [--broken 20] [--only hangs]
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from cluster.nodes import Cluster, Node, started

from benchmarks.corpus import prepare, queries, settings_for
from benchmarks.measure import Row, arguments, report
from benchmarks.scaleout import moved_to, on_cluster, with_vectors
from trivium.backends.opensearch.client import Client
from trivium.collection import Collection
from trivium.errors import TriviumError

_QUERIES = 20
_THREADS = 3
_CALM_S = 4.0
_AFTER_ERROR_S = 0.5
_HEAP = "1g"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: when it was asked, when it was answered, and what came of it."""

    began: float
    ended: float
    is_right: bool
    degraded: str = ""
    error: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return not self.degraded and not self.error


@dataclass(slots=True)
class Asking:
    """Asks a collection all the time, from several threads."""

    collection: Collection
    texts: Sequence[str]
    right: Mapping[str, Sequence[str]]
    asked: list[Asked] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self, first: int) -> None:
        """Ask one question after the other until it is over."""
        for text in islice(cycle(self.texts), first, None):
            if self.over.is_set():
                return
            one = self._one(text)
            self.asked.append(one)
            if one.error:
                time.sleep(_AFTER_ERROR_S)

    def _one(self, text: str) -> Asked:
        began = time.monotonic()
        try:
            answer = self.collection.search(text)
        except TriviumError as error:
            return Asked(began, time.monotonic(), is_right=False, error=type(error).__name__)
        lacking = ", ".join(sorted({one.stage for one in answer.degraded}))
        ids = [hit.id for hit in answer.results]
        return Asked(began, time.monotonic(), ids == self.right[text], degraded=lacking)


@contextmanager
def asking(collection: Collection, texts: Sequence[str]) -> Iterator[Asking]:
    """Ask in the background; what is answered now is right."""
    right = {text: [hit.id for hit in collection.search(text).results] for text in texts}
    made = Asking(collection, texts, right)
    threads = [
        threading.Thread(target=made.run, args=(len(texts) * at // _THREADS,))
        for at in range(_THREADS)
    ]
    for one in threads:
        one.start()
    try:
        yield made
    finally:
        made.over.set()
        for one in threads:
            one.join()


@dataclass(frozen=True, slots=True)
class Fault:
    """What is broken, and how it is mended."""

    name: str
    breaks: Callable[[], None]
    mends: Callable[[], None]


def main() -> None:
    """Break one thing after the other."""
    parser = arguments(__doc__ or "", chunks=3000)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--broken", type=float, default=20.0, help="seconds before it is mended")
    parser.add_argument("--only", default="", help="those whose names hold this")
    chosen = parser.parse_args()
    corpus = prepare(chosen.cache, chunks=chosen.chunks)
    texts = queries(corpus, count=_QUERIES)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place, started(chosen.nodes, heap=_HEAP) as nodes:
        home = Path(place) / "home"
        with_vectors(corpus, home)
        moved_to(nodes, corpus, home, shards=1)
        settings = settings_for(home, model="static").flagged(on_cluster(nodes, shards=1))
        for fault in _faults(nodes):
            if chosen.only not in fault.name:
                continue
            nodes.wait_until("green")
            with Collection(corpus.root, settings=settings) as collection:
                rows.append(_suffered(fault, collection, texts, nodes, broken_s=chosen.broken))
            report(fault.name, rows[-1:], to=None)
        shutil.rmtree(home, ignore_errors=True)
    report(f"faults, {corpus.chunks:,} chunks, nodes {chosen.nodes}", rows, to=chosen.json)


def _faults(nodes: Cluster) -> Iterator[Fault]:
    def manager() -> Node:
        return next(one for one in nodes.nodes if one.name == _manager_of(nodes))

    def others() -> list[Node]:
        return [one for one in nodes.nodes if one is not manager()]

    def back() -> None:
        for one in nodes.nodes:
            if one.process is None:
                one.start()

    held: list[Node] = []

    def hang() -> None:
        held.append(others()[0])
        _sent(held[-1], signal.SIGSTOP)

    def go_on() -> None:
        _sent(held.pop(), signal.SIGCONT)

    def one_by_one() -> None:
        for one in nodes.nodes:
            one.stop()
            one.start()
            nodes.wait_until("green")

    yield Fault("a data node is killed", others()[-1].kill, back)
    yield Fault("the cluster manager is killed", manager().kill, back)
    yield Fault("all nodes are restarted, one by one", one_by_one, lambda: None)
    yield Fault("a data node hangs (SIGSTOP)", hang, go_on)
    yield Fault("two of three nodes are killed", lambda: _kill(others()), back)
    yield Fault("all nodes are killed", lambda: _kill(nodes.nodes), back)


def _kill(some: Sequence[Node]) -> None:
    for one in list(some):
        one.kill()


def _sent(node: Node, what: signal.Signals) -> None:
    if node.process is not None:
        node.process.send_signal(what)


def _manager_of(nodes: Cluster) -> str:
    client = Client(nodes.urls)
    try:
        found = client.ask("GET", "/_cluster/state/cluster_manager_node,nodes")
        return str(found["nodes"][found["cluster_manager_node"]]["name"])
    finally:
        client.close()


def _suffered(
    fault: Fault,
    collection: Collection,
    texts: Sequence[str],
    nodes: Cluster,
    *,
    broken_s: float,
) -> Row:
    """Break something under load, wait, mend it; count what was answered from then on."""
    with asking(collection, texts) as load:
        time.sleep(_CALM_S)
        broken = time.monotonic()
        fault.breaks()
        time.sleep(max(0.0, broken_s - (time.monotonic() - broken)))
        mended = time.monotonic()
        fault.mends()
        nodes.wait_until("green")
        green = time.monotonic()
        time.sleep(_CALM_S)
    calm = [one for one in load.asked if one.ended < broken]
    during = [one for one in load.asked if one.ended >= broken]
    return _row(fault.name, calm, during, broken=broken, mended=mended, green=green)


def _row(
    name: str,
    calm: Sequence[Asked],
    during: Sequence[Asked],
    *,
    broken: float,
    mended: float,
    green: float,
) -> Row:
    bad = [one for one in during if not one.is_whole]
    errors = Counter(one.error for one in bad if one.error)
    lacking = Counter(one.degraded for one in bad if one.degraded)
    last = max((one.ended for one in bad), default=broken)
    return {
        "broken": name,
        "queries": len(during),
        "failed": errors.total(),
        "degraded": lacking.total(),
        "told as": "; ".join(f"{what} {count}" for what, count in (errors + lacking).items()),
        "whole, but others": sum(one.is_whole and not one.is_right for one in during),
        "slowest before s": max((one.ended - one.began for one in calm), default=0.0),
        "slowest s": max(one.ended - one.began for one in during),
        "whole again after s": last - broken,
        "of it mended s": max(0.0, last - mended),
        "green after mending s": green - mended,
    }


if __name__ == "__main__":
    main()
