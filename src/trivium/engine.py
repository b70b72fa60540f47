"""The read spine: search(), one line per stage.

query -> filter -> for each scope: retrieve, fuse, boost, spread -> merge -> read again ->
repeats -> graph's say -> cut -> fetch -> context. Each stage is a plain function of values; this
is the only module that knows their order. Writes nothing.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.errors import UsageError, unknown
from trivium.filtering.conditions import EVERYTHING, Filter, with_types
from trivium.filtering.fields import OF_FILES
from trivium.models.base import Embedder, Knowing
from trivium.models.rerank import Reranking
from trivium.query.grammar import Query, operators, relaxed, words
from trivium.query.intent import intent
from trivium.query.parse import parse
from trivium.query.reading import FIELD_NAMES
from trivium.query.synonyms import NO_SYNONYMS, Synonyms, abbreviations, with_synonyms
from trivium.ranking import cut
from trivium.ranking.profile import Profile, Scope
from trivium.ranking.profile_file import GROUPS
from trivium.results.explain import Origin
from trivium.results.fetch import Shape, fetch
from trivium.results.related import related
from trivium.results.surroundings import context_of
from trivium.results.unmatched import unmatched
from trivium.retrieval.boosts import Details
from trivium.retrieval.gather import Asking
from trivium.retrieval.merge import is_merged_by_rank, merged, mode_of
from trivium.retrieval.page import page
from trivium.retrieval.place import by_place, with_places
from trivium.retrieval.repeats import less_repeated
from trivium.retrieval.rerank import rerank
from trivium.retrieval.scope import Ranked, rank_by_degree, rank_scope, where_of
from trivium.retrieval.spelling import Vocabulary, spelt
from trivium.retrieval.spreading import Seeding
from trivium.retrieval.typing import completed
from trivium.types import Answer, ChunkId, Coverage, Degraded, Freshness, Hit

SEARCH_MODES = ("hybrid", "vector", "keyword")
EXPANSIONS = ("none", "context")
_MOST_SEEDS = 500
_FIELDS = re.compile(rf"\b(?:{FIELD_NAMES}):(?:\"[^\"]*\"|\S+)")
_DEEPEST = 10
_DEPTH_AT_A_KEY = 20
# What a word that means the same counts where a profile does not say.
SYNONYM_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What may be said beside the query. None is the profile's own.

    `seeds`, `bfs_depth` and `bfs_decay` are for profiles that spread over the graph;
    `expand` "context" adds what the hits call and import after them; `dedupe` leaves out what
    repeats a better hit; `group` says what is one hit; without `typos` each word is taken as it
    was typed; `as_you_type` lets the last word go on and asks the text index alone; `synonyms`
    also looks for words that mean the same, of the user's list and of that for code.
    """

    profile: Profile
    limit: int | None = None
    where: Filter = EVERYTHING
    search_mode: str = "hybrid"
    min_score: float | None = None
    explain: bool = False
    deep_search: bool = False
    seeds: int | None = None
    bfs_depth: int | None = None
    bfs_decay: float | None = None
    expand: str = "none"
    dedupe: bool = False
    group: str | None = None
    typos: bool = True
    as_you_type: bool = False
    synonyms: bool | None = None


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What an answer says about the index beside its hits.

    `is_there` tells whether a file still stands where it was indexed; None: all do. `lexicon`
    knows words that are no mistakes, though no document has them.
    """

    collection: str
    embedders: Sequence[Embedder] = ()
    preferred: str = ""
    why_no_embedder: str = ""
    advice: str = "trivium index"
    dirty_files: int = 0
    degraded: tuple[Degraded, ...] = field(default=())
    is_there: Callable[[str], bool] | None = None
    notes: tuple[str, ...] = ()
    reranking: Reranking | None = None
    synonyms: Synonyms = NO_SYNONYMS
    lexicon: Knowing | None = None


def search(
    snapshot: Snapshot, text: str, *, options: SearchOptions, given: Circumstances
) -> Answer:
    """Answer `text` from one state of the index."""
    started = time.perf_counter()
    limit = _checked(options)
    if options.as_you_type:
        options, given = _at_a_key(options), replace(given, reranking=None)
    query = parse(text, dialect=options.profile.dialect)
    options = replace(options, profile=_grouping(query, options))
    profile = options.profile
    query = _meant(snapshot, query, options, given)
    ranked, query = _ranked(snapshot, query, options, given)
    groups = merged(ranked, profile)
    if profile.merge == "rrf" and options.min_score is not None:
        # Here, where scores are those that are shown.
        groups = [group for group in groups if group.best.score >= options.min_score]
    reread = rerank(snapshot, groups, query=query.meaning, reranking=given.reranking)
    groups = less_repeated(snapshot, reread.groups, boosts=profile.boosts)
    placed = by_place(snapshot, groups, limit=limit, boosts=profile.boosts)
    groups = placed.groups
    origins = _origins(ranked, profile, placed=placed.seen)
    shape = Shape(profile.group != "none", profile.snippet, options.explain)
    shown = partial(fetch, snapshot, origins=origins, shape=shape)
    found = page(groups, limit, shown, is_there=given.is_there, dedupe=options.dedupe)
    around: list[Hit] = []
    where = options.where & _typed(query, profile)
    silent = unmatched(snapshot, where, is_empty=not groups)
    if options.expand == "context" or profile.expansion.method == "context":
        around = context_of(
            snapshot, found.hits, profile.expansion, where=where, explains=options.explain
        )
    contents = snapshot.contents()
    embedded = max((space.coverage for space in snapshot.spaces()), default=0.0)
    return Answer(
        query=text,
        profile=profile.name,
        method=_method(ranked),
        embedder=next((one.gathered.embedder for one in ranked if _has_vectors(one)), "none"),
        collection=given.collection,
        results=(*found.hits, *around),
        # Repeats are matches as well; a note says how many are not shown.
        total=len(groups) - found.ghosts,
        facets=_facets(groups),
        coverage=Coverage(contents.files, contents.skipped, embedded, contents.masked),
        freshness=Freshness(contents.indexed_at, max(given.dirty_files, len(found.gone))),
        degraded=_degraded(given, ranked, (*reread.degraded, *found.degraded)),
        notes=(*query.notes, *found.notes, *given.notes, *silent),
        suggestions=(
            *((query.better,) if query.better else ()),
            *related(snapshot, [one.gathered for one in ranked], found.hits, query=query.meaning),
        ),
        took_ms=round(1000 * (time.perf_counter() - started), 3),
        better=query.better,
    )


def _grouping(query: Query, options: SearchOptions) -> Profile:
    """Return the profile with what is one hit here.

    Filters that tell the nodes of one file apart ask for nodes: which functions call this?
    """
    profile, group = options.profile, options.group
    if group is None and profile.group == "file":
        asked = {one.field for one in (options.where & query.where).conditions}
        group = "file" if asked <= OF_FILES else "node"
    return profile if group is None else replace(profile, group=group)


def _at_a_key(options: SearchOptions) -> SearchOptions:
    """Return the options of a search that is asked with every key pressed: words, a few of them."""
    retrieval = options.profile.retrieval
    fewer = replace(retrieval, depth=min(retrieval.depth, _DEPTH_AT_A_KEY))
    # A window around what matches takes a third of such a search.
    profile = replace(options.profile, retrieval=fewer, snippet="start")
    return replace(options, profile=profile, search_mode="keyword")


def _meant(snapshot: Snapshot, query: Query, options: SearchOptions, given: Circumstances) -> Query:
    """Return the query with words beside those that nobody wrote as they were typed."""
    profile = options.profile
    if options.as_you_type:
        text = snapshot.text(profile.view)
        return completed(query, text=text, words_of=analyser(profile.view.analyser))
    words_of = analyser(profile.view.analyser)
    weight = profile.retrieval.typos if options.typos else 0.0
    if weight:
        known = Vocabulary(snapshot, snapshot.text(profile.view), words_of, given.lexicon)
        query = spelt(query, known=known, weight=weight)
    same, weight = _synonyms(options, given.synonyms)
    return with_synonyms(query, same, words_of=words_of, weight=weight) if same.pairs else query


def _synonyms(options: SearchOptions, own: Synonyms) -> tuple[Synonyms, float]:
    """Return the words that mean the same and what they count; those for code if asked for."""
    retrieval = options.profile.retrieval
    if options.synonyms is None:
        same = own | abbreviations() if retrieval.abbreviations else own
        return (same if retrieval.synonyms else NO_SYNONYMS), retrieval.synonyms
    if not options.synonyms:
        return NO_SYNONYMS, 0.0
    return own | abbreviations(), retrieval.synonyms or SYNONYM_WEIGHT


def _ranked(
    snapshot: Snapshot, query: Query, options: SearchOptions, given: Circumstances
) -> tuple[list[Ranked], Query]:
    """Rank each scope that the filters leave; where no phrase is anywhere, by its words."""
    profile = options.profile
    where = options.where & _typed(query, profile)
    scopes = [(scope, where_of(scope, where)) for scope in profile.scopes]
    asked = [(scope, where) for scope, where in scopes if where is not None and scope.weight > 0]
    if profile.empty == "degree" and not _FIELDS.sub("", query.text).strip():
        return [rank_by_degree(snapshot, scope, where, profile) for scope, where in asked], query

    def rank(query: Query) -> list[Ranked]:
        # Only a profile with weights for intents asks for one.
        has_intents = any(scope.intents for scope, _ in asked)
        kind = intent(query.text).effective if has_intents else ""
        return [
            rank_scope(
                snapshot,
                query,
                scope=scope,
                asking=_asking(options, given, scope, where, intent=kind),
                profile=profile,
                seeding=_seeding(options, scope),
                least=_least(options, scope),
            )
            for scope, where in asked
        ]

    made = rank(query)
    softer = None if any(one.gathered.pool for one in made) else relaxed(query)
    if softer is not None and not _is_anywhere(snapshot, query, profile):
        return rank(softer), softer
    return made, query


def _typed(query: Query, profile: Profile) -> Filter:
    """Return the filters typed in a query; in seed 001's language a kind may be a type."""
    return with_types(query.where) if profile.dialect == "contract" else query.where


def _asking(
    options: SearchOptions, given: Circumstances, scope: Scope, where: Filter, *, intent: str
) -> Asking:
    return Asking(
        view=scope.asked(deep=options.deep_search, intent=intent),
        where=where,
        retrieval=options.profile.retrieval,
        search_mode=options.search_mode,
        embedders=given.embedders,
        preferred=given.preferred,
        why_no_embedder=given.why_no_embedder,
        advice=given.advice,
    )


def _least(options: SearchOptions, scope: Scope) -> float | None:
    """Return the least score inside a scope; one that is asked for holds for merged ranks."""
    if options.min_score is None or options.profile.merge == "rrf":
        return scope.min_score
    return options.min_score


def _seeding(options: SearchOptions, scope: Scope) -> Seeding:
    expansion = scope.expansion or options.profile.expansion
    return Seeding(
        expansion,
        seeds=expansion.seeds if options.seeds is None else options.seeds,
        depth=expansion.depth if options.bfs_depth is None else options.bfs_depth,
        decay=options.bfs_decay,
    )


def _is_anywhere(snapshot: Snapshot, query: Query, profile: Profile) -> bool:
    """Say whether anything at all matches, so that a filter never decides how to read a query."""
    return any(
        snapshot.text(scope.view).search(query, where=EVERYTHING, depth=1).ids
        for scope in profile.scopes
    )


def _checked(options: SearchOptions) -> int:
    """Return the limit. Raises UsageError for options that are out of range or not for here."""
    profile = options.profile
    limit = profile.default_limit if options.limit is None else options.limit
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise UsageError(f"limit is {limit!r}; give a whole number.")
    if not 0 <= limit <= profile.most:
        raise UsageError(f"limit is {limit}; profile {profile.name} takes 1 to {profile.most}.")
    for name, value, choices in (
        ("search mode", options.search_mode, SEARCH_MODES),
        ("expansion", options.expand, EXPANSIONS),
        ("group", options.group, GROUPS),
    ):
        if value is not None and value not in choices:
            raise UsageError(unknown(name, value, choices))
    spreads = profile.expansion.method == "spread"
    ranges = (
        ("seeds (topK)", options.seeds, 1, _MOST_SEEDS),
        ("bfs_depth", options.bfs_depth, 0, _DEEPEST),
        ("bfs_decay", options.bfs_decay, 0, 1),
    )
    for name, number, least, most in ranges:
        if number is not None and not spreads:
            raise UsageError(
                f"{name} is for profiles that spread over the graph; {profile.name} does not."
            )
        if number is not None and not least <= number <= most:
            raise UsageError(f"{name} is {number}; give {least} to {most}.")
    if options.deep_search and not any(scope.deep for scope in profile.scopes):
        raise UsageError(f"Profile {profile.name} has no deep search; xplor has.")
    highest, least_score = profile.highest, options.min_score
    if least_score is not None and not 0 <= least_score <= (highest or math.inf):
        range_ = f"0 to {highest:g}" if highest is not None else "0 or more"
        raise UsageError(f"min_score is {least_score:g}; give {range_}.")
    return limit


def _origins(
    ranked: Sequence[Ranked], profile: Profile, *, placed: Details
) -> Mapping[ChunkId, Origin]:
    """Return for each candidate where its score came from, for the explanation."""
    origins: dict[ChunkId, Origin] = {}
    modes: dict[str, float] = {}
    if is_merged_by_rank(ranked, profile):
        modes = {mode_of(one): one.scope.weight for one in ranked if one.groups}
    for one in ranked:
        words_of = analyser(one.view.analyser)
        origin = Origin(
            gathered=one.gathered,
            score_type=one.score_type,
            k=profile.fusion.k,
            details=with_places(one.details, placed),
            words_of=words_of,
            wanted=frozenset(words_of.terms(_looked_for(one.query))),
            near=one.query.near,
            sparse_type="bm25-fielded" if one.view.combine == "sum" else "bm25",
            fused={group.best.chunk_id: group.best for group in one.groups},
            mode=mode_of(one),
            modes=modes,
            weights=dict(one.view.fields) if one.view.combine == "sum" else {},
            operators=frozenset(operators(one.query).split()),
        )
        for group in one.groups:
            for member in (group.best, *group.others):
                origins[member.chunk_id] = origin
    return origins


def _looked_for(query: Query) -> str:
    """Return the text whose terms are shown in hits: with near words, where there are any."""
    return " ".join((query.meaning, *words(query))) if query.near else query.meaning


def _has_vectors(one: Ranked) -> bool:
    return any(ranking.name == "vectors" for ranking in one.gathered.rankings)


def _method(ranked: Sequence[Ranked]) -> str:
    names = {ranking.name for one in ranked for ranking in one.gathered.rankings}
    if {"text", "vectors"} <= names:
        return "hybrid"
    if names == {"degree"}:
        return "degree"
    return "vector" if names == {"vectors"} else "bm25"


def _degraded(
    given: Circumstances, ranked: Sequence[Ranked], more: tuple[Degraded, ...]
) -> tuple[Degraded, ...]:
    """Return what could not be done, each once."""
    of_scopes = [reason for one in ranked for reason in one.gathered.degraded]
    return tuple(dict.fromkeys((*given.degraded, *of_scopes, *more)))


def _facets(groups: Sequence[cut.Group]) -> Mapping[str, Mapping[str, int]]:
    kinds = Counter(group.best.chunk_id.partition(":")[0] for group in groups)
    return {"kind": dict(sorted(kinds.items()))}
