"""A query that is one name -> the code that is called so, among what words found.

`Together.search` has the words of a hundred others, and a name that is one word may stand in few
texts and many names: what is called so is looked up, and scored beside the rest. Called by gather.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.backends.base import Snapshot, TextIndex
from trivium.filtering.conditions import Condition, Filter, Test, fold
from trivium.query.grammar import Query
from trivium.types import Ranking, Symbol

# Ways to write that one thing lies in another: Class.method, Class::method, Class#method.
_BELOW = re.compile(r"::|->|[.#]")
_AROUND = "`'\",;:?!()"
_LONGEST, _SHORTEST = 200, 3
# More of one name tell nothing about which is meant.
_MOST = 50
_FILES = 20


def called(snapshot: Snapshot, text: str) -> Sequence[Symbol]:
    """Return the code whose name is all of `text`; none for several words, or very many."""
    name = text.strip().strip(_AROUND)
    if not _SHORTEST <= len(name) <= _LONGEST or len(name.split()) != 1:
        return ()
    wanted = ".".join(part for part in _BELOW.split(name) if part)
    last = wanted.rpartition(".")[2]
    if not last:
        return ()
    found = [
        one
        for one in snapshot.symbols([last], most=_MOST + 1).get(last, ())
        if f".{one.qualified.partition('~')[0]}".endswith(f".{wanted}")
    ]
    return found if len(found) <= _MOST else ()


def with_called(
    found: Ranking,
    named: Sequence[Symbol],
    query: Query,
    *,
    text: TextIndex,
    where: Filter,
    depth: int,
) -> Ranking:
    """Return what words found, and behind it what is called so and was not among it."""
    there = {one.rpartition("@")[0] for one in found.ids}
    missing = {one.id: one.path for one in named if one.id not in there}
    if not missing:
        return found
    # These files and no others: to look for parts of paths takes a hundred times as long.
    paths = frozenset(map(fold, sorted(set(missing.values()))[:_FILES]))
    in_them = Filter((Condition("path", Test.EQUALS, paths),))
    others = text.search(query, where=where & in_them, depth=depth)
    known = set(found.ids)
    more = [
        (one, score)
        for one, score in zip(others.ids, others.scores, strict=True)
        if one not in known and one.rpartition("@")[0] in missing
    ]
    return Ranking(
        found.name,
        (*found.ids, *(one for one, _ in more)),
        (*found.scores, *(score for _, score in more)),
    )
