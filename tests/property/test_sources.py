"""A folder lists what git would list, whatever the ignore files say; text survives decoding."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from trivium.parsing.secrets import mask
from trivium.sources.decode import decode
from trivium.sources.files import FolderSource

NAMES = ["a", "b", "ab", "abc", "B", "a.py", "b.py", "c.txt", "x y", "é", "a-b", "[a]", "!b", "#c"]
PIECES = [*NAMES[:9], "*", "**", "?", "a*", "*b", "*.py", "a*c", "[ab]", "[!a]", "[a-c]*", "??"]
ODD = ["\\!b", "\\#c", "[[]a]", "é", "x\\ y", "[[:alpha:]]", "[]a]", "[^b]*", "a\\*", "[a", "\\"]

names = st.sampled_from(NAMES)
segments = st.sampled_from([*PIECES, *ODD])


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """One line: its parts, anchored or not, for folders or not, negated or not."""
    body = "/".join(draw(st.lists(segments, min_size=1, max_size=3)))
    start = draw(st.sampled_from(["", "", "/", "!", "!", "!/"]))
    end = draw(st.sampled_from(["", "", "/", "/*", "/**", " ", "\r"]))
    return start + body + end


ignore_files = st.lists(
    st.one_of(patterns(), st.sampled_from(["/*", "*", "!*/", "!/a/", "", "# c"])), max_size=6
)
trees = st.lists(
    st.lists(names, min_size=1, max_size=4).map("/".join), min_size=1, max_size=14, unique=True
)
folders = st.lists(names, max_size=2).map("/".join)
ENVIRONMENT = {
    "PATH": os.defpath,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}


def plant(root: Path, *, tree: list[str], ignores: dict[str, list[str]]) -> None:
    """Make a repository; where a name is wanted both as a file and a folder, the first wins."""
    (root / ".git" / "objects").mkdir(parents=True)
    (root / ".git" / "refs").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for path in tree:
        try:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).touch()
        except (FileExistsError, NotADirectoryError):
            continue
    for folder, lines in ignores.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_text("\n".join(lines), "utf-8", newline="\n")


def listed_by_git(root: Path) -> list[str]:
    found = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=root,
        env=ENVIRONMENT,
        check=True,
        capture_output=True,
    ).stdout
    return sorted(name for name in found.decode().split("\0") if name)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tree=trees,
    ignores=st.dictionaries(folders, ignore_files, max_size=3),
    exclude=ignore_files,
)
@example(tree=["a/b", "ab/c.txt", "b"], ignores={"": ["/*", "!/ab/"]}, exclude=[])
@example(tree=["a/b/abc", "a/abc"], ignores={"": ["a/b/", "!a/b/abc"]}, exclude=[])
@example(tree=["a", "b/a"], ignores={}, exclude=["[a/[[:alpha:]]"])
@example(tree=["a/b", "b"], ignores={"": ["b"], "a": ["!b"]}, exclude=["a"])
def test_a_folder_lists_exactly_the_files_that_git_lists(
    tree: list[str], ignores: dict[str, list[str]], exclude: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plant(root, tree=tree, ignores=ignores)
        (root / ".git" / "info").mkdir()
        (root / ".git" / "info" / "exclude").write_text("\n".join(exclude), "utf-8", newline="\n")
        ours = [entry.path for entry in FolderSource(root).list().entries]
        assert ours == listed_by_git(root)


@settings(max_examples=60, deadline=None)
@given(tree=trees, lines=ignore_files)
def test_a_trivium_ignore_file_says_the_same_as_a_git_ignore_file(
    tree: list[str], lines: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plant(root, tree=tree, ignores={"": lines})
        by_git = [e.path for e in FolderSource(root).list().entries if e.path != ".gitignore"]
        (root / ".gitignore").rename(root / ".triviumignore")
        ours = [e.path for e in FolderSource(root).list().entries if e.path != ".triviumignore"]
        assert ours == by_git


@settings(max_examples=60, deadline=None)
@given(tree=trees, ignores=st.dictionaries(folders, ignore_files, max_size=2))
def test_a_subfolder_lists_its_share_of_the_repository(
    tree: list[str], ignores: dict[str, list[str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plant(root, tree=["a/a/a.py", *tree], ignores=ignores)
        whole = {entry.path for entry in FolderSource(root).list().entries}
        share = {path.removeprefix("a/") for path in whole if path.startswith("a/")}
        below = {entry.path for entry in FolderSource(root / "a").list().entries}
        # Where the folder itself is ignored, asking for it by name still lists it.
        assert below == share or not share


text_without_zero = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=200
)


@given(text=text_without_zero)
def test_text_in_utf8_comes_back_with_one_kind_of_line_end(text: str) -> None:
    assert decode(text.encode()) == text.replace("\r\n", "\n").replace("\r", "\n")


@given(text=text_without_zero, encoding=st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_text_with_a_byte_order_mark_comes_back_without_it(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text.replace("\r\n", "\n").replace("\r", "\n")


@given(data=st.binary(max_size=300))
def test_whatever_decodes_can_be_stored_as_utf8(data: bytes) -> None:
    text = decode(data)
    assert text is None or ("\0" not in text and "\r" not in text and text.encode() is not None)


secret_pieces = st.sampled_from(
    [
        "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----", "\n", "=",
        "MIIEpAIBAAKCAQEA7bq", "password", "token", '"', "'", "ghp" + "_", "A1b2C3d4E5f6G7h8J9",
        "://", "@host", "Bearer ", "\\n", ":", " ", "eyJhbGciOiJ9xyz", ".", "export ",
        "# ", "é", "\U0001f511",
    ]
)  # fmt: skip


@settings(max_examples=300)
@given(
    text=st.lists(st.one_of(secret_pieces, st.text(max_size=5)), max_size=40).map("".join),
    path=st.sampled_from(["a.py", ".env"]),
)
def test_masking_keeps_the_number_of_lines_and_is_done_after_once(text: str, path: str) -> None:
    once = mask(text, path=path)
    assert once.text.count("\n") == text.count("\n")
    assert (once.count == 0) == (once.text == text)
    assert mask(once.text, path=path).text == once.text
