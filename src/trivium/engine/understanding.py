"""A text and its options -> what is asked: the query as it was meant, its filters, its page.

Called by search before anything is ranked.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.engine.ranking import finds
from trivium.filtering.conditions import Filter, with_types
from trivium.filtering.fields import OF_FILES
from trivium.options import Circumstances, SearchOptions
from trivium.query.grammar import Query
from trivium.query.parse import parse
from trivium.query.synonyms import NO_SYNONYMS, Synonyms, abbreviations, with_synonyms
from trivium.query.typing import Unfinished, unfinished
from trivium.ranking.profile import Profile
from trivium.retrieval import cursor as cursors
from trivium.retrieval.cursor import Binding, binding
from trivium.retrieval.spelling import Vocabulary, offered, spelt
from trivium.retrieval.typing import completed, ordered
from trivium.stages import enter

# What may differ between two pages of one answer, and what is bound in another way.
_NOT_BINDING = frozenset(
    {"profile", "where", "within", "limit", "explain", "expand", "group", "cursor"}
)
_DEPTH_AT_A_KEY = 20
# What a word that means the same counts where a profile does not say.
SYNONYM_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of an index.

    `where` are the filters given and those `typed` in the query; `bound` is what cursors are
    bound to, `cursor` where the page begins; `begun` is the last word of one who still types.
    """

    query: Query
    options: SearchOptions
    typed: Filter
    where: Filter
    bound: Binding
    cursor: cursors.Cursor | None
    begun: Unfinished | None


def understood(
    snapshot: Snapshot, text: str, *, options: SearchOptions, given: Circumstances
) -> Question:
    """Read a text as it was meant. Raises QuerySyntaxError, FilterError, UsageError."""
    enter("parse")
    if options.as_you_type:
        options = _at_a_key(options)
    query = parse(text, dialect=options.profile.dialect)
    profile = _grouping(query, options)
    options = options if profile is options.profile else replace(options, profile=profile)
    typed = _typed(query, options.profile)
    where = options.where & typed
    bound = _bound(text, where, options, given)
    cursor = cursors.read(options.cursor, bound)
    begun = unfinished(query) if options.as_you_type else None
    enter("spell")
    meant = _meant(snapshot, query, where, options, given)
    return Question(meant, options, typed, where, bound, cursor, begun)


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
    return profile if group in (None, profile.group) else replace(profile, group=group)


def _at_a_key(options: SearchOptions) -> SearchOptions:
    """Return the options of a search that is asked with every key pressed: words, a few of them."""
    retrieval = options.profile.retrieval
    fewer = replace(retrieval, depth=min(retrieval.depth, _DEPTH_AT_A_KEY))
    profile = replace(options.profile, retrieval=fewer)
    return replace(options, profile=profile, search_mode="keyword")


def _typed(query: Query, profile: Profile) -> Filter:
    """Return the filters typed in a query; in seed 001's language a kind may be a type."""
    return with_types(query.where) if profile.dialect == "contract" else query.where


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
        is_found = partial(finds, snapshot, where=where, profile=profile)
        query = offered(query, finds=is_found, dialect=profile.dialect)
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
