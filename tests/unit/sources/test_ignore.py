"""One ignore file decides as git would; hostile patterns cost no more than their size."""

from __future__ import annotations

import pytest

from trivium.sources.ignore import Rules, Verdict, bytewise, defaults, parse


def said(lines: str, path: str) -> bool | None:
    """What an ignore file says; a path that ends in a slash is a folder."""
    bare = bytewise(path.removesuffix("/"))
    return parse(lines.encode()).verdict(
        bare, name=bare.rpartition("/")[2], is_directory=path.endswith("/")
    )


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        ("a", "x/a", True),
        ("/a", "x/a", None),
        ("/a", "a", True),
        ("a/", "a", None),
        ("a/", "x/a/", True),
        ("*.py", "x/y.py", True),
        ("*.py\n!y.py", "x/y.py", False),
        ("!y.py\n*.py", "x/y.py", True),
        ("*.tar.gz", "a.tar.gz", True),
        ("x/y", "x/y", True),
        ("x/y", "z/x/y", None),
        ("x/*", "x/y", True),
        ("x/*", "x/y/z", None),
        ("**/y", "y", True),
        ("**/y", "a/b/y", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a/x/y", True),
        ("a/**", "a/", None),
        ("a?c", "abc", True),
        ("a?c", "aéc", None),
        ("a??c", "aéc", True),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", None),
        ("[[:digit:]]x", "1x", True),
        ("[[:nonsense:]]x", "1x", None),
        ("[x", "[x", None),
        ("\\#a", "#a", True),
        ("#a", "#a", None),
        ("\\!a", "!a", True),
        ("a ", "a", True),
        ("a\\ ", "a ", True),
        ("a\r", "a", True),
        ("a\\", "a", None),
        ("\ufeffa", "a", True),
        ("", "a", None),
        ("/", "a/", None),
        ("!", "a", None),
        ("a\\/b", "a/b", True),
        ("x[/a]y", "xay", True),
        ("a\nb", "a\nb", None),
    ],
)
def test_a_pattern_says_what_git_says(lines: str, path: str, expected: bool | None) -> None:
    assert said(lines, path) is expected


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "/" + "*a" * 60 + "b", "**/a*/" * 40 + "b"])
def test_a_pattern_made_to_blow_up_comes_to_an_end(pattern: str) -> None:
    assert said(pattern, "a" * 250) is None
    assert said(pattern, "a/" * 500 + "a") is None


def test_a_trivium_ignore_file_stands_above_the_defaults_and_those_above_git() -> None:
    rules = Rules(defaults().always)
    by_git = rules.below(offset=0, trivium=None, git=b"!x.swp\n*.md")
    by_trivium = by_git.below(offset=0, trivium=b"!x.swp\n!*.md", git=None)

    def judge(rules: Rules, name: str) -> Verdict:
        return rules.judge(name, name=name, is_directory=False)

    assert judge(rules, "x.swp") is Verdict.IGNORED
    assert judge(by_git, "x.swp") is Verdict.IGNORED
    assert judge(by_git, "a.md") is Verdict.IGNORED
    assert judge(by_trivium, "x.swp") is Verdict.WANTED
    assert judge(by_trivium, "a.md") is Verdict.WANTED
    assert judge(by_trivium, "a.py") is Verdict.LISTED


def test_the_insides_of_version_control_are_never_listed() -> None:
    rules = Rules(defaults().always).below(offset=0, trivium=b"!.git\n!*/", git=None)
    assert rules.judge(".git", name=".git", is_directory=True) is Verdict.IGNORED
