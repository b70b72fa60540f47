"""What speaks for a hit -> how likely it answers the query, 0 to 1.

A logistic model without negative weights: more evidence never lowers it. Its numbers stand in
confidence.toml, one set for each sort of evidence, found by training/confidence.py. Pure, and
looks at one hit alone, so that `limit` cannot count. Called by results.evidence.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from types import MappingProxyType

from trivium.types import Background, Evidence

# A usual deviation of cosines, and how many chunks it counts for.
_USUAL = 0.1
_COUNTED = 10
# Beyond so many rare terms, and so many deviations, there is nothing more to be learnt.
_MOST_MASS = 2.0
_MOST_NEARNESS = 10.0
_WHOLE_NAME = 1.0


@dataclass(frozen=True, slots=True)
class Rarity:
    """How much each term of a query tells in one collection, and one that is nowhere in it.

    `known` is how much of the query are terms that stand anywhere in it, 0 to 1. `instead` are
    sets of terms, each with the term of the query that whoever holds them all holds as well.
    `typed` has the share of a term that is typed so far, for those that may go on: holding one
    of them says only so much.
    """

    of: Mapping[str, float]
    unknown: float
    known: float = 0.0
    instead: tuple[tuple[frozenset[str], str], ...] = ()
    typed: Mapping[str, float] = field(default_factory=dict)

    def share(self, held: Collection[str]) -> float:
        """Return how much of the query these terms are, 0 to 1; 0 for a query without terms."""
        total = math.fsum(self.of.values())
        return min(1.0, self._told(held) / total) if total else 0.0

    def mass(self, held: Collection[str]) -> float:
        """Return what these terms tell, in terms that are nowhere."""
        return self._told(held) / self.unknown

    def _told(self, held: Collection[str]) -> float:
        told = {one for one in held if one in self.of}
        told |= {term for others, term in self.instead if others.issubset(held)}
        return math.fsum([self.of[one] * self.typed.get(one, 1.0) for one in sorted(told)])


NOTHING_RARE = Rarity({}, 1.0)
NOTHING_INSTEAD: Mapping[str, Mapping[frozenset[str], int]] = MappingProxyType({})
ALL_TYPED: Mapping[str, float] = MappingProxyType({})


def rarity(
    frequencies: Mapping[str, int],
    *,
    documents: int,
    instead: Mapping[str, Mapping[frozenset[str], int]] = NOTHING_INSTEAD,
    typed: Mapping[str, float] = ALL_TYPED,
) -> Rarity:
    """Return the idf of each term as BM25 has it; what is in no document tells most.

    `instead` has for a term what may stand for it, and how many documents have that: half a word
    is not rare because nobody wrote it so, and counts as frequent as all of them together.
    `typed` is how much of a term is there yet, where it may go on.
    """
    found = {
        term: count + sum(instead.get(term, {}).values()) for term, count in frequencies.items()
    }
    told = {term: _idf(count, documents) for term, count in found.items()}
    pairs = tuple((others, term) for term, sets in instead.items() for others in sets)
    made = Rarity(told, _idf(0, documents), instead=pairs, typed=typed)
    return replace(made, known=made.share([term for term, count in found.items() if count]))


def _idf(frequency: int, documents: int) -> float:
    # A frequency may still count deleted documents.
    found = min(frequency, documents)
    return math.log(1 + (documents - found + 0.5) / (found + 0.5))


def nearness(cosine: float, background: Background) -> float | None:
    """Return how many deviations a cosine lies above those of the other chunks.

    In a small collection the hit itself is much of the background, so it is taken out, and the
    deviation is held to a usual one. None where there is nothing else to compare it with.
    """
    count, mean = background.count, background.mean
    others = count - 1
    if others < 1:
        return None
    without = (count * mean - cosine) / others
    squares = (count * (background.deviation**2 + mean**2) - cosine**2) / others
    spread = max(0.0, squares - without**2)
    deviation = math.sqrt((others * spread + _COUNTED * _USUAL**2) / (others + _COUNTED))
    return (cosine - without) / deviation


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of one sort of evidence; none is below 0."""

    intercept: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Model:
    """All calibrations, the level below which a hit is weak, and what a whole name is worth."""

    weak: float
    name: float
    of: Mapping[str, Calibration]


def signs(evidence: Evidence) -> dict[str, float]:
    """Return what the weights are for: evidence in numbers that cannot be below 0.

    What a model says of a query counts as far as the words of that query are known here: of
    letters by chance it makes a vector, too, and something is always nearest to that.
    """
    near = min(_MOST_NEARNESS, max(0.0, evidence.nearness or 0.0))
    return {
        "coverage": evidence.coverage,
        "named": min(1.0, evidence.named),
        "mass": min(_MOST_MASS, evidence.mass),
        "meaning": evidence.known * max(0.0, evidence.cosine) * near,
        "standing": evidence.known * evidence.standing,
        "exact": evidence.exact,
    }


def confidence(evidence: Evidence) -> float:
    """Return how likely a hit answers its query."""
    model = calibrated()
    calibration = model.of[evidence.sort]
    found = signs(evidence)
    said = [calibration.weights.get(name, 0.0) * value for name, value in found.items()]
    likely = 1 / (1 + math.exp(-(calibration.intercept + math.fsum(said))))
    return max(likely, model.name) if evidence.exact >= _WHOLE_NAME else likely


def is_weak(confidence: float | None) -> bool:
    """Say whether a hit is more likely chance than an answer; one without a number is not."""
    return confidence is not None and confidence < calibrated().weak


@cache
def calibrated() -> Model:
    """Return the numbers of confidence.toml."""
    file = resources.files("trivium.ranking").joinpath("confidence.toml")
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    return Model(
        weak=float(given["weak"]),
        name=float(given["name"]),
        of={
            sort: Calibration(float(numbers["intercept"]), dict(numbers["weights"]))
            for sort, numbers in given["evidence"].items()
        },
    )
