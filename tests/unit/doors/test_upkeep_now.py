"""A sync that someone asks for, how far it is, and what state an answer comes from."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trivium import config
from trivium.backends.embedded.lock import writer_lock
from trivium.collection import open_collection
from trivium.doors.upkeep import Going, Upkeep
from trivium.errors import BackendUnavailable, IndexUnusable
from trivium.home import folder_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    place.mkdir()
    (place / "a.md").write_text("# A\n\nA tabby.\n", encoding="utf-8")
    return place


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    return config.load(environ=environ)


@pytest.fixture
def upkeep(folder: Path, settings: config.Settings) -> Iterator[Upkeep]:
    made = Upkeep(open_collection(folder, settings=settings))
    yield made
    made.close()


def test_a_sync_that_is_asked_for_says_what_it_did_and_how_far_it_was(
    upkeep: Upkeep, folder: Path
) -> None:
    seen: list[Going | None] = []

    first = upkeep.sync_now(lambda *_: seen.append(upkeep.going))
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    second = upkeep.sync_now()

    assert (first.added, second.added, second.unchanged) == (1, 1, 1)
    assert Going("reading", 1, 1) in seen
    assert upkeep.going is None
    assert upkeep.is_ready


def test_two_syncs_come_one_after_the_other_and_the_second_hears_of_the_first(
    upkeep: Upkeep,
) -> None:
    is_inside, may_go_on, is_heard = threading.Event(), threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        is_inside.set()
        may_go_on.wait(60)

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(upkeep.sync_now, slow)
        assert is_inside.wait(60)
        second = threads.submit(upkeep.sync_now, lambda *_: is_heard.set())
        assert is_heard.wait(60)
        assert not second.done()
        may_go_on.set()

        assert first.result(60).added == 1
        assert second.result(60).unchanged == 1


def test_a_sync_that_cannot_be_made_raises_the_reason(
    upkeep: Upkeep, folder: Path, settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.doors.upkeep._FIRST_LOCK_WAIT_S", 0.0)
    upkeep.sync_now()

    with (
        writer_lock(folder_of(folder, settings.home), wait_s=1.0),
        pytest.raises(IndexUnusable, match="is being written"),
    ):
        upkeep.sync_now()

    assert upkeep.sync_now().unchanged == 1


def test_whoever_waits_for_a_sync_is_let_go_when_the_server_goes_down(upkeep: Upkeep) -> None:
    with upkeep._syncing:
        upkeep.stop()
        with pytest.raises(BackendUnavailable, match="going down"):
            upkeep.sync_now()


def test_the_state_changes_with_the_index_and_with_nothing_else(
    upkeep: Upkeep, folder: Path
) -> None:
    before = upkeep.state
    upkeep.sync_now()
    first = upkeep.state
    upkeep.collection.search("tabby")

    assert upkeep.state == first
    assert before != first
    (folder / "a.md").write_text("# A\n\nA tiger.\n", encoding="utf-8")
    upkeep.sync_now()
    assert upkeep.state != first


def test_started_twice_is_started_once(upkeep: Upkeep) -> None:
    upkeep.start()
    upkeep.start()

    assert sum(one is upkeep._thread for one in threading.enumerate()) == 1
