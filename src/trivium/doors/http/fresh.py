"""The state of an index and an address -> an ETag, so that an answer need not be made twice.

It changes with the index, with the profiles a person keeps, and from day to day, since newer
files may rank higher; not with how long a search took.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from starlette.requests import Request

from trivium import __version__
from trivium.doors.upkeep import Upkeep

_DAY_S = 86_400


def etag(request: Request, kept: Sequence[Upkeep]) -> str:
    """Return what the answer to this request is known by; takes in what changed first."""
    said = [
        __version__,
        request.scope["path"],
        request.url.query,
        *(f"{one.name} {one.state}" for one in kept),
        str(int(time.time()) // _DAY_S),
        *_profiles(kept[0].collection.settings.home),
    ]
    digest = hashlib.sha256("\0".join(said).encode("utf-8", "surrogateescape")).hexdigest()
    # Weak: the same hits, though it may say that it took longer to find them.
    return f'W/"{digest[:32]}"'


def _profiles(home: Path) -> list[str]:
    kept = []
    for file in sorted((home / "profiles").glob("*.toml")):
        # One may be taken away meanwhile.
        with suppress(OSError):
            kept.append(f"{file.name} {file.stat().st_mtime_ns}")
    return kept


def is_known(request: Request, tag: str) -> bool:
    """Whether the client has this answer already."""
    return request.method in ("GET", "HEAD") and any(
        given in ("*", tag, tag.removeprefix("W/")) for given in _given(request)
    )


def _given(request: Request) -> Iterator[str]:
    for line in request.headers.getlist("if-none-match"):
        for one in line.split(","):
            yield one.strip()
