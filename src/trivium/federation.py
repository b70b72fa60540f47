"""Several collections -> one that is searched: each answers for itself, and ranks are fused.

Scores of different collections share no scale, since each has its own words; so a hit has
1 / (60 + its rank in its collection). Equal ones come by priority, then by the name of the
collection. Sorted otherwise, hits keep the scores of their own. Called by doors and programs.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from trivium.analysis.minhash import Signature
from trivium.collection import Collection
from trivium.errors import UsageError
from trivium.graph.crossing import cross_domain
from trivium.query.spelling import corrected, rewritten
from trivium.results import facets
from trivium.results.nothing import is_of_nothing
from trivium.results.related import MOST
from trivium.retrieval import cursor as cursors
from trivium.retrieval.cursor import Binding, Cursor, Start, binding
from trivium.retrieval.page import Page, left_out, repeats
from trivium.types import Answer, Coverage, Degraded, Edge, Freshness, Hit, Kind, NodeId, Part

K = 60
_MOST_OF_EACH = 50
_DEFAULT_LIMIT = 10
_MOST = 100
# More than any pool has.
_MOST_PAGES = 50
# What may differ between two pages of one answer.
_NOT_BINDING = frozenset({"explain", "expand", "sync"})


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

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        sort: str = "relevance",
        **options: object,
    ) -> Answer:
        """Answer `query` from all of them; `options` are those of Collection.search."""
        limit = _DEFAULT_LIMIT if limit is None else limit
        if not 0 <= limit <= _MOST:
            raise UsageError(f"limit is {limit}; several collections take 1 to {_MOST}.")
        started = time.perf_counter()
        options = {**options, "sort": sort}
        bound = self._bound(query, options)
        given = cursors.read(cursor, bound)
        dedupe = bool(options.get("dedupe"))
        needed, known = limit + (0 if given is None else given.offset), -1
        while True:
            found = {
                name: _answered(one, query, needed=needed, options=options)
                for name, one in self._collections.items()
            }
            every = self._merged(found, sort=sort)
            start = _begun(every, given, limit)
            page = _page(every, limit, start=start.offset, dedupe=dedupe)
            is_open = any(one.next for one in found.values())
            is_short = dedupe and limit > 0 and page.end == len(every)
            if not (is_open and is_short and len(every) > known):
                break
            # All that is left of what is known repeats others, so more must be known.
            needed, known = 2 * len(every), len(every)
        shown = {(hit.collection, hit.id) for hit in page.hits}
        around = [
            replace(hit, collection=name)
            for name, answer in found.items()
            for hit in answer.results
            if hit.context is not None and (name, hit.context["sourceId"]) in shown
        ]
        took_ms = round(1000 * (time.perf_counter() - started), 3)
        better = self._better(query, found, options)
        answer = _joined(query, found, (*page.hits, *around), better=better, took_ms=took_ms)
        notes = (*answer.notes, *start.notes)
        if page.repeats:
            notes = (*notes, f"{left_out(page.repeats)} of another collection")
        has_more = page.end < len(every) or is_open
        state = _state(every, page.end) if limit and has_more else None
        return replace(
            answer,
            notes=notes,
            next=None
            if state is None
            else cursors.write(Cursor(state, page.end, start.first), bound),
        )

    def _bound(self, query: str, options: Mapping[str, object]) -> Binding:
        asked = {name: one for name, one in options.items() if name not in _NOT_BINDING}
        return binding(
            ", ".join(self._collections),
            identity=[one.identity for one in self._collections.values()],
            asked=[query, asked, self._priorities],
        )

    def _merged(self, found: Mapping[str, Answer], *, sort: str) -> list[Hit]:
        """Return the hits of all in one order, as far as it is known."""
        # Of equal ones the first of these come first.
        names = sorted(found, key=lambda name: (-self._priorities.get(name, 0), name))
        lists = [
            [
                _by_rank(hit, name, rank) if sort == "relevance" else replace(hit, collection=name)
                for rank, hit in enumerate(_own(found[name]), 1)
            ]
            for name in names
        ]
        # Behind the last one of a list that goes on, what goes on may have a say.
        ends = {
            (name, hits[-1].chunk_id if hits else "")
            for name, hits in zip(names, lists, strict=True)
            if found[name].next is not None
        }
        if any(not one for _, one in ends):
            return []
        merged: list[Hit] = []
        for hit in heapq.merge(*lists, key=self._place_in(names, lists, sort=sort)):
            merged.append(hit)
            if (hit.collection, hit.chunk_id) in ends:
                break
        return merged

    def _place_in(
        self, names: Sequence[str], lists: Sequence[Sequence[Hit]], *, sort: str
    ) -> Callable[[Hit], float]:
        """Return what orders hits: their ranks, how old their files are, or their collections."""
        if sort == "path":
            return lambda hit: names.index(hit.collection)
        if sort != "newest":
            return lambda hit: -hit.score
        changed = {
            name: self._collections[name].changed(sorted({hit.source.file_path for hit in hits}))
            for name, hits in zip(names, lists, strict=True)
        }
        return lambda hit: -changed[hit.collection].get(hit.source.file_path, -math.inf)

    def _better(
        self, query: str, found: Mapping[str, Answer], options: Mapping[str, object]
    ) -> str:
        """Return the query as it was meant, word by word.

        A word that one of them has and takes as it is, is no mistake; of several corrections of
        one the word that most chunks have is taken.
        """
        told = {name: corrected(query, one.better) for name, one in found.items() if one.better}
        if not told:
            return ""
        typed = list(dict.fromkeys(word for each in told.values() for word in each))
        others = {word: {each[word] for each in told.values() if word in each} for word in typed}
        profile = options.get("profile")
        asked = [*typed, *(one for some in others.values() for one in sorted(some))]
        counts = {
            name: one.frequencies(asked, profile=profile if isinstance(profile, str) else None)
            for name, one in self._collections.items()
        }
        best: dict[str, str] = {}
        for word, some in others.items():
            if any(counts[name][word] and word not in told.get(name, ()) for name in counts):
                continue
            total = {one: sum(each[one] for each in counts.values()) for one in some}
            best[word] = min(some, key=lambda one: (-total[one], one))
        better = rewritten(query, best) if best else ""
        # What one of them offers finds something there; what is made of several may not.
        is_offered = any(one.better == better for one in found.values())
        return better if is_offered or (better and self._finds(better, options)) else ""

    def _finds(self, query: str, options: Mapping[str, object]) -> bool:
        alone = {**options, "search_mode": "keyword", "typos": False, "sync": False}
        return any(
            one.search(query, limit=1, **alone).results  # type: ignore[arg-type]
            for one in self._collections.values()
        )

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


def _answered(one: Collection, query: str, *, needed: int, options: Mapping[str, object]) -> Answer:
    """Return the answer of one collection with at least so many hits, if it has them."""
    size = min(_of_each(needed), _MOST)

    def ask(cursor: str | None) -> Answer:
        return one.search(query, limit=size, cursor=cursor, **options)  # type: ignore[arg-type]

    answer = last = ask(None)
    hits = list(answer.results)
    for _ in range(_MOST_PAGES):
        if last.next is None or len(hits) >= needed:
            break
        last = ask(last.next)
        if cursors.AGAIN in last.notes:
            # What was gathered before is of a state that is gone.
            answer, hits = last, []
        hits += last.results
    notes = tuple(note for note in answer.notes if note != cursors.AGAIN)
    return replace(answer, results=tuple(hits), notes=notes, next=last.next)


def _own(answer: Answer) -> list[Hit]:
    """Return the hits of an answer that have a rank."""
    return [hit for hit in answer.results if hit.score_type != "context"]


def _state(hits: Sequence[Hit], count: int) -> bytes | None:
    before = [(hit.collection, hit.chunk_id) for hit in hits[:count]]
    return cursors.digest(before) if len(before) == count else None


def _begun(hits: Sequence[Hit], cursor: Cursor | None, limit: int) -> Start[Sequence[Hit]]:
    return cursors.resume(cursor, limit, listed=lambda _: hits, state_of=_state)


def _page(hits: Sequence[Hit], limit: int, *, start: int, dedupe: bool) -> Page:
    """Return the hits of a page; those that repeat one before are passed over, if asked."""
    page = Page(end=start)
    seen: list[Signature] = []
    if dedupe:
        for hit in hits[:start]:
            repeats(hit, seen)
    while page.end < len(hits) and len(page.hits) < limit:
        hit = hits[page.end]
        page.end += 1
        if dedupe and repeats(hit, seen):
            page.repeats += 1
        else:
            page.hits.append(hit)
    # Nothing of what is left may be fit to show: then this page is the last.
    left = hits[page.end :]
    if dedupe and limit and all(repeats(hit, list(seen)) for hit in left):
        page.repeats += len(left)
        page.end = len(hits)
    return page


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
    query: str,
    found: Mapping[str, Answer],
    hits: tuple[Hit, ...],
    *,
    better: str,
    took_ms: float,
) -> Answer:
    answers = list(found.values())
    counts = {
        **facets.joined(one.counts for one in answers),
        "collection": {name: one.total for name, one in found.items()},
    }
    methods = {one.method for one in answers}
    return Answer(
        query=query,
        profile=answers[0].profile,
        method=methods.pop() if len(methods) == 1 else "hybrid",
        embedder=next((one.embedder for one in answers if one.embedder != "none"), "none"),
        collection=", ".join(found),
        results=hits,
        total=sum(one.total for one in answers),
        facets=facets.shortened(counts),
        counts=counts,
        matching=_matching(answers),
        coverage=_coverage([one.coverage for one in answers]),
        freshness=Freshness(
            min(one.freshness.indexed_at for one in answers),
            sum(one.freshness.dirty_files for one in answers),
        ),
        degraded=_degraded(found),
        notes=_notes(found),
        suggestions=(*((better,) if better else ()), *_related(answers)),
        better=better,
        took_ms=took_ms,
    )


def _matching(answers: Sequence[Answer]) -> int | None:
    """Return how many hits of all have a word of the query; None where no words were looked for."""
    told = [one.matching for one in answers if one.matching is not None]
    return sum(told) if len(told) == len(answers) else None


def _related(answers: Sequence[Answer]) -> list[str]:
    """Return the searches that collections suggest, in turn, each once."""
    own = [one.suggestions[1 if one.better else 0 :] for one in answers]
    mixed = (text for row in zip_longest(*own) for text in row if text is not None)
    return list({text.casefold(): text for text in mixed}.values())[:MOST]


def _degraded(found: Mapping[str, Answer]) -> tuple[Degraded, ...]:
    """Return what could not be done in all of them once, in some with their names."""
    every = dict.fromkeys(one for answer in found.values() for one in answer.degraded)
    return tuple(
        told
        for one in every
        for told in (
            [one]
            if all(one in answer.degraded for answer in found.values())
            else [
                replace(one, reason=f"{name}: {one.reason}")
                for name, answer in found.items()
                if one in answer.degraded
            ]
        )
    )


def _notes(found: Mapping[str, Answer]) -> tuple[str, ...]:
    """Return what is said of all once, of some with their names."""
    has_hits = any(one.results for one in found.values())
    notes = dict.fromkeys(
        note
        for one in found.values()
        for note in one.notes
        if not (has_hits and is_of_nothing(note))
    )
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
