"""The read spine: search(), one line per stage.

query -> filter -> retrieve -> fuse -> boost -> cut -> fetch -> explain. Each stage is a
plain function of values; this is the only module that knows their order. Writes nothing.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.errors import UsageError
from trivium.filtering.conditions import EVERYTHING, Filter
from trivium.models.base import Embedder
from trivium.query.grammar import Query, relaxed
from trivium.query.intent import is_name, names_in
from trivium.query.parse import parse
from trivium.ranking import boost, cut, fuse
from trivium.ranking.profile import Profile
from trivium.results.fetch import Shape, fetch
from trivium.retrieval.gather import Asking, gather
from trivium.types import Answer, ChunkId, Coverage, Degraded, Freshness, Gathered, Hit, Scored

SEARCH_MODES = ("hybrid", "vector", "keyword")

_NUMBERED = re.compile(r"~\d+$")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What may be said beside the query. `limit` of None is the profile's own."""

    profile: Profile
    limit: int | None = None
    where: Filter = EVERYTHING
    search_mode: str = "hybrid"
    min_score: float | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What an answer says about the index beside its hits.

    `is_there` tells whether a file still stands where it was indexed; None: all do.
    """

    collection: str
    embedders: Sequence[Embedder] = ()
    why_no_embedder: str = ""
    advice: str = "trivium index"
    dirty_files: int = 0
    degraded: tuple[Degraded, ...] = field(default=())
    is_there: Callable[[str], bool] | None = None


def search(
    snapshot: Snapshot, text: str, *, options: SearchOptions, given: Circumstances
) -> Answer:
    """Answer `text` from one state of the index."""
    started = time.perf_counter()
    profile = options.profile
    limit = _limit(options)
    query = parse(text)
    gathered = gather(snapshot, query, asking=_asking(options, given, query))
    softer = relaxed(query) if not gathered.pool else None
    if softer is not None and not _is_anywhere(snapshot, query, profile):
        query = softer
        gathered = gather(snapshot, query, asking=_asking(options, given, query))
    shape = _shape(gathered, options)
    fused = _fuse(gathered, profile, shape, asks_for_name=is_name(query.meaning))
    named = names_in(query.meaning) if profile.name_boost else frozenset()
    names = _names(fused) if named else {}
    boosted = boost.exact_names(fused, names=names, wanted=named, gain=profile.name_boost)
    groups = cut.ungrouped(boosted)
    if profile.groups_by_node:
        found = cut.by_node(boosted)
        groups = boost.same_file(found, gain=profile.file_boost, again=profile.file_again)
    groups = _enough(groups, options.min_score)
    words_of = analyser(profile.view.analyser)
    wanted = frozenset(words_of.terms(query.meaning))
    shown = partial(
        fetch, snapshot, gathered=gathered, shape=shape, wanted=wanted, words_of=words_of
    )
    page = _page(groups, limit, shown, is_there=given.is_there)
    contents = snapshot.contents()
    embedded = max((space.coverage for space in snapshot.spaces()), default=0.0)
    return Answer(
        query=text,
        profile=profile.name,
        method=_method(gathered),
        embedder=gathered.embedder,
        collection=given.collection,
        results=tuple(page.hits),
        total=len(groups) - page.ghosts,
        facets=_facets(groups),
        coverage=Coverage(contents.files, contents.skipped, embedded, contents.masked),
        freshness=Freshness(contents.indexed_at, max(given.dirty_files, len(page.gone))),
        degraded=(*given.degraded, *gathered.degraded, *page.degraded),
        notes=query.notes,
        took_ms=round(1000 * (time.perf_counter() - started), 3),
    )


@dataclass(slots=True)
class _Page:
    """The hits to show, and the files of those that were left out since they are gone."""

    hits: list[Hit] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    ghosts: int = 0

    @property
    def degraded(self) -> tuple[Degraded, ...]:
        """What to say of files that are gone."""
        if not self.gone:
            return ()
        gone = f"{len(self.gone)} file{'s are' if len(self.gone) > 1 else ' is'} gone"
        return (Degraded("files", f"{gone} since the last sync; their hits are left out."),)


def _page(
    groups: Sequence[cut.Group],
    limit: int,
    shown: Callable[[Sequence[cut.Group]], list[Hit]],
    *,
    is_there: Callable[[str], bool] | None,
) -> _Page:
    """Return the first `limit` hits whose files are there: no ghost takes another's place."""
    page = _Page()
    at = 0
    while at < len(groups) and len(page.hits) < limit:
        some = cut.page(groups[at:], limit=limit - len(page.hits))
        at += len(some)
        for hit in shown(some):
            path = hit.node.source.file_path
            if is_there is not None and path not in page.gone and not is_there(path):
                page.gone.add(path)
            if path in page.gone:
                page.ghosts += 1
            else:
                page.hits.append(hit)
    return page


def _is_anywhere(snapshot: Snapshot, query: Query, profile: Profile) -> bool:
    """Say whether anything at all matches, so that a filter never decides how to read a query."""
    return bool(snapshot.text(profile.view).search(query, where=EVERYTHING, depth=1).ids)


def _asking(options: SearchOptions, given: Circumstances, query: Query) -> Asking:
    return Asking(
        view=options.profile.view,
        where=options.where & query.where,
        depth=options.profile.depth,
        search_mode=options.search_mode,
        embedders=given.embedders,
        why_no_embedder=given.why_no_embedder,
        advice=given.advice,
        needs_all_scores=options.profile.fusion.method != "rrf",
    )


def _shape(gathered: Gathered, options: SearchOptions) -> Shape:
    fusion = options.profile.fusion
    # Ranks are what is left where a store could not score the others' finds.
    by_rank = fusion.method == "rrf" or not gathered.has_all_scores
    return Shape(
        score_type="rrf" if by_rank else "blend",
        k=fusion.k,
        groups_by_node=options.profile.groups_by_node,
        snippet=options.profile.snippet,
        explains=options.explain,
    )


def _limit(options: SearchOptions) -> int:
    limit = options.profile.default_limit if options.limit is None else options.limit
    if not 0 <= limit <= options.profile.most:
        raise UsageError(
            f"limit is {limit}; profile {options.profile.name} takes 1 to {options.profile.most}."
        )
    if options.search_mode not in SEARCH_MODES:
        raise UsageError(
            f"Unknown search mode {options.search_mode!r}. Use {', '.join(SEARCH_MODES)}."
        )
    return limit


def _fuse(
    gathered: Gathered, profile: Profile, shape: Shape, *, asks_for_name: bool
) -> list[Scored]:
    fusion = profile.fusion
    weights = fusion.name_weights if asks_for_name and fusion.name_weights else fusion.weights
    if shape.score_type == "rrf":
        return fuse.rrf(gathered.rankings, k=fusion.k, weights=weights)
    return fuse.zscore(gathered.pool, gathered.signals, weights=weights)


def _names(scored: Sequence[Scored]) -> Mapping[ChunkId, str]:
    """Return the name each chunk's node has in its id: what follows the last # or /.

    The ~2 of an overload is no part of its name.
    """
    return {
        one.chunk_id: _NUMBERED.sub("", re.split("[#/]", cut.node_of(one.chunk_id))[-1])
        for one in scored
    }


def _enough(groups: list[cut.Group], least: float | None) -> list[cut.Group]:
    return groups if least is None else [one for one in groups if one.best.score >= least]


def _method(gathered: Gathered) -> str:
    names = {ranking.name for ranking in gathered.rankings}
    if names == {"text", "vectors"}:
        return "hybrid"
    return "vector" if names == {"vectors"} else "bm25"


def _facets(groups: Sequence[cut.Group]) -> Mapping[str, Mapping[str, int]]:
    kinds = Counter(group.best.chunk_id.partition(":")[0] for group in groups)
    return {"kind": dict(sorted(kinds.items()))}
