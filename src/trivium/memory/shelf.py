"""One kind of memory for those who use it: create, read, change, delete, list, link, search.

What notes, tasks and skills have in common; the desk does the work. Ids may be given as
`ship-it` or `task:ship-it`. Given out by the collection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

from trivium.errors import NotFound, UsageError, unknown
from trivium.memory import limits
from trivium.memory.attached import Attachment
from trivium.memory.catalog import SORTS, Wanted
from trivium.memory.desk import Desk, Done, Follow, follows_nothing
from trivium.memory.ground import Ground, LinkState
from trivium.memory.items import MOST_LISTED, AnyItem, Link, Note, Skill, Task, Values
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.types import Answer

_MOST_STEPS = 10_000

ItemT = TypeVar("ItemT", Note, Task, Skill)


@dataclass(frozen=True, slots=True)
class Page(Generic[ItemT]):
    """Some of a list, and how many there are in all."""

    items: tuple[ItemT, ...]
    total: int
    limit: int
    offset: int


class Shelf(Generic[ItemT]):
    """All of one kind. Safe to use from many threads and processes."""

    kind: ClassVar[Kind]
    sorts: ClassVar[tuple[str, ...]] = ("updated", "created", "title")

    def __init__(self, desk: Desk, ground: Ground) -> None:
        self._desk = desk
        self._ground = ground

    def get(self, given: str) -> ItemT:
        """Return one, as its file says now, and which of its links are broken. Raises NotFound."""
        item = self._desk.get(self.kind, self._slug(given))
        return self._cast(replace(item, broken=self._ground.broken(item, self._desk)))

    def peek(self, given: str) -> ItemT:
        """Return one without counting it as shown: an edit in it stays one that nobody saw."""
        return self._cast(self._desk.peek(self.kind, self._slug(given)))

    def delete(self, given: str, *, expected_version: int | None = None) -> None:
        """Remove one for good. Raises NotFound, and VersionConflict if it was changed."""
        self._desk.delete(self.kind, [self._slug(given)], expected=expected_version)

    def link(
        self, given: str, type_: str, target: str, *, expected_version: int | None = None
    ) -> ItemT:
        """Link one to a node of this collection, or to `@name::id` of another.

        Raises NotFound if what it leads to is not there, UsageError for a type that the two
        cannot have and for a link that would lead round in a circle.
        """
        slug = self._slug(given)
        made = limits.link(self.kind, type_, target)
        self._check_link(slug, made)

        def add(now: Values) -> Values:
            return limits.checked(self.kind, {"links": (*_links(now), made)})

        return self._amend(slug, add, expected_version)

    def unlink(
        self,
        given: str,
        target: str,
        *,
        type_: str | None = None,
        expected_version: int | None = None,
    ) -> ItemT:
        """Take away the links to a target, all or those of one type. Raises NotFound if none is."""
        slug = self._slug(given)

        def take(now: Values) -> Values:
            before = _links(now)
            left = tuple(
                one for one in before if one.target != target or type_ not in (None, one.type.value)
            )
            if len(left) == len(before):
                raise NotFound(f"{self.kind}:{slug} has no such link to {target}.")
            return {"links": left}

        return self._amend(slug, take, expected_version)

    def links(self, given: str) -> list[LinkState]:
        """Return what leads from one and to it; a link whose target is gone `is_broken`."""
        item = self.get(given)
        return self._ground.links(item, self._desk)

    def find_linked(self, target: str, *, type_: str | None = None) -> list[tuple[ItemT, str]]:
        """Return what links to a node, each with the type of its link."""
        self._desk.look(self.kind)
        found = self._ground.linked_to(target, self._desk)
        return [
            (self.get(one.slug), one.type)
            for one in found
            if one.kind is self.kind
            and type_ in (None, one.type)
            and self._desk.is_there(self.kind, one.slug)
        ]

    def attach(self, given: str, name: str, data: bytes) -> Attachment:
        """Keep a file beside one, in `.trivium/attachments`: 20 at most, of 10,000,000 bytes.

        Raises UsageError for a name that cannot be one, or that another file has.
        """
        return self._desk.attach(self.kind, self._slug(given), name, data)

    def attachments(self, given: str) -> list[Attachment]:
        """Return the files that are kept beside one, by name. Raises NotFound."""
        slug = self.peek(given).slug
        return self._desk.attached.list(self.kind, slug)

    def attachment(self, given: str, name: str) -> bytes:
        """Return what a file that is kept beside one holds. Raises NotFound."""
        slug = self.peek(given).slug
        return self._desk.attached.read(self.kind, slug, name)

    def detach(self, given: str, name: str) -> None:
        """Remove a file that is kept beside one. Raises NotFound."""
        self._desk.detach(self.kind, self._slug(given), name)

    def search(self, query: str, **options: object) -> Answer:
        """Search this kind alone; takes what a search of the collection takes."""
        return self._ground.search(query, kind=self.kind.value, **options)

    def _list(self, wanted: Wanted, *, sort: str, limit: int, offset: int) -> Page[ItemT]:
        if sort not in self.sorts or sort not in SORTS:
            raise UsageError(unknown("sort", sort, self.sorts))
        if not 1 <= limit <= MOST_LISTED:
            raise UsageError(f"limit is {limit}; give 1 to {MOST_LISTED}.")
        if offset < 0:
            raise UsageError(f"offset is {offset}; give 0 or more.")
        self._desk.look(self.kind)
        slugs, total = self._desk.catalog.page(
            self.kind, wanted, sort=sort, limit=limit, offset=offset
        )
        there = [slug for slug in slugs if self._desk.is_there(self.kind, slug)]
        found = tuple(self._cast(self._desk.get(self.kind, slug)) for slug in there)
        return Page(found, total, limit, offset)

    def _create(self, given: Mapping[str, object], more: Values | None = None) -> ItemT:
        for one in cast("Sequence[Link]", given.get("links") or ()):
            self._ground.check_there(one.target, self._desk)
        return self._cast(self._desk.create(self.kind, _given(given), more or {}))

    def _update(
        self,
        given: str,
        fields: Mapping[str, object],
        *,
        expected_version: int | None,
        follow: Follow = follows_nothing,
    ) -> ItemT:
        slug = self._slug(given)
        if fields.get("links"):
            self._check_links(slug, fields)
        done = self._desk.update(self.kind, slug, fields, expected=expected_version, follow=follow)
        return self._with_conflict(done)

    def _check_links(self, slug: str, fields: Mapping[str, object]) -> None:
        """Refuse links that were not there before and may not be made."""
        wanted = _links(limits.checked(self.kind, {"links": fields["links"]}))
        for one in set(wanted).difference(self.peek(slug).links):
            self._check_link(slug, one)

    def _check_link(self, slug: str, made: Link) -> None:
        if made.target == f"{self.kind}:{slug}":
            raise UsageError(f"{made.target} cannot be linked with itself.")
        self._ground.check_there(made.target, self._desk)
        self._check_no_circle(slug, made)

    def _amend(
        self, slug: str, make: Callable[[Values], Values], expected: int | None = None
    ) -> ItemT:
        return self._with_conflict(self._desk.amend(self.kind, slug, make, expected=expected))

    def _check_no_circle(self, slug: str, made: Link) -> None:
        """Refuse a link of a type that must not lead back to where it began."""
        mine = f"{self.kind}:"
        if made.type not in limits.ACYCLIC or not made.target.startswith(mine):
            return
        self._desk.look(self.kind)
        seen: set[str] = set()
        level = {made.target.removeprefix(mine)}
        while level and len(seen) < _MOST_STEPS:
            if slug in level:
                raise UsageError(
                    f"{made.type} from {mine}{slug} to {made.target} would lead in a circle: "
                    f"{made.target} leads to {mine}{slug} already."
                )
            seen |= level
            found = self._desk.catalog.links_of(self.kind, sorted(level), made.type.value)
            level = {
                one.target.removeprefix(mine) for one in found if one.target.startswith(mine)
            } - seen

    def _with_conflict(self, done: Done) -> ItemT:
        if done.conflict is None:
            return self._cast(done.item)
        said = f"An edit by hand was replaced; it is kept in {done.conflict}."
        return self._cast(replace(done.item, problems=(*done.item.problems, said)))

    def _slug(self, given: str) -> str:
        return limits.slug_in(self.kind, given)

    def _cast(self, item: AnyItem) -> ItemT:
        return cast("ItemT", item)


def _given(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that something was said for."""
    return {name: value for name, value in fields.items() if value is not None}


def _links(values: Values) -> tuple[Link, ...]:
    return cast("tuple[Link, ...]", values.get("links") or ())


def linked(pairs: Sequence[tuple[str, str]], kind: Kind) -> tuple[Link, ...]:
    """Return links given as pairs of a type and a target. Raises UsageError."""
    return tuple(limits.link(kind, type_, target) for type_, target in pairs)
