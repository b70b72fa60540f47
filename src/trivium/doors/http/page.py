"""The files of the web page -> `/` and `/assets/NAME`, to be asked again with an ETag.

Only files of that one folder, by their plain names, and only of known types. Everything on the
page comes from this server; nothing inline runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trivium.doors.http import reply
from trivium.doors.http.fresh import is_known
from trivium.doors.http.service import route

FOLDER = Path(__file__).parent / "page"
_TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_NOT_FOUND = 404


def routes(folder: Path = FOLDER) -> list[Route]:
    """Return the addresses of the page; they need no token, since they hold nothing of anyone's."""

    async def get_page(request: Request) -> Response:
        return _file(request, folder / "index.html")

    async def get_asset(request: Request) -> Response:
        return _file(request, folder / str(request.path_params["name"]))

    return [
        route("/", {"GET": (get_page, None)}),
        route("/assets/{name}", {"GET": (get_asset, None)}),
    ]


def _file(request: Request, file: Path) -> Response:
    kind = _TYPES.get(file.suffix)
    # A name with a slash, also a written-out one, never comes this far as one of a file.
    is_plain = "/" not in file.name and "\\" not in file.name and not file.name.startswith(".")
    if kind is None or not is_plain or "\0" in file.name:
        raise HTTPException(_NOT_FOUND)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise HTTPException(_NOT_FOUND) from error
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    is_same = is_known(request, tag)
    answer = reply.unchanged(tag) if is_same else Response(content, media_type=kind)
    answer.headers.update({**_HEADERS, "ETag": tag})
    return answer
