"""Lists of rows: the same from the same rows, and few of them hold what is near."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from trivium.backends.embedded import lists
from trivium.backends.embedded.lists import Gate, Lists, arranged, assign, how_many, probe, train
from trivium.backends.embedded.scan import Asked, Rows, exact_cosines, nearest, scan
from trivium.backends.quantise import to_int8

GROUPS, EACH, DIMENSION = 40, 100, 24


def no_progress(_done: int, _total: int) -> None:
    """Say nothing."""


def grouped(*, seed: int = 1) -> Rows:
    """Return rows in clear groups; those of group g have the numbers from g, a group apart."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((GROUPS, DIMENSION))
    made = np.tile(centres, (EACH, 1)) + 0.3 * chance.standard_normal((GROUPS * EACH, DIMENSION))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    matrix, scales = to_int8(made.astype(np.float32))
    return Rows(np.arange(GROUPS * EACH, dtype=np.int64), scales, matrix)


def listed(rows: Rows) -> tuple[Rows, Lists]:
    centres = train(rows, progress=no_progress)
    places, made = arranged(rows.numbers, assign(rows.matrix, centres), centres, trained=1)
    return rows.at(places), made


def vector(rows: Rows, number: int) -> NDArray[np.float32]:
    at = int(np.flatnonzero(rows.numbers == number)[0])
    made: NDArray[np.float32] = rows.matrix[at].astype(np.float32) * rows.scales[at]
    return made


def best(rows: Rows, found: NDArray[np.int64], asked: NDArray[np.float32], limit: int) -> list[int]:
    cosines = exact_cosines(rows, found, asked)
    numbers = rows.numbers[found]
    made: list[int] = numbers[np.lexsort((numbers, -cosines))][:limit].tolist()
    return made


def gate(made: Lists, allowed: Sequence[int] | None, dead: Sequence[int] = ()) -> Gate | None:
    wanted = None if allowed is None else np.array(sorted(allowed), np.int64)
    return Gate.of(made.ascending, wanted, np.array(sorted(dead), np.int64))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the rows of lists that are looked at; steps are as small as the rows are few."""
    monkeypatch.setattr(lists, "_STEP_LISTS", 1)
    seen: list[int] = []
    original = Asked.dots_of_spans

    def counting(
        self: Asked, matrix: NDArray[np.int8], first: Sequence[int], after: Sequence[int]
    ) -> NDArray[np.float64]:
        seen.append(sum(after) - sum(first))
        return original(self, matrix, first, after)

    monkeypatch.setattr(Asked, "dots_of_spans", counting)
    return seen


def test_the_same_rows_give_the_same_lists() -> None:
    rows, made = listed(grouped())
    again, also = listed(grouped())

    assert made.count == how_many(GROUPS * EACH)
    assert rows.numbers.tolist() == again.numbers.tolist()
    assert made.centres.matrix.tobytes() == also.centres.matrix.tobytes()
    assert made.starts.tolist() == also.starts.tolist()


def test_every_row_lies_in_the_list_of_its_nearest_centre_and_is_found_by_its_number() -> None:
    before = grouped()
    rows, made = listed(before)

    assert sorted(rows.numbers.tolist()) == before.numbers.tolist()
    assert (made.starts[0], made.starts[-1]) == (0, len(rows.numbers))
    centres = made.centres.matrix.astype(np.float64) * made.centres.scales[:, np.newaxis]
    expected = (rows.matrix.astype(np.float64) @ centres.T).argmax(axis=1)
    assert np.repeat(np.arange(made.count), np.diff(made.starts)).tolist() == expected.tolist()
    wanted = np.array([0, 5, 77, 10**9])
    assert sorted(rows.numbers[made.positions(wanted)].tolist()) == [0, 5, 77]


def test_a_query_looks_at_few_rows_and_finds_the_nearest(counted: list[int]) -> None:
    rows, made = listed(grouped())
    for number in range(0, GROUPS * EACH, 97):
        asked = vector(rows, number)
        counted.clear()
        found = probe(rows, made, asked, limit=20, gate=None)
        exact = nearest(scan(rows, asked), limit=20, mask=None)

        assert best(rows, found, asked, 20) == best(rows, exact, asked, 20)
        # Two groups that hold the best that must not change, and some to see that they do not.
        assert sum(counted) < len(rows.numbers) / 3


def test_a_ranking_is_the_start_of_a_deeper_one(counted: list[int]) -> None:
    rows, made = listed(grouped())
    asked = vector(rows, 7) + vector(rows, 8)
    deepest = probe(rows, made, asked, limit=lists._STEADY, gate=None)
    looked_at = list(counted)
    for limit in (1, 10, 50):
        counted.clear()
        found = probe(rows, made, asked, limit=limit, gate=None)
        assert counted == looked_at
        assert best(rows, found, asked, limit) == best(rows, deepest, asked, limit)


def test_what_a_filter_allows_is_found_however_far_away_it_lies(counted: list[int]) -> None:
    rows, made = listed(grouped())
    asked = vector(rows, 0)
    # The group that points the other way: none of it lies in a list that is near.
    group = min(range(GROUPS), key=lambda one: float(asked @ vector(rows, one)))
    allowed = range(group, GROUPS * EACH, GROUPS)

    found = probe(rows, made, asked, limit=20, gate=gate(made, allowed))

    mask = np.isin(rows.numbers, np.array(allowed))
    exact = nearest(scan(rows, asked), limit=20, mask=mask)
    assert set(rows.numbers[found].tolist()) <= set(allowed)
    assert best(rows, found, asked, 20) == best(rows, exact, asked, 20)
    assert counted


def test_dead_rows_and_rows_of_zeros_are_never_found(counted: list[int]) -> None:
    before = grouped()
    before.scales[40] = 0.0
    before.matrix[40] = 0
    rows, made = listed(before)
    asked = vector(rows, 0)
    dead = list(range(80, GROUPS * EACH, 2 * GROUPS))

    every = probe(rows, made, asked, limit=EACH, gate=gate(made, None, dead))
    some = probe(rows, made, asked, limit=EACH, gate=gate(made, range(0, 4000, 2), dead))

    for found in (every, some):
        numbers = set(rows.numbers[found].tolist())
        assert 0 in numbers
        assert not numbers & {40, *dead}
    assert counted


def test_a_gate_that_lets_everything_through_is_none() -> None:
    _, made = listed(grouped())
    assert gate(made, None) is None
    nothing = gate(made, ())
    assert nothing is not None
    assert not nothing.marks.any()


def test_numbers_that_a_filter_allows_beyond_the_last_row_are_passed_over() -> None:
    _, made = listed(grouped())
    found = gate(made, (3, 10**12))
    assert found is not None
    assert np.flatnonzero(found.marks).tolist() == [3]


def test_rows_that_are_all_the_same_are_put_into_lists_as_well() -> None:
    matrix, scales = to_int8(np.ones((200, DIMENSION), np.float32) / np.float32(DIMENSION**0.5))
    rows, made = listed(Rows(np.arange(200, dtype=np.int64), scales, matrix))

    found = probe(rows, made, vector(rows, 0), limit=5, gate=None)

    # All of them tie: which come first is settled by their ids, later.
    assert sorted(rows.numbers[found].tolist()) == list(range(200))
