"""Words that found nothing -> names in the collection that are spelt nearly so.

Compares letters and digits alone, by how many are wrong, missing, too many or swapped. Looks at
a bounded number of names and words, so that no query costs more than a search. Called by
results.nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.filtering.conditions import Filter, fold
from trivium.query.spelling import edits
from trivium.types import ChunkId, Node

MOST = 5
_MOST_WORDS = 4
_MOST_NAMES = 50_000
_MOST_NODES = 50
_SHORTEST = 3
_LONGEST = 60
# In a longer word two letters may be wrong, and it is still that word.
_LONG = 6
_NO_LETTER = re.compile(r"[\W_]+")
_NO_LETTER_IN_LINE = re.compile(r"(?:_|[^\w\n])+")


def nearest(snapshot: Snapshot, text: str, *, within: Filter) -> list[Node]:
    """Return a few nodes whose names are near the words of a query, the nearest first."""
    wanted = _wanted(text)
    near = near_names(wanted, snapshot.values("name")) if wanted else []
    if not near:
        return []
    nodes = snapshot.called(near, most=_MOST_NODES)
    allowed = snapshot.allowed([ChunkId(f"{node.id}@0") for node in nodes], where=within)
    first: dict[str, Node] = {}
    for node in nodes:
        if f"{node.id}@0" in allowed:
            first.setdefault(fold(node.name), node)
    return [first[name] for name in near if name in first][:MOST]


def near_names(wanted: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the folded names that are nearly one of the wanted words, the nearest first."""
    some = [one for one in names[:_MOST_NAMES] if "\n" not in one]
    if not some:
        return []
    # All at once: that takes a fifth of the time that name by name does.
    forms = _NO_LETTER_IN_LINE.sub("", "\n".join(some)).split("\n")
    named = list(zip(forms, some, strict=True))
    # Files are called by their names without the ending.
    named += [(_letters(one.rpartition(".")[0]), one) for one in some if "." in one]
    least: dict[str, int] = {}
    for word in wanted:
        most, letters = _most_wrong(word), set(word)
        fewest, longest = max(_SHORTEST, len(word) - most), min(_LONGEST, len(word) + most)
        for form, name in named:
            if not fewest <= len(form) <= longest:
                continue
            # What differs in more letters cannot be near: most names are left out here.
            if len(letters.symmetric_difference(form)) > 2 * most:
                continue
            wrong = edits(word, form, most=most)
            if wrong is not None:
                least[name] = min(wrong, least.get(name, wrong))
    return sorted(least, key=lambda name: (least[name], name))[: MOST * 2]


def _wanted(text: str) -> list[str]:
    """Return what to compare names with: the longest words, and all of a short query as one."""
    words = [_letters(word) for word in text[: _LONGEST * _LONGEST].split()]
    kept = [word for word in words if _SHORTEST <= len(word) <= _LONGEST and _is_telling(word)]
    longest = sorted(dict.fromkeys(kept), key=lambda word: (-len(word), word))[:_MOST_WORDS]
    whole = _letters(text) if len(text) <= _LONGEST else ""
    return list(dict.fromkeys([*longest, *([whole] if len(whole) >= _SHORTEST else [])]))


def _is_telling(word: str) -> bool:
    """Whether a word is looked for at all: the, how and where are near a lot."""
    return bool(analyser("standard").terms(word))


def _most_wrong(word: str) -> int:
    return 2 if len(word) >= _LONG else 1


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", fold(text))
