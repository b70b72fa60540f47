"""Tasks on standard input -> contents on standard output: what a worker process does.

Ends when its input does, and cannot outlive a file by much even if nobody is left to end it.
Values are sent as pickles behind their length, between processes of this package only. Started
by crew.py, which shares the two ends of the pipe with it.
"""

from __future__ import annotations

import copyreg
import faulthandler
import gc
import io
import os
import pickle
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from trivium.backends.base import FileContent, FileState
from trivium.sources.base import Raw
from trivium.types import Chunk, Document, Edge, Location, Node, Reference, Span
from trivium.writing.digest import Cutting, digest, load_parsers

READY = "ready"
# Ends a worker whose parent was killed; the parent itself would have done so earlier.
_GRACE_S = 5.0
# So that a laptop stays usable: whoever types comes before files that are read.
_NICER = 5
_MOST_BYTES = 4 * 2**30
_LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Task:
    """One file to digest; `gave_up` says why its structure is not to be read."""

    raw: Raw
    cutting: Cutting
    limit_s: float
    gave_up: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is nothing to show for a file."""

    reason: str


def work() -> None:
    """Digest what comes in over standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a file is made of holds no cycles: looking for them took a quarter of the time.
    gc.set_threshold(100_000, 50, 50)
    _limit_memory()
    _give_way()
    with (
        Path(os.devnull).open("r+b", buffering=0) as nowhere,
        os.fdopen(os.dup(0), "rb") as incoming,
        os.fdopen(os.dup(1), "wb") as outgoing,
    ):
        # A grammar that prints must not break into what is sent.
        os.dup2(nowhere.fileno(), 0)
        os.dup2(nowhere.fileno(), 1)
        load_parsers()
        with suppress(EOFError, BrokenPipeError):
            send(outgoing, READY)
            while isinstance(task := receive(incoming), Task):
                # Its clock needs no lock of Python, which a grammar may hold for ever.
                faulthandler.dump_traceback_later(
                    task.limit_s + _GRACE_S, exit=True, file=nowhere.fileno()
                )
                answer = _answer(task)
                faulthandler.cancel_dump_traceback_later()
                _write(outgoing, answer)


def _answer(task: Task) -> bytes:
    try:
        return _packed(digest(task.raw, task.cutting, gave_up=task.gave_up))
    except Exception as error:  # noqa: BLE001 - whatever it is, the file is read as plain text
        return _packed(Failure(f"{type(error).__name__}; read as plain text"))


def _give_way() -> None:
    """Let other programs go first, where the system knows such an order."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(_NICER)


def _limit_memory() -> None:
    """Make a file that would take all memory fail, where the system lets us."""
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, hard))


def send(pipe: IO[bytes], value: object) -> None:
    """Write one value."""
    _write(pipe, _packed(value))


def receive(pipe: IO[bytes]) -> object:
    """Read one value. Raises EOFError where the other side is gone."""
    length = int.from_bytes(_exactly(pipe, _LENGTH_BYTES), "big")
    return pickle.loads(_exactly(pipe, length))  # noqa: S301 - ours is the other end, too


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    # No worker may have as much to send; another program that was started instead may.
    data = pipe.read(length) if length <= _MOST_BYTES else b""
    if len(data) < length:
        raise EOFError
    return data


def _write(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "big"))
    pipe.write(data)
    pipe.flush()


def _packed(value: object) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


def _read_only(values: dict[str, object]) -> Mapping[str, object]:
    return MappingProxyType(values)


def _mapping(value: Mapping[str, object]) -> tuple[_Make, tuple[object, ...]]:
    return _read_only, (dict(value),)


def _by_fields(made: type) -> Callable[[Any], tuple[_Make, tuple[object, ...]]]:
    """Send a value as the arguments it is made with: half the time of the general way."""
    values = attrgetter(*(one.name for one in fields(made)))
    return lambda value: (made, values(value))


_Make = Callable[..., object]
_OFTEN = (Span, Location, Node, Edge, Reference, Chunk, Document, FileState, FileContent)


class _Pickler(pickle.Pickler):
    """Sends read-only mappings, as metadata may be one, and our own values quickly."""

    dispatch_table = {  # noqa: RUF012 - never written to
        **copyreg.dispatch_table,
        **{made: _by_fields(made) for made in _OFTEN},
        MappingProxyType: _mapping,
    }
