"""What the tools of notes, tasks and skills have in common: requests, links, replies.

Names, arguments and keys are those of SEMANTICS.md H3; ids are ours, which have their kind in
front. A result is sent as data and, for clients of that seed, as the same data in text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from trivium.doors.answers import Data, Strict
from trivium.doors.mcp.budget import Reply
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, TEXT, TEXTS, Schema, keyed, listed
from trivium.doors.memory import Id, fields_of, for_readers, said, shelf_of
from trivium.errors import UsageError
from trivium.memory.items import MOST_LISTED, PAGE
from trivium.types import PROXY, EdgeType, Kind

if TYPE_CHECKING:
    from trivium.collection import Collection
    from trivium.doors.upkeep import Upkeep
    from trivium.memory.items import AnyItem

Graph = Literal["docs", "code", "files", "knowledge", "tasks", "skills"]
_KINDS: Mapping[str, Kind] = {
    "docs": Kind.DOC,
    "code": Kind.CODE,
    "files": Kind.FILE,
    "knowledge": Kind.NOTE,
    "tasks": Kind.TASK,
    "skills": Kind.SKILL,
}
_ALL_KINDS = tuple(kind.value for kind in Kind)
YES: Schema = {"type": "boolean"}

Version = Annotated[
    int | None, Field(ge=1, description="Refuse if it is not at this version any more.")
]
Target = Annotated[
    Id, Field(description="What it leads to: an id as a search gives it, code:src/auth.py#login.")
]
TargetGraph = Annotated[
    Graph | None, Field(description="What sort of thing that is, if the id does not say it.")
]
Project = Annotated[
    str | None, Field(max_length=200, description="The collection it is in, if another.")
]
_File = Annotated[
    Id, Field(description="A file of the folder, by its path from the folder's root.")
]
_Name = Annotated[Id, Field(description="The name of a file that was added.")]


class InCollection(Strict):
    """What every tool of memory takes."""

    collection: Annotated[
        str | None, Field(description="The collection, if there are several.")
    ] = None


class Page(InCollection):
    """A page of a list."""

    filter: Annotated[str, Field(max_length=500, description="Part of the title or id.")] = ""
    tag: Annotated[str | None, Field(max_length=100, description="Only with this tag.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED, description="How many.")] = PAGE
    offset: Annotated[int, Field(ge=0, le=2**31, description="How many to leave out first.")] = 0


class Linked(InCollection):
    """Whatever links to a node."""

    target_id: Target
    target_graph: Annotated[Graph, Field(description="What sort of thing that is.")]
    kind: Annotated[str | None, Field(max_length=40, description="Only links of this type.")] = None
    project_id: Project = None


# A type of links, and whether they lead from something or to it.
Relation = tuple[EdgeType, str]
_BESIDE = frozenset({"collection", "expected_version"})
# What may be nothing, and has no empty list or text of its own to say so.
_CLEARED = ("due", "estimate", "assignee", "order")
Nothing = Literal[""]
# A request is asked which item it is about, and for what else it says.
Asked = Any


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of one kind: how it is kept, and what its id is called in requests and replies."""

    kind: Kind
    key: str
    field: str
    plural: str

    def shelf(self, upkeep: Upkeep) -> Any:  # noqa: ANN401 - one of three, by its name
        """Return what keeps this kind."""
        return shelf_of(upkeep.collection, self.kind)

    def fresh(self, upkeep: Upkeep) -> Any:  # noqa: ANN401
        """Return the same after what changed in the folder was taken in, for links to it."""
        return upkeep.look(lambda collection: shelf_of(collection, self.kind))

    def wanted(self, request: Asked) -> str:
        """Return the id that a request is about."""
        return str(getattr(request, self.field))

    def written(self, item: AnyItem, **more: object) -> Reply:
        """Return what is said of something that was written."""
        data: Data = {self.key: item.id, **more, "version": item.version}
        if item.problems:
            data["problems"] = list(item.problems)
        return replied(data)

    def create(self, upkeep: Upkeep, request: Strict) -> Reply:
        """Write down something new."""
        fields = said(fields_of(request, leaving=_BESIDE))
        return self.written(self.shelf(upkeep).create(**fields))

    def update(self, upkeep: Upkeep, request: Asked) -> Reply:
        """Change the fields that were given; an empty text clears one.

        Null is as if it were not: some agents send it for all that they have nothing to say of.
        """
        given = said(fields_of(request, leaving=_BESIDE | {self.field}))
        cleared = {name: None for name in _CLEARED if given.get(name) == ""}
        made = self.shelf(upkeep).update(
            self.wanted(request), expected_version=request.expected_version, **given | cleared
        )
        return self.written(made, updated=True)

    def page(self, upkeep: Upkeep, request: Page, row: Callable[[Any], Data]) -> Reply:
        """Return some of a list."""
        found = self.shelf(upkeep).list(**said(fields_of(request, leaving=_BESIDE)))
        return results([row(one) for one in found.items], total=found.total)

    def got(self, upkeep: Upkeep, request: Asked, named: Mapping[Relation, str]) -> Reply:
        """Return one, and what it is linked with: by name those of its kind, and the others."""
        from trivium.memory.ground import links_data
        from trivium.memory.items import as_data

        shelf, wanted = self.fresh(upkeep), self.wanted(request)
        found: dict[str, list[object]] = {name: [] for name in named.values()}
        across = []
        for one in shelf.links(wanted):
            is_own = one.other.startswith(f"{self.kind}:")
            name = named.get((EdgeType(one.type), one.direction)) if is_own else None
            if name is None:
                across.append(one)
            elif one.other not in found[name]:
                found[name].append(one.other)
        return replied({**as_data(shelf.get(wanted)), **found, "crossLinks": links_data(across)})

    def creating(self, takes: type[Strict], title: str, description: str) -> Offer:
        """Return the tool that makes one."""
        gives = keyed({self.key: TEXT, "version": COUNT})
        return Offer(
            f"{self.plural}_create", title, description, takes, gives, self.create, writes=True
        )

    def updating(self, takes: type[Strict], description: str) -> Offer:
        """Return the tool that changes one."""
        return Offer(
            f"{self.plural}_update",
            f"Change a {self.kind}",
            description,
            takes,
            keyed({self.key: TEXT, "updated": YES, "version": COUNT}, problems=TEXTS),
            self.update,
            writes=True,
            replaces=True,
        )

    def delete(self, takes: type[Strict]) -> Offer:
        """Return the tool that deletes one."""

        def answer(upkeep: Upkeep, request: Asked) -> Reply:
            shelf = self.shelf(upkeep)
            item = shelf.peek(self.wanted(request))
            shelf.delete(item.slug)
            return replied({self.key: item.id, "deleted": True})

        return Offer(
            f"{self.plural}_delete",
            f"Delete a {self.kind}",
            f"Delete a {self.kind} and its file, for good.",
            takes,
            keyed({self.key: TEXT, "deleted": YES}),
            answer,
            writes=True,
            replaces=True,
        )

    def link(
        self, name: str, takes: type[Strict], ends: tuple[str, str], *, description: str
    ) -> Offer:
        """Return a tool that links; `ends` are the fields of a request that name the two."""

        def answer(upkeep: Upkeep, request: Asked) -> Reply:
            self.fresh(upkeep).link(
                getattr(request, ends[0]),
                request.kind,
                self._target(upkeep, request, getattr(request, ends[1])),
            )
            return replied({"created": True})

        gives = keyed({"created": YES})
        title = f"Link a {self.kind}"
        return Offer(name, title, description, takes, gives, answer, writes=True)

    def unlink(self, takes: type[Strict], ends: tuple[str, str]) -> Offer:
        """Return the tool that takes links away."""

        def answer(upkeep: Upkeep, request: Asked) -> Reply:
            target = self._target(upkeep, request, getattr(request, ends[1]))
            self.shelf(upkeep).unlink(getattr(request, ends[0]), target)
            return replied({"deleted": True})

        return Offer(
            f"{self.plural}_delete_link",
            f"Take a link of a {self.kind} away",
            f"Take away the links from a {self.kind} to a node.",
            takes,
            keyed({"deleted": YES}),
            answer,
            writes=True,
            replaces=True,
        )

    def find_linked(self, shape: Callable[[Any], Data], gives: Mapping[str, Schema]) -> Offer:
        """Return the tool that finds what links to a node."""

        def answer(upkeep: Upkeep, request: Linked) -> Reply:
            target = self._target(upkeep, request, request.target_id)
            pairs = self.fresh(upkeep).find_linked(target, type_=request.kind)
            return results([{**shape(item), "kind": type_} for item, type_ in pairs])

        row = keyed({self.key: TEXT, "title": TEXT, "kind": TEXT, **gives, "tags": TEXTS})
        return Offer(
            f"{self.plural}_find_linked",
            f"Find {self.plural} about something",
            f"Find the {self.plural} that link to code, a document, a file, or to memory.",
            Linked,
            keyed({"results": listed(row)}),
            answer,
        )

    def attach(self, takes: type[Strict]) -> Offer:
        """Return the tool that keeps a file of the folder beside one."""

        def answer(upkeep: Upkeep, request: Asked) -> Reply:
            from trivium.memory.attached import attachment_data, file_in

            path, data = file_in(upkeep.collection.root, request.file_path)
            upkeep.look(lambda collection: _check_may_be_shown(collection, str(path)))
            made = self.shelf(upkeep).attach(self.wanted(request), path.name, data)
            return replied(attachment_data(made))

        return Offer(
            f"{self.plural}_add_attachment",
            f"Add a file to a {self.kind}",
            f"Keep a copy of a file of the folder beside a {self.kind}.",
            takes,
            keyed({"filename": TEXT, "mimeType": TEXT, "size": COUNT, "addedAt": TEXT}),
            answer,
            writes=True,
        )

    def detach(self, takes: type[Strict]) -> Offer:
        """Return the tool that removes such a file."""

        def answer(upkeep: Upkeep, request: Asked) -> Reply:
            self.shelf(upkeep).detach(self.wanted(request), request.filename)
            return replied({"deleted": True})

        return Offer(
            f"{self.plural}_remove_attachment",
            f"Remove a file of a {self.kind}",
            f"Remove a file that is kept beside a {self.kind}.",
            takes,
            keyed({"deleted": YES}),
            answer,
            writes=True,
            replaces=True,
        )

    def _target(self, upkeep: Upkeep, request: Asked, given: str) -> str:
        """Return the id of what is meant, of this collection or another. Raises UsageError."""
        graph: str | None = getattr(request, "target_graph", None)
        project: str | None = getattr(request, "project_id", None)
        if given.startswith(PROXY):
            if project is not None:
                raise UsageError(f"{given} names its collection; leave out projectId.")
            return given
        has_kind = given.partition(":")[0] in _ALL_KINDS and ":" in given
        kind = self.kind if graph is None else _KINDS[graph]
        node = given if has_kind else f"{kind}:{given}"
        return node if project in (None, upkeep.name) else f"{PROXY}{project}::{node}"


def _check_may_be_shown(collection: Collection, path: str) -> None:
    """Refuse a file that searches do not show: one that is ignored, or has secrets in it.

    Files that are no text, such as pictures, are passed over by searches and may be kept.
    """
    if path in collection.skipped():
        return
    if collection.file(path).state.masked:
        raise UsageError(f"{path} has secrets in it, which a copy would show.")


class Attaching(InCollection):
    """A file of the folder that is to be kept."""

    file_path: _File


class Detaching(InCollection):
    """A file that is to be removed."""

    filename: _Name


def replied(data: Data) -> Reply:
    """Return data with the same as text."""
    return Reply(data, json.dumps(data, ensure_ascii=False))


def masked(reply: Reply) -> Reply:
    """Return a reply of these tools for who may only read."""
    data = for_readers(reply.data)
    is_list = reply.text != replied(reply.data).text
    rows = data.get("results")
    return Reply(data, json.dumps(rows if is_list else data, ensure_ascii=False))


def results(rows: Sequence[Data], **more: object) -> Reply:
    """Return a list, whose text is the list itself, which is all that this seed's clients read."""
    return Reply({"results": list(rows), **more}, json.dumps(rows, ensure_ascii=False))
