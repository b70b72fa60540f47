"""The examples in the docs run, in a folder like a user's."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

import trivium

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(language: str) -> list[ParameterSet]:
    found: list[ParameterSet] = []
    for file in PAGES:
        blocks = FENCE.findall(file.read_text(encoding="utf-8"))
        for number, (kind, code) in enumerate(blocks):
            if kind == language:
                found.append(pytest.param(code, id=f"{file.stem}-{number}"))
    return found


@pytest.fixture
def user(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Give a folder with something to find, and an environment of its own."""
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "auth.py").write_text(
        "import hashlib\n\n\ndef hash_password(password: str) -> str:\n"
        '    """Passwords are hashed before they are checked."""\n'
        "    return hashlib.sha256(password.encode()).hexdigest()\n\n\n"
        "def retry(times: int) -> None:\n    for _ in range(times):\n        pass\n",
        encoding="utf-8",
    )
    (folder / "guide.md").write_text(
        "# Guide\n\nFind exactly this phrase, and how vectors are stored.\n", encoding="utf-8"
    )
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "HOME": str(tmp_path),
        # The tree under test, also where another is installed.
        "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
    }
    return folder, environment


def run(
    words: list[str], folder: Path, environment: dict[str, str], *, statuses: tuple[int, ...] = (0,)
) -> None:
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode in statuses, (words, done.stderr)


@pytest.mark.parametrize("code", examples("python"))
def test_a_python_example_runs(code: str, user: tuple[Path, dict[str, str]]) -> None:
    folder, environment = user
    code = code.replace('"~/code/shop"', '"."')
    if "import trivium" not in code:
        code = "import trivium\n" + code

    run([sys.executable, "-W", "error", "-c", code], folder, environment)


@pytest.mark.parametrize("code", examples("console"))
def test_a_command_of_an_example_runs(code: str, user: tuple[Path, dict[str, str]]) -> None:
    folder, environment = user
    commands = [line[2:] for line in code.splitlines() if line.startswith("$ ")]

    assert commands
    for command in commands:
        # This folder may have no answer to a question that its page asks: status 1 says so.
        run(shlex.split(command, comments=True), folder, environment, statuses=(0, 1))
