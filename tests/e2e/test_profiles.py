"""trivium profiles, compare and the options of profiles, as a person runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.ranking.profile import shipped

COMMAND = Path(sys.executable).parent / "trivium"
FILES = {
    "src/auth.py": (
        "from src.store import load\n\n\ndef check_password(password):\n"
        '    """Compare a password with the stored hash."""\n    return load(password)\n'
    ),
    "src/store.py": 'def load(key):\n    """Read a value."""\n    return key\n',
    "guide.md": "# Guide\n\nHow a password is checked.\n\n## Reset\n\nAsk for a new password.\n",
}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "shop"


@pytest.fixture
def run(home: Path) -> Run:
    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": "/usr/bin:/bin",
            "TRIVIUM_HOME": str(home),
            "TRIVIUM_CONFIG": str(home / "none.toml"),
            "TRIVIUM_EMBEDDING__MODEL": "none",
            "COLUMNS": "120",
        }
        return subprocess.run(
            [COMMAND, *arguments], env=environment, capture_output=True, text=True, check=False
        )

    return ran


def test_list_names_every_profile_and_what_it_does(run: Run) -> None:
    done = run("profiles", "list")

    assert done.returncode == 0
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert list(lines) == shipped()
    assert all(lines.values())


def test_what_show_prints_can_be_used_under_another_name(
    run: Run, home: Path, folder: Path
) -> None:
    text = run("profiles", "show", "xplor").stdout.replace('name = "xplor"', 'name = "mine"')
    (home / "profiles").mkdir(parents=True)
    (home / "profiles" / "mine.toml").write_text(text, encoding="utf-8")

    assert run("profiles", "check", "mine").returncode == 0
    theirs, mine = (
        json.loads(run("search", "password", str(folder), "--profile", name, "--json").stdout)
        for name in ("xplor", "mine")
    )
    assert [hit["score"] for hit in mine["results"]] == [hit["score"] for hit in theirs["results"]]
    assert mine["profile"] == "mine"


def test_check_names_the_file_the_line_and_the_key(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('extends = "rag"\nname = "mine"\n[fuse]\nmethod = "sum"\n', encoding="utf-8")

    done = run("profiles", "check", str(file))

    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{file}, line 4: fuse.method: 'sum' is not one of rrf" in done.stderr


@pytest.mark.parametrize("name", shipped())
def test_every_profile_searches_and_explains_what_adds_up(
    run: Run, folder: Path, name: str
) -> None:
    done = run("search", "password", str(folder), "--profile", name, "--explain", "--json")

    answer = json.loads(done.stdout)
    # There is no skill in this folder to recall.
    assert bool(answer["results"]) == (name not in ("graph-recall", "graph-files"))
    assert answer["profile"] == name
    for hit in answer["results"]:
        parts = hit["scoreBreakdown"]["parts"]
        assert sum(part["value"] for part in parts) == pytest.approx(hit["score"], abs=1e-9)


def test_compare_prints_profiles_side_by_side(run: Run, folder: Path) -> None:
    done = run("compare", "password", str(folder), "--profiles", "xplor,graph,rag,best")

    assert done.returncode == 0
    head = done.stdout.splitlines()[0]
    assert [word for word in head.split() if not word.startswith("(")][::2] == [
        "xplor", "graph", "rag", "best",
    ]  # fmt: skip
    assert "check_password" in done.stdout


def test_compare_gives_the_whole_answers_as_json(run: Run, folder: Path) -> None:
    done = run("compare", "password", str(folder), "--profiles", "rag,best", "--json")

    assert [one["profile"] for one in json.loads(done.stdout)] == ["rag", "best"]


def test_compare_says_when_nothing_is_found_anywhere(run: Run, folder: Path) -> None:
    assert run("compare", "zebra", str(folder)).returncode == 1


def test_context_comes_after_the_hits_with_its_reason(run: Run, folder: Path) -> None:
    done = run("search", "check_password", str(folder), "-n", "1", "--expand", "context", "--json")

    hits = json.loads(done.stdout)["results"]
    assert [hit["scoreType"] for hit in hits][1:] == ["context"] * (len(hits) - 1)
    called = next(hit for hit in hits if hit["id"] == "code:src/store.py#load")
    assert called["score"] == 0
    assert called["context"]["reason"] == "call:load"


def test_another_folder_can_be_searched_too(run: Run, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "notes"
    other.mkdir()
    (other / "a.md").write_text("# Note\n\nThe password is long.\n", encoding="utf-8")

    done = run("search", "password", str(folder), "--with", str(other), "--json")

    answer = json.loads(done.stdout)
    assert answer["collection"] == "shop, notes"
    assert {hit["collection"] for hit in answer["results"]} == {"shop", "notes"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--profile", "xplr"], "Did you mean 'xplor'"),
        (["--seeds", "5"], "seeds"),
        (["--profile", "graph", "--seeds", "501"], "1 to 500"),
        (["--profile", "graph", "--bfs-depth", "11"], "0 to 10"),
        (["--profile", "graph", "--min-score", "1.1"], "0 to 1"),
        (["--profile", "xplor", "-n", "101"], "1 to 100"),
        (["--deep-search"], "xplor"),
        (["--expand", "all"], "none, context"),
        (["--profile", "contract"], "Compound negation"),
    ],
)
def test_what_a_profile_does_not_take_is_an_error_that_says_so(
    run: Run, folder: Path, options: list[str], said: str
) -> None:
    query = "!(a AND b)" if "contract" in options else "password"
    done = run("search", query, str(folder), *options)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
