"""Numbers of processor time and memory, and the tables that show them.

Processor time, not the clock: machines that run benchmarks are rarely quiet. A child's
time is what the operating system charged to that process alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

Cell = str | int | float
Row = Mapping[str, Cell]


def arguments(description: str, *, chunks: int | None = None) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/trivium-bench"))  # noqa: S108 - a cache anyone may see
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    if chunks is not None:
        parser.add_argument("--chunks", type=int, default=chunks)
    return parser


def report(title: str, rows: Sequence[Row], *, to: Path | None) -> None:
    """Print rows as a table; add them to the JSON file under their title."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[_shown(row.get(key, "")) for key in columns] for row in rows]
    widths = [max(len(line[at]) for line in [columns, *cells]) for at in range(len(columns))]
    print(f"\n{title}")
    for line in [columns, *cells]:
        parts = [
            text.ljust(width) if at == 0 else text.rjust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(parts).rstrip())
    if to is not None:
        found = json.loads(to.read_text(encoding="utf-8")) if to.exists() else {}
        found[title] = [dict(row) for row in rows]
        to.write_text(json.dumps(found, indent=1), encoding="utf-8")


def _shown(value: Cell) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else value


def verdict(value: float, *, most: float | None = None, least: float | None = None) -> str:
    """Say whether a target is met."""
    met = (most is None or value <= most) and (least is None or value >= least)
    return "met" if met else "missed"


def cpu_ms(act: Callable[[], object]) -> float:
    """Return the processor time `act` takes, in all threads and in children that have ended."""
    before = _used_ms()
    act()
    return _used_ms() - before


def _used_ms() -> float:
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() / 1e6 + 1000 * (of_children.ru_utime + of_children.ru_stime)


def middle(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def high(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def child_ms(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, allowed: int = 0
) -> float:
    """Return the processor time of a child process; it must exit with 0 or `allowed`."""
    # A child gets this process's environment and what the run needs.
    env = {**os.environ, **(environment or {})}  # noqa: TID251
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, allowed):
        sys.exit(f"{' '.join(command)} ended with {child.returncode}")
    return 1000 * (used.ru_utime + used.ru_stime)


def resident_mb() -> tuple[float, float]:
    """Return the resident memory of this process, and the part no file backs, in MB."""
    fields = {}
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        fields[name] = value
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))  # type: ignore[return-value]
