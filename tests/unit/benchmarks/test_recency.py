from __future__ import annotations

import pytest
from benchmarks.recency import GROUPS, NOW, SETTINGS, Shares, ask, chosen, filled, first, made

from trivium.types import Kind

DAY_S = 86_400


def test_the_same_numbers_give_the_same_set_and_the_newest_is_right() -> None:
    own = made(40, seed=3)
    ages = {one.path: one.age_days for one in own.files}

    assert own == made(40, seed=3)
    assert own != made(40, seed=4)
    for one in own.queries:
        stem = one.right.rpartition("-")[0]
        versions = [path for path in ages if path.rpartition("-")[0] == stem]
        if one.group == "newest":
            assert ages[one.right] == min(ages[path] for path in versions)
    assert {one.group for one in own.queries} == set(GROUPS)
    # What only one of them says is mostly what an older one says.
    detailed = [one.right for one in own.queries if one.group == "detail"]
    assert sum(not path.endswith("-0.md") for path in detailed) > len(detailed) / 2


def test_files_are_notes_tasks_and_pages_of_their_age() -> None:
    own = made(6, seed=1)
    ages = {one.path: one.age_days for one in own.files}
    with filled(own) as backend, backend.snapshot() as snapshot:
        changed = snapshot.changed(list(ages))
        kinds = set(snapshot.values("kind"))
        found = [ask(snapshot, one, ages, has_model=False) for one in own.queries]

    assert {path: (NOW - at) / DAY_S for path, at in changed.items()} == pytest.approx(ages)
    assert {Kind.NOTE, Kind.TASK, Kind.DOC} <= kinds
    for one in found:
        assert {one.paths[chunk].split("/")[0] for chunk in one.ages} <= {"notes"}
    newest = [one for one in found if one.asked.group == "newest"]
    assert first(newest, "newest", gain=0.0, half_life=30) <= first(
        newest, "newest", gain=1000.0, half_life=3000
    )


def test_chosen_is_what_lifts_most_and_loses_nothing_in_any_way() -> None:
    def way(**others: dict[str, float]) -> Shares:
        plain = {"newest": 0.3, "detail": 0.9, "page": 0.9}
        return {one: {**plain, **others.get(f"at{at}", {})} for at, one in enumerate(SETTINGS)}

    lifted, harming = {"newest": 0.5}, {"newest": 0.9, "page": 0.8}
    assert chosen([way(), way()]) == SETTINGS[0]
    assert chosen([way(at3=lifted), way(at5=harming)]) == SETTINGS[3]
    assert chosen([way(at3=lifted), way(at3={"detail": 0.8})]) == SETTINGS[0]
