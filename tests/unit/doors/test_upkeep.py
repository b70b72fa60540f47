from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from trivium import config
from trivium.backends.embedded.lock import writer_lock
from trivium.collection import Collection, open_collection
from trivium.doors.answers import Asked
from trivium.doors.following import LOOK_EVERY_S, REMEMBER_EVERY_S, no_progress
from trivium.doors.upkeep import SYNC_EVERY_S, Upkeep
from trivium.errors import BackendError
from trivium.home import folder_of
from trivium.indexer import Report
from trivium.sources.watch import Watch
from trivium.types import Answer


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(folder: Path, *, model: str = "none", ask_above: int = 100) -> Collection:
    environ = {
        "TRIVIUM_FILES__ASK_ABOVE": str(ask_above),
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": model,
    }
    return open_collection(folder, settings=config.load(folder=folder, environ=environ))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    made.mkdir()
    (made / "cats.md").write_text("# Cats\n\nA tabby sleeps.\n", encoding="utf-8")
    return made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def upkeep(folder: Path, clock: Clock) -> Iterator[Upkeep]:
    """One that the system tells nothing."""
    made = Upkeep(opened(folder), clock=clock, watch=blind(folder))
    yield made
    made.close()


def blind(folder: Path) -> Watch:
    def refuse(_: Sequence[str], __: bool) -> Any:
        raise OSError("no watches left")

    return Watch(folder, notify=refuse)


class Told(Watch):
    """A watch that is told by hand."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.next: frozenset[str] | None = None
        self.mended = 0
        self.is_stopped = False

    def start(self) -> None:
        self.next = None

    def changed(self, timeout_s: float) -> frozenset[str] | None:
        assert timeout_s == 0
        found, self.next = self.next, frozenset()
        return found

    def mend(self) -> None:
        self.mended += 1

    def stop(self) -> None:
        self.is_stopped = True


@pytest.fixture
def told(folder: Path) -> Told:
    return Told(folder)


@pytest.fixture
def watchful(folder: Path, clock: Clock, told: Told) -> Iterator[Upkeep]:
    """One whose watch is told by hand."""
    made = Upkeep(opened(folder), clock=clock, watch=told)
    yield made
    made.close()


@pytest.fixture
def asked_for(watchful: Upkeep, monkeypatch: pytest.MonkeyPatch) -> list[frozenset[str] | None]:
    """The folders of each sync."""
    asked: list[frozenset[str] | None] = []
    honest = watchful._collection.sync

    def sync(**options: Any) -> Report:
        asked.append(options["folders"])
        return honest(**options)

    monkeypatch.setattr(watchful._collection, "sync", sync)
    return asked


def found(answer: Answer) -> list[str]:
    return sorted({hit.source.file_path for hit in answer.results})


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def stages(answer: Answer) -> list[str]:
    return [one.stage for one in answer.degraded]


def test_before_the_first_sync_an_answer_comes_and_says_so(upkeep: Upkeep) -> None:
    answer = upkeep.search(Asked("tabby"))

    assert not upkeep.is_ready
    assert answer.results == ()
    assert stages(answer)[0] == "sync"


def test_an_index_from_before_answers_with_words_while_the_folder_is_gone_through(
    folder: Path,
) -> None:
    with opened(folder) as earlier:
        earlier.sync()
    upkeep = Upkeep(opened(folder))
    answer = upkeep.search(Asked("tabby"))
    upkeep.close()

    assert [hit.source.file_path for hit in answer.results] == ["cats.md"]
    assert stages(answer)[0] == "sync"


def test_after_the_first_sync_the_folder_is_found(upkeep: Upkeep) -> None:
    upkeep.sync_first()

    answer = upkeep.search(Asked("tabby"))

    assert upkeep.is_ready
    assert [hit.source.file_path for hit in answer.results] == ["cats.md"]
    assert "sync" not in stages(answer)


def test_what_changed_is_taken_in_once_the_window_has_passed_and_not_before(
    upkeep: Upkeep, clock: Clock, folder: Path
) -> None:
    upkeep.sync_first()
    (folder / "dogs.md").write_text("# Dogs\n\nA beagle runs.\n", encoding="utf-8")

    clock.now += SYNC_EVERY_S - 0.1
    early = upkeep.search(Asked("beagle"))
    clock.now += 0.1
    late = upkeep.search(Asked("beagle"))

    assert early.results == ()
    assert [hit.source.file_path for hit in late.results] == ["dogs.md"]


def test_while_another_process_writes_the_last_state_answers_and_counts_what_waits(
    upkeep: Upkeep, clock: Clock, folder: Path
) -> None:
    upkeep.sync_first()
    (folder / "dogs.md").write_text("# Dogs\n\nA beagle runs.\n", encoding="utf-8")
    clock.now += SYNC_EVERY_S

    with writer_lock(folder_of(folder.resolve(), folder.parent / "home"), wait_s=1.0):
        answer = upkeep.search(Asked("tabby"))

    assert [hit.source.file_path for hit in answer.results] == ["cats.md"]
    assert stages(answer)[0] == "sync"
    assert answer.freshness.dirty_files == 1


def test_a_folder_that_is_refused_is_answered_with_the_reason(folder: Path) -> None:
    (folder / "dogs.md").write_text("# Dogs\n\nA beagle runs.\n", encoding="utf-8")
    upkeep = Upkeep(opened(folder, ask_above=1))
    upkeep.sync_first()
    answer = upkeep.search(Asked("beagle"))
    upkeep.close()

    assert answer.results == ()
    assert answer.degraded[0].stage == "sync"
    assert "holds 2 files, more than 1" in answer.degraded[0].reason


def test_a_sync_that_is_told_to_stop_ends_without_an_error(upkeep: Upkeep) -> None:
    upkeep.stop()
    upkeep.sync_first()

    assert upkeep.search(Asked("tabby")).results == ()


def test_a_model_that_cannot_be_had_is_logged_and_ends_nothing(
    folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    upkeep = Upkeep(opened(folder, model=f"onnx:{folder / 'nowhere'}"), clock=clock)
    upkeep.sync_first()
    with caplog.at_level(logging.WARNING):
        was_embedded = upkeep._finish()
    upkeep.close()

    assert not was_embedded
    assert "No model folder" in caplog.text


def test_closing_ends_the_background_thread(folder: Path) -> None:
    upkeep = Upkeep(opened(folder))
    upkeep.start()
    upkeep.close()

    assert not upkeep._thread.is_alive()


def test_what_the_system_tells_of_is_found_by_the_very_next_search(folder: Path) -> None:
    upkeep = Upkeep(opened(folder), clock=Clock())
    upkeep.sync_first()
    assert not upkeep._watch.is_blind

    write(folder, "deep/er/dogs.md", "# Dogs\n\nA beagle runs.\n")
    new = upkeep.search(Asked("beagle"))
    write(folder, "deep/er/dogs.md", "# Dogs\n\nA poodle runs, and runs.\n")
    changed = upkeep.search(Asked("poodle"))
    (folder / "deep" / "er" / "dogs.md").unlink()
    gone = upkeep.search(Asked("poodle"))
    upkeep.close()

    assert found(new) == ["deep/er/dogs.md"]
    assert found(changed) == ["deep/er/dogs.md"]
    assert found(gone) == []


def test_only_folders_where_something_changed_are_looked_at(
    watchful: Upkeep, told: Told, asked_for: list[frozenset[str] | None], folder: Path
) -> None:
    watchful.sync_first()
    write(folder, "a/dogs.md", "A beagle runs.")
    write(folder, "b/dogs.md", "A beagle sleeps.")
    told.next = frozenset({"a"})
    first = watchful.search(Asked("beagle"))
    watchful.search(Asked("beagle"))
    told.next = frozenset({"b"})
    second = watchful.search(Asked("beagle"))

    assert asked_for == [None, {"a"}, {"b"}]
    assert found(first) == ["a/dogs.md"]
    assert found(second) == ["a/dogs.md", "b/dogs.md"]


def test_when_the_watch_does_not_know_everything_is_looked_at_once_the_window_has_passed(
    watchful: Upkeep, told: Told, asked_for: list[frozenset[str] | None], clock: Clock
) -> None:
    watchful.sync_first()
    told.next = None
    watchful.search(Asked("tabby"))
    told.next = frozenset({"a"})
    watchful.search(Asked("tabby"))
    clock.now += SYNC_EVERY_S
    watchful.search(Asked("tabby"))

    assert asked_for == [None, None]


def test_after_a_sync_that_failed_everything_is_looked_at(
    watchful: Upkeep,
    told: Told,
    asked_for: list[frozenset[str] | None],
    clock: Clock,
    folder: Path,
) -> None:
    watchful.sync_first()
    write(folder, "dogs.md", "A beagle runs.")
    told.next = frozenset({""})
    with writer_lock(folder_of(folder.resolve(), folder.parent / "home"), wait_s=1.0):
        locked = watchful.search(Asked("beagle"))
    clock.now += SYNC_EVERY_S
    after = watchful.search(Asked("beagle"))

    assert found(locked) == []
    assert stages(locked)[0] == "sync"
    assert asked_for == [None, {""}, None]
    assert found(after) == ["dogs.md"]
    assert "sync" not in stages(after)


def test_a_change_that_was_never_told_is_found_by_a_look_in_the_background(
    watchful: Upkeep,
    told: Told,
    asked_for: list[frozenset[str] | None],
    clock: Clock,
    folder: Path,
) -> None:
    watchful.sync_first()
    write(folder, "dogs.md", "A beagle runs.")
    clock.now += LOOK_EVERY_S - 0.1
    watchful.search(Asked("beagle"))
    watchful._go_round()
    assert asked_for == [None]

    clock.now += 0.1
    before = watchful.search(Asked("beagle"))
    watchful._go_round()
    after = watchful.search(Asked("beagle"))
    watchful._go_round()

    assert asked_for == [None, None]
    assert told.mended == 1
    assert (found(before), found(after)) == ([], ["dogs.md"])


def test_what_is_told_while_nobody_searches_is_kept_for_the_next_search(
    watchful: Upkeep, told: Told, asked_for: list[frozenset[str] | None], folder: Path
) -> None:
    watchful.sync_first()
    write(folder, "a/dogs.md", "A beagle runs.")
    told.next = frozenset({"a"})
    watchful._go_round()
    told.next = frozenset({"b"})
    watchful._go_round()
    answer = watchful.search(Asked("beagle"))

    assert asked_for == [None, {"a", "b"}]
    assert found(answer) == ["a/dogs.md"]


def test_a_search_waits_for_the_sync_of_another_and_does_not_repeat_it(
    watchful: Upkeep, told: Told, asked_for: list[frozenset[str] | None], folder: Path
) -> None:
    watchful.sync_first()
    write(folder, "dogs.md", "A beagle runs.")
    told.next = frozenset({""})
    watchful._syncing.acquire()
    answers: list[Answer] = []
    other = threading.Thread(target=lambda: answers.append(watchful.search(Asked("beagle"))))
    other.start()
    while watchful._owed.folders != frozenset({""}):
        pass
    watchful._sync_folders(watchful._owed.take(), no_progress, wait_s=1.0)
    watchful._syncing.release()
    other.join()

    assert asked_for == [None, {""}]
    assert found(answers[0]) == ["dogs.md"]


def test_closing_stops_the_watch(watchful: Upkeep, told: Told) -> None:
    watchful.sync_first()
    watchful.close()

    assert told.is_stopped


@pytest.fixture
def done(watchful: Upkeep, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the background did after a sync, in order."""
    order: list[str] = []

    def noting(what: str) -> Callable[..., int]:
        def do(**_: Any) -> int:
            order.append(what)
            return 0

        return do

    for what in ("link", "remember", "embed"):
        monkeypatch.setattr(watchful._collection, what, noting(what))
    return order


def test_the_history_is_read_after_the_first_answer_and_before_anything_is_embedded(
    watchful: Upkeep, done: list[str]
) -> None:
    watchful.sync_first()
    answer = watchful.search(Asked("tabby"))
    assert found(answer) == ["cats.md"]
    assert done == []

    watchful._go_round()
    assert done == ["link", "remember", "embed"]


def test_the_history_is_read_once_a_minute_at_most_and_only_while_somebody_searches(
    watchful: Upkeep, done: list[str], told: Told, clock: Clock, folder: Path
) -> None:
    watchful.sync_first()
    watchful._go_round()
    clock.now += REMEMBER_EVERY_S - 0.1
    write(folder, "dogs.md", "A beagle runs.")
    told.next = frozenset({""})
    watchful.search(Asked("beagle"))
    watchful._go_round()
    clock.now += 0.1
    watchful._go_round()
    assert done == ["link", "remember", "embed", "link", "embed"]

    del done[:]
    watchful.search(Asked("beagle"))
    watchful._go_round()
    watchful.search(Asked("beagle"))
    watchful._go_round()
    assert done == ["remember"]


@pytest.mark.parametrize("error", [BackendError("It is being written."), RuntimeError("It broke.")])
def test_a_history_that_cannot_be_read_is_logged_and_everything_else_goes_on(
    watchful: Upkeep,
    done: list[str],
    clock: Clock,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(**_: Any) -> int:
        done.append("failed")
        raise error

    monkeypatch.setattr(watchful._collection, "remember", fail)
    watchful.sync_first()
    watchful._go_round()
    watchful.search(Asked("tabby"))
    watchful._go_round()
    assert done == ["link", "failed", "embed"]
    assert str(error) in caplog.text
    assert not watchful._has_failed_to_embed

    clock.now += REMEMBER_EVERY_S
    watchful.search(Asked("tabby"))
    watchful._go_round()
    assert done == ["link", "failed", "embed", "failed"]


def test_a_long_history_is_left_when_the_server_stops(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = opened(folder)
    has_begun = threading.Event()

    def remember(*, should_stop: Callable[[], bool]) -> int:
        has_begun.set()
        while not should_stop():
            pass
        return 0

    monkeypatch.setattr(collection, "remember", remember)
    upkeep = Upkeep(collection)
    upkeep.start()
    assert has_begun.wait(60.0)
    answer = upkeep.search(Asked("tabby"))
    upkeep.close()

    assert found(answer) == ["cats.md"]
    assert not upkeep._thread.is_alive()


def test_a_server_that_stops_before_the_history_does_not_begin_with_it(
    watchful: Upkeep, done: list[str]
) -> None:
    watchful.sync_first()
    watchful.stop()
    watchful._finish()

    assert "remember" not in done


def test_what_was_written_past_a_server_is_linked_and_embedded_as_well(
    watchful: Upkeep, told: Told, done: list[str]
) -> None:
    watchful.sync_first()
    watchful._go_round()
    done.clear()
    watchful.collection.notes.create("Argon", "A gas.")
    told.next = frozenset({".trivium/notes/argon.md"})
    assert [hit.id for hit in watchful.search(Asked("argon")).results] == ["note:argon"]
    watchful._go_round()
    assert done == ["link", "embed"]

    told.next = frozenset({".trivium/notes/argon.md"})
    watchful.search(Asked("argon"))
    watchful._go_round()
    assert done == ["link", "embed"]


@pytest.mark.parametrize("act", ["create", "update", "delete"])
def test_a_search_after_a_note_was_written_here_asks_for_no_lock(
    folder: Path, told: Told, act: str
) -> None:
    upkeep = Upkeep(opened(folder, model="static"), watch=told)
    with closing(upkeep):
        upkeep.sync_first()
        notes = upkeep.collection.notes
        made = notes.create("Argon", "A gas.")
        if act == "update":
            notes.update(made.id, content="A noble gas.")
        if act == "delete":
            notes.delete(made.id)
        told.next = frozenset({".trivium/notes/argon.md"})
        # Who holds it would be waited for, and the answer say so.
        with writer_lock(folder_of(folder.resolve(), folder.parent / "home"), wait_s=1.0):
            answer = upkeep.search(Asked("argon gas"))

    assert stages(answer) == []
    assert ("note:argon" in [hit.id for hit in answer.results]) is (act != "delete")


def test_a_note_that_an_editor_has_changed_since_is_taken_in_by_the_next_search(
    watchful: Upkeep, told: Told, folder: Path
) -> None:
    watchful.sync_first()
    watchful.collection.notes.create("Argon", "A gas.")
    path = folder / ".trivium" / "notes" / "argon.md"
    before = path.stat()
    text = path.read_text(encoding="utf-8")
    # As long as before and of the same time: only its text tells.
    path.write_text(text.replace("A gas.", "A fox."), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    told.next = frozenset({".trivium/notes/argon.md"})

    assert [hit.id for hit in watchful.search(Asked("fox")).results] == ["note:argon"]
