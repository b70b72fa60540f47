"""A seed -> the life of an index: what each step writes, and what is there after it.

The process that is killed and the one that looks at what is left tell the same story, so
every word of every version can be asked for.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from trivium.backends.base import Batch, FileContent
from trivium.sources.base import Entry, Raw
from trivium.types import View
from trivium.writing.digest import Cutting, digest

FILES = 24
PARTS = 3
COMMON = "everywhere"
VIEW = View(name="crash", analyser="standard", fields=(("body", 1),))
# No vowel and no s: nothing here is a stem of something else.
_LETTERS = "bcdfghjklm"

Versions = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One batch: files with the version they get, and files that go."""

    written: Versions
    removed: tuple[int, ...]

    def batch(self) -> Batch:
        return Batch(
            replaced=tuple(content(number, version) for number, version in self.written.items()),
            removed=tuple(path(number) for number in self.removed),
        )


def steps(seed: int) -> Iterator[Step]:
    """Tell the story from its start; the n-th step writes versions n."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    alive: set[int] = set()
    version = 0
    while True:
        version += 1
        removed = chance.sample(sorted(alive), min(len(alive), chance.randint(0, 2)))
        others = [number for number in range(FILES) if number not in removed]
        written = chance.sample(others, chance.randint(1, 5))
        alive = (alive | set(written)) - set(removed)
        yield Step(dict.fromkeys(written, version), tuple(removed))


def after(seed: int, count: int) -> dict[int, int]:
    """Return which files are there after `count` steps, and in which version."""
    versions: dict[int, int] = {}
    for step in islice(steps(seed), count):
        for number in step.removed:
            versions.pop(number, None)
        versions.update(step.written)
    return versions


def ever(seed: int, count: int) -> set[tuple[int, int]]:
    """Return every file and version that the first `count` steps write."""
    return {pair for step in islice(steps(seed), count) for pair in step.written.items()}


def path(number: int) -> str:
    return f"folder{number % 3}/file{number}.md"


def word(number: int, version: int, part: int) -> str:
    """Return a word that stands in one chunk of one version of one file."""
    digits = f"{number:03}{version:04}{part}"
    return "x" + "".join(_LETTERS[int(digit)] for digit in digits)


def words(number: int, version: int) -> list[str]:
    return [word(number, version, part) for part in range(PARTS)]


def text(number: int, version: int) -> str:
    sections = [f"# Part\n\n{COMMON} {one}\n" for one in words(number, version)]
    return "\n".join(sections)


def content(number: int, version: int) -> FileContent:
    whole = text(number, version)
    data = whole.encode()
    entry = Entry(path(number), len(data), version)
    return digest(Raw(entry, whole, hashlib.sha256(data).hexdigest()), Cutting())
