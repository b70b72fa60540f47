"""A folder lists and reads its documents, says what it passed over, and stays in its bounds."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from trivium.errors import NotFound, UsageError
from trivium.sources.base import Entry, Raw, Reason, Skip, Source
from trivium.sources.files import FolderSource, own_ignores


def plant(root: Path, files: dict[str, str | bytes]) -> Path:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def paths(root: Path, **options: Any) -> list[str]:
    return [entry.path for entry in FolderSource(root, **options).list().entries]


def skips(root: Path, **options: Any) -> dict[str, Reason]:
    return {skip.path: skip.reason for skip in FolderSource(root, **options).list().skipped}


def read(root: Path, path: str, **options: Any) -> Raw | Skip:
    return FolderSource(root, **options).read(Entry(path=path, size_bytes=0, mtime_ns=0))


def test_a_folder_is_a_source(tmp_path: Path) -> None:
    source: Source = FolderSource(tmp_path)
    assert source.list().entries == ()
    assert source.list().skipped == ()


def test_a_missing_folder_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="No folder"):
        FolderSource(tmp_path / "none")


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    plant(tmp_path, {"a.txt": "a"})
    with pytest.raises(UsageError, match=r"a\.txt is a file"):
        FolderSource(tmp_path / "a.txt")


def test_an_entry_has_its_size_and_time_and_paths_are_sorted(tmp_path: Path) -> None:
    plant(tmp_path, {"b/c.py": "12345", "a.py": "1", "b.py": "", "B.py": ""})
    os.utime(tmp_path / "b" / "c.py", ns=(1, 1_234_567_891_000))
    entries = FolderSource(tmp_path).list().entries
    assert [entry.path for entry in entries] == ["B.py", "a.py", "b.py", "b/c.py"]
    assert entries[-1] == Entry("b/c.py", size_bytes=len("12345"), mtime_ns=1_234_567_891_000)


def test_reading_gives_the_text_and_the_sum_of_the_bytes(tmp_path: Path) -> None:
    data = "\ufeffé\r\nb".encode()
    plant(tmp_path, {"a.txt": data})
    raw = read(tmp_path, "a.txt")
    assert isinstance(raw, Raw)
    assert raw.text == "é\nb"
    assert raw.sha256 == hashlib.sha256(data).hexdigest()
    assert raw.entry.size_bytes == len(data)
    assert raw.entry.mtime_ns == (tmp_path / "a.txt").stat().st_mtime_ns


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".hg/store",
        "node_modules/x/index.js",
        "a/__pycache__/x.py",
        ".venv/lib/x.py",
        "app.js.map",
        "dist/x.py",
        "sub/build/x.py",
        "vendor/x.go",
    ],
)
def test_defaults_leave_out_what_nobody_wrote(tmp_path: Path, path: str) -> None:
    plant(tmp_path, {path: "x", "kept.py": "x"})
    assert paths(tmp_path) == ["kept.py"]
    assert skips(tmp_path) == {}


@pytest.mark.parametrize("path", ["yarn.lock", "sub/Cargo.lock", "go.sum"])
def test_lock_files_are_passed_over_and_counted_unless_asked_for(tmp_path: Path, path: str) -> None:
    plant(tmp_path, {path: "x", "kept.py": "x"})
    assert paths(tmp_path) == ["kept.py"]
    assert skips(tmp_path) == {path: "lock-file"}

    plant(tmp_path, {".triviumignore": f"!{path}"})
    assert path in paths(tmp_path)


def test_where_there_is_a_gitignore_it_decides_about_results_of_a_build(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*.log", "dist/x.py": "", "node_modules/x.js": ""})
    assert paths(tmp_path) == [".gitignore", "dist/x.py"]


def test_a_trivium_ignore_file_brings_back_what_others_leave_out(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "generated/\n*.tmp",
            ".triviumignore": "!generated/\n!yarn.lock\n!app.min.js\nsecret/",
            "generated/a.py": "",
            "generated/b.tmp": "",
            "secret/a.py": "",
            "yarn.lock": "",
            "app.min.js": "",
        },
    )
    wanted = [".gitignore", ".triviumignore", "app.min.js", "generated/a.py", "yarn.lock"]
    assert paths(tmp_path) == wanted
    assert skips(tmp_path) == {}


def test_nested_ignore_files_speak_for_their_own_folder(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "*.log\n/only",
            "a/.gitignore": "!keep.log",
            "a/keep.log": "",
            "a/other.log": "",
            "a/only": "",
            "keep.log": "",
            "only": "",
        },
    )
    assert paths(tmp_path) == [".gitignore", "a/.gitignore", "a/keep.log", "a/only"]


def test_a_subfolder_follows_the_ignore_files_above_it_in_its_repository(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "a/b/x.py\n*.gen",
            ".git/info/exclude": "z.py",
            "a/.triviumignore": "b/w.py",
            "a/b/x.py": "",
            "a/b/y.py": "",
            "a/b/z.py": "",
            "a/b/w.py": "",
            "a/b/dist/v.py": "",
            "a/b/v.gen": "",
        },
    )
    assert paths(tmp_path / "a" / "b") == ["dist/v.py", "y.py"]


def test_ignore_files_above_a_folder_outside_a_repository_do_not_count(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*.py", "a/x.py": ""})
    assert paths(tmp_path / "a") == ["x.py"]


def test_a_folder_that_is_itself_ignored_can_still_be_asked_for(tmp_path: Path) -> None:
    plant(tmp_path, {".git/HEAD": "", ".gitignore": "a/", "a/x.py": ""})
    assert paths(tmp_path / "a") == ["x.py"]


def test_a_worktree_shares_the_excludes_of_its_repository(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "main/.git/info/exclude": "x.py",
            "main/.git/worktrees/w/commondir": "../..\n",
            "w/.git": "gitdir: ../main/.git/worktrees/w\n",
            "w/x.py": "",
            "w/y.py": "",
        },
    )
    assert paths(tmp_path / "w") == ["y.py"]


def test_extra_patterns_stand_above_every_file(tmp_path: Path) -> None:
    plant(tmp_path, {".triviumignore": "!a.py", "a.py": "", "b.py": "", "sub/b.py": ""})
    assert paths(tmp_path, extra_ignores=("a.py", "/b.py")) == [".triviumignore", "sub/b.py"]


def test_files_are_passed_over_for_a_reason(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {"a.PNG": "", "b.min.js": "", "c.py": "x" * 11, "d.py": "x" * 10, ".bin": "", "so": ""},
    )
    assert skips(tmp_path, max_file_bytes=10) == {
        "a.PNG": Reason.BINARY,
        "b.min.js": Reason.MINIFIED,
        "c.py": Reason.TOO_LARGE,
    }
    assert paths(tmp_path, max_file_bytes=10) == [".bin", "d.py", "so"]


def test_a_file_of_fifty_megabytes_is_passed_over_without_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "line.txt").open("wb") as file:
        file.truncate(50_000_000)

    def refuse(*_: object) -> bytes:
        raise AssertionError("the file was read")

    monkeypatch.setattr(os, "read", refuse)
    assert skips(tmp_path) == {"line.txt": Reason.TOO_LARGE}
    assert read(tmp_path, "line.txt") == Skip("line.txt", Reason.TOO_LARGE)


def test_a_file_that_grows_while_it_is_read_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"a.log": "x" * 20})
    honest = os.fstat

    def smaller(file: int) -> os.stat_result:
        """Say what the file was before it grew."""
        found = list(honest(file))
        found[stat.ST_SIZE] = 1
        return os.stat_result(found)

    monkeypatch.setattr(os, "fstat", smaller)
    assert read(tmp_path, "a.log", max_file_bytes=10) == Skip("a.log", Reason.TOO_LARGE)
    assert isinstance(read(tmp_path, "a.log", max_file_bytes=20), Raw)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\0b", Reason.BINARY),
        (bytes(range(1, 256)) * 4, Reason.UNDECODABLE),
        (b"x" * 5001, Reason.MINIFIED),
        (b"x" * 20_000 + b"\ny\n", Reason.MINIFIED),
    ],
)
def test_what_is_no_text_is_found_when_it_is_read(
    tmp_path: Path, data: bytes, reason: Reason
) -> None:
    plant(tmp_path, {"a": data})
    assert read(tmp_path, "a") == Skip("a", reason)


PROSE_IN_ONE_LINE: dict[str, str | bytes] = {
    "chat.md": "She said that it was late, and went home. " * 700,
    "page.txt": "東京に住む人々は毎日電車に乗る。" * 2000,
}
DATA_IN_ONE_LINE: dict[str, str | bytes] = {
    "numbers.txt": "1.5 2.25 " * 4000,
    "base64.txt": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo" * 900,
    "data.json": '{"words": "as good as any"}, ' * 1000,
    "code.js": "let a = the + other + one; " * 1000,
}


def test_prose_may_stand_in_one_line_and_data_and_code_may_not(tmp_path: Path) -> None:
    plant(tmp_path, PROSE_IN_ONE_LINE | DATA_IN_ONE_LINE)
    for name in PROSE_IN_ONE_LINE:
        assert isinstance(read(tmp_path, name), Raw)
    for name in DATA_IN_ONE_LINE:
        assert read(tmp_path, name) == Skip(name, Reason.MINIFIED)


def test_a_few_long_lines_are_not_minified(tmp_path: Path) -> None:
    plant(tmp_path, {"a": "x" * 5000, "b": "x" * 9000 + "\n" + "y" * 900 + "\n"})
    assert isinstance(read(tmp_path, "a"), Raw)
    assert isinstance(read(tmp_path, "b"), Raw)


def test_a_file_deleted_after_the_listing_has_vanished(tmp_path: Path) -> None:
    plant(tmp_path, {"a/b.py": "", "c.py": ""})
    source = FolderSource(tmp_path)
    listing = source.list()
    (tmp_path / "a" / "b.py").unlink()
    (tmp_path / "a").rmdir()
    (tmp_path / "a").write_text("a file now")
    (tmp_path / "c.py").unlink()
    assert [source.read(entry) for entry in listing.entries] == [
        Skip("a/b.py", Reason.VANISHED),
        Skip("c.py", Reason.VANISHED),
    ]


def test_a_file_that_may_not_be_read_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"a.py": "", "b.py": ""})
    forbid(monkeypatch, "open", "a.py", tmp_path / "a.py")
    assert read(tmp_path, "a.py") == Skip("a.py", Reason.UNREADABLE)
    assert isinstance(read(tmp_path, "b.py"), Raw)


def test_a_folder_that_may_not_be_listed_is_unreadable_and_the_rest_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"shut/a.py": "", "open/b.py": ""})
    forbid(monkeypatch, "scandir", f"{tmp_path}/shut/", tmp_path / "shut")
    assert paths(tmp_path) == ["open/b.py"]
    assert skips(tmp_path) == {"shut": Reason.UNREADABLE}
    (tmp_path / "shut").chmod(0o755)


def forbid(monkeypatch: pytest.MonkeyPatch, name: str, refused: str, path: Path) -> None:
    """Take away the right to read; the superuser keeps it, so there the call itself refuses."""
    path.chmod(0)
    if os.geteuid() != 0:
        return
    real = getattr(os, name)

    def call(target: object, *rest: Any, **options: Any) -> Any:
        if str(target) == refused:
            raise PermissionError(13, "Permission denied", refused)
        return real(target, *rest, **options)

    monkeypatch.setattr(os, name, call)


def test_links_are_not_followed_and_only_those_that_lead_outside_are_counted(
    tmp_path: Path,
) -> None:
    outside = plant(tmp_path / "outside", {"secret.txt": "s"})
    root = plant(tmp_path / "root", {"a/b.py": "", "c.py": ""})
    (root / "file").symlink_to("c.py")
    (root / "folder").symlink_to("a")
    (root / "a" / "loop").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "gone").symlink_to("nowhere")
    (root / "out-file").symlink_to(outside / "secret.txt")
    (root / "out-folder").symlink_to(outside)
    assert paths(root) == ["a/b.py", "c.py"]
    assert skips(root) == {
        "out-file": Reason.SYMLINK_OUTSIDE,
        "out-folder": Reason.SYMLINK_OUTSIDE,
    }


def test_a_root_that_is_a_link_is_the_folder_it_leads_to(tmp_path: Path) -> None:
    plant(tmp_path / "real", {"a.py": "x"})
    (tmp_path / "link").symlink_to("real")
    assert paths(tmp_path / "link") == ["a.py"]
    assert isinstance(read(tmp_path / "link", "a.py"), Raw)


@pytest.mark.parametrize("path", ["../secret.txt", "a/../../secret.txt", "..", "", "a\0b", "/"])
def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    plant(tmp_path, {"secret.txt": "s", "root/a/b.py": ""})
    assert read(tmp_path / "root", path) == Skip(path, Reason.SYMLINK_OUTSIDE)


def test_an_absolute_path_is_refused(tmp_path: Path) -> None:
    plant(tmp_path, {"secret.txt": "s", "root/a.py": ""})
    path = str(tmp_path / "secret.txt")
    assert read(tmp_path / "root", path) == Skip(path, Reason.SYMLINK_OUTSIDE)


@pytest.mark.parametrize("has_openat", [True, False])
@pytest.mark.parametrize("swapped", ["a", "a/b", "a/b/c.py"])
def test_a_link_swapped_in_after_the_listing_is_refused(
    tmp_path: Path, swapped: str, has_openat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.sources.files._HAS_OPENAT", has_openat)
    root = plant(tmp_path / "root", {"a/b/c.py": "mine"})
    outside = plant(tmp_path / "outside", {"a/b/c.py": "theirs"})
    source = FolderSource(root)
    (entry,) = source.list().entries
    assert isinstance(source.read(entry), Raw)
    (root / swapped).rename(tmp_path / "aside")
    (root / swapped).symlink_to(outside / swapped)
    assert source.read(entry) == Skip("a/b/c.py", Reason.SYMLINK_OUTSIDE)


def test_pipes_and_sockets_are_special_and_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
        assert skips(tmp_path) == {"pipe": Reason.SPECIAL, "socket": Reason.SPECIAL}
        assert read(tmp_path, "pipe") == Skip("pipe", Reason.SPECIAL)
        assert read(tmp_path, "socket") == Skip("socket", Reason.SPECIAL)
    assert read(tmp_path.parent, tmp_path.name) == Skip(tmp_path.name, Reason.SPECIAL)


@pytest.mark.parametrize(
    "name", ["new\nline.py", "tab\t\x01\x7f.py", "é日本🔑.py", " x ", "a\\b", "'\""]
)
def test_odd_names_that_are_utf8_are_listed_and_read(tmp_path: Path, name: str) -> None:
    plant(tmp_path, {name: "text"})
    (entry,) = FolderSource(tmp_path).list().entries
    raw = FolderSource(tmp_path).read(entry)
    assert entry.path == name
    assert isinstance(raw, Raw)
    assert raw.text == "text"


def test_names_that_are_not_utf8_are_passed_over_and_can_be_printed(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/d\xff")  # noqa: PTH102 - pathlib takes no bytes
    for name in (b"/a\xff.py", b"/d\xff/b.py"):
        os.close(os.open(os.fsencode(tmp_path) + name, os.O_CREAT | os.O_WRONLY))
    assert paths(tmp_path) == []
    assert skips(tmp_path) == {"a\\udcff.py": Reason.ODD_NAME, "d\\udcff": Reason.ODD_NAME}
    assert all(skip.encode() for skip in skips(tmp_path))


def test_an_ignore_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    plant(tmp_path, {"rules": "*.py", "root/a.py": ""})
    (tmp_path / "root" / ".gitignore").symlink_to(tmp_path / "rules")
    assert paths(tmp_path / "root") == ["a.py"]


def test_a_tree_hundreds_of_folders_deep_is_listed(tmp_path: Path) -> None:
    depth = 400
    plant(tmp_path, {"d/" * depth + "a.py": "x"})
    assert paths(tmp_path) == ["d/" * depth + "a.py"]
    assert isinstance(read(tmp_path, "d/" * depth + "a.py"), Raw)


def look(root: Path, *folders: str, known: tuple[str, ...] = ()) -> tuple[list[str], set[str]]:
    """Look at some folders: the files found there, and the folders that were looked at."""
    listing = FolderSource(root).list(frozenset(folders), known=known)
    assert listing.looked is not None
    return [entry.path for entry in listing.entries], set(listing.looked)


def test_a_look_at_everything_does_not_name_its_folders(tmp_path: Path) -> None:
    plant(tmp_path, {"a/b.py": ""})
    assert FolderSource(tmp_path).list().looked is None


def test_only_the_folders_asked_for_are_looked_at(tmp_path: Path) -> None:
    plant(tmp_path, {"x.py": "", "a/x.py": "", "a/b/x.py": "", "c/x.py": ""})
    known = ("x.py", "a/x.py", "a/b/x.py", "c/x.py")

    assert look(tmp_path, "a", known=known) == (["a/x.py"], {"a"})
    assert look(tmp_path, "", "a/b", known=known) == (["a/b/x.py", "x.py"], {"", "a/b"})
    assert look(tmp_path, known=known) == ([], set())


def test_a_folder_nobody_knew_is_looked_at_with_all_below_it(tmp_path: Path) -> None:
    plant(tmp_path, {"a/x.py": "", "a/new/er/x.py": "", "a/old/new/x.py": "", "a/old/x.py": ""})
    known = ("a/x.py", "a/old/x.py")

    assert look(tmp_path, "a", known=known) == (
        ["a/new/er/x.py", "a/x.py"],
        {"a", "a/new", "a/new/er"},
    )


def test_a_folder_is_known_by_a_path_of_its_own_and_by_anything_below_it(tmp_path: Path) -> None:
    plant(tmp_path, {"a/x.py": "", "b/c/x.py": "", "d/x.png": ""})

    assert look(tmp_path, "", known=("./", "a/", "b/c/x.py", "d/x.png")) == ([], {""})


def test_a_folder_that_is_gone_counts_as_looked_at_with_all_that_was_below_it(
    tmp_path: Path,
) -> None:
    plant(tmp_path, {"a/x.py": "", "a-b/x.py": ""})
    known = ("a/x.py", "a/b/x.py", "a/b/c/d/x.py", "a-b/x.py", "a-b/c/x.py")

    assert look(tmp_path, "a", known=known) == (["a/x.py"], {"a", "a/b", "a/b/c", "a/b/c/d"})
    assert look(tmp_path, "a/b/c", known=known) == ([], {"a/b", "a/b/c", "a/b/c/d"})
    assert look(tmp_path, "never/was", known=known) == ([], {"never"})


@pytest.mark.parametrize("what", ["file", "link", "ignored"])
def test_a_folder_that_is_one_no_longer_is_gone(tmp_path: Path, what: str) -> None:
    root = plant(tmp_path / "root", {"x.py": ""})
    if what == "file":
        plant(root, {"a": ""})
    elif what == "link":
        plant(tmp_path / "outside", {"x.py": ""})
        (root / "a").symlink_to(tmp_path / "outside")
    else:
        plant(root, {"a/x.py": "", ".triviumignore": "a/"})
    for folder in ("", "a", "a/b"):
        found, looked = look(root, folder, known=("x.py", "a/x.py", "a/b/x.py"))
        assert {"a", "a/b"} <= looked
        assert "a/x.py" not in found


@pytest.mark.parametrize("folder", ["..", "a/..", "/", "a//b", ".", "a\0b", "a/.", "\udcff"])
def test_a_folder_by_an_odd_name_is_not_there(tmp_path: Path, folder: str) -> None:
    plant(tmp_path, {"x.py": "", "root/a/b/x.py": ""})
    assert look(tmp_path / "root", folder)[0] == []


def test_part_of_a_folder_follows_the_same_rules_as_the_whole(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".git/info/exclude": "excluded.py",
            ".gitignore": "*.log\n/a/b/only\ndeep/",
            ".triviumignore": "!b/wanted.min.js",
            "a/.gitignore": "!keep.log\nb/c/",
            "a/b/.gitignore": "here.py",
        },
    )
    for name in ("excluded.py", "x.log", "keep.log", "only", "here.py", "wanted.min.js", "x.py"):
        plant(tmp_path, {f"a/b/{name}": "", f"a/b/c/{name}": "", f"a/b/deep/{name}": ""})
    source = FolderSource(tmp_path)
    whole = source.list()
    part = source.list(frozenset({"a/b"}))

    assert [one for one in whole.entries if one.path.startswith("a/b/")] == [*part.entries]
    assert [one for one in whole.skipped if one.path.startswith("a/b/")] == [*part.skipped]
    assert len(part.entries) == len([".gitignore", "keep.log", "x.py"])
    assert part.looked == frozenset({"a/b"})


def test_what_is_passed_over_in_part_of_a_folder_is_told(tmp_path: Path) -> None:
    plant(tmp_path, {"a/x.png": "", "b/x.png": ""})
    listing = FolderSource(tmp_path).list(frozenset({"b"}))
    assert listing.skipped == (Skip("b/x.png", Reason.BINARY),)


def test_a_folder_that_may_not_be_listed_any_more_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"shut/a.py": "", "shut/deep/b.py": ""})
    forbid(monkeypatch, "scandir", f"{tmp_path}/shut/", tmp_path / "shut")
    source = FolderSource(tmp_path)
    listing = source.list(frozenset({"shut"}), known=("shut/a.py", "shut/deep/b.py"))
    assert listing.entries == ()
    assert listing.skipped == (Skip("shut", Reason.UNREADABLE),)
    assert listing.looked == frozenset({"shut", "shut/deep"})
    (tmp_path / "shut").chmod(0o755)


def test_a_root_that_is_suddenly_empty_is_told_as_the_whole(tmp_path: Path) -> None:
    root = plant(tmp_path / "root", {"a/x.py": ""})
    source = FolderSource(root)
    (root / "a" / "x.py").unlink()
    (root / "a").rmdir()
    known = ("a/x.py",)

    assert source.list(frozenset({"", "a"}), known=known).looked is None
    assert source.list(frozenset({"a"}), known=known).looked == frozenset({"a"})
    assert source.list(frozenset(), known=known).looked == frozenset()


def test_a_root_that_went_after_it_was_opened_is_no_empty_one(tmp_path: Path) -> None:
    root = plant(tmp_path / "root", {"x.py": ""})
    source = FolderSource(root)
    root.rename(tmp_path / "moved")
    for folders in (None, frozenset({""})):
        with pytest.raises(NotFound, match="No folder"):
            source.list(folders, known=("x.py",))


def test_a_root_that_may_not_be_listed_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plant(tmp_path / "root", {"x.py": ""})
    source = FolderSource(root)
    forbid(monkeypatch, "scandir", f"{root}/", root)
    with pytest.raises(UsageError, match="cannot be listed"):
        source.list()
    root.chmod(0o755)


def test_a_pointer_to_a_repository_that_never_ends_or_leads_nowhere_does_no_harm(
    tmp_path: Path,
) -> None:
    plant(tmp_path, {".git": "gitdir: " + "x" * 1_000_000, "x.py": ""})
    assert paths(tmp_path) == ["x.py"]
    plant(tmp_path, {".git": b"gitdir: \xff\0/nowhere"})
    assert paths(tmp_path) == ["x.py"]


def test_our_own_files_are_left_out_where_they_lie_in_the_folder(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    patterns = ("*.tmp",)

    assert own_ignores(root, root / "a" / "home", patterns) == ("*.tmp", "/a/home/")
    assert own_ignores(root, root, patterns) == patterns
    assert own_ignores(root, root.parent / "home", patterns) == patterns
