"""How long memory takes where there is much of it: python -m benchmarks.memory [COUNT].

Writes COUNT notes (100,000) into a folder of its own and prints the CPU time of the first look, of
pages of a list, of one more note and of the list after it. Asserts nothing.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from trivium.backends.reference.store import ReferenceBackend
from trivium.memory.ground import Ground
from trivium.memory.memory import Memory
from trivium.types import Answer

_COUNT = 100_000
_TIMES = 9
_WORDS = ("zebra", "okapi", "heron", "tapir", "otter", "lemur", "quoll", "civet")


def main(count: int = _COUNT) -> None:
    """Measure and print."""
    folder = Path(tempfile.mkdtemp())
    try:
        _fill(folder / "project" / ".trivium" / "notes", count)
        memory = Memory(
            (folder / "project" / ".trivium",),
            folder / "home" / "memory.db",
            ground=Ground(
                ReferenceBackend(), search=_none, sync=lambda _: None, elsewhere=lambda *_: None
            ),
        )
        notes = memory.notes
        print(f"{count:,} notes, CPU milliseconds")
        _show("first look", notes.list, times=1)
        # Until files are two seconds old, they are looked at again.
        time.sleep(2.5)
        _show("look again", notes.list, times=1)
        _show("list, first page", notes.list)
        _show("list, page 2000", lambda: notes.list(offset=min(50_000, count - 25)))
        _show("list by title", lambda: notes.list(sort="title"))
        _show("list by tag", lambda: notes.list(tag="zebra"))
        _show("list by part of the title", lambda: notes.list(filter="okapi 77"))
        _show("get", lambda: notes.get("note-777"))
        _show("create", lambda: notes.create("One more"), times=1)
        _show("list after that", notes.list, times=1)
    finally:
        shutil.rmtree(folder)


def _fill(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    for number in range(count):
        word = _WORDS[number % len(_WORDS)]
        stamp = f"2026-{1 + number % 12:02}-{1 + number % 28:02}T00:00:00Z"
        text = f"---\ntitle: Note {word} {number}\ntags: [{word}]\ncreated: {stamp}\n"
        body = f"updated: {stamp}\nversion: 1\n---\n\nAbout the {word}.\n"
        (folder / f"note-{number}.md").write_text(text + body)


def _show(what: str, call: Callable[[], object], *, times: int = _TIMES) -> None:
    taken = []
    for _ in range(times):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    print(f"  {what:<28}{median(taken) * 1000:10.1f}")


def _none(query: str, **options: object) -> Answer:
    raise NotImplementedError(query, options)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else _COUNT)
