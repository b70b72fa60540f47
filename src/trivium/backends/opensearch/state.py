"""What a collection on a cluster is: one small document that says which indexes are it.

Every change of it is a comparison first: it is written only if nobody wrote it meanwhile, so
whatever it says became true at once. Read by snapshots, changed by writers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.said import Conflict, Gone, Json
from trivium.errors import BackendUnavailable, IndexUnusable
from trivium.types import View

FORMAT = 1
PARTS = ("files", "nodes", "edges", "chunks", "links", "history")
_STATE = "state"
_MOST_TRIES = 20
_LONGEST_SLUG = 40


@dataclass(frozen=True, slots=True)
class Names:
    """What the indexes of a collection are called."""

    prefix: str

    @property
    def state(self) -> str:
        """The index of the one document, of the locks and of the journal."""
        return f"{self.prefix}.state"

    @property
    def every(self) -> str:
        """A pattern that all indexes of the collection match, and no others."""
        return f"{self.prefix}.*"

    def part(self, incarnation: str, name: str) -> str:
        """Return the name of one of its indexes."""
        return f"{self.prefix}.{incarnation[:8]}.{name}"


def names_of(collection: str) -> Names:
    """Return names that no other collection has, and that say which it is."""
    slug = re.sub(r"[^a-z0-9]+", "-", collection.lower()).strip("-")[:_LONGEST_SLUG]
    return Names(f"trivium.{slug or 'index'}-{short_hash(collection)}")


def collections_of(client: Client) -> list[str]:
    """Return about what the collections of a cluster are called: as far as an index name tells."""
    found = client.ask(
        "GET", "/trivium.*.state/_settings", params={"filter_path": "*.settings.index.uuid"}
    )
    named = (re.fullmatch(r"trivium\.(.+)-[0-9a-f]{8}\.state", one) for one in found)
    return sorted(one[1] for one in named if one is not None)


def short_hash(text: str) -> str:
    """Return eight letters that stand for a text."""
    data = text.encode(errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=4).hexdigest()


def key_of(text: str) -> str:
    """Return the key a document is kept by: ids may be longer than the cluster's own."""
    data = text.encode(errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class KeptView:
    """A text index that is kept up to date: where it is, up to which batch, on how many shards."""

    index: str
    view: View
    seq: int
    shards: int


@dataclass(frozen=True, slots=True)
class KeptSpace:
    """A vector space: where its rows are, where the vectors by content, and how long they are."""

    index: str
    vectors: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Journal:
    """Rows that are stored in so many pieces, and what is so once all of them are."""

    pieces: int
    seq: int
    views: tuple[str, ...]
    history_head: str


@dataclass(frozen=True, slots=True)
class State:
    """All that must change at once.

    `epoch` counts writers, and `is_open` says that the last of them has not ended; `revision` is
    what readers tell states apart by, `changes` how often anything but a time or a note was
    stored. `seq` is the last batch that is stored, `shown` the last that can be read.
    `is_settling`: rows are being made visible just now, some before others.
    `journal` says what is noted and may not have been stored in full.
    """

    incarnation: str
    epoch: int = 0
    is_open: bool = False
    seq: int = 0
    shown: int = 0
    revision: int = 0
    changes: int = 0
    is_settling: bool = False
    has_parts: bool = False
    journal: Journal | None = None
    meta: Mapping[str, str] = field(default_factory=dict)
    indexed_at: str = ""
    origin: str = "folder"
    history_head: str = ""
    skipped: Mapping[str, int] = field(default_factory=dict)
    views: Mapping[str, KeptView] = field(default_factory=dict)
    spaces: Mapping[str, KeptSpace] = field(default_factory=dict)
    doomed: Mapping[str, float] = field(default_factory=dict)

    def indexes(self, names: Names) -> dict[str, str]:
        """Return every index of this state by what it holds."""
        parts = PARTS if self.has_parts else ()
        found = {part: names.part(self.incarnation, part) for part in parts}
        found |= {f"view {key}": one.index for key, one in self.views.items()}
        for model_id, one in self.spaces.items():
            found |= {f"space {model_id}": one.index, f"vectors {model_id}": one.vectors}
        return found


@dataclass(frozen=True, slots=True)
class Seen:
    """A state and the mark by which a later change of it is noticed."""

    state: State
    number: int
    term: int


class Register:
    """Reads and changes the one document of a collection."""

    def __init__(self, client: Client, names: Names) -> None:
        self._client = client
        self._names = names

    def read(self) -> Seen | None:
        """Return what the collection is now; None if there is none."""
        try:
            found = self._client.get(self._names.state, _STATE)
        except Gone:
            return None
        if found is None:
            return None
        return Seen(_state_of(found["_source"]), found["_seq_no"], found["_primary_term"])

    def create(self, state: State) -> Seen:
        """Make the document; one that is there already stays and is returned."""
        with suppress(Conflict):
            self._client.put(self._names.state, _STATE, _packed(state), {"op_type": "create"})
        seen = self.read()
        if seen is None:
            raise BackendUnavailable("The index was removed while it was being made. Try again.")
        return seen

    def write(self, seen: Seen, state: State) -> Seen:
        """Put `state` in the place of what was seen. Raises Conflict if that is no longer so."""
        params = {"if_seq_no": str(seen.number), "if_primary_term": str(seen.term)}
        done = self._client.put(self._names.state, _STATE, _packed(state), params)
        return Seen(state, done["_seq_no"], done["_primary_term"])

    def change(self, seen: Seen, change: Callable[[State], State]) -> Seen:
        """Change the document, again and again if others do so too.

        `change` is given what is there, and raises if it must not go on from it.
        """
        for _ in range(_MOST_TRIES):
            try:
                return self.write(seen, change(seen.state))
            except Conflict:
                newest = self.read()
                if newest is None:
                    raise Gone(self._names.state) from None
                seen = newest
        raise BackendUnavailable("Too many processes change the index at once. Try again.")


def _packed(state: State) -> Json:
    return {"format": FORMAT, **asdict(state)}


def _state_of(source: Json) -> State:
    raw = dict(source)
    found = raw.pop("format", None)
    if found != FORMAT:
        raise IndexUnusable(
            f"The index on the cluster has format {found}; this version reads format {FORMAT}. "
            "Make it anew with: trivium index --rebuild"
        )
    journal = raw["journal"]
    if journal is not None:
        raw["journal"] = Journal(**{**journal, "views": tuple(journal["views"])})
    return replace(
        State(**raw),
        views={
            key: KeptView(one["index"], view_of(one["view"]), one["seq"], one["shards"])
            for key, one in raw["views"].items()
        },
        spaces={key: KeptSpace(**one) for key, one in raw["spaces"].items()},
    )


def view_of(raw: Json) -> View:
    """Return the view that JSON was made of."""
    return View(**{name: _as_tuples(value) for name, value in raw.items()})


def _as_tuples(value: object) -> Any:  # noqa: ANN401 - what JSON gives
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
