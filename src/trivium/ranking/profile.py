"""A ranking profile: every number of a ranking, as values.

Profiles are TOML files, read by profile_file; those in `profiles/` are shipped, users may add
their own. Pure: no stage looks at anything but these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from trivium.errors import ConfigError, unknown
from trivium.types import EdgeType, View

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Scope:
    """Kinds that are ranked together: their view, their least score, their weight in the whole.

    `deep` are fields that a deep search adds; `intents` the weights of fields by what a query
    seems to be about; `expansion` is its own, where the profile's is not meant.
    """

    name: str
    view: View
    weight: float = 1.0
    min_score: float | None = None
    deep: tuple[tuple[str, float], ...] = ()
    intents: Mapping[str, tuple[tuple[str, float], ...]] | None = None
    expansion: Expansion | None = None

    def asked(self, *, deep: bool, intent: str) -> View:
        """Return the view to ask: with the fields of a deep search, weighted for an intent."""
        view = self.view
        if deep and self.deep:
            view = replace(view, name=f"{view.name}-deep", fields=(*view.fields, *self.deep))
        if self.intents and intent in self.intents:
            view = replace(view, fields=self.intents[intent])
        return view


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How candidates are found.

    `words` is what scores text: "bm25", or "points" given to the best of it. `meaning` says how
    a cosine becomes a score: as it is ("raw"), 0 where negative ("positive"), moved to 0..1
    ("half"), or times 100 ("hundred"); those not above `floor` are dropped. `complete` scores
    in each signal what only another one found. `typos` and `synonyms` are what a word near a
    typed one that nobody wrote counts, and one that means the same; 0 looks for none.
    `abbreviations` takes the list for code beside the user's own. `called` also looks at the code
    that is called what the query is, however many others have its words.
    """

    depth: int
    words: str = "bm25"
    meaning: str = "raw"
    floor: float | None = None
    complete: bool = False
    typos: float = 0.0
    synonyms: float = 0.0
    abbreviations: bool = False
    called: bool = False


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the signals of one scope become one score.

    `instant_weights` hold where the vectors are of an instant model, `name_weights` where the
    query is a name. `code_weights` and `instant_code_weights` are those of code: where the best
    of the retrievers are half code, the weights lie half way. The signal "instant" is what the
    instant model says beside a slower one; where it says nothing, its weight counts for nothing.
    Where `match_usual` is above 0, all but those of a name are for words whose best score is so
    much for each term of the query, and `match_power` says how fast words gain beyond that: see
    fuse.by_match.
    `missing` says what a signal counts that a candidate does not have: "zero", or
    "renormalise" over those it has. `scale` "best" divides all scores by the highest. `alone`
    "score" leaves a single signal as it is. `order` "rrf" orders by reciprocal rank, whatever
    the score.
    """

    method: str
    k: int = 60
    weights: Weights = field(default_factory=dict)
    name_weights: Weights = field(default_factory=dict)
    instant_weights: Weights = field(default_factory=dict)
    code_weights: Weights = field(default_factory=dict)
    instant_code_weights: Weights = field(default_factory=dict)
    match_usual: float = 0.0
    match_power: float = 1.0
    normalise: str = "none"
    missing: str = "zero"
    scale: str = "raw"
    alone: str = "fuse"
    order: str = "score"

    @property
    def asks_instant(self) -> bool:
        """Whether an instant model has a say beside a slower one."""
        tables = (self.weights, self.code_weights, self.name_weights)
        return any(table.get("instant") for table in tables)


@dataclass(frozen=True, slots=True)
class Boosts:
    """What changes a score after fusion; each is off at its default.

    `name`: added where the name is asked for; `called`: where it is all that is. `file`,
    `again`: for nodes of one file of code.
    `definition`, `export`: factors of symbols. `phrase`: share added for each quoted phrase, up
    to `phrase_most`. `chargram`: share added for a name that nearly is the query. `call`,
    `use`: added for each word of the query that is called or used, up to `relation_most`.
    `degree`, `proximity`: added to the hits of a page by their place in the graph.
    `duplicate`: share taken from what repeats a better hit, at a likeness of `duplicate_at`.
    `recency`: added to a note or task that was changed now, half of it after `recency_days`.
    `usage`: added to a skill that was used often; `confidence`: taken from one that is unsure.
    `kinds`: added to what is of a kind, whatever it says.
    """

    name: float = 0.0
    called: float = 0.0
    file: float = 0.0
    again: float = 1.0
    definition: float = 1.0
    export: float = 1.0
    phrase: float = 0.0
    phrase_most: float = 0.5
    chargram: float = 0.0
    call: float = 0.0
    use: float = 0.0
    relation_most: float = 1.5
    degree: float = 0.0
    proximity: float = 0.0
    duplicate: float = 0.0
    duplicate_at: float = 0.9
    recency: float = 0.0
    recency_days: float = 90.0
    usage: float = 0.0
    confidence: float = 0.0
    kinds: Weights = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Learned:
    """What the signs of a file of code are worth, and those of pages in one list with code.

    By their keys in ranking.features, counted in scores of a blend: they say nothing where ranks
    are fused. Those of `best` are found by training/ranker.py. Where a slower model than the
    instant one gives meaning, the blend says more and all of them count `slower` times as much.
    """

    weights: Weights = field(default_factory=dict)
    pages: Weights = field(default_factory=dict)
    slower: float = 1.0

    def times(self, factor: float) -> Learned:
        """Return the same signs, each worth so many times as much."""
        if factor == 1:
            return self
        weights, pages = (
            {key: factor * weight for key, weight in table.items()}
            for table in (self.weights, self.pages)
        )
        return replace(self, weights=weights, pages=pages)


@dataclass(frozen=True, slots=True)
class Expansion:
    """How the graph adds hits: "spread" from the best before the cut, "context" after it.

    A neighbour has the score of its hit times the decay of the edge; `other` is that of types
    that are not named, 0 if they are not followed. `skip_incoming` are types that are only
    followed forward.
    """

    method: str = "none"
    depth: int = 1
    seeds: int = 5
    decay: Mapping[EdgeType, float] = field(default_factory=dict)
    other: float = 0.0
    skip_incoming: frozenset[EdgeType] = frozenset()
    per_hit: int = 4
    total: int = 40


@dataclass(frozen=True, slots=True)
class Profile:
    """One way to rank. `merge` says how several scopes become one list: by score or by rank.

    `highest` is the highest score there can be, where there is one. `group` says what is one
    hit: a "file" of code and a node of anything else, a "node", or each chunk ("none").
    """

    name: str
    description: str
    scopes: tuple[Scope, ...]
    merge: str
    dialect: str
    retrieval: Retrieval
    fusion: Fusion
    boosts: Boosts
    learned: Learned
    expansion: Expansion
    highest: float | None
    empty: str
    group: str
    snippet: str
    default_limit: int
    most: int

    @property
    def view(self) -> View:
        """The view of its first scope."""
        return self.scopes[0].view


def shipped() -> list[str]:
    """Return the names of the profiles in the package."""
    folder = resources.files("trivium.ranking").joinpath("profiles")
    names = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@cache
def profile(name: str) -> Profile:
    """Return a shipped profile. An unknown name raises ConfigError with the nearest one."""
    from trivium.ranking.profile_file import read

    if name not in shipped():
        raise ConfigError(unknown("profile", name, shipped()))
    return read(text_of(name), origin=f"{name}.toml")


def text_of(name: str) -> str:
    """Return the file of a shipped profile."""
    file = resources.files("trivium.ranking").joinpath("profiles", f"{name}.toml")
    return file.read_text(encoding="utf-8")
