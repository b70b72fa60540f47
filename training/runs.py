"""The runs that can be trained: which losses count how much, for how many steps, in what batches.

A run is a letter; the command line may change any of its fields. training.train takes them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    """What makes one run differ from another."""

    name: str
    steps: int = 1500
    batch: int = 4096
    rate: float = 1e-2
    temperature: float = 0.05
    contrast: float = 1.0
    soften: float = 1.0
    align: float = 0.5
    window: float = 1.0
    shares: tuple[float, ...] = (0.32, 0.2, 0.24, 0.16, 0.08)
    drop: float = 0.15
    seed: int = 1
    seeds: int = 3
    # So many steps come first that only follow the teacher.
    warm: int = 0
    # The temperature at which the student's similarities are to be the teachers', and how much
    # the angle to the teachers' vectors counts in the first steps.
    likeness: float = 0.05
    warm_align: float = 1.0
    # How much the second teacher's similarities count, the first's being the rest.
    second: float = 0.5
    # Whether each question meets an answer that BM25 finds for it.
    hard: bool = True


# Each is trained with several seeds, and the average of those is what is written.
_LIGHT: dict[str, Any] = {"soften": 0.2, "align": 0.1, "window": 0.2}
RUNS = (
    Run("l", steps=1400, warm=1400, seed=101),
    Run("n", steps=1150, warm=800, seed=111, **_LIGHT),
    Run("m", steps=1400, warm=1400, seed=121, second=1.0, hard=False),
    Run(
        "q",
        steps=1250,
        warm=800,
        seed=131,
        soften=0.5,
        align=0.3,
        window=0.5,
        rate=6e-3,
        drop=0.25,
        shares=(0.24, 0.18, 0.3, 0.2, 0.08),
    ),
    Run(
        "p",
        steps=1150,
        warm=800,
        seed=141,
        second=1.0,
        shares=(0.45, 0.3, 0.12, 0.1, 0.03),
        **_LIGHT,
    ),
    Run("s", steps=1400, warm=1400, seed=201, likeness=0.035),
    Run("t", steps=1400, warm=1400, seed=211, likeness=0.08),
    Run("v", steps=1400, warm=1400, seed=221, warm_align=0.0),
    Run("w", steps=700, warm=700, seed=231, batch=8192),
    Run(
        "x",
        steps=1150,
        warm=800,
        seed=241,
        contrast=0.5,
        soften=1.0,
        align=0.3,
        shares=(0.45, 0.3, 0.12, 0.1, 0.03),
    ),
    Run("o", steps=1150, warm=800, seed=111, hard=False, **_LIGHT),
)


_NAMED = {run.name: run for run in RUNS}
_FIELDS = tuple(each.name for each in fields(Run))


def changed(run: Run, asked: argparse.Namespace) -> Run:
    """Return a run as the command line changes it."""
    changes: dict[str, Any] = {}
    for one in asked.set:
        place, _, value = one.partition("=")
        name, _, field = place.partition(".")
        if field not in _FIELDS:
            raise SystemExit(f"A run has no {field!r}; it has {', '.join(_FIELDS)}.")
        if name in (run.name, "all"):
            changes[field] = type(getattr(run, field))(json.loads(value))
    if asked.steps:
        changes["steps"] = asked.steps
    if asked.batch:
        changes["batch"] = asked.batch
    if "warm" not in changes and "steps" in changes:
        # The first steps keep their share.
        changes["warm"] = round(run.warm * changes["steps"] / run.steps)
    return replace(run, **changes)


def chosen_runs(asked: argparse.Namespace) -> Iterator[Run]:
    """Yield the runs that were asked for; a repeat has its number after its name."""
    for repeat in range(asked.repeats):
        for name in asked.runs.replace("0", ""):
            if name not in _NAMED:
                raise SystemExit(f"There is no run {name!r}; there are {', '.join(_NAMED)}.")
            run = changed(_NAMED[name], asked)
            label = f"{name}{repeat + 1}" if repeat else name
            yield replace(run, name=label, seed=run.seed + 500 * repeat)
