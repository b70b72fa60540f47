"""The targets for speed and size, what is measured, and how both grow -> docs/performance.md.

Every figure in that page comes from one run of this, but those of peers, which have runs of their
own (benchmarks.peers, benchmarks.repositories). Corpora are made in the cache folder, once.
Run: python -m benchmarks.performance [--million] [--peers FILE] [--repositories FILE] [--out FILE]
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpus import Prepared, prepare, queries, settings_for, write_prose
from benchmarks.indexing import RawEmbedder
from benchmarks.measure import Row, arguments, cpu_ms, high, middle
from benchmarks.performance_page import page, picture
from benchmarks.query import (
    Asker,
    RawLists,
    RawText,
    embedder_for,
    in_turn,
    loaded_of,
    raw_vectors,
)
from benchmarks.repositories import taken_in
from trivium.backends.embedded.text import view_key
from trivium.collection import Collection
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.models.kept import QueryVectors, RememberingEmbedder
from trivium.models.minilm import minilm
from trivium.models.static import StaticEmbedder
from trivium.query.parse import parse
from trivium.ranking.profile import profile
from trivium.stages import listening

_SIZES = (1_000, 10_000, 100_000)
_MILLION = 1_000_000
_QUERIES = 100
_THREADS = 8
# Large enough that starting workers is little of it.
_INDEXED = 10_000
_EMBEDDED = 100


def main() -> None:
    """Measure, and write the page and its picture."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(_SIZES))
    parser.add_argument("--million", action="store_true", help="a million chunks as well")
    parser.add_argument("--peers", type=Path, help="what benchmarks.peers wrote as --json")
    parser.add_argument("--repositories", type=Path, help="what benchmarks.repositories wrote")
    parser.add_argument("--of", type=Path, help="write the page of what a run kept as --json")
    parser.add_argument("--out", type=Path, default=Path("docs/performance.md"))
    asked = parser.parse_args()
    sizes = sorted({*asked.sizes, *([_MILLION] if asked.million else [])})
    if asked.of is None:
        found = measured(asked.cache, sizes)
    else:
        found = json.loads(asked.of.read_text(encoding="utf-8"))
    if asked.json is not None:
        asked.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    found["peers"] = _rows_of(asked.peers)
    found["repositories"] = _rows_of(asked.repositories)
    beside = asked.out.with_suffix(".svg")
    beside.write_text(picture(found), encoding="utf-8")
    asked.out.write_text(page(found, picture=beside.name), encoding="utf-8")


def measured(cache: Path, sizes: Sequence[int]) -> dict[str, Any]:
    """Return all figures but those of the peers."""
    bandwidth = bandwidth_gb()
    grown = [_grown(cache, size, bandwidth=bandwidth) for size in sizes]
    vast = [prepare(cache, chunks=size) for size in sizes if size >= _MILLION]
    large = prepare(cache, chunks=max(size for size in sizes if size < _MILLION))
    below = [prepare(cache, chunks=size) for size in sizes if size < _MILLION]
    middling = min(below, key=lambda one: abs(one.chunks - _INDEXED))
    cores = os.cpu_count() or 1
    return {
        "machine": f"{cores} cores, {platform.machine()}, Python {platform.python_version()}",
        "cores": cores,
        "bandwidth": bandwidth,
        "grown": grown,
        "filtered": _filtered(large),
        "filtered million": _filtered(vast[0]) if vast else [],
        "taken in": [_taken_in(corpus) for corpus in below],
        "million taken in": [
            {"chunks": one.chunks, "cpu_s": one.taken[0], "s": one.taken[1]} for one in vast
        ],
        "edit": {"chunks": middling.chunks, "ms": _edited(middling)},
        "models": _models(),
        "threads": _threads(large),
        "stages": {name: _stages(large, name) for name in ("rag", "best")},
        "load": os.getloadavg()[1],
    }


def bandwidth_gb() -> float:
    """Return how many gigabytes a second one core reads of memory that no cache holds."""
    import numpy as np

    block = np.ones(256 * 1024 * 1024 // 8, np.int64)
    taken = []
    for _ in range(5):
        began = time.process_time()
        block.max()
        taken.append(time.process_time() - began)
    return float(block.nbytes / min(taken) / 1e9)


def _grown(cache: Path, size: int, *, bandwidth: float) -> dict[str, Any]:
    """Measure one size; each way to ask in a process of its own."""
    corpus = prepare(cache, chunks=size)
    texts = queries(corpus, count=_QUERIES)
    asked = {what: _asked_alone(what, texts, cache, size) for what in ("rag ranked", "rag", "best")}
    disk = _bytes_in(corpus.home)
    # What asking by `rag` adds to an index: its view of words.
    second = _bytes_in(corpus.index / "text" / view_key(profile("rag").view))
    vectors = loaded_of(corpus).base.matrix.nbytes
    return {
        "size": size,
        "chunks": corpus.chunks,
        **_beside_raw(corpus, texts),
        "floor": 1000 * vectors / (bandwidth * 1e9),
        "disk": disk / corpus.chunks,
        "beyond": (disk - second - corpus.characters) / corpus.chunks,
        "second": second / corpus.chunks,
        **{
            what: {
                "p50": middle(one["cpu_ms"]),
                "p95": high(one["cpu_ms"]),
                "mb": one["rss_mb"],
                "first": 1000 * one["first_s"],
            }
            for what, one in asked.items()
        },
    }


def _bytes_in(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


def _asked_alone(what: str, texts: Sequence[str], cache: Path, size: int) -> Any:  # noqa: ANN401 - JSON
    command = [sys.executable, "-m", "benchmarks.peers.ours", what, str(cache), str(size)]
    done = subprocess.run(
        command, input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def _beside_raw(corpus: Prepared, texts: Sequence[str]) -> dict[str, float]:
    """Ask Tantivy alone, the vectors alone and for ids alone by turns, never the same in a row."""
    made = embedder_for(texts).made
    vectors = raw_vectors(corpus, {one: made[parse(one).meaning] for one in texts})
    acts: dict[str, Callable[[str], object]] = {
        "words": RawText(corpus, "rag", texts).ask,
        "vectors": vectors.ask,
        "ids": partial(Asker(corpus, texts).rank, name="rag"),
    }
    taken = in_turn(acts, texts)
    raw = middle([sum(pair) for pair in zip(taken["words"], taken["vectors"], strict=True)])
    found = {"raw": raw, "ratio": middle(taken["ids"]) / raw}
    if isinstance(vectors, RawLists):
        found["recall"] = sum(map(vectors.recall, texts)) / len(texts)
    return found


def _filtered(corpus: Prepared) -> list[Row]:
    """Ask `rag` under filters that keep half, about 1 % and about 0.01 % of the chunks."""
    texts = queries(corpus, count=_QUERIES)
    asker = Asker(corpus, texts)
    page = min((corpus.root / "prose").rglob("*.md")).relative_to(corpus.root).as_posix()
    folder = page.rpartition("/")[0]
    ways: dict[str, Filter] = {
        "all": EVERYTHING,
        "code": build({"kind": "code"}),
        "one folder": build({"path": f"{folder}/"}),
        "one file": build({"path": page}),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for where in ways.values():
        asker.ask(texts[0], "rag", where)
    for text in texts:
        for name, where in ways.items():
            taken[name].append(cpu_ms(lambda where=where: asker.ask(text, "rag", where)))  # type: ignore[misc]  # noqa: B023 - called at once
    with asker.backend.snapshot() as snapshot:
        kept = {name: snapshot.numbers_allowed(where) for name, where in ways.items()}
        whole = snapshot.contents().chunks
    plain = middle(taken["all"])
    return [
        {
            "kept": name,
            "share": 1.0 if (numbers := kept[name]) is None else min(1.0, len(numbers) / whole),
            "p50": middle(spent),
            "x": middle(spent) / plain,
        }
        for name, spent in taken.items()
    ]


def _taken_in(corpus: Prepared) -> dict[str, float]:
    """Index a corpus from nothing, vectors of the instant model included."""
    with tempfile.TemporaryDirectory(prefix="trivium-performance-") as home:
        made = taken_in(corpus.root, Path(home))
    return {"chunks": made["chunks"], "cpu_s": made["cpu_s"], "s": made["s"]}


def _edited(corpus: Prepared) -> float:
    with tempfile.TemporaryDirectory(prefix="trivium-performance-") as home:
        settings = settings_for(Path(home))
        with Collection(corpus.root, settings=settings) as collection:
            collection.sync(yes=True)
            return _edit(corpus, collection)


def _models() -> dict[str, float]:
    """Return CPU ms of a query's vector, and MiniLM's texts beside ONNX Runtime alone."""
    folder = tempfile.mkdtemp(prefix="trivium-performance-")
    try:
        write_prose(Path(folder), chunks=4 * _EMBEDDED)
        whole = " ".join(path.read_text(encoding="utf-8") for path in Path(folder).rglob("*.md"))
    finally:
        shutil.rmtree(folder)
    words = whole.split()
    asked = [" ".join(words[at : at + 6]) for at in range(0, 6 * _QUERIES, 6)]
    texts = [whole[at : at + 1000] for at in range(0, 1000 * _EMBEDDED, 1000)]
    made: dict[str, float] = {}
    slow = minilm(threads=1)
    for name, model in (("static", StaticEmbedder()), ("minilm", slow)):
        model.embed_query("warm")
        made[name] = middle([cpu_ms(partial(model.embed_query, one)) for one in asked])
    with tempfile.TemporaryDirectory(prefix="trivium-performance-") as kept:
        remembering = RememberingEmbedder(slow, QueryVectors(Path(kept) / "queries.db", most=1000))
        for one in asked:
            remembering.embed_query(one)
        made["again"] = middle([cpu_ms(partial(remembering.embed_query, one)) for one in asked])
    alone = RawEmbedder()
    alone(texts[:1])
    ours, bare = [], []
    for _ in range(3):
        ours.append(cpu_ms(partial(slow.embed_documents, texts)))
        bare.append(cpu_ms(partial(alone, texts)))
    made["texts"] = 1000 * len(texts) / min(ours)
    made["bare"] = 1000 * len(texts) / min(bare)
    return made


def _edit(corpus: Prepared, collection: Collection) -> float:
    """Return the CPU ms until a word that was written into a file is found."""
    edited = min((corpus.root / "prose").rglob("*.md"))
    before = edited.read_text(encoding="utf-8")
    folder = frozenset({edited.parent.relative_to(corpus.root).as_posix()})
    taken = []

    def seen(word: str) -> None:
        collection.sync(folders=folder)
        assert collection.search(word, search_mode="keyword").results

    try:
        for number in range(5):
            word = f"newlywritten{'abcde'[number]}"
            edited.write_text(f"{before}\n\n{word}\n", encoding="utf-8")
            taken.append(cpu_ms(lambda word=word: seen(word)))  # type: ignore[misc]
    finally:
        edited.write_text(before, encoding="utf-8")
    return middle(taken)


def _threads(corpus: Prepared) -> dict[str, float]:
    """Ask `rag` from one thread and from eight: queries a second and CPU ms of each."""
    texts = queries(corpus, count=_QUERIES)
    asker = Asker(corpus, texts)
    made: dict[str, float] = {"cores": float(os.cpu_count() or 1)}
    for count in (1, _THREADS):
        with ThreadPoolExecutor(count) as pool:
            list(pool.map(lambda text: asker.ask(text, "rag"), texts[:20]))
            clock, cpu = time.perf_counter(), time.process_time()
            list(pool.map(lambda text: asker.ask(text, "rag"), texts))
            made[f"of {count} cpu"] = 1000 * (time.process_time() - cpu) / len(texts)
            made[f"of {count} rate"] = len(texts) / (time.perf_counter() - clock)
    return made


def _stages(corpus: Prepared, name: str) -> dict[str, float]:
    """Return the mean CPU ms of each stage of a search, as the stages themselves say."""
    texts = queries(corpus, count=_QUERIES)
    asker = Asker(corpus, texts)
    for text in texts[:20]:
        asker.ask(text, name)
    spent: defaultdict[str, float] = defaultdict(float)
    now, since = "open", 0.0

    def heard(stage: str) -> None:
        nonlocal now, since
        at = time.thread_time()
        spent[now] += at - since
        now, since = stage, at

    with listening(heard):
        for text in texts:
            now, since = "open", time.thread_time()
            asker.ask(text, name)
            heard("open")
    return {stage: 1000 * took / len(texts) for stage, took in spent.items()}


def _rows_of(file: Path | None) -> list[Row]:
    """Return the rows of the last table of a run."""
    return list(json.loads(file.read_text(encoding="utf-8")).values())[-1] if file else []


if __name__ == "__main__":
    main()
