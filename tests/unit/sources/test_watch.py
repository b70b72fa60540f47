"""A watch names the folders where something changed, or says that it does not know."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from trivium.sources import watch as watching
from trivium.sources.watch import POLL_S, Notifier, Watch

LONG_S = 20.0
SHORT_S = 0.05
ADDED, MODIFIED = 1, 2


def plant(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x", encoding="utf-8")
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path / "root", "a/b/x.py", "c/y.py", "z.py")


@pytest.fixture(autouse=True)
def on_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine that runs these tests keeps its files on."""
    monkeypatch.setattr(watching, "mounts", lambda: "")


@pytest.fixture(params=["one by one", "whole trees"])
def watch(root: Path, request: pytest.FixtureRequest) -> Iterator[Watch]:
    with_rules = Watch(root, extra_ignores=("/hidden/",), one_by_one=request.param == "one by one")
    yield with_rules
    with_rules.stop()


def begin(watch: Watch) -> None:
    watch.start()
    assert watch.changed(0) is None
    assert not watch.is_blind


def told(watch: Watch, *folders: str) -> set[str]:
    """Gather what is told until these folders are among it, and what is still on its way."""
    found: set[str] = set()
    while not found.issuperset(folders):
        more = watch.changed(LONG_S)
        assert more, f"waited in vain for {folders}, found {found}"
        found |= more
    # One change is often told more than once.
    while more := watch.changed(SHORT_S):
        found |= more
    assert more is not None
    return found


def is_everything(watch: Watch) -> bool:
    """Whether the answer becomes None; what is still on its way is let in."""
    while found := watch.changed(LONG_S):
        pass
    settle(watch)
    return found is None


def settle(watch: Watch) -> None:
    while watch.changed(SHORT_S) != frozenset():
        pass


def test_the_first_answer_is_that_nobody_knows_and_the_next_that_nothing_changed(
    watch: Watch,
) -> None:
    watch.start()

    assert watch.changed(0) is None
    assert watch.changed(0) == frozenset()


def test_before_the_start_nobody_knows(watch: Watch) -> None:
    assert watch.changed(0) is None
    assert watch.changed(0) is None


def test_a_change_is_told_with_the_folder_it_happened_in(watch: Watch, root: Path) -> None:
    begin(watch)

    (root / "a" / "b" / "x.py").write_text("more", encoding="utf-8")

    assert told(watch, "a/b") == {"a/b"}

    plant(root, "new.py")
    assert told(watch, "") == {""}

    (root / "c" / "y.py").unlink()
    assert told(watch, "c") == {"c"}


def test_a_file_that_moves_changes_both_folders(watch: Watch, root: Path) -> None:
    begin(watch)

    (root / "a" / "b" / "x.py").rename(root / "c" / "x.py")
    assert told(watch, "a/b", "c") == {"a/b", "c"}


def test_a_new_folder_is_told_with_all_that_is_in_it_and_is_watched_from_then_on(
    watch: Watch, root: Path
) -> None:
    begin(watch)

    plant(root, "new/deep/er/x.py")
    assert told(watch, "new/deep/er") >= {"", "new", "new/deep", "new/deep/er"}

    plant(root, "new/deep/er/y.py")
    assert told(watch, "new/deep/er") == {"new/deep/er"}


def test_a_folder_that_moves_is_told_under_its_new_name(watch: Watch, root: Path) -> None:
    begin(watch)

    (root / "a").rename(root / "c" / "moved")
    assert told(watch, "c/moved/b") >= {"", "c", "c/moved", "c/moved/b"}

    plant(root, "c/moved/b/y.py")
    assert told(watch, "c/moved/b") == {"c/moved/b"}


def test_a_folder_that_was_removed_and_made_again_is_still_watched(
    watch: Watch, root: Path
) -> None:
    begin(watch)

    shutil.rmtree(root / "a")
    plant(root, "a/b/y.py")
    assert told(watch, "a/b") >= {"", "a", "a/b"}

    (root / "a" / "b" / "y.py").write_text("more", encoding="utf-8")
    assert told(watch, "a/b") == {"a/b"}


def test_a_removed_folder_changes_the_one_it_was_in(watch: Watch, root: Path) -> None:
    begin(watch)

    shutil.rmtree(root / "a")

    assert "" in told(watch, "")


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/x/y.js",
        ".git/index",
        ".git/objects/ab/cdef",
        "hidden/collection.db",
        "a/__pycache__/x.pyc",
        "a/x.swp",
        "dist/x.py",
    ],
)
def test_what_the_rules_leave_out_is_not_told(watch: Watch, root: Path, path: str) -> None:
    plant(root, ".git/HEAD", path)
    begin(watch)

    plant(root, path, path + ".swp")
    (root / path).unlink()
    plant(root, "c/z.py")

    assert told(watch, "c") == {"c"}


def test_a_folder_is_told_where_the_rules_leave_out_all_files_of_its_name(
    watch: Watch, root: Path
) -> None:
    (root / ".gitignore").write_text("*\n!*/\n!*.py\n", encoding="utf-8")
    begin(watch)

    shutil.rmtree(root / "c")

    assert told(watch, "") >= {""}


@pytest.mark.parametrize("name", [".gitignore", ".triviumignore"])
@pytest.mark.parametrize("folder", ["", "a/", "a/b/"])
def test_another_ignore_file_changes_everything(
    watch: Watch, root: Path, folder: str, name: str
) -> None:
    begin(watch)

    plant(root, folder + name)

    assert is_everything(watch)


def test_a_folder_that_new_rules_let_in_is_watched(watch: Watch, root: Path) -> None:
    plant(root, "dist/x.py")
    begin(watch)

    (root / ".triviumignore").write_text("!dist/", encoding="utf-8")
    assert is_everything(watch)
    plant(root, "dist/y.py")

    assert told(watch, "dist") == {"dist"}


def test_an_ignore_file_in_an_ignored_folder_changes_nothing(watch: Watch, root: Path) -> None:
    plant(root, "node_modules/x/y.js")
    begin(watch)

    plant(root, "node_modules/x/.gitignore", "c/z.py")

    assert told(watch, "c") == {"c"}


@pytest.mark.parametrize("path", [".git/HEAD", ".git/info/exclude"])
def test_another_branch_or_other_excludes_change_everything(
    watch: Watch, root: Path, path: str
) -> None:
    plant(root, ".git/HEAD", ".git/info/exclude")
    begin(watch)

    plant(root, path + ".lock")
    (root / (path + ".lock")).rename(root / path)

    assert is_everything(watch)


def test_a_worktree_notices_its_own_branch_and_not_that_of_another(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    plant(tmp_path, "main/.git/HEAD", "main/.git/worktrees/w/HEAD", "w/a/x.py")
    (tmp_path / "w/.git").write_text("gitdir: ../main/.git/worktrees/w\n", encoding="utf-8")
    (tmp_path / "main/.git/worktrees/w/commondir").write_text("../..\n", encoding="utf-8")
    watch = Watch(tmp_path / "w")
    request.addfinalizer(watch.stop)
    begin(watch)

    plant(tmp_path, "main/.git/HEAD", "w/a/y.py")
    assert told(watch, "a") == {"a"}

    plant(tmp_path, "main/.git/worktrees/w/HEAD")
    assert is_everything(watch)


def test_rules_above_the_root_in_its_repository_change_everything(
    root: Path, request: pytest.FixtureRequest
) -> None:
    plant(root, ".git/HEAD")
    watch = Watch(root / "a" / "b")
    request.addfinalizer(watch.stop)
    begin(watch)

    plant(root, "z.py", "a/other.py", "a/b/y.py")
    assert told(watch, "") == {""}

    plant(root, ".gitignore")
    assert is_everything(watch)


def test_a_folder_that_becomes_a_repository_changes_everything(watch: Watch, root: Path) -> None:
    begin(watch)

    plant(root, ".git/HEAD")

    assert is_everything(watch)


def test_a_name_that_is_no_text_makes_everything_uncertain_once(watch: Watch, root: Path) -> None:
    begin(watch)

    os.close(os.open(os.fsencode(root) + b"/a\xff", os.O_CREAT | os.O_WRONLY))
    assert is_everything(watch)
    plant(root, "c/z.py")

    assert told(watch, "c") == {"c"}


def test_a_root_that_is_gone_is_looked_for_and_watched_again_later(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ahead = 0.0
    watch = Watch(root, clock=lambda: time.monotonic() + ahead)
    begin(watch)

    shutil.rmtree(root)
    while watch.changed(LONG_S) is not None:
        pass
    assert watch.is_blind
    assert "it is not there" in caplog.text

    plant(root, "a/x.py")
    assert watch.changed(0) is None
    ahead = 1000.0
    assert watch.changed(0) is None
    assert not watch.is_blind
    settle(watch)
    plant(root, "a/y.py")
    assert told(watch, "a") == {"a"}
    watch.stop()


def test_whoever_waits_comes_back_when_the_watch_is_stopped(watch: Watch) -> None:
    begin(watch)
    answers: list[frozenset[str] | None] = []
    waiting = threading.Thread(target=lambda: answers.append(watch.changed(3600)))
    waiting.start()

    watch.stop()
    waiting.join(LONG_S)

    assert not waiting.is_alive()
    assert answers == [frozenset()]
    assert watch.changed(3600) == frozenset()


def test_many_new_folders_do_not_use_up_what_the_system_lends(root: Path) -> None:
    notify = Lending()
    watch = Watch(root, notify=notify, one_by_one=True)
    watch.start()
    for number in range(20):
        place = plant(root, f"new{number}/x.py") / f"new{number}"
        notify.lent[-1].events = {(ADDED, str(place))}
        assert watch.changed(0) in (None, frozenset({"", f"new{number}"}))
        assert sum(not one.is_closed for one in notify.lent) <= watching._MOST_NOTIFIERS

    watch.stop()
    assert all(one.is_closed for one in notify.lent)


class Lent:
    """A notifier whose events are put in by hand."""

    def __init__(self, places: Sequence[str] = ()) -> None:
        self.room = next(place for place in places if "trivium-watch-" in place)
        self.places = {*places} - {self.room}
        self.events: set[tuple[int, str]] | str = set()
        self.is_closed = False

    def watch(self, *_: object) -> set[tuple[int, str]] | str:
        found, self.events = self.events, set()
        return found if isinstance(found, str) else {*found, (MODIFIED, f"{self.room}/mark")}

    def close(self) -> None:
        self.is_closed = True


class Lending:
    """Makes notifiers, or fails as often as it is told to."""

    def __init__(self, error: Exception | None = None, *, times: int = 10**6) -> None:
        self.error = error
        self.times = times
        self.lent: list[Lent] = []

    def __call__(self, places: Sequence[str], _: bool) -> Notifier:
        if self.error is not None and self.times > 0:
            self.times -= 1
            raise self.error
        self.lent.append(Lent(places))
        return self.lent[-1]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "OS file watch limit reached."),
        RuntimeError("Error creating recommended watcher"),
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
    ],
)
def test_where_the_system_refuses_the_answer_is_none_the_reason_is_logged_once_and_it_tries_again(
    root: Path, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    clock, notify = Clock(), Lending(error, times=2)
    watch = Watch(root, notify=notify, clock=clock)

    with caplog.at_level(logging.WARNING):
        watch.start()
        assert watch.is_blind
        assert watch.changed(0) is None
        clock.now += 10_000
        assert watch.changed(0) is None
        assert watch.is_blind
        clock.now += 10_000
        assert watch.changed(0) is None

    assert [record.getMessage() for record in caplog.records] == [
        f"{root} is looked through every {POLL_S:g} s: {error}"
    ]
    assert not watch.is_blind
    assert watch.changed(0) == frozenset()
    watch.stop()


def test_without_the_library_the_answer_stays_none(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    notify = Lending(ModuleNotFoundError("No module named 'watchfiles'"), times=1)
    watch = Watch(root, notify=notify, clock=clock)
    watch.start()
    clock.now += 10**9

    assert watch.changed(0) is None
    assert "No module named 'watchfiles'" in caplog.text


def test_while_blind_a_wait_ends_when_the_watch_is_stopped(root: Path) -> None:
    watch = Watch(root, notify=Lending(OSError("no")))
    watch.start()
    watch.stop()

    assert watch.changed(3600) == frozenset()


def test_on_a_file_system_that_others_write_to_nothing_is_asked_of_the_system(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    mounts = f"36 35 98:0 / {root} rw,noatime master:1 - nfs4 server:/home rw"
    monkeypatch.setattr(watching, "mounts", lambda: mounts)
    notify = Lending()
    watch = Watch(root, notify=notify)
    watch.start()

    assert watch.is_blind
    assert watch.changed(0) is None
    assert notify.lent == []
    assert "nfs4" in caplog.text


def test_a_folder_that_comes_while_the_watch_begins_is_watched_too(root: Path) -> None:
    lent: list[Lent] = []

    def notify(places: Sequence[str], _: bool) -> Notifier:
        if not lent:
            plant(root, "late/er/x.py")
        lent.append(Lent(places))
        return lent[-1]

    watch = Watch(root, notify=notify, one_by_one=True)
    watch.start()

    assert [one.places for one in lent] == [
        {str(root / folder) for folder in ("", "a", "a/b", "c")},
        {str(root / folder) for folder in ("late", "late/er")},
    ]


def test_a_folder_that_goes_while_the_watch_begins_is_left_out(root: Path) -> None:
    notify = Lending(FileNotFoundError("gone"), times=1)
    watch = Watch(root, notify=notify, one_by_one=True)
    watch.start()

    assert not watch.is_blind
    assert [len(one.places) for one in notify.lent] == [len(["", "a", "a/b", "c"])]


def test_folders_that_never_stop_coming_are_looked_for_instead(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made: list[Lent] = []

    def notify(places: Sequence[str], _: bool) -> Notifier:
        made.append(Lent(places))
        plant(root, f"more{len(made)}/x.py")
        return made[-1]

    watch = Watch(root, notify=notify, one_by_one=True)
    watch.start()

    assert watch.is_blind
    assert watch.changed(0) is None
    assert all(one.is_closed for one in made)
    assert "too fast" in caplog.text


def scripted(root: Path) -> tuple[Watch, Callable[[set[tuple[int, str]] | str], None]]:
    notify = Lending()
    watch = Watch(root, notify=notify)
    begin(watch)

    def happen(events: set[tuple[int, str]] | str) -> None:
        notify.lent[-1].events = events

    return watch, happen


def test_so_many_events_that_some_may_be_lost_mean_everything(root: Path) -> None:
    watch, happen = scripted(root)

    happen({(MODIFIED, str(root / "c" / f"{number}.py")) for number in range(4000)})
    assert watch.changed(0) == frozenset({"c"})

    happen({(MODIFIED, str(root / "c" / f"{number}.py")) for number in range(4001)})
    assert watch.changed(0) is None
    assert watch.changed(0) == frozenset()


def test_a_signal_that_the_library_swallowed_is_raised_and_nothing_is_taken_for_unchanged(
    root: Path,
) -> None:
    watch, happen = scripted(root)

    happen("signal")
    with pytest.raises(KeyboardInterrupt):
        watch.changed(0)

    assert watch.changed(0) is None


def test_a_path_outside_the_root_is_nobodys_business(root: Path) -> None:
    watch, happen = scripted(root)

    happen({(MODIFIED, str(root) + "-other/x.py"), (ADDED, str(root.parent / "x.py"))})

    assert watch.changed(0) == frozenset()


def test_what_was_written_before_the_question_is_in_the_answer(watch: Watch, root: Path) -> None:
    begin(watch)

    for number in range(40):
        folder = ("a/b", "c", "")[number % 3]
        (root / folder / "x.py").write_text("x" * number, encoding="utf-8")
        answer = watch.changed(0)
        assert answer is not None
        assert folder in answer


def test_a_notifier_that_has_fallen_silent_is_replaced_and_nothing_taken_for_unchanged(
    root: Path,
) -> None:
    notify = Lending()
    watch = Watch(root, notify=notify, one_by_one=True)
    begin(watch)

    notify.lent[0].events = "stop"

    assert watch.changed(0) is None
    assert [one.is_closed for one in notify.lent] == [True, False]
    assert watch.changed(0) == frozenset()


def test_nothing_is_left_of_watches_that_were_stopped(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - the names are links
    rounds = 40
    for _ in range(rounds):
        watch = Watch(root)
        begin(watch)
        mark = Path(watch._mark)
        assert mark.exists()
        watch.stop()
        assert not mark.parent.exists()

    # The library lets go of the last of its files a little later.
    assert len(os.listdir("/proc/self/fd")) < before + rounds  # noqa: PTH208


def test_nothing_is_left_of_a_watch_that_nobody_stopped(root: Path) -> None:
    watch = Watch(root)
    begin(watch)
    mark = Path(watch._mark)

    del watch
    gc.collect()

    assert not mark.parent.exists()


def test_a_mark_that_somebody_clears_away_is_made_anew(watch: Watch, root: Path) -> None:
    begin(watch)
    shutil.rmtree(Path(watch._mark).parent)

    assert watch.changed(0) is None
    assert not watch.is_blind
    plant(root, "c/z.py")
    assert watch.changed(0) == frozenset({"c"})


def test_marks_that_killed_processes_left_are_cleared_away_and_no_others(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = tmp_path / "temporary"
    plant(room, "trivium-watch-old/mark", "trivium-watch-new/mark", "other/mark")
    plant(tmp_path, "elsewhere/mark")
    (room / "trivium-watch-link").symlink_to(tmp_path / "elsewhere")
    for place in (room / "trivium-watch-old", room / "other", tmp_path / "elsewhere"):
        os.utime(place / "mark", (1, 1))
    monkeypatch.setattr(watching, "gettempdir", lambda: str(room))
    watch = Watch(root)
    begin(watch)
    watch.stop()

    assert sorted(one.name for one in room.iterdir()) == [
        "other",
        "trivium-watch-link",
        "trivium-watch-new",
    ]
    assert (tmp_path / "elsewhere" / "mark").exists()


def test_where_there_is_no_room_for_a_mark_the_answer_is_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watching, "mkdtemp", refuse)
    watch = Watch(root)
    watch.start()

    assert watch.is_blind
    assert watch.changed(0) is None


def test_mending_watches_a_folder_whose_coming_was_lost(root: Path) -> None:
    notify = Lending()
    watch = Watch(root, notify=notify, one_by_one=True)
    begin(watch)
    plant(root, "lost/and/x.py")

    watch.mend()
    watch.mend()

    assert [one.places for one in notify.lent[1:]] == [{str(root / "lost"), str(root / "lost/and")}]
    assert watch.changed(0) == frozenset()
