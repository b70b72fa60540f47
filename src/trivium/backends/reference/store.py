"""Batches -> an index held in memory, in plain Python: slow, right, the oracle for others.

Every write makes a new State and leaves the old one as it was, so a snapshot is simply a
State that somebody still holds. Nothing survives the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from trivium.analysis.fields import embedding_text, text_key
from trivium.backends.base import (
    Batch,
    FileHistory,
    Linked,
    Pending,
    Seen,
    Snapshot,
    Unlinked,
    Writer,
)
from trivium.backends.reference.snapshot import ReferenceSnapshot, State
from trivium.backends.reference.vectors import quantise
from trivium.backends.whole import check_whole, refuse_repeats
from trivium.errors import BackendRefused, IndexLocked, IndexRemoved

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def utc_now() -> str:
    """Return the time now, such as 2026-01-31T12:00:00+00:00."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(slots=True)
class _Held:
    """The newest state, the lock of whoever may replace it, and those of who embeds."""

    state: State = field(default_factory=State)
    incarnation: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    turns: dict[str, threading.Lock] = field(default_factory=dict)


class ReferenceBackend:
    """An index in memory. `clock` says when a sync ended."""

    def __init__(self, *, clock: Callable[[], str] = utc_now) -> None:
        self._held = _Held()
        self._clock = clock
        self._meta: dict[str, str] = {}
        self._only: int | None = None

    def as_it_is(self) -> ReferenceBackend:
        """Return the index that is there now, and no other."""
        same = copy(self)
        same._only = self._held.incarnation  # noqa: SLF001 - one of our own
        return same

    def _check_is_same(self) -> None:
        if self._only not in (None, self._held.incarnation):
            raise IndexRemoved(self._meta.get("root", "memory"))

    def introduce(self, meta: Mapping[str, str]) -> None:
        """Say what an index that is new is to remember of itself."""
        self._meta = {**meta, **self._meta}

    def meta(self) -> dict[str, str]:
        """Return what the index remembers of itself, and when a sync last ended."""
        self._check_is_same()
        state = self._held.state
        known = {**self._meta, "seq": str(state.seq)}
        return {**known, "indexed_at": state.indexed_at} if state.indexed_at else known

    def views(self) -> list[str]:
        """Return the names of the text indexes: none is kept, each is counted when asked."""
        return []

    def destroy(self, *, wait_s: float) -> None:
        """Forget everything."""
        with self.writer(wait_s=wait_s):
            self._held.state = State()
            self._held.incarnation += 1

    def close(self) -> None:
        """Nothing is open."""

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Hold the newest state; later writes do not change it."""
        self._check_is_same()
        yield ReferenceSnapshot(self._held.state)

    @property
    def turns(self) -> int:
        """How many may embed with one model at the same time: one."""
        return 1

    @contextmanager
    def turn(self, model_id: str, *, wait_s: float) -> Iterator[None]:
        """Be the only one who embeds with this model."""
        lock = self._held.turns.setdefault(model_id, threading.Lock())
        if not lock.acquire(timeout=wait_s):
            raise IndexLocked("the index in memory", holder="another part of this process")
        try:
            self._check_is_same()
            yield
        finally:
            lock.release()

    @contextmanager
    def writer(self, *, wait_s: float) -> Iterator[Writer]:
        """Become the writer. Raises IndexLocked if another one still is after `wait_s`."""
        if not self._held.lock.acquire(timeout=wait_s):
            raise IndexLocked("the index in memory", holder="another writer of this process")
        try:
            self._check_is_same()
            yield ReferenceWriter(self._held, clock=self._clock, meta=self._meta)
        finally:
            self._held.lock.release()


class ReferenceWriter:
    """Replaces the state, all of a batch at once."""

    def __init__(
        self, held: _Held, *, clock: Callable[[], str], meta: dict[str, str] | None = None
    ) -> None:
        self._held = held
        self._clock = clock
        self._meta = {} if meta is None else meta

    def note(self, meta: Mapping[str, str]) -> None:
        """Make the index remember facts about itself."""
        self._meta.update(meta)

    def write(self, batch: Batch) -> int:
        """Store a batch, all of it or none; return its sequence number.

        Raises BackendRefused if an id or a path would be there twice, a chunk belongs to
        no node of its file, or a touched file is not in the index.
        """
        old = self._held.state
        files = dict(old.files)
        for path in batch.removed:
            files.pop(path, None)
        refuse_repeats([content.state.path for content in batch.replaced], what="file")
        for content in batch.replaced:
            files[content.state.path] = content
        for touched in batch.touched:
            if touched.path not in files:
                raise BackendRefused(f"{touched.path} is not in the index. Write it as replaced.")
            files[touched.path] = replace(files[touched.path], state=touched)
        check_whole(files.values())
        if batch.only_touches:
            self._held.state = replace(old, files=MappingProxyType(files))
            return old.seq
        # Whatever changed may change where any name leads: all of it is linked again.
        self._held.state = replace(
            old, seq=old.seq + 1, files=MappingProxyType(files), links=MappingProxyType({})
        )
        return old.seq + 1

    def unlinked(self, *, limit: int) -> Sequence[Unlinked]:
        """Return files whose references are to be linked."""
        state = self._held.state
        waiting = state.unlinked[: max(limit, 0)]
        return [Unlinked(path, state.files[path].references) for path in waiting]

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        return len(self._held.state.unlinked)

    def link(self, linked: Sequence[Linked]) -> None:
        """Replace the edges that came from the references of these files."""
        state = self._held.state
        made = {one.path: one.edges for one in linked if one.path in state.files}
        self._held.state = replace(state, links=MappingProxyType({**state.links, **made}))

    def unlink(self) -> None:
        """Make every file wait to be linked again."""
        self._held.state = replace(self._held.state, links=MappingProxyType({}))

    def put_history(self, rows: Sequence[FileHistory], *, head: str, forget: bool = False) -> None:
        """Keep what the repository knows of files up to the commit `head`."""
        state = self._held.state
        known = {} if forget else dict(state.history)
        known.update((one.path, one) for one in rows)
        self._held.state = replace(state, history=MappingProxyType(known), history_head=head)

    def record(
        self,
        *,
        skipped: Mapping[str, str],
        in_vain: Mapping[str, Seen] | None = None,
        origin: str = "folder",
    ) -> None:
        """Remember which files were passed over and that a sync ended now."""
        self._held.state = replace(
            self._held.state,
            skipped=MappingProxyType(dict(skipped)),
            in_vain=MappingProxyType(dict(in_vain or {})),
            indexed_at=self._clock(),
            origin=origin,
        )

    def pending(
        self, model_id: str, *, limit: int, first: Sequence[str] = (), since: int = 0
    ) -> Sequence[Pending]:
        """Return texts without a vector in this space: those of the files `first`, then newest."""
        del since
        return self._pending(model_id, first)[: max(limit, 0)]

    def count_pending(self, model_id: str, *, since: int = 0) -> int:
        """Return how many texts have no vector in this space yet."""
        del since
        return len(self._pending(model_id))

    def blank(self, model_id: str, *, limit: int, after: bytes = b"") -> Sequence[Pending]:
        """Return texts with a vector of zeros in this space, by their keys, those after one."""
        kept = self._held.state.vectors.get(model_id, {})
        found = [
            one
            for one in self._unless_in(())
            if one.key in kept and not kept[one.key].scale and one.key > after
        ]
        return sorted(found, key=lambda one: one.key)[: max(limit, 0)]

    def count_blank(self, model_id: str) -> int:
        """Return how many texts have a vector of zeros in this space."""
        return len(self.blank(model_id, limit=sys.maxsize))

    def _pending(self, model_id: str, first: Sequence[str] = ()) -> list[Pending]:
        return self._unless_in(self._held.state.vectors.get(model_id, {}), first)

    def _unless_in(self, kept: Container[bytes], first: Sequence[str] = ()) -> list[Pending]:
        state = self._held.state
        places = {path: place for place, path in reversed(list(enumerate(first)))}
        newest_first = sorted(
            state.files.values(),
            key=lambda one: (
                places.get(one.state.path, len(first)),
                -one.state.mtime_ns,
                one.state.path,
            ),
        )
        waiting: dict[bytes, str] = {}
        # Files by name come last: what they hold is asked for more often.
        for is_last in (False, True):
            for content in newest_first:
                nodes = {node.id: node for node in content.nodes}
                for chunk in content.chunks:
                    text = embedding_text(nodes[chunk.node_id], chunk)
                    if text and is_last is not bool(chunk.text) and text_key(text) not in kept:
                        waiting.setdefault(text_key(text), text)
        return [Pending(key, text) for key, text in waiting.items()]

    def put_vectors(
        self, model_id: str, keys: Sequence[bytes], vectors: NDArray[np.float32]
    ) -> None:
        """Keep unit vectors of shape (len(keys), dimension); a key given again is replaced.

        Raises BackendRefused if the shape fits neither the keys nor the space.
        """
        if not keys:
            return
        if vectors.ndim != 2 or len(vectors) != len(keys):  # noqa: PLR2004 - rows and columns
            raise BackendRefused(f"{len(keys)} keys came with vectors of shape {vectors.shape}.")
        state = self._held.state
        kept = dict(state.vectors.get(model_id, {}))
        rows: list[list[float]] = vectors.tolist()
        for old in kept.values():
            if len(old.steps) != len(rows[0]):
                raise BackendRefused(
                    f"The space {model_id} has {len(old.steps)} dimensions, not {len(rows[0])}. "
                    "A model that gives other vectors needs another id."
                )
        kept.update(zip(keys, map(quantise, rows), strict=True))
        spaces = {**state.vectors, model_id: MappingProxyType(kept)}
        self._held.state = replace(state, vectors=MappingProxyType(spaces))

    def vector_length(self, model_id: str) -> int | None:
        """Return how long the vectors kept of a space are; None if there are none."""
        kept = self._held.state.vectors.get(model_id, {})
        return next((len(one.steps) for one in kept.values()), None)

    def forget_vectors(self, model_id: str) -> None:
        """Drop all vectors of a space."""
        state = self._held.state
        others = {one: kept for one, kept in state.vectors.items() if one != model_id}
        self._held.state = replace(state, vectors=MappingProxyType(others))

    def publish(self) -> None:
        """Do nothing: every write can be seen by the next snapshot."""

    def compact(self) -> None:
        """Do nothing: statistics are counted anew from what is there."""
