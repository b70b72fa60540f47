"""Everything that can go wrong, on one screen.

TriviumError
|-- UsageError                the caller can put it right
|   |-- ConfigError           a setting or a profile file is wrong
|   |-- QuerySyntaxError      the query is too long or cannot be read (.position)
|   |-- FilterError           a filter has an unknown name or value (.field)
|   `-- MissingExtra          an optional part is not installed (.extra)
|-- NotFound                  what was asked for is not there
|   |-- IndexNotFound         nothing has been indexed there yet
|   `-- ChunkNotFound         no node or chunk has that id
|-- VersionConflict           it was changed meanwhile (.expected, .actual)
|-- IndexUnusable             wrong format, other settings, damaged
|   |-- IndexLocked           another process is writing (.holder)
|   `-- IndexRemoved          another process has removed it meanwhile
|-- SourceError               one document failed; indexing goes on and counts it
|-- ModelError                an embedder failed; searching goes on with words
`-- BackendError              the store failed
    |-- BackendTimeout        it did not answer in time
    |-- BackendRefused        it would not do what it was asked
    `-- BackendUnavailable    it cannot be reached; trying again may help (.retry_after_s)

Each says what happened, to what, and what to do next.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

# Comparing words costs their length squared, and the sender may be anyone.
_LONGEST_NAME = 60
# Two letters of three in common: less is another word, and no help.
_NEAR = 0.55


def unknown(what: str, given: str, choices: Sequence[str]) -> str:
    """Return what to say of a name that is not there: a near one, if any, then all there are."""
    hint = nearest(given, choices)
    return f"Unknown {what} {given[:_LONGEST_NAME]!r}.{hint} Use {', '.join(choices)}."


def nearest(given: str, choices: Sequence[str]) -> str:
    """Return the question whether a name that is nearly the same was meant; empty without one."""
    import difflib

    near = difflib.get_close_matches(given[:_LONGEST_NAME], choices, n=1, cutoff=_NEAR)
    return f" Did you mean {near[0]!r}?" if near else ""


class TriviumError(Exception):
    """Base of every error this package raises on purpose."""


class UsageError(TriviumError):
    """The request cannot be met as it was made."""


class ConfigError(UsageError):
    """A setting or a profile file is wrong."""


class QuerySyntaxError(UsageError):
    """The query cannot be read."""

    def __init__(self, message: str, *, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


class FilterError(UsageError):
    """A filter has an unknown name or value."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class MissingExtra(UsageError):
    """An optional part is not installed."""

    def __init__(self, what: str, *, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional part. Install it with: pip install 'trivium[{extra}]'"
        )
        self.extra = extra


class NotFound(TriviumError):
    """What was asked for does not exist."""


class IndexNotFound(NotFound):
    """Nothing has been indexed at this path."""

    def __init__(self, path: str) -> None:
        super().__init__(f"No index for {path}. Build one with: trivium index {shlex.quote(path)}")
        self.path = path


class ChunkNotFound(NotFound):
    """No node or chunk has this id."""

    def __init__(self, chunk_id: str, *, near: Sequence[str] = ()) -> None:
        like = f". Names near it: {', '.join(near)}" if near else ""
        super().__init__(f"Chunk not found: {chunk_id}{like}")
        self.chunk_id = chunk_id


class VersionConflict(TriviumError):
    """A note, task or skill is at another version than the change was made for."""

    def __init__(self, node_id: str, *, expected: int, actual: int) -> None:
        super().__init__(
            f"{node_id} is at version {actual}, not {expected}: it was changed meanwhile. "
            "Read it again, and change what it says now."
        )
        self.node_id = node_id
        self.expected = expected
        self.actual = actual


class IndexUnusable(TriviumError):
    """The index cannot be used as it is."""


class IndexLocked(IndexUnusable):
    """Another process is writing to the index."""

    def __init__(self, path: str, *, holder: str) -> None:
        super().__init__(
            f"The index of {path} is being written by {holder}. Try again when it has finished."
        )
        self.path = path
        self.holder = holder


class IndexRemoved(IndexUnusable):
    """Another process has removed the index, or made it anew, while it was being filled."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The index of {path} was removed by another process; nothing more is written to it. "
            f"To have one again: trivium index {shlex.quote(path)}"
        )
        self.path = path


class SourceError(TriviumError):
    """One document could not be read; indexing goes on and counts it."""


class ModelError(TriviumError):
    """An embedder could not be loaded or failed; searching goes on with words."""


class BackendError(TriviumError):
    """The store behind the index failed."""


class BackendTimeout(BackendError):
    """The store did not answer in time."""


class BackendRefused(BackendError):
    """The store would not do what it was asked."""


class BackendUnavailable(BackendError):
    """The store cannot be reached."""

    def __init__(self, message: str, *, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
