"""A folder made to do harm does none: each file of it is read, or passed over and counted."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TRIVIUM = Path(sys.executable).with_name("trivium")
FOUND, NOTHING_FOUND, FAILED = 0, 1, 2
DEEP = 100_000
MEGABYTE = 1_000_000

# The net, for what does not end: nothing here is measured.
pytestmark = pytest.mark.timeout(60)


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    stdout: str
    stderr: str

    @property
    def data(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.stdout)
        return read

    @property
    def hits(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.data["results"]
        return found


@dataclass(frozen=True)
class Place:
    """A folder with one file to be found, a home for its index, and the command to run on them."""

    files: Path
    home: Path

    def run(self, *arguments: str | Path, expected: tuple[int, ...] = (FOUND,)) -> Done:
        """Run the installed command on the folder; whatever it holds, nothing breaks."""
        done = subprocess.run(
            [TRIVIUM, *arguments, self.files],
            cwd=self.home,
            env={
                "PATH": os.defpath,
                "HOME": str(self.home),
                "TRIVIUM_HOME": str(self.home / "indexes"),
                "TRIVIUM_CONFIG": str(self.home / "user.toml"),
                "TRIVIUM_EMBEDDING__MODEL": "none",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in expected, done.stderr
        assert "Traceback" not in done.stderr
        assert "Error" not in done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    def write(self, path: str, content: str | bytes) -> None:
        place = self.files / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)

    def taken_in(self) -> dict[str, Any]:
        """Index the folder, find the file that must be found, and return the status.

        What was passed over is counted by its reason, and every other file is linked.
        """
        self.run("index")
        assert "the keel" in self.run("search", "keel", "--no-sync").stdout
        now = self.run("status", "--json", "--skipped", "--failed").data
        assert sum(now["skipped"].values()) == len(now["skippedFiles"])
        assert now["unlinkedFiles"] == 0
        return now

    def paths(self, *arguments: str) -> set[str]:
        """Return the files in which a search finds something."""
        done = self.run("search", "--json", *arguments, expected=(FOUND, NOTHING_FOUND))
        return {hit["source"]["filePath"] for hit in done.hits}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "files", tmp_path / "home")
    made.home.mkdir()
    made.write("notes.md", "# Sailing\n\nthe keel\n")
    made.write(
        "sum.py", "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return add(a, a)\n"
    )
    return made


# Depth


HALF = DEEP // 2
NESTED = {
    "scripts": {
        "deep.js": "[\n" * DEEP + "]\n" * DEEP,
        "deep.jsx": "<a>\n" * DEEP + "</a>\n" * DEEP,
        "deep.py": "x = " + "(\n" * DEEP + ")\n" * DEEP,
        "dots.py": "x = a" + "\n.b()" * DEEP,
        "not.py": "x = (" + "not\n" * DEEP + "a)\n",
    },
    "compiled code": {
        "deep.ts": "function f() {\n" * HALF + "}\n" * HALF,
        "deep.go": "package p\nvar x = " + "(\n" * DEEP + ")\n" * DEEP,
        "deep.rs": "fn f() {\n" * HALF + "}\n" * HALF,
        "Deep.java": "class A {\n" * HALF + "}\n" * HALF,
        "deep.c": "int x = " + "-\n" * DEEP + "1;\n",
    },
    "data": {
        "deep.json": "[\n" * DEEP + "]\n" * DEEP,
        "object.json": '{"a":\n' * DEEP + "1" + "}\n" * DEEP,
        "deep.jsonl": ("[" * 4000 + "]" * 4000 + "\n" + '{"a": 1}\n') * 20,
        "deep.yaml": "\n".join(" " * at + f"k{at}:" for at in range(1300)),
        "flow.yaml": "a: " + "[\n" * DEEP,
        "deep.toml": "a = " + "[\n" * DEEP,
        "deep.ipynb": '{"cells": ' + "[\n" * DEEP,
    },
    "prose": {
        "quotes.md": "# Deep\n\n" + (">" * 900 + " anchor\n") * (DEEP // 900) + ">" * 4000,
        "many_quotes.md": ">\n" * DEEP,
        "lists.md": "\n".join("  " * (at % 400) + f"- anchor {at}" for at in range(1500)),
        "brackets.md": "[\n" * DEEP + "![" * 2000 + "\n" + "*_" * 2000,
        "deep.html": "<div>\n" * DEEP + "anchor" + "</div>\n" * HALF,
        "deep.rst": "\n".join("  " * (at % 400) + "* anchor" for at in range(1500)),
        "deep.adoc": "\n".join("*" * (at % 400) + " anchor" for at in range(1500)),
    },
}


@pytest.mark.parametrize("group", NESTED)
def test_deep_nesting_is_read_as_far_as_it_goes_and_the_others_are_found(
    place: Place, group: str
) -> None:
    for name, content in NESTED[group].items():
        place.write(name, content)
    now = place.taken_in()
    assert now["skipped"] == {}
    assert now["files"] == 2 + len(NESTED[group])
    assert place.paths("add", "--kind", "code") == {"sum.py"}


def test_deep_nesting_that_is_small_enough_to_be_read_at_once_harms_nothing(place: Place) -> None:
    deep = 4000
    for name in ("a.js", "a.json", "a.py", "a.go", "a.rs", "a.rb", "a.php", "a.lua", "a.sh"):
        place.write(name, "[\n" * deep + "]\n" * deep)
        place.write(f"round_{name}", "f(\n" * deep + ")\n" * deep)
        place.write(f"curly_{name}", "{\n" * deep + "}\n" * deep)
    now = place.taken_in()
    assert now["skipped"] == {}
    assert now["files"] == 2 + 9 * 3


def test_folders_within_folders_are_gone_through_to_the_end(place: Place) -> None:
    deep = "/".join(["d"] * 300)
    place.write(f"{deep}/lantern.md", "# Lantern\n")
    assert place.taken_in()["files"] == 3
    assert place.paths("lantern") == {f"{deep}/lantern.md"}


# Size


def test_one_line_of_code_is_passed_over_by_its_length_and_one_of_10_megabytes_by_its_size(
    place: Place,
) -> None:
    line = b"var a=function(b){return b+1};"
    place.write("bundle.js", line * (900_000 // len(line)))
    place.write("huge.js", line * (10 * MEGABYTE // len(line)))
    now = place.taken_in()
    assert now["skipped"] == {"minified": 1, "too-large": 1}
    assert now["skippedFiles"] == {"bundle.js": "minified", "huge.js": "too-large"}


def unclosed(*, seed: int, length: int) -> str:
    signs = ("(", "[", "{", "<", "=>", "?", ":", "`${", "a", "b", "let ", "class ", "type ", "\n")
    chosen = random.Random(seed).choices(signs, k=length)  # noqa: S311 - a test, not a secret
    return "".join(chosen)[:length]


def test_code_that_keeps_a_grammar_guessing_does_not_keep_the_others(place: Place) -> None:
    place.write("guess.ts", unclosed(seed=1, length=30_000))
    place.write("guess.tsx", unclosed(seed=2, length=30_000))
    place.write("guess.go", "package p\n" + "->\n" * 10_000)
    place.write("line.go", "package p\n" + ("->" * 1000 + "\n") * 15)
    now = place.taken_in()
    assert now["skipped"] == {}
    assert now["files"] == 2 + 4
    assert place.paths("add", "--kind", "code") == {"sum.py"}


def test_500_files_that_define_and_call_the_same_function_are_linked(place: Place) -> None:
    for at in range(500):
        place.write(f"many/m{at}.py", "def same():\n    return same()\n\n\nsame()\n")
        place.write(f"loose/l{at}.py", "def own():\n    return same()\n")
    now = place.taken_in()
    assert now["files"] == 2 + 1000
    done = place.run("graph", "callers", "code:many/m7.py#same", "--depth", "1", "--json")
    assert "code:many/m7.py" in done.stdout
    assert "code:many/m8.py" not in done.stdout
    refused = place.run("graph", "callers", "same", expected=(FAILED,))
    assert "500 symbols are named same" in refused.stderr
    assert len(refused.stderr) < 1000


# Office files


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


CONTENTS = {
    "bomb.docx": "word/document.xml",
    "bomb.xlsx": "xl/worksheets/sheet1.xml",
    "bomb.pptx": "ppt/slides/slide1.xml",
    "bomb.epub": "OEBPS/chapter.xhtml",
}


def test_small_office_files_that_unpack_to_very_large_ones_are_not_unpacked(place: Place) -> None:
    for name, member in CONTENTS.items():
        place.write(name, zipped({member: b" " * (60 * MEGABYTE)}))
        assert (place.files / name).stat().st_size < MEGABYTE
    now = place.taken_in()
    assert now["skippedFiles"] == dict.fromkeys(CONTENTS, "unsafe")
    assert now["skipped"] == {"unsafe": len(CONTENTS)}


def test_an_office_file_that_lies_about_its_size_is_not_unpacked_further_than_it_says(
    place: Place,
) -> None:
    content = b"<a>" + b" " * (60 * MEGABYTE) + b"</a>"
    honest = zipped({"word/document.xml": content})
    size = len(content).to_bytes(4, "little")
    assert honest.count(size) == 2
    place.write("liar.docx", honest.replace(size, (1000).to_bytes(4, "little")))
    assert place.taken_in()["skippedFiles"] == {"liar.docx": "damaged"}


def test_an_office_file_whose_entities_grow_is_passed_over_as_unsafe(place: Place) -> None:
    lines = [f'<!ENTITY a{at + 1} "{f"&a{at};" * 10}">' for at in range(12)]
    bomb = f'<!DOCTYPE x [<!ENTITY a0 "ha">{"".join(lines)}]><x>&a12;</x>'.encode()
    place.write("laughs.docx", zipped({"word/document.xml": bomb}))
    place.write("laughs.xlsx", zipped({"xl/workbook.xml": bomb}))
    assert place.taken_in()["skipped"] == {"unsafe": 2}


def pdf(text: str) -> bytes:
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % at for at in places)
    count = len(bodies) + 1
    return made + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (count, table, count, len(made))
    )


def test_a_truncated_pdf_is_passed_over_as_damaged_and_a_whole_one_is_found(place: Place) -> None:
    whole = pdf("a lantern in the fog")
    place.write("whole.pdf", whole)
    place.write("half.pdf", whole[: len(whole) // 2])
    place.write("head.pdf", b"%PDF-1.7\n" + b"\0" * 1000)
    now = place.taken_in()
    assert now["skippedFiles"] == {"half.pdf": "damaged", "head.pdf": "damaged"}
    assert place.paths("lantern") == {"whole.pdf"}


def test_a_file_that_only_has_the_name_of_an_office_file_is_damaged(place: Place) -> None:
    names = [f"noise.{ending}" for ending in ("docx", "xlsx", "pptx", "epub", "pdf")]
    for seed, name in enumerate(names):
        place.write(name, random.Random(seed).randbytes(5000))  # noqa: S311 - a test
    assert place.taken_in()["skippedFiles"] == dict.fromkeys(names, "damaged")


def test_what_was_passed_over_is_not_counted_as_changed_since(place: Place) -> None:
    place.write("noise.pdf", b"%PDF-1.7\n" + b"\0" * 1000)
    place.write("line.js", "var a=1;" * 10_000)
    place.write("nul.txt", b"before\0\0\x01\x02after")
    now = place.taken_in()
    assert now["skipped"] == {"binary": 1, "damaged": 1, "minified": 1}
    assert now["dirtyFiles"] == 0


# Links and names


def test_links_out_of_the_folder_and_in_a_circle_are_not_followed(
    place: Place, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Forbidden\n", "utf-8")
    (place.files / "file.md").symlink_to(outside / "secret.md")
    (place.files / "folder").symlink_to(outside, target_is_directory=True)
    (place.files / "all").symlink_to("/", target_is_directory=True)
    (place.files / "zero.md").symlink_to("/dev/zero")
    (place.files / "self.md").symlink_to("self.md")
    (place.files / "there").symlink_to("back")
    (place.files / "back").symlink_to("there")
    (place.files / "deeper").mkdir()
    (place.files / "deeper" / "up").symlink_to(place.files, target_is_directory=True)
    now = place.taken_in()
    outer = {"file.md", "folder", "all", "zero.md"}
    assert outer <= set(now["skippedFiles"])
    assert {now["skippedFiles"][name] for name in outer} == {"symlink-outside"}
    assert now["files"] == 2
    assert place.paths("forbidden") == set()


def test_a_pipe_and_a_socket_are_not_waited_for(place: Place) -> None:
    os.mkfifo(place.files / "pipe.md")
    now = place.taken_in()
    assert now["skippedFiles"] == {"pipe.md": "special"}


ODD_NAMES = [
    "bell\x07.md",
    "escape\x1b[2J\x1b]0;owned\x07.md",
    "two\nlines.md",
    "return\rover.md",
    "\u202egpj.md",
    "zero\u200bwidth\u2066.md",
    "delete\x7f.md",
    "next\x85line\u2028.md",
    "-rf.md",
    "--help.md",
    " .md",
    "'; touch owned; '.md",
    "$(touch owned).md",
    "%s%n.md",
    "a" * 250 + ".md",
]
_UNSEEN = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"}
UNSEEN = _UNSEEN | {"\u202e", "\u2066", "\u2028", "\u200b"}


def test_names_with_control_characters_are_found_and_never_printed_as_they_are(
    place: Place,
) -> None:
    for name in ODD_NAMES:
        place.write(f"odd/{name}", "# Odd\n\nlantern\n")
        place.write(f"odd/{name[:200]}.py", "def flicker():\n    return 1\n")
    (place.files / "odd" / "gone\x1b.md").symlink_to("/")
    now = place.taken_in()
    assert now["files"] == 2 + 2 * len(ODD_NAMES)
    assert place.paths("lantern", "-n", "100") == {f"odd/{name}" for name in ODD_NAMES}
    printed = [
        place.run("search", "lantern", "-n", "100"),
        place.run("search", "flicker", "-n", "100", "--why"),
        place.run("status", "--skipped"),
        place.run("graph", "neighbors", "file:odd"),
    ]
    for done in printed:
        assert UNSEEN.isdisjoint(done.stdout)
        assert UNSEEN.isdisjoint(done.stderr)
    hits = place.run("search", "lantern", "--json", "-n", "100").hits
    for hit in hits:
        assert "lantern" in place.run("get", "--", hit["id"]).stdout


def test_ignore_rules_that_could_be_tried_in_endless_ways_are_not(place: Place) -> None:
    rules = [
        "*a" * 60 + "b",
        "**/" * 60 + "b",
        "[a-" * 100,
        "(a+)+$",
        "!" * 1000,
        "\\" * 999,
        "{a,{a,",
    ]
    for name in (".gitignore", ".triviumignore", "inner/.gitignore"):
        place.write(name, "\n".join(rules))
    place.write("a" * 240 + ".md", "# Lantern\n")
    place.write("/".join(["a"] * 120) + "/lantern.md", "# Lantern\n")
    place.taken_in()
    assert len(place.paths("lantern")) == 2


# A repository


SETTINGS = """
[core]
    repositoryformatversion = 0
    bare = false
    fsmonitor = "{script}"
    hooksPath = "{hooks}"
    pager = "{script}"
    editor = "{script}"
    sshCommand = "{script}"
    askPass = "{script}"
    alternateRefsCommand = "{script}"
    attributesFile = "{attributes}"
    gitProxy = "{script}"
[diff]
    external = "{script}"
[diff "trap"]
    command = "{script}"
    textconv = "{script}"
[merge "trap"]
    driver = "{script}"
[filter "trap"]
    smudge = "{script}"
    clean = "{script}"
    process = "{script}"
    required = true
[gpg]
    program = "{script}"
[log]
    showSignature = true
[credential]
    helper = "!{script}"
[alias]
    status = "!{script}"
    blame = "!{script}"
    log = "!{script}"
"""


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={
            "PATH": os.defpath,
            "HOME": str(folder.parent / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
        },
        capture_output=True,
        check=False,
    )


@pytest.mark.skipif(shutil.which("git", path=os.defpath) is None, reason="git makes the repository")
def test_settings_of_a_repository_that_would_start_a_program_start_none(
    place: Place, tmp_path: Path
) -> None:
    witness = tmp_path / "owned"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\necho \"$0\" >> '{witness}'\nexit 0\n", "utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    place.write(".gitattributes", "* filter=trap diff=trap merge=trap\n")
    git(place.files, "init", "-b", "main")
    git(place.files, "add", "-A")
    git(place.files, "commit", "-m", "all")
    for hook in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(script, hooks / hook)
        shutil.copy(script, place.files / ".git" / "hooks" / hook)
    (place.files / ".git" / "config").write_text(
        SETTINGS.format(script=script, hooks=hooks, attributes=place.files / ".gitattributes"),
        "utf-8",
    )
    place.write("sum.py", "def add(a, b):\n    return b + a\n")

    place.taken_in()
    place.run("search", "add")
    place.run("status")
    got = place.run("get", "doc:notes.md", "--authors", "--json").data
    place.run("get", "code:sum.py#add", "--authors")

    assert [one["author"] for one in got["authors"]] == ["Ada"]
    assert not witness.exists()
    # The trap is one: git itself, asked the same, falls into it.
    git(place.files, "status")
    assert witness.exists()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".git", "gitdir: .git\n"),
        (".git", "gitdir: /dev/zero\n"),
        (".git", b"\xff\0" * 500_000),
        (".git/HEAD", "ref: ../../../../../../etc/passwd\n"),
        (".git/HEAD", "ref: HEAD\n"),
        (".git/HEAD", "f" * 40),
        (".git/commondir", "..\n"),
        (".git/objects/info/alternates", ".\n../objects\n/\n/dev/zero\n"),
    ],
)
def test_a_repository_that_is_none_has_no_history_and_its_files_are_found(
    place: Place, path: str, content: str | bytes
) -> None:
    if path != ".git":
        (place.files / ".git" / "objects").mkdir(parents=True)
        (place.files / ".git" / "refs").mkdir()
        place.write(".git/HEAD", "ref: refs/heads/main\n")
    place.write(path, content)
    assert place.taken_in()["files"] == 2
    got = place.run("get", "doc:notes.md", "--authors", "--json", expected=(FOUND, FAILED))
    assert got.status == FAILED or got.data["authors"] == []


@pytest.mark.parametrize("shared", [b"..\0..\n", b"/dev/zero\n", b"a" * 5000, b"../" * 100])
def test_a_worktree_whose_repository_is_nowhere_has_no_history(place: Place, shared: bytes) -> None:
    place.write(".git", "gitdir: own\n")
    place.write("own/HEAD", "ref: refs/heads/main\n")
    place.write("own/commondir", shared)
    assert place.taken_in()["branch"] == "main"


# Records


def test_tables_that_are_damaged_or_have_no_end_are_passed_over(place: Place) -> None:
    with closing(sqlite3.connect(place.files / "good.db")) as connection:
        connection.execute("CREATE TABLE lamps (name TEXT, colour TEXT)")
        connection.execute("INSERT INTO lamps VALUES ('lantern', 'amber')")
        connection.execute(
            "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT count(*) AS c FROM n"
        )
        connection.execute("CREATE VIEW itself AS SELECT * FROM itself")
        connection.commit()
    whole = (place.files / "good.db").read_bytes()
    place.write("cut.db", whole[:3000])
    place.write("noise.db", whole[:100] + random.Random(5).randbytes(8000))  # noqa: S311 - a test
    place.write("text.db", "no database at all")
    names = ["good.db:lamps", "good.db:endless", "good.db:itself", "good.db:none", "cut.db:lamps"]
    names += ["noise.db:lamps", "text.db:lamps", "../good.db:lamps", "missing.db:lamps"]
    (place.home / "user.toml").write_text(f"[records]\ntables = {json.dumps(names)}\n", "utf-8")
    now = place.taken_in()
    assert place.paths("amber") == {"good.db:lamps"}
    skipped = now["skippedFiles"]
    assert set(names) - {"good.db:lamps"} <= set(skipped)
    assert skipped["good.db:endless"] == "too-large"
    assert skipped["good.db:itself"] == "unreadable"
    assert skipped["noise.db:lamps"] == "unreadable"
    assert skipped["text.db:lamps"] == "unreadable"
    assert skipped["cut.db:lamps"] == "unreadable"


def test_yaml_whose_anchors_grow_is_not_grown(place: Place) -> None:
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 30)]
    place.write("laughs.yaml", "\n".join(lines))
    place.write("merged.yaml", "a: &a {x: 1}\n" + "b: &b {<<: [*a, *a]}\nc: {<<: [*b, *b]}\n")
    place.write("itself.yaml", "a: &a [*a, {b: *a}]\n")
    place.write("tags.yaml", "!!python/object/apply:os.system ['touch owned']\n")
    place.write("front.md", "---\n" + "\n".join(lines) + "\n---\n\n# Front\n")
    place.write("skill/SKILL.md", "---\nname: s\n" + "\n".join(lines) + "\n---\n\n# Skill\n")
    place.write("list.yaml", "- &a {name: lantern, more: &b [1]}\n- {name: wick, self: *a}\n")
    now = place.taken_in()
    assert now["skipped"] == {}
    assert now["files"] == 2 + 7
    assert now["nodes"] < 1000
    assert place.run("get", "doc:front.md", "--json").stdout.count("lol") < 1000
    assert place.paths("lantern") == {"list.yaml"}
    assert not list(place.files.parent.rglob("owned"))


def test_60_000_lines_of_records_are_taken_in(place: Place) -> None:
    place.write("rows.jsonl", "".join(f'{{"n": {at}}}\n' for at in range(60_000)))
    now = place.taken_in()
    assert now["skipped"] == {}
    assert now["files"] == 3
    assert place.paths("59999") == {"rows.jsonl"}


def test_a_field_of_half_a_megabyte_does_not_hide_the_other_rows(place: Place) -> None:
    rows = "".join(f"row{at},plain\n" for at in range(200))
    place.write("wide.csv", f'name,text\nbefore,lantern\nwide,"{"word " * 100_000}"\n{rows}')
    place.write("open.csv", 'name,text\nbefore,glimmer\nopen,"' + "word,\n" * 30_000)
    place.write("nul.tsv", 'name\ttext\n"a\tb\nc\td\te\tf\n\n\n')
    now = place.taken_in()
    assert now["skipped"] == {}
    assert now["files"] == 2 + 3
    assert place.paths("lantern") == {"wide.csv"}
    assert place.paths("glimmer") == {"open.csv"}
    assert place.paths("row199") == {"wide.csv"}


# Projects and skills


NONSENSE: dict[str, list[str]] = {
    "tsconfig.json": [
        '{"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": 5, "paths": [1, {}]}}',
        '{"compilerOptions": {"baseUrl": "../../../..", "paths": {"*": ["*/*/*"], "": [""]}}}',
        '{"compilerOptions": [], "references": "x", "extends": [[], {}, "/etc/passwd"]}',
        "[[[",
        "null",
    ],
    "package.json": [
        '{"name": 5, "exports": {".": {".": {".": []}}}, "imports": [], "workspaces": {"a": 1}}',
        '{"name": "../..", "main": "/etc/passwd", "workspaces": ["**/**/**/**", "../*"]}',
        '"text"',
        "{",
    ],
    "pyproject.toml": ["project = 5\n[tool]\nx = ", "[project]\nname = []\n[tool.setuptools]\n"],
    "go.mod": ["module\nmodule (\nreplace => =>\n", "module " + "a/" * 2000],
    "Cargo.toml": ["[package]\nname = 1\n[lib]\npath = []\n", "[[[["],
}


@pytest.mark.parametrize("round_", range(5))
def test_project_files_of_nonsense_link_nothing_and_harm_nothing(place: Place, round_: int) -> None:
    for name, contents in NONSENSE.items():
        place.write(name, contents[round_ % len(contents)])
        place.write(f"inner/{name}", contents[(round_ + 1) % len(contents)])
    place.write("inner/b.ts", "export function lantern(): number { return 1 }\n")
    place.write(
        "inner/a.ts",
        "import { lantern } from './b'\nimport x from '@/x'\nimport y from '../../../../y'\n"
        "import z from ''\nexport function lit() { return lantern() }\n",
    )
    now = place.taken_in()
    assert now["skipped"] == {}
    assert now["files"] == 2 + 2 * len(NONSENSE) + 2
    called = place.run("graph", "callees", "code:inner/a.ts#lit", "--json")
    assert "code:inner/b.ts#lantern" in called.stdout


def test_two_skills_of_one_name_are_both_found_under_ids_that_stay(place: Place) -> None:
    skill = "---\nname: same\ndescription: {0}\n---\n\n# Same\n\nthe {0} way\n"
    for folder in ("one", "two"):
        place.write(f"{folder}/SKILL.md", skill.format(folder))

    def ids() -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for hit in place.run("search", "same way", "--kind", "skill", "--json", "-n", "50").hits:
            found.setdefault(hit["source"]["filePath"], set()).add(hit["id"])
        return found

    place.taken_in()
    first = ids()
    assert set(first) == {"one/SKILL.md", "two/SKILL.md"}
    assert first["one/SKILL.md"].isdisjoint(first["two/SKILL.md"])
    place.write("one/SKILL.md", skill.format("one") + "\nmore of it\n")
    place.run("index")
    after_a_change = ids()
    place.run("index", "--rebuild")
    assert after_a_change == ids()
    assert first["two/SKILL.md"] == ids()["two/SKILL.md"]
    for path, some in first.items():
        for one in some:
            assert (
                path.partition("/")[0] in place.run("get", "--json", one).data["source"]["filePath"]
            )
