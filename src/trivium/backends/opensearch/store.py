"""A collection on an OpenSearch cluster.

A small document says which indexes it is made of; readers hold points in time that belong
together, one writer at a time holds the lock. Processes share nothing but the cluster.
"""

from __future__ import annotations

import hashlib
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field, replace

from trivium.backends.opensearch import checks, indexes
from trivium.backends.opensearch.build import build_view
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.hand import Hand
from trivium.backends.opensearch.indexes import view_key
from trivium.backends.opensearch.lock import held
from trivium.backends.opensearch.read import OpenSearchSnapshot
from trivium.backends.opensearch.reader import Reader
from trivium.backends.opensearch.said import Gone, Json
from trivium.backends.opensearch.state import KeptView, Register, Seen, State, names_of
from trivium.backends.opensearch.write import OpenSearchWriter
from trivium.errors import BackendError, IndexRemoved
from trivium.types import View

_ALWAYS_USED = ("files", "nodes", "edges", "chunks")
_MOST_TRIES = 20
_PAUSE_S = 0.05
# Points in time live for five minutes after their last use.
_KEPT_S = 240.0
_DOOMED_S = 900.0
# So many machines may embed with one model; more wait for one of them.
_TURNS = 16


@dataclass(slots=True)
class _Pinned:
    """A state that is held for reading, and how many hold it."""

    reader: Reader
    users: int = 0
    used_at: float = 0.0


@dataclass(slots=True)
class _Pins:
    """The newest state that is held, and which of its indexes are read here."""

    guard: threading.Lock = field(default_factory=threading.Lock)
    newest: _Pinned | None = None
    used: set[str] = field(default_factory=lambda: set(_ALWAYS_USED))


class OpenSearchBackend:
    """The collection `name` on a cluster."""

    def __init__(
        self,
        name: str,
        *,
        client: Client,
        meta: Mapping[str, str] | None = None,
        views: tuple[View, ...] = (),
        shards: int = 1,
        closes_client: bool = False,
    ) -> None:
        self.name = name
        self._closes_client = closes_client
        self._client = client
        self._names = names_of(name)
        self._register = Register(client, self._names)
        self._meta = dict(meta or {})
        self._views = views
        self._shards = shards
        self._only: str | None = None
        self._last = ""
        self._pins = _Pins()

    def as_it_is(self) -> OpenSearchBackend:
        """Return the index that is there now, and no other; makes none where none is."""
        same = copy(self)
        seen = self._seen()
        # Of one that was seen before and is gone, nothing more is to be read.
        same._only = self._last if seen is None else seen.state.incarnation  # noqa: SLF001
        return same

    def introduce(self, meta: Mapping[str, str]) -> None:
        """Say what an index that is new is to remember of itself; what it knows already stays."""
        self._meta = {**meta, **self._meta}
        seen = self._seen()
        if seen is None or self._meta.keys() <= seen.state.meta.keys():
            return
        self._register.change(seen, lambda state: replace(state, meta={**self._meta, **state.meta}))

    def meta(self) -> dict[str, str]:
        """Return what the index remembers of itself, and when a sync last ended."""
        seen = self._seen()
        if seen is None:
            return dict(self._meta)
        state = seen.state
        known = {
            **state.meta,
            "seq": str(state.seq),
            "incarnation": state.incarnation,
            "revision": str(state.changes),
        }
        ended = state.indexed_at
        return {**known, "indexed_at": ended} if ended else known

    def views(self) -> list[str]:
        """Return the names of the text indexes that are kept up to date."""
        seen = self._seen()
        return sorted(seen.state.views) if seen is not None else []

    def _seen(self) -> Seen | None:
        """Return what the collection is now. Raises IndexRemoved if it is not the one it was."""
        seen = self._register.read()
        there = seen.state.incarnation if seen is not None else ""
        if self._only is not None and there != self._only:
            raise self._removed()
        self._last = there or self._last
        return seen

    def _removed(self) -> IndexRemoved:
        return IndexRemoved(self._meta.get("root", self.name))

    @contextmanager
    def snapshot(self) -> Iterator[OpenSearchSnapshot]:
        """Hold one state of the index for reading; an index that was removed is empty."""
        with self._gone_is_removed(), self._held() as reader:
            yield OpenSearchSnapshot(
                reader,
                build=lambda view: self._build(reader, view),
                passed_over=self._passed_over,
            )

    @contextmanager
    def _held(self) -> Iterator[Reader]:
        pinned = self._pin()
        try:
            yield pinned.reader
        finally:
            self._unpin(pinned)

    def _pin(self) -> _Pinned:
        """Return what is there now, held; the same for as long as nothing changes."""
        for tries_left in reversed(range(_MOST_TRIES)):
            seen = self._seen()
            with self._pins.guard:
                kept = self._pins.newest
                if kept is not None and _is_of(kept, seen):
                    kept.users += 1
                    return kept
            try:
                reader = self._reader(seen)
            except Gone:
                # Removed, or replaced by another one, between the look and the grip.
                continue
            now = self._seen()
            if tries_left and not _is_same(seen, now):
                reader.release()
                # A writer is showing its rows: half of them must not be seen.
                time.sleep(_PAUSE_S)
                continue
            return self._keep(_Pinned(reader, 1, time.monotonic()))
        raise BackendError(f"The index of {self.name} is being made anew. Try again.")

    def _reader(self, seen: Seen | None) -> Reader:
        state = seen.state if seen is not None else State("")
        there = state.indexes(self._names)
        reader = Reader(
            self._client,
            state,
            there,
            used=self._pins.used,
            is_still=lambda: _is_same(seen, self._register.read()),
        )
        reader.hold()
        return reader

    def _keep(self, pinned: _Pinned) -> _Pinned:
        with self._pins.guard:
            before, self._pins.newest = self._pins.newest, pinned
        if before is not None and not before.users:
            _release(before)
        return pinned

    def _unpin(self, pinned: _Pinned) -> None:
        with self._pins.guard:
            pinned.users -= 1
            pinned.used_at = time.monotonic()
            is_over = not pinned.users and pinned is not self._pins.newest
        if is_over:
            _release(pinned)

    def _build(self, reader: Reader, view: View) -> KeptView:
        """Make a view of a state that is being read, and keep it up to date from now on."""
        key, state = view_key(view), reader.state
        name = f"view-{key}-{uuid.uuid4().hex[:8]}"
        index = self._names.part(state.incarnation, name)
        build_view(self._client, reader, view, index=index, version=1, shards=self._shards)
        made = KeptView(index, view, state.shown, self._shards)

        def added(now: State) -> State:
            if now.incarnation != state.incarnation:
                raise self._removed()
            if key in now.views:
                # Another reader was faster. This one goes when nobody can be reading it.
                return replace(now, doomed={**now.doomed, index: time.time()})
            views = {**now.views, key: made}
            return replace(now, views=views, revision=now.revision + 1)

        seen = self._seen()
        if seen is None:
            raise self._removed()
        self._register.change(seen, added)
        return made

    def _passed_over(self) -> Json:
        found = None
        with suppress(Gone):
            found = self._client.get(self._names.state, "passed-over")
        return {} if found is None else dict(found["_source"])

    @contextmanager
    def writer(self, *, wait_s: float) -> Iterator[OpenSearchWriter]:
        """Become the writer; stores again what one that died left half stored."""
        with self._gone_is_removed():
            self._make()
            with self._locked("writer", wait_s=wait_s):
                seen = self._seen()
                if seen is None:
                    raise self._removed()
                hand = Hand(self._client, self._names, self._register, seen, shards=self._shards)
                hand.drop_doomed(before=time.time() - _DOOMED_S)
                writer = OpenSearchWriter(hand, views=self._views)
                try:
                    yield writer
                finally:
                    writer.close()

    @property
    def turns(self) -> int:
        """How many may embed with one model at the same time: as many machines as that."""
        return _TURNS

    @contextmanager
    def turn(self, model_id: str, *, wait_s: float) -> Iterator[None]:
        """Be the only one who embeds with this model what is in this collection."""
        with self._gone_is_removed():
            self._make()
            name = hashlib.blake2b(model_id.encode(), digest_size=8).hexdigest()
            with self._locked(f"turn-{name}", wait_s=wait_s):
                self._seen()
                yield

    @contextmanager
    def _locked(self, name: str, *, wait_s: float) -> Iterator[None]:
        place = self._meta.get("root", self.name)
        with held(self._client, self._names.state, name, place=place, wait_s=wait_s):
            yield

    @contextmanager
    def _gone_is_removed(self) -> Iterator[None]:
        try:
            yield
        except Gone as error:
            raise self._removed() from error

    def _make(self) -> None:
        """Make the collection if it is not there; one that goes on with another makes none."""
        if self._seen() is not None:
            return
        if self._only is not None:
            raise self._removed()
        checks.check(self._client)
        indexes.make(self._client, self._names.state, indexes.STATE)
        self._register.create(State(uuid.uuid4().hex, meta=self._meta))

    def destroy(self, *, wait_s: float) -> None:
        """Remove the index. Raises IndexLocked if another process still writes after `wait_s`."""
        if self._seen() is None:
            return
        with suppress(Gone), self._locked("writer", wait_s=wait_s):
            found = self._client.ask("GET", f"/{self._names.every}/_alias")
            # The one that says what there is goes first: nobody reads half of the rest.
            others = sorted(one for one in found if one != self._names.state)
            indexes.remove(self._client, [self._names.state])
            indexes.remove(self._client, others)

    def close(self) -> None:
        """Let go of what is held for reading, and of the connections if they are its own."""
        with self._pins.guard:
            before, self._pins.newest = self._pins.newest, None
        if before is not None and not before.users:
            _release(before)
        if self._closes_client:
            self._client.close()


def _release(pinned: _Pinned) -> None:
    # What cannot be let go runs out by itself.
    with suppress(BackendError):
        pinned.reader.release()


def _is_same(before: Seen | None, after: Seen | None) -> bool:
    if before is None or after is None:
        return before is after
    one, other = before.state, after.state
    is_settled = not (one.is_settling or other.is_settling)
    return is_settled and (one.incarnation, one.revision) == (other.incarnation, other.revision)


def _is_of(pinned: _Pinned, seen: Seen | None) -> bool:
    """Say whether what is held is still what is there, and has not run out."""
    if seen is None or seen.state.is_settling:
        return False
    state = pinned.reader.state
    if (state.incarnation, state.revision) != (seen.state.incarnation, seen.state.revision):
        return False
    return pinned.users > 0 or time.monotonic() - pinned.used_at < _KEPT_S
