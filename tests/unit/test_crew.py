"""A crew digests files in other processes, and no file can stop it."""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium import crew as crews
from trivium.crew import DIED, LEFT_EMPTY, TOOK_TOO_LONG, Crew, default_size, digested, is_risky
from trivium.sources.base import Entry, Raw
from trivium.writing.digest import Cutting, digest

CUTTING = Cutting()
LONG_S = 20.0
CODE = 'import os\n\n\nclass Shop:\n    """Sells."""\n\n    def open(self):\n        os.stat("x")\n'

# What a file makes its worker do stands in its name; every hang is marked by a byte in a file.
ODD_WORKER = """
import os, sys, time
from trivium.writing import worker
honest = worker.digest
worker._GRACE_S = float(sys.argv[2])
def odd(raw, cutting, *, gave_up=""):
    name = raw.entry.path
    if name.startswith("always") or (name.startswith("hang") and not gave_up):
        with open(sys.argv[1], "ab") as marks:
            marks.write(b"x")
        while True:
            time.sleep(60)
    if name.startswith("die") and not gave_up:
        os.kill(os.getpid(), 11)
    if name.startswith("raise") and not gave_up:
        raise LookupError("odd")
    if name.startswith("swell") and not gave_up:
        bytearray(5 * 2**30)
    if name.startswith("print"):
        os.write(1, b"noise")
        print("more noise", flush=True)
    return honest(raw, cutting, gave_up=gave_up)
worker.digest = odd
worker.work()
"""


def raw(path: str, text: str = CODE) -> Raw:
    return Raw(Entry(path, len(text), 1), text, f"hash of {path}")


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    made = tmp_path / "marks"
    made.touch()
    return made


@pytest.fixture
def odd(marks: Path) -> Iterator[Crew]:
    """A crew of one, whose clock leaps whenever a file hangs."""

    def clock() -> float:
        return time.monotonic() + 1000 * marks.stat().st_size

    with Crew(size=1, limit_s=100.0, command=odd_command(marks), clock=clock) as made:
        yield made


def odd_command(marks: Path, grace_s: float = 1000.0) -> list[str]:
    return [sys.executable, "-P", "-c", ODD_WORKER, str(marks), str(grace_s)]


def pid_of(crew: Crew) -> int:
    process = crew._workers[0]._process
    assert process is not None
    return process.pid


def test_files_come_back_in_order_and_as_this_process_would_digest_them() -> None:
    raws = [raw(f"{n}.py", CODE * (1 + n % 7 * 20)) for n in range(25)]
    raws += [raw("a.md", "# One\n\nText.\n\n## Two\n\nMore.\n"), raw("b.json", '{"a": [1, 2]}')]

    with Crew(size=2) as crew:
        contents = [*crew.digest_all(iter(raws), CUTTING)]
        again = [*crew.digest_all(raws[:3], CUTTING)]

    assert contents == [digest(one, CUTTING) for one in raws]
    assert again == contents[:3]
    assert len({len(content.nodes) for content in contents}) > 1


def test_how_prose_is_cut_reaches_the_workers() -> None:
    cutting = Cutting(100, 0)
    with Crew(size=1) as crew:
        content = crew.digest(raw("a.txt", "word " * 200), cutting)

    assert content == digest(raw("a.txt", "word " * 200), cutting)
    assert len(content.chunks) > len(digest(raw("a.txt", "word " * 200), CUTTING).chunks)


@pytest.mark.skipif(not hasattr(os, "nice"), reason="no such order on this system")
def test_workers_give_way_to_other_programs() -> None:
    with Crew(size=1) as crew:
        crew.digest(raw("a.py"), CUTTING)
        theirs = os.getpriority(os.PRIO_PROCESS, pid_of(crew))

    assert theirs == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 5)


def test_no_files_are_no_contents_and_no_process() -> None:
    with Crew(size=2) as crew:
        assert [*crew.digest_all([], CUTTING)] == []
        assert all(worker._process is None for worker in crew._workers)


@pytest.mark.parametrize(
    ("name", "failure"),
    [
        ("hang.py", TOOK_TOO_LONG),
        ("die.py", DIED),
        ("raise.py", "LookupError; read as plain text"),
        ("swell.py", "MemoryError; read as plain text"),
    ],
)
def test_a_file_that_stops_its_worker_is_read_as_plain_text_and_the_others_as_ever(
    odd: Crew, name: str, failure: str
) -> None:
    raws = [raw("a.py"), raw(name), raw("b.py"), raw("c.py")]

    contents = [*odd.digest_all(raws, CUTTING)]

    assert contents[1] == digest(raw(name), CUTTING, gave_up=failure)
    assert contents[1].state.failure == failure
    assert contents[1].chunks
    assert [contents[n] for n in (0, 2, 3)] == [digest(raws[n], CUTTING) for n in (0, 2, 3)]


def test_a_file_that_cannot_even_be_read_as_plain_text_is_left_empty(odd: Crew) -> None:
    contents = [*odd.digest_all([raw("always.py"), raw("a.py")], CUTTING)]

    assert contents[0].state.failure == LEFT_EMPTY
    assert contents[0].state.sha256 == "hash of always.py"
    assert [chunk for chunk in contents[0].chunks if chunk.text] == []
    assert contents[1] == digest(raw("a.py"), CUTTING)


def test_a_parser_that_prints_does_not_break_into_what_is_sent(odd: Crew) -> None:
    assert odd.digest(raw("print.py"), CUTTING) == digest(raw("print.py"), CUTTING)
    assert odd.digest(raw("a.py"), CUTTING) == digest(raw("a.py"), CUTTING)


def test_an_interrupt_from_the_keyboard_does_not_end_a_worker(odd: Crew) -> None:
    odd.digest(raw("a.py"), CUTTING)
    before = pid_of(odd)

    os.kill(before, signal.SIGINT)
    odd.digest(raw("b.py"), CUTTING)

    assert pid_of(odd) == before
    assert os.getpgid(before) != os.getpgid(0)


def test_only_a_few_files_are_taken_before_the_first_is_asked_for() -> None:
    size = 2
    taken = 0

    def some() -> Iterator[Raw]:
        nonlocal taken
        for number in range(50):
            taken += 1
            yield raw(f"{number}.py")

    with Crew(size=size) as crew:
        contents = crew.digest_all(some(), CUTTING)
        for done in range(1, 11):
            next(contents)
            assert taken <= done + 2 * size - 1
        contents.close()  # type: ignore[attr-defined]


def test_nothing_of_a_crew_is_left_when_it_is_closed(odd: Crew) -> None:
    files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - the names are links
    for name in ("a.py", "die.py", "hang.py", "b.py"):
        odd.digest(raw(name), CUTTING)
    pid = pid_of(odd)
    odd.close()

    assert len(os.listdir("/proc/self/fd")) == files  # noqa: PTH208
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(ChildProcessError):
        os.waitpid(-pid, os.WNOHANG)


def test_closing_does_not_wait_for_a_file_that_hangs(marks: Path) -> None:
    crew = Crew(size=1, limit_s=10_000.0, command=odd_command(marks))
    begun = crew._begin(raw("hang.py"), CUTTING)
    while not marks.stat().st_size:
        assert not begun.done()

    crew.close()

    assert begun.result(LONG_S).state.failure == LEFT_EMPTY


def test_a_crew_that_is_closed_leaves_the_work_to_this_process(odd: Crew) -> None:
    odd.close()

    assert odd.digest(raw("a.py"), CUTTING) == digest(raw("a.py"), CUTTING)


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("/nowhere/at/all",),
        (sys.executable, "-c", "raise SystemExit(1)"),
        (sys.executable, "-c", "print('this is not the answer')"),
    ],
)
def test_where_no_worker_can_be_had_this_process_does_the_work_and_says_so_once(
    command: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    raws = [raw(f"{number}.py") for number in range(5)]
    with caplog.at_level(logging.WARNING), Crew(size=2, command=command) as crew:
        contents = [*crew.digest_all(raws, CUTTING)]

    assert contents == [digest(one, CUTTING) for one in raws]
    assert [record.message[:34] for record in caplog.records] == [
        "files are parsed in this process: "
    ]


def test_a_program_that_python_is_built_into_is_not_started_as_a_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert crews._command() == ()
    monkeypatch.setattr(sys, "frozen", False)
    monkeypatch.setattr(sys, "executable", "")
    assert crews._command() == ()


def test_modules_in_the_working_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("trivium", "pickle", "signal"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(crews, "digest", lambda *_, **__: None)

    with Crew(size=1) as crew:
        assert crew.digest(raw("a.py"), CUTTING) == digest(raw("a.py"), CUTTING)


PARENT = """
import os, sys
from trivium.crew import Crew
from trivium.sources.base import Entry, Raw
from trivium.writing.digest import Cutting
command = [sys.executable, "-P", "-c", *sys.argv[2:]]
crew = Crew(size=1, limit_s=0.2, command=command)
def one(name):
    return Raw(Entry(name, 1, 1), "x", "hash")
crew.digest(one("a.py"), Cutting())
print(crew._workers[0]._process.pid, flush=True)
if sys.argv[1] == "busy":
    crew._begin(one("hang.py"), Cutting())
    while not os.path.getsize(sys.argv[3]):
        pass
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_a_worker_does_not_outlive_its_parent(state: str, marks: Path) -> None:
    command = odd_command(marks, grace_s=0.0)[3:]
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", PARENT, state, *command], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    with parent.stdout:
        pid = int(parent.stdout.readline())
    parent.wait(LONG_S)

    assert has_ended(pid)


def has_ended(pid: int) -> bool:
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], LONG_S)[0])
    finally:
        os.close(process)


def test_few_files_are_digested_here_and_a_large_one_where_it_can_be_stopped(odd: Crew) -> None:
    large = raw("hang.py", "x = 1\n" * (crews.RISKY_CHARACTERS // 6 + 1))
    assert is_risky(large)

    pairs = [*digested([raw("a.py"), raw("die.py")], CUTTING, expected=2, crew=odd)]
    assert odd._workers[0]._process is None
    assert pairs == [(one, digest(one, CUTTING)) for one in (raw("a.py"), raw("die.py"))]

    ((_, content),) = digested([large], CUTTING, expected=1, crew=odd)
    assert content.state.failure == TOOK_TOO_LONG


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CODE, False),
        (CODE * 500, False),
        ("x" * (crews.RISKY_CHARACTERS - 1), False),
        ("x" * crews.RISKY_CHARACTERS, True),
        ("f(a[b{c " * 2000, True),
        ("f(a[b{c " * 10, False),
        ("a) b] c} " * 2000, True),
        ("f(a[b{c}]) " * 2000, False),
        ("1) An ordinary line of a list, of an ordinary length.\n" * 500, False),
    ],
)
def test_large_files_and_those_that_never_close_what_they_open_are_risky(
    text: str, expected: bool
) -> None:
    assert is_risky(raw("a.ts", text)) is expected


def test_many_files_are_digested_by_the_crew_and_each_comes_with_what_was_read() -> None:
    raws = [raw(f"{number}.py") for number in range(9)]
    with Crew(size=2) as crew:
        pairs = [*digested(iter(raws), CUTTING, expected=crews.PAYS_FROM, crew=crew)]
        assert all(worker._process is not None for worker in crew._workers)

    assert pairs == [(one, digest(one, CUTTING)) for one in raws]


def test_a_crew_of_one_is_not_worth_its_start_for_many_small_files(odd: Crew) -> None:
    pairs = [*digested([raw("a.py")], CUTTING, expected=crews.PAYS_FROM, crew=odd)]

    assert pairs == [(raw("a.py"), digest(raw("a.py"), CUTTING))]
    assert odd._workers[0]._process is None


def test_a_crew_has_a_worker_for_each_core_up_to_a_limit() -> None:
    assert 1 <= default_size() <= crews.MOST_WORKERS
    assert Crew().size == default_size()
    assert Crew(size=0).size == 1
