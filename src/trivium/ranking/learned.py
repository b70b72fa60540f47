"""Scored candidates -> the same, with the signs of their file or of their page added.

Signs times their weights are parts like any other. All scores then go back to the range they
had. A list without code is not touched: these weights rank prose beside code, not prose.
Pure; called by retrieval.scope, after boosts and before the cut.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress
from operator import mul

from trivium.ranking.cut import node_of
from trivium.ranking.features import PAGE_SIGNS, SIGNS, Members, Wanted, own_name, place_of
from trivium.ranking.profile import Learned, Weights
from trivium.types import ChunkId, Scored, best_first

# What a person reads of the part that only moves the whole list: it decides nothing.
LEVEL = "the same for every hit of this list"
_BEFORE_PATH = len("code:")

# The names and the values of parts.
Worth = tuple[tuple[str, ...], tuple[float, ...]]


def with_signs(
    scored: Sequence[Scored], *, files: Mapping[ChunkId, str], asked: Wanted, learned: Learned
) -> list[Scored]:
    """Add to each candidate what the signs of its file, or of its page, are worth.

    `files` are those of the candidates that are code. The sums are then moved to the range the
    scores had: every part is multiplied by one number, and one part more is the same for all.
    """
    of_file: defaultdict[str, list[Scored]] = defaultdict(list)
    of_page: defaultdict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        path = files.get(one.chunk_id)
        if path is None:
            of_page[node_of(one.chunk_id)].append(one)
        else:
            of_file[path].append(one)
    if not of_file:
        return list(scored)
    in_files = _worth(signs_of(of_file, asked, learned), learned.weights, SIGNS)
    in_pages = _worth(page_signs_of(of_page, asked, learned), learned.pages, PAGE_SIGNS)
    signed = [
        *zip(of_file.values(), in_files, strict=True),
        *zip(of_page.values(), in_pages, strict=True),
    ]
    old = [one.score for one in scored]
    new = [
        one.score + gain
        for members, (_, values) in signed
        for gain in (sum(values),)
        for one in members
    ]
    if max(new) <= min(new):
        return list(scored)
    lowest, highest = min(old), max(old)
    if lowest == highest:
        # What the blend cannot tell apart, signs can.
        lowest, highest = 0.0, highest or 1.0
    factor = (highest - lowest) / (max(new) - min(new))
    level = lowest - factor * min(new)
    made = []
    for members, (names, values) in signed:
        said = (*names, LEVEL)
        shared = (*[factor * value for value in values], level)
        for one in members:
            own = [factor * value for value in one.values]
            made.append(Scored.summed(one.chunk_id, one.names + said, (*own, *shared)))
    return best_first(made)


def signs_of(
    of_file: Mapping[str, Sequence[Scored]], asked: Wanted, learned: Learned
) -> list[tuple[float, ...]]:
    """Return a row for each file of code: its signs, in the order of their weights."""
    files = [(place_of(path), _members(path, found)) for path, found in of_file.items()]
    # Sign by sign: a third less time than file by file.
    columns = [
        [sign(asked, place, members) for place, members in files]
        for sign, _ in map(SIGNS.__getitem__, learned.weights)
    ]
    return _rows(columns, len(files))


def page_signs_of(
    nodes: Collection[str], asked: Wanted, learned: Learned
) -> list[tuple[float, ...]]:
    """Return a row for each node that is no code: a section, a note, a record, a file."""
    columns = [
        [sign(asked, node) for node in nodes]
        for sign, _ in map(PAGE_SIGNS.__getitem__, learned.pages)
    ]
    return _rows(columns, len(nodes))


def _rows(columns: Sequence[Sequence[float]], count: int) -> list[tuple[float, ...]]:
    return list(zip(*columns, strict=True)) if columns else [()] * count


def _members(path: str, found: Sequence[Scored]) -> Members:
    inside = _BEFORE_PATH + len(path) + len("#")
    names = [own_name(node_of(one.chunk_id)[inside:]) for one in found]
    return Members(names, [one.score for one in found])


def _worth(
    rows: Iterable[Sequence[float]], weights: Weights, signs: Mapping[str, tuple[object, str]]
) -> list[Worth]:
    """Return for each row what those signs are called that say something, and their worth."""
    said, factors = [signs[key][1] for key in weights], list(weights.values())
    worth = [tuple(map(mul, factors, row)) for row in rows]
    return [(tuple(compress(said, values)), tuple(filter(None, values))) for values in worth]
