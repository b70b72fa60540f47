"""Vectors and texts that wait for them: the rows of every vector space, for the writer.

A space has a row for each chunk that can be embedded, which waits until there is a vector of its
text; vectors are kept by content, so that a text that comes back has its own at once.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from trivium.analysis.fields import embedding_text
from trivium.backends.base import Pending
from trivium.backends.opensearch import indexes, rows
from trivium.backends.opensearch.client import written
from trivium.backends.opensearch.hand import Hand
from trivium.backends.opensearch.lines import Row
from trivium.backends.opensearch.reader import Reader
from trivium.backends.opensearch.said import Gone, Json
from trivium.backends.opensearch.state import KeptSpace, key_of, short_hash
from trivium.errors import BackendError, BackendRefused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_AT_ONCE = 10_000
# A row with its vector takes a few thousand bytes.
_ROWS_AT_ONCE = 2000
_EMBEDDABLE: Json = {"bool": {"must_not": [{"term": {"key": ""}}]}}
_WAITING: Json = {"term": {"is_waiting": True}}
_BLANK: Json = {"term": {"is_blank": True}}
_NEWEST_FIRST: list[Json] = [{"mtime_ns": "desc"}, {"path": "asc"}, {"order": "asc"}]


class Spaces:
    """The vector spaces of a collection that is being written."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand

    def rows_of(
        self, chunks: Sequence[Json], before: Collection[str]
    ) -> Iterator[tuple[str, str, Json | None]]:
        """Yield part, key and row of what spaces hold of chunks; `before` were there so far."""
        there = {one["id"] for one in chunks if one["key"]}
        for model_id in self._hand.state.spaces:
            part = f"space {model_id}"
            vectors = self._kept(model_id, [one["key"] for one in chunks if one["key"]])
            for one in chunks:
                if one["key"]:
                    yield part, key_of(one["id"]), rows.space_row(one, vectors.get(one["key"]))
            for gone in before:
                if gone not in there:
                    yield part, key_of(gone), None

    def _kept(self, model_id: str, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        found = self._hand.get_all(f"vectors {model_id}", list(dict.fromkeys(keys)))
        return {key: rows.vector_of(one) for key, one in found.items()}

    def put(self, model_id: str, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors under their keys, and give them to the chunks that have these texts."""
        from trivium.backends.quantise import to_int8

        if not keys:
            return
        self._hand.begin()
        kept = self._hand.state.spaces.get(model_id)
        if kept is not None and kept.dimension != vectors.shape[1]:
            raise BackendRefused(
                f"The model gives vectors of {vectors.shape[1]} numbers now; those of {model_id} "
                f"in this index have {kept.dimension}. Make them anew with: trivium index --rebuild"
            )
        if kept is None:
            self._make(model_id, int(vectors.shape[1]))
        steps, scales = to_int8(vectors)
        version = self._hand.next_version()
        alias = self._hand.alias(f"vectors {model_id}")
        documents = {
            key.hex(): rows.vector_document(key, row, float(scale))
            for key, row, scale in zip(keys, steps, scales, strict=True)
        }
        self._hand.store_loosely(
            [Row(alias, key, version, document) for key, document in documents.items()]
        )
        self._give(model_id, {key: rows.vector_of(one) for key, one in documents.items()}, version)

    def _give(self, model_id: str, vectors: dict[str, NDArray[np.float32]], version: int) -> None:
        part = f"space {model_id}"
        found = self._hand.live().having(part, "key", sorted(vectors), sort=["id"])
        alias = self._hand.alias(part)
        made = [
            Row(alias, key_of(one["id"]), version, rows.space_row(one, vectors[one["key"]]))
            for one in found
        ]
        self._hand.store_loosely(made)

    def _make(self, model_id: str, dimension: int) -> None:
        """Make a space in which every text waits."""
        hand = self._hand
        version = hand.next_version()
        # A number of its own: one that was forgotten may still be read.
        name = f"{short_hash(model_id)}-{version}"
        incarnation = hand.state.incarnation
        made = KeptSpace(
            hand.names.part(incarnation, f"space-{name}"),
            hand.names.part(incarnation, f"vectors-{name}"),
            dimension,
        )
        wanted = {
            made.index: indexes.space(dimension, shards=hand.shards),
            made.vectors: indexes.vectors(model_id, shards=hand.shards),
        }
        indexes.make_all(hand.client, wanted)
        alias = written(made.index)
        chunks = hand.live().every(
            "chunks", _EMBEDDABLE, sort=["id"], fields=rows.SPACE_FIELDS, page=_ROWS_AT_ONCE
        )
        hand.client.bulk(
            Row(alias, key_of(one["id"]), version, rows.space_row(one, None)) for one in chunks
        )
        hand.client.ask("POST", f"/{made.index}/_refresh")
        hand.changed(spaces={**hand.state.spaces, model_id: made})

    def forget(self, model_id: str) -> None:
        """Drop all vectors of a space; its texts wait again, and no other collection lends them."""
        kept = self._hand.state.spaces.get(model_id)
        if kept is None:
            return
        others = {key: one for key, one in self._hand.state.spaces.items() if key != model_id}
        now = time.time()
        doomed = {**self._hand.state.doomed, kept.index: now, kept.vectors: now}
        self._hand.changed(spaces=others, doomed=doomed)
        remove: Json = {"index": "*", "alias": indexes.lent(model_id), "must_exist": False}
        with suppress(Gone):
            self._hand.client.ask("POST", "/_aliases", {"actions": [{"remove": remove}]})

    def pending(self, model_id: str, *, limit: int, first: Sequence[str]) -> list[Pending]:
        """Return texts without a vector, those of the files `first`, then newest; names last.

        One that another collection of the cluster has a vector of is given that, and does not wait.
        """
        found = self._waiting(model_id, limit=limit, first=first)
        while self._borrow(model_id, [one["key"] for one in found]):
            found = self._waiting(model_id, limit=limit, first=first)
        return self._as_pending(found)

    def _borrow(self, model_id: str, keys: Sequence[str]) -> bool:
        """Take over the vectors that others have of these texts; say whether there were any."""
        import numpy as np

        query: Json = {"terms": {"key": list(keys)}}
        body = {"query": query, "size": _MOST_AT_ONCE, "collapse": {"field": "key"}}
        try:
            answer = self._hand.client.search(body, index=indexes.lent(model_id)) if keys else {}
        except BackendError:
            # Nobody has any, or who has does not answer now or not to us: they are made here.
            return False
        found = {one["_source"]["key"]: rows.vector_of(one["_source"]) for one in _hits(answer)}
        kept = self._hand.state.spaces.get(model_id)
        length = next((len(one) for one in found.values()), 0) if kept is None else kept.dimension
        lent = {key: one for key, one in found.items() if len(one) == length}
        if lent:
            self.put(model_id, [bytes.fromhex(key) for key in lent], np.stack([*lent.values()]))
        return bool(lent)

    def _waiting(self, model_id: str, *, limit: int, first: Sequence[str]) -> list[Json]:
        part, query = self._waiting_in(model_id)
        live = self._hand.live()
        found: list[Json] = []
        for has_text in (True, False):
            tests = [query, {"term": {"has_text": has_text}}]
            if first:
                places = {path: place for place, path in reversed(list(enumerate(first)))}
                among: Json = {"terms": {"path": list(places)}}
                some = _texts(live, part, {"bool": {"filter": [*tests, among]}}, _MOST_AT_ONCE)
                found += sorted(some, key=lambda one: places[one["path"]])
                tests.append({"bool": {"must_not": [among]}})
            left = limit - len(found)
            found += _texts(live, part, {"bool": {"filter": tests}}, left)
        # A text that several files have is embedded once.
        once = {one["key"]: one for one in reversed(found)}
        ordered = list(dict.fromkeys(one["key"] for one in found))[: max(limit, 0)]
        return [once[key] for key in ordered]

    def _waiting_in(self, model_id: str) -> tuple[str, Json]:
        """Return where texts without a vector are, and how they are told."""
        if model_id in self._hand.state.spaces:
            return f"space {model_id}", _WAITING
        return "chunks", _EMBEDDABLE

    def _as_pending(self, found: Sequence[Json]) -> list[Pending]:
        chunks = self._hand.get_all("chunks", [key_of(one["id"]) for one in found])
        made = {one["id"]: rows.chunk_of(one) for one in chunks.values()}
        ids = {key_of(one.node_id) for one in made.values()}
        documents = self._hand.get_all("nodes", sorted(ids), fields=["id", "path", "body"])
        nodes = {one.id: one for one in map(rows.node_of, documents.values())}
        return [
            Pending(
                bytes.fromhex(one["key"]),
                embedding_text(nodes[made[one["id"]].node_id], made[one["id"]]),
            )
            for one in found
            if one["id"] in made
        ]

    def count_pending(self, model_id: str) -> int:
        """Return how many texts have no vector in this space yet."""
        part, query = self._waiting_in(model_id)
        return sum(1 for _ in self._hand.live().distinct(part, "key", query=query))

    def blank(self, model_id: str, *, limit: int, after: bytes) -> list[Pending]:
        """Return texts with a vector of zeros in this space, by their keys, those after one."""
        tests: list[Json] = [_BLANK]
        if after:
            tests.append({"range": {"key": {"gt": after.hex()}}})
        body: Json = {
            "query": {"bool": {"filter": tests}},
            "size": min(max(limit, 0), _MOST_AT_ONCE),
            "sort": [{"key": "asc"}],
            "collapse": {"field": "key"},
            "_source": ["id", "key"],
        }
        hits = self._hand.live().search(f"space {model_id}", body)["hits"]["hits"]
        return self._as_pending([one["_source"] for one in hits])

    def count_blank(self, model_id: str) -> int:
        """Return how many texts have a vector of zeros in this space."""
        found = self._hand.live().distinct(f"space {model_id}", "key", query=_BLANK)
        return sum(1 for _ in found)


def _hits(answer: Json) -> list[Json]:
    found: list[Json] = answer.get("hits", {}).get("hits", [])
    return found


def _texts(live: Reader, part: str, query: Json, most: int) -> list[Json]:
    if most < 1:
        return []
    body: Json = {
        "query": query,
        "size": min(most, _MOST_AT_ONCE),
        "sort": _NEWEST_FIRST,
        "collapse": {"field": "key"},
        "_source": ["id", "key", "path"],
    }
    return [one["_source"] for one in live.search(part, body)["hits"]["hits"]]
