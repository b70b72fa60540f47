"""trivium context, as an agent runs it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import trivium

COMMAND = Path(sys.executable).parent / "trivium"
AUTH = '''"""Who may come in."""


class Guard:
    """Lets people in."""

    def check(self, password: str) -> bool:
        """Compare the hash of a password with the one on file."""
        return hashed(password) == self.on_file


def hashed(text: str) -> str:
    """Mix a text with salt."""
    return text[::-1]
'''
GUIDE = "# Guide\n\nHow to reset a password.\n\n\x1b[31mRed.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    (made / "src").mkdir(parents=True)
    (made / "src" / "auth.py").write_text(AUTH, encoding="utf-8")
    (made / "guide.md").write_text(GUIDE, encoding="utf-8")
    return made


def run(folder: Path, *words: str, where: Path | None = None) -> subprocess.CompletedProcess[str]:
    place = folder.parent
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(place),
        "TRIVIUM_HOME": str(place / "home"),
        "TRIVIUM_CONFIG": str(place / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
        # The package that is tested, where another is installed beside the command.
        "PYTHONPATH": str(Path(trivium.__file__).parents[1]),
    }
    return subprocess.run(
        [COMMAND, "context", *words],
        cwd=folder if where is None else where,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_a_context_is_headings_and_texts_and_notes_go_to_stderr(folder: Path) -> None:
    done = run(folder, "compare the hash", "--max-tokens", "200", "--kind", "code")

    assert done.returncode == 0
    heading, _, text = done.stdout.partition("\n")
    assert heading == "src/auth.py:1-14  Guard.check"
    assert text.rstrip("\n") == AUTH.rstrip("\n")
    assert done.stderr.startswith("1 piece, ")


@pytest.mark.parametrize("max_tokens", [20, 40, 100])
def test_what_is_printed_fits_the_tokens_from_wherever_it_is_asked(
    folder: Path, tmp_path: Path, max_tokens: int
) -> None:
    asked = ("password", str(folder), "--max-tokens", str(max_tokens))
    done = run(folder, *asked, where=tmp_path)

    assert math.ceil(len(done.stdout) / 4) <= max_tokens
    if done.stdout:
        assert done.stdout.startswith(str(folder))
        assert done.returncode == 0


def test_json_has_the_pieces_and_what_was_left_out(folder: Path) -> None:
    done = run(folder, "password", "--max-tokens", "30", "--json")

    data = json.loads(done.stdout)
    assert done.returncode == 0
    assert data["tokens"] == sum(one["tokens"] for one in data["pieces"]) <= 30
    assert data["pieces"][0]["reason"].startswith("rank ")
    assert data["leftOut"]["hits"] > 0
    assert data["leftOut"]["next"]
    assert data["coverage"]["files"] == 2


def test_what_would_steer_a_terminal_is_made_visible(folder: Path) -> None:
    done = run(folder, "red", "--kind", "doc")

    assert "\\x1b[31mRed." in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["quokka"], "Nothing found."),
        ([""], "the query has no words"),
        (["password", "--max-tokens", "2"], "Nothing fits: give more tokens."),
    ],
)
def test_nothing_to_show_is_status_1(folder: Path, words: list[str], said: str) -> None:
    done = run(folder, *words)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["password", "--max-tokens", "0"], "max_tokens is 0; give 1 or more."),
        (["password", "--profile", "bst"], "Unknown profile 'bst'. Did you mean 'best'?"),
        (["password", "--limit", "0"], "limit is 0; give at least 1."),
        (["required", "flags", "."], "trivium context 'required flags' FOLDER"),
        (["password", "--kind", "cod"], "cod"),
    ],
)
def test_what_cannot_be_done_is_status_2(folder: Path, words: list[str], said: str) -> None:
    done = run(folder, *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
