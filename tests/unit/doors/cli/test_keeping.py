from __future__ import annotations

from pathlib import Path

import pytest

from trivium import home
from trivium.collection import Collection
from trivium.doors.cli.main import main
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
