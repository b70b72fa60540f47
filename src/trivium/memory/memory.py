"""A collection's memory: notes, tasks and skills over one desk, and what is common to them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.memory.catalog import Catalog
from trivium.memory.desk import Clock, Desk
from trivium.memory.files import Files
from trivium.memory.ground import Ground
from trivium.memory.kinds import Notes, Skills
from trivium.memory.tasks import Tasks
from trivium.parsing.shelves import FOLDER, FOLDERS, path_in_memory
from trivium.types import NodeId

if TYPE_CHECKING:
    from trivium.memory.crossing import Given, Taken


@dataclass(frozen=True, slots=True)
class LinkedItem:
    """Something in memory that links to a node."""

    id: NodeId
    title: str
    type: str


class Memory:
    """Notes, tasks and skills of one collection."""

    def __init__(
        self, places: tuple[Path, ...], catalog: Path, *, ground: Ground, clock: Clock = time.time
    ) -> None:
        self.ground = ground
        self.desk = Desk(
            Files(places),
            Catalog(catalog),
            take_in=ground.take_in,
            holder_of=ground.holder_of,
            clock=clock,
        )
        self.notes = Notes(self.desk, ground)
        self.tasks = Tasks(self.desk, ground)
        self.skills = Skills(self.desk, ground)

    def import_from(
        self, source: str | Path, *, form: str | None = None, replace: bool = False
    ) -> Taken:
        """Take in a vault, a folder of AGENTS.md and SKILL.md files, or exported JSON."""
        from trivium.memory.importing import take_in

        return take_in(self, Path(source), form=form, replace=replace)

    def export_to(self, target: str | Path, *, form: str = "json", replace: bool = False) -> Given:
        """Write everything as JSON, or as a vault or a folder of skills (`form`)."""
        from trivium.memory.exporting import give_out

        return give_out(self, Path(target), form=form, replace=replace)

    def find_linked(self, target: str, *, type_: str | None = None) -> list[LinkedItem]:
        """Return what in memory links to a node, whatever its kind."""
        found = []
        for one in self.ground.linked_to(target, self.desk):
            if type_ in (None, one.type) and self.desk.is_there(one.kind, one.slug):
                item = self.desk.peek(one.kind, one.slug)
                found.append(LinkedItem(item.id, item.title, one.type))
        return found

    def problems(self) -> dict[str, str]:
        """Return what could not be read, by the path of the file, and copies of lost edits."""
        for kind in FOLDERS:
            self.desk.look(kind, whole=True)
        found = {
            path_in_memory(kind, slug): what for kind, slug, what in self.desk.catalog.problems()
        }
        said = "an edit that was replaced; merge or remove it"
        copies = {
            f"{FOLDER}/{path.parent.name}/{path.name}": said for path in self.desk.files.conflicts()
        }
        return found | copies
