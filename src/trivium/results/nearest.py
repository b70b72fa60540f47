"""Words that found nothing -> names in the collection that are spelt nearly so.

Compares letters and digits alone, by how many are wrong, missing, too many or swapped. Looks at
a bounded number of names and words, so that no query costs more than a search. Called by
results.nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.filtering.conditions import Filter, fold
from trivium.query.spelling import edits
from trivium.types import ChunkId, Node

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 5
_MOST_WORDS = 4
_MOST_NAMES = 50_000
_MOST_NODES = 50
_SHORTEST = 3
_LONGEST = 60
# In a longer word two letters may be wrong, and it is still that word.
_LONG = 6
_NO_LETTER = re.compile(r"[\W_]+")
_NEW_LINE = ord("\n")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum() and code != _NEW_LINE)


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
    forms = _forms_of(names)
    least: dict[str, int] = {}
    for word in wanted:
        most = _most_wrong(word)
        for form, name in forms.like(word, most=most):
            wrong = edits(word, form, most=most)
            if wrong is not None:
                least[name] = min(wrong, least.get(name, wrong))
    return sorted(least, key=lambda name: (least[name], name))[: MOST * 2]


class _Forms:
    """The letters and digits of names, and of those of files without their endings.

    The ASCII ones are rows of bytes, by their lengths: they are looked through for a word in a
    twentieth of the time that it takes name by name.
    """

    def __init__(self, names: Sequence[str]) -> None:
        # Files are called by their names without the ending.
        dotted = [one for one in names if "." in one]
        forms = [*names, *(one.rpartition(".")[0] for one in dotted)]
        named = [*names, *dotted]
        self._others: list[tuple[str, str]] = []
        if not "".join(forms).isascii():
            pairs = list(zip(forms, named, strict=True))
            self._others = [(_letters(form), one) for form, one in pairs if not form.isascii()]
            forms = [form for form, _ in pairs if form.isascii()]
            named = [one for form, one in pairs if form.isascii()]
        self._named = named
        self._rows = _rows("\n".join([*forms, ""]).encode().translate(None, _NO_LETTERS))

    def like(self, word: str, *, most: int) -> Iterator[tuple[str, str]]:
        """Yield forms about as long as a word that share all letters with it but for `most`.

        No others are that near, since swapped letters are shared and each edit spoils one.
        """
        import numpy as np

        lengths = range(max(_SHORTEST, len(word) - most), min(_LONGEST, len(word) + most) + 1)
        for form, name in self._others:
            if len(form) in lengths and len({*word}.symmetric_difference(form)) <= 2 * most:
                yield form, name
        counts = Counter(word.encode())
        is_foreign = np.ones(256, np.uint8)
        is_foreign[list(counts)] = 0
        for length in lengths:
            if length not in self._rows:
                continue
            places, rows = self._rows[length]
            # First what is told by one look at each row: most of them go here.
            near = np.flatnonzero(is_foreign[rows].sum(axis=1) <= most)
            few = rows[near]
            shared = np.zeros(len(near), np.int64)
            for letter, count in counts.items():
                shared += np.minimum((few == letter).sum(axis=1), count)
            is_near = shared >= max(length, len(word)) - most
            for place, row in zip(places[near[is_near]].tolist(), few[is_near], strict=True):
                yield row.tobytes().decode(), self._named[place]


def _rows(lines: bytes) -> dict[int, tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Return the places of lines and the lines themselves, as rows, by their length."""
    import numpy as np

    letters = np.frombuffer(lines, np.uint8)
    ends = np.flatnonzero(letters == _NEW_LINE)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    lengths = ends - starts
    made = {}
    for length in range(_SHORTEST, _LONGEST + 1):
        places = np.flatnonzero(lengths == length)
        if len(places):
            made[length] = places, letters[starts[places][:, np.newaxis] + np.arange(length)]
    return made


# A snapshot hands out the same list as long as nothing changes; a few collections may be open.
_KEPT: dict[int, tuple[Sequence[str], _Forms]] = {}
_MOST_KEPT = 3


def _forms_of(names: Sequence[str]) -> _Forms:
    """Return the forms of some names, those that were made for this very list if they were."""
    kept = _KEPT.get(id(names))
    if kept is not None and kept[0] is names:
        return kept[1]
    made = _Forms([one for one in names[:_MOST_NAMES] if "\n" not in one])
    while len(_KEPT) >= _MOST_KEPT:
        _KEPT.pop(next(iter(_KEPT), 0), None)
    # With the list itself, or its number might be given to another one.
    _KEPT[id(names)] = (names, made)
    return made


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
