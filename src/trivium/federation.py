"""Several collections -> one that is searched: each answers for itself, and ranks are fused.

Scores of different collections share no scale, since each has its own words; so a hit has
1 / (60 + its rank in its collection). Equal ones come by priority, then by the name of the
collection, then by id. Called by doors and programs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from trivium.analysis.minhash import Signature
from trivium.collection import Collection
from trivium.errors import UsageError
from trivium.graph.crossing import cross_domain
from trivium.results import facets
from trivium.retrieval.page import left_out, repeats
from trivium.types import Answer, Coverage, Degraded, Edge, Freshness, Hit, Kind, NodeId, Part

K = 60
_MOST_OF_EACH = 50
_DEFAULT_LIMIT = 10
_MOST = 100


class Together:
    """Collections that are searched as one. A higher priority wins between equal ranks."""

    def __init__(
        self, collections: Sequence[Collection], *, priorities: Mapping[str, int] | None = None
    ) -> None:
        if not collections:
            raise UsageError("Give at least one collection to search.")
        self._collections = _named(collections)
        self._priorities = dict(priorities or {})
        for name in self._priorities:
            if name not in self._collections:
                known = ", ".join(self._collections)
                raise UsageError(f"No collection {name!r} here. There are: {known}.")

    @property
    def names(self) -> list[str]:
        """The names of the collections; of equal ones the later get a number."""
        return list(self._collections)

    def search(self, query: str, *, limit: int | None = None, **options: object) -> Answer:
        """Answer `query` from all of them; `options` are those of Collection.search."""
        limit = _DEFAULT_LIMIT if limit is None else limit
        if not 0 <= limit <= _MOST:
            raise UsageError(f"limit is {limit}; several collections take 1 to {_MOST}.")
        started = time.perf_counter()
        found = {
            name: one.search(query, limit=_of_each(limit), **options)  # type: ignore[arg-type]
            for name, one in self._collections.items()
        }
        ranked = sorted(
            (
                (_by_rank(hit, name, rank), name)
                for name, answer in found.items()
                for rank, hit in enumerate(answer.results, 1)
                if hit.score_type != "context"
            ),
            key=lambda pair: (
                -pair[0].score,
                -self._priorities.get(pair[1], 0),
                pair[1],
                pair[0].id,
            ),
        )
        every = [hit for hit, _ in ranked]
        hits, repeated = _distinct(every, limit) if options.get("dedupe") else (every[:limit], 0)
        shown = {(hit.collection, hit.id) for hit in hits}
        around = [
            replace(hit, collection=name)
            for name, answer in found.items()
            for hit in answer.results
            if hit.context is not None and (name, hit.context["sourceId"]) in shown
        ]
        took_ms = round(1000 * (time.perf_counter() - started), 3)
        answer = _joined(query, found, (*hits, *around), took_ms=took_ms)
        if not repeated:
            return answer
        note = f"{left_out(repeated)} of another collection"
        return replace(answer, notes=(*answer.notes, note))

    def crossing(self) -> list[Edge]:
        """Return the edges between nodes of one name in different collections.

        Ids are those of the collections with their names before them: shop/code:a.py#run.
        """
        nodes, collection_of = [], {}
        for name, one in self._collections.items():
            for node in one.nodes():
                # Every folder has a README; that says nothing of what stands in it.
                if node.kind is Kind.FILE:
                    continue
                crossed = replace(node, id=NodeId(f"{name}/{node.id}"))
                nodes.append(crossed)
                collection_of[crossed.id] = name
        return cross_domain(nodes, collection_of=collection_of)


def _distinct(hits: Sequence[Hit], limit: int) -> tuple[list[Hit], int]:
    """Return the first `limit` hits that repeat none before, and how many were passed over."""
    seen: list[Signature] = []
    kept: list[Hit] = []
    repeated = 0
    for hit in hits:
        if len(kept) == limit:
            break
        if repeats(hit, seen):
            repeated += 1
        else:
            kept.append(hit)
    return kept, repeated


def _named(collections: Sequence[Collection]) -> dict[str, Collection]:
    named: dict[str, Collection] = {}
    for one in collections:
        name, number = one.name, 2
        while name in named:
            name, number = f"{one.name}~{number}", number + 1
        named[name] = one
    return named


def _of_each(limit: int) -> int:
    return max(limit, min(2 * limit, _MOST_OF_EACH))


def _by_rank(hit: Hit, name: str, rank: int) -> Hit:
    part = Part(f"{name} rank {rank}", 1 / (K + rank))
    shown = hit.breakdown
    if shown is not None:
        parts = [{"name": part.name, "value": part.value}]
        shown = {**shown, "selected": {"type": "rrf", "score": part.value}, "parts": parts}
    return replace(
        hit, score=part.value, score_type="rrf", parts=(part,), breakdown=shown, collection=name
    )


def _joined(
    query: str, found: Mapping[str, Answer], hits: tuple[Hit, ...], *, took_ms: float
) -> Answer:
    answers = list(found.values())
    methods = {one.method for one in answers}
    degraded = [
        Degraded(one.stage, f"{name}: {one.reason}")
        for name, answer in found.items()
        for one in answer.degraded
    ]
    return Answer(
        query=query,
        profile=answers[0].profile,
        method=methods.pop() if len(methods) == 1 else "hybrid",
        embedder=next((one.embedder for one in answers if one.embedder != "none"), "none"),
        collection=", ".join(found),
        results=hits,
        total=sum(one.total for one in answers),
        facets={
            **facets.joined(one.facets for one in answers),
            "collection": facets.listed({name: one.total for name, one in found.items()}),
        },
        coverage=_coverage([one.coverage for one in answers]),
        freshness=Freshness(
            min(one.freshness.indexed_at for one in answers),
            sum(one.freshness.dirty_files for one in answers),
        ),
        degraded=tuple(degraded),
        notes=_notes(found),
        took_ms=took_ms,
    )


def _notes(found: Mapping[str, Answer]) -> tuple[str, ...]:
    """Return what is said of all once, of some with their names."""
    notes = dict.fromkeys(note for one in found.values() for note in one.notes)
    return tuple(
        line
        for note in notes
        for line in (
            [note]
            if all(note in one.notes for one in found.values())
            else [f"{name}: {note}" for name, one in found.items() if note in one.notes]
        )
    )


def _coverage(of_each: Sequence[Coverage]) -> Coverage:
    skipped: Counter[str] = Counter()
    for one in of_each:
        skipped.update(one.skipped)
    return Coverage(
        files=sum(one.files for one in of_each),
        skipped=dict(sorted(skipped.items())),
        # The least of them: that much is embedded wherever a hit may come from.
        embedded=min(one.embedded for one in of_each),
        masked=sum(one.masked for one in of_each),
    )
