"""An index in one store -> the same index in another: no file is read and no text embedded.

What waits for links there is for the caller to link. The index that is moved stays as it is, so
that whoever moves it can see that all is there before it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from trivium.backends.base import Backend, Batch, FileContent, Snapshot, Writer
from trivium.errors import BackendError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
_FILES_AT_ONCE = 100
_VECTORS_AT_ONCE = 2000
# What each store keeps of itself, and what every other has under the same name.
_OF_STORE = frozenset(
    {"format", "incarnation", "seq", "revision", "pruned", "indexed_at", "origin", "history_head"}
)
# Up to which of its batches an index is embedded.
_UP_TO = "embedded "

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Moved:
    """How much was moved."""

    files: int
    chunks: int
    vectors: int


def _no_progress(stage: str, done: int, total: int) -> None:
    """Say nothing."""


def move_index(
    source: Backend, target: Backend, *, wait_s: float = 5.0, progress: Progress = _no_progress
) -> Moved:
    """Make `target` hold what `source` does, whatever it held before.

    Raises BackendError if it does not hold the same afterwards.
    """
    with source.snapshot() as snapshot, target.writer(wait_s=wait_s) as writer:
        writer.note(_facts(source))
        # Vectors first: a store that has them gives them to the texts as they come.
        vectors = sum(_move_vectors(snapshot, writer, one.model_id) for one in snapshot.spaces())
        _move_files(snapshot, writer, _paths_in(target), progress)
        _move_history(snapshot, writer)
        writer.record(
            skipped=snapshot.skipped(),
            in_vain=snapshot.in_vain(),
            origin=snapshot.contents().origin,
        )
        writer.publish()
        return _checked(snapshot, target, vectors=vectors)


def _facts(source: Backend) -> dict[str, str]:
    """Return what an index remembers of itself, without what its own numbers mean."""
    return {
        key: value
        for key, value in source.meta().items()
        if key not in _OF_STORE and not key.startswith(_UP_TO)
    }


def _paths_in(target: Backend) -> list[str]:
    with target.snapshot() as before:
        return list(before.paths())


def _move_files(
    snapshot: Snapshot, writer: Writer, before: Sequence[str], progress: Progress
) -> None:
    paths = snapshot.paths()
    gone = tuple(sorted(set(before).difference(paths)))
    done = 0
    for some in _parts(iter(paths), _FILES_AT_ONCE):
        progress("moving", done, len(paths))
        contents: list[FileContent] = []
        for path in some:
            content = snapshot.content(path)
            if content is not None:
                contents.append(content)
        writer.write(Batch(replaced=tuple(contents), removed=gone))
        done, gone = done + len(some), ()
    if gone:
        writer.write(Batch(removed=gone))
    progress("moving", done, len(paths))


def _move_vectors(snapshot: Snapshot, writer: Writer, model_id: str) -> int:
    import numpy as np

    # One that has another length there is of another model by the same name.
    writer.forget_vectors(model_id)
    count = 0
    for some in _parts(iter(snapshot.stored_vectors(model_id)), _VECTORS_AT_ONCE):
        rows: NDArray[np.float32] = np.stack([vector for _, vector in some])
        writer.put_vectors(model_id, [key for key, _ in some], rows)
        count += len(some)
    return count


def _move_history(snapshot: Snapshot, writer: Writer) -> None:
    known = [one for path in snapshot.paths() if (one := snapshot.history(path)) is not None]
    writer.put_history(known, head=snapshot.history_head(), forget=True)


def _checked(snapshot: Snapshot, target: Backend, *, vectors: int) -> Moved:
    expected = snapshot.contents()
    with target.snapshot() as after:
        found = after.contents()
    for name in ("files", "nodes", "chunks", "masked"):
        wanted, there = getattr(expected, name), getattr(found, name)
        if wanted != there:
            raise BackendError(
                f"The index was not moved as it is: {there:,} {name} of {wanted:,} arrived. "
                "Nothing was removed; try again."
            )
    return Moved(found.files, found.chunks, vectors)


def _parts(values: Iterator[T], size: int) -> Iterator[list[T]]:
    while some := list(islice(values, size)):
        yield some
