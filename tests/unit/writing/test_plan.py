from __future__ import annotations

from trivium.backends.base import FileState
from trivium.sources.base import Entry
from trivium.writing.plan import Plan, plan

SECOND_NS = 1_000_000_000
SYNCED_NS = 1000 * SECOND_NS


def known(path: str = "a.md", *, size: int = 5, mtime_ns: int = SECOND_NS) -> dict[str, FileState]:
    return {path: FileState(path, size, mtime_ns, "hash")}


def test_a_new_file_is_read_and_one_that_is_gone_forgotten() -> None:
    new = Entry("b.md", 5, SECOND_NS)

    assert plan([new], known()) == Plan(read=(new,), forget=("a.md",))
    assert plan([new], known()).changes == 2


def test_a_file_of_the_same_size_and_time_is_not_read() -> None:
    assert plan([Entry("a.md", 5, SECOND_NS)], known(), synced_ns=SYNCED_NS) == Plan((), ())


def test_another_size_or_time_means_reading() -> None:
    for entry in (
        Entry("a.md", 6, SECOND_NS),
        Entry("a.md", 5, 2),
        Entry("a.md", 5, SECOND_NS * 2),
    ):
        assert plan([entry], known()).read == (entry,)


def test_a_file_as_young_as_the_last_sync_is_read_again() -> None:
    # It may have been written once more within the same tick of the clock.
    young = SYNCED_NS - SECOND_NS
    entry = Entry("a.md", 5, young)

    assert plan([entry], known(mtime_ns=young), synced_ns=SYNCED_NS).read == (entry,)


def test_a_file_older_than_two_seconds_at_the_sync_is_settled() -> None:
    settled = SYNCED_NS - 2 * SECOND_NS
    entry = Entry("a.md", 5, settled)

    assert plan([entry], known(mtime_ns=settled), synced_ns=SYNCED_NS).read == ()


def test_nothing_there_and_nothing_known_is_nothing_to_do() -> None:
    assert plan([], {}) == Plan((), ())
