"""Memory through the installed command, and by several processes at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TRIVIUM = Path(sys.executable).with_name("trivium")
WRITERS, EACH = 3, 8

# Counts a skill up, appends to one note with retries, and writes notes of one title.
WRITE = """
import sys
import trivium
from trivium.errors import VersionConflict
folder, me, each = sys.argv[1], sys.argv[2], int(sys.argv[3])
with trivium.open(folder) as collection:
    for number in range(each):
        collection.skills.bump("deploy")
        collection.notes.create("Same title", f"{me}-{number}")
        while True:
            note = collection.notes.get("log")
            try:
                said = f"{note.content}\\n{me}-{number}"
                collection.notes.update("log", content=said, expected_version=note.version)
                break
            except VersionConflict:
                continue
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "auth.py").write_text("def hash_password(text):\n    return text\n")
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    return folder


def run(
    shop: Path, *words: str, given: str = "", status: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(TRIVIUM), *words],
        cwd=shop,
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == status, (words, done.stdout, done.stderr)
    return done


def test_a_decision_is_remembered_linked_found_and_forgotten(
    shop: Path,
) -> None:
    target = "code:auth.py#hash_password"
    added = run(shop, "note", "add", "Why argon", "--content", "-", "--tag", "x", "--link",
                "references", target, given="The zebra decided.\n")  # fmt: skip
    assert added.stdout == "note:why-argon\n"
    assert ".trivium/notes/why-argon.md" in added.stderr.replace("\\", "/")

    found = json.loads(run(shop, "search", "zebra", "--json").stdout)
    assert [one["id"] for one in found["results"]] == ["note:why-argon"]
    shown = json.loads(run(shop, "note", "show", "why-argon", "--json").stdout)
    assert shown["content"] == "The zebra decided."
    assert shown["links"][0] == {
        "type": "references", "target": target, "direction": "out", "broken": False,
    }  # fmt: skip

    (shop / "auth.py").unlink()
    assert "broken" in run(shop, "note", "show", "note:why-argon").stdout
    conflict = run(shop, "note", "edit", "why-argon", "--content", "x", "--version", "7", status=2)
    assert "version 1, not 7" in conflict.stderr
    run(shop, "note", "delete", "why-argon")
    assert run(shop, "note", "list", status=1).stdout == ""
    assert "No note is called why-argon" in run(shop, "note", "show", "why-argon", status=2).stderr


def test_tasks_and_skills_by_the_command(shop: Path) -> None:
    run(shop, "task", "add", "Launch", "--type", "epic")
    run(
        shop, "task", "add", "Ship", "--priority", "high", "--due", "2026-01-31", "--epic", "launch"
    )
    run(shop, "task", "edit", "ship", "--status", "done")
    listed = json.loads(run(shop, "task", "list", "--status", "done", "--json").stdout)
    assert [(one["id"], one["epic"]) for one in listed["results"]] == [("task:ship", "launch")]
    assert listed["results"][0]["completedAt"]
    run(shop, "task", "link", "ship", "related_to", "task:launch")
    wrong = run(shop, "task", "link", "ship", "realted_to", "task:launch", status=2)
    assert "Did you mean 'related_to'" in wrong.stderr
    assert (
        "Did you mean 'done'"
        in run(shop, "task", "edit", "ship", "--status", "dne", status=2).stderr
    )

    run(shop, "skill", "add", "Deploy", "--step", "Tag", "--trigger", "ship a release")
    run(shop, "skill", "edit", "deploy", "--used")
    recalled = json.loads(run(shop, "recall", "time to ship a release", "--json").stdout)
    assert [one["id"] for one in recalled["results"]] == ["skill:deploy"]
    assert "used 1" in run(shop, "skill", "list").stdout
    assert run(shop, "skill", "search", "nonsense", "--no-sync", status=1).stdout == ""


def test_what_cannot_be_read_of_memory_is_listed_as_failed(shop: Path) -> None:
    notes, tasks = shop / ".trivium" / "notes", shop / ".trivium" / "tasks"
    notes.mkdir(parents=True)
    tasks.mkdir()
    (notes / "open.md").write_text("---\ntitle: never closed\n")
    (notes / "link.md").write_text("---\nlinks:\n  - nonsense\n---\nText.\n")
    (tasks / "fly.md").write_text("---\nstatus: flying\n---\nText.\n")
    run(shop, "index")

    lines = run(shop, "status", "--failed").stdout.splitlines()

    found = {path: reason[:22] for path, reason in (one.split("\t") for one in lines)}
    assert found == {
        ".trivium/notes/link.md": "'nonsense' is no id. G",
        ".trivium/notes/open.md": "front matter: The fron",
        ".trivium/tasks/fly.md": "Unknown status 'flying",
    }


def test_writers_in_several_processes_lose_nothing(shop: Path) -> None:
    run(shop, "skill", "add", "Deploy")
    run(shop, "note", "add", "Log")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, str(shop), f"w{number}", str(EACH)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    for writer in writers:
        _, said = writer.communicate()
        assert writer.returncode == 0, said

    skill = json.loads(run(shop, "skill", "show", "deploy", "--json").stdout)
    assert skill["usageCount"] == WRITERS * EACH
    assert skill["version"] == 1 + WRITERS * EACH
    expected = {f"w{writer}-{number}" for writer in range(WRITERS) for number in range(EACH)}
    log = json.loads(run(shop, "note", "show", "log", "--json").stdout)
    assert set(log["content"].split()) == expected
    listed = json.loads(
        run(shop, "note", "list", "--filter", "same", "--limit", "100", "--json").stdout
    )
    assert listed["total"] == len(expected)
    texts = (shop / ".trivium" / "notes").glob("same-title*.md")
    assert {text.read_text().split()[-1] for text in texts} == expected
    found = json.loads(run(shop, "search", "w1-3", "--json").stdout)
    assert found["results"]


def test_memory_goes_out_and_comes_in_elsewhere(shop: Path, tmp_path: Path) -> None:
    run(shop, "note", "add", "Why argon", "--content", "A zebra.")
    run(shop, "note", "attach", "why-argon", "auth.py")
    written = run(shop, "memory", "export", str(tmp_path / "all.json"))
    other = tmp_path / "other"
    other.mkdir()

    taken = run(other, "memory", "import", str(tmp_path / "all.json"))
    again = json.loads(run(other, "memory", "import", str(tmp_path / "all.json"), "--json").stdout)

    assert "Wrote 1 file" in written.stderr
    assert taken.stdout == "note:why-argon\n"
    assert again == {"ids": [], "same": 1, "leftOut": {}}
    assert run(other, "note", "attach", "why-argon", "auth.py", "--remove").stdout == ""
    assert "note:why-argon" in run(other, "search", "zebra").stdout
    assert run(shop, "memory", "export", str(tmp_path / "vault")).returncode == 0
    assert (tmp_path / "vault" / "why-argon.md").exists()
    refused = run(other, "memory", "import", str(tmp_path / "no"), status=2)
    assert "is not there" in refused.stderr
