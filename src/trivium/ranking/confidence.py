"""What speaks for a hit -> how likely it answers the query, 0 to 1.

A logistic model without negative weights: more evidence never lowers it. Its numbers stand in
confidence.toml, one set for each sort of evidence, found by training/confidence.py. Pure, and
looks at one hit and its collection alone, so that neither `limit` nor filters can count. Called
by results.fetch.
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
# As many deviations above what is usual are near; a cosine below that is usual here.
_NEAR = 2.0
# So much of what words hold need not be said by meaning as well.
_BY_WORDS = 0.75
# Beyond so many rare terms, there is nothing more to be learnt.
_MOST_STRENGTH = 9.0
# As in BM25: how soon a term that stands there again adds little, in a text of a usual length.
_SATURATION, _BY_LENGTH, _USUAL_LENGTH = 1.2, 0.75, 1000
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

    def strength(self, counts: Mapping[str, int], *, length: int) -> float:
        """Return what terms tell that stand so often in a text of so many letters.

        In terms that are nowhere; one that stands there without end counts whole. A term adds the
        same whatever else is asked, so that one more never lowers it.
        """
        often = {one: count for one, count in counts.items() if one in self.of}
        for others, term in self.instead:
            if others.issubset(counts):
                least = min(counts[one] for one in others)
                often[term] = max(least, often.get(term, 0))
        slow = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * length / _USUAL_LENGTH)
        told = [
            self.of[one] * self.typed.get(one, 1.0) * often[one] / (often[one] + slow)
            for one in sorted(often)
        ]
        return math.fsum(told) / self.unknown

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
    letters by chance it makes a vector, too, and something is always nearest to that. It stands
    in for what words do not hold: a usual word more brings a query nearer to everything, and must
    not lower what holds that word.
    """
    near = min(1.0, max(0.0, (evidence.nearness or 0.0) / _NEAR))
    meaning = evidence.known * max(0.0, evidence.cosine) * near
    by_words = _BY_WORDS * evidence.coverage
    return {
        "said": by_words + (1 - by_words) * min(1.0, meaning),
        "strength": math.sqrt(min(_MOST_STRENGTH, evidence.strength)),
        "named": min(1.0, evidence.named),
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
