"""A large folder taken in by a process that is killed again and again: is anything lost?

`trivium index` is killed with -9, its workers too, after some seconds; the next goes on, and the
last is left to end. What was acknowledged must be there after each death, and in the end files,
nodes, edges and chunks must be those of the same folder taken in without one.
Run: python -m benchmarks.killed [--chunks 1000000] [--after 75 120]
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.corpus import Prepared, environment_for, prepare, settings_for
from benchmarks.measure import arguments, report
from trivium.collection import Collection

_COUNTED = ("files", "nodes", "edges", "chunks")
# Edges of linking come and go.
_GROWING = ("files", "nodes", "chunks")


def main() -> None:
    """Kill, go on, report, and end with 1 where anything differs."""
    parser = arguments(__doc__ or "", chunks=1_000_000)
    parser.add_argument("--after", type=float, nargs="+", default=[75.0, 120.0])
    asked = parser.parse_args()
    corpus = prepare(asked.cache, chunks=asked.chunks)
    home = corpus.root.parent / "killed"
    shutil.rmtree(home, ignore_errors=True)
    rows = [_killed(corpus, home, after_s=after_s) for after_s in asked.after]
    began = time.perf_counter()
    subprocess.run(_command(corpus), env=_environment(home), check=True, stdout=subprocess.DEVNULL)
    rows.append(_row("went on to its end", time.perf_counter() - began, _held(corpus, home)))
    whole = _held(corpus, corpus.home)
    rows.append(_row("never killed", corpus.taken[1], whole))
    report(f"{corpus.chunks:,} chunks taken in by a process that is killed", rows, to=asked.json)
    shutil.rmtree(home)
    has_shrunk = any(
        now[name] < before[name] for before, now in pairwise(rows) for name in _GROWING
    )
    is_other = any(rows[-2][name] != rows[-1][name] for name in _COUNTED)
    if has_shrunk or is_other:
        sys.exit("Something was lost.")


def _killed(corpus: Prepared, home: Path, *, after_s: float) -> dict[str, Any]:
    """Index for some seconds, then kill the process and its workers."""
    child = subprocess.Popen(
        _command(corpus),
        env=_environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(after_s)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    return _row("killed", after_s, _held(corpus, home))


def _command(corpus: Prepared) -> list[str]:
    told = "import sys; from trivium.doors.cli.main import main; main(sys.argv[1:])"
    return [sys.executable, "-c", told, "index", str(corpus.root), "--yes"]


def _environment(home: Path) -> dict[str, str]:
    # A child gets this process's environment and what the run needs.
    return {**os.environ, **environment_for(home)}  # noqa: TID251


def _held(corpus: Prepared, home: Path) -> dict[str, int]:
    with Collection(corpus.root, settings=settings_for(home)) as collection:
        found = collection.stats()
        return {name: int(getattr(found, name)) for name in _COUNTED}


def _row(what: str, seconds: float, held: dict[str, int]) -> dict[str, Any]:
    return {"what": what, "s": round(seconds, 1), **held}


if __name__ == "__main__":
    main()
