"""What a collection costs on a cluster: time of a query, rate of writing, disk and memory.

The corpus of the other benchmarks with the instant model, here and moved to nodes that this
starts, asked in turn. Times of queries are of the clock, since a cluster works elsewhere; each
way beside the same queries on this machine in the same minutes, and the processor time that the
nodes used beside them. From the unit costs docs/scale.md reckons with larger ones.
Run: python -m benchmarks.scaleout [--nodes 1] [--chunks 100000] [--shards 1]
"""

from __future__ import annotations

import math
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from cluster.nodes import Cluster, started

from benchmarks.corpus import Prepared, prepare, queries, settings_for
from benchmarks.measure import Cell, Row, arguments, middle, report
from trivium.backends.opensearch.client import Access, Client
from trivium.collection import Collection
from trivium.config import Value
from trivium.models.minilm import minilm
from trivium.writing.moving import Moved

_QUERIES = 100
_WARM = 20
_AT_ONCE = 8
_SETTLED_S = 60.0
# For what is reckoned. A vector of the instant model, the neighbours that HNSW keeps of each, what
# a graph takes beyond that; a shard of at most some 50 GB; what a machine and a disk may cost.
_DIMENSION, _NEIGHBOURS, _SLACK = 256, 16, 1.1
_CHUNKS_A_SHARD = 5_000_000
_NODE_GB, _NODE_DOLLARS, _GB_DOLLARS = 64, 350, 0.1
_WAYS: Mapping[str, Mapping[str, Any]] = {
    "words": {"search_mode": "keyword"},
    "vectors": {"search_mode": "vector"},
    "`rag`": {"profile": "rag"},
    "`best`": {},
    "`best`, kind=code": {"kind": "code"},
}


def main() -> None:
    """Move, ask and weigh."""
    parser = arguments(__doc__ or "", chunks=100_000)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--heap", default="2g", help="of each node")
    chosen = parser.parse_args()
    corpus = prepare(chosen.cache, chunks=chosen.chunks)
    texts = queries(corpus, count=_QUERIES)
    named = f"{corpus.chunks:,} chunks, nodes {chosen.nodes}, shards {chosen.shards}"
    with tempfile.TemporaryDirectory() as place, started(chosen.nodes, heap=chosen.heap) as nodes:
        here, there = Path(place) / "here", Path(place) / "there"
        with_vectors(corpus, here)
        shutil.copytree(here, there)
        costs = _weighed(corpus, there, nodes, shards=chosen.shards)
        report(f"cost, {named}", [costs], to=chosen.json)
        report(f"reckoned from it, {named}", _reckoned(costs), to=chosen.json)
        report(f"queries, {named}", _asked(corpus, here, there, texts, nodes), to=chosen.json)


def with_vectors(corpus: Prepared, home: Path) -> None:
    """Have the corpus with vectors of the instant model, in a home of its own."""
    shutil.copytree(corpus.home, home)
    backend = replace(corpus, home=home).backend()
    with backend.writer(wait_s=5.0) as writer:
        # Those of the other benchmarks are numbers by chance.
        writer.forget_vectors(minilm().model_id)
    backend.close()
    with Collection(corpus.root, settings=settings_for(home, model="static")) as collection:
        collection.sync(yes=True)
        collection.embed()


def on_cluster(nodes: Cluster, *, shards: int) -> dict[str, Value]:
    """Return the settings that say so."""
    return {
        "backend.kind": "opensearch",
        "backend.urls": tuple(nodes.urls),
        "backend.collection": "measured",
        "backend.shards": shards,
    }


def moved_to(nodes: Cluster, corpus: Prepared, home: Path, *, shards: int) -> Moved:
    """Move the index to the nodes."""
    with Collection(corpus.root, settings=settings_for(home, model="static")) as collection:
        return collection.move(on_cluster(nodes, shards=shards))


def _weighed(corpus: Prepared, home: Path, nodes: Cluster, *, shards: int) -> Row:
    """Move the index, and weigh what came of it."""
    used, own, began = _node_seconds(nodes), time.process_time(), time.perf_counter()
    moved = moved_to(nodes, corpus, home, shards=shards)
    seconds, own = time.perf_counter() - began, time.process_time() - own
    cpu = _node_seconds(nodes) - used
    client = Client(nodes.urls, access=Access(read_s=120.0, write_s=300.0))
    try:
        # What is sent along for replicas that lag is kept for a while, and goes with a merge.
        time.sleep(_SETTLED_S)
        client.ask("POST", "/_forcemerge?max_num_segments=1")
        client.ask("POST", "/_refresh")
        stored = client.ask("GET", "/_stats/store")["indices"]
    finally:
        client.close()
    # What is noted before it is stored is overwritten by the next, however much there is.
    lasting = [one for name, one in stored.items() if not name.endswith(".state")]
    primary, every = (
        sum(one[which]["store"]["size_in_bytes"] for one in lasting)
        for which in ("primaries", "total")
    )
    return {
        "chunks": moved.chunks,
        "vectors": moved.vectors,
        "seconds": seconds,
        "chunks/s": moved.chunks / seconds,
        "node CPU ms a chunk": 1000 * cpu / moved.chunks,
        "own CPU ms a chunk": 1000 * own / moved.chunks,
        "bytes a chunk, primaries": primary / moved.chunks,
        "bytes a chunk, with replicas": every / moved.chunks,
        "MB resident, all nodes": sum(_resident_mb(one) for one in _pids(nodes)),
    }


def _reckoned(costs: Mapping[str, Cell]) -> list[Row]:
    """Reckon with more chunks: one model, one replica; nothing here is measured."""
    rows: list[Row] = []
    cpu_ms = float(costs["node CPU ms a chunk"]) + float(costs["own CPU ms a chunk"])
    for chunks in (1_000_000, 10_000_000, 100_000_000):
        disk_gb = 2 * chunks * float(costs["bytes a chunk, primaries"]) / 1e9
        # Vectors that are not in memory are read from disk at every step of a search.
        memory_gb = 2 * chunks * (4 * _DIMENSION + 8 * _NEIGHBOURS) * _SLACK / 1e9
        nodes = max(3, math.ceil(memory_gb / (_NODE_GB / 2)))
        rows.append(
            {
                "chunks": chunks,
                "disk GB": disk_gb,
                "memory for vectors GB": memory_gb,
                "shards": max(1, math.ceil(chunks / _CHUNKS_A_SHARD)),
                f"nodes of {_NODE_GB} GB": nodes,
                "dollars a month": nodes * _NODE_DOLLARS + disk_gb * _GB_DOLLARS,
                "core hours to move": chunks * cpu_ms / 3_600_000,
            }
        )
    return rows


def _asked(
    corpus: Prepared, here: Path, there: Path, texts: Sequence[str], nodes: Cluster
) -> list[Row]:
    rows: list[Row] = []
    with (
        Collection(corpus.root, settings=settings_for(here, model="static")) as embedded,
        Collection(
            corpus.root,
            settings=settings_for(there, model="static").flagged(on_cluster(nodes, shards=1)),
        ) as clustered,
    ):
        for name, how in _WAYS.items():
            for text in texts[:_WARM]:
                embedded.search(text, **how)
                clustered.search(text, **how)
            took: tuple[list[float], list[float]] = ([], [])
            shared: list[float] = []
            used = _node_seconds(nodes)
            for text in texts:
                found: list[set[str]] = []
                for at, collection in enumerate((embedded, clustered)):
                    began = time.perf_counter()
                    answer = collection.search(text, **how)
                    took[at].append(1000 * (time.perf_counter() - began))
                    found.append({hit.id for hit in answer.results})
                shared.append(len(found[0] & found[1]) / max(1, *map(len, found)))
            cpu = 1000 * (_node_seconds(nodes) - used) / len(texts)
            rows.append({**_row(name, took, cpu), "overlap@10": statistics.fmean(shared)})
        rows.append(_together(clustered, texts, nodes))
    return rows


def _row(name: str, took: tuple[Sequence[float], Sequence[float]], cpu: float) -> Row:
    here, there = took
    return {
        "asked": name,
        "here p50 ms": middle(here),
        "here p99": _p99(here),
        "there p50 ms": middle(there),
        "there p99": _p99(there),
        "x here": middle(there) / middle(here),
        "node CPU ms": cpu,
    }


def _together(clustered: Collection, texts: Sequence[str], nodes: Cluster) -> Row:
    """Ask from several threads of one process at once."""
    took: list[float] = []

    def ask(text: str) -> None:
        began = time.perf_counter()
        clustered.search(text)
        took.append(1000 * (time.perf_counter() - began))

    used, began = _node_seconds(nodes), time.perf_counter()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(ask, texts))
    seconds = time.perf_counter() - began
    return {
        "asked": f"`best`, {_AT_ONCE} at once",
        "there p50 ms": middle(took),
        "there p99": _p99(took),
        "node CPU ms": 1000 * (_node_seconds(nodes) - used) / len(texts),
        "requests/s": len(texts) / seconds,
    }


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[max(0, round(0.99 * len(values)) - 1)]


def _pids(nodes: Cluster) -> list[int]:
    return [one.process.pid for one in nodes.nodes if one.process is not None]


def _node_seconds(nodes: Cluster) -> float:
    """Return the processor time that all nodes have used."""
    total = 0
    for pid in _pids(nodes):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    line = next(one for one in text.splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
