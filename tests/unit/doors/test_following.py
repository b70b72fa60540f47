"""An index follows its folder until it is told to stop."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from trivium import config
from trivium.backends.embedded.lock import writer_lock
from trivium.collection import Collection, open_collection
from trivium.doors.following import (
    LOOK_EVERY_S,
    REMEMBER_EVERY_S,
    both,
    follow,
    look_due_s,
    watch_of,
)
from trivium.errors import BackendError, ModelError, TriviumError, UsageError
from trivium.home import folder_of
from trivium.indexer import Report
from trivium.sources.watch import POLL_S, Watch

LONG_S = 20.0
Folders = frozenset[str] | None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    made.mkdir()
    write(made, "cats.md", "A tabby sleeps.")
    return made


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def collection(folder: Path) -> Iterator[Collection]:
    environ = {
        "TRIVIUM_FILES__ASK_ABOVE": "3",
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    settings = config.load(folder=folder, environ=environ)
    with open_collection(folder, settings=settings) as made:
        yield made


class Ticking:
    """A step of a script that says the same each time, and a clock that it moves on."""

    def __init__(self, step_s: float, said: Folders) -> None:
        self.now = 0.0
        self.step_s = step_s
        self.said = said

    def __call__(self) -> Folders:
        self.now += self.step_s
        return self.said

    def clock(self) -> float:
        return self.now


class Script(Watch):
    """A watch that answers from a list, does things on the way, and ends the following."""

    def __init__(self, folder: Path, *steps: Folders | Callable[[], Folders]) -> None:
        super().__init__(folder)
        self.steps = [*steps]
        self.mended = 0
        self.waits: list[float] = []
        self.has_begun = False
        self.is_stopped = False

    def start(self) -> None:
        self.has_begun = False

    def changed(self, timeout_s: float) -> Folders:
        if not self.has_begun:
            self.has_begun = True
            return None
        self.waits.append(timeout_s)
        step = self.steps.pop(0) if self.steps else frozenset()
        return step() if callable(step) else step

    def mend(self) -> None:
        self.mended += 1

    def stop(self) -> None:
        self.is_stopped = True

    def is_over(self) -> bool:
        return not self.steps


def followed(collection: Collection, watch: Script, **options: Any) -> list[str]:
    said: list[str] = []
    follow(collection, say=said.append, should_stop=watch.is_over, watch=watch, **options)
    assert watch.is_stopped
    return said


@pytest.fixture
def syncs(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> list[Folders]:
    """The folders of each sync."""
    asked: list[Folders] = []
    honest = collection.sync

    def sync(**options: Any) -> Report:
        asked.append(options["folders"])
        return honest(**options)

    monkeypatch.setattr(collection, "sync", sync)
    return asked


def files(collection: Collection) -> list[str]:
    answer = collection.search("tabby", limit=50)
    return sorted({hit.source.file_path for hit in answer.results})


def test_the_whole_folder_comes_first_and_then_what_changed(
    collection: Collection, folder: Path, syncs: list[Folders]
) -> None:
    def one() -> Folders:
        write(folder, "a/b/x.md", "A tabby runs.")
        write(folder, "c/y.md", "A tabby eats.")
        return frozenset({"a", "a/b"})

    def two() -> Folders:
        (folder / "cats.md").unlink()
        return frozenset({"", "c"})

    said = followed(collection, Script(folder, frozenset(), one, frozenset(), two, frozenset()))

    assert syncs == [None, {"a", "a/b"}, {"", "c"}]
    assert files(collection) == ["a/b/x.md", "c/y.md"]
    assert said == [
        "1 added, 0 changed, 0 removed",
        "1 added, 0 changed, 0 removed",
        "1 added, 0 changed, 1 removed",
    ]


def test_a_change_that_changes_nothing_is_not_spoken_of(
    collection: Collection, folder: Path, syncs: list[Folders]
) -> None:
    said = followed(collection, Script(folder, frozenset({""}), frozenset()))

    assert syncs == [None, {""}]
    assert len(said) == 1


def test_nothing_is_done_while_nothing_changes(
    collection: Collection, folder: Path, syncs: list[Folders]
) -> None:
    watch = Script(folder, *[frozenset[str]()] * 5)
    followed(collection, watch)

    assert syncs == [None]
    # What came with the first sync is embedded without a wait.
    assert watch.waits == [0] + [1.0] * 4


def test_a_watch_that_does_not_know_is_believed_every_two_seconds(
    collection: Collection, folder: Path, syncs: list[Folders]
) -> None:
    tick = Ticking(POLL_S / 2, None)
    followed(collection, Script(folder, *[tick] * 6), clock=tick.clock)

    assert syncs == [None] + [None] * 3


def test_now_and_then_everything_is_looked_at(
    collection: Collection, folder: Path, syncs: list[Folders]
) -> None:
    tick = Ticking(LOOK_EVERY_S / 4, frozenset())
    watch = Script(folder, *[tick] * 9)
    followed(collection, watch, clock=tick.clock)

    assert syncs == [None] + [None] * 2
    assert watch.mended == 2


def test_a_look_that_takes_long_is_taken_seldom() -> None:
    assert look_due_s(0.1) == LOOK_EVERY_S
    assert look_due_s(3.0) == 3.0 * 100


def test_a_folder_that_is_too_large_is_refused_at_the_start_unless_yes_was_said(
    collection: Collection, folder: Path
) -> None:
    for name in "abc":
        write(folder, f"{name}.md", "A tabby.")
    with pytest.raises(UsageError, match="holds 4 files, more than 3"):
        followed(collection, Script(folder, frozenset()))

    assert followed(collection, Script(folder, frozenset()), yes=True) == [
        "4 added, 0 changed, 0 removed"
    ]


def test_while_another_process_writes_that_is_said_once_and_tried_again(
    collection: Collection, folder: Path, syncs: list[Folders], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = collection.sync
    monkeypatch.setattr(collection, "sync", lambda **options: honest(**{**options, "wait_s": 0.0}))
    now = 0.0

    def tick() -> Folders:
        nonlocal now
        now += POLL_S
        return frozenset()

    lock = writer_lock(folder_of(folder.resolve(), folder.parent / "home"), wait_s=1.0)

    def change() -> Folders:
        write(folder, "dogs.md", "A tabby again.")
        lock.__enter__()
        return frozenset({""})

    def let_go() -> Folders:
        lock.__exit__(None, None, None)
        return tick()

    watch = Script(folder, change, tick, tick, tick, let_go, tick, tick)
    said = followed(collection, watch, clock=lambda: now)

    assert len(said) == 3
    assert "is being written by" in said[1]
    assert said[2] == "1 added, 0 changed, 0 removed"
    assert syncs[:2] == [None, {""}]
    assert set(syncs[2:]) == {None}
    assert files(collection) == ["cats.md", "dogs.md"]


def test_texts_are_embedded_and_a_change_goes_before_the_rest_of_them(
    collection: Collection, folder: Path, syncs: list[Folders], monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    honest = collection.sync

    def sync(**options: Any) -> Report:
        order.append("sync")
        return honest(**options)

    def embed(*, progress: Callable[[str, int, int], None], yes: bool, **_: Any) -> int:
        assert not yes
        for done in range(4):
            order.append(f"embed {done}")
            progress("embedding", done, 3)
        return 3

    monkeypatch.setattr(collection, "sync", sync)
    monkeypatch.setattr(collection, "embed", embed)
    quiet = frozenset[str]()

    def change() -> Folders:
        write(folder, "dogs.md", "A tabby again.")
        return frozenset({""})

    # One answer before the embedding, then one for each batch.
    watch = Script(folder, quiet, quiet, quiet, change, *[quiet] * 8)
    said = followed(collection, watch)

    batches = [f"embed {done}" for done in range(4)]
    assert order == ["sync", *batches[:3], "sync", *batches]
    assert syncs == [None, {""}]
    assert said == [
        "1 added, 0 changed, 0 removed",
        "2 texts embedded",
        "1 added, 0 changed, 0 removed; 3 texts embedded",
    ]


def test_without_embedding_no_model_is_asked_for(
    collection: Collection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def embed(**_: Any) -> int:
        raise AssertionError("asked for")

    monkeypatch.setattr(collection, "embed", embed)

    assert len(followed(collection, Script(folder, frozenset({""})), embeds=False)) == 1


@pytest.mark.parametrize("error", [ModelError, UsageError])
def test_a_model_that_cannot_be_had_or_costs_too_much_is_said_once_and_words_go_on(
    collection: Collection,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[TriviumError],
) -> None:
    def embed(**_: Any) -> int:
        raise error("No model folder there.")

    def change() -> Folders:
        write(folder, "dogs.md", "A tabby again.")
        return frozenset({""})

    monkeypatch.setattr(collection, "embed", embed)
    said = followed(collection, Script(folder, frozenset(), change, frozenset()))

    assert said == [
        "1 added, 0 changed, 0 removed",
        "Not embedded: No model folder there.",
        "1 added, 0 changed, 0 removed",
    ]


@pytest.fixture
def order(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, in order."""
    noted: list[str] = []
    honest = collection.sync

    def sync(**options: Any) -> Report:
        noted.append("sync")
        return honest(**options)

    def remember(**_: Any) -> int:
        noted.append("remember")
        return 0

    def embed(**_: Any) -> int:
        noted.append("embed")
        return 0

    monkeypatch.setattr(collection, "sync", sync)
    monkeypatch.setattr(collection, "remember", remember)
    monkeypatch.setattr(collection, "embed", embed)
    return noted


def test_the_history_is_read_after_the_first_sync_and_before_anything_is_embedded(
    collection: Collection, folder: Path, order: list[str]
) -> None:
    followed(collection, Script(folder, frozenset(), frozenset()))

    assert order == ["sync", "remember", "embed"]


def test_the_history_is_read_again_with_the_next_sync_a_minute_later_and_not_before(
    collection: Collection, folder: Path, order: list[str]
) -> None:
    now = 0.0

    def tick() -> Folders:
        nonlocal now
        now += REMEMBER_EVERY_S / 4
        return frozenset({""})

    watch = Script(folder, *[tick] * 6, frozenset())
    followed(collection, watch, clock=lambda: now, embeds=False)

    assert order == ["sync", "remember", *["sync"] * 4, "remember", *["sync"] * 2]


def test_nothing_is_read_of_the_history_while_nothing_goes_on(
    collection: Collection, folder: Path, order: list[str]
) -> None:
    followed(collection, Script(folder, *[frozenset[str]()] * 5), clock=lambda: 0.0, embeds=False)

    assert order == ["sync", "remember"]


def test_a_history_that_cannot_be_read_is_said_once_and_everything_else_goes_on(
    collection: Collection, folder: Path, order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def tick() -> Folders:
        nonlocal now
        now += REMEMBER_EVERY_S
        return frozenset({""})

    def fail(**_: Any) -> int:
        order.append("failed")
        raise BackendError("It is being written.")

    monkeypatch.setattr(collection, "remember", fail)
    watch = Script(folder, tick, tick, frozenset())
    said = followed(collection, watch, clock=lambda: now)

    assert order == ["sync", "failed", "sync", "failed", "embed", "sync", "failed"]
    assert said == ["1 added, 0 changed, 0 removed", "No history: It is being written."]


def test_being_told_to_stop_ends_even_a_long_history(
    collection: Collection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remember(*, should_stop: Callable[[], bool]) -> int:
        watch.steps.clear()
        while not should_stop():
            pass
        return 0

    monkeypatch.setattr(collection, "remember", remember)
    watch = Script(folder, frozenset())

    assert followed(collection, watch) == ["1 added, 0 changed, 0 removed"]


def test_an_interrupt_ends_the_following_in_order(collection: Collection, folder: Path) -> None:
    def interrupt() -> Folders:
        raise KeyboardInterrupt

    watch = Script(folder, interrupt, frozenset())

    assert followed(collection, watch)[-1] == "Stopped."


def test_being_told_to_stop_ends_even_a_long_sync(
    collection: Collection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sync(*, progress: Callable[[str, int, int], None], **_: Any) -> Report:
        while True:
            progress("reading", 1, 2)

    monkeypatch.setattr(collection, "sync", sync)

    assert followed(collection, Script(folder)) == []


def test_two_answers_of_a_watch_together_know_as_little_as_either() -> None:
    assert both(frozenset({"a"}), frozenset({"b"})) == frozenset({"a", "b"})
    assert both(None, frozenset({"b"})) is None
    assert both(frozenset({"a"}), None) is None


def test_our_own_files_in_the_folder_are_not_watched(folder: Path) -> None:
    environ = {
        "TRIVIUM_HOME": str(folder / "home"),
        "TRIVIUM_CONFIG": str(folder / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    settings = config.load(folder=folder, environ=environ)
    with open_collection(folder, settings=settings) as collection:
        watch = watch_of(collection)
        watch.start()
        assert watch.changed(0) is None
        collection.sync()

        assert watch.changed(0.05) == frozenset()
        watch.stop()


def test_a_real_folder_is_followed_until_the_end(collection: Collection, folder: Path) -> None:
    said: queue.Queue[str] = queue.Queue()
    over = threading.Event()
    thread = threading.Thread(
        target=follow,
        args=(collection,),
        kwargs={"say": said.put, "should_stop": over.is_set},
        daemon=True,
    )
    thread.start()
    assert said.get(timeout=LONG_S) == "1 added, 0 changed, 0 removed"

    write(folder, "new/deep/dogs.md", "A tabby again.")
    assert said.get(timeout=LONG_S) == "1 added, 0 changed, 0 removed"
    (folder / "new").rename(folder / "newer")
    assert said.get(timeout=LONG_S) == "1 added, 0 changed, 1 removed"
    assert files(collection) == ["cats.md", "newer/deep/dogs.md"]

    over.set()
    thread.join(LONG_S)
    assert not thread.is_alive()
