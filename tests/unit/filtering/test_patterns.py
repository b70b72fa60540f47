"""Which texts are patterns, and what they find."""

from __future__ import annotations

import pytest

from trivium.filtering.patterns import pattern


@pytest.mark.parametrize(
    ("written", "path", "is_found"),
    [
        (r"/util\.ts$/", "src/util.ts", True),
        (r"/util\.ts$/", "src/Util.ts", False),
        (r"/util\.ts$/i", "src/Util.TS", True),
        (r"/util\.ts$/gi", "src/Util.TS", True),
        ("/^b/", "a\nb", False),
        ("/^b/m", "a\nb", True),
        ("/a.b/", "a\nb", False),
        ("/a.b/s", "a\nb", True),
        ("/é/i", "É.md", True),
        ("/a/", "\ud800a", True),
        ("/src/api/", "src/api/x", True),
    ],
)
def test_a_pattern_finds_what_it_says(written: str, path: str, is_found: bool) -> None:
    finds = pattern(written)

    assert finds is not None
    assert finds(path) is is_found


@pytest.mark.parametrize(
    "written",
    [
        "util",
        "/util",
        "util/",
        "//",
        "/(/",
        "/[/",
        r"/(a)\1/",
        "/(?=a)/",
        "/a/x",
        "/a/I",
        "/" * 2000,
    ],
)
def test_what_cannot_be_read_is_no_pattern(written: str) -> None:
    assert pattern(written) is None


def test_a_pattern_made_to_run_for_ever_ends() -> None:
    """A backtracking engine would try 2 ** 5000 ways."""
    finds = pattern("/(a*)*(a|aa)+$/")

    assert finds is not None
    assert not finds("a" * 5000 + "b")


def test_a_pattern_too_large_for_its_memory_is_none() -> None:
    assert pattern("/((a{100}){100}){10}/") is None
