"""Trivium asked as the peers are, its index made before: `rag` in part or in full, `best`."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path

from benchmarks.corpus import prepare
from benchmarks.measure import resident_mb
from benchmarks.query import Asker

_WARM, _SHOWN = 10, 10


def main() -> None:
    """Print what asking took, as a peer does."""
    what, cache, chunks = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    texts = json.loads(sys.stdin.read())
    asker = Asker(prepare(cache, chunks=chunks), texts)
    name, _, how = what.partition(" ")
    ranked = partial(asker.rank, shown=_SHOWN if how == "texts" else 0)
    ask = ranked if how else asker.ask
    clock = time.perf_counter()
    ask(texts[0], name)
    first_s = time.perf_counter() - clock
    for text in texts[:_WARM]:
        ask(text, name)
    cpus, clocks, shown = [], [], 0
    for text in texts:
        cpu, clock = time.process_time(), time.perf_counter()
        shown += ask(text, name)
        cpus.append(1000 * (time.process_time() - cpu))
        clocks.append(1000 * (time.perf_counter() - clock))
    found = {"cpu_ms": cpus, "ms": clocks, "shown": shown}
    print(json.dumps({**found, "rss_mb": resident_mb()[0], "first_s": first_s}))


if __name__ == "__main__":
    main()
