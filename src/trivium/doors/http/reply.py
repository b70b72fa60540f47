"""Data or an error -> an HTTP response in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

from trivium.doors import failures
from trivium.errors import TriviumError

_NOT_MODIFIED = 304


def found(data: Mapping[str, object], *, tag: str | None = None) -> Response:
    """Return data with status 200; with a tag, it can be asked for again at less cost."""
    return _json(data, status=200, headers={} if tag is None else _tagged(tag))


def created(data: Mapping[str, object]) -> Response:
    """Return data with status 201."""
    return _json(data, status=201, headers={})


def unchanged(tag: str) -> Response:
    """Say that what the client has is right."""
    return Response(status_code=_NOT_MODIFIED, headers=_tagged(tag))


def failed(
    kind: str, message: str, *, status: int, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a failure that is HTTP's own."""
    return _json(failures.as_data(kind, message), status=status, headers=headers or {})


def refused(error: TriviumError) -> Response:
    """Return an error of ours under its status."""
    wait_s = failures.retry_after_s(error)
    headers = {} if wait_s is None else {"Retry-After": str(wait_s)}
    status = failures.statuses(error).http
    return failed(type(error).__name__, failures.said(error), status=status, headers=headers)


def as_json(data: Mapping[str, object]) -> bytes:
    """Return data as bytes of JSON."""
    # File names may hold bytes that are no text; "replace" shows them rather than fail.
    return json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _tagged(tag: str) -> dict[str, str]:
    return {"ETag": tag, "Cache-Control": "private, no-cache"}


def _json(data: Mapping[str, object], *, status: int, headers: Mapping[str, str]) -> Response:
    return Response(
        as_json(data), status_code=status, headers=dict(headers), media_type="application/json"
    )
