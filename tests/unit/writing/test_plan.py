from __future__ import annotations

from trivium.backends.base import FileState
from trivium.sources.base import Entry
from trivium.writing.plan import Plan, all_skipped, plan

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


def manifest(*paths: str) -> dict[str, FileState]:
    return {path: FileState(path, 5, SECOND_NS, "hash") for path in paths}


def test_only_files_of_a_folder_that_was_looked_at_are_forgotten() -> None:
    before = manifest("x.md", "a/x.md", "a/b/x.md", "ab/x.md")

    assert plan([], before, looked=frozenset({"a"})).forget == ("a/x.md",)
    assert plan([], before, looked=frozenset({"", "a/b"})).forget == ("x.md", "a/b/x.md")
    assert plan([], before, looked=frozenset()).forget == ()
    assert plan([], before, looked=None).forget == tuple(before)


def test_a_file_that_was_listed_is_not_forgotten_whatever_was_looked_at() -> None:
    entry = Entry("a/x.md", 5, SECOND_NS)

    assert plan([entry], manifest("a/x.md"), looked=frozenset({"a"})) == Plan((), ())


def test_a_folder_in_the_manifest_is_never_forgotten_here() -> None:
    before = manifest("./", "a/", "a/b/", "a/b/x.md")

    assert plan([], before).forget == ("a/b/x.md",)
    assert plan([], before, looked=frozenset({"", "a", "a/b"})).forget == ("a/b/x.md",)


def test_what_was_passed_over_is_kept_where_nobody_looked() -> None:
    before = {"x.png": "binary", "a/x.png": "binary", "b/x.png": "binary", "shut": "unreadable"}
    now = {"a/y.png": "binary"}

    assert all_skipped(before, now, looked=None) == now
    assert (
        all_skipped(before, now, looked=frozenset({"a"}))
        == {path: why for path, why in before.items() if path != "a/x.png"} | now
    )
    assert "shut" not in all_skipped(before, now, looked=frozenset({"shut"}))
    assert all_skipped(before, now, looked=frozenset({"", "a", "b"})) == now
