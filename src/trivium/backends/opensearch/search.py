"""One view or one vector space of a snapshot, searched on the cluster.

What a query means is compiled elsewhere; here it is asked, and what was found becomes a ranking
of chunk ids. Filters go inside every search. Made by the snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trivium.analysis.words import analyser
from trivium.backends.opensearch.asks import asked_of, compile_query, counted_everywhere
from trivium.backends.opensearch.filters import Known, compile_filter
from trivium.backends.opensearch.indexes import listed, words_fields
from trivium.backends.opensearch.reader import PAGE, Reader
from trivium.backends.opensearch.rows import vector_of
from trivium.backends.opensearch.said import Json
from trivium.errors import BackendRefused
from trivium.filtering.conditions import Filter
from trivium.query.grammar import Query
from trivium.types import SAMPLED, Background, ChunkId, Ranking, Scores, View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BEST_FIRST: list[Json] = [{"_score": "desc"}, {"id": "asc"}]
_AT_ONCE = 500
# No term is longer.
_LONGEST_START = 100
# Up to so many rows are compared one by one: exact, and about as fast as the graph.
_EXACT = 20_000
# How many neighbours the graph is walked for at least. Of 13,242 Korean pages, many of them alike
# to a small model, 400 found 0.88 of the ten nearest and 2,000 found 0.97, in the same time
# (benchmarks.cluster, mdn-anchors-ko).
_NEIGHBOURS = 2000
_HAS_VECTOR: list[Json] = [{"term": {"is_waiting": False}}, {"term": {"is_blank": False}}]
_OF_UNIT: Mapping[str, Json] = {
    "chunk": {"term": {"has_text": True}},
    "node": {"term": {"is_first": True}},
}


def _best(
    reader: Reader, part: str, query: Json, *, depth: int, is_scored: bool
) -> list[tuple[float, ChunkId]]:
    """Return scores and ids, best first and equal ones by id, in pages where there are many."""
    found: list[tuple[float, ChunkId]] = []
    body: Json = {
        "query": query,
        "sort": _BEST_FIRST,
        "_source": False,
        "track_total_hits": False,
    }
    while len(found) < depth:
        body["size"] = min(PAGE, depth - len(found))
        hits = reader.search(part, body, is_scored=is_scored)["hits"]["hits"]
        found += [(float(one["sort"][0]), ChunkId(one["sort"][1])) for one in hits]
        if len(hits) < body["size"]:
            break
        body["search_after"] = hits[-1]["sort"]
    return found


def _ranking(name: str, found: Sequence[tuple[float, ChunkId]]) -> Ranking:
    return Ranking(name, tuple(one for _, one in found), tuple(score for score, _ in found))


def _parts(ids: Sequence[str]) -> list[list[str]]:
    return [list(ids[first : first + PAGE]) for first in range(0, len(ids), PAGE)]


class OpenSearchText:
    """See trivium.backends.base.TextIndex."""

    def __init__(
        self,
        reader: Reader,
        part: str,
        view: View,
        *,
        known: Known,
        is_current: bool,
        is_spread: bool,
    ) -> None:
        self._reader = reader
        self._part = part
        self._view = view
        self._known = known
        self._is_current = is_current
        self._is_spread = is_spread

    @property
    def is_current(self) -> bool:
        """Whether it holds the last batch of this snapshot's record."""
        return self._is_current

    def search(self, query: Query, *, where: Filter, depth: int) -> Ranking:
        """Rank the chunks that match `query`."""
        asked = self._compiled(query)
        if asked is None or depth < 1:
            return Ranking("text", (), ())
        tests = compile_filter(where, self._known)
        gated = {"bool": {"must": [asked], "filter": tests}} if tests else asked
        found = _best(self._reader, self._part, gated, depth=depth, is_scored=True)
        return _ranking("text", found)

    def score(self, query: Query, ids: Sequence[ChunkId]) -> Scores:
        """Score exactly `ids`; those that do not match or do not exist score 0."""
        scores = dict.fromkeys(ids, 0.0)
        asked = self._compiled(query)
        for some in _parts(ids) if asked is not None else ():
            gated = {"bool": {"must": [asked], "filter": [{"terms": {"id": some}}]}}
            found = _best(self._reader, self._part, gated, depth=len(some), is_scored=True)
            scores.update((one, score) for score, one in found)
        return scores

    def _compiled(self, query: Query) -> Json | None:
        words_of = analyser(self._view.analyser)
        fields = asked_of(self._view)
        asked = compile_query(query.root, fields=fields, words_of=words_of)
        return counted_everywhere(asked, fields) if asked and self._is_spread else asked

    @property
    def documents(self) -> int:
        """How many chunks or nodes the view holds."""
        return self._reader.remembered(
            ("documents", self._part), lambda: self._reader.count(self._part)
        )

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many of them each term stands, in the field where it does so most."""
        known = self._reader.known(
            ("frequencies", self._part), [one for one in terms if one], self._read_frequencies
        )
        return {term: known.get(term, 0) for term in terms}

    def _read_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        fields = [name for name, _ in words_fields(self._view)]
        found = dict.fromkeys(terms, 0)
        for first in range(0, len(terms), _AT_ONCE):
            some = list(terms[first : first + _AT_ONCE])
            asked = {
                f"{place} {field}": {"term": {field: term}}
                for place, term in enumerate(some)
                for field in fields
            }
            for name, count in self._counts(asked).items():
                term = some[int(name.partition(" ")[0])]
                found[term] = max(found[term], count)
        return found

    def _counts(self, asked: Mapping[str, Json]) -> dict[str, int]:
        if not asked:
            return {}
        body = {"size": 0, "aggs": {"by": {"filters": {"filters": asked}}}}
        by = self._reader.search(self._part, body)["aggregations"].get("by", {"buckets": {}})
        return {name: one["doc_count"] for name, one in by["buckets"].items()}

    def starting(self, text: str, *, most: int) -> list[tuple[str, int]]:
        """Return terms that start with `text`, the most frequent first."""
        if most < 1 or len(text) > _LONGEST_START:
            return []
        aggregations = {
            name: {
                "terms": {
                    "field": listed(name),
                    # Not `.*`, for which 2.19 has a short cut that fails beyond the last term.
                    "include": f"{_literal(text)}(.*)",
                    "size": most,
                    # Of several shards each gives its own first: more of them, fewer are missed.
                    "shard_size": 10 * most + 100,
                    "order": [{"_count": "desc"}, {"_key": "asc"}],
                }
            }
            for name, _ in words_fields(self._view)
        }
        if not aggregations:
            return []
        answer = self._reader.search(self._part, {"size": 0, "aggs": aggregations})
        counts: dict[str, int] = {}
        for one in answer["aggregations"].values():
            for bucket in one["buckets"]:
                term, count = str(bucket["key"]), int(bucket["doc_count"])
                counts[term] = max(count, counts.get(term, 0))
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


def _literal(text: str) -> str:
    """Return a regular expression of Lucene that means `text` itself."""
    return "".join(one if one.isalnum() else f"\\{one}" for one in text)


class OpenSearchVectors:
    """See trivium.backends.base.VectorIndex."""

    def __init__(self, reader: Reader, model_id: str, *, dimension: int, known: Known) -> None:
        self._reader = reader
        self._part = f"space {model_id}"
        self._vectors = f"vectors {model_id}"
        self._dimension = dimension
        self._known = known

    def search(
        self, vector: NDArray[np.float32], *, where: Filter, depth: int, unit: str = "chunk"
    ) -> Ranking:
        """Rank the chunks nearest to `vector`."""
        self._check(vector)
        if depth < 1 or not vector.any():
            return Ranking("vectors", (), ())
        tests = [*_HAS_VECTOR, _OF_UNIT[unit], *compile_filter(where, self._known)]
        if self._rows() <= _EXACT:
            return _ranking("vectors", self._nearest(vector, tests, depth=depth))
        near: Json = {
            "vector": vector.tolist(),
            "k": min(PAGE, max(depth, _NEIGHBOURS)),
            "filter": {"bool": {"filter": tests}},
        }
        asked: Json = {"knn": {"vector": near}}
        found = _best(self._reader, self._part, asked, depth=min(depth, PAGE), is_scored=False)
        return _ranking("vectors", [(_product(score), one) for score, one in found])

    def _rows(self) -> int:
        return self._reader.remembered(("rows", self._part), lambda: self._reader.count(self._part))

    def _nearest(
        self, vector: NDArray[np.float32], tests: list[Json], *, depth: int
    ) -> list[tuple[float, ChunkId]]:
        """Compare one by one."""
        parameters = {
            "field": "vector",
            "query_value": vector.tolist(),
            "space_type": "innerproduct",
        }
        asked: Json = {
            "script_score": {
                "query": {"bool": {"filter": tests}},
                "script": {"source": "knn_score", "lang": "knn", "params": parameters},
            }
        }
        found = _best(self._reader, self._part, asked, depth=depth, is_scored=False)
        return [(_product(score), one) for score, one in found]

    def score(self, vector: NDArray[np.float32], ids: Sequence[ChunkId]) -> Scores:
        """Return the cosine of exactly `ids`, of those that have a direction."""
        self._check(vector)
        scores: dict[ChunkId, float] = {}
        for some in _parts(ids) if vector.any() else ():
            tests = [*_HAS_VECTOR, {"terms": {"id": some}}]
            found = self._nearest(vector, tests, depth=len(some))
            scores.update((one, score) for score, one in found)
        return scores

    def _check(self, vector: NDArray[np.float32]) -> None:
        if len(vector) != self._dimension:
            raise BackendRefused(
                f"The query vector has {len(vector)} dimensions, the space {self._dimension}. "
                "Embed the query with the model of the space."
            )

    def kept(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, NDArray[np.float32]]:
        """Return the vectors of `ids`, of those that have a direction."""
        rows = self._reader.having(
            self._part, "id", ids, sort=["id"], fields=["id", "key", "is_waiting", "is_blank"]
        )
        keys = {
            ChunkId(row["id"]): row["key"]
            for row in rows
            if not row["is_waiting"] and not row["is_blank"]
        }
        vectors = self._by_key(list(set(keys.values())))
        return {one: vectors[key] for one, key in keys.items() if key in vectors}

    def _by_key(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        found = self._reader.having(self._vectors, "key", sorted(keys), sort=["key"])
        return {one["key"]: vector_of(one) for one in found}

    def background(self, vector: NDArray[np.float32]) -> Background | None:
        """Return the mean and the deviation of the cosines, over a sample where there are many."""
        if not vector.any():
            return None
        sample = self._reader.remembered(("sample", self._part), self._sampled)
        if not len(sample):
            return None
        cosines = sample @ vector
        return Background(float(cosines.mean()), float(cosines.std()), len(cosines))

    def _sampled(self) -> NDArray[np.float32]:
        import numpy as np

        body: Json = {
            "query": {"bool": {"filter": [*_HAS_VECTOR, _OF_UNIT["chunk"]]}},
            "size": SAMPLED,
            # By a hash of the id: evenly spread, and the same for every query.
            "sort": [{"spread": "asc"}, {"id": "asc"}],
            "_source": ["key"],
        }
        hits = self._reader.search(self._part, body)["hits"]["hits"]
        keys = [one["_source"]["key"] for one in hits]
        vectors = self._by_key(list(set(keys)))
        rows = [vectors[key] for key in keys if key in vectors]
        return np.array(rows, np.float32).reshape(len(rows), self._dimension)


def _product(score: float) -> float:
    """Return the inner product of a score, which is never below zero on the cluster."""
    return score - 1.0 if score >= 1.0 else 1.0 - 1.0 / score
