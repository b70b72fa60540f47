"""A slower model fills in: by several processes at once, through kill -9, what is opened first."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from trivium.testing.filling import vectors_of
from trivium.testing.scripted import Reply, Scripted, running

TRIVIUM = Path(sys.executable).with_name("trivium")
FILES = 150
LONG_S = 60.0
OLD_S = 1_000_000_000


@dataclass
class Counting(Scripted):
    """An embedding service that counts every text, and answers none while it is held."""

    texts: Counter[str] = field(default_factory=Counter)
    dimension: int = 16
    free: int = 10_000
    is_asked: threading.Event = field(default_factory=threading.Event)
    may_answer: threading.Event = field(default_factory=threading.Event)
    # Texts with one of these in them get no numbers.
    unknown: tuple[str, ...] = ()

    def answer(self, request: dict[str, Any]) -> Reply:
        self.texts.update(request["input"])
        self.free -= 1
        if self.free < 0:
            self.is_asked.set()
            self.may_answer.wait(LONG_S)
        data = [
            {"index": index, "embedding": vector.tolist()}
            for index, vector in enumerate(vectors_of(request["input"], dimension=self.dimension))
        ]
        for text, one in zip(request["input"], data, strict=True):
            if any(word in text for word in self.unknown):
                one["embedding"] = [None] * self.dimension
        return Reply(body=json.dumps({"data": data}))

    def hold_after(self, requests: int) -> None:
        self.free = requests

    def let_go(self) -> None:
        self.free = 10_000
        self.may_answer.set()


@pytest.fixture
def service() -> Iterator[Counting]:
    with running(Counting(), path="/v1") as server:
        try:
            yield server
        finally:
            server.let_go()


@dataclass(frozen=True)
class Place:
    """A folder, a home for its index, and the command to run on them."""

    folder: Path
    environment: dict[str, str]

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [TRIVIUM, *words],
            cwd=self.folder,
            env=self.environment | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **more: str) -> str:
        process = self.start(*words, **more)
        stdout, stderr = process.communicate(timeout=LONG_S)
        assert process.returncode == 0, stderr
        return stdout

    def json(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run(*words, "--json"))
        return found


@pytest.fixture
def place(tmp_path: Path, service: Counting) -> Place:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(FILES):
        path = folder / f"note{number:03}.md"
        path.write_text(f"# Note {number}\n\nThis one is number {number}.\n", encoding="utf-8")
        os.utime(path, (OLD_S + number, OLD_S + number))
    environment = dict(os.environ) | {  # noqa: TID251 - handed on to the command
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "openai:counting",
        "TRIVIUM_EMBEDDING__BASE_URL": service.url,
    }
    return Place(folder, environment)


def read_until(process: subprocess.Popen[str], is_it: Callable[[str], bool]) -> str:
    assert process.stderr is not None
    return next(line for line in process.stderr if is_it(line))


def test_two_commands_at_once_send_no_text_twice(place: Place, service: Counting) -> None:
    place.run("index", "--no-embed")
    service.hold_after(0)
    first = place.start("index", "--json")
    assert service.is_asked.wait(LONG_S)
    second = place.start("index", "--json")
    said = read_until(second, lambda line: "is at work in process" in line)
    service.let_go()

    done = [json.loads(process.communicate(timeout=LONG_S)[0]) for process in (first, second)]

    assert f"process {first.pid}" in said
    assert set(service.texts.values()) == {1}
    assert sum(one["embeddedTexts"] for one in done) == len(service.texts)
    assert [one["embedded"] for one in done] == [1.0, 1.0]


def test_a_server_that_fills_in_and_a_command_send_no_text_twice(
    place: Place, service: Counting
) -> None:
    service.hold_after(0)
    server = place.start("serve", "--port", "0")
    try:
        assert service.is_asked.wait(LONG_S)
        command = place.start("index", "--json")
        read_until(command, lambda line: "is at work in process" in line)
        service.let_go()
        done = json.loads(command.communicate(timeout=LONG_S)[0])
    finally:
        server.kill()
        server.communicate()

    assert set(service.texts.values()) == {1}
    assert done["embedded"] == 1.0


def test_who_waits_takes_over_when_the_other_is_killed(place: Place, service: Counting) -> None:
    place.run("index", "--no-embed")
    service.hold_after(1)
    first = place.start("index")
    assert service.is_asked.wait(LONG_S)
    second = place.start("index", "--json")
    read_until(second, lambda line: "is at work in process" in line)

    first.send_signal(signal.SIGKILL)
    first.communicate()
    service.let_go()
    done = json.loads(second.communicate(timeout=LONG_S)[0])

    assert done["embedded"] == 1.0
    # What was on its way when it died is lost; what it had stored is not sent again.
    again = [text for text, count in service.texts.items() if count > 1]
    assert len(again) == 64
    assert done["embeddedTexts"] == len(service.texts) - 64


def test_after_kill_9_status_says_one_thing(place: Place, service: Counting) -> None:
    service.hold_after(1)
    killed = place.start("index")
    assert service.is_asked.wait(LONG_S)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    service.let_go()

    before = place.json("status")
    said = place.run("status")

    texts = before["filling"]["texts"]
    # Every text is a chunk here, so that both counts must be one.
    everything = texts + 64
    assert before["filling"]["embedded"] == pytest.approx(64 / everything, abs=1e-4)
    assert [one["model"].partition("-")[0] for one in before["spaces"]] == ["static"]
    assert said.count("to go") == 1
    assert f"{100 * 64 // everything}%, {texts:,} texts to go" in said

    place.run("index")
    assert place.json("status")["filling"] is None
    assert sum(service.texts.values()) == everything + 64


def first_sent(service: Counting) -> str:
    return str(service.requests[0]["input"][0])


def test_the_newest_file_is_sent_first_and_one_that_was_only_found_is_not(
    place: Place, service: Counting
) -> None:
    place.run("index", "--no-embed")
    place.run("search", "number 7", TRIVIUM_EMBEDDING__MODEL="static")

    place.run("index")

    assert f"number {FILES - 1}." in first_sent(service)


def test_what_was_opened_by_the_command_is_sent_first(place: Place, service: Counting) -> None:
    place.run("index", "--no-embed")
    place.run("get", "doc:note003.md")
    place.run("get", "doc:note007.md")
    place.run("get", "doc:note007.md")

    place.run("index")

    sent = service.requests[0]["input"]
    assert ["number 7." in sent[0], "number 3." in sent[1]] == [True, True]
    assert f"number {FILES - 1}." in sent[2]


def test_what_was_opened_over_http_is_sent_first_by_a_command(
    place: Place, service: Counting
) -> None:
    place.run("index", "--no-embed")
    server = place.start("serve", "--port", "0", TRIVIUM_EMBEDDING__MODEL="none")
    try:
        address = read_until(server, lambda line: "http://" in line).split()[-1]
        wanted = quote("doc:note011.md", safe="")
        with httpx.Client(base_url=address, trust_env=False, timeout=LONG_S) as client:
            assert client.get(f"/api/nodes/{wanted}").status_code == 200
    finally:
        server.kill()
        server.communicate()

    place.run("index")

    assert "number 11." in first_sent(service)


def test_a_model_that_gives_vectors_of_another_length_is_made_anew_by_a_rebuild(
    place: Place, service: Counting
) -> None:
    place.run("index")
    service.dimension = 24

    refused = place.start("search", "note")
    said = refused.communicate(timeout=LONG_S)[1]
    assert refused.returncode == 2
    assert "gives vectors of 24 numbers; those of the index have 16" in said
    assert f"trivium index {place.folder} --rebuild" in said

    done = place.json("index", "--rebuild")

    assert done["embedded"] == 1.0
    assert done["embeddedTexts"] == len(service.texts) - len({"note", "dimension"})
    assert place.json("search", "note")["embedder"] == "openai:counting"


def test_a_rebuild_of_a_model_that_gives_the_same_sends_nothing_again(
    place: Place, service: Counting
) -> None:
    place.run("index")

    assert place.json("index", "--rebuild")["embeddedTexts"] == 0
    assert {text for text, count in service.texts.items() if count > 1} <= {"dimension"}


def test_status_names_the_model_and_why_it_cannot_be_used(place: Place, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.onnx").write_text("junk")
    (tmp_path / "model" / "tokenizer.json").write_text("{}")
    broken = {"TRIVIUM_EMBEDDING__MODEL": f"onnx:{tmp_path / 'model'}"}
    none = {"TRIVIUM_EMBEDDING__MODEL": "none"}

    indexed = place.run("index", **broken)
    said = place.run("status", **broken)

    assert "embedded: 0%" in indexed
    assert f"model     onnx:{tmp_path / 'model'} cannot be used: Cannot use" in said
    assert ".." not in said
    assert "model     none: searches go by words alone" in place.run("status", **none)
    assert "embedded: 0%" in place.run("index", **none)


def test_ctrl_c_while_another_embeds_ends_at_once_and_leaves_the_other_be(
    place: Place, service: Counting
) -> None:
    place.run("index", "--no-embed")
    service.hold_after(0)
    first = place.start("index", "--json")
    assert service.is_asked.wait(LONG_S)
    second = place.start("index")
    read_until(second, lambda line: "is at work in process" in line)

    second.send_signal(signal.SIGINT)
    said = second.communicate(timeout=LONG_S)[1]
    service.let_go()

    assert second.returncode == 130
    assert "Interrupted" in said
    assert json.loads(first.communicate(timeout=LONG_S)[0])["embedded"] == 1.0


def test_a_text_of_ten_megabytes_is_embedded_by_its_start(place: Place, service: Counting) -> None:
    lines = "A line of plain words, and one more.\n" * 300_000
    (place.folder / "long.md").write_text(f"# Long\n\n{lines}", encoding="utf-8")
    large = {"TRIVIUM_FILES__MAX_BYTES": "20000000", "TRIVIUM_CHUNKING__SIZE": "20000000"}

    place.run("index", **large)

    sent = max(service.texts, key=len)
    assert sent.startswith("Long")
    assert 7000 < len(sent) <= 8000
    assert '"filling": null' in place.run("status", "--json", **large)


def left_over(place: Place) -> list[str]:
    """Return what is still there of the index, files and folders."""
    home = Path(place.environment["TRIVIUM_HOME"])
    return sorted(
        str(one.relative_to(home))
        for kept in ("collections", "store")
        for one in (home / kept).rglob("*")
    )


def test_a_reset_under_one_that_fills_in_leaves_nothing_and_ends_it(
    place: Place, service: Counting
) -> None:
    service.hold_after(1)
    filling = place.start("index")
    assert service.is_asked.wait(LONG_S)

    place.run("reset", "--yes")
    service.let_go()
    stdout, stderr = filling.communicate(timeout=LONG_S)

    assert (filling.returncode, stdout) == (2, "")
    assert stderr.count("was removed") == 1
    assert "Traceback" not in stderr
    assert f"trivium index {place.folder}" in stderr
    assert left_over(place) == []
    # The request that was under way is the last one.
    assert len(service.requests) == 2


def test_a_reset_ends_one_that_waits_for_its_turn_too(place: Place, service: Counting) -> None:
    service.hold_after(1)
    first = place.start("index")
    assert service.is_asked.wait(LONG_S)
    second = place.start("index")
    read_until(second, lambda line: "is at work in process" in line)

    place.run("reset", "--yes")
    said = second.communicate(timeout=LONG_S)[1]
    service.let_go()
    first.communicate(timeout=LONG_S)

    assert [first.returncode, second.returncode] == [2, 2]
    assert said.count("was removed") == 1
    assert left_over(place) == []


def test_a_reset_under_one_that_fills_in_leaves_another_worktree_its_vectors(
    place: Place, service: Counting, tmp_path: Path
) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(place.folder)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True)
    other = Place(tmp_path / "other", place.environment)
    subprocess.run([*git, "worktree", "add", "-q", str(other.folder)], check=True)
    (other.folder / "own.md").write_text("# Own\n\nOnly here.\n", encoding="utf-8")
    other.run("index", "--no-embed")
    service.hold_after(1)
    filling = place.start("index")
    assert service.is_asked.wait(LONG_S)

    place.run("reset", "--yes")
    service.let_go()
    filling.communicate(timeout=LONG_S)

    assert filling.returncode == 2
    assert [one for one in left_over(place) if one.startswith("collections/notes")] == []
    done = other.json("index")
    assert done["embedded"] == 1.0
    # What was stored before the reset is still there for the other.
    assert done["embeddedTexts"] == len(service.texts) - 64


def test_a_reset_under_a_server_that_fills_in_leaves_nothing_until_somebody_searches(
    place: Place, service: Counting
) -> None:
    service.hold_after(1)
    server = place.start("serve", "--port", "0")
    try:
        address = read_until(server, lambda line: "http://" in line).split()[-1]
        assert service.is_asked.wait(LONG_S)
        place.run("reset", "--yes")
        service.let_go()
        said = read_until(server, lambda line: "was removed" in line)
        after = left_over(place)
        with httpx.Client(base_url=address, trust_env=False, timeout=LONG_S) as client:
            (place.folder / "note000.md").write_text("# Other\n\nA change.\n", encoding="utf-8")
            found = client.get("/api/search", params={"q": "number 7", "limit": 1}).json()
    finally:
        server.kill()
        server.communicate()

    assert f"trivium index {place.folder}" in said
    assert after == []
    assert found["results"][0]["source"]["filePath"] == "note007.md"


def test_a_reset_under_a_watch_that_fills_in_ends_the_watch(
    place: Place, service: Counting
) -> None:
    service.hold_after(1)
    watching = place.start("index", "--watch")
    assert service.is_asked.wait(LONG_S)

    place.run("reset", "--yes")
    service.let_go()
    said = watching.communicate(timeout=LONG_S)[1]

    assert watching.returncode == 2
    assert said.count("was removed") == 1
    assert left_over(place) == []


def test_a_rebuild_sends_nothing_before_a_large_bill_is_agreed_to(
    place: Place, service: Counting
) -> None:
    place.run("index")
    (place.folder / "new.md").write_text("# New\n\nA text that is new.\n", encoding="utf-8")
    before = len(service.requests)

    refused = place.start("index", "--rebuild", TRIVIUM_EMBEDDING__MOST_TOKENS="1")
    said = refused.communicate(timeout=LONG_S)[1]

    assert refused.returncode == 2
    assert "nothing was sent" in said
    assert len(service.requests) == before


def test_the_word_that_a_rebuild_asks_for_is_on_the_bill_too(
    place: Place, service: Counting
) -> None:
    place.run("index")
    before = len(service.requests)

    refused = place.start("index", "--rebuild", TRIVIUM_EMBEDDING__MOST_TOKENS="2")
    said = refused.communicate(timeout=LONG_S)[1]
    asked = len(service.requests) - before
    agreed = place.start("index", "--rebuild")
    heard = agreed.communicate(timeout=LONG_S)[1]

    assert (refused.returncode, agreed.returncode) == (2, 0)
    assert f"1 text to send, about {-(-len('dimension') // 3)} tokens" in said
    assert "1 text to send" in heard
    assert (asked, len(service.requests) - before) == (0, 1)


def test_a_rebuild_of_an_index_without_vectors_asks_for_no_word(
    place: Place, service: Counting
) -> None:
    place.run("index", "--no-embed")

    assert place.json("index", "--rebuild")["embedded"] == 1.0
    assert "dimension" not in service.texts


def test_a_rebuild_that_would_send_too_much_keeps_the_vectors(
    place: Place, service: Counting
) -> None:
    place.run("index")
    before = len(service.requests)
    service.dimension = 24

    refused = place.start("index", "--rebuild", TRIVIUM_EMBEDDING__MOST_TOKENS="10")
    said = refused.communicate(timeout=LONG_S)[1]

    assert refused.returncode == 2
    assert "gives vectors of 24 numbers now, those kept have 16" in said
    assert "the vectors are kept" in said
    assert service.requests[before:] == [service.requests[-1]]
    assert service.requests[-1]["input"] == ["dimension"]
    service.dimension = 16
    done = place.json("index")
    assert (done["embeddedTexts"], done["embedded"]) == (0, 1.0)


def test_a_rebuild_that_goes_on_watching_makes_vectors_anew_too(
    place: Place, service: Counting
) -> None:
    place.run("index")
    service.dimension = 24

    watching = place.start("index", "--rebuild", "--watch")
    try:
        said = read_until(watching, lambda line: "embedded" in line)
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=LONG_S)

    assert "texts embedded" in said
    spaces = {one["model"][:6]: one["dimension"] for one in place.json("status")["spaces"]}
    assert spaces["openai"] == 24


def test_a_text_without_a_vector_is_named_by_status_and_sent_again_by_the_next_index(
    place: Place, service: Counting
) -> None:
    service.unknown = ("number 7.", "number 9.")
    first = place.json("index")
    sent = sum(service.texts.values())
    # Not again in the run that has just asked for it.
    assert set(service.texts.values()) == {1}
    before = place.json("status", "--blank")
    said = place.run("status")
    assert (first["embedded"], before["blankChunks"]) == (1.0, 2)
    assert before["blankFiles"] == {"note007.md": 1, "note009.md": 1}
    assert "blank     2 chunks in 2 files that openai:counting gave no vector for" in said
    assert place.run("status", "--blank").splitlines() == [
        f"note00{number}.md\t1 chunk without a vector" for number in (7, 9)
    ]
    (place.folder / "new.md").write_text("# New\n\nA text that is new.\n", encoding="utf-8")
    service.unknown = ("number 9.",)

    again = place.start("index", "--json")
    stdout, stderr = again.communicate(timeout=LONG_S)

    new = sum(service.texts.values()) - sent - 2
    assert f"openai:counting: {new + 2} texts to send" in stderr
    assert json.loads(stdout)["embeddedTexts"] == new + 1
    after = place.json("status", "--blank")
    assert (after["blankChunks"], after["blankFiles"]) == (1, {"note009.md": 1})
    same = next(text for text in service.texts if "number 7." in text)
    found = place.json("search", same, "--search-mode", "vector")
    assert found["results"][0]["source"]["filePath"] == "note007.md"


def test_a_watch_sends_no_text_again_for_which_there_was_no_vector(
    place: Place, service: Counting
) -> None:
    service.unknown = ("number 7.",)
    place.run("index")
    sent = service.texts.copy()
    service.unknown = ()
    (place.folder / "new.md").write_text("# New\n\nA text that is new.\n", encoding="utf-8")

    watching = place.start("index", "--watch")
    try:
        read_until(watching, lambda line: "embedded" in line)
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=LONG_S)

    again = {text for text, count in service.texts.items() if count > sent[text] > 0}
    assert again == set()
    assert place.json("status")["blankChunks"] == 1


def test_a_watch_that_is_idle_makes_an_index_that_was_removed_anew_and_whole(place: Place) -> None:
    (place.folder / "more").mkdir()
    watching = place.start("index", "--watch", TRIVIUM_EMBEDDING__MODEL="static")
    try:
        read_until(watching, lambda line: "added" in line)
        place.run("reset", "--yes")
        (place.folder / "more" / "new.md").write_text("# New\n\nNew.\n", encoding="utf-8")
        said = read_until(watching, lambda line: "added" in line)
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=LONG_S)

    assert f"{FILES + 1} added" in said


def test_a_server_that_is_idle_makes_an_index_that_was_removed_anew(place: Place) -> None:
    server = place.start("serve", "--port", "0", TRIVIUM_EMBEDDING__MODEL="static")
    try:
        address = read_until(server, lambda line: "http://" in line).split()[-1]
        with httpx.Client(base_url=address, trust_env=False, timeout=LONG_S) as client:
            asked = {"q": "number 7", "limit": "1"}
            while not client.get("/api/search", params=asked).json()["results"]:
                pass
            place.run("reset", "--yes")
            found = client.get("/api/search", params=asked).json()
    finally:
        server.kill()
        server.communicate()

    assert found["results"][0]["source"]["filePath"] == "note007.md"
