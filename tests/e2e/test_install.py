from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import trivium

RUN = "from trivium.doors.cli.main import main; main()"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


def install(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN, "install", *words, str(folder)],
        env={
            "HOME": str(folder.parent),
            "TRIVIUM_HOME": str(folder.parent / "home"),
            "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_agent_is_told_how_to_start_us_and_the_person_what_was_written(shop: Path) -> None:
    done = install(shop, "claude", "--tools", "graph", "--connect")

    written = json.loads((shop / ".mcp.json").read_text(encoding="utf-8"))
    entry = written["mcpServers"]["trivium"]
    assert done.returncode == 0
    assert entry["args"] == ["mcp", str(shop), "--tools", "core,graph", "--connect"]
    assert Path(entry["command"]).is_absolute()
    assert json.loads(done.stdout) == written
    assert str(shop / ".mcp.json") in done.stderr


def test_print_writes_nothing(shop: Path) -> None:
    done = install(shop, "codex", "--print")

    assert done.returncode == 0
    assert done.stdout.startswith("[mcp_servers.trivium]\n")
    assert not (shop.parent / ".codex").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [(["curser"], "'cursor'"), (["cursor", "--tools", "memry"], "'memory'")],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    shop: Path, words: list[str], said: str
) -> None:
    done = install(shop, *words)

    assert done.returncode == 2
    assert said in done.stderr
    assert list(shop.iterdir()) == []
