"""Text a person typed -> a Query.

Never fails on what a person may type by mistake: an unbalanced quote or bracket makes
the whole text plain words, and the Query's notes say so. An error is a text that is too long
and, in the dialect of seed 001, what that seed refuses. Called first on the read spine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from trivium.errors import ConfigError, QuerySyntaxError
from trivium.filtering.conditions import EVERYTHING, build
from trivium.filtering.given import MOST_VALUES
from trivium.query import contract, standard
from trivium.query.grammar import Query
from trivium.query.reading import (
    MOST_DEMANDING,
    Asked,
    Bounded,
    Unreadable,
    beside,
    excluded_from_nothing,
    plain,
)

LONGEST_QUERY = 10_000
DIALECTS: Mapping[str, Callable[[str], Asked]] = {
    "standard": standard.read,
    "contract": contract.read,
}
_HALF_PAIR = re.compile("[\ud800-\udfff]")


def parse(text: str, *, dialect: str = "standard") -> Query:
    """Read `text`. Raises QuerySyntaxError if it is longer than 10,000 characters.

    The contract dialect raises it also for what it cannot exclude.
    """
    if dialect not in DIALECTS:
        raise ConfigError(f"Unknown query dialect {dialect!r}. Use {' or '.join(DIALECTS)}.")
    if len(text) > LONGEST_QUERY:
        raise QuerySyntaxError(
            f"The query has {len(text):,} characters; the most is {LONGEST_QUERY:,}.",
            position=LONGEST_QUERY,
        )
    # Half of a surrogate pair, as arguments and JSON may hold, can be neither printed nor embedded.
    text = _HALF_PAIR.sub("\ufffd", text)
    try:
        asked = DIALECTS[dialect](text)
    except Unreadable as problem:
        words = plain(text)
        root = beside(words, text) if dialect == "contract" else words
        return Query(text, root, text, notes=(f"read as plain words: {problem}",))
    bounded = Bounded()
    asked.root = bounded.of(asked.root)
    if bounded.is_cut:
        asked.notes.append(f"only the first {MOST_DEMANDING} prefixes and phrases count")
    if excluded_from_nothing(asked.root):
        asked.notes.append("only exclusions: nothing to look for")
    fields = {
        name: list(dict.fromkeys(values))[:MOST_VALUES] for name, values in asked.fields.items()
    }
    where = build(fields) if fields else EVERYTHING
    return Query(text, asked.root, " ".join(asked.meaning), where, tuple(asked.notes))
