"""health, status, profiles, collections, sync and judgements: the server and what it keeps.

Reading needs the right to read, changing what is indexed or judged that to write, and adding or
taking away folders that to administer.
"""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium import __version__
from trivium.doors import answers
from trivium.doors.answers import Data, HttpCollection
from trivium.doors.failures import Forbidden
from trivium.doors.http import reply
from trivium.doors.http.access import access_of
from trivium.doors.http.body import json_body, no_query, query_data
from trivium.doors.http.requests import HttpFolder, HttpJudgement, HttpJudgements, HttpName
from trivium.doors.http.service import Service, route
from trivium.doors.http.shapes import Served, served_data
from trivium.doors.http.syncing import Syncing
from trivium.doors.judgements import Judgements
from trivium.doors.standing import status_data
from trivium.doors.tokens import Right
from trivium.doors.upkeep import Upkeep
from trivium.errors import ConfigError, IndexNotFound, IndexUnusable, UsageError

_MOST_SKIPPED = 200


class Keeping:
    """What can be kept, and looked after."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._syncing = Syncing(service)

    def routes(self) -> list[Route]:
        """Return the addresses."""
        read, write, admin = Right.READ, Right.WRITE, Right.ADMIN
        return [
            route("/health", {"GET": (self.get_health, None)}),
            route("/api/status", {"GET": (self.get_status, read)}),
            route("/api/profiles", {"GET": (self.get_profiles, read)}),
            route(
                "/api/collections",
                {
                    "GET": (self.get_collections, read),
                    "POST": (self.post_collections, admin),
                    "DELETE": (self.delete_collections, admin),
                },
            ),
            route("/api/collections/{name:any}/sync", {"POST": (self._syncing.post, write)}),
            route(
                "/api/judgements",
                {"GET": (self.get_judgements, read), "POST": (self.post_judgements, write)},
            ),
        ]

    async def get_health(self, request: Request) -> Response:
        """Say that the server is up, and whether it has been through its folder."""
        hosting = self._service.hosting
        name = hosting.default
        opened = {one.name: one for one in hosting.opened()}
        is_ready = name in opened and opened[name].is_ready
        data: Data = {"status": "ok" if is_ready else "indexing", "version": __version__}
        if access_of(request).may(Right.READ):
            data["collection"] = name
        return reply.found(data)

    async def get_status(self, request: Request) -> Response:
        """Say what a collection holds, what it passed over and what is being done."""
        wanted = answers.read(HttpCollection, query_data(request.query_params), is_text=True)
        access = access_of(request)

        def work() -> Response:
            upkeep = self._service.hosting.upkeep(wanted.collection)
            data = self._status(upkeep, is_admin=access.may(Right.ADMIN))
            return reply.found({**data, "mayWrite": access.may(Right.WRITE)})

        return await self._service.workers.run(request, work)

    def _status(self, upkeep: Upkeep, *, is_admin: bool) -> Data:
        collection = upkeep.collection
        data = status_data(collection.status())
        skipped = sorted(collection.skipped().items())[:_MOST_SKIPPED]
        going = upkeep.going
        data |= {
            "skippedFiles": [{"path": path, "reason": reason} for path, reason in skipped],
            "progress": going and {"stage": going.stage, "done": going.done, "total": going.total},
        }
        if is_admin:
            # Queries are what people typed: for who runs the server alone.
            data["slowQueries"] = [
                {"tookMs": one.took_ms, "query": one.query, "at": one.at}
                for one in reversed(list(self._service.slow.get(upkeep.name, ())))
            ]
        return data

    async def get_profiles(self, request: Request) -> Response:
        """Name the ways to rank, and which one is set."""
        wanted = answers.read(HttpCollection, query_data(request.query_params), is_text=True)

        def work() -> Response:
            from trivium import profiles

            settings = self._service.hosting.upkeep(wanted.collection).collection.settings
            found = []
            for name in profiles.names(settings.home):
                try:
                    said = profiles.load(name, home=settings.home).description
                except ConfigError as error:
                    # One file with a mistake does not hide the others.
                    said = f"cannot be used: {error}"
                found.append({"name": name, "description": said})
            return reply.found({"profiles": found, "default": settings.text("search.profile")})

        return await self._service.workers.run(request, work)

    async def get_collections(self, request: Request) -> Response:
        """List the collections; opens none."""
        no_query(request)

        def work() -> Response:
            hosting = self._service.hosting
            names = hosting.names
            return reply.found({"collections": [served_data(self._served(one)) for one in names]})

        return await self._service.workers.run(request, work)

    async def post_collections(self, request: Request) -> Response:
        """Answer for one more folder."""
        no_query(request)
        wanted = answers.read(HttpFolder, await json_body(request))

        def work() -> Response:
            folder = self._allowed(Path(wanted.folder))
            upkeep = self._service.hosting.add(folder, name=wanted.name)
            return reply.created(served_data(self._served(upkeep.name)))

        return await self._service.workers.run(request, work)

    async def delete_collections(self, request: Request) -> Response:
        """Answer for a folder no more; its index stays."""
        wanted = answers.read(HttpName, query_data(request.query_params), is_text=True)

        def work() -> Response:
            self._service.hosting.remove(wanted.name)
            return reply.found({"removed": wanted.name})

        return await self._service.workers.run(request, work)

    async def get_judgements(self, request: Request) -> Response:
        """Return what was said of the hits of a query."""
        wanted = answers.read(HttpJudgements, query_data(request.query_params), is_text=True)

        def work() -> Response:
            kept = self._judgements(wanted.collection).all(wanted.query)
            rows = [
                {"query": one.query, "id": one.id, "relevance": one.relevance, "at": one.at}
                for one in kept
            ]
            return reply.found({"judgements": rows})

        return await self._service.workers.run(request, work)

    async def post_judgements(self, request: Request) -> Response:
        """Keep what someone says of a hit."""
        no_query(request)
        wanted = answers.read(HttpJudgement, await json_body(request))

        def work() -> Response:
            # What was said of a node that has gone since may still be taken back.
            is_said = wanted.relevance is not None
            judged = self._judged(wanted.collection, wanted.id) if is_said else wanted.id
            kept = self._judgements(wanted.collection)
            kept.put(wanted.query, judged, wanted.relevance)
            return reply.found({"query": wanted.query, "id": judged, "relevance": wanted.relevance})

        return await self._service.workers.run(request, work)

    def _judgements(self, name: str | None) -> Judgements:
        return Judgements.of(self._service.hosting.upkeep(name).collection)

    def _judged(self, name: str | None, wanted: str) -> str:
        """Return the id of what is judged. Raises NotFound for what is not there."""
        found = self._service.hosting.upkeep(name).get(wanted)
        return wanted if any(one.id == wanted for one in found.chunks) else found.node.id

    def _allowed(self, folder: Path) -> Path:
        """Return a folder that may be added: one below a root that was given at the start."""
        try:
            place = folder.expanduser().resolve()
        except (OSError, RuntimeError, ValueError) as error:
            # A zero byte, a loop of links, someone's home that is not there.
            raise UsageError(f"{str(folder)[:200]!r} is no path: {error}.") from error
        if not any(place.is_relative_to(root) for root in self._service.roots):
            listed = ", ".join(map(str, self._service.roots))
            raise Forbidden(
                f"{place} may not be served: it is in none of {listed}."
                if listed
                else "No folder may be added: start the server with --root FOLDER."
            )
        return place

    def _served(self, name: str) -> Served:
        from trivium.collection import open_collection

        hosting = self._service.hosting
        folder = hosting.folder(name)
        files, chunks, indexed_at = 0, 0, ""
        try:
            if hosting.is_open(name):
                contents = hosting.upkeep(name).collection.stats()
            else:
                with open_collection(folder, create=False) as collection:
                    contents = collection.stats()
            files, chunks, indexed_at = contents.files, contents.chunks, contents.indexed_at
        except (IndexNotFound, IndexUnusable):
            # Asking it says what is wrong; the list does not fail for it.
            pass
        is_default = name == hosting.default
        return Served(name, str(folder), files, chunks, indexed_at or None, is_default)
