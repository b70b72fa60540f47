"""An error class -> the exit status and the HTTP status it has on every door.

The only table of statuses; a class of `trivium.errors` that is missing from it fails a
test. Needs nothing but the error tree, so that the command line may use it too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from trivium import errors
from trivium.errors import TriviumError, UsageError

ERROR_EXIT = 2
# Where a sentence, or a part of one, ends.
_CLAUSE = re.compile(r"(?<=[.;])\s+")
# What is typed on a command line.
_COMMAND = re.compile(r"\btrivium [a-z]|(?<!\S)--[a-z]|\bpip install\b")
_SEE = re.compile(r" \(see: trivium [^)]*\)")


class RequestInvalid(UsageError):
    """A request does not fit its schema; `is_lack` says that it leaves out what it must say."""

    def __init__(self, message: str, *, is_lack: bool = False) -> None:
        super().__init__(message)
        self.is_lack = is_lack


class ServerBusy(TriviumError):
    """Too much is being asked at once; trying again may help."""

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TimeIsUp(TriviumError):
    """A request took longer than it may."""


class Forbidden(TriviumError):
    """Who asks may not do this."""


@dataclass(frozen=True, slots=True)
class Statuses:
    """How an error ends a command, and how it answers an HTTP request."""

    exit: int
    http: int


TABLE: Mapping[type[TriviumError], Statuses] = {
    errors.TriviumError: Statuses(ERROR_EXIT, 500),
    errors.UsageError: Statuses(ERROR_EXIT, 400),
    errors.ConfigError: Statuses(ERROR_EXIT, 400),
    errors.QuerySyntaxError: Statuses(ERROR_EXIT, 400),
    errors.FilterError: Statuses(ERROR_EXIT, 400),
    errors.MissingExtra: Statuses(ERROR_EXIT, 400),
    RequestInvalid: Statuses(ERROR_EXIT, 422),
    Forbidden: Statuses(ERROR_EXIT, 403),
    ServerBusy: Statuses(ERROR_EXIT, 503),
    TimeIsUp: Statuses(ERROR_EXIT, 504),
    errors.NotFound: Statuses(ERROR_EXIT, 404),
    errors.IndexNotFound: Statuses(ERROR_EXIT, 404),
    errors.ChunkNotFound: Statuses(ERROR_EXIT, 404),
    errors.VersionConflict: Statuses(ERROR_EXIT, 409),
    errors.IndexUnusable: Statuses(ERROR_EXIT, 409),
    errors.IndexLocked: Statuses(ERROR_EXIT, 409),
    errors.IndexRemoved: Statuses(ERROR_EXIT, 409),
    errors.SourceError: Statuses(ERROR_EXIT, 500),
    errors.ModelError: Statuses(ERROR_EXIT, 502),
    errors.BackendError: Statuses(ERROR_EXIT, 502),
    errors.BackendTimeout: Statuses(ERROR_EXIT, 502),
    errors.BackendRefused: Statuses(ERROR_EXIT, 502),
    errors.BackendUnavailable: Statuses(ERROR_EXIT, 503),
}


def statuses(error: TriviumError) -> Statuses:
    """Return the statuses of an error; a class from elsewhere has those of its nearest base."""
    nearest = next(kind for kind in type(error).__mro__ if kind in TABLE)
    return TABLE[nearest]


def retry_after_s(error: TriviumError) -> int | None:
    """Return the whole seconds after which trying again may help, if the error says so."""
    if isinstance(error, errors.BackendUnavailable | ServerBusy):
        return max(1, math.ceil(error.retry_after_s))
    return None


def said(error: TriviumError) -> str:
    """Return what an error says to who has no command line.

    Of what the one who asks can put right, without what to run on one; what only the one who
    runs the server can, such as an index of another version, is said whole.
    """
    is_theirs = isinstance(error, errors.NotFound | UsageError)
    return without_commands(str(error)) if is_theirs else str(error)


def without_commands(text: str) -> str:
    """Return a text without the clauses that say what to run; the first one always stays."""
    first, *others = _CLAUSE.split(_SEE.sub("", text))
    kept = [first, *(one for one in others if not _COMMAND.search(one))]
    return " ".join(kept).rstrip("; ") if len(kept) <= len(others) else " ".join(kept)


def as_data(kind: str, message: str) -> dict[str, object]:
    """Return a failure as every JSON door sends it."""
    return {"error": {"type": kind, "message": message}}
