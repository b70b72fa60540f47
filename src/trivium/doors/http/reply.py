"""Data or an error -> an HTTP response in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

from trivium.doors import failures
from trivium.errors import TriviumError


def found(data: Mapping[str, object]) -> Response:
    """Return data with status 200."""
    return _json(data, status=200, headers={})


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
    return failed(type(error).__name__, str(error), status=status, headers=headers)


def _json(data: Mapping[str, object], *, status: int, headers: Mapping[str, str]) -> Response:
    # File names may hold bytes that are no text; "replace" shows them rather than fail.
    body = json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    return Response(body, status_code=status, headers=dict(headers), media_type="application/json")
