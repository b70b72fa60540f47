"""/api/notes/{slug}/attachments and the like: files that are kept beside an item.

What comes back is for saving, not for showing: a browser runs nothing of it. Text with secrets in
it is only for who may write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.doors import answers
from trivium.doors.answers import HttpCollection
from trivium.doors.failures import Forbidden
from trivium.doors.http import reply
from trivium.doors.http.access import access_of
from trivium.doors.http.body import query_data, whole_body
from trivium.doors.http.service import Service, route
from trivium.doors.memory import has_secrets, shelf_of
from trivium.doors.tokens import Right
from trivium.memory.attached import MOST_BYTES, attachment_data
from trivium.types import Kind

# What can be shown as it is and runs nothing; everything else is bytes to a browser.
_SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"})
_BYTES = "application/octet-stream"
_HEADERS: Mapping[str, str] = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}


class Attaching:
    """The files beside the items of one kind."""

    def __init__(self, service: Service, kind: Kind) -> None:
        self._service = service
        self._kind = kind

    def routes(self, one: str) -> list[Route]:
        """Return the addresses below that of an item."""
        read, write = Right.READ, Right.WRITE
        return [
            route(f"{one}/attachments", {"GET": (self.get_all, read)}),
            route(
                f"{one}/attachments/{{name}}",
                {
                    "GET": (self.get, read),
                    "PUT": (self.put, write),
                    "DELETE": (self.delete, write),
                },
            ),
        ]

    async def get_all(self, request: Request) -> Response:
        """List the files."""
        where, slug = _where(request), request.path_params["slug"]

        def work() -> Response:
            found = self._shelf(where).attachments(slug)
            return reply.found({"results": [attachment_data(one) for one in found]})

        return await self._service.workers.run(request, work)

    async def get(self, request: Request) -> Response:
        """Return a file."""
        where, slug, name = _where(request), *_path(request)

        def work() -> Response:
            shelf = self._shelf(where)
            data = shelf.attachment(slug, name)
            if not access_of(request).may(Right.WRITE) and has_secrets(data):
                raise Forbidden(f"{name} has secrets in it; this needs {Right.WRITE.word}.")
            found = next((one for one in shelf.attachments(slug) if one.name == name), None)
            kind = found.mime_type if found is not None and found.mime_type in _SHOWN else _BYTES
            answer = Response(data, media_type=kind, headers=dict(_HEADERS))
            kept = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
            answer.headers["Content-Disposition"] = kept
            return answer

        return await self._service.workers.run(request, work)

    async def put(self, request: Request) -> Response:
        """Keep a file; none that is there is written over."""
        where, slug, name = _where(request), *_path(request)
        data = await whole_body(request, most_bytes=MOST_BYTES)

        def work() -> Response:
            return reply.created(attachment_data(self._shelf(where).attach(slug, name, data)))

        return await self._service.workers.run(request, work)

    async def delete(self, request: Request) -> Response:
        """Remove a file."""
        where, slug, name = _where(request), *_path(request)

        def work() -> Response:
            self._shelf(where).detach(slug, name)
            return reply.found({"filename": name, "deleted": True})

        return await self._service.workers.run(request, work)

    def _shelf(self, where: HttpCollection) -> Any:  # noqa: ANN401 - one of three, by its name
        return shelf_of(self._service.hosting.upkeep(where.collection).collection, self._kind)


def _where(request: Request) -> HttpCollection:
    return answers.read(HttpCollection, query_data(request.query_params), is_text=True)


def _path(request: Request) -> tuple[str, str]:
    return request.path_params["slug"], request.path_params["name"]
