"""Scored candidates -> the same, with the signs of their file or of their page added.

Signs times their weights are parts like any other. All scores then go back to the range they
had. A list without code is not touched: these weights rank prose beside code, not prose.
Pure; called by retrieval.scope, after boosts and before the cut.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trivium.ranking.cut import node_of
from trivium.ranking.features import PAGE_SIGNS, SIGNS, Member, Wanted, own_name
from trivium.ranking.profile import Learned
from trivium.types import ChunkId, Part, Scored, best_first

LEVEL = "scale of the blend"
_BEFORE_PATH = len("code:")

# What a sign is called, its weight and its value.
Sign = tuple[str, float, float]


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
    signed = [
        (members, _worth(signs_of(path, members, asked, learned)))
        for path, members in of_file.items()
    ]
    signed += [
        (members, _worth(page_signs_of(node, asked, learned))) for node, members in of_page.items()
    ]
    old = [one.score for one in scored]
    new = [
        one.score + gain
        for members, worth in signed
        for gain in (sum([value for _, value in worth]),)
        for one in members
    ]
    if max(new) <= min(new):
        return list(scored)
    lowest, highest = min(old), max(old)
    if lowest == highest:
        # What the blend cannot tell apart, signs can.
        lowest, highest = 0.0, highest or 1.0
    factor = (highest - lowest) / (max(new) - min(new))
    level = Part(LEVEL, lowest - factor * min(new))
    # Files alike in a sign share its part: many are as deep, or in the same folder.
    parts = {
        one: Part(one[0], factor * one[1]) for one in {one for _, worth in signed for one in worth}
    }
    made = []
    for members, worth in signed:
        shared = (*[parts[one] for one in worth], level)
        for one in members:
            own = [Part(part.name, factor * part.value) for part in one.parts]
            made.append(Scored(one.chunk_id, (*own, *shared)))
    return best_first(made)


def signs_of(path: str, members: Sequence[Scored], asked: Wanted, learned: Learned) -> list[Sign]:
    """Return the signs of a file of code."""
    inside = _BEFORE_PATH + len(path) + len("#")
    found = [Member(own_name(node_of(one.chunk_id)[inside:]), one.score) for one in members]
    made = []
    for key, weight in learned.weights.items():
        sign, said = SIGNS[key]
        made.append((said, weight, sign(asked, path, found)))
    return made


def page_signs_of(node: str, asked: Wanted, learned: Learned) -> list[Sign]:
    """Return the signs of a node that is no code: a section, a note, a record, a file."""
    made = []
    for key, weight in learned.pages.items():
        sign, said = PAGE_SIGNS[key]
        made.append((said, weight, sign(asked, node)))
    return made


def _worth(signs: Iterable[Sign]) -> list[tuple[str, float]]:
    return [(said, weight * value) for said, weight, value in signs if value and weight]
