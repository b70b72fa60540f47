"""What memory stands on: the index of its collection, and the other collections it links to.

Says which ids are there, what leads to a node, and has the index take in what was written. A
link whose target is gone is told, never left out. Made by the collection.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import normalize

from trivium.backends.base import Backend
from trivium.errors import BackendError, IndexLocked, IndexUnusable, NotFound, UsageError
from trivium.memory.catalog import Linking, links_of
from trivium.memory.items import FIELDS, AnyItem, Link
from trivium.parsing.shelves import FOLDERS, kind_in_memory, path_in_memory
from trivium.types import PROXY, Kind, NodeId

if TYPE_CHECKING:
    from trivium.memory.desk import Desk
    from trivium.types import Answer

log = logging.getLogger(__name__)

Search = Callable[..., "Answer"]
Sync = Callable[[frozenset[str]], object]
# The ids of another collection that are there; None if there is no such collection here.
Elsewhere = Callable[[str, Sequence[NodeId]], frozenset[NodeId] | None]


@dataclass(frozen=True, slots=True)
class LinkState:
    """A link of something in memory, from it (`out`) or to it (`in`).

    `other` is the node at the far end. `is_broken` is None where nobody can tell: it is in a
    collection that is not on this machine.
    """

    type: str
    other: str
    direction: str
    is_broken: bool | None = False
    title: str = ""


class Ground:
    """The index under memory. Safe to use from many threads."""

    def __init__(
        self, backend: Backend, *, search: Search, sync: Sync, elsewhere: Elsewhere
    ) -> None:
        self._backend = backend
        self._search = search
        self._sync = sync
        self._elsewhere = elsewhere
        self._waiting: set[str] = set()

    def search(self, query: str, **options: object) -> Answer:
        """Search the collection."""
        return self._search(query, **options)

    def take_in(self, kind: Kind, slugs: Sequence[str]) -> None:
        """Have the index take in files of a kind and no others, if there is an index.

        Where another process is writing it, that is done before the next search.
        """
        # Some systems take accents in names apart.
        names = {form for slug in slugs for form in (slug, normalize("NFD", slug))}
        self._waiting.update(path_in_memory(kind, name) for name in names)
        self.catch_up()

    def catch_up(self) -> None:
        """Take in what could not be taken in when it was written."""
        if not self._waiting or "indexed_at" not in self._backend.meta():
            return
        paths = frozenset(self._waiting)
        try:
            self._sync(paths)
        except (IndexLocked, IndexUnusable, BackendError) as error:
            # What was written is safe; every sync finds it, too.
            log.info("memory waits to be taken in: %s", error)
        else:
            self._waiting.difference_update(paths)

    def holder_of(self, node_id: NodeId) -> str | None:
        """Return the file that the index has an id from."""
        with self._backend.snapshot() as snapshot:
            node = snapshot.node(node_id)
        return None if node is None else node.source.file_path

    def check_there(self, target: str, desk: Desk) -> None:
        """Refuse a target that is not there. Raises NotFound, or UsageError for no collection."""
        if self._states([target], desk)[target][0] is False:
            return
        if target.startswith(PROXY):
            name = target.removeprefix(PROXY).partition("::")[0]
            if self._elsewhere(name, ()) is None:
                raise UsageError(
                    f"No collection is called {name}. See which are: trivium collections"
                )
        if "indexed_at" not in self._backend.meta():
            raise NotFound(f"{target} is not there yet: nothing is indexed. Run: trivium index")
        raise NotFound(f"{target} is not there. Find its id with: trivium search")

    def broken(self, item: AnyItem, desk: Desk) -> tuple[str, ...]:
        """Return the targets of something's links that are gone."""
        targets = [one.target for one in _links(item)]
        states = self._states(targets, desk) if targets else {}
        return tuple(dict.fromkeys(one for one in targets if states[one][0]))

    def links(self, item: AnyItem, desk: Desk) -> list[LinkState]:
        """Return the links from something in memory and to it."""
        made = _links(item)
        states = self._states([one.target for one in made], desk)
        found = [LinkState(one.type.value, one.target, "out", *states[one.target]) for one in made]
        known = {(one.type, one.other) for one in found}
        found += [
            LinkState(one.type, f"{one.kind}:{one.slug}", "in", title=one.slug)
            for one in self.linked_to(item.id, desk)
        ]
        with self._backend.snapshot() as snapshot:
            edges = snapshot.edges_of(item.id)
            ends = {edge.target if edge.source == item.id else edge.source for edge in edges}
            nodes = snapshot.nodes(sorted(ends))
        for edge in edges:
            is_out = edge.source == item.id
            other = edge.target if is_out else edge.source
            is_told = is_out and (edge.type.value, other) in known
            if (
                not is_told
                and other in nodes
                and (is_out or not _is_of_memory(nodes[other].source.file_path))
            ):
                direction = "out" if is_out else "in"
                found.append(LinkState(edge.type.value, other, direction, title=nodes[other].name))
        return found

    def linked_to(self, target: str, desk: Desk) -> list[Linking]:
        """Return what in memory leads to a node: by a link of its own, or by its text."""
        for one in FOLDERS:
            desk.look(one)
        found = {(one.kind, one.slug, one.type): one for one in desk.catalog.links_to([target])}
        with self._backend.snapshot() as snapshot:
            edges = [one for one in snapshot.edges_of(NodeId(target)) if one.target == target]
        for edge in edges:
            sort, _, slug = edge.source.partition(":")
            kind = _KINDS.get(sort)
            if kind is not None and "#" not in slug and desk.is_there(kind, slug):
                key = (kind, slug, edge.type.value)
                found.setdefault(key, Linking(*key, target))
        return [found[key] for key in sorted(found)]

    def _states(self, targets: Sequence[str], desk: Desk) -> Mapping[str, tuple[bool | None, str]]:
        """Return for each target whether it is gone, and what it is called."""
        known = self._known(targets)
        found: dict[str, tuple[bool | None, str]] = {}
        for one in targets:
            if one in known:
                found[one] = (False, known[one])
            elif one.startswith(PROXY):
                name = one.removeprefix(PROXY).partition("::")[0]
                found[one] = (None if self._elsewhere(name, ()) is None else True, "")
            else:
                kind, _, slug = one.partition(":")
                is_file = kind in _KINDS and desk.is_there(_KINDS[kind], slug)
                found[one] = (not is_file, slug if is_file else "")
        return found

    def _known(self, targets: Sequence[str]) -> dict[str, str]:
        """Return the targets that are there, each with its name."""
        own = [NodeId(one) for one in targets if not one.startswith(PROXY)]
        with self._backend.snapshot() as snapshot:
            found = {str(one): node.name for one, node in snapshot.nodes(own).items()}
        for one in targets:
            if one.startswith(PROXY):
                name, _, node_id = one.removeprefix(PROXY).partition("::")
                if self._elsewhere(name, [NodeId(node_id)]):
                    found[one] = node_id
        return found


_KINDS = {kind.value: kind for kind in FOLDERS}


def _links(item: AnyItem) -> list[Link]:
    kind = Kind(item.id.partition(":")[0])
    return links_of({field.name: getattr(item, field.name) for field in FIELDS[kind]})


def _is_of_memory(path: str) -> bool:
    return kind_in_memory(path) is not None


def links_data(links: Sequence[LinkState]) -> list[dict[str, object]]:
    """Return links as JSON doors send them."""
    return [
        {
            "type": one.type,
            "target" if one.direction == "out" else "source": one.other,
            "direction": one.direction,
            "broken": one.is_broken,
        }
        for one in links
    ]
