"""Texts without a vector -> vectors in the index, by turns with other processes.

The writer lock is held only to look and to store, so that others can write in between. Where many
machines feed an index, texts are in parts by their keys, and each machine embeds a part at a time:
none is embedded twice, and none waits for another. Called by the indexer.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

from trivium.backends.base import Backend, Pending, Snapshot, Writer
from trivium.errors import IndexLocked, MissingExtra, ModelError
from trivium.models.base import Embedder

log = logging.getLogger(__name__)

# What is newest is asked for again after as many: ten seconds of a transformer.
_PENDING = 512
_EMBED_AT_ONCE = 64
# So often is it shown how far another process is with the same model.
_FOLLOW_EVERY_S = 1.0
# Vectors may have been paid for: they wait as long for the lock, which a first sync may hold.
_STORE_WAIT_S = 600.0
# An instant model is done with as many in the time a transaction takes.
_INSTANT_AT_ONCE = 20_000

Progress = Callable[[str, int, int], None]


class Filling:
    """Gives texts to a model, one turn after the other, and keeps their vectors."""

    def __init__(
        self,
        backend: Backend,
        embedder: Embedder,
        turns: Turns,
        *,
        wait_s: float,
        progress: Progress,
        clock: Callable[[], float],
    ) -> None:
        self._backend = backend
        self._embedder = embedder
        self._turns = turns
        # Where many write, the lock is soon free again and worth waiting for.
        self._wait_s = wait_s if backend.turns == 1 else max(wait_s, _STORE_WAIT_S)
        self._progress = progress
        self._clock = clock
        self._blank_now: set[bytes] = set()
        self.done = 0

    def fill(self, first: Callable[[], Sequence[str]]) -> None:
        """Embed every text without a vector."""
        model, parts = self._embedder.model_id, self._backend.turns
        if is_embedded(self._backend.meta(), self._embedder):
            # As syncs leave it to an instant model: counting would look at every text.
            return
        done: set[int] = set()
        while len(done) < parts:
            with self._turns.next(
                lambda snapshot: snapshot.unembedded(model), parts=parts, without=done
            ) as part:
                if part is None:
                    return
                since = _done_until(self._backend.meta(), model)
                with self._backend.writer(wait_s=self._wait_s) as writer:
                    left = writer.count_pending(model, since=since)
                    found: Sequence[Pending] = ()
                    if left:
                        limit = _PENDING * parts
                        found = writer.pending(model, limit=limit, first=first(), since=since)
                pending = [one for one in found if part_of(one.key, parts) == part][:_PENDING]
                if not pending:
                    done.add(part)
                    continue
                for some, is_blank in self._given(pending, total=self.done + left, done=self.done):
                    self.done += len(some)
                    self._blank_now.update(
                        one.key for one, is_so in zip(some, is_blank, strict=True) if is_so
                    )

    def retry(self) -> None:
        """Embed every text with a vector of zeros once more; counts those that get another.

        Those that `fill` has just brought are not asked for again.
        """
        model = self._embedder.model_id
        total, tried, last = 0, 0, b""
        while True:
            with self._turns.next(lambda snapshot: len(snapshot.blank(model))) as part:
                if part is None:
                    return
                with self._backend.writer(wait_s=self._wait_s) as writer:
                    total = total or writer.count_blank(model) - len(self._blank_now)
                    blank = writer.blank(model, limit=_PENDING, after=last)
                if not blank:
                    return
                last = blank[-1].key
                again = [one for one in blank if one.key not in self._blank_now]
                for some, is_blank in self._given(again, total=total, done=tried):
                    tried += len(some)
                    self.done += is_blank.count(False)

    def _given(
        self, texts: Sequence[Pending], *, total: int, done: int
    ) -> Iterator[tuple[Sequence[Pending], list[bool]]]:
        """Embed and keep some texts after the other; yield them, and which are of zeros."""
        model = self._embedder.model_id
        self._progress("embedding", done, total)
        began = self._clock()
        for start in range(0, len(texts), _EMBED_AT_ONCE):
            some = texts[start : start + _EMBED_AT_ONCE]
            vectors = self._embedder.embed_documents([one.text for one in some])
            took = max(self._clock() - began, 1e-6)
            given = start + len(some)
            with self._backend.writer(wait_s=max(self._wait_s, _STORE_WAIT_S)) as writer:
                writer.put_vectors(model, [one.key for one in some], vectors)
                writer.note({pace_key(model): f"{given / took:.4g}"})
            yield some, [not row.any() for row in vectors]
            self._progress("embedding", done + given, total)


class Turns:
    """Waits for the turn to embed with a model, and shows how far the other one is until then."""

    def __init__(
        self,
        backend: Backend,
        embedder: Embedder,
        *,
        progress: Progress,
        say: Callable[[str], None],
    ) -> None:
        self._backend = backend
        self._embedder = embedder
        self._progress = progress
        self._say = say
        self._most = 0

    @contextmanager
    def next(
        self,
        waiting: Callable[[Snapshot], int],
        *,
        parts: int = 1,
        without: Collection[int] = (),
    ) -> Iterator[int | None]:
        """Have the turn at a part, of those that are left; None if nothing is `waiting`.

        Who is to stop raises in `progress`.
        """
        # Machines that start together do not all try the same one first.
        order = [(os.getpid() + one) % parts for one in range(parts)]
        wanted = [one for one in order if one not in without]
        with ExitStack() as turn:
            part: int | None = None
            while part is None and (left := self._left(waiting)):
                part = self._free(turn, wanted, parts=parts, left=left)
            yield part

    def _free(self, turn: ExitStack, wanted: Sequence[int], *, parts: int, left: int) -> int | None:
        """Return a part that nobody else is at, now held; None if there is none for a while."""
        model = self._embedder.model_id
        holder = ""
        for part in wanted:
            name = model if parts == 1 else f"{model} part {part}"
            try:
                wait_s = _FOLLOW_EVERY_S if parts == 1 else 0.0
                turn.enter_context(self._backend.turn(name, wait_s=wait_s))
            except IndexLocked as error:
                holder = error.holder
            else:
                return part
        self._follow(holder, left)
        if parts > 1:
            time.sleep(_FOLLOW_EVERY_S)
        return None

    def _left(self, waiting: Callable[[Snapshot], int]) -> int:
        with self._backend.snapshot() as snapshot:
            return waiting(snapshot)

    def _follow(self, holder: str, left: int) -> None:
        if not self._most:
            self._say(
                f"{self._embedder.name} is at work in {holder} as well: what is embedded there "
                "is not embedded again here."
            )
        self._most = max(self._most, left)
        self._progress("waiting", self._most - left, self._most)


def part_of(key: bytes, parts: int) -> int:
    """Return the part that a text is in; equal texts are in the same."""
    return key[0] % parts


def pace_key(model_id: str) -> str:
    """Return under which name an index remembers how many texts a second a model embeds."""
    return f"pace {model_id}"


def publish(backend: Backend, *, wait_s: float) -> None:
    """Have new vectors found, unless another process holds the lock."""
    try:
        with backend.writer(wait_s=wait_s) as writer:
            writer.publish()
    except IndexLocked:
        # Whoever holds the lock publishes when it is done.
        log.info("left publishing to the process that holds the lock")


def embed_now(backend: Backend, writer: Writer, embedder: Embedder, progress: Progress) -> None:
    """Embed what has no vector, under the lock of the sync that brought it.

    Up to which batch that is done is remembered, so that a sync without changes need not count.
    A model that fails leaves the texts to words.
    """
    try:
        model = embedder.model_id
        meta = backend.meta()
        if is_embedded(meta, embedder):
            return
        seq, known = meta.get("seq", ""), _done_until(meta, model)
        left = writer.count_pending(model, since=known)
        done = 0
        while pending := writer.pending(model, limit=_INSTANT_AT_ONCE, since=known) if left else ():
            vectors = embedder.embed_documents([one.text for one in pending])
            writer.put_vectors(model, [one.key for one in pending], vectors)
            done += len(pending)
            progress("meaning", done, max(done, left))
        writer.note({f"embedded {model}": seq})
    except (ModelError, MissingExtra) as error:
        # Each answer says so, too: the model cannot embed its query either.
        log.warning("no vectors of %s: %s", embedder.name, error)


def is_embedded(meta: Mapping[str, str], embedder: Embedder) -> bool:
    """Whether every text has a vector, as a sync has noted it in what an index remembers.

    One that cannot be had has embedded nothing.
    """
    with suppress(ModelError, MissingExtra):
        return meta.get("seq", "") == meta.get(f"embedded {embedder.model_id}")
    return False


def _done_until(meta: Mapping[str, str], model: str) -> int:
    """Return the batch up to which every text has a vector, as a sync has noted it; 0 if none has.

    One that is ahead is of another record, of which this one was made.
    """
    seq, since = int(meta.get("seq") or 0), int(meta.get(f"embedded {model}") or 0)
    return since if since <= seq else 0
