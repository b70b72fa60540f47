"""The installed command, as a person runs it."""

import gzip
import json
import math
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from trivium.backends.embedded.lock import writer_lock
from trivium.home import folder_of

COMMAND = Path(sys.executable).parent / "trivium"

AUTH = '''"""Who may come in."""
import hashlib


class Guard:
    """Lets people in."""

    def check(self, password: str) -> bool:
        """Compare the hash of a password with the one on file."""
        return hashlib.sha256(password.encode()).hexdigest() == self.on_file
'''
GUIDE = """# Guide

How to set it up.

## Install

Run the installer twice.

## 東京

東京都に住む人。
"""


@dataclass(frozen=True)
class User:
    """A person with a folder, and an environment that nobody else sees."""

    folder: Path
    environment: dict[str, str]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def json(self, *words: str) -> dict[str, object]:
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer


def make_user(place: Path, *, model: str | None) -> User:
    folder = place / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "auth.py").write_text(AUTH, encoding="utf-8")
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(place),
        "TRIVIUM_HOME": str(place / "home"),
        "TRIVIUM_CONFIG": str(place / "none.toml"),
        "PYTHONWARNINGS": "error",
    }
    if model is not None:
        environment["TRIVIUM_EMBEDDING__MODEL"] = model
    return User(folder, environment)


@pytest.fixture
def user(tmp_path: Path) -> User:
    return make_user(tmp_path, model="none")


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> User:
    made = make_user(tmp_path_factory.mktemp("embedded"), model="minilm")
    done = made.run("index")
    assert done.returncode == 0, done.stderr
    return made


def results(answer: dict[str, object]) -> list[dict[str, object]]:
    found = answer["results"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(("word", "status"), [("password", 0), ("zebra", 1)])
def test_exit_status_says_whether_anything_was_found(user: User, word: str, status: int) -> None:
    done = user.run("search", word)

    assert done.returncode == status
    assert bool(done.stdout) == (status == 0)


def test_a_first_search_builds_the_index_and_shows_place_snippet_and_reason(user: User) -> None:
    done = user.run("search", "hash of a password")

    first = done.stdout.splitlines()
    assert first[0].startswith("1. src/auth.py:8  Guard.check")
    assert first[1].startswith("   code:src/auth.py#Guard.check  method, score ")
    assert "has password, hash" in first[1]
    assert "Compare the hash of a password" in done.stdout
    assert "\x1b" not in done.stdout
    assert "words in 2 files" in done.stderr
    assert "not searched: 1 binary" in done.stderr


def test_the_answer_has_the_shape_of_the_contract(user: User) -> None:
    answer = user.json("search", "password", "--explain")

    assert list(answer)[:6] == ["query", "profile", "method", "embedder", "collection", "results"]
    hit = results(answer)[0]
    assert hit["id"] == "code:src/auth.py#Guard.check"
    assert hit["source"] == {"filePath": "src/auth.py", "startLine": 8, "endLine": 10}
    breakdown = hit["scoreBreakdown"]
    assert isinstance(breakdown, dict)
    assert math.isclose(
        math.fsum(part["value"] for part in breakdown["parts"]), float(str(hit["score"]))
    )
    assert answer["coverage"] == {
        "files": 2,
        "skipped": {"binary": 1},
        "embedded": 0.0,
        "maskedSecrets": 0,
    }


def test_highlights_are_ranges_of_the_snippet(user: User) -> None:
    hit = results(user.json("search", "installer"))[0]

    snippet, marks = str(hit["snippet"]), hit["highlights"]
    assert isinstance(marks, list)
    assert [snippet[first:last] for first, last in marks] == ["Install", "installer"]


def test_japanese_is_found_without_a_dictionary(user: User) -> None:
    assert results(user.json("search", "東京"))[0]["id"] == "doc:guide.md#東京"


def test_an_edit_is_seen_by_the_next_search_and_a_deleted_file_is_gone(user: User) -> None:
    user.run("search", "password")
    (user.folder / "new.md").write_text("# Zebra\n\nStripes.\n", encoding="utf-8")
    (user.folder / "src" / "auth.py").unlink()

    assert results(user.json("search", "zebra"))[0]["id"] == "doc:new.md#Zebra"
    assert user.run("search", "password").returncode == 1


def test_filters_narrow_and_a_wrong_one_names_the_nearest(user: User) -> None:
    assert {
        hit["kind"] for hit in results(user.json("search", "password run", "--kind", "doc"))
    } == {"doc"}

    done = user.run("search", "colour:red lnag:py", "--mode", "cods")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Unknown mode 'cods'" in done.stderr


def test_a_sub_folder_is_searched_through_the_index_above_it(user: User) -> None:
    user.run("index")
    inside = User(user.folder / "src", user.environment)

    assert {hit["kind"] for hit in results(inside.json("search", "password installer"))} == {"code"}
    assert len(json.loads(user.run("collections", "--json").stdout)) == 1


@pytest.mark.parametrize(
    "words", [["reset", "--yes"], ["index", "--rebuild"], ["import", "kept.gz"]]
)
def test_a_sub_folder_cannot_throw_away_the_index_above_it(user: User, words: list[str]) -> None:
    user.run("index")
    user.run("export", "kept.gz")

    done = user.run(*words, "src")

    command = " ".join(word for word in words if word != "--yes")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"it is in the index of {user.folder}. " in done.stderr
    assert done.stderr.endswith(f"run: trivium {command} {user.folder}\n")
    assert len(json.loads(user.run("collections", "--json").stdout)) == 1
    assert user.json("status")["files"] == 2


def test_reset_names_the_folder_whose_index_it_would_remove(user: User) -> None:
    user.run("index")

    done = user.run("reset", ".")

    assert f"Remove the index of {user.folder}?" in done.stderr
    assert done.returncode != 0
    assert user.run("status").returncode == 0


@pytest.mark.parametrize("given", [".", "src", "../shop/src", "absolute"])
def test_a_place_can_be_opened_from_where_the_person_stands(user: User, given: str) -> None:
    user.run("index")
    inside = User(user.folder / "src", user.environment) if given == "." else user
    folder = str(user.folder / "src") if given == "absolute" else given

    shown = inside.run("search", "password", folder).stdout
    said = inside.run("get", "code:src/auth.py#Guard.check", folder).stderr

    place = {".": "auth.py"}.get(given, f"{folder}/auth.py")
    assert shown.startswith(f"1. {place}:8  ")
    assert said == f"{place}:8-10\n"
    assert (inside.folder / place).exists()
    hit = results(inside.json("search", "password", folder))[0]
    assert hit["source"] == {"filePath": "src/auth.py", "startLine": 8, "endLine": 10}


def test_the_id_that_a_search_shows_is_one_that_get_takes(user: User) -> None:
    shown = user.run("search", "installer").stdout.splitlines()[1].split("  ")

    assert user.run("get", shown[1].strip()).stdout.startswith("## Install")


def test_a_query_that_starts_with_a_dash_says_how_to_ask_it(user: User) -> None:
    done = user.run("search", "-zebra")

    assert (done.returncode, done.stdout) == (2, "")
    assert "trivium search -- 'cat -zebra'" in done.stderr
    assert user.run("search", "--", "-zebra password").returncode == 0


def test_one_file_of_an_indexed_folder_is_searched_alone(user: User) -> None:
    (user.folder / "guide.md.orig").write_text("The installer of before.\n", encoding="utf-8")
    (user.folder / "other.md").write_text("# Other\n\nAn installer.\n", encoding="utf-8")
    user.run("index")

    answer = user.json("search", "installer", "guide.md")
    shown = user.run("search", "password", "src/auth.py").stdout

    assert [hit["id"] for hit in results(answer)] == ["doc:guide.md#Install"]
    assert shown.startswith("1. src/auth.py:8  ")


def test_a_file_or_folder_narrows_only_itself_where_others_are_searched_too(user: User) -> None:
    other = user.folder.parent / "other"
    (other / "src").mkdir(parents=True)
    (other / "src" / "notes.md").write_text("# Notes\n\nOf a password.\n", encoding="utf-8")
    (other / "more.txt").write_text("Another password.\n", encoding="utf-8")
    (user.folder / "more.txt").write_text("Yet another password.\n", encoding="utf-8")
    user.run("index")

    for narrowed in ("src", "src/auth.py"):
        answer = user.json("search", "password", narrowed, "--with", "../other")

        paths = [(hit["collection"], hit["source"]["filePath"]) for hit in results(answer)]  # type: ignore[index]
        assert set(paths) == {
            ("shop", "src/auth.py"),
            ("other", "src/notes.md"),
            ("other", "more.txt"),
        }


def test_one_file_of_a_folder_that_is_not_indexed_does_not_index_the_folder(user: User) -> None:
    done = user.run("search", "installer", "guide.md")

    assert (done.returncode, done.stdout) == (2, "")
    assert "guide.md is not a folder" in done.stderr
    assert user.run("collections").returncode == 1


@pytest.mark.parametrize("query", ["", "  ", "lang:markdown", "?!"])
def test_a_query_without_words_says_what_is_missing(user: User, query: str) -> None:
    done = user.run("search", query)

    assert (done.returncode, done.stdout) == (1, "")
    assert "the query has no words: give words to look for" in done.stderr


def test_a_kind_that_does_not_exist_is_refused_with_the_nearest(user: User) -> None:
    done = user.run("search", "password", "--kind", "dcos")

    assert (done.returncode, done.stdout) == (2, "")
    assert "Unknown kind 'dcos'. Did you mean 'doc'? Use code, doc, " in done.stderr
    assert user.run("search", "password", "--kind", "CODE").returncode == 0


def test_a_lock_is_told_of_once(user: User) -> None:
    user.run("index")
    kept = folder_of(user.folder.resolve(), Path(user.environment["TRIVIUM_HOME"]))
    with writer_lock(kept, wait_s=0.0):
        done = user.run("search", "password")

    assert done.returncode == 0
    assert done.stderr.count("is being written by") == 1


def test_status_lists_what_was_passed_over_and_why(user: User) -> None:
    user.run("index")

    assert user.run("status", "--skipped").stdout == "logo.png\tbinary\n"
    assert user.json("status", "--skipped")["skippedFiles"] == {"logo.png": "binary"}
    assert "skipped   1 binary (--skipped lists them)" in user.run("status").stdout


def test_verbose_logs_what_trivium_does_and_no_library(user: User) -> None:
    done = user.run("-v", "index")

    logged = done.stderr.splitlines()
    assert logged
    assert all(line.startswith("trivium") for line in logged)


def test_no_name_or_heading_reaches_a_terminal_as_a_command(user: User) -> None:
    # click drops colours in a pipe, so that only a sequence it does not know proves anything.
    odd = user.folder / "src" / "red\x1b]0;"
    odd.mkdir()
    (odd / "a\x1b]0;.md").write_text("# Bell \x1b]0;title\x07\n\nA zebra.\n", encoding="utf-8")
    (odd / "b\x1b]0;.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    alone = User(odd, user.environment | {"TRIVIUM_HOME": str(user.folder / ".home")})
    (found,) = results(alone.json("search", "zebra"))

    runs = [
        alone.run(*words)
        for words in (
            ["-v", "index", "--rebuild"],
            ["search", "zebra", "--explain"],
            ["search", "zebra", str(odd)],
            ["get", str(found["id"])],
            ["get", "doc:\x1b]0;"],
            ["status"],
            ["status", "--skipped"],
            ["collections"],
            ["export", "\x1b]0;.gz"],
            ["search", "zebra", "\x1b]0;"],
            ["search", "zebra", "--\x1b]0;"],
            ["eval", "\x1b]0;"],
            ["doctor"],
            ["reset"],
        )
    ]

    for done in runs:
        assert done.stdout + done.stderr
        assert "\x1b" not in done.stdout + done.stderr
    assert "\\x1b]0;.md:" in runs[1].stdout


def test_json_holds_no_character_that_steers_a_terminal(user: User) -> None:
    (user.folder / "odd.md").write_text("# Zebra \x9b2J \x1b[2J\n", encoding="utf-8")

    done = user.run("search", "zebra", "--json")

    assert not {"\x1b", "\x9b"} & set(done.stdout)
    assert "\x9b2J" in str(results(json.loads(done.stdout))[0]["snippet"])


def test_index_adds_meaning_and_search_uses_it(embedded: User) -> None:
    answer = embedded.json("search", "verify a login secret", "--explain")

    assert (answer["method"], answer["embedder"]) == ("hybrid", "minilm")
    assert results(answer)[0]["id"] == "code:src/auth.py#Guard.check"
    assert answer["degraded"] == []


def test_search_on_a_fresh_folder_answers_by_words_and_the_instant_model(tmp_path: Path) -> None:
    answer = make_user(tmp_path, model="static").json("search", "verify a login secret")

    assert (answer["method"], answer["embedder"]) == ("hybrid", "static")
    assert results(answer)[0]["id"] == "code:src/auth.py#Guard.check"
    assert (answer["degraded"], answer["notes"]) == ([], [])


def test_search_before_a_slow_model_is_done_says_how_to_have_it_embed(tmp_path: Path) -> None:
    fresh = make_user(tmp_path, model="minilm")

    answer = fresh.json("search", "password")

    assert (answer["embedder"], answer["degraded"]) == ("static", [])
    assert answer["notes"] == [
        f"minilm has yet to embed, static answers; run: trivium index {fresh.folder}"
    ]


def test_a_model_named_to_index_is_remembered_and_status_says_what_is_to_go(
    tmp_path: Path,
) -> None:
    fresh = make_user(tmp_path, model=None)
    fresh.run("index", "--model", "minilm", "--no-embed")

    before = fresh.json("status")
    fresh.run("index")
    after = fresh.json("status")

    filling = before["filling"]
    assert isinstance(filling, dict)
    assert (filling["model"], filling["secondsLeft"], filling["texts"] > 0) == (
        "minilm",
        None,
        True,
    )
    assert (before["model"], after["model"], after["filling"]) == ("minilm", "minilm", None)
    assert fresh.json("search", "password")["embedder"] == "minilm"
    fresh.run("index", "--rebuild", "--no-embed")
    assert fresh.json("status")["model"] == "minilm"


def test_an_unknown_model_names_the_nearest(user: User) -> None:
    done = user.run("index", "--model", "minilmm")

    assert done.returncode == 2
    assert "Did you mean 'minilm'?" in done.stderr


def test_indexing_twice_embeds_nothing_twice(embedded: User) -> None:
    again = embedded.json("index")

    assert (again["added"], again["changed"], again["embeddedTexts"]) == (0, 0, 0)


def test_get_prints_the_text_of_a_node_and_of_a_chunk(user: User) -> None:
    user.run("index")

    whole = user.run("get", "doc:guide.md#Install")
    chunk = user.run("get", "doc:guide.md#Install@0")

    assert whole.stdout == chunk.stdout
    assert whole.stdout.startswith("## Install")


def test_get_of_an_unknown_id_is_an_error(user: User) -> None:
    user.run("index")

    done = user.run("get", "code:nowhere")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "trivium: Chunk not found: code:nowhere\n"


@pytest.mark.parametrize("command", ["status", "get", "export", "reset"])
def test_a_folder_without_an_index_says_how_to_build_one(user: User, command: str) -> None:
    words = {"get": ["x"], "export": ["out.gz"], "reset": [".", "--yes"]}.get(command, [])

    done = user.run(command, *words)

    assert done.returncode == 2
    assert f"No index for {user.folder}. Build one with: trivium index {user.folder}" in done.stderr


def test_status_counts_what_is_there_and_what_was_passed_over(user: User) -> None:
    user.run("index")
    (user.folder / "guide.md").write_text("# Changed\n", encoding="utf-8")

    status = user.json("status")

    assert status["files"] == 2
    assert status["skipped"] == {"binary": 1}
    assert status["dirtyFiles"] == 1
    assert "doc" not in user.run("status").stderr


def test_export_reset_import_gives_the_same_answer_without_the_model(
    embedded: User, tmp_path: Path
) -> None:
    before = results(embedded.json("search", "verify a login secret", "--no-sync"))
    file = tmp_path / "shop.jsonl.gz"
    embedded.run("export", str(file))
    other = make_user(tmp_path / "other", model="minilm")

    with gzip.open(file) as archive:
        assert archive.readline().startswith(b'{"trivium": 1')
    assert other.run("import", str(file)).returncode == 0
    after = results(other.json("search", "verify a login secret", "--no-sync"))

    assert [(hit["id"], hit["score"]) for hit in after] == [
        (hit["id"], hit["score"]) for hit in before
    ]


def test_reset_removes_the_index_and_leaves_the_folder(user: User) -> None:
    user.run("index")

    assert user.run("reset", "--yes").returncode == 0
    assert (user.folder / "guide.md").exists()
    assert user.run("status").returncode == 2


def test_doctor_prints_every_setting_with_its_origin(user: User) -> None:
    (user.folder / "trivium.toml").write_text("[chunking]\nsize = 900\n", encoding="utf-8")

    settings = user.json("doctor")["settings"]

    assert isinstance(settings, dict)
    assert settings["embedding.model"] == {"value": "none", "origin": "TRIVIUM_EMBEDDING__MODEL"}
    assert settings["chunking.size"] == {"value": 900, "origin": str(user.folder / "trivium.toml")}
    assert settings["chunking.overlap"]["origin"] == "default"


def test_eval_measures_a_set_of_judged_queries(user: User, tmp_path: Path) -> None:
    data = tmp_path / "tiny"
    (data / "qrels").mkdir(parents=True)
    documents = [
        {"_id": "d1", "title": "", "text": "a red fox"},
        {"_id": "d2", "title": "", "text": "a blue whale"},
    ]
    (data / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    (data / "queries.jsonl").write_text('{"_id": "q1", "text": "whale"}', encoding="utf-8")
    (data / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td2\t1\n", encoding="utf-8"
    )

    done = user.run("eval", str(data), "--profile", "best", "--profile", "rag")

    assert done.returncode == 0, done.stderr
    assert "1.0000" in done.stdout


def test_a_terminal_shows_a_bar_and_a_pipe_does_not(user: User) -> None:
    piped = user.run("index")
    user.run("reset", "--yes")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "index"],
        cwd=user.folder,
        env=user.environment,
        stderr=theirs,
        stdout=subprocess.PIPE,
    ) as process:
        process.communicate()
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)

    assert "█" not in piped.stderr
    assert "reading    ████" in shown
    assert shown.index("looking for files") < shown.index("reading") < shown.index("saving")


def test_help_names_every_command(user: User) -> None:
    shown = user.run("--help").stdout

    assert all(
        name in shown for name in ("search", "index", "status", "get", "export", "serve", "mcp")
    )


def test_a_query_without_quotes_is_told_to_use_them(user: User) -> None:
    done = user.run("search", "required", "flags", ".")

    assert done.returncode == 2
    assert "in quotes" in done.stderr


def test_a_folder_that_is_not_there_is_not_told_to_be_indexed(user: User) -> None:
    done = user.run("status", "nowhere")

    assert done.returncode == 2
    assert "is not a folder" in done.stderr
