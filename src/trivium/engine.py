"""The read spine: search(), one line per stage.

query -> filter -> for each scope: retrieve, fuse, boost, spread -> merge -> read again ->
repeats -> age -> graph's say -> sort -> cut -> fetch -> context. Each stage is a plain function of
values; this is the only module that knows their order. Writes nothing.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial

from trivium.analysis.words import Analyser, analyser
from trivium.backends.base import Snapshot, TextIndex
from trivium.filtering.conditions import EVERYTHING, Filter, with_types
from trivium.filtering.fields import OF_FILES
from trivium.options import Circumstances, SearchOptions, checked
from trivium.query.grammar import NOTHING, Query, operators, phrases, relaxed, words
from trivium.query.intent import intent, names_in
from trivium.query.parse import parse
from trivium.query.reading import FIELD_NAMES
from trivium.query.synonyms import NO_SYNONYMS, Synonyms, abbreviations, with_synonyms
from trivium.query.typing import Unfinished, is_one_letter, typed_so_far, unfinished
from trivium.ranking import cut
from trivium.ranking.confidence import NOTHING_RARE, Rarity, rarity
from trivium.ranking.profile import Profile, Scope
from trivium.results.evidence import weighed
from trivium.results.explain import Origin
from trivium.results.facets import Asked, facets, shortened
from trivium.results.fetch import Shape, fetch
from trivium.results.meant import Nearest, nearest_to
from trivium.results.nothing import Emptied, nothing
from trivium.results.related import related
from trivium.results.surroundings import context_of
from trivium.results.unmatched import unmatched
from trivium.retrieval import cursor as cursors
from trivium.retrieval.boosts import Details
from trivium.retrieval.cursor import Binding, binding
from trivium.retrieval.gather import Asking
from trivium.retrieval.merge import is_merged_by_rank, merged, mode_of
from trivium.retrieval.page import page
from trivium.retrieval.place import Placed, by_place, with_places
from trivium.retrieval.recent import recent
from trivium.retrieval.repeats import less_repeated
from trivium.retrieval.rerank import rerank
from trivium.retrieval.scope import (
    Ranked,
    enough_for,
    rank_by_degree,
    rank_scope,
    trust_in,
    where_of,
)
from trivium.retrieval.sorting import by_sort
from trivium.retrieval.spelling import Vocabulary, offered, spelt
from trivium.retrieval.spreading import Seeding
from trivium.retrieval.typing import completed, ordered
from trivium.stages import enter
from trivium.types import Answer, ChunkId, Coverage, Degraded, Freshness, Hit

_FIELDS = re.compile(rf"\b(?:{FIELD_NAMES}):(?:\"[^\"]*\"|\S+)")
# What may differ between two pages of one answer, and what is bound in another way.
_NOT_BINDING = frozenset(
    {"profile", "where", "within", "limit", "explain", "expand", "group", "cursor"}
)
_DEPTH_AT_A_KEY = 20
# What a word that means the same counts where a profile does not say.
SYNONYM_WEIGHT = 0.5


def search(
    snapshot: Snapshot, text: str, *, options: SearchOptions, given: Circumstances
) -> Answer:
    """Answer `text` from one state of the index."""
    started = time.perf_counter()
    limit = checked(options)
    if options.as_you_type:
        options, given = _at_a_key(options), replace(given, reranking=None)
    enter("parse")
    query = parse(text, dialect=options.profile.dialect)
    options = replace(options, profile=_grouping(query, options))
    profile = options.profile
    typed = _typed(query, profile)
    where = options.where & typed
    bound = _bound(text, where, options, given)
    cursor = cursors.read(options.cursor, bound)
    begun = unfinished(query) if options.as_you_type else None
    enter("spell")
    query = _meant(snapshot, query, where, options, given)
    enter("retrieve")
    ranked, query = _ranked(snapshot, query, where, options, given)
    pool = _entries(ranked, options)

    @cache
    def pool_of(wider: Filter, least: float | None = options.min_score) -> list[cut.Group]:
        otherwise = replace(options, min_score=least)
        return _entries(_ranked(snapshot, query, wider, otherwise, given)[0], otherwise)

    enter("rerank")
    reread = rerank(snapshot, pool, query=query.meaning, reranking=given.reranking)
    groups = less_repeated(snapshot, reread.groups, boosts=profile.boosts)
    groups = recent(snapshot, groups, now=given.now, boosts=profile.boosts)
    enter("page")
    contents = snapshot.contents()
    embedder = next((one.gathered.embedder for one in ranked if _has_vectors(one)), "none")
    state_of = partial(_state, mark=[contents.seq, embedder])
    listed = partial(_listed, snapshot, groups, options=options)
    start = cursors.resume(cursor, limit, listed=listed, state_of=state_of)
    shown = partial(
        _hits,
        snapshot,
        nearest=nearest_to(query.meaning, given.embedders if _method(ranked) != "bm25" else ()),
        origins=_origins(snapshot, ranked, profile, placed=start.listed.seen, begun=begun),
        # Where a hit stood before the graph had its say, which is for one page only.
        places={group.best.chunk_id: place for place, group in enumerate(groups, 1)},
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
    has_more = limit > 0 and found.end < len(groups)
    state = state_of(start.listed, found.end) if has_more else None
    around: list[Hit] = []
    if options.expand == "context" or profile.expansion.method == "context":
        around = context_of(
            snapshot, found.hits, profile.expansion, where=where, explains=options.explain
        )
    enter("facets")
    silent = unmatched(snapshot, where, is_empty=not groups)
    if not groups:
        emptied = Emptied(
            # No names for half a word: with the next key there are others.
            "" if options.as_you_type else query.meaning,
            where=where,
            within=options.within,
            least=options.min_score,
            count=lambda wider, least: len(pool_of(wider, least)),
            has_words=query.root != NOTHING,
        )
        silent += nothing(snapshot, emptied)
    embedded = max((space.coverage for space in snapshot.spaces()), default=0.0)
    onward: tuple[str, ...] = ()
    # Where all hits were too unsure to show, names that are near in meaning would mislead.
    if found.hits or not found.unsure:
        gathered = [one.gathered for one in ranked]
        onward = tuple(related(snapshot, gathered, found.hits, query=query.meaning))
    asked = Asked(
        where,
        # What is typed holds whatever is chosen beside it.
        within=options.within & typed,
        groups_of=pool_of,
        least=-math.inf if options.min_score is None else enough_for(options.min_score),
        splits=options.group is None and profile.group == "file",
    )
    counts = facets(snapshot, pool, asked=asked)
    return Answer(
        query=text,
        profile=profile.name,
        method=_method(ranked),
        embedder=embedder,
        collection=given.collection,
        results=(*found.hits, *around),
        # Repeats are matches as well; a note says how many are not shown.
        total=len(groups) - found.ghosts,
        facets=shortened(counts),
        counts=counts,
        matching=_matching(ranked, groups, most=len(groups) - found.ghosts),
        coverage=Coverage(contents.files, contents.skipped, embedded, contents.masked),
        freshness=Freshness(contents.indexed_at, max(given.dirty_files, len(found.gone))),
        degraded=_degraded(given, ranked, (*reread.degraded, *found.degraded)),
        notes=(*query.notes, *start.notes, *found.notes, *given.notes, *silent),
        suggestions=(
            *((query.better,) if query.better else ()),
            *onward,
        ),
        better=query.better,
        took_ms=round(1000 * (time.perf_counter() - started), 3),
        next=None
        if state is None
        else cursors.write(cursors.Cursor(state, found.end, start.first), bound),
    )


def _hits(
    snapshot: Snapshot,
    groups: Sequence[cut.Group],
    *,
    nearest: Nearest | None,
    origins: Mapping[ChunkId, Origin],
    places: Mapping[ChunkId, int],
    options: SearchOptions,
) -> list[Hit]:
    """Return entries as hits, with what to show of them and how likely they answer."""
    profile = options.profile
    shape = Shape(profile.group != "none", profile.snippet, options.explain, nearest)
    fetched = fetch(snapshot, groups, origins=origins, shape=shape)
    return weighed(snapshot, fetched, origins=origins, places=places)


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


def _bound(text: str, where: Filter, options: SearchOptions, given: Circumstances) -> Binding:
    """Bind cursors to all that decides which hits there are and in which order."""
    plain = {one.name: getattr(options, one.name) for one in fields(options)}
    asked = {name: value for name, value in plain.items() if name not in _NOT_BINDING}
    conditions = [[one.field, one.test, sorted(one.values)] for one in where.conditions]
    rereads = given.reranking is not None
    return binding(
        given.collection,
        identity=[given.collection, given.identity],
        asked=[text, options.profile.name, options.profile.group, conditions, rereads, asked],
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


def _entries(ranked: Sequence[Ranked], options: SearchOptions) -> list[cut.Group]:
    """Return the entries of all scopes, best first, that reach the least score asked for."""
    groups = merged(ranked, options.profile)
    if options.profile.merge != "rrf" or options.min_score is None:
        return groups
    # Here, where scores are those that are shown.
    return [group for group in groups if group.best.score >= options.min_score]


def _at_a_key(options: SearchOptions) -> SearchOptions:
    """Return the options of a search that is asked with every key pressed: words, a few of them."""
    retrieval = options.profile.retrieval
    fewer = replace(retrieval, depth=min(retrieval.depth, _DEPTH_AT_A_KEY))
    profile = replace(options.profile, retrieval=fewer)
    return replace(options, profile=profile, search_mode="keyword")


def _meant(
    snapshot: Snapshot, query: Query, where: Filter, options: SearchOptions, given: Circumstances
) -> Query:
    """Return the query with words beside those that nobody wrote as they were typed."""
    profile = options.profile
    words_of = analyser(profile.view.analyser)
    text = snapshot.text(profile.view)
    if options.as_you_type:
        query = completed(query, text=text, words_of=words_of)
        return ordered(query, text=text, words_of=words_of)
    weight = profile.retrieval.typos if options.typos else 0.0
    if weight:
        known = Vocabulary(snapshot, text, words_of, given.lexicon)
        query = spelt(query, known=known, weight=weight)
    if query.better:
        finds = partial(_finds, snapshot, where=where, profile=profile)
        query = offered(query, finds=finds, dialect=profile.dialect)
    same, weight = _synonyms(options, given.synonyms)
    if same.pairs:
        query = with_synonyms(query, same, words_of=words_of, weight=weight)
    return ordered(query, text=text, words_of=words_of)


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
    snapshot: Snapshot,
    query: Query,
    where: Filter,
    options: SearchOptions,
    given: Circumstances,
) -> tuple[list[Ranked], Query]:
    """Rank each scope that the filters leave; where no phrase is anywhere, by its words."""
    profile = options.profile
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
    # Anywhere at all, so that a filter never decides how to read a query.
    if softer is not None and not _finds(snapshot, query, where=EVERYTHING, profile=profile):
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


def _finds(snapshot: Snapshot, query: Query, *, where: Filter, profile: Profile) -> bool:
    """Say whether a query finds anything by its words that a filter allows."""
    return any(
        snapshot.text(scope.view).search(query, where=allowed, depth=1).ids
        for scope in profile.scopes
        if (allowed := where_of(scope, where)) is not None
    )


def _rarity(
    snapshot: Snapshot, one: Ranked, words_of: Analyser, begun: Unfinished | None
) -> Rarity:
    """Return what the terms of a query tell in the view that was asked."""
    wanted = sorted(set(words_of.terms(one.query.meaning)))
    if not wanted or not one.groups:
        return NOTHING_RARE
    text = snapshot.text(one.view)
    instead = _instead(one.query, text, words_of, wanted=wanted)
    typed = {} if begun is None else dict.fromkeys(words_of.terms(begun.start), typed_so_far(begun))
    return rarity(text.frequencies(wanted), documents=text.documents, instead=instead, typed=typed)


def _instead(
    query: Query, text: TextIndex, words_of: Analyser, *, wanted: Sequence[str]
) -> dict[str, dict[frozenset[str], int]]:
    """Return for terms of a query what may stand for each, and how many documents have that."""
    found: dict[str, dict[frozenset[str], int]] = {}
    for typed, other in query.instead:
        (own, *more), others = words_of.terms(typed) or [""], words_of.terms(other)
        if own in wanted and not more and others:
            # Several words are all needed, so no more documents have them than have the rarest.
            counts = text.frequencies(others)
            found.setdefault(own, {})[frozenset(others)] = min(counts.values())
    return found


def _origins(
    snapshot: Snapshot,
    ranked: Sequence[Ranked],
    profile: Profile,
    *,
    placed: Details,
    begun: Unfinished | None,
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
            phrases=phrases(one.query),
            asked=one.query.meaning,
            names=names_in(one.query.meaning),
            rarity=_rarity(snapshot, one, words_of, begun),
            trust=trust_in(one.gathered.embedder, one.query),
            unit=one.view.unit,
            is_one_letter=begun is not None and is_one_letter(begun, one.query),
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


def _matching(ranked: Sequence[Ranked], groups: Sequence[cut.Group], *, most: int) -> int | None:
    """Return how many entries have a word that was looked for; None where none was."""
    if _method(ranked) in ("vector", "degree"):
        return None
    texts = [one.gathered.signals.get("text", {}) for one in ranked]
    held = {chunk_id for scores in texts for chunk_id, score in scores.items() if score > 0}
    count = sum(
        group.best.chunk_id in held or any(one.chunk_id in held for one in group.others)
        for group in groups
    )
    return min(count, most)


def _degraded(
    given: Circumstances, ranked: Sequence[Ranked], more: tuple[Degraded, ...]
) -> tuple[Degraded, ...]:
    """Return what could not be done, each once."""
    of_scopes = [reason for one in ranked for reason in one.gathered.degraded]
    return tuple(dict.fromkeys((*given.degraded, *of_scopes, *more)))
