"""What is asked -> the entries of every scope, best first.

Called by search for the answer itself, and for what other filters would give.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.backends.base import Snapshot
from trivium.filtering.conditions import EVERYTHING, Filter
from trivium.options import Circumstances, SearchOptions
from trivium.query.grammar import Query, relaxed
from trivium.query.intent import intent
from trivium.query.reading import FIELD_NAMES
from trivium.ranking import cut
from trivium.ranking.profile import Profile, Scope
from trivium.retrieval.gather import Asking
from trivium.retrieval.merge import merged
from trivium.retrieval.scope import (
    Ranked,
    rank_by_degree,
    rank_scope,
    where_of,
)
from trivium.retrieval.spreading import Seeding

_FIELDS = re.compile(rf"\b(?:{FIELD_NAMES}):(?:\"[^\"]*\"|\S+)")


def ranked(
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
    if softer is not None and not finds(snapshot, query, where=EVERYTHING, profile=profile):
        return rank(softer), softer
    return made, query


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


def finds(snapshot: Snapshot, query: Query, *, where: Filter, profile: Profile) -> bool:
    """Say whether a query finds anything by its words that a filter allows."""
    return any(
        snapshot.text(scope.view).search(query, where=allowed, depth=1).ids
        for scope in profile.scopes
        if (allowed := where_of(scope, where)) is not None
    )


def entries(made: Sequence[Ranked], options: SearchOptions) -> list[cut.Group]:
    """Return the entries of all scopes, best first, that reach the least score asked for."""
    groups = merged(made, options.profile)
    if options.profile.merge != "rrf" or options.min_score is None:
        return groups
    # Here, where scores are those that are shown.
    return [group for group in groups if group.best.score >= options.min_score]
