"""Scored candidates -> the same, those of code with the signs of their file added.

A file's signs times their weights are parts like any other. The new scores then take the place
of the old ones on their scale, so that code and prose stay comparable; prose is not touched.
Pure; called by retrieval.scope, after boosts and before the cut.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from trivium.ranking.cut import node_of
from trivium.ranking.features import SIGNS, Member, Wanted, own_name
from trivium.ranking.profile import Learned
from trivium.types import ChunkId, Part, Scored, best_first

LEVEL = "scale of the blend"
_BEFORE_PATH = len("code:")


def with_signs(
    scored: Sequence[Scored], *, files: Mapping[ChunkId, str], asked: Wanted, learned: Learned
) -> list[Scored]:
    """Add to each candidate that has a file what the file's signs are worth.

    The sums are then moved to the range the scores of code had, its upper end raised by the
    share `lift`: every part is multiplied by one number, and one part more is the same for all.
    """
    of_file: defaultdict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        path = files.get(one.chunk_id)
        if path is not None:
            of_file[path].append(one)
    gains = {
        path: [
            (said, weight * value)
            for said, weight, value in signs_of(path, members, asked, learned)
            if value and weight
        ]
        for path, members in of_file.items()
    }
    sums = {path: sum([value for _, value in parts]) for path, parts in gains.items()}
    old = [one.score for members in of_file.values() for one in members]
    new = [one.score + sums[path] for path, members in of_file.items() for one in members]
    if not new or max(new) <= min(new):
        return list(scored)
    lowest, highest = min(old), max(old) * (1 + learned.lift)
    factor = (highest - lowest) / (max(new) - min(new))
    level = Part(LEVEL, lowest - factor * min(new))
    made = [one for one in scored if one.chunk_id not in files]
    # Files alike in a sign share its part: many are as deep, or in the same folder.
    parts = {
        one: Part(one[0], factor * one[1])
        for one in {one for some in gains.values() for one in some}
    }
    for path, members in of_file.items():
        shared = (*[parts[one] for one in gains[path]], level)
        for one in members:
            own = [Part(part.name, factor * part.value) for part in one.parts]
            made.append(Scored(one.chunk_id, (*own, *shared)))
    return best_first(made)


def signs_of(
    path: str, members: Sequence[Scored], asked: Wanted, learned: Learned
) -> list[tuple[str, float, float]]:
    """Return what each sign of a file is called, its weight and its value."""
    inside = _BEFORE_PATH + len(path) + len("#")
    found = [Member(own_name(node_of(one.chunk_id)[inside:]), one.score) for one in members]
    made = []
    for key, weight in learned.weights.items():
        sign, said = SIGNS[key]
        made.append((said, weight, sign(asked, path, found)))
    return made
