"""Who last changed each file, when and how often; who wrote which lines; and no harm done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trivium.sources import history as history_module
from trivium.sources import objects
from trivium.sources.blame import authors, carried
from trivium.sources.history import History, history, unavailable

pygit2 = pytest.importorskip("pygit2")

START = 1_700_000_000
HOUR = 3600


def iso(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


@dataclass
class Made:
    """A repository made commit by commit: each says all files it holds."""

    top: Path
    commits: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.repository = pygit2.init_repository(self.top, initial_head="main")

    def tree(self, files: dict[str, str | bytes]) -> str:
        builder = self.repository.TreeBuilder()
        below: dict[str, dict[str, str | bytes]] = {}
        for path, content in files.items():
            folder, _, rest = path.partition("/")
            if rest:
                below.setdefault(folder, {})[rest] = content
            else:
                data = content if isinstance(content, bytes) else content.encode()
                builder.insert(path, self.repository.create_blob(data), 0o100644)
        for folder, inner in below.items():
            builder.insert(folder, self.tree(inner), 0o040000)
        return str(builder.write())

    def commit(
        self,
        files: dict[str, str | bytes],
        *,
        by: str = "Ana",
        follows: list[str] | None = None,
        at: int | None = None,
        tree: str | None = None,
    ) -> str:
        """Add a commit an hour after the last one and check it out, files and all."""
        time = START + HOUR * len(self.commits) if at is None else at
        who = pygit2.Signature(by, "a@example.org", time, 0)
        parents = self.commits[-1:] if follows is None else follows
        id_ = str(
            self.repository.create_commit(
                None, who, who, "message", tree or self.tree(files), parents
            )
        )
        (self.top / ".git" / "refs" / "heads" / "main").write_text(id_)
        self.commits.append(id_)
        for path, content in files.items():
            place = self.top / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return id_


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path.resolve() / "project")


def read(root: Path, *, since: str | None = None, most_commits: int = 1000) -> History:
    found = history(root, since=since, most_commits=most_commits)
    assert found is not None
    return found


def test_each_file_has_its_last_author_time_and_number_of_commits(made: Made) -> None:
    made.commit({"a.py": "1", "b.py": "1"}, by="Ana")
    made.commit({"a.py": "2", "b.py": "1"}, by="Bo")
    head = made.commit({"a.py": "3", "b.py": "1", "deep/er/c.py": "1"}, by="Cy")

    found = read(made.top)

    assert (found.head, found.branch, found.is_whole, found.is_cut) == (head, "main", True, False)
    assert {path: (row.author, row.modified, row.churn) for path, row in found.rows.items()} == {
        "a.py": ("Cy", iso(START + 2 * HOUR), 3),
        "b.py": ("Ana", iso(START), 1),
        "deep/er/c.py": ("Cy", iso(START + 2 * HOUR), 1),
    }


def test_files_that_are_no_more_have_no_row(made: Made) -> None:
    made.commit({"gone.py": "1", "b.py": "1"})
    made.commit({"b.py": "1"})

    assert set(read(made.top).rows) == {"b.py"}


def test_a_file_that_went_and_came_back_counts_from_its_first_time(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"b.py": "other"})
    made.commit({"a.py": "2"})

    assert read(made.top).rows["a.py"].churn == 2


def test_only_files_below_the_folder_are_told_by_their_path_in_it(made: Made) -> None:
    made.commit({"top.py": "1", "sub/a.py": "1", "sub/in/b.py": "1"}, by="Ana")
    made.commit({"top.py": "2", "sub/a.py": "1", "sub/in/b.py": "1"}, by="Bo")
    made.commit({"top.py": "2", "sub/a.py": "1", "sub/in/b.py": "2"}, by="Cy")

    rows = read(made.top / "sub").rows

    assert {path: (row.author, row.churn) for path, row in rows.items()} == {
        "a.py": ("Ana", 1),
        "in/b.py": ("Cy", 2),
    }


def test_a_folder_that_is_in_no_commit_has_an_empty_history(made: Made) -> None:
    made.commit({"a.py": "1"})
    (made.top / "new").mkdir()

    assert read(made.top / "new").rows == {}


def test_a_merge_counts_only_for_files_it_changed_itself(made: Made) -> None:
    base = made.commit({"left.py": "0", "right.py": "0", "both.py": "0"}, by="Ana")
    left = made.commit({"left.py": "1", "right.py": "0", "both.py": "l"}, by="Bo", follows=[base])
    right = made.commit({"left.py": "0", "right.py": "1", "both.py": "r"}, by="Cy", follows=[base])
    made.commit(
        {"left.py": "1", "right.py": "1", "both.py": "lr"}, by="Merger", follows=[left, right]
    )

    rows = read(made.top).rows

    assert {path: (row.author, row.churn) for path, row in rows.items()} == {
        "left.py": ("Bo", 2),
        "right.py": ("Cy", 2),
        "both.py": ("Merger", 4),
    }


def test_a_file_renamed_without_a_change_keeps_its_history(made: Made) -> None:
    made.commit({"old/a.py": "1", "old/b.py": "1"})
    made.commit({"old/a.py": "2", "old/b.py": "1"})
    made.commit({"new/a.py": "2", "new/b.py": "1"}, by="Bo")

    rows = read(made.top).rows

    assert (rows["new/a.py"].churn, rows["new/a.py"].formerly) == (3, "old/a.py")
    assert (rows["new/b.py"].churn, rows["new/b.py"].author) == (2, "Bo")


def test_of_equal_files_the_one_with_the_same_name_is_the_older_one(made: Made) -> None:
    made.commit({"old/__init__.py": "", "old/empty.py": "", "old/zero.py": ""})
    made.commit({"new/__init__.py": "", "new/empty.py": "", "new/other.py": ""})

    rows = read(made.top).rows

    assert {path: row.formerly for path, row in rows.items()} == {
        "new/__init__.py": "old/__init__.py",
        "new/empty.py": "old/empty.py",
        "new/other.py": "old/zero.py",
    }


def test_a_copy_of_a_file_that_stays_is_a_new_file(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"a.py": "1", "b.py": "1"})

    assert read(made.top).rows["b.py"].formerly == ""
    assert read(made.top).rows["a.py"].churn == 1


def test_only_commits_after_the_last_head_are_walked(made: Made) -> None:
    made.commit({"a.py": "1", "b.py": "1"})
    since = made.commit({"a.py": "2", "b.py": "1"})
    made.commit({"a.py": "3", "b.py": "1"}, by="Bo")
    made.commit({"a.py": "4", "b.py": "1"}, by="Cy")

    found = read(made.top, since=since)

    assert not found.is_whole
    assert {path: (row.author, row.churn) for path, row in found.rows.items()} == {
        "a.py": ("Cy", 2)
    }


def test_a_rename_since_the_last_head_says_where_the_rest_is_known(made: Made) -> None:
    made.commit({"a.py": "1"})
    since = made.commit({"a.py": "2"})
    made.commit({"b.py": "2"})
    made.commit({"b.py": "3"})

    before, after = read(made.top), read(made.top, since=since)

    assert (after.rows["b.py"].churn, after.rows["b.py"].formerly) == (2, "a.py")
    assert before.rows["b.py"].churn == 2 + after.rows["b.py"].churn


def test_the_same_head_costs_nothing_and_says_nothing_new(made: Made) -> None:
    head = made.commit({"a.py": "1"})

    found = read(made.top, since=head)

    assert (found.head, found.is_whole, found.rows) == (head, False, {})


@pytest.mark.parametrize("since", ["0" * 40, "not an id", "abc", ""])
def test_a_last_head_that_is_not_known_means_a_walk_from_the_start(made: Made, since: str) -> None:
    made.commit({"a.py": "1"})

    found = read(made.top, since=since)

    assert found.is_whole
    assert set(found.rows) == {"a.py"}


def test_a_last_head_on_another_branch_means_a_walk_from_the_start(made: Made) -> None:
    base = made.commit({"a.py": "1"})
    other = made.commit({"a.py": "2"}, follows=[base])
    made.commit({"a.py": "3"}, follows=[base])

    found = read(made.top, since=other)

    assert found.is_whole
    assert found.rows["a.py"].churn == 2


def test_a_branch_that_was_merged_since_is_counted_once(made: Made) -> None:
    base = made.commit({"a.py": "1", "b.py": "1"})
    side = made.commit({"a.py": "1", "b.py": "2"}, follows=[base], by="Side")
    since = made.commit({"a.py": "2", "b.py": "1"}, follows=[base])
    made.commit({"a.py": "2", "b.py": "2"}, follows=[since, side])

    found = read(made.top, since=since)

    assert {path: (row.author, row.churn) for path, row in found.rows.items()} == {
        "b.py": ("Side", 1)
    }


def test_a_clock_that_went_back_does_not_count_old_commits_as_new(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"a.py": "2"}, at=START + 99 * HOUR)
    since = made.commit({"a.py": "3"}, at=START - HOUR)
    made.commit({"a.py": "4"}, at=START - 2 * HOUR)

    assert read(made.top, since=since).rows["a.py"].churn == 1
    assert read(made.top).rows["a.py"].churn == 4


def test_a_limit_on_commits_keeps_the_newest_and_says_so(made: Made) -> None:
    for number in range(5):
        made.commit({"a.py": str(number)}, by=f"author {number}")

    found = read(made.top, most_commits=2)

    assert found.is_cut
    assert (found.rows["a.py"].author, found.rows["a.py"].churn) == ("author 4", 2)


def test_it_stops_when_told_to(made: Made) -> None:
    made.commit({"a.py": "1"})
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 1

    made.commit({"a.py": "2"})

    assert history(made.top, should_stop=should_stop) is None


def test_a_shallow_clone_tells_only_what_it_has(made: Made) -> None:
    first = made.commit({"a.py": "1", "b.py": "1"}, by="Ana")
    second = made.commit({"a.py": "2", "b.py": "1"}, by="Bo")
    made.commit({"a.py": "3", "b.py": "1"}, by="Cy")
    (made.top / ".git" / "objects" / first[:2] / first[2:]).unlink()

    found = read(made.top)

    assert found.is_cut
    assert {path: (row.author, row.churn) for path, row in found.rows.items()} == {
        "a.py": ("Cy", 1)
    }
    assert read(made.top, since=second).rows["a.py"].churn == 1


def test_a_folder_missing_from_a_partial_clone_leaves_the_rest(made: Made) -> None:
    made.commit({"a.py": "1"})
    made.commit({"a.py": "2", "lost/b.py": "1"})
    made.commit({"a.py": "3"})
    lost = made.tree({"b.py": "1"})
    (made.top / ".git" / "objects" / lost[:2] / lost[2:]).unlink()

    found = read(made.top)

    assert found.is_cut
    assert found.rows["a.py"].churn >= 2


def test_submodules_are_no_files(made: Made) -> None:
    builder = made.repository.TreeBuilder()
    builder.insert("a.py", made.repository.create_blob(b"1"), 0o100644)
    builder.insert("library", "1" * 40, 0o160000)
    made.commit({}, tree=str(builder.write()))

    assert set(read(made.top).rows) == {"a.py"}


def test_a_worktree_tells_its_own_branch_and_head(made: Made, tmp_path: Path) -> None:
    made.commit({"a.py": "1"}, by="Ana")
    head = made.commit({"a.py": "2"}, by="Bo")
    own = made.top / ".git" / "worktrees" / "tree"
    own.mkdir(parents=True)
    (own / "HEAD").write_text(made.commits[0])
    (own / "commondir").write_text("../..")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}")

    assert read(made.top).head == head
    assert (read(tree).head, read(tree).branch) == (made.commits[0], "")
    assert read(tree).rows["a.py"].author == "Ana"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"Zo\xc3\xab", "Zoë"),
        (b"Zo\xeb", "Zo\N{REPLACEMENT CHARACTER}"),
        (b"\x1b[31mRed\x07", "[31mRed"),
        (b"", ""),
        (b"x" * 5000, "x" * 200),
    ],
)
def test_names_are_decoded_and_hold_no_control_characters(
    made: Made, raw: bytes, expected: str
) -> None:
    tree = made.tree({"a.py": "1"}).encode()
    data = b"tree %b\nauthor %b <a@b> 5 +0000\ncommitter C <c@d> 7 +0000\n\nm" % (tree, raw)
    made.commits.append(str(made.repository.odb.write(1, data)))
    (made.top / ".git" / "refs" / "heads" / "main").write_text(made.commits[-1])

    row = read(made.top).rows["a.py"]

    assert (row.author, row.modified) == (expected, iso(7))


def test_a_name_in_another_encoding_is_read_as_the_commit_says(made: Made) -> None:
    tree = made.tree({"a.py": "1"}).encode()
    head = b"tree %b\nauthor Zo\xeb <a@b> 5 +0000\ncommitter C <c@d> 7 +0000" % tree
    data = head + b"\nencoding ISO-8859-1\n\nm"
    (made.top / ".git" / "refs" / "heads" / "main").write_text(
        str(made.repository.odb.write(1, data))
    )

    assert read(made.top).rows["a.py"].author == "Zoë"


@pytest.mark.parametrize("time", [b"", b"99999999999999999999", b"-5", b"253402300800", b"x"])
def test_a_time_that_is_none_still_has_a_row(made: Made, time: bytes) -> None:
    tree = made.tree({"a.py": "1"}).encode()
    data = b"tree %b\nauthor A <a@b> 5 +0000\ncommitter C <c@d> %b +0000\n\nm" % (tree, time)
    (made.top / ".git" / "refs" / "heads" / "main").write_text(
        str(made.repository.odb.write(1, data))
    )

    assert read(made.top).rows["a.py"].modified in (iso(0), iso(253_402_300_799))


def test_folders_whose_mode_was_written_with_a_zero_are_folders(made: Made) -> None:
    made.commit({"deep/a.py": "1"}, by="Ana")
    inner = bytes.fromhex(made.tree({"a.py": "1"}))
    padded = str(made.repository.odb.write(2, b"040000 deep\0" + inner))
    made.commit({}, by="Bo", tree=padded)

    found = read(made.top)

    assert (found.rows["deep/a.py"].author, found.rows["deep/a.py"].churn) == ("Ana", 1)


@pytest.mark.parametrize("name", ["100644 a.py", "x a.py", "40000 a.py"])
def test_a_name_that_ends_like_another_is_not_mistaken_for_it(made: Made, name: str) -> None:
    made.commit({name: "1\n"}, by="Ana")
    made.commit({name: "1\n", "a.py": "2\n"}, by="Bo")

    assert authors(made.top, "a.py", first_line=1, last_line=1) == [("Bo", 1)]
    assert authors(made.top, name, first_line=1, last_line=1) == [("Ana", 1)]


def test_the_order_of_memory_does_not_show(made: Made) -> None:
    made.commit({f"old/{n}/__init__.py": "" for n in range(20)})
    made.commit({f"new/{n}/__init__.py": "" for n in range(20)})
    code = (
        "import sys; from pathlib import Path; from trivium.sources.history import history;"
        "print(sorted(history(Path(sys.argv[1])).rows.items()))"
    )

    said = {
        subprocess.run(
            [sys.executable, "-c", code, str(made.top)],
            env={**os.environ, "PYTHONHASHSEED": seed},  # noqa: TID251 - the child needs a path
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(said) == 1


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


# Lines.


def test_lines_belong_to_those_who_wrote_them(made: Made) -> None:
    made.commit({"a.py": "one\ntwo\nthree\n"}, by="Ana")
    made.commit({"a.py": "zero\none\ntwo\nthree\n"}, by="Bo")
    made.commit({"a.py": "zero\none\nTWO\nthree\nfour\n"}, by="Cy")

    assert authors(made.top, "a.py", first_line=1, last_line=5) == [
        ("Ana", 2),
        ("Cy", 2),
        ("Bo", 1),
    ]
    assert authors(made.top, "a.py", first_line=2, last_line=2) == [("Ana", 1)]
    assert authors(made.top, "a.py", first_line=-5, last_line=99) == [
        ("Ana", 2),
        ("Cy", 2),
        ("Bo", 1),
    ]


def test_lines_count_in_the_file_on_disk_and_new_ones_have_no_author(made: Made) -> None:
    made.commit({"a.py": "one\ntwo\n"}, by="Ana")
    made.commit({"a.py": "one\ntwo\nthree\n"}, by="Bo")
    (made.top / "a.py").write_text("not yet\none\ntwo\nthree\n")

    assert authors(made.top, "a.py", first_line=1, last_line=1) == []
    assert authors(made.top, "a.py", first_line=4, last_line=4) == [("Bo", 1)]


def test_lines_of_both_sides_of_a_merge_keep_their_authors(made: Made) -> None:
    base = made.commit({"a.py": "1\n2\n3\n"}, by="Ana")
    left = made.commit({"a.py": "left\n1\n2\n3\n"}, by="Bo", follows=[base])
    right = made.commit({"a.py": "1\n2\n3\nright\n"}, by="Cy", follows=[base])
    made.commit({"a.py": "left\n1\n2\n3\nright\n"}, by="Merger", follows=[left, right])

    assert authors(made.top, "a.py", first_line=1, last_line=5) == [
        ("Ana", 3),
        ("Bo", 1),
        ("Cy", 1),
    ]


def test_lines_are_followed_through_a_rename(made: Made) -> None:
    made.commit({"old.py": "1\n2\n"}, by="Ana")
    made.commit({"new.py": "1\n2\n"}, by="Bo")

    assert authors(made.top, "new.py", first_line=1, last_line=2) == [("Ana", 2)]


def test_lines_below_a_folder_are_asked_by_their_path_in_it(made: Made) -> None:
    made.commit({"sub/in/a.py": "1\n"}, by="Ana")

    assert authors(made.top / "sub", "in/a.py", first_line=1, last_line=1) == [("Ana", 1)]


def test_beyond_a_shallow_clone_nobody_is_the_author(made: Made) -> None:
    first = made.commit({"a.py": "1\n"}, by="Ana")
    made.commit({"a.py": "1\n2\n"}, by="Bo")
    made.commit({"a.py": "1\n2\n3\n"}, by="Cy")
    (made.top / ".git" / "objects" / first[:2] / first[2:]).unlink()

    assert authors(made.top, "a.py", first_line=1, last_line=3) == [("Cy", 1)]


@pytest.mark.parametrize(
    "path", ["gone.py", "../outside", "/etc/passwd", "", "new.py", "\0", "sub"]
)
def test_what_is_in_no_commit_or_outside_has_no_authors(made: Made, path: str) -> None:
    made.commit({"a.py": "1\n", "sub/b.py": "1\n"})
    (made.top / "new.py").write_text("1\n")

    assert authors(made.top, path, first_line=1, last_line=1) == []


def test_asking_for_authors_stops_when_told_to(made: Made) -> None:
    made.commit({"a.py": "1\n"})

    assert authors(made.top, "a.py", first_line=1, last_line=1, should_stop=lambda: True) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", {1: 1, 2: 2, 3: 3}),
        ("a\nb\nc\n", "b\nc\n", {1: 2, 2: 3}),
        ("a\nb\nc\n", "a\nc\n", {1: 1, 2: 3}),
        ("a\nc\n", "a\nb\nc\n", {1: 1, 3: 2}),
        ("a\nb\n", "x\na\nb\ny\n", {2: 1, 3: 2}),
        ("", "a\n", {}),
        ("a\nb\nc\nd\ne\n", "a\nX\nc\ne\nf\n", {1: 1, 3: 3, 4: 5}),
    ],
)
def test_a_line_is_found_where_it_stood_before(
    old: str, new: str, expected: dict[int, int]
) -> None:
    assert carried(old, new, range(1, new.count("\n") + 1)) == expected
