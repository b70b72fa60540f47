"""A query and a candidate's file, or its page, -> what a learned ranking looks at.

Each sign is a number from 0 to 1, or from -1 to 0 where it speaks against a file. All are read
off paths, names and scores that are at hand; no text is looked at again. What a sign is worth
stands in a profile, and `learned` adds it up. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from trivium.analysis import identifiers
from trivium.analysis.starts import may_hold, starts_of_all
from trivium.analysis.words import analyser

# Files that are called so speak for their folder.
_SPEAK_FOR_FOLDER = frozenset({"index", "mod", "__init__", "init", "default"})
# Words of questions about code, and of all code: no file is found by them.
_UNSAID = frozenset(
    """all and can class code do file for from function handl handle how implement implementation
    in is method to use what when where which why with work""".split()  # noqa: SIM905 - reads best as words
)
# What stands beside the code that is meant: tests, examples, what is kept for old callers.
_ASIDE = frozenset(
    """test tests spec specs testing testdata testutil testutils fixture fixtures mock mocks e2e
    example examples sample samples demo demos benchmark benchmarks bench benches tutorial
    tutorials docs doc compat compatibility legacy deprecated polyfill polyfills shim shims
    obsolete""".split()  # noqa: SIM905 - as above
)
_ASKS_FOR_ASIDE = frozenset(
    """test spec mock fixtur assert exampl sampl demo benchmark tutori compat legaci deprec polyfil
    shim obsolet""".split()  # noqa: SIM905 - as above
)
# Files that are neither code nor documents, and what was read from tables.
_OF_DATA = ("file:", "record:")
_SYMBOL = re.compile(r"[a-z][A-Z]|_|[A-Z]{2}|^[A-Z]\w")
_TOKEN = re.compile(r"[^\W\d]\w*")
_DELIMITERS = str.maketrans("", "", "_-")
_NUMBERED = re.compile(r"~\d+$")

_MOST_WORDS = 64
_LONGEST = 4000
_LONGEST_NAME = 40
_MOST_JOINED = 4
_MOST_OTHERS = 3
_DEEPEST = 6
# Half of a hundred candidates in one file are as many as can be.
_MANY = math.log1p(150)
_LEAST_PREFIX = 3
_LEAST_START = 4
_LEAST_COMPOUND = 6
_CACHED = 50_000
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a query says about names: its words, runs of them, their initials, its symbols.

    `begins` is how words of its stems begin; `starts` are all beginnings of its words, of three
    letters or more; `long` are those words that a name may begin or end with.
    """

    words: frozenset[str]
    begins: frozenset[str]
    starts: frozenset[str]
    long: tuple[str, ...]
    joined: Mapping[str, int]
    initials: frozenset[str]
    symbols: tuple[str, ...]
    asks_for_aside: bool
    _known: dict[str, float] = field(default_factory=dict, compare=False, repr=False)
    _shares: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def covers(self, word: str) -> float:
        """Say how well the query speaks of a word of a path, 0 to 1.

        1 for a word of it or a run of them, .8 for a prefix (args, arguments), .6 for initials
        (fs, file system), .5 for the end of a word.
        """
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = _covered(self, word)
        return known

    def covers_name(self, name: str) -> float:
        """Return how many letters of a name the query speaks of, as a share."""
        share = self._shares.get(name)
        if share is None:
            share = self._shares[name] = _share_covered(self, name)
        return share

    def said_in(self, text: str) -> frozenset[str]:
        """Return the words of the query that stand in a name, a path or headings."""
        # Most names have none of them, and analysing costs much more than to see that.
        return self.words.intersection(stemmed(text)) if may_hold(text, self.begins) else _NOTHING


class Members(NamedTuple):
    """The chunks of a file that were found: the names of their nodes, and their scores.

    The node of the file itself has an empty name.
    """

    names: Sequence[str]
    scores: Sequence[float]


@dataclass(frozen=True, slots=True)
class Place:
    """What the path of a file says, whoever asks."""

    path: str
    stem: str
    plain: str
    folder: str
    depth: int
    is_aside: bool


def wanted(query: str) -> Wanted:
    """Read what a query says about names. Of a long one its first words count."""
    query = query[:_LONGEST]
    in_order = _pieces(query)[:_MOST_WORDS]
    stems = frozenset(_stemmed(" ".join(in_order)))
    joined: dict[str, int] = {}
    initials = set()
    for count in range(2, _MOST_JOINED + 1):
        for at in range(len(in_order) - count + 1):
            some = in_order[at : at + count]
            joined.setdefault("".join(some), count)
            initials.add("".join(one[0] for one in some))
    tokens = (token for token in _TOKEN.findall(query) if len(token) > 1)
    symbols = [plain(token) for token in tokens if _SYMBOL.search(token)]
    said = [one for one in dict.fromkeys(in_order) if one not in _UNSAID]
    words = stems - _UNSAID
    return Wanted(
        words=words,
        begins=starts_of_all(words),
        starts=frozenset(
            one[:end]
            for one in said
            for end in range(_LEAST_PREFIX, min(len(one), _LONGEST_NAME) + 1)
        ),
        long=tuple(one for one in said if len(one) >= _LEAST_START),
        joined=joined,
        initials=frozenset(initials),
        symbols=tuple(dict.fromkeys(symbols[:_MOST_WORDS])),
        asks_for_aside=not _ASKS_FOR_ASIDE.isdisjoint(stems),
    )


def _covered(asked: Wanted, word: str) -> float:
    stems = stemmed(word)
    if (stems and asked.words.issuperset(stems)) or word in asked.joined:
        return 1.0
    if word in asked.initials and word not in _UNSAID:
        return 0.6
    if len(word) < _LEAST_PREFIX:
        return 0.0
    # One letter less for a plural: args are arguments.
    stub = word[:-1] if word.endswith("s") and len(word) > _LEAST_PREFIX else word
    if stub in asked.starts or word.startswith(asked.long):
        return 0.8
    return 0.5 if len(word) >= _LEAST_COMPOUND and word.endswith(asked.long) else 0.0


@lru_cache(_CACHED)
def pieces(text: str) -> tuple[str, ...]:
    """Return the words of identifiers in order, lower case and not stemmed."""
    return _pieces(text)


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(
        part.lower() for token in _TOKEN.findall(text) for part in identifiers.split(token)
    )


@lru_cache(_CACHED)
def stemmed(text: str) -> tuple[str, ...]:
    """Return the words of identifiers as they are indexed."""
    return _stemmed(text)


# Names come back from query to query and are kept; a query may be long and does not.
def _stemmed(text: str) -> tuple[str, ...]:
    return tuple(analyser("standard").words(text))


@lru_cache(_CACHED)
def own_name(qualified: str) -> str:
    """Return a name without those it lies in and without the number of an overload."""
    return _NUMBERED.sub("", qualified.rpartition(".")[2])


@lru_cache(_CACHED)
def plain(name: str) -> str:
    """Return a name as it is compared: lower case, without underscores."""
    return name.lower().translate(_DELIMITERS)


@lru_cache(_CACHED)
def place_of(path: str) -> Place:
    """Read the path of a file."""
    stem, folder = stem_of(path)
    return Place(
        path=path,
        stem=stem,
        plain=plain(stem),
        folder=folder,
        depth=path.count("/"),
        is_aside=is_aside(path),
    )


def stem_of(path: str) -> tuple[str, str]:
    """Return what a file is called and its last folder; index and mod take their folder's name."""
    *folders, last = path.split("/")
    stem = last.lstrip(".").partition(".")[0]
    if stem in _SPEAK_FOR_FOLDER and folders:
        stem = folders.pop()
    return stem, folders[-1] if folders else ""


def is_aside(path: str) -> bool:
    """Say whether a path is of tests, examples, or what is kept for old callers.

    A file may be called test or spec without being one: a word alone says nothing.
    """
    *folders, last = path.split("/")
    if any(not _ASIDE.isdisjoint(pieces(one)) for one in folders):
        return True
    words = pieces(last.rpartition(".")[0])
    return len(words) > 1 and not _ASIDE.isdisjoint(words)


def _share_covered(asked: Wanted, name: str) -> float:
    words = pieces(name)
    whole = sum(map(len, words))
    return sum([len(one) * asked.covers(one) for one in words]) / whole if whole else 0.0


def _stem(asked: Wanted, place: Place, _: Members) -> float:
    return asked.covers_name(place.stem)


def _stem_joined(asked: Wanted, place: Place, _: Members) -> float:
    return asked.joined.get(place.plain, 0) / _MOST_JOINED


def _stem_symbol(asked: Wanted, place: Place, _: Members) -> float:
    return float(place.plain in asked.symbols)


def _folder(asked: Wanted, place: Place, _: Members) -> float:
    return asked.covers_name(place.folder)


def _words(asked: Wanted, place: Place, members: Members) -> float:
    if not asked.words:
        return 0.0
    said = asked.said_in(place.path).union(*map(asked.said_in, members.names))
    return len(said) / len(asked.words)


def _first_symbol(asked: Wanted, _: Place, members: Members) -> float:
    if not asked.symbols:
        return 0.0
    return float(asked.symbols[0] in map(plain, members.names))


def _others(_: Wanted, __: Place, members: Members) -> float:
    if len(members.scores) == 1:
        return 0.0
    best = sorted(members.scores, reverse=True)
    return min(1.0, sum(best[1 : _MOST_OTHERS + 1]) / _MOST_OTHERS)


def _count(_: Wanted, __: Place, members: Members) -> float:
    return min(1.0, math.log1p(len(members.scores)) / _MANY)


def _depth(_: Wanted, place: Place, __: Members) -> float:
    return -min(_DEEPEST, place.depth) / _DEEPEST


def _aside(asked: Wanted, place: Place, _: Members) -> float:
    return -float(place.is_aside and not asked.asks_for_aside)


def _page(_: Wanted, __: str) -> float:
    return 1.0


def _headings(asked: Wanted, page: str) -> float:
    # The kind before the colon is not said by anybody: a record need not be about records.
    said = asked.said_in(page.partition(":")[2])
    return len(said) / len(asked.words) if asked.words else 0.0


def _data(_: Wanted, page: str) -> float:
    return -float(page.startswith(_OF_DATA))


# The keys of [learned.weights] in a profile, and what an explanation calls each.
SIGNS = {
    "stem": (_stem, "file is called so"),
    "stem_joined": (_stem_joined, "file is called words of the query run together"),
    "stem_symbol": (_stem_symbol, "file is called a symbol of the query"),
    "folder": (_folder, "folder is called so"),
    "words": (_words, "words in its path and names"),
    "first_symbol": (_first_symbol, "file defines the first symbol"),
    "others": (_others, "others of its file"),
    "count": (_count, "many of its file"),
    "depth": (_depth, "folders above its file"),
    "aside": (_aside, "test, example or kept for old callers"),
}

# The same of [learned.pages]: what stands beside code in one list, by the id of its node.
PAGE_SIGNS = {
    "page": (_page, "is no code"),
    "headings": (_headings, "words in its path and headings"),
    "data": (_data, "settings or data"),
}
