"""Points in time of the indexes of one state -> documents and counts.

Everything a snapshot reads goes through here; an index that is not there yet is empty. Asks in
parts where a cluster would refuse the whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar, cast

from trivium.backends.opensearch.client import Client, at
from trivium.backends.opensearch.said import Json
from trivium.backends.opensearch.state import KeptView, State
from trivium.errors import BackendError, BackendUnavailable, IndexUnusable

K = TypeVar("K")
T = TypeVar("T")
EVERY: Json = {"match_all": {}}
# What a cluster gives at once by default, and takes as values of a term.
PAGE = 10_000
_MOST_VALUES = 10_000
_BUCKETS = 5000
# A few kilobytes each.
_MOST_KNOWN = 5000
# A replica takes the place of a shard that is lost within a second or two.
_PAUSES_S = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0)
_EMPTY: Json = {"hits": {"total": {"value": 0}, "hits": []}, "aggregations": {}}


class Reader:
    """Searches one state: its indexes by what they hold, each at a point in time.

    Those in `used` are held at once, and so belong together. One that is asked for later is held
    then, and is at once the next time: a cluster takes only so many points in time. What is lost
    with a node is held anew while the cluster `is_still` in this state.
    """

    def __init__(
        self,
        client: Client,
        state: State,
        indexes: Mapping[str, str],
        *,
        used: set[str],
        is_still: Callable[[], bool],
    ) -> None:
        self._client = client
        self._is_still = is_still
        self.state = state
        self._indexes = dict(indexes)
        self._used = used
        self._held: dict[str, str] = {}
        # Views of this state that it did not have.
        self.made: dict[str, KeptView] = {}
        self._memory: dict[object, object] = {}

    def hold(self) -> None:
        """Hold what is used. Raises Gone, and holds nothing, if some of it is not there."""
        try:
            for part in [one for one in self._indexes if one in self._used]:
                self._held[part] = self._client.hold(self._indexes[part])
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let go of all points in time."""
        held, self._held = list(self._held.values()), {}
        self._client.release(held)

    def _point(self, part: str) -> str:
        if part not in self._held:
            self._held[part] = self._client.hold(self._indexes[part])
            self._used.add(part)
        return self._held[part]

    def has(self, part: str) -> bool:
        """Say whether there is such an index in this state."""
        return part in self._indexes

    def add(self, part: str, index: str) -> None:
        """Read one index more, made of this state."""
        self._indexes[part] = index

    def remembered(self, key: object, make: Callable[[], T]) -> T:
        """Return what was made under a key before, or make it: a state does not change."""
        if key not in self._memory:
            self._memory[key] = make()
        return cast("T", self._memory[key])

    def known(
        self, what: object, keys: Collection[K], read: Callable[[list[K]], Mapping[K, T]]
    ) -> dict[K, T]:
        """Return what there is of these keys; only what was not read before is read.

        One question asks for the same again and again, and each time it is a way over the network.
        """
        kept: dict[K, T | None] = self.remembered(what, dict)
        found = {key: kept[key] for key in keys if key in kept}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            there = read(missing)
            new = {key: there.get(key) for key in missing}
            if len(kept) > _MOST_KNOWN:
                # Not emptied: another thread may be looking into it.
                self._memory[what] = kept = {}
            kept.update(new)
            found.update(new)
        return {key: one for key, one in found.items() if one is not None}

    def search(self, part: str, body: Json, *, is_scored: bool = False) -> Json:
        """Return what one search found."""
        if part not in self._indexes:
            return _EMPTY
        return self._patiently(
            [part],
            lambda: self._client.search(at(self._point(part), body), is_scored=is_scored),
        )

    def searches(self, asked: Sequence[tuple[str, Json]]) -> list[Json]:
        """Return what several searches found, asked at once."""
        there = [(part, body) for part, body in asked if part in self._indexes]
        found = self._patiently(
            [part for part, _ in there],
            lambda: self._client.searches([at(self._point(part), body) for part, body in there]),
        )
        every = iter(found)
        return [next(every) if part in self._indexes else _EMPTY for part, _ in asked]

    def _patiently(self, parts: Sequence[str], ask: Callable[[], T]) -> T:
        """Ask, and hold anew what was lost with a node: a replica has the same state."""
        for pause_s in _PAUSES_S:
            try:
                return ask()
            except (IndexUnusable, BackendUnavailable):
                if not self._is_still():
                    raise
                lost = [self._held.pop(part) for part in parts if part in self._held]
                with suppress(BackendError):
                    self._client.release(lost)
                time.sleep(pause_s)
        return ask()

    def every(
        self,
        part: str,
        query: Json,
        *,
        sort: Sequence[str],
        fields: Sequence[str] | None = None,
        page: int = PAGE,
    ) -> Iterator[Json]:
        """Yield all documents that match, in the order of fields that tell them apart."""
        body: Json = {
            "query": query,
            "size": page,
            "sort": [{name: "asc"} for name in sort],
            "track_total_hits": False,
        }
        if fields is not None:
            body["_source"] = list(fields)
        while True:
            hits = self.search(part, body)["hits"]["hits"]
            for one in hits:
                yield one["_source"]
            if len(hits) < page:
                return
            body["search_after"] = hits[-1]["sort"]

    def having(
        self,
        part: str,
        field: str,
        values: Sequence[str],
        *,
        sort: Sequence[str],
        fields: Sequence[str] | None = None,
    ) -> Iterator[Json]:
        """Yield the documents that have one of these values, which may be very many."""
        for first in range(0, len(values), _MOST_VALUES):
            some = list(values[first : first + _MOST_VALUES])
            yield from self.every(part, {"terms": {field: some}}, sort=sort, fields=fields)

    def distinct(
        self, part: str, field: str, *, query: Json = EVERY, start: str = ""
    ) -> Iterator[tuple[str, int]]:
        """Yield the values of a field that start so, in order, each with how many have it."""
        by: Json = {"size": _BUCKETS, "sources": [{"value": {"terms": {"field": field}}}]}
        if start:
            by["after"] = {"value": start}
        while True:
            body = {"size": 0, "query": query, "aggs": {"by": {"composite": by}}}
            found = self.search(part, body)["aggregations"].get("by", {"buckets": []})
            for one in found["buckets"]:
                value = one["key"]["value"]
                if not value.startswith(start):
                    return
                yield value, one["doc_count"]
            if len(found["buckets"]) < _BUCKETS:
                return
            by["after"] = found["after_key"]

    def count(self, part: str, query: Json = EVERY) -> int:
        """Return how many documents match."""
        return total(self.search(part, counted(query)))


def counted(query: Json = EVERY) -> Json:
    """Return a search that only counts."""
    return {"size": 0, "query": query, "track_total_hits": True}


def total(answer: Json) -> int:
    """Return how many documents a search found."""
    return int(answer["hits"]["total"]["value"])


def sources(answer: Json) -> list[Json]:
    """Return the documents of an answer."""
    return [one["_source"] for one in answer["hits"]["hits"]]


class Live(Reader):
    """Reads the indexes as they are now, for the one who writes them.

    `settle` makes what was stored in an index readable before it is searched.
    """

    def __init__(
        self,
        client: Client,
        state: State,
        indexes: Mapping[str, str],
        settle: Callable[[str], None],
    ) -> None:
        super().__init__(client, state, indexes, used=set(), is_still=lambda: True)
        self._settle = settle

    def search(self, part: str, body: Json, *, is_scored: bool = False) -> Json:
        """Return what one search found."""
        if part not in self._indexes:
            return _EMPTY
        self._settle(self._indexes[part])
        return self._client.search(body, index=self._indexes[part], is_scored=is_scored)

    def searches(self, asked: Sequence[tuple[str, Json]]) -> list[Json]:
        """Return what several searches found, one after another."""
        return [self.search(part, body) for part, body in asked]
