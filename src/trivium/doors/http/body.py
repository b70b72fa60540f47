"""The bytes and the query string of a request -> plain data, within bounds.

A body is counted while it comes in, whether or not its length was announced.
"""

from __future__ import annotations

import asyncio
import json

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request

from trivium.doors.answers import Data
from trivium.doors.failures import RequestInvalid
from trivium.errors import UsageError

MAX_BODY_BYTES = 1_000_000
# What is read and thrown away before the refusal, so that a sender who is still busy
# sending gets to see it; beyond this the connection is cut.
_DRAINED_BYTES = 7 * MAX_BODY_BYTES
BODY_WITHIN_S = 20.0
TOO_SLOW = 408
TOO_LARGE = 413
# Up to here a float holds every whole number.
_WHOLE = 2.0**53
_LISTS = ("kind", "domain", "collection", "collections", "graphId")


async def json_body(request: Request, *, most_bytes: int = MAX_BODY_BYTES) -> object:
    """Return the body as JSON. Raises UsageError, and what `whole_body` raises."""
    return _parsed(await whole_body(request, most_bytes=most_bytes), "The body")


async def whole_body(request: Request, *, most_bytes: int = MAX_BODY_BYTES) -> bytes:
    """Return the body.

    Raises HTTPException: 413 if it is too large, 408 if it does not come within its time.
    """
    whole = bytearray()
    seen = 0
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            async for part in request.stream():
                seen += len(part)
                if seen <= most_bytes:
                    whole += part
                elif seen > most_bytes + _DRAINED_BYTES:
                    break
    except TimeoutError as error:
        message = f"The body did not come within {BODY_WITHIN_S:g} seconds."
        raise HTTPException(TOO_SLOW, message, headers={"Connection": "close"}) from error
    if seen > most_bytes:
        raise HTTPException(TOO_LARGE, f"The body is larger than {most_bytes:,} bytes.")
    return bytes(whole)


def query_data(params: QueryParams) -> Data:
    """Return the query string of a search as data: `q` is the query, filters are JSON."""
    data: Data = {}
    for key in dict.fromkeys(params.keys()):
        values = params.getlist(key)
        if len(values) > 1 and key not in _LISTS:
            raise RequestInvalid(f"{key} is given {len(values)} times. Give it once.")
        data[key] = values if len(values) > 1 else values[0]
    if "q" in data:
        if "query" in data:
            raise RequestInvalid("q and query are the same. Give one of them.")
        data["query"] = data.pop("q")
    if "filters" in data:
        data["filters"] = _parsed(str(data["filters"]).encode(), "filters")
    return data


def no_query(request: Request) -> None:
    """Refuse a query string where there is nothing to say in one. Raises RequestInvalid."""
    for key in request.query_params:
        where = " in the body, not" if request.method == "POST" else " elsewhere, not"
        raise RequestInvalid(f"{key[:60]!r} belongs{where} in the address.")


def wants_xplor(data: Data) -> bool:
    """Take `fields` out of `data`; return whether it asks for seed 000's keys only."""
    fields = data.pop("fields", None)
    if fields not in (None, "xplor"):
        raise RequestInvalid(f"fields is {fields!r}. The only choice is 'xplor'.")
    return fields == "xplor"


def _parsed(raw: bytes, what: str) -> object:
    try:
        parsed: object = json.loads(raw, parse_constant=_no_constant, parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} cannot be read as JSON: {error}.") from error
    return parsed


def _number(text: str) -> float | int:
    """Return a number; JSON has one sort of them, and 3.0 is the whole number 3."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) <= _WHOLE else number


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number of JSON")
