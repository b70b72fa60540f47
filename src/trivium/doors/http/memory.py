"""notes, tasks and skills: /api/notes and the like, to read, write, link and search memory.

Reading needs the right to read, everything else that to write; who may only read sees no secrets,
as in searches. The version of an item is its
ETag; sent back as If-Match, a change that others made since is a conflict and nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.doors import answers
from trivium.doors.answers import Asked, Data, HttpCollection, Strict
from trivium.doors.failures import RequestInvalid
from trivium.doors.http import memory_requests as takes
from trivium.doors.http import reply
from trivium.doors.http.access import access_of
from trivium.doors.http.attaching import Attaching
from trivium.doors.http.body import json_body, query_data
from trivium.doors.http.service import Endpoint, Service, route
from trivium.doors.memory import fields_of, for_readers, said, shelf_of
from trivium.doors.tokens import Right
from trivium.doors.upkeep import Upkeep
from trivium.memory.ground import links_data
from trivium.memory.items import AnyItem, as_data
from trivium.parsing.shelves import FOLDERS
from trivium.results import present
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.memory.tasks import Tasks

_VERSION = re.compile(r'(?:W/)?"(\d{1,9})"|(\d{1,9})')
_ANY = "*"
_BESIDE = frozenset({"collection"})
# A text of 1,000,000 characters in any script, and room for the other fields.
MOST_WRITTEN_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class Taken:
    """The requests of one kind: something new, a change, a page of a list."""

    new: type[Strict]
    change: type[Strict]
    page: type[HttpCollection]


TAKEN: Mapping[Kind, Taken] = {
    Kind.NOTE: Taken(takes.HttpNote, takes.HttpNoteChange, takes.HttpNotes),
    Kind.TASK: Taken(takes.HttpTask, takes.HttpTaskChange, takes.HttpTasks),
    Kind.SKILL: Taken(takes.HttpSkill, takes.HttpSkillChange, takes.HttpSkills),
}


class Remembering:
    """What people and agents write down."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        """Return the addresses; what has a name of its own comes before the slugs."""
        read, write = Right.READ, Right.WRITE
        found = [route("/api/skills/recall", {"GET": (self.get_recall, read)})]
        for name, bulk in _BULK.items():
            found.append(route(f"/api/tasks/bulk/{name}", {"POST": (self._bulk(bulk), write)}))
        for kind, plural in FOLDERS.items():
            of = _Of(self._service, kind)
            all_, one = f"/api/{plural}", f"/api/{plural}/{{slug}}"
            found += [
                route(all_, {"GET": (of.get_list, read), "POST": (of.post, write)}),
                route(f"{all_}/search", {"GET": (of.get_search, read)}),
                route(f"{all_}/linked", {"GET": (of.get_linked, read)}),
                route(
                    f"{one}/links",
                    {
                        "GET": (of.get_links, read),
                        "POST": (of.post_link, write),
                        "DELETE": (of.delete_link, write),
                    },
                ),
                *Attaching(self._service, kind).routes(one),
                *_own_routes(of, one),
                route(
                    one,
                    {
                        "GET": (of.get, read),
                        "PATCH": (of.patch, write),
                        "DELETE": (of.delete, write),
                    },
                ),
            ]
        return found

    async def get_recall(self, request: Request) -> Response:
        """Find the skills for what someone is about to do."""
        given = query_data(request.query_params)
        # Who searches skills with q may ask so here.
        if "query" in given:
            if "context" in given:
                raise RequestInvalid("q and context are the same. Give one of them.")
            given["context"] = given.pop("query")
        wanted = answers.read(takes.HttpRecall, given, is_text=True)
        asked = Asked.of(
            wanted.context,
            profile="graph-recall",
            kind=Kind.SKILL.value,
            limit=wanted.limit,
            min_score=wanted.min_score,
            search_mode=wanted.search_mode,
            explain=wanted.explain,
        )

        def work() -> Response:
            upkeep = self._service.hosting.upkeep(wanted.collection)
            return reply.found(present.as_data(upkeep.search(asked)))

        return await self._service.workers.run(request, work)

    def _bulk(self, bulk: _Bulk) -> Endpoint:
        async def post(request: Request) -> Response:
            where = answers.read(HttpCollection, query_data(request.query_params), is_text=True)
            wanted = answers.read(bulk.takes, await json_body(request))

            def work() -> Response:
                upkeep = self._service.hosting.upkeep(where.collection)
                return reply.found({bulk.counted: bulk.does(upkeep.collection.tasks, wanted)})

            return await self._service.workers.run(request, work)

        return post


class _Of:
    """The endpoints of one kind."""

    def __init__(self, service: Service, kind: Kind) -> None:
        self._service = service
        self.kind = kind
        self._taken = TAKEN[kind]

    async def get_list(self, request: Request) -> Response:
        """Return a page of them, without their texts."""
        wanted = answers.read(self._taken.page, query_data(request.query_params), is_text=True)
        asked = said(fields_of(wanted, leaving=_BESIDE))

        def listed(upkeep: Upkeep) -> Response:
            page = self._shelf(upkeep).list(**asked)
            rows = [as_data(one, text=False) for one in page.items]
            counts = {"total": page.total, "limit": page.limit, "offset": page.offset}
            return reply.found(_told(request, {"results": rows, **counts}))

        return await self._run(request, wanted, listed)

    async def post(self, request: Request) -> Response:
        """Write something down."""
        where = _where(request)
        body = await json_body(request, most_bytes=MOST_WRITTEN_BYTES)
        fields = said(fields_of(answers.read(self._taken.new, body)))

        def made(upkeep: Upkeep) -> Response:
            shelf = self._fresh(upkeep) if fields.get("links") else self._shelf(upkeep)
            item = shelf.create(**fields)
            answer = reply.created(as_data(item))
            answer.headers["ETag"] = _etag(item)
            place = f"/api/{FOLDERS[self.kind]}/{quote(item.id, safe='')}"
            asked = f"?collection={quote(where.collection, safe='')}" if where.collection else ""
            answer.headers["Location"] = place + asked
            return answer

        return await self._run(request, where, made)

    async def get(self, request: Request) -> Response:
        """Return one, as its file says now."""
        where, slug = _where(request), _slug(request)

        def got(upkeep: Upkeep) -> Response:
            item = self._fresh(upkeep).get(slug)
            is_whole = access_of(request).may(Right.WRITE)
            # Another tag: what was kept of one is not taken for the other.
            tag = _etag(item) if is_whole else f'"{item.version}-masked"'
            return reply.found(_told(request, as_data(item)), tag=tag)

        return await self._run(request, where, got)

    async def patch(self, request: Request) -> Response:
        """Change fields of one; null clears a field."""
        where, slug, expected = _where(request), _slug(request), _expected(request)
        body = await json_body(request, most_bytes=MOST_WRITTEN_BYTES)
        fields = fields_of(answers.read(self._taken.change, body))

        def changed(upkeep: Upkeep) -> Response:
            shelf = self._fresh(upkeep) if fields.get("links") else self._shelf(upkeep)
            return _shown(shelf.update(slug, expected_version=expected, **fields))

        return await self._run(request, where, changed)

    async def delete(self, request: Request) -> Response:
        """Remove one for good."""
        where, slug, expected = _where(request), _slug(request), _expected(request)

        def removed(upkeep: Upkeep) -> Response:
            shelf = self._shelf(upkeep)
            node_id = shelf.peek(slug).id
            shelf.delete(slug, expected_version=expected)
            return reply.found({"id": node_id, "deleted": True})

        return await self._run(request, where, removed)

    async def get_links(self, request: Request) -> Response:
        """Return what leads from one and to it, and what of that is gone."""
        where, slug = _where(request), _slug(request)

        def linked(upkeep: Upkeep) -> Response:
            return reply.found({"links": links_data(self._fresh(upkeep).links(slug))})

        return await self._run(request, where, linked)

    async def post_link(self, request: Request) -> Response:
        """Link one to a node."""
        where, slug, expected = _where(request), _slug(request), _expected(request)
        wanted = answers.read(takes.HttpLink, await json_body(request))

        def linked(upkeep: Upkeep) -> Response:
            shelf = self._fresh(upkeep)
            return _shown(shelf.link(slug, wanted.type, wanted.target, expected_version=expected))

        return await self._run(request, where, linked)

    async def delete_link(self, request: Request) -> Response:
        """Take links away."""
        slug, expected = _slug(request), _expected(request)
        wanted = answers.read(takes.HttpUnlink, query_data(request.query_params), is_text=True)

        def unlinked(upkeep: Upkeep) -> Response:
            shelf = self._shelf(upkeep)
            return _shown(
                shelf.unlink(slug, wanted.target, type_=wanted.type, expected_version=expected)
            )

        return await self._run(request, wanted, unlinked)

    async def get_linked(self, request: Request) -> Response:
        """Return those that link to a node."""
        wanted = answers.read(takes.HttpLinked, query_data(request.query_params), is_text=True)

        def found(upkeep: Upkeep) -> Response:
            pairs = self._fresh(upkeep).find_linked(wanted.target, type_=wanted.type)
            rows = [{**as_data(item, text=False), "linkType": type_} for item, type_ in pairs]
            return reply.found(_told(request, {"results": rows, "total": len(rows)}))

        return await self._run(request, wanted, found)

    async def get_search(self, request: Request) -> Response:
        """Search this kind alone."""
        wanted = answers.read(takes.HttpOfKind, query_data(request.query_params), is_text=True)
        asked = wanted.asked()
        asked = Asked(asked.query, {**asked.options, "kind": self.kind.value})

        def found(upkeep: Upkeep) -> Response:
            return reply.found(present.as_data(upkeep.search(asked)))

        return await self._run(request, wanted, found)

    async def post_reorder(self, request: Request) -> Response:
        """Put a task elsewhere in its column, or in another."""
        where, slug, expected = _where(request), _slug(request), _expected(request)
        wanted = answers.read(takes.HttpReorder, await json_body(request))

        def put(upkeep: Upkeep) -> Response:
            place = said(fields_of(wanted))
            return _shown(upkeep.collection.tasks.reorder(slug, expected_version=expected, **place))

        return await self._run(request, where, put)

    async def post_bump(self, request: Request) -> Response:
        """Count that a skill was used now."""
        where, slug = _where(request), _slug(request)
        return await self._run(
            request, where, lambda upkeep: _shown(upkeep.collection.skills.bump(slug))
        )

    def _shelf(self, upkeep: Upkeep) -> Any:  # noqa: ANN401 - one of three, by its name
        return shelf_of(upkeep.collection, self.kind)

    def _fresh(self, upkeep: Upkeep) -> Any:  # noqa: ANN401
        """Return the same after what changed in the folder was taken in, for links to it."""
        return upkeep.look(lambda collection: shelf_of(collection, self.kind))

    async def _run(
        self,
        request: Request,
        where: HttpCollection | takes.HttpOfKind,
        make: Callable[[Upkeep], Response],
    ) -> Response:
        return await self._service.workers.run(
            request, lambda: make(self._service.hosting.upkeep(where.collection))
        )


@dataclass(frozen=True, slots=True)
class _Bulk:
    """Something that is done to many tasks at once, and what says to how many."""

    takes: type[Strict]
    counted: str
    does: Callable[[Tasks, Any], int]


_BULK: Mapping[str, _Bulk] = {
    "move": _Bulk(
        takes.HttpBulkMove, "moved", lambda tasks, one: tasks.bulk_move(one.ids, one.status)
    ),
    "priority": _Bulk(
        takes.HttpBulkPriority,
        "updated",
        lambda tasks, one: tasks.bulk_priority(one.ids, one.priority),
    ),
    "delete": _Bulk(takes.HttpBulkDelete, "deleted", lambda tasks, one: tasks.bulk_delete(one.ids)),
}


def _own_routes(of: _Of, one: str) -> list[Route]:
    """Return what only this kind has."""
    if of.kind is Kind.TASK:
        return [route(f"{one}/reorder", {"POST": (of.post_reorder, Right.WRITE)})]
    if of.kind is Kind.SKILL:
        return [route(f"{one}/bump", {"POST": (of.post_bump, Right.WRITE)})]
    return []


def _where(request: Request) -> HttpCollection:
    return answers.read(HttpCollection, query_data(request.query_params), is_text=True)


def _slug(request: Request) -> str:
    return str(request.path_params["slug"])


def _expected(request: Request) -> int | None:
    """Return the version that a change is for; None is any. Raises RequestInvalid."""
    given = request.headers.getlist("if-match")
    if not given or [one.strip() for one in given] == [_ANY]:
        return None
    found = _VERSION.fullmatch(given[0].strip()) if len(given) == 1 else None
    if found is None:
        shown = ", ".join(given)[:60]
        raise RequestInvalid(f'If-Match is {shown!r}. Give one version, as in If-Match: "3".')
    return int(found[1] or found[2])


def _told(request: Request, data: Data) -> Data:
    """Return what files say, with secrets masked for who may not change them."""
    return data if access_of(request).may(Right.WRITE) else for_readers(data)


def _etag(item: AnyItem) -> str:
    return f'"{item.version}"'


def _shown(item: AnyItem) -> Response:
    data: Data = as_data(item)
    return reply.found(data, tag=_etag(item))
