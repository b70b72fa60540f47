"""Folders without a repository, and damaged or hostile ones: no history, a reason and no harm."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.sources.repositories import Made, pygit2, read

from trivium.sources import history as history_module
from trivium.sources import objects
from trivium.sources.blame import authors
from trivium.sources.history import history, unavailable

# No history, and the reason.


def test_a_folder_outside_a_repository_has_none_and_says_so(tmp_path: Path) -> None:
    assert history(tmp_path) is None
    assert "not in a git repository" in unavailable(tmp_path)


def test_a_repository_without_commits_has_none_and_says_so(made: Made) -> None:
    assert history(made.top) is None
    assert "no commit" in unavailable(made.top)


def test_a_bare_repository_has_none(tmp_path: Path) -> None:
    pygit2.init_repository(tmp_path / "bare.git", bare=True)

    assert history(tmp_path / "bare.git") is None


def test_a_repository_with_longer_ids_has_none_and_says_so(made: Made) -> None:
    made.commit({"a.py": "1"})
    (made.top / ".git" / "HEAD").write_text("a" * 64)

    assert history(made.top) is None
    assert "SHA-256" in unavailable(made.top)


def test_a_damaged_repository_has_none_and_says_so(made: Made) -> None:
    head = made.commit({"a.py": "1"})
    place = made.top / ".git" / "objects" / head[:2] / head[2:]
    place.chmod(0o644)
    place.write_bytes(b"not an object")

    assert history(made.top) is None
    assert "damaged" in unavailable(made.top)


def test_without_its_objects_there_is_none(made: Made) -> None:
    made.commit({"a.py": "1"})
    shutil.rmtree(made.top / ".git" / "objects")

    assert history(made.top) is None
    assert "no objects" in unavailable(made.top)


def test_without_the_library_there_is_none_and_the_install_line_is_given(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit({"a.py": "1"})
    monkeypatch.setitem(sys.modules, "pygit2", None)

    assert history(made.top) is None
    assert authors(made.top, "a.py", first_line=1, last_line=1) == []
    assert "pip install -U 'trivium[git]'" in unavailable(made.top)


def test_a_library_too_old_to_be_safe_counts_as_missing(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit({"a.py": "1"})
    monkeypatch.setattr(pygit2, "Odb", object)

    assert history(made.top) is None
    assert "pip install -U 'trivium[git]'" in unavailable(made.top)


def test_a_healthy_repository_gives_no_reason(made: Made) -> None:
    made.commit({"a.py": "1"})

    assert unavailable(made.top) == ""


@pytest.mark.parametrize("damage", [b"", b"\0" * 50, b"x\x9c" + b"\xff" * 50])
def test_no_damaged_object_is_too_much(made: Made, damage: bytes) -> None:
    made.commit({"a.py": "1\n", "deep/b.py": "1\n"})
    made.commit({"a.py": "2\n", "deep/b.py": "2\n"})
    for place in sorted((made.top / ".git" / "objects").rglob("*")):
        if place.is_file():
            sound = place.read_bytes()
            place.chmod(0o644)
            place.write_bytes(damage)
            history(made.top)
            authors(made.top, "a.py", first_line=1, last_line=1)
            place.write_bytes(sound)

    assert read(made.top).rows["a.py"].churn == 2


# Hostile repositories.


def set_trap(made: Made) -> Path:
    """Fill a repository's configuration with commands that would leave a file behind."""
    mark = made.top.parent / "caught"
    script = made.top.parent / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    script.chmod(0o755)
    hooks = made.top / "hooks"
    hooks.mkdir()
    for hook in (
        "post-checkout",
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
    ):
        shutil.copy(script, hooks / hook)
    config = f"""
[core]
	fsmonitor = {script}
	hooksPath = {hooks}
	pager = {script}
	editor = {script}
	sshCommand = {script}
	gitProxy = {script}
	askPass = {script}
	attributesFile = {made.top}/attributes
	alternateRefsCommand = {script}
[diff]
	external = {script}
[diff "trap"]
	command = {script}
	textconv = {script}
[filter "trap"]
	clean = {script}
	smudge = {script}
	process = {script}
	required = true
[merge "trap"]
	driver = {script}
[alias]
	log = !{script}
	blame = !{script}
	status = !{script}
[gpg]
	program = {script}
[log]
	showSignature = true
[credential]
	helper = !{script}
[include]
	path = {made.top}/more
"""
    (made.top / ".git" / "config").write_text(config)
    (made.top / "more").write_text(f"[core]\n\tfsmonitor = {script}\n")
    for attributes in (made.top / ".gitattributes", made.top / "attributes"):
        attributes.write_text("* filter=trap diff=trap merge=trap\n")
    return mark


def test_a_repository_that_tries_to_run_commands_does_no_harm(made: Made) -> None:
    files: dict[str, str | bytes] = {"a.py": "1\n", ".gitattributes": "* filter=trap diff=trap\n"}
    made.commit(files)
    since = made.commit({**files, "a.py": "2\n"})
    made.commit({".gitattributes": files[".gitattributes"], "b.py": "2\n"})
    mark = set_trap(made)

    assert read(made.top).rows["b.py"].churn == 1 + 2
    assert set(read(made.top, since=since).rows) == {"b.py"}
    assert authors(made.top, "a.py", first_line=1, last_line=1) == []
    assert authors(made.top, "b.py", first_line=1, last_line=1) == [("Ana", 1)]
    assert unavailable(made.top) == ""
    assert not mark.exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here to step into the trap")
def test_the_trap_catches_git_itself(made: Made) -> None:
    made.commit({"a.py": "1\n"})
    mark = set_trap(made)

    subprocess.run(["git", "-C", str(made.top), "diff"], capture_output=True, check=False)

    assert mark.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("place", ["objects/pack/pack-1.idx", "objects/info/x", "config"])
def test_a_pipe_in_a_repository_is_not_waited_for(made: Made, place: str) -> None:
    made.commit({"a.py": "1"})
    pipe = made.top / ".git" / place
    pipe.unlink(missing_ok=True)
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)

    found = history(made.top)

    assert (found is None) == (place != "config")


def test_stores_that_borrow_from_each_other_are_read_once(made: Made, tmp_path: Path) -> None:
    made.commit({"a.py": "1"})
    mine = made.top / ".git" / "objects"
    other = tmp_path / "other" / "objects"
    (other / "info").mkdir(parents=True)
    (other / "info" / "alternates").write_text(f"{mine}\n{other}\n")
    (mine / "info").mkdir(exist_ok=True)
    (mine / "info" / "alternates").write_text(f"# borrowed\n{other}\n{mine}\n/nowhere\n")

    assert read(made.top).rows["a.py"].churn == 1


def test_a_tree_without_end_is_given_up(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    made.commit({"a.py": "1"}, by="Ana")
    inner = made.tree({"x": "1"})
    for _ in range(12):
        builder = made.repository.TreeBuilder()
        for number in range(10):
            builder.insert(f"d{number}", inner, 0o040000)
        inner = str(builder.write())
    builder = made.repository.TreeBuilder(made.tree({"a.py": "1"}))
    builder.insert("bomb", inner, 0o040000)
    made.commit({}, tree=str(builder.write()), by="Bo")
    made.commit({"a.py": "2"}, by="Cy")
    monkeypatch.setattr(objects, "_MOST_VISITED_AT_ONCE", 50_000)
    monkeypatch.setattr(history_module, "_MOST_FILES", 1000)

    found = read(made.top)

    assert found.is_cut
    assert len(found.rows) <= 1000
    assert (found.rows["a.py"].author, found.rows["a.py"].churn) == ("Cy", 2)


def test_a_tree_nested_without_end_is_given_up(made: Made) -> None:
    inner = made.tree({"x": "1"})
    for _ in range(5000):
        inner = str(made.repository.odb.write(2, b"40000 d\0" + bytes.fromhex(inner)))
    builder = made.repository.TreeBuilder(made.tree({"a.py": "1"}))
    builder.insert("deep", inner, 0o040000)
    made.commit({}, tree=str(builder.write()))

    assert read(made.top).rows["a.py"].churn == 1


def test_a_file_that_claims_to_be_a_folder_is_not_unpacked(made: Made) -> None:
    blob = str(made.repository.create_blob(b"0" * 100_000))
    tree = b"100644 a.py\0" + bytes.fromhex(blob) + b"40000 folder\0" + bytes.fromhex(blob)
    made.commit({}, tree=str(made.repository.odb.write(2, tree)))

    found = read(made.top)

    assert found.is_cut
    assert set(found.rows) <= {"a.py"}


def test_a_commit_that_follows_thousands_is_passed_over(made: Made) -> None:
    base = made.commit({"a.py": "1"})
    parents = [made.commit({"a.py": str(n)}, follows=[base]) for n in range(101)]
    made.commit({"a.py": "x"}, follows=parents)

    assert history(made.top) is None
