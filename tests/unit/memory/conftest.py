"""A desk over an empty folder, with a clock that a test moves; and shelves on an empty index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from trivium.backends.reference.store import ReferenceBackend
from trivium.errors import UsageError
from trivium.memory.catalog import Catalog
from trivium.memory.desk import Desk
from trivium.memory.files import Files
from trivium.memory.ground import Ground
from trivium.memory.kinds import Notes, Skills
from trivium.memory.tasks import Tasks
from trivium.types import Answer, Kind

# Some time in 2026.
START_S = 1_780_000_000.0


@dataclass(slots=True)
class Clock:
    """Seconds since 1970, as a test says."""

    now: float = START_S

    def __call__(self) -> float:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += seconds


@dataclass(slots=True)
class Table:
    """A desk, its folder and its clock, and what it had the index take in."""

    folder: Path
    desk: Desk
    clock: Clock
    taken_in: list[tuple[Kind, tuple[str, ...]]] = field(default_factory=list)

    def file(self, path: str) -> Path:
        return self.folder / path


@pytest.fixture
def table(tmp_path: Path) -> Table:
    folder = tmp_path / "project" / ".trivium"
    clock = Clock()
    taken_in: list[tuple[Kind, tuple[str, ...]]] = []
    desk = Desk(
        Files([folder]),
        Catalog(tmp_path / "home" / "memory.db"),
        take_in=lambda kind, slugs: taken_in.append((kind, tuple(slugs))),
        holder_of=lambda _: None,
        clock=clock,
    )
    (tmp_path / "project").mkdir()
    return Table(folder, desk, clock, taken_in)


def _no_search(query: str, **options: object) -> Answer:
    raise UsageError(f"{query} {options}")


@pytest.fixture
def ground() -> Ground:
    backend = ReferenceBackend()
    elsewhere: Callable[..., frozenset[object] | None] = lambda name, ids: (  # noqa: E731
        frozenset(ids) - {"code:gone.py"} if name == "shop" else None
    )
    return Ground(backend, search=_no_search, sync=lambda _: None, elsewhere=elsewhere)  # type: ignore[arg-type]


@pytest.fixture
def notes(table: Table, ground: Ground) -> Notes:
    return Notes(table.desk, ground)


@pytest.fixture
def tasks(table: Table, ground: Ground) -> Tasks:
    return Tasks(table.desk, ground)


@pytest.fixture
def skills(table: Table, ground: Ground) -> Skills:
    return Skills(table.desk, ground)
