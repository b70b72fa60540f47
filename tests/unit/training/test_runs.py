"""Runs as the command line names and changes them."""

from __future__ import annotations

import argparse

import pytest
from training.runs import RUNS, chosen_runs


def asked(runs: str, *changes: str, repeats: int = 1, steps: int = 0) -> argparse.Namespace:
    return argparse.Namespace(runs=runs, set=list(changes), repeats=repeats, steps=steps, batch=0)


def test_every_run_has_a_letter_of_its_own() -> None:
    names = [run.name for run in RUNS]
    assert all(len(name) == 1 for name in names)
    assert len(set(names)) == len(names)


def test_a_field_is_changed_for_one_run_or_for_all() -> None:
    w, p = chosen_runs(asked("wp", "w.rate=0.5", "all.seeds=1", "p.shares=[1, 0, 0, 0, 0]"))
    assert (w.rate, w.seeds) == (0.5, 1)
    assert (p.rate, p.seeds) == (0.01, 1)
    assert p.shares == (1, 0, 0, 0, 0)


def test_a_repeat_has_another_name_and_other_seeds() -> None:
    first, second = chosen_runs(asked("w", repeats=2))
    assert (first.name, second.name) == ("w", "w2")
    assert first.seed != second.seed


def test_fewer_steps_keep_the_share_of_those_that_follow_the_teachers_alone() -> None:
    before = next(run for run in RUNS if run.name == "p")
    t, p = chosen_runs(asked("tp", steps=100))
    assert (t.steps, t.warm) == (100, 100)
    assert (p.steps, p.warm) == (100, round(100 * before.warm / before.steps))
    (p,) = chosen_runs(asked("p", "p.warm=3", steps=100))
    assert p.warm == 3


def test_a_run_or_a_field_that_does_not_exist_names_those_that_do() -> None:
    with pytest.raises(SystemExit, match=r"no run 'z'; there are .*\bw\b"):
        list(chosen_runs(asked("z")))
    with pytest.raises(SystemExit, match=r"no 'speed'; it has .*\brate\b"):
        list(chosen_runs(asked("w", "w.speed=1")))
