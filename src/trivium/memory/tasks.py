"""Tasks and epics, as a collection gives them out: columns, their order, and many at once.

A task that is done or cancelled gets the time of that, and loses it when it is opened again.
An epic is a task of its own type, which others belong to.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.errors import UsageError
from trivium.memory import limits
from trivium.memory.catalog import Wanted
from trivium.memory.items import (
    CLOSED,
    EPIC,
    EPIC_STATUSES,
    GAP,
    PAGE,
    STATUSES,
    TASK,
    Task,
    Values,
)
from trivium.memory.shelf import Page, Shelf, linked
from trivium.types import Kind

_MOST_AT_ONCE = 100
# Nearer than this two orders leave no room for a third: their column is numbered anew.
_LEAST_GAP = 1e-3


class Tasks(Shelf[Task]):
    """What is to be done."""

    kind = Kind.TASK
    sorts = ("priority", "due", "order", "updated", "created", "title")

    def create(
        self,
        title: str,
        description: str = "",
        *,
        priority: str = "medium",
        status: str | None = None,
        tags: Sequence[str] = (),
        due: str | None = None,
        estimate: float | None = None,
        assignee: str | None = None,
        order: float | None = None,
        epic: str | None = None,
        type: str = TASK,
        links: Sequence[tuple[str, str]] = (),
    ) -> Task:
        """Write a task, at the end of its column; or an epic, where that is its `type`."""
        chosen = limits.checked(self.kind, {"type": type})["type"]
        first = EPIC_STATUSES[0] if chosen == EPIC else STATUSES[0]
        column = str(limits.checked(self.kind, {"status": status or first})["status"])
        limits.check_status(column, type_=str(chosen))
        self._check_epic(epic, type_=str(chosen))
        place = self._last(column, type_=str(chosen)) + GAP if order is None else order
        return self._create(
            {
                "title": title,
                "type": chosen if chosen == EPIC else None,
                "description": description,
                "status": column,
                "priority": priority,
                "tags": tags,
                "due": due,
                "estimate": estimate,
                "assignee": assignee,
                "epic": epic,
                "order": place,
                "links": linked(links, self.kind),
            },
            {"completed": self._desk.now() if column in CLOSED else None},
        )

    def update(self, given: str, *, expected_version: int | None = None, **fields: object) -> Task:
        """Change fields. Raises VersionConflict, NotFound, UsageError."""
        if fields.get("epic"):
            own = limits.slug_in(self.kind, str(fields["epic"]))
            self._check_epic(own, type_=self.peek(given).type)
            if own == self._slug(given):
                raise UsageError(f"{self.kind}:{own} cannot belong to itself.")
        return self._update(
            given, fields, expected_version=expected_version, follow=self._completion
        )

    def move(self, given: str, status: str, *, expected_version: int | None = None) -> Task:
        """Give a task another status, and with that the time it was completed or none."""
        return self.update(given, status=status, expected_version=expected_version)

    def reorder(
        self,
        given: str,
        *,
        order: float | None = None,
        before: str | None = None,
        after: str | None = None,
        status: str | None = None,
        expected_version: int | None = None,
    ) -> Task:
        """Put a task elsewhere in its column, or in that of `status`: by a number or by another.

        Without any of these it goes to the end.
        """
        if sum(one is not None for one in (order, before, after)) > 1:
            raise UsageError("Give one of order, before and after.")
        task = self.peek(given)
        column = task.status
        if status is not None:
            column = str(limits.checked(self.kind, {"status": status})["status"])
        place = order
        if place is None:
            place = self._place(task, column, before=before, after=after)
        fields: dict[str, object] = {"order": place, "status": column}
        return self.update(task.slug, expected_version=expected_version, **fields)

    def bulk_move(self, given: Sequence[str], status: str) -> int:
        """Give up to 100 tasks a status; return how many changed. One unknown, and none is."""
        return self._bulk(given, {"status": status})

    def bulk_priority(self, given: Sequence[str], priority: str) -> int:
        """Give up to 100 tasks a priority; return how many changed. One unknown, and none is."""
        return self._bulk(given, {"priority": priority})

    def bulk_delete(self, given: Sequence[str]) -> int:
        """Remove up to 100 tasks; return how many. One unknown, and none is."""
        return self._desk.delete(self.kind, self._several(given))

    def list(
        self,
        *,
        filter: str = "",
        status: str | None = None,
        priority: str | None = None,
        tag: str | None = None,
        assignee: str | None = None,
        epic: str | None = None,
        type: str | None = TASK,
        due_before: str | None = None,
        sort: str = "priority",
        limit: int = PAGE,
        offset: int = 0,
    ) -> Page[Task]:
        """Return a page of tasks: by priority, then the due date, those without one last."""
        given = {"status": status, "priority": priority, "type": type, "epic": epic}
        chosen = limits.checked(
            self.kind, {name: one for name, one in given.items() if one is not None}
        )
        if due_before is not None:
            limits.checked(self.kind, {"due": due_before})
        said = {name: str(one) for name, one in chosen.items()}
        wanted = Wanted(
            words=filter,
            tag=tag,
            assignee=assignee,
            due_before=due_before,
            status=said.get("status"),
            priority=said.get("priority"),
            type=said.get("type"),
            epic=said.get("epic"),
        )
        return self._list(wanted, sort=sort, limit=limit, offset=offset)

    def count(self, *, epic: str, status: str | None = None) -> int:
        """Return how many tasks belong to an epic."""
        self._desk.look(self.kind)
        wanted = Wanted(epic=self._slug(epic), status=status)
        return self._desk.catalog.count(self.kind, wanted)

    def _bulk(self, given: Sequence[str], fields: dict[str, object]) -> int:
        slugs = self._several(given)
        return self._desk.update_all(self.kind, slugs, fields, follow=self._completion)

    def _several(self, given: Sequence[str]) -> Sequence[str]:
        slugs = tuple(dict.fromkeys(map(self._slug, given)))
        if not 1 <= len(slugs) <= _MOST_AT_ONCE:
            raise UsageError(f"{len(slugs)} tasks are given; give 1 to {_MOST_AT_ONCE}.")
        return slugs

    def _completion(self, now: Values, changes: Values) -> Values:
        status = changes.get("status")
        type_ = str(changes.get("type") or now.get("type") or TASK)
        if status is None:
            # A task that becomes an epic has a status that epics have, and the other way round.
            choices = EPIC_STATUSES if type_ == EPIC else STATUSES
            is_odd = "type" in changes and now.get("status") not in choices
            return {"status": choices[0]} if is_odd else {}
        limits.check_status(str(status), type_=type_)
        if status not in CLOSED:
            return {"completed": None}
        return {} if now.get("completed") else {"completed": self._desk.now()}

    def _check_epic(self, epic: str | None, *, type_: str) -> None:
        if not epic:
            return
        if type_ == EPIC:
            raise UsageError("An epic belongs to no other epic.")
        found = self.peek(epic)
        if found.type != EPIC:
            raise UsageError(f"{found.id} is a task and no epic. Make it one with: type epic.")

    def _last(self, column: str, *, type_: str) -> float:
        self._desk.look(self.kind)
        return self._desk.catalog.last_place(column, type_=type_)

    def _place(self, task: Task, column: str, *, before: str | None, after: str | None) -> float:
        """Return the order between two others, which are numbered anew where there is no room."""
        self._desk.look(self.kind)
        found = self._desk.catalog.column(column, type_=task.type)
        others = [(slug, place) for slug, place in found if slug != task.slug]
        wanted = before if before is not None else after
        if wanted is None:
            return max((place for _, place in others if place is not None), default=0) + GAP
        slugs = [slug for slug, _ in others]
        beside = self.peek(wanted)
        if beside.slug not in slugs:
            raise UsageError(f"{beside.id} is not among the other tasks in {column}.")
        at = slugs.index(beside.slug) + (before is None)
        low = others[at - 1][1] if at else None
        high = others[at][1] if at < len(others) else None
        if at and low is None:
            return self._renumbered(slugs, at)
        if at == len(others):
            return (low or 0) + GAP
        if high is None:
            return self._renumbered(slugs, at)
        if low is None:
            return high - GAP
        return (low + high) / 2 if high - low > _LEAST_GAP else self._renumbered(slugs, at)

    def _renumbered(self, slugs: Sequence[str], at: int) -> float:
        """Give a column new numbers, with room at a place; return that."""
        for number, slug in enumerate(slugs, 1):
            place = (number + (number > at)) * GAP
            self._desk.update(self.kind, slug, {"order": place})
        return (at + 1) * GAP
