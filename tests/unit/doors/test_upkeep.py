from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium import config
from trivium.backends.embedded.lock import writer_lock
from trivium.collection import Collection, open_collection
from trivium.doors.answers import Asked
from trivium.doors.upkeep import SYNC_EVERY_S, Upkeep
from trivium.home import folder_of
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
    made = Upkeep(opened(folder), clock=clock)
    yield made
    made.close()


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
        was_embedded = upkeep._embed()
    upkeep.close()

    assert not was_embedded
    assert "No model folder" in caplog.text


def test_closing_ends_the_background_thread(folder: Path) -> None:
    upkeep = Upkeep(opened(folder))
    upkeep.start()
    upkeep.close()

    assert not upkeep._thread.is_alive()
