"""The process that is killed: lives a story and says on stdout what it has been promised.

`batches` writes the steps through a writer; `folder` lays them out as files and syncs;
`attachments` keeps files beside a note and removes some; `import` takes in a vault. With a point
such as `TextFolder.save:before:2` it kills itself there, at the second call.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Any

from tests.crash import story

from trivium import config, indexer
from trivium.backends.embedded import database, derive, garbage, kept, text, vast, vectors, write
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.collection import open_collection
from trivium.memory import attached as attached_files
from trivium.memory import catalog, desk
from trivium.memory import files as files_of_memory
from trivium.testing import filling

_PLACES: dict[str, object] = {
    "Attached": attached_files.Attached,
    "attached": attached_files,
    "Catalog": catalog.Catalog,
    "Desk": desk.Desk,
    "Files": files_of_memory.Files,
    "files": files_of_memory,
    "Path": Path,
    "EmbeddedWriter": write.EmbeddedWriter,
    "TextWriter": text.TextWriter,
    "TextFolder": text.TextFolder,
    "SpaceFolder": vectors.SpaceFolder,
    "Derived": derive.Derived,
    "database": database,
    "garbage": garbage,
    "Kept": kept.Kept,
    "kept": kept,
    "text": text,
    "vast": vast,
    "vectors": vectors,
}


def main() -> None:
    mode, place, seed, count, *point = sys.argv[1:]
    _make_everything_happen_early()
    if point:
        _die_at(point[0])
    modes = {"batches": batches, "folder": folder, "attachments": attachments, "import": take_in}
    modes[mode](Path(place), int(seed), int(count))


def _make_everything_happen_early() -> None:
    """Small limits, so that a short life sees rebuilds, merges and several batches."""
    text._SMALL = 0
    vectors._DELTA_LEAST = 8
    vast._VAST = 8
    derive._ASIDE_LEAST = 2
    garbage._UNUSED_LEAST = 2
    garbage._UNUSED_SHARE = 0.1
    indexer._BATCH_FILES = 3


def batches(place: Path, seed: int, count: int) -> None:
    """Write the next steps of the story, `count` at most, publishing and embedding now and then."""
    backend = open_backend(place)
    with backend.snapshot() as snapshot:
        done = snapshot.contents().seq
    say(f"ready {done}")
    for number, step in enumerate(islice(story.steps(seed), done, done + count), start=done + 1):
        with backend.writer(wait_s=0) as writer:
            writer.write(step.batch())
            say(f"ack {number}")
            if number % 3 == 0:
                writer.publish()
        if number % 4 == 0:
            filling.embed(backend)
            backend.arrange(lambda _done, _total: None)


def folder(place: Path, seed: int, count: int) -> None:
    """Lay out the story as files and sync after each of its steps."""
    files = place / "files"
    settings = settings_of(place)
    with open_collection(files, settings=settings) as collection:
        say("ready 0")
        for number, step in enumerate(islice(story.steps(seed), count), start=1):
            lay_out(files, step)
            collection.sync()
            say(f"ack {number}")


def attachments(place: Path, seed: int, count: int) -> None:
    """Keep files beside a note, and remove every third again."""
    del seed
    with open_collection(place / "files", settings=settings_of(place)) as collection:
        notes = collection.notes
        if not notes.list().total:
            notes.create("Log")
        say("ready 0")
        for number in range(1, count + 1):
            notes.attach("log", f"{number}.txt", attached(number))
            say(f"ack {2 * number - 1}")
            if number % 3 == 0:
                notes.detach("log", f"{number}.txt")
            say(f"ack {2 * number}")


def attached(number: int) -> bytes:
    return f"file {number}\n".encode() * 5000


def take_in(place: Path, seed: int, count: int) -> None:
    """Take in the vault that lies beside the folder, `count` times."""
    del seed
    with open_collection(place / "files", settings=settings_of(place)) as collection:
        collection.sync()
        say("ready 0")
        for number in range(1, count + 1):
            collection.memory.import_from(place / "vault", form="vault")
            say(f"ack {number}")


def lay_out(files: Path, step: story.Step) -> None:
    for number in step.removed:
        (files / story.path(number)).unlink(missing_ok=True)
    for number, version in step.written.items():
        file = files / story.path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(story.text(number, version), encoding="utf-8")


def open_backend(place: Path) -> EmbeddedBackend:
    return EmbeddedBackend(place / "index", store=place / "store", views=(story.VIEW,))


def settings_of(place: Path) -> config.Settings:
    return config.load(
        environ={
            "TRIVIUM_HOME": str(place / "home"),
            "TRIVIUM_CONFIG": str(place / "none.toml"),
            "TRIVIUM_EMBEDDING__MODEL": "none",
        }
    )


def _die_at(point: str) -> None:
    name, moment, nth = point.split(":")
    owner_name, _, attribute = name.partition(".")
    owner = _PLACES[owner_name]
    original: Callable[..., Any] = getattr(owner, attribute)
    calls = 0

    @wraps(original)
    def dying(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == int(nth) and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*arguments, **options)
        if calls == int(nth):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, attribute, dying)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
