"""The read spine: search(), one line per stage.

query -> filter -> for each scope: retrieve, fuse, boost, spread -> merge -> read again ->
repeats -> age -> graph's say -> sort -> cut -> fetch -> context. Each stage is a plain function of
values; this is the only module that knows their order. Writes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from trivium.backends.base import Snapshot
from trivium.engine.ranking import entries, ranked
from trivium.engine.showing import hits, origins_of
from trivium.engine.understanding import Question, understood
from trivium.filtering.conditions import Filter
from trivium.options import Circumstances, SearchOptions, checked
from trivium.query.grammar import NOTHING, Query
from trivium.ranking import cut
from trivium.results.facets import Asked, facets, shortened
from trivium.results.meant import nearest_to
from trivium.results.nothing import Emptied, nothing
from trivium.results.related import related
from trivium.results.surroundings import context_of
from trivium.results.unmatched import unmatched
from trivium.retrieval import cursor as cursors
from trivium.retrieval.page import Page, page
from trivium.retrieval.place import Placed, by_place
from trivium.retrieval.recent import recent
from trivium.retrieval.repeats import less_repeated
from trivium.retrieval.rerank import rerank
from trivium.retrieval.scope import (
    Ranked,
    enough_for,
)
from trivium.retrieval.sorting import by_sort
from trivium.stages import enter
from trivium.types import Answer, Coverage, Degraded, Freshness, Hit

# Other filters and a least score -> the entries under them.
Wider = Callable[[Filter, float | None], Sequence[cut.Group]]


def search(
    snapshot: Snapshot, text: str, *, options: SearchOptions, given: Circumstances
) -> Answer:
    """Answer `text` from one state of the index."""
    started = time.perf_counter()
    limit = checked(options)
    if options.as_you_type:
        given = replace(given, reranking=None)
    question = understood(snapshot, text, options=options, given=given)
    enter("retrieve")
    made, query = ranked(snapshot, question.query, question.where, question.options, given)
    question = replace(question, query=query)
    pool = entries(made, question.options)
    enter("rerank")
    groups, degraded = _reread(snapshot, pool, question, given)
    enter("page")
    turned = _turned(snapshot, made, groups, question, given, limit=limit)
    found = turned.found
    enter("facets")
    wider = cache(partial(_pool_under, snapshot, question, given))
    counts = facets(snapshot, pool, asked=_counted(question, wider))
    contents = snapshot.contents()
    return Answer(
        query=text,
        profile=question.options.profile.name,
        method=_method(made),
        embedder=_embedder(made),
        collection=given.collection,
        results=(*found.hits, *turned.around),
        # Repeats are matches as well; a note says how many are not shown.
        total=len(groups) - found.ghosts,
        facets=shortened(counts),
        counts=counts,
        matching=_matching(made, groups, most=len(groups) - found.ghosts),
        coverage=Coverage(contents.files, contents.skipped, _embedded(snapshot), contents.masked),
        freshness=Freshness(contents.indexed_at, max(given.dirty_files, len(found.gone))),
        degraded=_degraded(given, made, (*degraded, *found.degraded)),
        notes=(
            *query.notes,
            *turned.notes,
            *found.notes,
            *given.notes,
            *_silent(snapshot, question, wider, is_empty=not groups),
        ),
        suggestions=(
            *((query.better,) if query.better else ()),
            *_onward(snapshot, made, found, query),
        ),
        better=query.better,
        took_ms=round(1000 * (time.perf_counter() - started), 3),
        next=turned.next,
    )


@dataclass(frozen=True, slots=True)
class _Turned:
    """A page: what is on it, what stands around its hits, and how to get to the next."""

    found: Page
    around: Sequence[Hit]
    notes: Sequence[str]
    next: str | None


def _reread(
    snapshot: Snapshot, pool: Sequence[cut.Group], question: Question, given: Circumstances
) -> tuple[list[cut.Group], Sequence[Degraded]]:
    """Have the best read again, repeats go back and what is new come forward."""
    boosts = question.options.profile.boosts
    reread = rerank(snapshot, pool, query=question.query.meaning, reranking=given.reranking)
    groups = less_repeated(snapshot, reread.groups, boosts=boosts)
    return recent(snapshot, groups, now=given.now, boosts=boosts), reread.degraded


def _turned(
    snapshot: Snapshot,
    made: Sequence[Ranked],
    groups: Sequence[cut.Group],
    question: Question,
    given: Circumstances,
    *,
    limit: int,
) -> _Turned:
    """Cut the page that is asked for, and fetch what is on it."""
    query, options = question.query, question.options
    profile = options.profile
    state_of = partial(_state, mark=[snapshot.contents().seq, _embedder(made)])
    listed = partial(_listed, snapshot, groups, options=options)
    start = cursors.resume(question.cursor, limit, listed=listed, state_of=state_of)
    shown = partial(
        hits,
        snapshot,
        nearest=nearest_to(query.meaning, given.embedders if _method(made) != "bm25" else ()),
        origins=origins_of(snapshot, made, profile, placed=start.listed.seen, begun=question.begun),
        options=options,
    )
    found = page(
        start.listed.groups,
        limit,
        shown,
        is_there=given.is_there,
        dedupe=options.dedupe,
        start=start.offset,
        least=options.min_confidence,
    )
    around: list[Hit] = []
    if options.expand == "context" or profile.expansion.method == "context":
        around = context_of(
            snapshot,
            found.hits,
            profile.expansion,
            where=question.where,
            explains=options.explain,
        )
    has_more = limit > 0 and found.end < len(groups)
    state = state_of(start.listed, found.end) if has_more else None
    following = (
        None
        if state is None
        else cursors.write(cursors.Cursor(state, found.end, start.first), question.bound)
    )
    return _Turned(found, around, start.notes, following)


def _pool_under(
    snapshot: Snapshot,
    question: Question,
    given: Circumstances,
    wider: Filter,
    least: float | None,
) -> list[cut.Group]:
    """Return the entries that the query would have under other filters."""
    otherwise = replace(question.options, min_score=least)
    return entries(ranked(snapshot, question.query, wider, otherwise, given)[0], otherwise)


def _counted(question: Question, wider: Wider) -> Asked:
    """Return how facets are to be counted."""
    options = question.options
    least = options.min_score
    return Asked(
        question.where,
        # What is typed holds whatever is chosen beside it.
        within=options.within & question.typed,
        groups_of=lambda other: wider(other, least),
        least=-math.inf if least is None else enough_for(least),
        splits=options.group is None and options.profile.group == "file",
    )


def _silent(
    snapshot: Snapshot, question: Question, wider: Wider, *, is_empty: bool
) -> Sequence[str]:
    """Say which filters match nothing, and of an empty answer why it is."""
    options = question.options
    said = unmatched(snapshot, question.where, is_empty=is_empty)
    if not is_empty:
        return said
    emptied = Emptied(
        # No names for half a word: with the next key there are others.
        "" if options.as_you_type else question.query.meaning,
        where=question.where,
        within=options.within,
        least=options.min_score,
        count=lambda other, least: len(wider(other, least)),
        has_words=question.query.root != NOTHING,
        typed=question.query.text,
    )
    return (*said, *nothing(snapshot, emptied))


def _onward(snapshot: Snapshot, made: Sequence[Ranked], found: Page, query: Query) -> Sequence[str]:
    """Return what else one may search for."""
    # Where all hits were too unsure to show, names that are near in meaning would mislead.
    if not found.hits and found.unsure:
        return ()
    return related(snapshot, [one.gathered for one in made], found.hits, query=query.meaning)


def _embedded(snapshot: Snapshot) -> float:
    return max((space.coverage for space in snapshot.spaces()), default=0.0)


def _embedder(made: Sequence[Ranked]) -> str:
    return next((one.gathered.embedder for one in made if _has_vectors(one)), "none")


def _listed(
    snapshot: Snapshot, groups: Sequence[cut.Group], first: int, *, options: SearchOptions
) -> Placed:
    """Put the entries into the order in which pages are cut; `first` is how long the first is."""
    placed = by_place(snapshot, groups, limit=first, boosts=options.profile.boosts)
    return replace(placed, groups=by_sort(snapshot, placed.groups, sort=options.sort))


def _state(placed: Placed, count: int, *, mark: Sequence[object]) -> bytes | None:
    """Return a digest of the first `count` entries and of what they were made of."""
    before = [group.best.chunk_id for group in placed.groups[:count]]
    return cursors.digest([*mark, before]) if len(before) == count else None


def _has_vectors(one: Ranked) -> bool:
    return any(ranking.name == "vectors" for ranking in one.gathered.rankings)


def _method(made: Sequence[Ranked]) -> str:
    names = {ranking.name for one in made for ranking in one.gathered.rankings}
    if {"text", "vectors"} <= names:
        return "hybrid"
    if names == {"degree"}:
        return "degree"
    return "vector" if names == {"vectors"} else "bm25"


def _matching(made: Sequence[Ranked], groups: Sequence[cut.Group], *, most: int) -> int | None:
    """Return how many entries have a word that was looked for; None where none was."""
    if _method(made) in ("vector", "degree"):
        return None
    texts = [one.gathered.signals.get("text", {}) for one in made]
    held = {chunk_id for scores in texts for chunk_id, score in scores.items() if score > 0}
    count = sum(
        group.best.chunk_id in held or any(one.chunk_id in held for one in group.others)
        for group in groups
    )
    return min(count, most)


def _degraded(
    given: Circumstances, made: Sequence[Ranked], more: tuple[Degraded, ...]
) -> tuple[Degraded, ...]:
    """Return what could not be done, each once."""
    of_scopes = [reason for one in made for reason in one.gathered.degraded]
    return tuple(dict.fromkeys((*given.degraded, *of_scopes, *more)))
