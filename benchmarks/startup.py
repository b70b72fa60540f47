"""How much processor time a process takes to start, to import and to answer one query.

Every number is a whole child process; beside it stand a bare interpreter and numpy, so
that a slow machine shows as such. Run: python -m benchmarks.startup
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.corpus import prepare
from benchmarks.measure import arguments, child_ms, middle, report, verdict

_TIMES = 11
_NEW = "{new}"


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    command: Sequence[str]
    most_ms: float | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


def main() -> None:
    """Measure and report."""
    asked = arguments(__doc__ or "", chunks=10_000).parse_args()
    corpus = prepare(asked.cache, chunks=asked.chunks)
    python = sys.executable
    command = [str(Path(python).with_name("trivium"))]
    search = [*command, "search", "parse the header of a message", str(corpus.root)]
    # With a word that no query had: the vector of one asked before is kept.
    new = [*command, "search", f"parse the header of a message {_NEW}", str(corpus.root)]
    words, meaning = corpus.environment("none"), corpus.environment("minilm")
    cases = [
        _Case("python -c pass", [python, "-c", "pass"]),
        _Case("import numpy", [python, "-c", "import numpy"]),
        _Case("import trivium", [python, "-c", "import trivium"], 150),
        _Case("trivium --help", [*command, "--help"]),
        _Case("trivium search --no-sync, no model", [*search, "--no-sync"], environment=words),
        _Case("trivium search, no model", search, 350, words),
        _Case("trivium search --no-sync, minilm", [*new, "--no-sync"], environment=meaning),
        _Case("trivium search, minilm", new, 600, meaning),
        _Case("trivium search, minilm, asked before", search, environment=meaning),
    ]
    taken: dict[str, list[float]] = {case.name: [] for case in cases}
    # Round after round, so that a busy spell falls on every case alike; the first warms up.
    for turn in range(_TIMES + 1):
        for case in cases:
            query = [part.replace(_NEW, uuid.uuid4().hex) for part in case.command]
            spent = child_ms(query, environment=case.environment)
            if turn:
                taken[case.name].append(spent)
    bare = middle(taken["python -c pass"])
    rows: list[dict[str, str | int | float]] = []
    for case in cases:
        spent = middle(taken[case.name])
        rows.append(
            {
                "process": case.name,
                "CPU ms": round(spent, 1),
                "least": round(min(taken[case.name]), 1),
                "x bare": round(spent / bare, 1),
                "target ms": case.most_ms if case.most_ms is not None else "",
                "": verdict(spent, most=case.most_ms) if case.most_ms is not None else "",
            }
        )
    title = f"Startup, {corpus.chunks:,} chunks indexed, median of {_TIMES} processes"
    report(title, rows, to=asked.json)


if __name__ == "__main__":
    main()
