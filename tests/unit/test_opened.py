"""Files that were opened are remembered, those opened most of late first; nothing is risked."""

from __future__ import annotations

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trivium.opened import OpenedFiles

MONTH_S = 30 * 24 * 3600.0
NOW_S = 1_800_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now_s = NOW_S

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "opened.db"


def opened(place: Path, clock: Clock, *paths: str, most: int = 1000) -> OpenedFiles:
    """Return what a process that has just begun knows, once it has opened these."""
    files = OpenedFiles(place, most=most, clock=clock)
    for path in paths:
        files.note(path)
    return files


def test_what_was_opened_most_comes_first_whoever_opened_it(place: Path, clock: Clock) -> None:
    opened(place, clock, "a", "b", "b")
    opened(place, clock, "c", "b", "c")

    assert opened(place, clock).most(10) == ["b", "c", "a"]
    assert opened(place, clock).most(1) == ["b"]


def test_a_month_later_it_takes_one_opening_to_equal_two(place: Path, clock: Clock) -> None:
    opened(place, clock, "before", "before", "older")
    clock.now_s += MONTH_S
    files = opened(place, clock, "now")

    # 2 / 2 = 1: the same weight, in the order of the names.
    assert files.most(10) == ["before", "now", "older"]
    clock.now_s += 1
    files.note("newer")
    assert files.most(2) == ["newer", "before"]


def test_no_more_are_kept_than_the_bound_and_the_least_goes(place: Path, clock: Clock) -> None:
    files = opened(place, clock, "a", "a", "b", "b", "c", most=2)
    assert files.most(10) == ["a", "b"]

    clock.now_s += 3 * MONTH_S
    files.note("d")
    assert files.most(10) == ["d", "a"]
    with sqlite3.connect(place) as file:
        assert file.execute("SELECT count(*) FROM opened").fetchone() == (2,)


def test_without_a_file_memory_has_to_do(tmp_path: Path, clock: Clock) -> None:
    files = opened(tmp_path / "nowhere" / "opened.db", clock, "a", "b", "b")

    assert files.most(10) == ["b", "a"]
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_no_text_is_counted_all_the_same(place: Path, clock: Clock) -> None:
    assert opened(place, clock, "a", "odd\udcff").most(10) == ["a", "odd\udcff"]


def test_a_damaged_file_is_made_anew(place: Path, clock: Clock) -> None:
    place.write_bytes(b"not a database, but long enough to be taken for one" * 100)

    assert opened(place, clock).most(10) == []
    assert opened(place, clock, "a").most(10) == ["a"]
    assert opened(place, clock).most(10) == ["a"]


def test_only_its_owner_may_read_it_and_forgetting_removes_it(place: Path, clock: Clock) -> None:
    files = opened(place, clock, "a")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600

    files.forget()
    assert not place.exists()
    assert files.most(10) == []


def test_one_that_is_in_use_is_not_waited_for_and_nothing_is_lost(
    place: Path, clock: Clock
) -> None:
    opened(place, clock, "a")
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    files = opened(place, clock, "a", "b")
    other.execute("ROLLBACK")
    other.close()

    assert files.most(10) == ["a", "b"]


def test_many_threads_may_open_at_once(place: Path, clock: Clock) -> None:
    files = opened(place, clock)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(files.note, [f"{number % 10}" for number in range(200)]))

    assert sorted(files.most(20)) == [f"{number}" for number in range(10)]


@pytest.mark.parametrize("weight", ["'soon'", "x'00'", "7"])
def test_a_file_that_holds_something_else_fails_nobody_and_is_made_anew(
    place: Path, clock: Clock, weight: str
) -> None:
    damaged = "CREATE TABLE opened (path TEXT PRIMARY KEY, weight)"
    with sqlite3.connect(place) as file:
        file.execute(damaged)
        file.execute(f"INSERT INTO opened VALUES ('a', {weight})")  # noqa: S608 - the three above
    file.close()

    opened(place, clock, "a")
    files = opened(place, clock, "b")

    assert files.most(10) == ["b"]
