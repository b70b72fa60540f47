"""What every peer is given, and how it is timed. Imports nothing of Trivium.

A peer builds its index in one process and answers in another, so that its memory is that of
asking. Ranks of words and of vectors are fused where the library does not do so itself.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH, SHOWN = 30, 10
_K = 60
_WARM = 10
_WORD = re.compile(r"\w+")

# A query's text and its vector -> what is shown of the best.
Ask = Callable[[str, "NDArray[np.float32]"], Sequence[object]]


# For a library that asks a function for vectors.
KNOWN: dict[str, NDArray[np.float32]] = {}


def known(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors at hand of these texts."""
    import numpy as np

    return np.stack([KNOWN[text] for text in texts])


@dataclass(frozen=True, slots=True)
class Task:
    """Texts with their vectors, and queries with theirs."""

    texts: Sequence[str]
    vectors: NDArray[np.float32]
    queries: Sequence[str]
    asked: NDArray[np.float32]


def load(folder: Path) -> Task:
    """Read what the driver has written."""
    import numpy as np

    given = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    vectors, asked = np.load(folder / "vectors.npy"), np.load(folder / "asked.npy")
    return Task(given["texts"], vectors, given["queries"], asked)


def words(text: str) -> list[str]:
    """Return the words of a text, lower case."""
    return _WORD.findall(text.lower())


def fused(*rankings: Sequence[int]) -> list[int]:
    """Return the best by reciprocal rank."""
    gained: dict[int, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, 1):
            gained[one] = gained.get(one, 0.0) + 1 / (_K + rank)
    return sorted(gained, key=lambda one: -gained[one])[:SHOWN]


def measure(build: Callable[[Task, Path], object], opened: Callable[[Path], Ask]) -> None:
    """Do what the command line says, `build` or `ask`, and print what it took as JSON."""
    act, data, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    task = load(data)
    cpu, clock = time.process_time(), time.perf_counter()
    if act == "build":
        folder.mkdir(parents=True)
        build(task, folder)
        print(json.dumps({"cpu_s": time.process_time() - cpu, "s": time.perf_counter() - clock}))
        return
    queries, asked = task.queries, task.asked
    # What only building needs is no part of the memory of asking.
    del task
    ask = opened(folder)
    ask(queries[0], asked[0])
    first_s = time.perf_counter() - clock
    for text, vector in list(zip(queries, asked, strict=True))[:_WARM]:
        ask(text, vector)
    cpus, clocks, shown = [], [], 0
    for text, vector in zip(queries, asked, strict=True):
        cpu, clock = time.process_time(), time.perf_counter()
        shown += len(ask(text, vector))
        cpus.append(1000 * (time.process_time() - cpu))
        clocks.append(1000 * (time.perf_counter() - clock))
    status = Path("/proc/self/status").read_text(encoding="ascii")
    resident = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    found = {"cpu_ms": cpus, "ms": clocks, "shown": shown, "rss_mb": resident, "first_s": first_s}
    print(json.dumps(found))
