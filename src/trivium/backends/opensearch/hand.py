"""What a writer does to the cluster: rows stored all or none, the state changed, rows shown.

Rows are noted in a journal before they are stored, and the note says what is so afterwards: who
finds one left behind stores the same rows again. Used by the writer, which says what is written.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from trivium.backends.opensearch import indexes
from trivium.backends.opensearch.client import Client, written
from trivium.backends.opensearch.lines import Row, pieces
from trivium.backends.opensearch.reader import Live
from trivium.backends.opensearch.said import Conflict, Gone, Json
from trivium.backends.opensearch.state import PARTS, Journal, Names, Register, Seen, State
from trivium.errors import IndexUnusable

# Versions of one writer are all above those of the writers before it.
_VERSIONS = 1 << 32


class Hand:
    """The one who may change a collection, from the lock to its release."""

    def __init__(
        self, client: Client, names: Names, register: Register, seen: Seen, *, shards: int
    ) -> None:
        self.client = client
        self.names = names
        self.shards = shards
        self._register = register
        self._seen = register.change(seen, _opened)
        self._epoch = self.state.epoch
        self._count = 0
        self._unsettled: set[str] = set()
        self._is_shown = True
        if seen.state.is_open:
            self._take_over()

    @property
    def state(self) -> State:
        """The collection as it was last seen or changed."""
        return self._seen.state

    def index(self, part: str) -> str:
        """Return the name of one of the indexes."""
        return self.state.indexes(self.names)[part]

    def alias(self, part: str) -> str:
        """Return what one of the indexes is written through."""
        return written(self.index(part))

    def next_version(self) -> int:
        """Return a version above all that were given before, by whomever."""
        self._count += 1
        return self._epoch * _VERSIONS + self._count

    def change(self, change: Callable[[State], State]) -> None:
        """Change the state. Raises IndexUnusable if another writer has taken over."""

        def guarded(state: State) -> State:
            if state.epoch != self._epoch:
                raise IndexUnusable(
                    "Another process has taken over writing this index, since this one was "
                    "silent for too long. Start again: what was stored is safe."
                )
            return change(state)

        self._seen = self._register.change(self._seen, guarded)

    def changed(self, **values: Any) -> None:  # noqa: ANN401 - fields of State
        """Change fields of the state, and let readers tell."""
        self.change(lambda state: replace(state, revision=state.revision + 1, **values))

    def begin(self) -> None:
        """Make ready to store: end what was begun, and make the indexes of the record."""
        if self.state.journal is not None:
            self._replay(self.state.journal)
        if self.state.has_parts:
            return
        wanted = {
            self.names.part(self.state.incarnation, part): indexes.part(part, shards=self.shards)
            for part in PARTS
        }
        indexes.make_all(self.client, wanted)
        self.change(lambda state: replace(state, has_parts=True))

    def store(self, rows: Sequence[Row], then: Journal) -> None:
        """Store rows, all of them or none, also if this process dies; then `then` is so."""
        sent = list(pieces(rows))
        for number, piece in enumerate(sent):
            packed = base64.b64encode(zlib.compress(piece, level=1)).decode()
            self.client.put(self.names.state, f"journal-{number}", {"lines": packed}, {})
        if sent:
            noted = replace(then, pieces=len(sent))
            self.change(lambda state: replace(state, journal=noted))
        for piece in sent:
            self._send(piece)
        self._finish(then, {row.index for row in rows})

    def store_loosely(self, rows: Sequence[Row]) -> None:
        """Store rows each of which means something by itself."""
        self.client.bulk(rows)
        self._mark_unsettled({row.index for row in rows})

    def _send(self, piece: bytes) -> None:
        try:
            self.client.bulk_lines(piece)
        except Conflict as error:
            raise IndexUnusable(
                "Another process has written to this index meanwhile. Start again: what was "
                "stored is safe."
            ) from error

    def _finish(self, then: Journal, aliases: set[str]) -> None:
        def finished(state: State) -> State:
            fed = {
                key: replace(one, seq=then.seq) if key in then.views else one
                for key, one in state.views.items()
            }
            return replace(
                state,
                journal=None,
                seq=then.seq,
                views=fed,
                history_head=then.history_head,
                changes=state.changes + 1,
            )

        self.change(finished)
        self._mark_unsettled(aliases)

    def _mark_unsettled(self, aliases: set[str]) -> None:
        self._is_shown = False
        self._unsettled.update(one.removesuffix(written("")) for one in aliases)

    def _take_over(self) -> None:
        """Go on from where a writer stopped that never closed."""
        # Which rows it stored and did not show is not known: all indexes are looked at.
        self._mark_unsettled({written(one) for one in self.state.indexes(self.names).values()})
        self.show()

    def _replay(self, journal: Journal) -> None:
        """Store again what may have been stored in part."""
        for number in range(journal.pieces):
            found = self.client.get(self.names.state, f"journal-{number}")
            if found is None:
                raise IndexUnusable(
                    "A batch was left half stored and its journal is gone. "
                    "Make the index anew with: trivium index --rebuild"
                )
            self._send(zlib.decompress(base64.b64decode(found["_source"]["lines"])))
        self._finish(journal, {written(one) for one in self.state.indexes(self.names).values()})

    def settle(self, index: str) -> None:
        """Make what was stored in an index readable."""
        if index in self._unsettled:
            self.client.ask("POST", f"/{index}/_refresh")
            self._unsettled.discard(index)

    def show(self) -> None:
        """Make all that was stored visible to new snapshots, none of it before the rest."""
        if self.state.journal is not None:
            # Half of a batch is stored: all of it, or nothing is shown.
            self._replay(self.state.journal)
        if self._is_shown:
            return
        self.change(lambda state: replace(state, is_settling=True))
        there = sorted(self._unsettled & set(self.state.indexes(self.names).values()))
        if there:
            self.client.ask("POST", f"/{','.join(there)}/_refresh")
        self.changed(is_settling=False, shown=self.state.seq)
        self._unsettled.clear()
        self._is_shown = True

    def close(self) -> None:
        """Show what was stored, and say that nothing is left to be done."""
        self.show()
        self.change(lambda state: replace(state, is_open=False))

    def live(self) -> Live:
        """Return what reads the indexes as they are now."""
        there = self.state.indexes(self.names)
        return Live(self.client, self.state, there, self.settle)

    def get_all(
        self, part: str, keys: Sequence[str], *, fields: Sequence[str] | None = None
    ) -> dict[str, Json]:
        """Return documents as they were stored last, by their keys; others are left out."""
        there = self.state.indexes(self.names)
        if part not in there or not keys:
            return {}
        return self.client.get_all(there[part], keys, fields=fields)

    def drop_doomed(self, *, before: float) -> None:
        """Remove indexes that were replaced so long ago that nobody reads them any more."""
        old = [name for name, since in self.state.doomed.items() if since < before]
        if old:
            with suppress(Gone):
                indexes.remove(self.client, old)
            left = {n: since for n, since in self.state.doomed.items() if n not in old}
            self.change(lambda state: replace(state, doomed=left))


def _opened(state: State) -> State:
    return replace(state, epoch=state.epoch + 1, is_open=True)
