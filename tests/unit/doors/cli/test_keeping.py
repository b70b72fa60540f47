from __future__ import annotations

from pathlib import Path

import pytest

from trivium import home, indexer
from trivium.collection import Collection
from trivium.crew import Crew
from trivium.doors.cli.main import main
from trivium.doors.cli.screen import Progress
from trivium.errors import IndexLocked, IndexUnusable


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that is indexed."""
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    made = tmp_path / "notes"
    made.mkdir()
    (made / "a.md").write_text("# Alder\n", encoding="utf-8")
    assert status_of("index", made) == 0
    return made


def status_of(*arguments: str | Path) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return ended.value.code


def failing_reset(monkeypatch: pytest.MonkeyPatch, error: Exception) -> list[Path]:
    """Make reset fail; return the roots that are removed without opening them."""
    removed: list[Path] = []

    def fail(_: Collection) -> None:
        raise error

    monkeypatch.setattr(Collection, "reset", fail)
    monkeypatch.setattr(home, "remove", lambda root, _: removed.append(root))
    return removed


def test_a_reset_that_found_the_index_locked_does_not_wait_for_the_lock_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = failing_reset(monkeypatch, IndexLocked(str(folder), holder="process 7"))

    assert status_of("reset", "--yes", folder) == 2
    assert removed == []


def test_a_reset_removes_an_index_that_cannot_be_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = failing_reset(monkeypatch, IndexUnusable("damaged"))

    assert status_of("reset", "--yes", folder) == 0
    assert removed == [folder.resolve()]


def test_as_many_processes_read_files_as_are_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int | None] = []

    def noted(*, size: int | None) -> Crew:
        sizes.append(size)
        return Crew(size=size)

    monkeypatch.setattr(indexer, "Crew", noted)

    assert status_of("index", "--jobs", "3", folder) == 0
    assert status_of("index", folder) == 0
    assert sizes == [3, None]


def test_who_watches_cannot_say_how_many_processes_read(folder: Path) -> None:
    assert status_of("index", "--watch", "--jobs", "2", folder) == 2


def test_a_bar_says_how_many_a_second_once_that_can_be_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    times = iter([0.0, 0.5, 4.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    bar = Progress()
    bar("reading", 0, 1000)
    bar("reading", 50, 1000)
    assert "/s" not in capsys.readouterr().err

    bar("reading", 400, 1000)
    assert "400/1,000 100/s 6 s left" in capsys.readouterr().err
