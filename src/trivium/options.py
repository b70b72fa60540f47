"""What may be said beside a query, and what is known of the index it is asked of.

Made by whoever asks, checked once, read by the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trivium.errors import UsageError, unknown
from trivium.filtering.conditions import EVERYTHING, Filter
from trivium.models.base import Embedder, Knowing
from trivium.models.rerank import Reranking
from trivium.query.synonyms import NO_SYNONYMS, Synonyms
from trivium.ranking.profile import Profile
from trivium.ranking.profile_file import GROUPS
from trivium.retrieval.sorting import SORTS
from trivium.types import Degraded

SEARCH_MODES = ("hybrid", "vector", "keyword")
EXPANSIONS = ("none", "context")
_MOST_SEEDS = 500
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What may be said beside the query. None is the profile's own.

    `seeds`, `bfs_depth` and `bfs_decay` are for profiles that spread over the graph;
    `expand` "context" adds what the hits call and import after them; `dedupe` leaves out what
    repeats a better hit; `group` says what is one hit; `within` are those conditions of `where`
    that say what is searched at all, and without which nothing is counted; `cursor` is the
    `next` of the page before; `min_confidence` leaves out hits that answer the query less likely;
    without `typos` each word is taken as it was typed; `as_you_type` lets the last word go on and
    asks the text index alone; `synonyms` also looks for words that mean the same, of the user's
    list and of that for code.
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
    within: Filter = EVERYTHING
    cursor: str | None = None
    sort: str = "relevance"
    min_confidence: float | None = None
    typos: bool = True
    as_you_type: bool = False
    synonyms: bool | None = None

    @property
    def is_words_alone(self) -> bool:
        """Whether no model is asked."""
        return self.search_mode == "keyword" or self.as_you_type


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What an answer says about the index beside its hits.

    `is_there` tells whether a file still stands where it was indexed; None: all do. `identity`
    tells the collection from others of its name; `now` is in seconds since 1970. `lexicon`
    knows words that are no mistakes, though no document has them.
    """

    collection: str
    embedders: Sequence[Embedder] = ()
    preferred: str = ""
    why_no_embedder: str = ""
    advice: str = "trivium index"
    dirty_files: int = 0
    degraded: tuple[Degraded, ...] = ()
    is_there: Callable[[str], bool] | None = None
    notes: tuple[str, ...] = ()
    reranking: Reranking | None = None
    identity: str = ""
    now: float | None = None
    synonyms: Synonyms = NO_SYNONYMS
    lexicon: Knowing | None = None


def checked(options: SearchOptions) -> int:
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
        ("sort", options.sort, SORTS),
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
    _check_least(options)
    return limit


def _check_least(options: SearchOptions) -> None:
    """Raise UsageError for a least score or confidence that is out of range."""
    highest, least_score = options.profile.highest, options.min_score
    if least_score is not None and not 0 <= least_score <= (highest or math.inf):
        range_ = f"0 to {highest:g}" if highest is not None else "0 or more"
        raise UsageError(f"min_score is {least_score:g}; give {range_}.")
    sure = options.min_confidence
    if sure is not None and not 0 <= sure <= 1:
        raise UsageError(f"min_confidence is {sure:g}; give 0 to 1.")
