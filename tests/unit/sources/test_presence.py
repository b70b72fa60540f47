"""A hit is checked against the disk without following links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trivium.sources.presence import is_folder_there, is_same, is_there


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    (made / "a" / "b").mkdir(parents=True)
    (made / "a" / "b" / "c.py").write_text("text", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "c.py").write_text("text", encoding="utf-8")
    return made


def test_a_file_is_there_until_it_is_removed(root: Path) -> None:
    assert is_there(root, "a/b/c.py")

    (root / "a" / "b" / "c.py").unlink()

    assert not is_there(root, "a/b/c.py")


def test_a_folder_is_no_file_and_a_file_no_folder(root: Path) -> None:
    assert not is_there(root, "a/b")
    assert is_folder_there(root, "a/b")
    assert is_folder_there(root, "a/b/")
    assert not is_folder_there(root, "a/b/c.py")
    assert is_folder_there(root, ".")
    assert is_folder_there(root, "")


def test_a_pipe_is_not_a_file(root: Path) -> None:
    os.mkfifo(root / "pipe")

    assert not is_there(root, "pipe")


@pytest.mark.parametrize("swapped", ["a", "a/b", "a/b/c.py"])
def test_a_link_on_the_way_makes_a_file_absent(root: Path, swapped: str, tmp_path: Path) -> None:
    (root / swapped).rename(tmp_path / "aside")
    (root / swapped).symlink_to(tmp_path / "aside")

    assert (root / "a/b/c.py").is_file()
    assert not is_there(root, "a/b/c.py")
    assert not is_folder_there(root, "a/b/c.py")


def test_a_link_is_not_the_folder_it_leads_to(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path / "outside")

    assert not is_folder_there(root, "link")
    assert not is_there(root, "link/c.py")


@pytest.mark.parametrize(
    "path", ["", "..", "../outside/c.py", "a/../../outside/c.py", "/etc/passwd", "a\0b", "x" * 5000]
)
def test_a_path_that_leads_nowhere_or_outside_is_absent(root: Path, path: str) -> None:
    assert not is_there(root, path)
    assert not is_same(root, path, size_bytes=len("text"), mtime_ns=0)


def test_a_file_is_the_same_while_its_size_and_time_are(root: Path) -> None:
    file = root / "a" / "b" / "c.py"
    os.utime(file, ns=(5, 5))

    assert is_same(root, "a/b/c.py", size_bytes=len("text"), mtime_ns=5)
    assert not is_same(root, "a/b/c.py", size_bytes=len("text") + 1, mtime_ns=5)
    assert not is_same(root, "a/b/c.py", size_bytes=len("text"), mtime_ns=6)
    assert not is_same(root, "a/b", size_bytes=(root / "a/b").stat().st_size, mtime_ns=5)
